# SPDX-License-Identifier: Apache-2.0
"""Keeps only some of a model's heads and neurons, in place; these keep their weights."""

from __future__ import annotations

import dataclasses
from typing import Sequence

import torch
from torch import Tensor, nn

from .config import with_changes
from .family_model import FamilyModel


def _chosen(wanted: Sequence[int], count: int, what: str) -> Tensor:
    if len(set(wanted)) < len(wanted) or not set(wanted) <= set(range(count)):
        raise ValueError(f"{what} {list(wanted)}: expected different ones from 0 to {count - 1}")
    return torch.tensor(list(wanted), dtype=torch.long)


def _with(model: FamilyModel, layer: int, key: str, value: int) -> None:
    config = model.config
    raw = {**config.raw, "attention_head_size": config.head_size} if key == "num_attention_heads" else config.raw
    raw = with_changes(raw, [layer], {config.name_of(key): value}, config.num_layers)
    model.config = dataclasses.replace(config, raw=raw)


@torch.no_grad()
def keep_heads(model: FamilyModel, layer: int, heads: Sequence[int]) -> None:
    """Keeps these heads, in the given order; without any, attention gives only its output's bias."""
    block = model.layers[layer]
    chosen = _chosen(heads, block.num_heads, "heads")
    if block.num_heads == 0:
        return
    places = (chosen[:, None] * block.head_size + torch.arange(block.head_size)).flatten()
    old, out = block.projections() + block.own_place_projections(), block.attention_output()
    block.set_heads(len(chosen))
    block.to(out.bias.device, out.bias.dtype)
    if len(chosen):
        for mine, other in zip(block.projections() + block.own_place_projections(), old):
            mine.weight.copy_(other.weight[places])
            mine.bias.copy_(other.bias[places])
        block.attention_output().weight.copy_(out.weight[:, places])
    block.attention_output().bias.copy_(out.bias)
    _with(model, layer, "num_attention_heads", len(chosen))


@torch.no_grad()
def keep_neurons(model: FamilyModel, layer: int, neurons: Sequence[int]) -> None:
    """Keeps these neurons, at least one, in the given order."""
    block = model.layers[layer]
    products = block.products()
    if products is None or not len(neurons):
        raise ValueError(f"layer {layer}: {'no neurons are left' if products else 'it has no neurons'}")
    chosen, (up, down) = _chosen(neurons, products[0].out_features, "neurons"), products
    block.set_ffn(None, len(chosen))
    block.to(up.weight.device, up.weight.dtype)
    mine: tuple[nn.Linear, nn.Linear] = block.products()
    mine[0].weight.copy_(up.weight[chosen])
    mine[0].bias.copy_(up.bias[chosen])
    mine[1].weight.copy_(down.weight[:, chosen])
    mine[1].bias.copy_(down.bias)
    _with(model, layer, "intermediate_size", len(chosen))
