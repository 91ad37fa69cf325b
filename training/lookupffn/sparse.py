# SPDX-License-Identifier: Apache-2.0
"""Learning with sparse gradients: a step touches few of many rows, and updates only these."""

from __future__ import annotations

from typing import Any, Iterable, Optional

import torch
from torch import Tensor, nn


def _step_rows(parameter: Tensor, group: dict[str, Any], state: dict[str, Any]) -> None:
    """Adam for the rows in the gradient; the others keep their values and their means."""
    grad = parameter.grad.coalesce()
    rows, values = grad.indices()[0], grad.values()
    if not state:
        state["step"] = torch.zeros(())
        state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
    state["step"] += 1
    (first, second), steps = group["betas"], float(state["step"])
    mean = state["exp_avg"][rows].lerp_(values, 1 - first)
    square = state["exp_avg_sq"][rows].mul_(second).addcmul_(values, values, value=1 - second)
    state["exp_avg"][rows], state["exp_avg_sq"][rows] = mean, square
    size = group["lr"] * (1 - second**steps) ** 0.5 / (1 - first**steps)
    parameter.index_add_(0, rows, mean.div_(square.sqrt_().add_(group["eps"])), alpha=-size)


def with_rows(kind: type[torch.optim.AdamW]) -> type[torch.optim.AdamW]:
    """AdamW that takes sparse gradients, too. Rows do not decay: a step would have to touch all of them."""

    class Adam(kind):  # type: ignore[misc, valid-type]
        @torch.no_grad()
        def step(self, closure: Optional[Any] = None) -> Any:
            sparse = []
            for group in self.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None and parameter.grad.is_sparse:
                        _step_rows(parameter, group, self.state[parameter])
                        sparse.append((parameter, parameter.grad))
                        parameter.grad = None  # out of the way of the dense steps
            loss = super().step(closure)
            for parameter, grad in sparse:
                parameter.grad = grad
            return loss

    return Adam


@torch.no_grad()
def clip(parameters: Iterable[nn.Parameter], longest: float) -> Tensor:
    """Limits the length of all gradients together; -> their length before. They may be sparse."""
    learning = [parameter for parameter in parameters if parameter.grad is not None]
    for parameter in learning:
        if parameter.grad.is_sparse:  # rows that came several times are one from here on
            parameter.grad = parameter.grad.coalesce()
    values = [p.grad._values() if p.grad.is_sparse else p.grad for p in learning]
    if not values:
        return torch.zeros(())
    length = torch.stack([value.norm() for value in values]).norm()
    scale = (longest / (length + 1e-6)).clamp(max=1.0)
    for value in values:
        value.mul_(scale)
    return length
