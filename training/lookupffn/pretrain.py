# SPDX-License-Identifier: Apache-2.0
"""Masked-language-model pretraining: Adam, warm-up, linear decay; resumes where it was stopped."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import math
import os
import pickle
from pathlib import Path
from typing import Any, Optional, Union

import torch

from . import features, safetensors
from .config import EncoderConfig
from .data import IGNORED, MaskedBatches
from .encoder import Encoder
from .initial import initialise
from .optimiser import make_optimizer, set_rate
from .parallel import Processes
from .progress import Progress


@dataclasses.dataclass
class Schedule:
    steps: int
    learning_rate: float = 1e-3
    warm_up: int = 100
    weight_decay: float = 0.01
    clip: float = 1.0
    seed: int = 0
    evaluate_every: int = 250
    save_every: int = 250
    accumulate: int = 1  # batches of each process in a step

    def __post_init__(self) -> None:
        for name in ("accumulate", "evaluate_every", "save_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, expected 1 or more")

    def rate(self, step: int) -> float:
        """The learning rate of a step counted from 0."""
        if step < self.warm_up:
            return self.learning_rate * (step + 1) / self.warm_up
        return self.learning_rate * max(0.0, (self.steps - step) / max(1, self.steps - self.warm_up))


@torch.no_grad()
def log_perplexity(model: Encoder, batches: MaskedBatches, count: int) -> float:
    """The mean cross-entropy, in nats, over all masked tokens of the first batches."""
    was_training = model.training
    model.eval()
    total = tokens = 0.0
    for number in range(count):
        ids, labels = batches.get(number)
        wanted = int((labels != IGNORED).sum())
        total += float(model.masked_lm_loss(ids.to(model.device), labels.to(model.device))) * wanted
        tokens += wanted
    model.train(was_training)
    if tokens == 0:
        raise ValueError("no token of the text to measure on is masked; take more batches")
    return total / tokens


def _write_checkpoint(path: Path, state: dict[str, Any]) -> None:
    buffer = io.BytesIO()
    torch.save(state, buffer)
    safetensors.write_atomically(path, buffer.getvalue())


def _keep_log_before(path: Path, step: int) -> None:
    """Drops log entries after the checkpoint from which training resumes."""
    if not path.exists():
        return
    lines = [line for line in path.read_text().splitlines() if line.endswith("}") and json.loads(line)["step"] <= step]
    safetensors.write_atomically(path, "".join(line + "\n" for line in lines).encode())


def read_checkpoint(path: Path, device: Union[str, torch.device]) -> dict[str, Any]:
    try:
        state = torch.load(path, map_location=device)
    except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise ValueError(f"{path}: no checkpoint that can be read: {error}") from error
    if not isinstance(state, dict) or not {"config", "model", "optimizer", "step"} <= set(state):
        raise ValueError(f"{path}: no checkpoint of a run")
    return state


class _Run:
    """A model and its optimiser, in one of the run's processes."""

    def __init__(self, config: EncoderConfig, schedule: Schedule, batches: MaskedBatches, processes: Processes,
                 precision: str, compiled: bool) -> None:
        torch.manual_seed(schedule.seed)
        self.schedule, self.batches, self.processes, self.precision = schedule, batches, processes, precision
        self.model = Encoder(config)
        initialise(self.model, batches.token_counts())
        self.model.to(processes.device)
        self.optimizer = make_optimizer(self.model, schedule.weight_decay)
        self.scaler = features.GradScaler(precision)
        self.compiled, self.wrapped = compiled, processes.wrap(self.model)
        if compiled:
            self.wrapped = features.compiled(self.wrapped)

    def step(self, number: int) -> float:
        """-> the mean loss of all processes."""
        set_rate(self.optimizer, self.schedule.rate(number))
        self.optimizer.zero_grad(set_to_none=True)
        numbers = self.processes.batch_numbers(number, self.schedule.accumulate)
        total = torch.zeros((), device=self.processes.device)
        # Random numbers, for dropout, depend on the step alone, so that a run that goes on draws the same ones.
        torch.manual_seed(self.schedule.seed * 1_000_003 + number * self.processes.count + self.processes.rank + 1)
        for place, batch in enumerate(numbers):
            ids, labels = (part.to(self.processes.device, non_blocking=True) for part in self.batches.get(batch))
            last = place + 1 == len(numbers)
            with contextlib.nullcontext() if last else self.processes.without_exchange(self.wrapped):
                with features.autocast(self.processes.device, self.precision):
                    loss = self.wrapped(ids, labels) / len(numbers)
                self.scaler.backward(loss)
            total += loss.detach()
        value = float(self.processes.mean(total))
        if not math.isfinite(value):
            raise ArithmeticError(f"the loss of step {number} is {value}; try a lower learning rate")
        self.scaler.step(self.optimizer, self.model.parameters(), self.schedule.clip)
        return value

    def identity(self) -> dict[str, Any]:
        """What must be equal in a checkpoint for the run to resume as if never stopped."""
        schedule = dataclasses.asdict(self.schedule)
        for free in ("evaluate_every", "save_every"):
            del schedule[free]
        return {"config": self.model.config.to_dict(), "schedule": schedule,
                "batches_per_step": self.schedule.accumulate * self.processes.count, "batch": self.batches.batch,
                "length": self.batches.length, "masked_share": self.batches.masked_share, "data_seed": self.batches.seed,
                "tokens": int(self.batches.bodies.size), "precision": self.precision,
                "compiled": self.compiled}

    def state(self, step: int) -> dict[str, Any]:
        return {**self.identity(), "step": step, "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(), "scaler": self.scaler.state_dict()}

    def take_up(self, path: Path) -> int:
        """-> the step that the checkpoint was written after."""
        state = read_checkpoint(path, self.processes.device)
        if state["config"] != self.model.config.to_dict():
            raise ValueError(f"{path} belongs to another model: {state['config']}")
        for key, value in self.identity().items():
            if key in state and state[key] != value:
                raise ValueError(f"{path} belongs to another run: its {key} is {state[key]}, not {value}")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scaler.load_state_dict(state.get("scaler", {}))
        return state["step"]


def train(folder: Union[str, Path], config: EncoderConfig, schedule: Schedule, batches: MaskedBatches,
          valid_batches: MaskedBatches, *, device: str = "cpu", precision: str = "float32", compiled: bool = False,
          evaluation_batches: int = 16, stop_after: Optional[int] = None) -> Encoder:
    """Trains an encoder; `folder` receives checkpoint.pt and log.jsonl, and a stopped run resumes from it.

    compiled: each step runs through torch.compile, LookupFFNs without liblookupffn. Under torchrun all processes call
    this. stop_after ends the run early, as a kill would.
    """
    longest = config.max_position_embeddings + 1 - config.pad_token_id
    if max(batches.length, valid_batches.length) > longest:
        raise ValueError(f"sequences of {max(batches.length, valid_batches.length)} tokens; the model has places for {longest}")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    processes = Processes(device)
    run: Optional[_Run] = None
    try:
        run = _Run(config, schedule, batches, processes, precision, compiled)
        return _train(folder, run, valid_batches, evaluation_batches, stop_after)
    finally:
        if run is not None:
            del run.wrapped  # see Processes.close
        processes.close()


def _train(folder: Path, run: _Run, valid_batches: MaskedBatches, evaluation_batches: int,
           stop_after: Optional[int]) -> Encoder:
    schedule, processes = run.schedule, run.processes
    checkpoint, log = folder / "checkpoint.pt", folder / "log.jsonl"
    done = run.take_up(checkpoint) if checkpoint.exists() else 0
    processes.wait()
    if processes.first:
        _keep_log_before(log, done)
    progress = Progress(done, schedule.steps)
    with open(log if processes.first else os.devnull, "a", encoding="utf-8") as log_file:
        for step in range(done, schedule.steps):
            if step == stop_after:
                break
            loss = run.step(step)
            number = step + 1
            last = number == schedule.steps
            if not processes.first:
                continue
            entry: dict[str, Any] = {"step": number, "loss": round(loss, 6)}
            if number % schedule.evaluate_every == 0 or last:
                entry["valid_log_perplexity"] = round(log_perplexity(run.model, valid_batches, evaluation_batches), 6)
            log_file.write(json.dumps(entry) + "\n")
            if number % schedule.save_every == 0 or last:
                log_file.flush()
                os.fsync(log_file.fileno())
                _write_checkpoint(checkpoint, run.state(number))
            progress.show(number, f"log perplexity {loss:.3f}")
    return run.model
