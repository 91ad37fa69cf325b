# SPDX-License-Identifier: Apache-2.0
"""Weights rounded to int8 as the library rounds them, while the trained weights stay float32: straight-through."""

from __future__ import annotations

import contextlib
from typing import Iterator

import torch
from torch import Tensor, nn

from ..hadamard import hadamard_transform
from ..layer import LookupFFN
from ..projections import BlockHadamard
from ..words import Words, largest_step, rounded_rows


def _across(blocks: Tensor) -> Tensor:
    """The blocks' columns, Hadamard-transformed; twice gives the block's size times the blocks."""
    return hadamard_transform(blocks.transpose(-1, -2)).transpose(-1, -2)


def rounded_blocks(weight: Tensor) -> Tensor:
    """For a BH projection [chains, factors, blocks, out, in]: the library rounds the rows after multiplying them by the
    Hadamard matrix of the block's size."""
    return _across(rounded_rows(_across(weight))) / weight.shape[-1]


def _matrices(model: nn.Module) -> Iterator[tuple[nn.Parameter, bool]]:
    """The weights that the library rounds, but for word embeddings, and whether they are BH blocks. Heads stay as they are."""
    heads = {id(module) for name, module in model.named_modules()
             if not name.startswith(("base.", "encoder.", "embed")) or ".pooler." in name}
    for module in model.modules():
        if isinstance(module, LookupFFN):
            yield module.tables, False
        elif isinstance(module, BlockHadamard):
            yield module.weight, True
        elif isinstance(module, nn.Linear) and id(module) not in heads:
            yield module.weight, False


@torch.no_grad()
def int8_weights(model: nn.Module) -> dict[nn.Parameter, Tensor]:
    """The weights that the library rounds, rounded: tables, hashes, linear layers, word embeddings."""
    rounded = {weight: rounded_blocks(weight) if is_blocks else rounded_rows(weight) for weight, is_blocks in _matrices(model)}
    words = next(module for name, module in model.named_modules() if name.endswith("word_embeddings"))
    rounded[words.weight] = rounded_rows(words.weight)
    return rounded


@torch.no_grad()
def off_the_steps(model: nn.Module, seed: int) -> None:
    """Weights that were read from int8 stand on whole steps, and rounding would bring every small change back to where it began.
    Noise of up to half a step lets changes of any size survive in the mean."""
    draw = torch.Generator().manual_seed(seed)

    def noise(rows: Tensor) -> Tensor:
        return (torch.rand(rows.shape, generator=draw) - 0.5) * rows.abs().amax(-1, keepdim=True) / largest_step(8)

    for weight, is_blocks in _matrices(model):
        weight.add_(_across(noise(_across(weight))) / weight.shape[-1] if is_blocks else noise(weight))


@contextlib.contextmanager
def int8(model: nn.Module, active: bool = True, word_bits: int = 8) -> Iterator[None]:
    """In this context the model computes with rounded weights, forward and backward; afterwards the weights are as before. Rows
    by word are rounded to word_bits as they are read."""
    if not active:
        yield
        return
    words = [module for module in model.modules() if isinstance(module, Words)]
    for module in words:
        module.bits = word_bits
    rounded = int8_weights(model)
    whole = {parameter: parameter.detach().clone() for parameter in rounded}
    with torch.no_grad():
        for parameter, value in rounded.items():
            parameter.copy_(value)
    try:
        yield
    finally:
        for module in words:
            module.bits = 0
        with torch.no_grad():
            for parameter, value in whole.items():
                parameter.copy_(value)
