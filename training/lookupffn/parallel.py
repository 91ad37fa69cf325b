# SPDX-License-Identifier: Apache-2.0
"""Training with several processes, as torchrun starts them: each takes its share of every step's batches.

On CPUs the gradients travel by gloo, on GPUs by NCCL.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any, ContextManager

import torch
from torch import distributed, nn


class Processes:
    """This process among those of a run; the only one unless torchrun's variables say otherwise."""

    def __init__(self, device: str = "cpu") -> None:
        self.count = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        self._started = False
        try:
            self.device = torch.device(device)
            if self.device.type == "cuda":
                self.device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", self.device.index or 0)))
                torch.cuda.set_device(self.device)
        except (RuntimeError, AssertionError) as error:  # The latter from a PyTorch without CUDA.
            raise ValueError(f"device {device}: {error}") from error
        if self.count > 1 and not distributed.is_initialized():
            distributed.init_process_group("nccl" if self.device.type == "cuda" else "gloo")
            self._started = True

    @property
    def first(self) -> bool:
        """Whether this is the process that writes files and shows progress."""
        return self.rank == 0

    def wrap(self, model: nn.Module) -> nn.Module:
        """Wraps the model so that gradients become means over all processes. Training must call the result."""
        if self.count == 1:
            return model
        devices = [self.device.index] if self.device.type == "cuda" else None
        return nn.parallel.DistributedDataParallel(model, device_ids=devices, find_unused_parameters=True)

    def without_exchange(self, wrapped: nn.Module) -> ContextManager[Any]:
        """For all backward passes of a step except the last one."""
        return wrapped.no_sync() if self.count > 1 else contextlib.nullcontext()

    def mean(self, value: torch.Tensor) -> torch.Tensor:
        if self.count == 1:
            return value
        value = value.detach().clone()
        distributed.all_reduce(value)
        return value / self.count

    def mean_rows(self, grad: torch.Tensor) -> torch.Tensor:
        """The mean of sparse gradients; only rows that some process has are sent."""
        grad = grad.coalesce()
        rows, values = grad.indices()[0], grad.values()
        counts = [torch.zeros(1, dtype=torch.long, device=rows.device) for _ in range(self.count)]
        distributed.all_gather(counts, torch.tensor([len(rows)], device=rows.device))
        most = max(int(count) for count in counts)
        gathered = []
        for part in (rows, values):
            padded = part.new_zeros(most, *part.shape[1:])
            padded[: len(part)] = part
            parts = [torch.empty_like(padded) for _ in range(self.count)]
            distributed.all_gather(parts, padded)
            gathered.append(torch.cat([other[: int(count)] for other, count in zip(parts, counts)]))
        return torch.sparse_coo_tensor(gathered[0][None], gathered[1] / self.count, grad.shape).coalesce()

    def wait(self) -> None:
        if self.count > 1:
            distributed.barrier()

    def batch_numbers(self, step: int, accumulate: int) -> list[int]:
        """This process's batches of a step. A step of P processes with A batches each takes those that one process with
        P * A batches takes."""
        first = step * accumulate * self.count
        return [first + part * self.count + self.rank for part in range(accumulate)]

    def close(self) -> None:
        """The result of wrap() must be gone by now. If it were the last to release the group, it would wait for the group's
        threads while holding Python's lock, which they may need to free a tensor: a deadlock (PyTorch 1.13)."""
        if self._started:
            distributed.destroy_process_group()
