# SPDX-License-Identifier: Apache-2.0
"""Sylvester's Hadamard matrices, in natural order and not normalised."""

from __future__ import annotations

import functools

import torch
from torch import Tensor


@functools.lru_cache(maxsize=None)
def _matrix(size: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    # What is made in inference mode could never be trained with, and this is kept for later.
    with torch.inference_mode(False):
        matrix = torch.ones(1, 1, dtype=dtype, device=device)
        while matrix.shape[0] < size:
            matrix = torch.cat([torch.cat([matrix, matrix], 1), torch.cat([matrix, -matrix], 1)], 0)
    return matrix


def hadamard_matrix(size: int, like: Tensor) -> Tensor:
    """H of a size that is a power of two, of the type and on the device of a tensor."""
    if size < 1 or size & (size - 1):
        raise ValueError(f"a Hadamard matrix needs a power of two, not {size}")
    return _matrix(size, like.dtype, like.device)


def hadamard_transform(x: Tensor) -> Tensor:
    """x H over the last dimension. H of size a*b is the Kronecker product of two small ones: two small products."""
    size = x.shape[-1]
    inner = 1 << (size.bit_length() - 1) // 2
    y = x.reshape(*x.shape[:-1], size // inner, inner) @ hadamard_matrix(inner, x)
    return (hadamard_matrix(size // inner, x) @ y).reshape(x.shape)


def power_of_two_above(size: int) -> int:
    return 1 << (size - 1).bit_length()
