# SPDX-License-Identifier: Apache-2.0
"""How close a student is to its teacher on texts that neither was trained on here."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Callable, Optional, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from ..data import documents_of
from .pieces import pieces_of
from .subject import Subject

Encode = Callable[[Sequence[str]], Tensor]


def correlation(a: Tensor, b: Tensor) -> float:
    """Pearson's."""
    a, b = a.double() - a.double().mean(), b.double() - b.double().mean()
    return float((a * b).sum() / (a.norm() * b.norm()).clamp(min=1e-30))


def ranks(values: Tensor) -> Tensor:
    """From 0; equal values share the mean of their ranks."""
    order = values.argsort()
    found = torch.empty(len(values), dtype=torch.double)
    found[order] = torch.arange(len(values), dtype=torch.double)
    _, group, count = values.unique(return_inverse=True, return_counts=True)
    sums = torch.zeros(len(count), dtype=torch.double).index_add_(0, group, found)
    return (sums / count)[group]


def rank_correlation(a: Tensor, b: Tensor) -> float:
    """Spearman's."""
    return correlation(ranks(a), ranks(b))


@dataclasses.dataclass
class HeldOut:
    """Texts by the name of their file, and pairs of a short and a long text that belong together."""

    texts: dict[str, list[str]]
    pairs: list[tuple[str, str]]

    @classmethod
    def read(cls, paths: Sequence[Path], most: int = 600, most_pairs: int = 1000, seed: int = 9) -> HeldOut:
        """.tsv files hold pairs, a tab between; all others documents with blank lines between."""
        texts: dict[str, list[str]] = {}
        pairs: list[tuple[str, str]] = []
        draw = random.Random(seed)
        for path in paths:
            if path.suffix == ".tsv":
                lines = path.read_text(encoding="utf-8").splitlines()
                pairs += [tuple(line.split("\t")[:2]) for line in lines if line.count("\t") >= 1]
            else:
                pieces = [piece for document in documents_of(path) for piece in pieces_of(document, draw, 40)]
                texts[path.stem] = draw.sample(pieces, min(most, len(pieces)))
        return cls(texts, draw.sample(pairs, min(most_pairs, len(pairs))))


def similarities(vectors: Tensor) -> Tensor:
    """The similarities of all pairs of different texts."""
    vectors = F.normalize(vectors, dim=-1)
    places = torch.triu_indices(len(vectors), len(vectors), 1)
    return (vectors @ vectors.t())[places[0], places[1]]


def found_first(short: Tensor, long: Tensor) -> tuple[float, float]:
    """How often a short text's nearest long one is its own, and the mean reciprocal rank."""
    near = F.normalize(short, dim=-1) @ F.normalize(long, dim=-1).t()
    place = (near > near.diagonal().unsqueeze(1)).sum(1)
    return float((place == 0).double().mean()), float((1 / (place + 1).double()).mean())


class SentenceMeasure:
    """Compares with a teacher's embeddings, which are computed once."""

    def __init__(self, held_out: HeldOut, teacher: Encode) -> None:
        self.held_out = held_out
        self.wanted = {name: teacher(texts) for name, texts in held_out.texts.items()}
        self.short, self.long = ([pair[side] for pair in held_out.pairs] for side in (0, 1))
        self.teacher_found = found_first(teacher(self.short), teacher(self.long)) if self.short else None

    def __call__(self, student: Encode) -> dict[str, float]:
        out: dict[str, float] = {}
        for name, wanted in self.wanted.items():
            found = student(self.held_out.texts[name])
            mine, theirs = similarities(found), similarities(wanted)
            out[f"{name} r"] = correlation(mine, theirs)
            out[f"{name} rho"] = rank_correlation(mine, theirs)
            if found.shape == wanted.shape:
                out[f"{name} cosine"] = float(F.cosine_similarity(found, wanted).mean())
        if self.teacher_found is not None:
            first, reciprocal = found_first(student(self.short), student(self.long))
            out.update({"retrieval": first, "retrieval mrr": reciprocal, "retrieval of the teacher": self.teacher_found[0],
                        "retrieval mrr of the teacher": self.teacher_found[1]})
        return out


class LogitsMeasure:
    """Masked language models and classifiers: does the student say what the teacher says?"""

    def __init__(self, held_out: HeldOut, teacher: Subject, most: int = 200, seed: int = 11) -> None:
        texts = [text for listed in held_out.texts.values() for text in listed[:most]]
        random_numbers = np.random.default_rng(seed)
        self.ids: list[Tensor] = []
        for text in texts:
            ids = np.array(teacher.tokenizer.encode(text, teacher.longest))
            if teacher.kind == "masked_lm":
                special = np.isin(ids, sorted(teacher.tokenizer.special_ids))
                ids[(random_numbers.random(len(ids)) < 0.15) & ~special] = teacher.tokenizer.mask_id
            self.ids.append(torch.from_numpy(ids)[None])
        self.wanted = self._answers(teacher)

    @torch.no_grad()
    def _answers(self, subject: Subject) -> Tensor:
        device = subject.model.device
        return torch.cat([subject.answer(subject.hidden(ids.to(device)), ids.to(device)).cpu() for ids in self.ids])

    def __call__(self, student: Subject) -> dict[str, float]:
        found, wanted = self._answers(student).double(), self.wanted.double()
        if wanted.shape[-1] == 1:
            return {"correlation": correlation(found.flatten(), wanted.flatten())}
        divergence = F.kl_div(found.log_softmax(-1), wanted.log_softmax(-1), log_target=True, reduction="batchmean")
        return {"same best": float((found.argmax(-1) == wanted.argmax(-1)).double().mean()),
                "divergence": float(divergence), "correlation": correlation(found.flatten(), wanted.flatten())}


class Measure:
    """The measure for a teacher of any kind; none without held-out texts."""

    def __init__(self, held_out: HeldOut, teacher: Subject) -> None:
        self.sentence: Optional[SentenceMeasure] = None
        self.logits: Optional[LogitsMeasure] = None
        if teacher.sentence is not None and (held_out.texts or held_out.pairs):
            self.sentence = SentenceMeasure(held_out, teacher.sentence.encode)
        elif held_out.texts:
            self.logits = LogitsMeasure(held_out, teacher)

    def __call__(self, student: Subject) -> dict[str, float]:
        if self.sentence is not None:
            return {name: round(value, 5) for name, value in self.sentence(student.sentence.encode).items()}
        if self.logits is not None:
            return {name: round(value, 5) for name, value in self.logits(student).items()}
        return {}
