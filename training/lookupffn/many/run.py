# SPDX-License-Identifier: Apache-2.0
"""A timed run: students of one teacher learn together, each from the same pieces of text."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Sequence, Union

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from ..family_model import FamilyModel
from . import packs
from .draw import PASSAGE, Draw
from .encoder import Packed, mask_bias
from .losses import Bank, Wanted, Weights, embedding_loss, hidden_loss
from .static import Static, first_rows


@dataclasses.dataclass
class Options:
    seconds: float = 60.0
    rows: int = 256
    length: int = 256
    rate: float = 6e-4
    lookup_rate: float = 1e-3  # of tables and their hashes
    row_rate: float = 8e-4
    words_rate: float = 1e-4
    decay: float = 0.01  # of rows by word
    warm_up: int = 100  # steps
    fall: float = 0.7  # share of the time over which the rate falls, the last
    rounded: float = 0.15  # share of the time with rounded weights, the last
    last_rate: float = 0.01
    clip: float = 2.0
    bank: int = 4096
    seed: int = 0
    workers: int = 0
    compiled: bool = False
    say_every: float = 10.0
    save_every: float = 300.0  # seconds after which the state is kept, so that a killed run resumes there
    least_steps: int = 3
    most_steps: int = 0  # 0: the clock decides alone


@dataclasses.dataclass
class Student:
    """states: which of its layers' states learn which of the teacher's, and with what weight."""

    name: str
    model: Optional[FamilyModel]  # None: static vectors
    states: dict[int, tuple[int, float]]
    weights: Weights
    learns_words: bool = True
    rate: float = 1.0  # times the run's


class _Batches(IterableDataset):
    def __init__(self, make: Callable[[int], Draw], options: Options, first: int) -> None:
        self.make, self.options, self.first = make, options, first

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        info = get_worker_info()
        draw = self.make(self.options.seed * 1009 + 7919 * self.first + (info.id if info else 0))
        while True:
            batch = draw.batch(self.options.rows, self.options.length)
            first = np.flatnonzero((batch.places == 0) & (batch.pieces >= 0))
            order = np.argsort(batch.pieces.flatten()[first])
            yield {"ids": torch.from_numpy(batch.ids), "pieces": torch.from_numpy(batch.pieces),
                   "places": torch.from_numpy(batch.places), "kinds": torch.from_numpy(batch.kinds),
                   "first": torch.from_numpy(first[order]),
                   "passages": torch.from_numpy(np.flatnonzero(batch.kinds == PASSAGE))}


class Learner:
    """A student with its optimiser."""

    def __init__(self, student: Student, packed: Union[Packed, Static], options: Options, device: torch.device) -> None:
        self.student, self.options, self.packed = student, options, packed
        rates = {"rest": (options.rate, 0.0), "lookups": (options.lookup_rate, 0.0), "factors": (0.3 * options.lookup_rate, 0.0),
                 "words": (options.words_rate, 0.0), "rows": (options.row_rate, options.decay)}
        groups = [{"params": [whole for whole, _ in pairs], "lr": 0.0, "weight_decay": rates[name][1], "name": name}
                  for name, pairs in self.packed.pairs.items() if pairs]
        self.rates = [rates[group["name"]][0] * student.rate for group in groups]
        self.pairs = [pair for pairs in self.packed.pairs.values() for pair in pairs]
        for whole, _ in self.pairs:
            whole.grad = torch.zeros_like(whole)
        self.optimizer = torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98), eps=1e-10,
                                           **({"fused": True} if device.type == "cuda" else {}))
        self.said: dict[str, Any] = {}

    def loss(self, batch: dict[str, Tensor], bias: Tensor, kept: Tensor, count: int, wanted: Wanted, states: dict[int, Tensor],
             hidden_share: float) -> Tensor:
        last, *mine = self.packed.hidden(batch["ids"], batch["places"], bias)
        embeddings = self.packed.pool(last, batch["pieces"], count, batch["first"])
        loss, cosine, rank = embedding_loss(embeddings, wanted, self.student.weights)
        hidden = loss.new_zeros(())
        for layer, state in zip(self.packed.wanted, mine):
            theirs, weight = self.student.states[layer]
            hidden = hidden + weight * hidden_loss(state, states[theirs], kept)
        self.said = {"cosine": cosine, "rank": rank, "hidden": hidden.detach()}
        return loss + self.student.weights.hidden * hidden_share * hidden

    def step(self, share: float) -> None:
        shorts = [mine for _, mine in self.pairs]
        grads = [mine.grad if mine.grad is not None else torch.zeros_like(mine) for mine in shorts]
        for (whole, _), grad in zip(self.pairs, grads):
            whole.grad.copy_(grad)
        clipped = [whole for kind in ("rest", "lookups", "factors") for whole, _ in self.packed.pairs.get(kind, ())]
        if self.options.clip and clipped:
            nn.utils.clip_grad_norm_(clipped, self.options.clip)
        for group, rate in zip(self.optimizer.param_groups, self.rates):
            group["lr"] = rate * share
        self.optimizer.step()
        for mine in shorts:
            mine.grad = None


class Run:
    def __init__(self, teacher: FamilyModel, pooling: str, students: Sequence[Student], make: Callable[[int], Draw], out: Path,
                 options: Options, device: str = "cpu", precision: Optional[torch.dtype] = None,
                 state: Optional[Path] = None) -> None:
        """make: returns a draw for a seed. state: the file from which a stopped run resumes."""
        self.device, self.options, self.out, self.state = torch.device(device), options, Path(out), state
        self.precision = precision or (torch.bfloat16 if self.device.type == "cuda" else torch.float32)
        self.make = make
        layers = sorted({theirs for student in students for theirs, _ in student.states.values()})
        self.teacher = Packed(teacher, pooling, layers, self.device, self.precision, options.compiled)
        self.teacher.refresh(False)
        torch.manual_seed(options.seed)
        self.learners = [Learner(student, self._packed(student, pooling), options, self.device) for student in students]
        self.bank = Bank(options.bank, teacher.config.get("hidden_size"), self.device) if options.bank else None
        self.spent, self.steps, self.tokens = 0.0, 0, 0
        self.log: list[dict[str, Any]] = []
        self.out.mkdir(parents=True, exist_ok=True)
        if state is not None and state.exists():
            self._go_on()

    def _packed(self, student: Student, pooling: str) -> Union[Packed, Static]:
        if student.model is not None:
            return Packed(student.model, pooling, sorted(student.states), self.device, self.precision, self.options.compiled,
                          student.learns_words)
        draw = self.make(0)
        return Static(first_rows(self.teacher, draw.texts.counts, draw.begin, draw.end), (0, draw.begin, draw.end), self.device)

    @torch.no_grad()
    def _go_on(self) -> None:
        kept = torch.load(self.state, map_location=self.device, weights_only=True)
        names = [learner.student.name for learner in self.learners]
        if kept["names"] != names:
            raise ValueError(f"{self.state} belongs to a run with the students {', '.join(kept['names'])}, not {', '.join(names)}")
        self.spent, self.steps, self.tokens, self.log = json.loads(kept["note"])
        for learner, whole, moments in zip(self.learners, kept["whole"], kept["moments"]):
            for (mine, _), value, moment in zip(learner.pairs, whole, moments):
                mine.copy_(value)
                learner.optimizer.state[mine].update(moment)

    def save_state(self) -> None:
        if self.state is None:
            return
        part = self.state.with_suffix(".part")
        torch.save({"names": [learner.student.name for learner in self.learners], "note": json.dumps([self.spent, self.steps, self.tokens, self.log]),
                    "whole": [[whole for whole, _ in learner.pairs] for learner in self.learners],
                    "moments": [[dict(learner.optimizer.state[whole]) for whole, _ in learner.pairs] for learner in self.learners]},
                   part)
        part.replace(self.state)

    def share(self, done: float, step: int) -> float:
        """The share of the learning rate."""
        falling = min(1.0, (1 - done) / self.options.fall) if self.options.fall else 1.0
        return min(1.0, (step + 1) / max(1, self.options.warm_up)) * max(self.options.last_rate, falling)

    def go(self, stop_after: Optional[float] = None) -> bool:
        """-> whether the run is at its end. stop_after: seconds of this call."""
        options, device = self.options, self.device
        loader = DataLoader(_Batches(self.make, options, self.steps), batch_size=None, num_workers=options.workers,
                            pin_memory=device.type == "cuda", **({"prefetch_factor": 6} if options.workers else {}))
        started, before, said, saved = None, self.spent, time.monotonic(), time.monotonic()
        for batch in loader:
            if started is None:
                started = said = saved = time.monotonic()
            done = self.spent / options.seconds
            if options.most_steps:
                done = max(done, self.steps / options.most_steps)
            if done >= 1 and self.steps >= options.least_steps:
                break
            batch = {name: value.to(device, non_blocking=True).long() for name, value in batch.items()}
            self._step(batch, min(done, 1.0))
            if self.steps == 1 and before == 0:  # what compiling takes is not the run's time
                self._wait()
                started = time.monotonic()
            self.spent = before + time.monotonic() - started
            if stop_after is not None and self.spent - before >= stop_after:
                self.save_state()
                return False
            if time.monotonic() - said >= options.say_every or self.steps in (1, 20):
                self._say(done)
                said = time.monotonic()
            if time.monotonic() - saved >= options.save_every:
                self.save_state()
                saved = time.monotonic()
        self._say(1.0)
        self.write()
        self.save_state()
        return True

    def _wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def _say(self, done: float) -> None:
        self._wait()
        entry: dict[str, Any] = {"step": self.steps, "seconds": round(self.spent, 1), "tokens": self.tokens, "done": round(done, 3)}
        for learner in list(self.learners):
            values = {name: round(float(value), 4) for name, value in learner.said.items()}
            if not all(map(math.isfinite, values.values())):
                print(f"{learner.student.name}: {values} at step {self.steps}, which ends it; try a lower rate", flush=True)
                self.learners.remove(learner)
                continue
            entry[learner.student.name] = values
        if not self.learners:
            raise ArithmeticError("no student is left whose loss is finite")
        self.log.append(entry)
        print(json.dumps(entry), flush=True)

    def _step(self, batch: dict[str, Tensor], done: float) -> None:
        options, count = self.options, len(batch["kinds"])
        bias = mask_bias(batch["pieces"], self.precision)
        kept = (batch["pieces"] >= 0).flatten().unsqueeze(1).float()
        with torch.no_grad():
            last, *states = self.teacher.hidden(batch["ids"], batch["places"], bias)
            embeddings = self.teacher.pool(last, batch["pieces"], count, batch["first"])
            wanted = Wanted.of(embeddings, self.bank)
        theirs = dict(zip(self.teacher.wanted, states))
        hidden_share = 1.0 if done < 0.5 else max(0.1, 1 - (done - 0.5) / 0.4)
        share = self.share(done, self.steps)
        for learner in self.learners:
            learner.packed.refresh(done >= 1 - options.rounded)
            learner.loss(batch, bias, kept, count, wanted, theirs, hidden_share).backward()
            learner.step(share)
        if self.bank is not None:
            self.bank.add(embeddings[batch["passages"]])
        self.steps += 1
        self.tokens += batch["ids"].numel()

    def write(self) -> None:
        """Writes the students, rounded as the library will have them, and the run's log."""
        for learner in self.learners:
            packs.write(self.out / f"{learner.student.name}.pack", learner.packed.file_config(), learner.packed.whole(),
                        without_words=not learner.student.learns_words)
        (self.out / "log.json").write_text("[\n" + ",\n".join(map(json.dumps, self.log)) + "\n]\n")
