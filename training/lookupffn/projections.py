# SPDX-License-Identifier: Apache-2.0
"""The two projections that the library runs: from the normalised token to its hash values."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .hadamard import hadamard_matrix, power_of_two_above


class DenseProjection(nn.Linear):
    """z = u W^T + b."""

    def __init__(self, input_size: int, num_hashes: int) -> None:
        super().__init__(input_size, num_hashes)
        self.keeps_initial_values = True
        nn.init.normal_(self.weight, std=input_size**-0.5)
        nn.init.zeros_(self.bias)

    def flop_per_token(self) -> int:
        return 2 * self.in_features * self.out_features


class BlockHadamard(nn.Module):
    """BH{m}: chains of m block diagonal products, each followed by a Hadamard transform, mixed with the input."""

    def __init__(self, input_size: int, num_hashes: int, num_factors: int = 4, block_size: int = 64, decay_coeff: float
                 = 0.7) -> None:
        super().__init__()
        self.input_size = input_size
        self.num_hashes = num_hashes
        self.padded_size = power_of_two_above(input_size)
        if block_size < 1 or block_size & (block_size - 1) or block_size > self.padded_size:
            raise ValueError(f"block_size is {block_size}, expected a power of two up to {self.padded_size}")
        self.block_size = block_size
        self.decay_coeff = decay_coeff
        chains = max(1, -(-num_hashes // self.padded_size))
        blocks = self.padded_size // block_size
        self.weight = nn.Parameter(torch.empty(chains, num_factors, blocks, block_size, block_size))
        self.bias = nn.Parameter(torch.zeros(num_hashes))
        # The transform is not normalised: this keeps the variance from factor to factor.
        nn.init.normal_(self.weight, std=(block_size * self.padded_size) ** -0.5)

    def forward(self, u: Tensor) -> Tensor:
        chains, factors, blocks, size, _ = self.weight.shape
        tokens = u.reshape(-1, self.input_size)
        count = tokens.shape[0]
        tokens = F.pad(tokens, (0, self.padded_size - self.input_size))
        # H = H_blocks (x) H_size: the second goes into the blocks, the first mixes them. Layout [chain, block, token, in].
        folded = self.weight.transpose(-1, -2) @ hadamard_matrix(size, u)
        across = hadamard_matrix(blocks, u)
        y = tokens.reshape(count, blocks, size).transpose(0, 1).expand(chains, blocks, count, size)
        for i in range(factors):
            y = torch.matmul(y, folded[:, i])
            y = torch.matmul(across, y.reshape(chains, blocks, count * size)).view(chains, blocks, count, size)
        y = y.permute(2, 0, 1, 3).reshape(count, chains * self.padded_size)[:, : self.num_hashes]
        kept = tokens.repeat(1, chains)[:, : self.num_hashes]
        z = self.decay_coeff * y + (1 - self.decay_coeff) * kept + self.bias
        return z.view(*u.shape[:-1], self.num_hashes)

    def flop_per_token(self) -> int:
        chains, factors, _, size, _ = self.weight.shape
        n = self.padded_size
        return chains * factors * (2 * n * size + n * (n.bit_length() - 1))


def make_projection(kind: str, input_size: int, num_hashes: int, block_size: int = 64, decay_coeff: float = 0.7) -> nn.Module:
    """Makes a projection by its name in config files: "dense" or "bh1" to "bh9"."""
    if kind == "dense":
        return DenseProjection(input_size, num_hashes)
    if len(kind) == 3 and kind.startswith("bh") and kind[2] in "123456789":
        return BlockHadamard(input_size, num_hashes, int(kind[2]), block_size, decay_coeff)
    raise ValueError(f'projection_type is "{kind}", expected "dense" or "bh1" to "bh9"')
