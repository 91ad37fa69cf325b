# SPDX-License-Identifier: Apache-2.0
"""Models in one file, as `lffn_model_save` and `lookupffn convert` write them: their weights as floats again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Union

import numpy as np
import torch

from . import safetensors
from .encoder import Encoder
from .family_config import ALL
from .family_model import FamilyModel, family_model
from .files import model_from_tensors
from .hadamard import hadamard_transform
from .words import FILE_NAME, SCALE

_FOLDED = ".folded_weight"


def _whole(name: str, tensors: dict[str, np.ndarray]) -> np.ndarray:
    """int8 rows times their scales."""
    values = tensors[name]
    scale = tensors.get(name + ".scale" if not name.endswith(_FOLDED) else name[: -len("weight")] + "scale")
    return values.astype(np.float32) if scale is None else values.astype(np.float32) * scale[..., None]


def _unfolded(blocks: np.ndarray, decay_coeff: float) -> np.ndarray:
    """For a BH projection: the blocks before each was multiplied by the Hadamard matrix of its size."""
    turned = hadamard_transform(torch.from_numpy(blocks).transpose(-1, -2)).transpose(-1, -2)
    turned = turned / blocks.shape[-1]
    turned[:, -1] /= decay_coeff
    return turned.numpy()


def load_model(path: Union[str, Path]) -> Union[FamilyModel, Encoder]:
    """Weights rounded to int8 or BF16 stay rounded; the tokenizer and the steps after pooling are ignored."""
    tensors, metadata = safetensors.load(path)
    if (metadata.get("format"), metadata.get("kind")) != ("lookupffn", "model"):
        raise ValueError(f"{path}: no model that the library wrote")
    config: dict[str, Any] = json.loads(metadata["config"])
    weights = {}
    for name in tensors:
        if name.endswith((FILE_NAME, SCALE, ".word_rows")):
            weights[name] = tensors[name]
            continue
        if name == "tokenizer.json" or name.startswith("sentence.") or name.endswith((".scale", ".folded_scale")):
            continue
        value = _whole(name, tensors)
        if name.endswith(_FOLDED):
            name = name[: -len(_FOLDED)] + ".weight"
            if value.ndim > 2:
                value = _unfolded(value, config.get("decay_coeff", 0.7))
        weights[name] = value
    if config.get("model_type") in ALL:
        return family_model(config, weights)
    return model_from_tensors(config, weights)
