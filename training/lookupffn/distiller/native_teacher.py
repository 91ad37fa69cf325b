# SPDX-License-Identifier: Apache-2.0
"""The teacher, run by liblookupffn with int8 weights in a quarter of the time of PyTorch's float32."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

import numpy as np
import torch
from torch import Tensor

from .. import native_model
from .subject import Subject


class NativeTeacher:
    """The library returns only a model's last states, so the states after an earlier layer come from a model cut there."""

    def __init__(self, teacher: Subject, layers: Sequence[int], folder: Path) -> None:
        self.width, self.last = teacher.hidden_size, len(teacher.layers) - 1
        self.models = {}
        for layer in sorted({*layers, self.last}):
            place = folder / f"first-{layer + 1}-layers"
            teacher.first(layer + 1).save(place)
            self.models[layer] = native_model.NativeModel(place, torch.get_num_threads(), linear_dtype=native_model.INT8,
                                                          embedding_dtype=native_model.INT8)

    def hidden(self, ids: Tensor, layers: Sequence[int]) -> tuple[Tensor, list[Tensor]]:
        """ids [texts, length] -> the last states, and those after each of the layers."""
        rows = list(ids.cpu().numpy().astype(np.int32))
        found = {layer: torch.from_numpy(self.models[layer].encode(rows, self.width)).view(*ids.shape, -1).to(ids.device)
                 for layer in {*layers, self.last}}
        return found[self.last], [found[layer] for layer in layers]
