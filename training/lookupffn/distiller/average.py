# SPDX-License-Identifier: Apache-2.0
"""The mean of the weights over the last steps; older steps weigh less."""

from __future__ import annotations

import contextlib
from typing import Iterator

import torch
from torch import Tensor, nn

_EVERY = 8  # steps; taking rows by word in costs time


class Average:
    """decay: the weight of a step relative to the next one."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.parameters = {name: p for name, p in model.named_parameters() if p.requires_grad}
        self.values = {name: p.detach().clone() for name, p in self.parameters.items()}

    @torch.no_grad()
    def add(self, steps: int) -> None:
        """steps: how many have been made. The first ones are forgotten sooner."""
        if steps % _EVERY:
            return
        kept = min(self.decay**_EVERY, steps / (steps + 9 * _EVERY))
        for name, parameter in self.parameters.items():
            self.values[name].lerp_(parameter.detach(), 1 - kept)

    @torch.no_grad()
    def exchange(self) -> None:
        """Gives the model the mean and keeps its own weights here."""
        for name, parameter in self.parameters.items():
            had = parameter.detach().clone()
            parameter.copy_(self.values[name])
            self.values[name].copy_(had)

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        self.exchange()
        try:
            yield
        finally:
            self.exchange()

    @torch.no_grad()
    def begin_again(self) -> None:
        """Restarts the mean from the model's weights."""
        for name, parameter in self.parameters.items():
            parameter.copy_(self.values[name])

    def named(self) -> dict[str, Tensor]:
        return self.values
