# SPDX-License-Identifier: Apache-2.0
"""Initial weights with which small encoders leave the plateau of word frequencies within minutes.

Each head starts by looking at one place: the token before, the one after, two before, ... For this, positions start as sines
and cosines, which a rotation shifts, and keys as the queries after such a rotation. The decoder's bias starts as the
logarithms of the tokens' frequencies. Nothing is fixed: all of these are trained.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from .encoder import Attention, Encoder
from .rivals import GroupedLinear

_EMBEDDING_STD = 0.05
_QUERY_STD = 1.3
_OFFSETS = (-1, 1, -2, 2, -3, 3)


def _angles(size: int) -> Tensor:
    """As many frequencies as fit, evenly spread, so that no two positions are alike."""
    return math.pi * (torch.arange(size // 2) + 0.5) / (size // 2)


def _positions(count: int, size: int) -> Tensor:
    phases = torch.arange(count)[:, None] * _angles(size)
    return torch.stack((phases.sin(), phases.cos()), dim=-1).flatten(1) * 2**0.5


def _look_at_neighbours(attention: Attention, size: int) -> None:
    if attention.num_heads == 0:
        return
    head_size = attention.query.out_features // attention.num_heads
    for head in range(attention.num_heads):
        shift = _angles(size) * _OFFSETS[head % len(_OFFSETS)]
        query = torch.randn(head_size, size) * _QUERY_STD * size**-0.5
        sine, cosine = query[:, 0::2], query[:, 1::2]
        key = torch.stack((sine * shift.cos() + cosine * shift.sin(), cosine * shift.cos() - sine * shift.sin()), dim=-1)
        rows = slice(head * head_size, (head + 1) * head_size)
        attention.query.weight[rows], attention.key.weight[rows] = query, key.flatten(1)


@torch.no_grad()
def initialise(model: Encoder, token_counts: Tensor) -> None:
    """token_counts: how often each token of the vocabulary occurs in the text."""
    size = model.config.hidden_size
    for module in model.modules():
        if hasattr(module, "keeps_initial_values"):
            continue
        if isinstance(module, torch.nn.Embedding):
            module.weight.normal_(std=_EMBEDDING_STD)
        elif isinstance(module, torch.nn.Linear):
            module.weight.normal_(std=module.in_features**-0.5)
        elif isinstance(module, GroupedLinear):
            module.weight.normal_(std=module.weight.shape[-1]**-0.5)
    if size % 2 == 0:
        positions = model.embeddings.position_embeddings.weight
        positions.copy_(_positions(len(positions), size) * _EMBEDDING_STD)
        for block in model.encoder.layer:
            _look_at_neighbours(block.attention, size)
    if model.lm_head is None:
        return
    counts = token_counts.float() + 1
    model.lm_head.bias.copy_((counts / counts.sum()).log())
