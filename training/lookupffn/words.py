# SPDX-License-Identifier: Apache-2.0
"""Rows by word: a learned vector per token id, added to the rest of a feed-forward block's output.

The id is a hash that costs nothing. A step touches only the rows of its own tokens, so gradients are sparse.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from . import safetensors

# How rows may be stored; the last two with a scale for each row.
DTYPES = ("f32", "f16", "bf16", "int8", "int4")
BITS = {"int8": 8, "int4": 4}
FILE_NAME, SCALE = ".FFN.words", ".FFN.words.scale"
_MODULE_NAME = ".words.weight"


def largest_step(bits: int) -> int:
    """The largest step of signed numbers; steps reach as far down as up."""
    return (1 << (bits - 1)) - 1


def rounded_rows(values: Tensor, bits: int = 8) -> Tensor:
    """Rounds each row to whole steps; its largest number becomes as many steps as the bits allow."""
    most = largest_step(bits)
    scale = values.abs().amax(-1, keepdim=True) / most
    steps = torch.where(scale > 0, values / scale, torch.zeros_like(values)).round().clamp(-most, most)
    return steps * scale


class Words(nn.Embedding):
    keeps_initial_values = True

    def __init__(self, rows: int, size: int) -> None:
        super().__init__(rows, size, sparse=True)
        nn.init.zeros_(self.weight)
        self.bits = 0  # to which rows are rounded as they are read, straight-through; 0: not at all

    def forward(self, rows: Tensor) -> Tensor:
        y = F.embedding(rows, self.weight, sparse=True)
        return y if self.bits == 0 else y + (rounded_rows(y, self.bits) - y).detach()


def first_rows(vocab_size: int, rows: int) -> Tensor:
    """Which row each word has if there are fewer rows: its own, or for all later words the last."""
    return torch.arange(vocab_size, dtype=torch.int32).clamp(max=rows - 1)


def file_name(name: str) -> str:
    return name[: -len(_MODULE_NAME)] + FILE_NAME if name.endswith(_MODULE_NAME) else name


def module_name(name: str) -> str:
    return name[: -len(FILE_NAME)] + _MODULE_NAME if name.endswith(FILE_NAME) else name


def packed(name: str, values: np.ndarray, dtype: str) -> dict[str, Any]:
    """The tensors that a file holds for rows [R, d] of a name."""
    if dtype not in DTYPES:
        raise ValueError(f'the type of rows is "{dtype}", expected one of {", ".join(DTYPES)}')
    if dtype not in BITS:
        as_kept: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "bf16": safetensors.Bf16}
        kind = as_kept[dtype]
        return {name: kind(values) if dtype == "bf16" else values.astype(kind)}
    most = largest_step(BITS[dtype])
    scale = (np.abs(values).max(-1) / np.float32(most)).astype(np.float32)
    steps = np.divide(values, scale[:, None], out=np.zeros_like(values), where=scale[:, None] > 0)
    steps = np.clip(np.rint(steps), -most, most).astype(np.int8)
    if dtype == "int4":  # two a byte, the first in the lower half
        halves = (np.pad(steps, ((0, 0), (0, steps.shape[1] % 2))) + 8).astype(np.uint8)
        steps = halves[:, 0::2] | halves[:, 1::2] << 4
    return {name: steps, f"{name}.scale": scale}


def unpacked(name: str, values: np.ndarray, scale: Optional[np.ndarray], size: int) -> np.ndarray:
    """Rows as floats. Raises ValueError, which says what does not fit."""
    if values.dtype not in (np.int8, np.uint8):
        if scale is not None:
            raise ValueError(f"{name}.scale: only rows of whole numbers have scales")
        return values.astype(np.float32)
    if scale is None:
        raise ValueError(f"{name}.scale: this tensor is missing")
    wide = (size + 1) // 2 if values.dtype == np.uint8 else size
    if values.ndim != 2 or values.shape[1] != wide:
        raise ValueError(f"{name}: shape {list(values.shape)}, expected [{len(values)}, {wide}]")
    if scale.shape != values.shape[:1]:
        raise ValueError(f"{name}.scale: shape {list(scale.shape)}, expected [{len(values)}]")
    if not np.isfinite(scale).all():
        raise ValueError(f"{name}.scale: a number is not finite")
    if values.dtype == np.uint8:
        values = np.stack([values & 15, values >> 4], -1).reshape(len(values), -1)[:, :size].astype(np.int8) - 8
    return values.astype(np.float32) * scale[:, None].astype(np.float32)


def _array(value: Any) -> np.ndarray:
    return value.numpy() if torch.is_tensor(value) else np.array(value)


def whole_rows(tensors: dict[str, Any], size: Any) -> dict[str, Any]:
    """Rows by word as floats, whatever their type in the file."""
    whole = dict(tensors)
    for name in [name for name in tensors if name.endswith(FILE_NAME) and isinstance(size, int)]:
        scale = whole.pop(name[: -len(FILE_NAME)] + SCALE, None)
        whole[name] = unpacked(name, _array(tensors[name]), None if scale is None else _array(scale), size)
    return whole


def check_word_rows(places: Tensor, rows: int) -> None:
    """Raises ValueError if some word's row is not among this many."""
    if places.dtype != torch.int32:
        raise ValueError(f"embeddings.word_rows: numbers of type {places.dtype}, expected int32")
    if len(places) and not 0 <= int(places.min()) <= int(places.max()) < rows:
        raise ValueError(f"embeddings.word_rows: from {int(places.min())} to {int(places.max())}, expected 0 to {rows - 1}")
