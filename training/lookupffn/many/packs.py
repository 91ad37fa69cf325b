# SPDX-License-Identifier: Apache-2.0
"""Portable models: matrices and tables in int8 with a scale per row, rows by word in int4, vectors in float32; or float16."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
import torch
from torch import Tensor

from .. import safetensors
from ..family_model import FamilyModel, family_model
from ..words import FILE_NAME, packed, unpacked

_WORDS = "embeddings.word_embeddings.weight"
_BLOCK = 8 << 20


def write(path: Union[str, Path], config: dict[str, Any], tensors: dict[str, Tensor], *, matrices: str = "int8",
          word_dtype: str = "int4", without_words: bool = False) -> None:
    """matrices: "int8" or "f16". without_words: omits word embeddings, because the teacher has the same."""
    kept: dict[str, Any] = {}
    for name, value in tensors.items():
        if without_words and name.endswith(_WORDS):
            continue
        array = value.detach().cpu().numpy()
        if name.endswith(FILE_NAME):
            kept.update(packed(name, array.astype(np.float32), word_dtype))
        elif array.dtype.kind == "f" and array.ndim in (2, 3):
            half = matrices == "f16" and not name.endswith(_WORDS)
            rows = {} if half else packed(name, array.astype(np.float32).reshape(-1, array.shape[-1]), "int8")
            kept.update({name: array.astype(np.float16)} if half else
                        {key: value.reshape(array.shape[: value.ndim + array.ndim - 2]) for key, value in rows.items()})
        else:
            kept[name] = array.astype(np.float32) if array.dtype.kind == "f" else array
    data = safetensors.save_bytes(kept, {"config": json.dumps(config)})
    blocks = [zlib.compress(data[first : first + _BLOCK], 4) for first in range(0, len(data), _BLOCK)]
    sizes = np.array([len(blocks), *map(len, blocks)], np.int64)
    safetensors.write_atomically(path, sizes.tobytes() + b"".join(blocks))


def read_tensors(path: Union[str, Path]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """-> the config and the weights as floats."""
    data = Path(path).read_bytes()
    count = int(np.frombuffer(data[:8], np.int64)[0])
    if not 0 <= count < len(data) // 8:
        raise ValueError(f"{path}: not a packed model")
    ends = 8 + 8 * count + np.cumsum(np.frombuffer(data[8 : 8 + 8 * count], np.int64))
    begins = [8 + 8 * count, *ends[:-1]]
    blocks = [zlib.decompress(data[begin:end]) for begin, end in zip(begins, ends)]
    tensors, metadata = safetensors.load_bytes(b"".join(blocks))
    config = json.loads(metadata["config"])
    whole = {}
    for name, values in tensors.items():
        if name.endswith(".scale"):
            continue
        if name.endswith("word_rows"):
            whole[name] = values
        else:
            scale = tensors.get(name + ".scale")
            rows = values.reshape(-1, values.shape[-1]) if values.ndim == 3 else values
            found = unpacked(name, rows, scale if scale is None else scale.reshape(-1), config["hidden_size"]
                             if name.endswith(FILE_NAME) else values.shape[-1])
            whole[name] = found.reshape(values.shape) if values.ndim == 3 else found
    return config, whole


def read(path: Union[str, Path], teacher: Optional[FamilyModel] = None) -> FamilyModel:
    """Takes from the teacher whatever the file omits."""
    config, tensors = read_tensors(path)
    if teacher is not None and not any(name.endswith(_WORDS) for name in tensors):
        name = next(name for name in tensors if name.endswith("embeddings.LayerNorm.weight"))
        tensors[name.replace("embeddings.LayerNorm.weight", _WORDS)] = \
            teacher.base.embeddings.word_embeddings.weight.detach().cpu().numpy()
    return family_model(config, tensors)


