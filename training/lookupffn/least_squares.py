# SPDX-License-Identifier: Apache-2.0
"""Weighted least squares of many tokens in little memory, alternating with a row for each word."""

from __future__ import annotations

from typing import Optional, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

_RIDGE, _PRIOR_RIDGE = 1e-4, 3e-3  # of the mean square of a feature
_CHUNK = 4096


def with_ones(x: Tensor) -> Tensor:
    return torch.cat([x, x.new_ones(len(x), 1)], 1)


def _held(square: Tensor, share: float) -> Tensor:
    """Regularises the matrix a little, so that it can be inverted."""
    return square + torch.eye(len(square), dtype=square.dtype) * (share * square.diagonal().mean().clamp(min=1e-30))


class Sums:
    """The sums over tokens that least squares of outputs by features, and a one, need; and the sums for each row, if rows are
    asked for."""

    def __init__(self, features: int, outputs: int, rows: int = 0) -> None:
        size = features + 1
        self.square = torch.zeros(size, size, dtype=torch.double)
        self.cross = torch.zeros(size, outputs, dtype=torch.double)
        self.squares = 0.0  # of the outputs
        self.of_rows = torch.zeros(rows, size + outputs) if rows else None

    def add(self, features: Tensor, wanted: Tensor, weights: Tensor, rows: Optional[Tensor] = None) -> None:
        features = with_ones(features)
        weighted = features * weights[:, None]
        self.square += (weighted.t() @ features).double()
        self.cross += (weighted.t() @ wanted).double()
        self.squares += float((wanted.square().sum(1).double() * weights.double()).sum())
        if self.of_rows is not None:
            self.of_rows.index_add_(0, rows, torch.cat([weighted, wanted * weights[:, None]], 1))

    def solve(self, chosen: Optional[Tensor] = None) -> Tensor:
        """-> [features and one, outputs]; chosen: which features, all unless given."""
        places = torch.arange(len(self.square)) if chosen is None else self._places(chosen)
        square = _held(self.square[places][:, places], _RIDGE)
        return torch.cholesky_solve(self.cross[places], torch.linalg.cholesky(square))

    def explained(self, chosen: Tensor) -> float:
        """How much these features reduce the squared error."""
        return float((self.solve(chosen) * self.cross[self._places(chosen)]).sum())

    def part(self, chosen: Tensor) -> Sums:
        """The sums for only these features."""
        found = object.__new__(Sums)
        places, size = self._places(chosen), len(self.square)
        found.square, found.cross, found.squares = self.square[places][:, places], self.cross[places], self.squares
        found.of_rows = None
        if self.of_rows is not None:
            found.of_rows = torch.cat([self.of_rows[:, places], self.of_rows[:, size:]], 1)
        return found

    def error(self, weights: Tensor, chosen: Tensor, rows: Optional[Tensor] = None) -> float:
        """Squared error of such weights, and rows added, over the variance of the outputs."""
        places, size = self._places(chosen), len(self.square)
        weights = weights.double()
        error = self.squares - 2 * float((weights * self.cross[places]).sum())
        error += float((weights * (self.square[places][:, places] @ weights)).sum())
        if rows is not None:
            seen = (self.of_rows[:, size - 1] > 0).nonzero().flatten()
            known, added = self.of_rows[seen], rows[seen]
            left = known[:, size:] - known[:, places] @ weights.float()
            error += float((known[:, size - 1, None] * added.square() - 2 * added * left).sum(dtype=torch.double))
        mean = self.cross[-1].square().sum() / self.square[-1, -1].clamp(min=1e-30)
        return error / max(self.squares - float(mean), 1e-30)

    def _places(self, chosen: Tensor) -> Tensor:
        return torch.cat([chosen, chosen.new_tensor([len(self.square) - 1])])


def heads_by_use(sums: Sums, heads: int, size: int) -> list[int]:
    """The heads, those to keep first, by backward elimination: each step drops the head whose loss costs least. Features are
    the heads' values side by side."""

    def places(kept: Sequence[int]) -> Tensor:
        return (torch.tensor(kept, dtype=torch.long)[:, None] * size + torch.arange(size)).flatten()

    kept, gone = list(range(heads)), []
    while kept:
        _, head = max((sums.explained(places([other for other in kept if other != head])), -head) for head in kept)
        kept.remove(-head)
        gone.append(-head)
    return gone[::-1]


def best_heads(sums: Sums, heads: int, size: int, count: int) -> list[int]:
    return sorted(heads_by_use(sums, heads, size)[:count])


class RowPrior:
    """The expected value of a row: a function of its words' vector, by least squares of the vector and random gelu features."""

    def __init__(self, vectors: Tensor, seed: int = 1) -> None:
        size = vectors.shape[1]
        self.vectors = (vectors - vectors.mean(0)) / vectors.std().clamp(min=1e-12)
        draw = torch.Generator().manual_seed(seed)
        self.mix = torch.randn(size, 4 * size, generator=draw) * size**-0.5

    def _features(self, rows: Tensor) -> Tensor:
        x = self.vectors[rows]
        return torch.cat([x, F.gelu(x @ self.mix)], 1)

    def prepare(self, seen: Tensor, counts: Tensor) -> None:
        """seen: the known rows; counts: their weights."""
        self.seen = seen
        size = 5 * self.vectors.shape[1]
        square = torch.zeros(size, size, dtype=torch.double)
        for rows, weights in zip(seen.split(_CHUNK), counts.split(_CHUNK)):
            x = self._features(rows)
            square += ((x * weights[:, None]).t() @ x).double()
        self.root = torch.linalg.cholesky(_held(square, _PRIOR_RIDGE))

    def learn(self, left: Tensor) -> None:
        """left: the weighted sums of the targets of each known row."""
        pairs = zip(self.seen.split(_CHUNK), left.split(_CHUNK))
        cross = sum((self._features(rows).t() @ part).double() for rows, part in pairs)
        self.weights = torch.cholesky_solve(cross, self.root).float()

    def likely(self, rows: Tensor) -> Tensor:
        return torch.cat([self._features(part) @ self.weights for part in rows.split(_CHUNK)])


def by_turns(sums: Sums, prior: RowPrior, turns: int = 3, shrink: float = 8.0) -> tuple[Tensor, Tensor]:
    """-> [features and one, outputs], rows: each row's mean residual, shrunk towards its prior."""
    size = len(sums.square)
    seen = (sums.of_rows[:, size - 1] > 0).nonzero().flatten()
    known = sums.of_rows[seen]
    features, wanted, counts = known[:, :size], known[:, size:], known[:, size - 1]
    root = torch.linalg.cholesky(_held(sums.square, _RIDGE))
    prior.prepare(seen, counts)
    rows = torch.zeros_like(wanted)
    for _ in range(turns):
        weights = torch.cholesky_solve(sums.cross - (features.t() @ rows).double(), root).float()
        left = wanted - features @ weights
        prior.learn(left)
        likely = prior.likely(seen)
        rows = likely + (left - counts[:, None] * likely) / (counts + shrink)[:, None]
    all_rows = prior.likely(torch.arange(len(sums.of_rows)))
    all_rows[seen] = rows
    return weights, all_rows
