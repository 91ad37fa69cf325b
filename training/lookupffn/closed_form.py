# SPDX-License-Identifier: Apache-2.0
"""A student's weights from its teacher's without a training step: layer after layer, on the student's own inputs.

Backward elimination drops heads; neurons stay by how much they add. The remaining parts, a linear map beside lookups and rows
by word get their outputs by least squares towards the teacher's sum before the norm. Lookups stay unchanged.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, ContextManager, Iterable, Iterator, Optional, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from . import features
from .families import Layer
from .family_model import FamilyModel
from .layer import LookupFFN
from .least_squares import RowPrior, Sums, best_heads, by_turns
from .progress import Progress

_CHUNK = 16384
_SAMPLE = 100_000  # tokens from which neurons are chosen
_PASSES = 5  # over all tokens, a layer


@dataclasses.dataclass
class Found:
    """For a layer: what was kept, and the squared error after attention and after the whole layer, over the variance."""

    layer: int
    heads: list[int]
    neurons: int
    attention_error: float
    error: float


class _Error:
    def __init__(self, size: int) -> None:
        self.squares, self.count = 0.0, 0
        self.sum, self.sum_of_squares = torch.zeros(size, dtype=torch.double), 0.0

    def add(self, mine: Tensor, wanted: Tensor) -> None:
        self.squares += float((mine - wanted).square().sum())
        self.sum += wanted.double().sum(0)
        self.sum_of_squares += float(wanted.double().square().sum())
        self.count += len(wanted)

    def value(self) -> float:
        return self.squares / max(self.sum_of_squares - float(self.sum.square().sum()) / self.count, 1e-30)


@torch.no_grad()
def most_useful(layer: Layer, inputs: Iterable[Tensor], count: int) -> Tensor:
    """The neurons with the largest variance times squared output length, the best first. inputs: [tokens, size]."""
    up, down = layer.products()
    tokens, total, squares = 0, 0.0, 0.0
    for u in inputs:
        active = layer.activation(up(u)).double()
        total, squares, tokens = total + active.sum(0), squares + active.square().sum(0), tokens + len(u)
    variance = squares / tokens - (total / tokens).square()
    return (variance * down.weight.double().square().sum(0)).argsort(descending=True)[:count]


class ClosedForm:
    """Both models have the same family and size; the student has the numbers of heads and neurons that it will keep. Per-token
    data lies in files below `folder`, so that memory holds only chunks of it and sums."""

    def __init__(self, student: FamilyModel, teacher: FamilyModel, batches: Sequence[Tensor], folder: Path,
                 precision: str = "float32") -> None:
        """batches: ids [texts, length]; precision: of the models' products, not of least squares."""
        self.precision = precision
        self.student, self.teacher, self.batches, self.folder = student, teacher, batches, Path(folder)
        self.ids = torch.cat([ids.flatten() for ids in batches])
        self.size = student.config.get("hidden_size")
        self.device = student.device
        self.rows = student.base.embeddings.rows_of(self.ids.to(self.device)).cpu()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.prior: Optional[RowPrior] = None
        self.progress, self.done = Progress(0, len(self.ids) * _PASSES * len(student.layers)), 0

    def _short(self) -> ContextManager[Any]:
        return features.autocast(self.device, self.precision)

    def _array(self, name: str, width: int, kind: type = np.float32) -> Tensor:
        return torch.from_numpy(np.memmap(self.folder / name, kind, "w+", shape=(len(self.ids), width)))

    def _chunks(self) -> Iterator[slice]:
        for first in range(0, len(self.ids), _CHUNK):
            chunk = slice(first, min(first + _CHUNK, len(self.ids)))
            yield chunk
            self._tell(chunk)

    def _texts(self) -> Iterator[tuple[slice, Tensor]]:
        first = 0
        for ids in self.batches:
            chunk = slice(first, first + ids.numel())
            yield chunk, ids
            self._tell(chunk)
            first = chunk.stop

    def _tell(self, chunk: slice) -> None:
        self.done = min(self.done + chunk.stop - chunk.start, self.progress.total)
        self.progress.show(self.done, "closed form")

    @torch.no_grad()
    def run(self, layers: Sequence[int]) -> list[Found]:
        """Gives these layers new weights, in place; the others must equal the teacher's."""
        try:
            self.mine, self.theirs, self.wanted = (self._array(name, self.size) for name in ("mine", "theirs", "wanted"))
            self.weights = torch.empty(len(self.ids))
            for chunk, ids in self._texts():
                for model, states in ((self.student, self.mine), (self.teacher, self.theirs)):
                    states[chunk] = model.base.embedded(ids.to(self.device)).flatten(0, 1).cpu()
            found = []
            for i, (student, teacher) in enumerate(zip(self.student.layers, self.teacher.layers)):
                if i in layers:
                    heads, attention_error = self._attention(student, teacher)
                    neurons, error = self._ffn(student, teacher)
                    found.append(Found(i, heads, neurons, attention_error, error))
                else:
                    self._whole_layer(student, teacher)
                self.done = len(self.ids) * _PASSES * (i + 1)
            return found
        finally:
            for name in ("mine", "theirs", "wanted", "values"):
                (self.folder / name).unlink(missing_ok=True)

    def _whole_layer(self, student: Layer, teacher: Layer) -> None:
        for chunk, ids in self._texts():
            for model, layer, states in ((self.student, student, self.mine), (self.teacher, teacher, self.theirs)):
                x = states[chunk].view(*ids.shape, -1).to(self.device)
                states[chunk] = layer(x, None, model.base.embeddings.rows_of(ids.to(self.device))).flatten(0, 1).cpu()

    def _attention(self, student: Layer, teacher: Layer) -> tuple[list[int], float]:
        """Advances `mine` and `theirs` past attention."""
        width, size = teacher.num_heads * teacher.head_size, teacher.head_size
        values, sums = self._array("values", max(1, width), np.float16), Sums(width, self.size)
        norm, out = teacher.attention_norm(), teacher.attention_output()
        for chunk, ids in self._texts():
            x, y = (states[chunk].view(*ids.shape, -1).to(self.device) for states in (self.mine, self.theirs))
            with self._short():
                self.theirs[chunk] = teacher.attend(y).flatten(0, 1).cpu()
                if width:
                    values[chunk] = teacher.values(x, None).flatten(0, 1).half().cpu()
        for chunk in self._chunks():
            x, a, v = self._of(chunk, self.mine, self.theirs, values)
            v = v[:, :width]
            if teacher.norm_first:
                wanted, scale = a - x, a.std(1, unbiased=False, keepdim=True)
            else:  # the norm undone, with the scale that the student will have
                with self._short():
                    o = x + (out(v) if width else out(x)).float()
                scale = o.std(1, unbiased=False, keepdim=True)
                gain = torch.where(norm.weight.abs() > 1e-6, norm.weight, torch.ones_like(norm.weight))
                undone = (a - norm.bias) / gain * scale + o.mean(1, keepdim=True)
                wanted = torch.where(norm.weight.abs() > 1e-6, undone, o) - x
            sums.add(v.cpu(), wanted.cpu(), 1 / scale[:, 0].square().clamp(min=1e-12).cpu())
        heads = list(range(teacher.num_heads)) if student.keeps_heads else \
            best_heads(sums, teacher.num_heads, size, student.num_heads)
        places = (torch.tensor(heads, dtype=torch.long)[:, None] * size + torch.arange(size)).flatten()
        if not student.keeps_heads:
            self._put_heads(student, teacher, places, sums.solve(places))
        error = _Error(self.size)
        for chunk in self._chunks():
            x, v = self._of(chunk, self.mine, values)
            output = student.attention_output()
            with self._short():
                y = student.after_attention(x, output(v[:, places.to(v.device)] if student.num_heads else x)).float().cpu()
            error.add(y, self.theirs[chunk])
            self.mine[chunk] = y
        return heads, error.value()

    def _of(self, chunk: slice, *states: Tensor) -> list[Tensor]:
        return [state[chunk].float().to(self.device) for state in states]

    @staticmethod
    def _put_heads(student: Layer, teacher: Layer, places: Tensor, weights: Tensor) -> None:
        if student.num_heads:
            for mine, theirs in zip(student.projections() + student.own_place_projections(),
                                    teacher.projections() + teacher.own_place_projections()):
                mine.weight.copy_(theirs.weight[places])
                mine.bias.copy_(theirs.bias[places])
            student.attention_output().weight.copy_(weights[:-1].t())
        student.attention_output().bias.copy_(weights[-1])

    def _ffn(self, student: Layer, teacher: Layer) -> tuple[int, float]:
        """Advances `mine` and `theirs` past the layer."""
        if student.products() is None and not hasattr(student, "FFN"):
            raise ValueError("gated neurons are not fitted in closed form; give this layer lookups or a bias")
        their_rows = self.teacher.base.embeddings.rows_of(self.ids.to(self.device))
        for chunk in self._chunks():
            x, a = self._of(chunk, self.mine, self.theirs)
            with self._short():
                f = teacher.feed(a, their_rows[chunk]).float()
            # What is normalised before it is added cannot make up for what x lacks.
            self.wanted[chunk] = (f if teacher.norms_results else a + f - x).cpu()
            self.weights[chunk] = 1 / (f if teacher.norms_results else a + f).var(1).clamp(min=1e-12).cpu()
            self.theirs[chunk] = teacher.finish(a, f).cpu()
        self.weights /= self.weights.mean()
        self._choose_neurons(student, teacher)
        words = student.words if hasattr(student, "words") else None
        sums = Sums(self._features(student, self.mine[:1].to(self.device)).shape[1], self.size,
                    words.num_embeddings if words is not None else 0)
        for chunk in self._chunks():
            x, wanted = self._of(chunk, self.mine, self.wanted)
            if hasattr(student, "FFN"):
                with self._short():
                    wanted = wanted - student.FFN(student.fed(x)).float()
            with self._short():
                described = self._features(student, x).float()
            sums.add(described.cpu(), wanted.cpu(), self.weights[chunk], self.rows[chunk])
        if words is None:
            self._put_ffn(student, sums.solve())
        else:
            weights, rows = by_turns(sums, self._prior())
            self._put_ffn(student, weights)
            words.weight.copy_(rows)
        error, rows_of = _Error(self.size), self.rows.to(self.device)
        for chunk in self._chunks():
            (x,) = self._of(chunk, self.mine)
            with self._short():
                y = student.finish(x, student.feed(x, rows_of[chunk])).float().cpu()
            error.add(y, self.theirs[chunk])
            self.mine[chunk] = y
        products = student.products()
        return 0 if products is None else products[0].out_features, error.value()

    def _choose_neurons(self, student: Layer, teacher: Layer) -> None:
        mine, theirs = student.products(), teacher.products()
        if mine is None:
            return
        if theirs is None:
            raise ValueError("a layer is to have neurons, but the teacher has none there")
        chunks = (self.mine[first : first + _CHUNK].to(self.device) for first in range(0, min(len(self.ids), _SAMPLE), _CHUNK))
        with self._short():
            best = most_useful(teacher, (student.fed(x) for x in chunks), mine[0].out_features).sort().values
        mine[0].weight.copy_(theirs[0].weight[best])
        mine[0].bias.copy_(theirs[0].bias[best])

    @staticmethod
    def _features(student: Layer, x: Tensor) -> Tensor:
        """The inputs of the block's least squares."""
        products, u = student.products(), student.fed(x)
        if products is not None:
            return student.activation(products[0](u))
        return u if isinstance(student.FFN, LookupFFN) and student.FFN.linear is not None else u[:, :0]

    @staticmethod
    def _put_ffn(student: Layer, weights: Tensor) -> None:
        products = student.products()
        weights = weights.float().to(next(student.parameters()).device)
        if products is not None:
            products[1].weight.copy_(weights[:-1].t())
            products[1].bias.copy_(weights[-1])
            return
        if len(weights) > 1:
            linear: nn.Linear = student.FFN.linear
            linear.weight += weights[:-1].t()
        student.FFN.bias += weights[-1]

    def _prior(self) -> RowPrior:
        """A row of several words has the mean of their vectors, weighted by frequency."""
        if self.prior is None:
            embeddings = self.student.base.embeddings
            vectors = embeddings.word_embeddings.weight.cpu()
            counts = torch.bincount(self.ids, minlength=len(vectors)).float() + 1e-3
            rows = embeddings.rows_of(torch.arange(len(vectors), device=self.device)).cpu()
            count = self.student.config.word_rows
            total = torch.zeros(count).index_add_(0, rows, counts)
            sums = torch.zeros(count, vectors.shape[1]).index_add_(0, rows, vectors * counts[:, None])
            self.prior = RowPrior(sums / total.clamp(min=1e-6)[:, None])
        return self.prior
