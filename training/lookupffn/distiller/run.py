# SPDX-License-Identifier: Apache-2.0
"""A run from start to end: resumes from its state, writes the student and its report."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import time
from pathlib import Path
from typing import IO, Any, Optional, Sequence, Union

import numpy as np
import torch
from torch import nn

from .. import features
from ..closed_form import ClosedForm
from ..parallel import Processes
from ..progress import Progress
from ..words import BITS
from . import report
from .grow import has_neurons, take_over
from .lock import lock
from .measure import HeldOut, Measure
from .native_teacher import NativeTeacher
from .pieces import Corpus, LengthBatches
from .quantise import int8
from .state import State, note_text
from .subject import Subject
from .teacher_cache import FFNExamples, TeacherStates
from .training import Fit, Options, Whole


LENGTHS = {"steps", "int8_steps"}
MAY_CHANGE = LENGTHS | {"precision", "teacher_int8", "hidden_layers"}  # options, while a run is on its way


@dataclasses.dataclass
class Places:
    """Where files are and how often they are written. Only save_every changes what is learned, because storing rounds
    numbers."""

    work: Path
    megabytes: float = 60
    cache_gigabytes: float = 10
    save_every: int = 100
    measure_every: int = 250
    log_every: int = 10


def _due(number: int, every: int) -> bool:
    return every > 0 and number % every == 0


class Run:
    def __init__(self, teacher: Union[str, Path], texts: Sequence[Path], out: Path, options: Options, places: Places,
                 valid: Sequence[Path] = (), device: str = "cpu", start: Optional[Path] = None) -> None:
        self.out, self.options, self.places = Path(out), options, places
        self.processes = Processes(device)
        self.teacher = Subject.load(teacher)
        self.teacher.model.to(self.processes.device).eval().requires_grad_(False)
        count = len(self.teacher.layers)
        self.layers = list(range(count)) if options.layers is None else options.layers
        if not set(self.layers) <= set(range(count)):
            raise ValueError(f"--layers are {', '.join(map(str, self.layers))}, expected 0 to {count - 1}")
        if not set(options.hidden_layers or []) <= set(range(count)):
            raise ValueError(f"--hidden-layers are {', '.join(map(str, options.hidden_layers))}, expected 0 to {count - 1}")
        torch.manual_seed(options.seed)
        self.student = self.teacher.copy()
        self.kinds = self.student.shape(options, self.layers)
        self.fitted = [i for i in self.layers if hasattr(self.student.layers[i], "FFN")]
        self.student.model.eval()
        self.earlier = Subject.load_student(start, self.teacher) if start is not None else None
        self.fitted_to = self.teacher  # whose FFNs the new ones learn
        if self.earlier is not None:
            take_over(self.student, self.earlier, self.fitted)
            if any(has_neurons(self.earlier, i) for i in self.fitted):
                self.fitted_to = self.earlier
                self.earlier.model.to(self.processes.device).eval().requires_grad_(False)
        tokenizer = self.teacher.tokenizer
        longest = min(256, self.teacher.longest)
        corpus_note = Corpus.identity(texts, tokenizer, longest, options.seed)
        self.identity = {"teacher": self.teacher.digest(), "corpus": corpus_note,
                         "start": None if self.earlier is None else self.earlier.digest(),
                         "options": json.loads(json.dumps(dataclasses.asdict(options))),
                         "save_every": places.save_every, "processes": self.processes.count}
        self.state = State(places.work / "state.safetensors", self.student.model, places.megabytes, options.average > 0)
        if self.state.path.exists():  # before anything in the folder is written
            self._check(self.state.note())
        Whole.choose_what_learns(self.student, options)
        self.note_bytes = self._note_bytes(len(valid))
        self.level = self.state.level(self.note_bytes)  # too little room is better known now
        self.lock: Optional[IO[str]] = None
        if self.processes.first:
            self.lock = lock(places.work)
            Corpus.prepare(places.work / "text", texts, tokenizer, longest, options.seed)
        self.processes.wait()
        self.corpus = Corpus.prepare(places.work / "text", texts, tokenizer, longest, options.seed)
        if options.word_rows and start is None:
            self.student.set_word_rows(torch.from_numpy(np.bincount(self.corpus.ids, minlength=tokenizer.size)))
        mask_id = tokenizer.mask_id if self.teacher.kind == "masked_lm" else -1
        negation = tokenizer.pieces_of("not")
        self.batches = LengthBatches(self.corpus, options.tokens, options.seed, mask_id, tokenizer.special_ids,
                                     twins=options.twins, negation=negation[0] if len(negation) == 1 else -1)
        self.data_identity = json.dumps([self.identity["teacher"], corpus_note, options.tokens, options.seed]
                                        + ([options.twins] if options.twins else []))
        with features.autocast(self.processes.device, options.precision):
            self.measure = Measure(HeldOut.read(valid), self.teacher) if self.processes.first else None
        self.note: dict[str, Any] = {"phase": "fit", "step": 0, "layers": self.layers, "fitted": self.fitted, "fit": [], "whole": [],
                                     "measured": [], "tokens_seen": 0, "seconds": {"fit": 0.0, "whole": 0.0},
                                     "megabytes": places.megabytes, **self.identity}
        self.started: Optional[float] = None

    def _note_bytes(self, held_out: int) -> int:
        """About the most bytes of the note at the run's end; the same in all processes, although only one measures."""
        options, places = self.options, self.places
        steps = options.steps + options.int8_steps
        measured = 6 + (options.steps // places.measure_every if places.measure_every else 0)
        return (8192 + options.fit_steps // places.log_every * (24 + 14 * len(self.layers))
                + steps // places.log_every * 130 + measured * (200 + 300 * held_out))

    def _check(self, note: dict[str, Any]) -> None:
        """Settings that an earlier version's state lacks had their defaults."""
        unknown = {"processes": 1, "corpus": {}, "options": {}}
        by_default = {"corpus": self.identity["corpus"], "options": json.loads(json.dumps(dataclasses.asdict(Options())))}
        for key, value in self.identity.items():
            stored = note.get(key, unknown.get(key))
            if key in by_default:
                stored = {**by_default[key], **stored}
            if stored == value:
                continue
            differing = "number of processes" if key == "processes" else key
            if key == "options":
                names = [name for name in value if stored[name] != value[name]]
                if LENGTHS & set(names):
                    self._check_length(note)
                if set(names) <= MAY_CHANGE:
                    continue
                differing = ", ".join(name for name in names if name not in MAY_CHANGE)
            raise ValueError(f"{self.state.path} belongs to a run with another {differing}; pass another --work, or the same "
                             "settings, texts and teacher")

    def _check_length(self, note: dict[str, Any]) -> None:
        """A run may become shorter or longer on its way, unless that would undo int8 steps already made."""
        steps, done = self.options.steps, note["step"]
        if note["phase"] == "whole" and (done > note["options"]["steps"] or done > steps):
            raise ValueError(f"{self.state.path} has made {done} steps of {note['options']['steps']} and "
                             f"{note['options']['int8_steps']} with int8; it cannot end after {steps} instead")

    def go(self, stop_after: Optional[int] = None) -> bool:
        """-> whether the run is at its end. stop_after: steps of this call, then as a kill."""
        try:
            return self._go(stop_after)
        finally:
            self.processes.close()
            if self.lock is not None:
                self.lock.close()

    def _go(self, stop_after: Optional[int]) -> bool:
        before = self.state.note() if self.state.path.exists() else None
        self.processes.wait()  # the first process will soon write one
        if before is not None:
            self.note = {**before, "megabytes": self.places.megabytes, **self.identity}
        left = stop_after
        if self.note["phase"] == "fit":
            left = self._fit(before is not None, left)
            if left == 0:
                return False
        if self.note["phase"] == "whole":
            left = self._whole(left)
            if left == 0:
                return False
        return True

    def _save(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        self.note["step"] = step
        now = time.monotonic()
        self.note["seconds"][self.note["phase"]] += now - (self.started or now)
        self.started = now
        real = len(json.dumps(note_text(self.note, step))) if self.processes.first else 0
        shared = self.processes.mean(torch.tensor(float(real), dtype=torch.float64, device=self.processes.device))
        note_bytes = max(self.note_bytes, round(float(shared) * self.processes.count))
        self.state.write(optimizer, self.note, step, self.processes.first, note_bytes)
        self.processes.wait()

    def _measured(self, label: str, step: int, rounded: bool = False) -> None:
        if self.measure is None:
            return
        with int8(self.student.model, rounded, BITS.get(self.options.word_dtype, 8)), \
                features.autocast(self.processes.device, self.options.precision):
            values = self.measure(self.student)
        if values:
            phase = "rounded" if rounded else self.note["phase"]
            self.note["measured"].append({"label": label, "step": step, "phase": phase, "values": values})
            print(f"{label}: " + ", ".join(f"{name} {value:.4f}" for name, value in values.items()), flush=True)

    def _fit(self, resumed: bool, left: Optional[int]) -> Optional[int]:
        options, total = self.options, self.options.fit_steps
        if not self.fitted:
            return self._end_of_fit(left)
        if self.processes.first:
            self._examples()
        self.processes.wait()
        for parameter in self.student.model.parameters():
            parameter.requires_grad_(False)
        modules = nn.ModuleList(self.student.layers[i].FFN for i in self.fitted).requires_grad_(True)
        fit = Fit(self.student, self.fitted_to, self.fitted, self._examples(), options)
        assert list(modules.parameters()) == list(fit.modules.parameters())
        if resumed:
            self.state.read(fit.optimizer)
        else:
            fit.begin(self.earlier)
            if self.earlier is not None:
                self._measured("the beginning", 0)
        self.started = time.monotonic()
        progress = Progress(self.note["step"], total)
        for step in range(self.note["step"], total):
            if left == 0:
                return 0
            errors = fit.step(step)
            number = step + 1
            if number % self.places.log_every == 0 or number == total:
                self.note["fit"].append((number, [round(error, 5) for error in errors]))
            if number == total:
                self._end_of_fit(left)
            elif _due(number, self.places.save_every):
                self._save(fit.optimizer, number)
            progress.show(number, "errors " + " ".join(f"{error:.3f}" for error in errors))
            left = None if left is None else left - 1
        return left if total else self._end_of_fit(left)

    def _end_of_fit(self, left: Optional[int]) -> Optional[int]:
        if self.options.fit_steps and self.fitted:
            self._measured("the fit", 0)
        if self.options.is_narrow and self.earlier is None:
            self._closed_form()
            self._measured("the closed form", 0)
        self.note["phase"], self.note["step"] = "whole", 0
        self._enter_whole(first=True)
        return left

    def _closed_form(self) -> None:
        """Every process computes the same."""
        chosen, tokens, step = [], 0, 0
        while tokens < min(self.options.closed_tokens, self.corpus.tokens):
            chosen.append(torch.from_numpy(self.batches.ids(self.batches.number(step))))
            tokens, step = tokens + chosen[-1].numel(), step + 1
        folder = self.places.work / f"closed-form{self.processes.rank or ''}"
        form = ClosedForm(self.student.model, self.teacher.model, chosen, folder, self.options.precision)
        found = form.run(self.layers)
        self.note["closed_form"] = [dataclasses.asdict(entry) for entry in found]
        if self.processes.first:
            for entry in found:
                print(f"layer {entry.layer}: heads {entry.heads}, error {entry.attention_error:.4f}; {entry.neurons} "
                      f"neurons, error {entry.error:.4f}", flush=True)

    def _tokens_of(self, step: int) -> int:
        """The tokens of all processes."""
        first = step * self.processes.count
        numbers = [self.batches.number(first + rank) for rank in range(self.processes.count)]
        return sum(int(self.corpus.lengths[self.batches.batches[number]].sum()) for number in numbers)

    def _examples(self) -> FFNExamples:
        identity = self.data_identity + (self.fitted_to.digest() if self.fitted_to is not self.teacher else "")
        return FFNExamples.prepare(self.places.work / "examples", self.fitted_to, self.batches, self.fitted,
                                   self.options.fit_tokens, identity)

    def _enter_whole(self, first: bool) -> Whole:
        name = f"states{self.processes.rank or ''}"
        native = None
        if self.options.teacher_int8:
            native = NativeTeacher(self.teacher, self.options.hidden_layers or range(len(self.teacher.layers)),
                                   self.places.work / f"teacher{self.processes.rank or ''}")
        states = TeacherStates(self.places.work / name, self.teacher, self.batches, self.places.cache_gigabytes,
                               self.data_identity, self.options.precision, self.options.hidden_layers, native)
        whole = Whole(self.student, states, self.layers, self.options, self.processes)
        if whole.average is not None:
            self.state.average = whole.average.named()
        if first:
            self._save(whole.optimizer, 0)
        return whole

    def _whole(self, left: Optional[int]) -> Optional[int]:
        whole = self._enter_whole(first=False)
        self.state.read(whole.optimizer)
        total, begin = whole.total, self.note["step"]
        progress = Progress(begin, total)
        self.started = time.monotonic()
        for step in range(begin, total):
            if left == 0:
                return 0
            values = whole.step(step)
            number = step + 1
            self.note["tokens_seen"] += self._tokens_of(step)
            if number % self.places.log_every == 0 or number == total:
                self.note["whole"].append({"step": number, **{key: round(value, 5) for key, value in values.items()}})
            end_of_float = number == self.options.steps
            if _due(number, self.places.measure_every) and number < self.options.steps or end_of_float:
                with whole.average.in_place() if whole.average is not None else contextlib.nullcontext():
                    self._measured(f"{number} steps", number)
                    self._write_student()  # a clock may end the run anywhere
            if end_of_float and self.options.int8_steps:
                self._measured("rounded to int8", number, rounded=True)
            if number == total and self.options.int8_steps:
                self._measured(f"{self.options.int8_steps} steps with int8, in float32", number)
                self._measured(f"{self.options.int8_steps} steps with int8, rounded", number, rounded=True)
            if _due(number, self.places.save_every) or number == total:
                self._save(whole.optimizer, number)
                if self.processes.first:
                    report.write(self.out, self.student, self.teacher, self.options, self.note)
            progress.show(number, f"hidden {values['hidden']:.3f} answer {values['answer']:.4f}")
            left = None if left is None else left - 1
        self._write_student()
        if self.processes.first:
            report.write(self.out, self.student, self.teacher, self.options, self.note)
        return left

    def _write_student(self) -> None:
        if self.processes.first and (set(self.kinds) != {"none"} or self.options.has_words):
            self.student.save(self.out, word_dtype=self.options.word_dtype)
