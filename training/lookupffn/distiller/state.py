# SPDX-License-Identifier: Apache-2.0
"""A run's state in one portable file: the trainable weights and the optimiser's state.

Numbers are stored in as many bits as the size allows. Training continues with the stored numbers, so that a resumed run does
what it would have done.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import numpy as np
import torch
from torch import Tensor, nn

from .. import safetensors

_BLOCK = 256
Level = tuple[int, int, int]
# Bytes of a weight, of Adam's first and second moments; the first that fits is taken.
LEVELS: tuple[Level, ...] = ((4, 4, 4), (4, 1, 1), (3, 1, 1), (2, 1, 1), (2, 0, 1), (2, 0, 0))


def describe(level: Level) -> str:
    """Describes what the state keeps of a run."""
    kept = {4: "whole", 1: "in 8 bits", 0: "left out"}
    weight, first, second = level
    return f"weights in {8 * weight} bits, Adam's means {kept[first]}, its squares {kept[second]}"


def note_text(note: dict[str, Any], steps: int) -> str:
    return json.dumps({**note, "optimizer_steps": steps})


def _blocks(values: np.ndarray) -> np.ndarray:
    return np.pad(values.ravel(), (0, -values.size % _BLOCK)).reshape(-1, _BLOCK)


def _pack_float(values: np.ndarray, size: int) -> dict[str, np.ndarray]:
    values = np.ascontiguousarray(values, np.float32).ravel()
    if size == 4:
        return {"": values}
    if size == 3:  # the upper 24 bits, rounded
        bits = values.view(np.uint32).astype(np.uint64)
        bits = np.minimum(bits + 0x80, (bits & 0x80000000) | 0x7F7FFFFF).astype("<u4")
        return {"": np.ascontiguousarray(bits.view(np.uint8).reshape(-1, 4)[:, 1:])}
    largest = max(float(np.abs(values).max(initial=0)), 1e-30)
    return {"": (values / largest).astype(np.float16), ".scale": np.array([largest], np.float32)}


def _unpack_float(parts: dict[str, np.ndarray]) -> np.ndarray:
    data = parts[""]
    if data.dtype == np.float32:
        return data
    if data.dtype == np.uint8:
        return np.pad(data, ((0, 0), (1, 0))).view("<u4").ravel().view(np.float32)
    return data.astype(np.float32) * parts[".scale"][0]


def _pack_first(values: np.ndarray) -> dict[str, np.ndarray]:
    """In steps of a 127th of the largest of each block."""
    blocks = _blocks(values)
    scale = np.abs(blocks).max(1, keepdims=True) / 127
    steps = np.divide(blocks, scale, out=np.zeros_like(blocks), where=scale > 0)
    return {"": np.rint(steps).astype(np.int8), ".scale": scale.astype(np.float32)}


def _unpack_first(parts: dict[str, np.ndarray]) -> np.ndarray:
    return (parts[""].astype(np.float32) * parts[".scale"]).ravel()


def _pack_second(values: np.ndarray) -> dict[str, np.ndarray]:
    """Squares span many magnitudes: eighths of an octave below the largest of each block, never too small, for the
    optimiser divides by their roots."""
    blocks = _blocks(values)
    largest = blocks.max(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        octaves = np.floor(-8 * np.log2(blocks / largest))
    octaves = np.where(blocks > 0, np.clip(octaves, 0, 254), 255)
    return {"": octaves.astype(np.uint8), ".scale": largest.astype(np.float32)}


def _unpack_second(parts: dict[str, np.ndarray]) -> np.ndarray:
    codes = parts[""].astype(np.float32)
    return np.where(codes < 255, parts[".scale"] * np.exp2(-codes / 8), 0).astype(np.float32).ravel()


def _with_name(name: str, parts: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name + suffix: value for suffix, value in parts.items()}


def _named(name: str, tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {suffix: tensors[name + suffix] for suffix in ("", ".scale") if name + suffix in tensors}


def step_device(parameter: Tensor, group: dict[str, Any]) -> torch.device:
    """The device on which AdamW expects its step counts; fused kernels read them beside the parameter."""
    return parameter.device if group.get("fused") or group.get("capturable") else torch.device("cpu")


class State:
    """`model` is the student; its trainable parameters are stored, the others are the teacher's."""

    def __init__(self, path: Path, model: nn.Module, megabytes: float = 60, averaged: bool = False) -> None:
        self.path, self.model, self.megabytes, self.averaged = path, model, megabytes, averaged
        self.average: dict[str, Tensor] = {}

    def bytes_of(self, level: Level, note_bytes: int) -> int:
        """The most bytes of the file."""
        total = note_bytes + 1024
        for name, parameter in self.model.named_parameters():
            if parameter.requires_grad:
                numbers = parameter.numel()
                in_blocks = -(-numbers // _BLOCK) * (_BLOCK + 4)
                total += level[0] * numbers * (2 if self.averaged else 1) + sum({0: 0, 1: in_blocks, 4: 4 * numbers}[size] for size in level[1:])
                total += 6 * (len(name) + 130)  # the header's entries
        return total

    def level(self, note_bytes: int) -> Level:
        """The first that fits. note_bytes: of the note as write() stores it."""
        for level in LEVELS:
            if self.bytes_of(level, note_bytes) <= self.megabytes * 1e6:
                return level
        fewest, best = (self.bytes_of(level, note_bytes) / 1e6 for level in (LEVELS[-1], LEVELS[0]))
        raise ValueError(f"--state-megabytes {self.megabytes:g} is too small for what learns: it takes {fewest + 0.05:.1f} "
                         f"in 16 bits without Adam's memory, {best + 0.05:.1f} as it is")

    def pack(self, optimizer: torch.optim.Optimizer, level: Level) -> dict[str, np.ndarray]:
        weight, first, second = level
        tensors: dict[str, np.ndarray] = {}
        for name, parameter in self.model.named_parameters():
            if not parameter.requires_grad:
                continue
            tensors.update(_with_name(f"weight.{name}", _pack_float(parameter.detach().cpu().numpy(), weight)))
            if name in self.average:
                tensors.update(_with_name(f"average.{name}", _pack_float(self.average[name].cpu().numpy(), weight)))
            known = optimizer.state.get(parameter, {})
            moments: tuple[tuple[str, int, Callable[[np.ndarray], dict[str, np.ndarray]]], ...] = (
                ("exp_avg", first, _pack_first), ("exp_avg_sq", second, _pack_second))
            for key, size, pack in moments:
                if key in known and size:
                    value = known[key].detach().cpu().numpy()
                    tensors.update(_with_name(f"{key}.{name}", _pack_float(value, 4) if size == 4 else pack(value)))
        return tensors

    @torch.no_grad()
    def unpack(self, tensors: dict[str, np.ndarray], optimizer: torch.optim.Optimizer, steps: int) -> None:
        """steps: how many the optimiser has made."""
        group_of = {id(parameter): group for group in optimizer.param_groups for parameter in group["params"]}

        def shaped(values: np.ndarray, like: Tensor) -> Tensor:
            return torch.from_numpy(np.array(values[: like.numel()], np.float32)).view(like.shape).to(like.device)

        for name, parameter in self.model.named_parameters():
            if not parameter.requires_grad:
                continue
            stored = _named(f"weight.{name}", tensors)
            if not stored:
                raise ValueError(f"{self.path}: weight.{name} is missing")
            parameter.copy_(shaped(_unpack_float(stored), parameter))
            mean = _named(f"average.{name}", tensors)
            if mean and name in self.average:
                self.average[name].copy_(shaped(_unpack_float(mean), parameter))
            squares = _named(f"exp_avg_sq.{name}", tensors)
            if not squares:
                optimizer.state.pop(parameter, None)
                continue
            means = _named(f"exp_avg.{name}", tensors)
            # Whatever level they were written at, which may be another than today's.
            first = _unpack_first if ".scale" in means else _unpack_float
            second = _unpack_second if ".scale" in squares else _unpack_float
            optimizer.state[parameter] = {
                "step": torch.tensor(float(steps), device=step_device(parameter, group_of.get(id(parameter), {}))),
                "exp_avg": shaped(first(means), parameter) if means else torch.zeros_like(parameter),
                "exp_avg_sq": shaped(second(squares), parameter)}

    def write(self, optimizer: torch.optim.Optimizer, note: dict[str, Any], steps: int, to_disk: bool = True,
              note_bytes: int = 0) -> None:
        """`note` says where the run stands. Training continues with the rounded numbers. note_bytes: the least room to keep for
        the note, the same in all processes, because all must round alike."""
        text = note_text(note, steps)
        tensors = self.pack(optimizer, self.level(note_bytes or len(json.dumps(text))))
        if to_disk:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            safetensors.save(self.path, tensors, {"note": text})
        self.unpack(tensors, optimizer, steps)

    def note(self) -> dict[str, Any]:
        return json.loads(safetensors.load(self.path)[1]["note"])

    def read(self, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
        tensors, metadata = safetensors.load(self.path)
        note = json.loads(metadata["note"])
        self.unpack(tensors, optimizer, note["optimizer_steps"])
        return note
