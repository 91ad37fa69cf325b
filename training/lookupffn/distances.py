# SPDX-License-Identifier: Apache-2.0
"""Relative positions inside attention: MPNet's numbers, DeBERTa's vectors."""

from __future__ import annotations

import math
from typing import Any, Optional

import torch
from torch import Tensor, nn

from .family_config import FamilyConfig

MPNET_BUCKETS = 32


def mpnet_buckets(length: int, device: torch.device) -> Tensor:
    """For each query and key."""
    places = torch.arange(length, device=device)
    distance = places[:, None] - places[None]
    half, exact = MPNET_BUCKETS // 2, MPNET_BUCKETS // 4
    far = torch.log(distance.abs().clamp(min=exact).float() / exact) / math.log(128 / exact) * (half - exact)
    far = (exact + far.long()).clamp(max=half - 1)
    return torch.where(distance.abs() < exact, distance.abs(), far) + half * (distance < 0)


class Places:
    """Which of DeBERTa's vectors stands for the distance of two tokens, and their configuration."""

    def __init__(self, config: dict[str, Any]) -> None:
        kinds = config.get("pos_att_type") or []
        kinds = [kind.strip() for kind in kinds.split("|")] if isinstance(kinds, str) else kinds
        self.of_queries, self.of_keys = "c2p" in kinds, "p2c" in kinds
        self.terms = 1 + self.of_queries + self.of_keys
        self.relative = bool(config.get("relative_attention"))
        self.shares_keys = bool(config.get("share_att_key"))
        self.has_norm = "layer_norm" in config.get("norm_rel_ebd", "none")
        longest = config.get("max_relative_positions", -1)
        self.longest = longest if longest > 0 else config["max_position_embeddings"]
        self.buckets = config.get("position_buckets", -1)
        self.span = self.buckets if self.buckets > 0 else self.longest

    def __call__(self, length: int, device: torch.device) -> Tensor:
        """For each query and key."""
        places = torch.arange(length, device=device)
        distance = places[:, None] - places[None]
        if self.buckets > 0:
            middle, size = self.buckets // 2, distance.abs()
            if length - 1 > middle:
                whole = torch.log(torch.tensor((self.longest - 1) / middle))
                far = torch.ceil(torch.log(size.clamp(min=middle) / middle) / whole * (middle - 1)) + middle
                distance = torch.where(size <= middle, distance, (far * distance.sign()).long())
        return (distance + self.span).clamp(0, 2 * self.span - 1)


class Numbers(nn.Module):
    """MPNet's: one for each head and bucket."""

    def __init__(self, rows: int, heads: int) -> None:
        super().__init__()
        if rows < MPNET_BUCKETS:
            raise ValueError(f"config: relative_attention_num_buckets is {rows}, expected {MPNET_BUCKETS} or more")
        self.relative_attention_bias = nn.Embedding(rows, heads)

    def bias(self, layer: nn.Module, query: Tensor, key: Tensor) -> Tensor:
        return self.relative_attention_bias(mpnet_buckets(query.shape[2], query.device)).permute(2, 0, 1)

    terms = 1


class Vectors(nn.Module):
    """DeBERTa's: a row for each place, multiplied with every layer's queries and keys."""

    def __init__(self, config: dict[str, Any], size: int, eps: float) -> None:
        super().__init__()
        self.places = Places(config)
        self.terms = self.places.terms
        if self.places.relative:
            self.rel_embeddings = nn.Embedding(2 * self.places.span, size)
        if self.places.has_norm:
            self.LayerNorm = nn.LayerNorm(size, eps=eps)

    def bias(self, layer: nn.Module, query: Tensor, key: Tensor) -> Tensor:
        """query is scaled for the number of terms already; key must be here."""
        if not self.places.relative or self.terms == 1:
            return query.new_zeros(1)
        vectors = self.rel_embeddings.weight
        if self.places.has_norm:
            vectors = self.LayerNorm(vectors)
        batch, heads, length, size = query.shape
        chosen = self.places(length, query.device).expand(batch, heads, length, length)
        bias: Any = 0
        if self.places.of_queries:
            rows = self._in_heads(layer.place_projections()[1], vectors, heads)
            bias = (query @ rows.transpose(-1, -2)).gather(-1, chosen)
        if self.places.of_keys:
            rows = self._in_heads(layer.place_projections()[0], vectors, heads)
            of_keys = (key @ rows.transpose(-1, -2)).gather(-1, chosen.transpose(-1, -2)).transpose(-1, -2)
            bias = bias + of_keys * self.terms ** -0.5
        return bias * size ** -0.5

    @staticmethod
    def _in_heads(linear: nn.Linear, vectors: Tensor, heads: int) -> Tensor:
        return linear(vectors).view(len(vectors), heads, -1).transpose(0, 1)


def of(config: FamilyConfig) -> Optional[nn.Module]:
    """The distances that a family's layers share."""
    if config.family == "mpnet":
        return Numbers(config.raw.get("relative_attention_num_buckets", MPNET_BUCKETS), config.get("num_attention_heads"))
    if config.family == "deberta-v2":
        return Vectors(config.raw, config.get("hidden_size"), config.eps)
    return None
