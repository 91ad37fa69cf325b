# SPDX-License-Identifier: Apache-2.0
"""The student learns its teacher's vectors of the user's texts, and of general ones, until their agreement no longer rises."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import torch
from torch import Tensor

from ..distiller.measure import HeldOut, SentenceMeasure
from ..distiller.native_teacher import NativeTeacher
from ..distiller.pieces import Corpus, LengthBatches
from ..distiller.quantise import int8, off_the_steps
from ..distiller.subject import Subject
from ..distiller.teacher_cache import TeacherStates
from ..distiller.training import Options, Whole
from ..parallel import Processes
from ..progress import Progress
from ..sentence import SentenceEncoder
from ..words import BITS
from .passages import Mixture

_LONGEST = 256  # tokens of a piece
RISE = 2e-4  # of the agreement; less counts as none
_PATIENCE = 2  # measurements without a rise, after which the rate falls, or the steps with rounded weights begin
_MEASUREMENTS, _FEWEST_BETWEEN = 12, 24  # steps between, for a measurement takes as long as some of them


def options_for(teacher: Subject, student: Subject, steps: int, tokens: int, seed: int, word_dtype: str, rate: float = 1.0) -> Options:
    """rate: times the usual one, which suits students that were trained for long, as those that ship were: at ten times of it the
    first hundred steps spoil more than they teach. States are learned where both have as many layers."""
    count = len(teacher.layers)
    alike = len(student.layers) == count
    layers = sorted({(count - 1) // 2, count - 1}) if alike else []
    return Options(tokens=tokens, steps=steps, int8_steps=max(1, steps // 8), int8_rate=1.0, fit_steps=0, rate=4e-5 * rate,
                   rest_rate=3e-5 * rate, row_rate=4e-5 * rate, fall=0.5, average=0.99, twins=0.15, bank=4096, seed=seed,
                   warm_up=min(50, max(1, steps // 10)), hidden_layers=layers, fade=(1.0, 1.0) if alike else (0.0, 0.0), word_dtype=word_dtype)


def corpus_of(texts: list[str], sentence: SentenceEncoder) -> Corpus:
    """Each text in at most _LONGEST tokens."""
    parts, progress = [], Progress(0, len(texts))
    for number, text in enumerate(texts):
        ids = sentence.tokenizer.encode(text.lower() if sentence.lowercase else text, min(_LONGEST, sentence.longest))
        if len(ids) >= 5:
            parts.append(np.array(ids, np.int32))
        progress.show(number + 1, "texts tokenized")
    return Corpus(np.concatenate(parts), np.array([len(part) for part in parts], np.int32))


class Agreement:
    """How alike student and teacher find held-out texts. The teacher is asked once."""

    def __init__(self, texts: list[str], teacher: SentenceEncoder) -> None:
        self.measure = SentenceMeasure(HeldOut({"texts": texts}, []), self._encode(teacher)) if len(texts) > 1 else None

    @staticmethod
    def _encode(sentence: SentenceEncoder) -> Callable[[Any], Tensor]:
        return lambda texts: sentence.encode(texts, prompt="") if texts else torch.zeros(0, 1)

    def __call__(self, student: SentenceEncoder) -> Optional[dict[str, float]]:
        """r: the correlation of the similarities of all pairs with the teacher's; cosine: the mean with the teacher's vectors."""
        if self.measure is None:
            return None
        found = self.measure(self._encode(student))
        return {name: found[f"texts {name}"] for name in ("r", "cosine")}


@dataclasses.dataclass
class Rise:
    """Of the agreement, from a step on: the steps before lose, while the rate rises, before they gain."""

    first: int
    best: float = -1.0
    without: int = 0

    def is_over(self, step: int, value: float) -> bool:
        """Afterwards it is waited for anew."""
        if step < self.first:
            return False
        self.best, self.without = (value, 0) if value > self.best + RISE else (self.best, self.without + 1)
        if self.without < _PATIENCE:
            return False
        self.without = 0
        return True


@dataclasses.dataclass
class Found:
    """What the report says. own, general: before and after; measured: of the own texts, step by step."""

    own: list[dict[str, float]]
    general: list[Optional[dict[str, float]]]
    measured: list[tuple[int, float]]
    steps: int
    tokens: int
    seconds: float


class Adaptation:
    def __init__(self, student: Subject, teacher: Subject, mixture: Mixture, options: Options, work: Path, keep: float = 0.0) -> None:
        """keep: the share of the weights before in those that come out."""
        self.student, self.teacher, self.options, self.keep = student, teacher, options, keep
        teacher.model.eval().requires_grad_(False)
        student.model.eval()
        self.bits = BITS.get(options.word_dtype, 8)
        corpus = corpus_of(mixture.learned, teacher.sentence)
        negation = teacher.tokenizer.pieces_of("not")
        self.batches = LengthBatches(corpus, options.tokens, options.seed, special=teacher.tokenizer.special_ids, twins=options.twins,
                                     negation=negation[0] if len(negation) == 1 else -1)
        again = options.steps + options.int8_steps > len(self.batches)
        states = TeacherStates(work / "states", teacher, self.batches, 1.0 if again else 0.0, "", layers=options.hidden_layers,
                               native=self._native(work))
        print(f"the teacher reads {len(mixture.held) + len(mixture.held_general)} held-out texts", flush=True)
        self.agreement = Agreement(mixture.held, teacher.sentence)
        self.of_general = Agreement(mixture.held_general, teacher.sentence)
        self.before = [measure(student.sentence) for measure in (self.agreement, self.of_general)]
        off_the_steps(student.model, options.seed)
        self.whole = Whole(student, states, list(range(len(student.layers))), options, Processes("cpu"))
        self.began = [parameter.detach().clone() for parameter in self.whole.learns] if keep > 0 else []
        self.tokens = 0

    def _native(self, work: Path) -> Optional[NativeTeacher]:
        """The library runs the teacher in a quarter of the time, where it can be cut after a layer."""
        try:
            return NativeTeacher(self.teacher, self.options.hidden_layers or [], work / "teacher")
        except ValueError:
            return None

    def run(self) -> Found:
        began = time.monotonic()
        own, general = ([value] for value in self.before)
        before = own[0]["r"]
        print(f"agreement with the teacher before: {before:.4f}", flush=True)
        measured, rise = [(0, before)], Rise(self.options.steps // 3)
        every = max(_FEWEST_BETWEEN, self.options.steps // _MEASUREMENTS)
        progress = Progress(0, self.whole.total)
        step = 0
        while step < self.whole.total:
            self.whole.step(step)
            step += 1
            self.tokens += self._tokens_of(step - 1)
            if step == self.options.steps:
                self._keep()
            if step % every == 0 and step < self.options.steps:
                value = self._between()
                measured.append((step, value))
                if rise.is_over(step, value):
                    self._fall_or_end(step)
            progress.total = self.whole.total
            progress.show(step, f"agreement {measured[-1][1]:.4f}")
        with int8(self.student.model, True, self.bits):
            own.append(self.agreement(self.student.sentence))
            general.append(self.of_general(self.student.sentence))
        measured.append((step, own[1]["r"]))
        return Found(own, general, measured, step, self.tokens, time.monotonic() - began)

    def _between(self) -> float:
        with self.whole.average.in_place():
            return self.agreement(self.student.sentence)["r"]

    @torch.no_grad()
    def _keep(self) -> None:
        """Between the weights before and those that were learned lie students that know most of both. The steps with rounded
        weights begin there."""
        for parameter, before in zip(self.whole.learns, self.began):
            parameter.lerp_(before, self.keep)

    def _fall_or_end(self, step: int) -> None:
        """The rate begins to fall, over as many steps as were made; if it falls already, the steps with rounded weights come."""
        options = self.options
        falls = step > options.steps * (1 - options.fall)
        options.steps = min(options.steps, step + 1 if falls else 2 * step)

    def _tokens_of(self, step: int) -> int:
        chosen = self.batches.batches[self.batches.number(step)]
        return len(chosen) * int(self.batches.corpus.lengths[chosen[0]])
