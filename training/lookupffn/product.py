# SPDX-License-Identifier: Apache-2.0
"""The layer as matrix products in bfloat16: each token's scores are at the rows of its codes, all other places are 0.

With tables of few rows this trains faster than adding rows one by one, if the processor multiplies bfloat16. The hash values,
and so the codes, are those of float32.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn

from .projections import DenseProjection

_MOST_ROWS = 16
_HALF = torch.bfloat16


def can_run(projection: nn.Module, table_size: int, num_probes: int) -> bool:
    return table_size <= _MOST_ROWS and num_probes == 1 and isinstance(projection, DenseProjection)


class _Run(torch.autograd.Function):
    """x [n, d]; the hash's weight and bias by bit, then by table: [bits, tables, d], [bits, tables] -> y [n, out]."""

    @staticmethod
    def forward(context: Any, gelu: bool, x: Tensor, weight: Tensor, bias: Tensor, tables: Tensor) -> Tensor:
        count, (bits, num_tables, _), rows = len(x), weight.shape, tables.shape[1]
        z = torch.addmm(bias.flatten(), x, weight.flatten(0, 1).t()).view(count, bits, num_tables)
        places = (z[:, 0] > 0).long()
        for bit in range(1, bits):
            places = places * 2 + (z[:, bit] > 0)
        places += torch.arange(num_tables, device=x.device) * rows
        magnitude = z.abs()
        chances = torch.sigmoid(2 * magnitude)
        p = chances[:, 0]
        for bit in range(1, bits):
            p = p * chances[:, bit]
        score = p * magnitude.sum(1) if gelu else p
        chosen = x.new_zeros(count, num_tables * rows, dtype=_HALF).scatter_(1, places, score.to(_HALF))
        all_rows = tables.flatten(0, 1).to(_HALF)
        context.gelu = gelu
        context.save_for_backward(x, weight, all_rows, z, chances, p, places, chosen)
        return (chosen @ all_rows).float()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context: Any, grad_y: Tensor) -> tuple[Optional[Tensor], ...]:
        x, weight, all_rows, z, chances, p, places, chosen = context.saved_tensors
        grad = grad_y.to(_HALF)
        grad_tables = (chosen.t() @ grad).float().view(weight.shape[1], -1, grad.shape[1])
        grad_score = (grad @ all_rows.t()).gather(1, places).float()
        slope = 2 - 2 * chances
        if context.gelu:
            slope = slope * z.abs().sum(1, keepdim=True) + 1
        grad_z = (slope * (grad_score * p).unsqueeze(1) * z.sign()).flatten(1)
        half = grad_z.to(_HALF)
        grad_x = (half @ weight.flatten(0, 1).to(_HALF)).float()
        grad_weight = (half.t() @ x.to(_HALF)).float().view_as(weight)
        return None, grad_x, grad_weight, grad_z.sum(0).view(weight.shape[:2]), grad_tables


def run(u: Tensor, projection: DenseProjection, tables: Tensor, activation: str) -> Tensor:
    """u [n, d] -> the sum of the outputs of tables [tables, rows, out], [n, out]."""
    by_table = (len(tables), projection.out_features // len(tables))
    weight = projection.weight.view(*by_table, -1).transpose(0, 1).contiguous()
    bias = projection.bias.view(by_table).t().contiguous()
    return _Run.apply(activation == "gelu", u, weight, bias, tables)
