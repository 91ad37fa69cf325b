# SPDX-License-Identifier: Apache-2.0
"""The learning rate of each parameter."""

from __future__ import annotations

from typing import Any, Iterable

import torch
from torch import nn

from . import features
from .projections import BlockHadamard

# The factors of a BH projection are small, since the Hadamard transforms between them are not normalised, and multiply
# each other: at the rate of the other weights the hash values soon drown everything.
_CAREFUL_SCALE = 0.1


def parameter_groups(model: nn.Module, weight_decay: float = 0.0,
                     also_careful: Iterable[nn.Parameter] = ()) -> list[dict[str, Any]]:
    """Groups for an optimiser, each with a `scale` that multiplies its rate; vectors do not decay."""
    careful = {id(module.weight) for module in model.modules() if isinstance(module, BlockHadamard)}
    careful.update(map(id, also_careful))
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for parameter in model.parameters():
        if parameter.requires_grad:
            key = (_CAREFUL_SCALE if id(parameter) in careful else 1.0,
                   weight_decay if parameter.dim() > 1 else 0.0)
            groups.setdefault(key, []).append(parameter)
    return [{"params": parameters, "scale": scale, "weight_decay": decay}
            for (scale, decay), parameters in sorted(groups.items(), key=lambda item: item[0])]


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate * group["scale"]


def make_optimizer(model: nn.Module, weight_decay: float = 0.0,
                   also_careful: Iterable[nn.Parameter] = ()) -> torch.optim.Optimizer:
    """Adam with decoupled weight decay. Set the rate before each step."""
    return features.adamw(parameter_groups(model, weight_decay, also_careful), lr=0.0, betas=(0.9, 0.98), eps=1e-6)
