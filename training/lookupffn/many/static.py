# SPDX-License-Identifier: Apache-2.0
"""Static vectors: one per token of the vocabulary; their mean is a text's embedding in the teacher's own space."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from .encoder import Packed, mask_bias

_FREQUENT = 1e-4  # a token this frequent counts half


@torch.no_grad()
def first_rows(teacher: Packed, counts: np.ndarray, begin: int, end: int, texts: int = 4096) -> Tensor:
    """The teacher's embeddings of single tokens, less their mean, shorter for frequent tokens. The principal directions that
    distinguish tokens keep their length; the first few, which hold a token's frequency, are dropped."""
    size, device = len(counts), teacher.device
    rows = []
    for first in range(0, size, texts):
        ids = torch.arange(first, min(size, first + texts), device=device)
        packed = torch.stack([torch.full_like(ids, begin), ids, torch.full_like(ids, end)], 1)
        pieces = torch.arange(len(ids), device=device)[:, None].expand(-1, 3)
        places = torch.arange(3, device=device).expand(len(ids), -1)
        last = teacher.eager_hidden(packed, places, mask_bias(pieces, teacher.precision))
        rows.append(teacher.pool(last, pieces, len(ids), torch.arange(len(ids), device=device) * 3))
    found = torch.cat(rows)
    share = torch.as_tensor(counts, device=device, dtype=torch.float32)
    found = found - (found * share[:, None]).sum(0)
    weights = _FREQUENT / (_FREQUENT + share)
    found = found * weights[:, None]
    found[[begin, end]] = 0
    return found


class Static:
    """The same interface as Packed, for the run."""

    wanted: Sequence[int] = ()

    def __init__(self, rows: Tensor, apart: Sequence[int], device: torch.device) -> None:
        """apart: tokens to ignore."""
        self.whole_rows = rows.to(device).float().clone()
        self.short_rows = self.whole_rows.clone().requires_grad_(True)
        self.counts = torch.ones(len(rows), 1, device=device)
        self.counts[list(apart)] = 0
        self.pairs: dict[str, list[tuple[Tensor, Tensor]]] = {"rest": [], "words": [], "rows": [(self.whole_rows, self.short_rows)]}

    @torch.no_grad()
    def refresh(self, rounded: bool, word_bits: int = 8) -> None:
        self.short_rows.copy_(self.whole_rows)

    def hidden(self, ids: Tensor, places: Tensor, bias: Tensor) -> list[Tensor]:
        return [F.embedding(ids, self.short_rows) * self.counts[ids]]

    def pool(self, hidden: Tensor, pieces: Tensor, count: int, first: Tensor) -> Tensor:
        sums = torch.zeros(count + 1, hidden.shape[-1], device=hidden.device)
        sums = sums.index_add(0, torch.where(pieces < 0, count, pieces).flatten(), hidden.flatten(0, 1))
        return F.normalize(sums[:count], dim=-1, eps=1e-6)

    def whole(self) -> dict[str, Tensor]:
        return {"embeddings": self.whole_rows.detach().clone()}

    def file_config(self) -> dict[str, Any]:
        return {"model_type": "static", "hidden_size": self.whole_rows.shape[1]}
