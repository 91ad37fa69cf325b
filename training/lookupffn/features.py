# SPDX-License-Identifier: Apache-2.0
"""Features of newer PyTorch versions and other devices, looked up by name rather than by version.

Everything here except torch.compile, which must be requested, falls back to what PyTorch 1.13 does on a CPU.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from typing import Any, ContextManager

import torch
from torch import nn

from .sparse import clip, with_rows

PRECISIONS = {"float32": None, "bfloat16": torch.bfloat16, "float16": torch.float16}


def autocast(device: torch.device, precision: str) -> ContextManager[Any]:
    """Products in a shorter type, sums and everything delicate in float32."""
    if precision not in PRECISIONS:
        raise ValueError(f'precision is "{precision}", expected one of {", ".join(PRECISIONS)}')
    kind = PRECISIONS[precision]
    if kind is None:
        return contextlib.nullcontext()
    if device.type == "cpu" and kind == torch.float16:
        raise ValueError("CPUs compute in float32 or bfloat16")
    return torch.autocast(device.type, dtype=kind)


def without_autocast(device: torch.device) -> ContextManager[Any]:
    return torch.autocast(device.type, enabled=False) if device.type in ("cpu", "cuda") else contextlib.nullcontext()


def adamw(groups: list[dict[str, Any]], **options: Any) -> torch.optim.Optimizer:
    """AdamW, also for sparse gradients, with a whole step in one kernel if this PyTorch can do so on the parameters'
    device."""
    kind = with_rows(torch.optim.AdamW)
    if "fused" in inspect.signature(torch.optim.AdamW).parameters:
        try:
            # Copies, for a constructor that refuses may have written fused=True into the groups by then.
            return kind([dict(group) for group in groups], fused=True, **options)
        except RuntimeError:
            pass  # not for this device, or not for these types
    return kind([dict(group) for group in groups], **options)


def compiled(module: nn.Module) -> nn.Module:
    """The module through torch.compile. LookupFFN layers then run in plain PyTorch, because calls through ctypes cannot be
    traced."""
    if not hasattr(torch, "compile"):
        raise ValueError(f"PyTorch {torch.__version__} has no torch.compile; it needs 2.0 or newer")
    for part in module.modules():
        if hasattr(part, "use_native"):
            part.use_native = False
    return torch.compile(module)


class GradScaler:
    """Scales the loss of float16 runs, so that small gradients survive; nothing else needs it."""

    def __init__(self, precision: str) -> None:
        self.scaler = torch.cuda.amp.GradScaler() if precision == "float16" else None

    def backward(self, loss: torch.Tensor) -> None:
        (loss if self.scaler is None else self.scaler.scale(loss)).backward()

    def step(self, optimizer: torch.optim.Optimizer, parameters: Any, longest: float) -> None:
        """longest: the largest length of all gradients together; 0: no limit."""
        if self.scaler is not None:
            self.scaler.unscale_(optimizer)
        if longest > 0:
            clip(parameters, longest)
        if self.scaler is None:
            optimizer.step()
        else:
            self.scaler.step(optimizer)
            self.scaler.update()

    def state_dict(self) -> dict[str, Any]:
        return {} if self.scaler is None else self.scaler.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if self.scaler is not None and state:
            self.scaler.load_state_dict(state)


def set_threads(count: int) -> None:
    """For PyTorch and, unless OMP_NUM_THREADS says otherwise, for its thread of the backward pass."""
    if count > 0:
        os.environ.setdefault("OMP_NUM_THREADS", str(count))
        torch.set_num_threads(count)
