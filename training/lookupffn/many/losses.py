# SPDX-License-Identifier: Apache-2.0
"""What a student learns from its teacher's embeddings: the embeddings, their similarities, and how they rank others."""

from __future__ import annotations

import dataclasses
from typing import Optional, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F


@dataclasses.dataclass
class Weights:
    cosine: float = 10.0
    likeness: float = 20.0
    rank: float = 1.0  # of each temperature, within the batch
    bank: float = 1.0  # of each temperature, among the bank
    hidden: float = 1.0
    temperatures: Sequence[float] = (0.05, 0.02)


class Bank:
    """The teacher's embeddings of the last passages."""

    def __init__(self, size: int, width: int, device: torch.device) -> None:
        self.rows = torch.zeros(size, width, device=device)
        self.filled, self.place = 0, 0

    def add(self, rows: Tensor) -> None:
        rows = rows[: len(self.rows)]
        first = min(len(rows), len(self.rows) - self.place)
        self.rows[self.place : self.place + first] = rows[:first]
        self.rows[: len(rows) - first] = rows[first:]
        self.place = (self.place + len(rows)) % len(self.rows)
        self.filled = min(len(self.rows), self.filled + len(rows))

    def all(self) -> Optional[Tensor]:
        return self.rows[: self.filled] if self.filled else None


def rank_loss(mine: Tensor, wanted: Sequence[Tensor], temperatures: Sequence[float]) -> Tensor:
    """mine [queries, others]: similarities; wanted: for each temperature, the logarithms of the teacher's softmax. Returns
    the mean divergence over queries."""
    total = mine.new_zeros(())
    for temperature, logs in zip(temperatures, wanted):
        total = total + F.kl_div((mine / temperature).log_softmax(-1), logs, log_target=True, reduction="batchmean")
    return total


@dataclasses.dataclass
class Wanted:
    """The teacher's targets, the same for all students of a step."""

    embeddings: Tensor
    likeness: Tensor
    itself: Tensor
    of_bank: Optional[Tensor]
    bank: Optional[Tensor]
    logs: dict[tuple[str, float], Tensor] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, embeddings: Tensor, bank: Optional[Bank]) -> Wanted:
        rows = bank.all() if bank is not None else None
        itself = torch.eye(len(embeddings), dtype=torch.bool, device=embeddings.device)
        return cls(embeddings, embeddings @ embeddings.t(), itself, None if rows is None else embeddings @ rows.t(), rows)

    def of_rank(self, place: str, temperatures: Sequence[float]) -> list[Tensor]:
        for temperature in temperatures:
            if (place, temperature) not in self.logs:
                similar = self.of_bank if place == "bank" else self.likeness.masked_fill(self.itself, -1)
                self.logs[place, temperature] = (similar / temperature).log_softmax(-1)
        return [self.logs[place, temperature] for temperature in temperatures]


def embedding_loss(mine: Tensor, wanted: Wanted, weights: Weights) -> tuple[Tensor, Tensor, Tensor]:
    """mine, of length 1. -> the loss; the mean cosine; the ranking part."""
    cosine = (mine * wanted.embeddings).sum(-1).mean()
    loss = weights.cosine * (1 - cosine)
    likeness, count = mine @ mine.t(), len(mine)
    loss = loss + weights.likeness * (likeness - wanted.likeness).square().sum() / max(1, count * (count - 1))
    rank = mine.new_zeros(())
    if weights.rank and count > 2:
        rank = weights.rank * rank_loss(likeness.masked_fill(wanted.itself, -1), wanted.of_rank("batch", weights.temperatures),
                                        weights.temperatures)
    if wanted.bank is not None:
        of_bank = mine @ wanted.bank.t()
        loss = loss + weights.likeness * (of_bank - wanted.of_bank).square().mean()
        if weights.bank:
            rank = rank + weights.bank * rank_loss(of_bank, wanted.of_rank("bank", weights.temperatures), weights.temperatures)
    return loss + rank, cosine.detach(), rank.detach()


def hidden_loss(mine: Tensor, wanted: Tensor, kept: Tensor) -> Tensor:
    """Squared error over the variance; kept [tokens, 1]: 1 for tokens that count."""
    mine, wanted = mine.flatten(0, 1).float(), wanted.flatten(0, 1).float()
    mean = (wanted * kept).sum(0) / kept.sum()
    variance = ((wanted - mean).square() * kept).sum()
    return ((mine - wanted).square() * kept).sum() / variance.clamp(min=1e-6)
