# SPDX-License-Identifier: Apache-2.0
"""How a student starts: as an earlier one with rows for other words, or with only some of its layers."""

from __future__ import annotations

import copy
from typing import Sequence

import numpy as np
import torch

from ..config import FFN_KEYS, WORD_KEYS
from ..family_model import FamilyModel, family_model


def with_layers(model: FamilyModel, layers: Sequence[int]) -> FamilyModel:
    """A copy with only these layers, in this order."""
    config, tensors = copy.deepcopy(model.file_config()), {}
    for name, value in model.file_tensors().items():
        parts = name.split(".layer.")
        if len(parts) == 1:
            tensors[name] = value
            continue
        number, rest = parts[1].split(".", 1)
        for new, old in enumerate(layers):
            if int(number) == old:
                tensors[f"{parts[0]}.layer.{new}.{rest}"] = value
    for key in {*FFN_KEYS, *WORD_KEYS, "ffn_kinds", "intermediate_size", "num_attention_heads"} & set(config):
        if isinstance(config[key], list):
            config[key] = [config[key][layer] for layer in layers]
    config["num_hidden_layers"] = len(layers)
    return family_model(config, {name: value.numpy() for name, value in tensors.items()})


@torch.no_grad()
def with_rows(model: FamilyModel, counts: np.ndarray, rows: int) -> FamilyModel:
    """A copy whose rows by word are for the most frequent words; a word that had no row gets the row that all others shared."""
    config = copy.deepcopy(model.file_config())
    tensors = {name: value.clone() for name, value in model.file_tensors().items()}
    place = next(name for name in tensors if name.endswith("word_rows"))
    before = tensors[place].long()
    order = np.argsort(-counts, kind="stable")
    after = torch.zeros(len(before), dtype=torch.int32)
    after[torch.from_numpy(order)] = torch.arange(len(before), dtype=torch.int32).clamp(max=rows - 1)
    own = before[torch.from_numpy(order[: rows - 1])]
    for name in tensors:
        if name.endswith(".FFN.words"):
            last = tensors[name][-1:]
            tensors[name] = torch.cat([tensors[name][own], last])
    tensors[place] = after
    config["ffn_word_rows"] = rows
    return family_model(config, {name: value.numpy() for name, value in tensors.items()})
