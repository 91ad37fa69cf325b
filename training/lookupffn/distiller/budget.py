# SPDX-License-Identifier: Apache-2.0
"""How many heads and neurons each layer keeps, and whether it gets rows by word, for a budget of time.

Each layer is considered alone, on the inputs that the teacher gives it: the squared error of every choice in closed form, on
texts that the closed form has not seen, over the variance after the norm. The choice within the budget with the smallest sum
of errors is used. The costs of a head, a neuron and a row are measured on the processor in use.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import numpy as np
import torch
from torch import Tensor

from .. import features, safetensors
from ..closed_form import most_useful
from ..families import Layer
from ..family_model import FamilyModel
from ..least_squares import RowPrior, Sums, by_turns, heads_by_use
from ..progress import Progress
from .pieces import Corpus, LengthBatches, digest_of, read_note
from .plot import svg
from .subject import Subject
from .training import Options

NEURONS = (0, 32, 64, 96, 128, 192, 256, 384, 512)
_HELD = 5  # one batch in so many is kept for the errors
_STEPS = 2000  # of the budget


@dataclasses.dataclass(frozen=True)
class Costs:
    """Microseconds a token and layer."""

    head: float
    neuron: float
    row: float

    def attention(self, heads: int) -> float:
        return heads * self.head

    def feed(self, neurons: int, words: bool) -> float:
        return neurons * self.neuron + words * self.row


@dataclasses.dataclass(frozen=True)
class Choice:
    """A choice of parts for a layer."""

    heads: int
    neurons: int
    words: bool
    error: float
    microseconds: float


@dataclasses.dataclass
class LayerErrors:
    """error_of_heads[count]; error_of_feed[neurons, words]."""

    error_of_heads: dict[int, float]
    error_of_feed: dict[tuple[int, bool], float]

    def choices(self, costs: Costs) -> list[Choice]:
        """The choices, without any that cost more and err more than another."""
        found = [Choice(heads, neurons, words, attention + feed, costs.attention(heads) + costs.feed(neurons, words))
                 for heads, attention in self.error_of_heads.items()
                 for (neurons, words), feed in self.error_of_feed.items()]
        found.sort(key=lambda choice: (choice.microseconds, choice.error))
        best: list[Choice] = []
        for choice in found:
            if not best or choice.error < best[-1].error:
                best.append(choice)
        return best


class _Looked:
    """Sums for the fit, and for the errors of the fit."""

    def __init__(self, features_: int, outputs: int, rows: int = 0) -> None:
        self.fit, self.held = Sums(features_, outputs, rows), Sums(features_, outputs, rows)

    def add(self, number: int, *values: Optional[Tensor]) -> None:
        (self.held if number % _HELD == 0 else self.fit).add(*values)


class Errors:
    """batches: ids [texts, length]; rows: how many rows by word a student would have, each word's row."""

    def __init__(self, teacher: FamilyModel, batches: Sequence[Tensor], row_of_word: Tensor, precision: str) -> None:
        self.teacher, self.batches, self.precision = teacher, batches, precision
        self.row_of_word, self.rows = row_of_word, int(row_of_word.max()) + 1
        self.size = teacher.config.get("hidden_size")
        ids = torch.cat([ids.flatten() for ids in batches])
        vectors = teacher.base.embeddings.word_embeddings.weight.detach().cpu()
        counts = torch.bincount(ids, minlength=len(vectors)).float() + 1e-3
        total = torch.zeros(self.rows).index_add_(0, row_of_word, counts)
        sums = torch.zeros(self.rows, vectors.shape[1]).index_add_(0, row_of_word, vectors * counts[:, None])
        self.prior = RowPrior(sums / total.clamp(min=1e-6)[:, None])

    @torch.no_grad()
    def run(self) -> list[LayerErrors]:
        states = [self.teacher.base.embeddings(ids.to(self.teacher.device)).cpu() for ids in self.batches]
        progress = Progress(0, len(self.teacher.layers))
        found = []
        for number, layer in enumerate(self.teacher.layers):
            found.append(self._layer(layer, states))
            progress.show(number + 1, "layers looked at")
        return found

    def _layer(self, layer: Layer, states: list[Tensor]) -> LayerErrors:
        """Advances `states` past the layer."""
        products = layer.products()
        width = layer.num_heads * layer.head_size
        heads = _Looked(width, self.size)
        useful = self._useful(layer, states, max(NEURONS)) if products is not None else torch.zeros(0, dtype=torch.long)
        feed = _Looked(len(useful), self.size, self.rows)
        for number, (ids, state) in enumerate(zip(self.batches, states)):
            x = state.to(self.teacher.device)
            rows = self.row_of_word[ids.flatten()]
            with features.autocast(x.device, self.precision):
                values = layer.values(x, None) if layer.num_heads else x[..., :0]
                mixed = layer.attention_output()(values if layer.num_heads else x)
                a = layer.after_attention(x, mixed)
                f = layer.feed(a, self.teacher.base.embeddings.rows_of(ids.to(x.device)))
                active = a[..., :0] if products is None else layer.activation(products[0](layer.fed(a)))
                states[number] = layer.finish(a, f).float().cpu()
            heads.add(number, *self._flat(values, mixed, _weights(layer, x, mixed)))
            feed.add(number, *self._flat(active[..., useful.to(x.device)], f, _weights(layer, a, f)), rows)
        return LayerErrors(self._of_heads(heads, layer), self._of_feed(feed, len(useful)))

    @staticmethod
    def _flat(*values: Tensor) -> list[Tensor]:
        return [value.float().flatten(0, 1).cpu() for value in values]

    def _useful(self, layer: Layer, states: list[Tensor], count: int) -> Tensor:
        sample = [layer.fed(layer.attend(state.to(self.teacher.device))) for state in states[: 1 + len(states) // 8]]
        return most_useful(layer, [u.flatten(0, 1) for u in sample], count)

    @staticmethod
    def _of_heads(sums: _Looked, layer: Layer) -> dict[int, float]:
        size = layer.head_size
        order = heads_by_use(sums.fit, layer.num_heads, size)
        errors = {}
        for count in range(layer.num_heads + 1):
            kept = torch.tensor(sorted(order[:count]), dtype=torch.long)
            places = (kept[:, None] * size + torch.arange(size)).flatten()
            errors[count] = sums.held.error(sums.fit.solve(places), places)
        return errors

    def _of_feed(self, sums: _Looked, most: int) -> dict[tuple[int, bool], float]:
        errors = {}
        for count in [count for count in NEURONS if count <= most]:
            places = torch.arange(count)
            errors[count, False] = sums.held.error(sums.fit.solve(places), places)
            weights, rows = by_turns(sums.fit.part(places), self.prior)
            errors[count, True] = sums.held.error(weights, places, rows)
        return errors


def _weights(layer: Layer, x: Tensor, added: Tensor) -> Tensor:
    """The reciprocal of the norm's divisor."""
    return 1 / (x + added).float().var(-1, keepdim=True).clamp(min=1e-12)[..., 0]


def choose(errors: Sequence[LayerErrors], costs: Costs, microseconds: float) -> list[Choice]:
    """The best choices that together take at most this many microseconds."""
    unit = microseconds / _STEPS
    best: list[tuple[float, list[Choice]]] = [(0.0, [])] + [(float("inf"), [])] * _STEPS
    for layer in errors:
        after: list[tuple[float, list[Choice]]] = [(float("inf"), [])] * (_STEPS + 1)
        for choice in layer.choices(costs):
            steps = int(-(-choice.microseconds // unit)) if unit else 0
            for spent in range(_STEPS + 1 - steps):
                total = best[spent][0] + choice.error
                if total < after[spent + steps][0]:
                    after[spent + steps] = (total, [*best[spent][1], choice])
        best = after
    error, chosen = min(best, key=lambda entry: entry[0])
    if not chosen and errors:
        raise ValueError("the budget is too small for any student")
    return chosen


def teacher_microseconds(teacher: FamilyModel, costs: Costs) -> float:
    """The time of its heads and neurons, which is all that a student can save."""
    return sum(costs.attention(layer.num_heads) + costs.feed(0 if layer.products() is None else
                                                            layer.products()[0].out_features, False)
               for layer in teacher.layers)


def read_costs(raw: dict[str, Any], hidden_size: int, dtype: str = "int8") -> Costs:
    """Reads the output of `lookupffn bench --costs`: the entries of the nearest hidden size."""
    entries = [entry for entry in raw["costs"] if entry["dtype"] == dtype]
    if not entries:
        raise ValueError(f"the file of costs has none in {dtype}")
    nearest = min(entries, key=lambda entry: abs(entry["hidden_size"] - hidden_size))["hidden_size"]
    found: dict[str, list[float]] = {"head": [], "neuron": [], "row by word": []}
    for entry in entries:
        if entry["hidden_size"] == nearest and entry["part"] in found:
            found[entry["part"]].append(entry["us_per_token"])  # of few tokens a call and of many
    missing = [part for part, values in found.items() if not values]
    if missing:
        raise ValueError(f"the file of costs does not say what a {missing[0]} costs in {dtype}")
    return Costs(*(sum(values) / len(values) for values in found.values()))


def options_for(options: Options, share: float, costs_file: Path, teacher_folder: Union[str, Path], texts: Sequence[Path],
                work: Path, out: Path) -> Options:
    """The options with heads, neurons and rows for the budget, which are found once and kept in the run's folder."""
    if options.heads is not None or options.neurons is not None or options.words or options.kind != "lookup":
        raise ValueError("--budget chooses heads, neurons and rows by word: leave out --ffn, --heads, --neurons and --words")
    teacher = Subject.load(teacher_folder)
    if not isinstance(teacher.model, FamilyModel):
        raise ValueError(f"{teacher_folder}: --budget works only with models of Hugging Face's families")
    costs = read_costs(json.loads(costs_file.read_text(encoding="utf-8")), teacher.hidden_size)
    whole = teacher_microseconds(teacher.model, costs)
    identity = {"teacher": teacher.digest(), "texts": digest_of(texts), "budget": share, "costs": dataclasses.asdict(costs),
                "seed": options.seed, "tokens": options.closed_tokens, "word_rows": options.word_rows}
    found = read_note(work / "budget.json")
    if found is None or found["identity"] != identity:
        errors = _errors(options, teacher, texts, work)
        chosen = choose(errors, costs, share * whole)
        shares = [part / 20 for part in range(2, 21)]
        line = [sum(choice.error for choice in choose(errors, costs, part * whole)) / len(errors) for part in shares]
        most = line.index(line[-1]) + 1  # from where on all that may be chosen is
        found = {"identity": identity, "teacher": whole, "layers": [dataclasses.asdict(choice) for choice in chosen],
                 "errors": [[part * whole, error] for part, error in zip(shares[:most], line)]}
        safetensors.write_atomically(work / "budget.json", json.dumps(found).encode())
    _show(found, out)
    layers = found["layers"]
    return dataclasses.replace(options, kind=["vanilla" if layer["neurons"] else "none" for layer in layers],
                               heads=[layer["heads"] for layer in layers], neurons=[layer["neurons"] for layer in layers],
                               words=[layer["words"] for layer in layers])


def _errors(options: Options, teacher: Subject, texts: Sequence[Path], work: Path) -> list[LayerErrors]:
    teacher.model.eval().requires_grad_(False)
    tokenizer = teacher.tokenizer
    corpus = Corpus.prepare(work / "text", texts, tokenizer, min(256, teacher.longest), options.seed)
    all_batches = LengthBatches(corpus, options.tokens, options.seed, special=tokenizer.special_ids)
    batches: list[Tensor] = []
    while sum(ids.numel() for ids in batches) < min(options.closed_tokens, corpus.tokens):
        batches.append(torch.from_numpy(all_batches.ids(all_batches.number(len(batches)))))
    order = torch.from_numpy(np.bincount(corpus.ids, minlength=tokenizer.size)).argsort(descending=True, stable=True)
    row_of_word = torch.empty(len(order), dtype=torch.long)
    last = (options.word_rows or len(order)) - 1
    row_of_word[order] = torch.arange(len(order)).clamp(max=last)
    return Errors(teacher.model, batches, row_of_word, options.precision).run()


def _show(found: dict[str, Any], out: Path) -> None:
    spent = sum(layer["microseconds"] for layer in found["layers"])
    for number, layer in enumerate(found["layers"]):
        print(f"budget: layer {number}: {layer['heads']} heads, {layer['neurons']} neurons"
              f"{' and rows by word' if layer['words'] else ''}, error {layer['error']:.4f}, {layer['microseconds']:.3f} us")
    print(f"budget: {spent:.2f} us a token of the teacher's {found['teacher']:.2f}", flush=True)
    lines = {"the best for the time": [tuple(point) for point in found["errors"]],
             "chosen": [(spent, sum(layer["error"] for layer in found["layers"]) / len(found["layers"]))]}
    out.mkdir(parents=True, exist_ok=True)
    plot = svg(lines, "Parts for a budget", "heads, neurons and rows: microseconds a token", "mean error of a layer")
    safetensors.write_atomically(out / "budget.svg", plot.encode())
    safetensors.write_atomically(out / "budget.json", json.dumps(found, indent=1).encode())
