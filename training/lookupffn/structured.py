# SPDX-License-Identifier: Apache-2.0
"""Structured matrices to compare with BH: cheap square products meant to approximate a dense one."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from .hadamard import hadamard_transform


def cosine_matrix(size: int, like: Tensor) -> Tensor:
    """The orthonormal discrete cosine transform (type 2), as x @ C^T."""
    k = torch.arange(size, dtype=like.dtype, device=like.device)
    matrix = torch.cos(math.pi * (2 * k[None, :] + 1) * k[:, None] / (2 * size)) * math.sqrt(2 / size)
    matrix[0] *= math.sqrt(0.5)
    return matrix


class _Diagonals(nn.Module):
    def __init__(self, size: int, factors: int, per_factor: int) -> None:
        super().__init__()
        self.size = size
        self.diagonals = nn.Parameter(1 + 0.1 * torch.randn(factors, per_factor, size))


class HadamardDiagonals(_Diagonals):
    """Diagonals followed by normalised Hadamard transforms."""

    def __init__(self, size: int, factors: int = 4) -> None:
        super().__init__(size, factors, 1)

    def forward(self, x: Tensor) -> Tensor:
        for (diagonal,) in self.diagonals:
            x = hadamard_transform(x * diagonal) * self.size**-0.5
        return x

    def flop(self) -> int:
        return len(self.diagonals) * (self.size + self.size * (self.size.bit_length() - 1))


class ACDC(_Diagonals):
    """A C D C^-1: a diagonal, a cosine transform, a diagonal, the transform back."""

    def __init__(self, size: int, factors: int = 4) -> None:
        super().__init__(size, factors, 2)

    def forward(self, x: Tensor) -> Tensor:
        cosines = cosine_matrix(self.size, x)
        for a, d in self.diagonals:
            x = ((x * a) @ cosines.t() * d) @ cosines
        return x

    def flop(self) -> int:
        return len(self.diagonals) * (2 * self.size + 2 * 5 * self.size * (self.size.bit_length() - 1) // 2)


class HadamardACDC(_Diagonals):
    """ACDC with Hadamard transforms instead of cosine transforms."""

    def __init__(self, size: int, factors: int = 4) -> None:
        super().__init__(size, factors, 2)

    def forward(self, x: Tensor) -> Tensor:
        for a, d in self.diagonals:
            x = hadamard_transform(hadamard_transform(x * a) * d) / self.size
        return x

    def flop(self) -> int:
        return len(self.diagonals) * (2 * self.size + 2 * self.size * (self.size.bit_length() - 1))
