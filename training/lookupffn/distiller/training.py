# SPDX-License-Identifier: Apache-2.0
"""The two phases: each FFN alone learns the old one's outputs, then the whole learns from the teacher."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Optional

import torch
from torch import Tensor, nn

from .. import features
from ..families import Layer
from ..layer import LookupFFN
from ..optimiser import make_optimizer, set_rate
from ..parallel import Processes
from ..projections import BlockHadamard
from ..sparse import clip
from ..words import BITS, Words
from .average import Average
from .grow import fit_linear, has_neurons, take_over_ffn
from .quantise import int8
from .subject import States, Subject, answer_loss, relative_error
from .teacher_cache import FFNExamples, TeacherStates


# Not float16, which needs the loss scaled.
PRECISIONS = ("float32", "bfloat16")


@dataclasses.dataclass
class Options:
    """The options of a run. What is learned depends on all of them."""

    kind: Any = "lookup"  # "vanilla": neurons; "none": a bias alone; a list gives each layer its own
    layers: Optional[list[int]] = None
    heads: Any = None  # None: the teacher's
    neurons: Any = None
    words: Any = False
    word_rows: int = 0  # 0: one for each word
    word_dtype: str = "f32"
    closed_tokens: int = 400_000
    tables: Any = 128
    rows: Any = 16
    projection: Any = "dense"
    block_size: Any = 32
    activation: Any = "gelu"
    linear: Any = False
    seed: int = 0
    tokens: int = 4096
    fit_steps: int = 350
    fit_rate: float = 1e-2
    fit_tokens: int = 400_000
    steps: int = 2400
    rate: float = 1e-3
    rest_rate: float = 3e-4
    words_rate: float = 0.0
    row_rate: float = 1e-3
    warm_up: int = 50
    last_rate: float = 0.02
    fall: float = 1.0
    average: float = 0.0
    twins: float = 0.0
    bank: int = 0
    hidden_layers: Optional[list[int]] = None  # whose states are learned; None: all
    teacher_int8: bool = False
    clip: float = 2.0
    int8_steps: int = 300
    int8_rate: float = 0.1
    fade: tuple[float, float] = (1.0, 1.0)
    precision: str = "float32"

    def kinds(self, count: int) -> list[str]:
        """The kinds for this many layers."""
        kinds = self.kind if isinstance(self.kind, list) else [self.kind] * count
        if len(kinds) != count:
            raise ValueError(f"--ffn has {len(kinds)} entries for {count} layers")
        return kinds

    @property
    def has_words(self) -> bool:
        return any(self.words) if isinstance(self.words, list) else self.words

    @property
    def is_narrow(self) -> bool:
        """Whether it starts in closed form: some layers have parts other than lookups and the teacher's."""
        return self.heads is not None or self.has_words or "vanilla" in (self.kind if isinstance(self.kind, list) else [self.kind])

    def changes(self, size_key: str) -> dict[str, Any]:
        """Config keys of new FFNs; size_key: what the model's family calls intermediate_size."""
        kinds = self.kind if isinstance(self.kind, list) else [self.kind]
        changes: dict[str, Any] = {}
        if "lookup" in kinds:
            changes = {"ffn_num_table": self.tables, "ffn_table_size": self.rows, "projection_type": self.projection,
                       "block_size": self.block_size, "activation": self.activation,
                       **({"ffn_linear": self.linear} if self.linear else {})}
        if self.neurons is not None:
            if "vanilla" not in kinds:
                raise ValueError("--neurons are of layers with --ffn vanilla, of which there is none")
            changes[size_key] = self.neurons
        if self.has_words:
            changes.update(ffn_words=self.words, **({"ffn_word_rows": self.word_rows} if self.word_rows else {}))
        elif self.word_rows:
            raise ValueError("--word-rows are of layers with --words, of which there is none")
        return changes


def _is_embedding(name: str) -> bool:
    return name.endswith("_embeddings.weight")


@torch.no_grad()
def begin(ffn: nn.Module, a: Tensor, f: Tensor) -> None:
    """Starts with balanced codes, hash values of similar size, and the mean of the targets."""
    if isinstance(ffn, LookupFFN):
        z = ffn.hash_values(a).flatten(1)
        projection = ffn.hash.projection
        scale = 1.0
        if not isinstance(projection, BlockHadamard):
            scale = 0.7 / float(z.std(0).mean().clamp(min=1e-6))
            projection.weight.mul_(scale)
        projection.bias.copy_((projection.bias - z.median(0).values) * scale)
        if ffn.linear is not None:
            fit_linear(ffn.linear, a, f)
            f = f - ffn.linear(a)
    if hasattr(ffn, "bias"):
        ffn.bias.copy_(f.mean(0))


class Fit:
    """Every new FFN learns alone, from inputs and outputs of the teacher's, or of those that an earlier student has there."""

    def __init__(self, student: Subject, source: Subject, layers: list[int], examples: FFNExamples,
                 options: Options) -> None:
        self.student, self.layers, self.examples, self.options = student, layers, examples, options
        self.finish = {i: source.layers[i].finish for i in layers}
        self.ffns = {i: student.layers[i].FFN for i in layers}
        self.batch = min(options.tokens, examples.tokens)
        self.modules = nn.ModuleList(self.ffns.values())
        # At the rate at which tables are fitted, linear maps would not settle.
        linear = [p for name, p in self.modules.named_parameters() if ".linear." in name]
        self.optimizer = make_optimizer(self.modules, also_careful=linear)

    def begin(self, earlier: Optional[Subject] = None) -> None:
        """Starts anew, or from an earlier student."""
        for i in self.layers:
            begin(self.ffns[i], *self.examples.get(i, 0, min(20_000, self.examples.tokens), self.student.model.device))
            if earlier is not None and not has_neurons(earlier, i):
                a, _ = self.examples.get(i, 0, min(8192, self.examples.tokens), self.student.model.device)
                take_over_ffn(self.ffns[i], earlier.layers[i].FFN, i, self._input(i, a))

    def step(self, number: int) -> list[float]:
        """-> each layer's error: squared difference after what follows the FFN, over the variance there."""
        options = self.options
        places = max(1, self.examples.tokens // self.batch)
        draw = torch.Generator().manual_seed(options.seed * 1_000_003 + number)
        first = int(torch.randint(places, (1,), generator=draw)) * self.batch
        rise = min(1.0, (number + 1) / min(30, options.fit_steps))
        set_rate(self.optimizer, options.fit_rate * rise * (1 - 0.8 * number / options.fit_steps))
        self.optimizer.zero_grad(set_to_none=True)
        errors = []
        for i in self.layers:
            a, f = self.examples.get(i, first, self.batch, self.student.model.device)
            with torch.no_grad():
                wanted = self.finish[i](a, f)
            error = relative_error(self.finish[i](a, self.ffns[i](self._input(i, a))), wanted)
            error.backward()
            errors.append(error.detach())
        self.optimizer.step()
        return torch.stack(errors).tolist()  # at once, for reading waits for the device

    def _input(self, layer: int, a: Tensor) -> Tensor:
        block = self.student.layers[layer]
        with torch.no_grad():
            return block.fed(a) if isinstance(block, Layer) else a


class Whole:
    """The student learns its teacher's hidden states and answers."""

    def __init__(self, student: Subject, states: TeacherStates, layers: list[int], options: Options,
                 processes: Processes) -> None:
        self.student, self.states, self.options, self.processes = student, states, options, processes
        self.batches = states.batches
        ffns = [student.layers[i].FFN for i in layers if hasattr(student.layers[i], "FFN")]
        for ffn in ffns:
            if isinstance(ffn, LookupFFN):
                ffn.use_products = options.precision == "bfloat16"
        own = {id(p) for ffn in ffns for name, p in ffn.named_parameters() if not name.startswith("linear.")}
        factors = own & {id(m.weight) for m in student.model.modules() if isinstance(m, BlockHadamard)}
        words = {id(p) for name, p in student.model.named_parameters() if _is_embedding(name)}
        rows = {id(module.weight) for module in student.model.modules() if isinstance(module, Words)}
        self.word_bits = BITS.get(options.word_dtype, 8)
        self.choose_what_learns(student, options)
        learns = [p for p in student.model.parameters() if p.requires_grad]
        groups = [{"params": [p for p in learns if id(p) in own and id(p) not in factors], "scale": 1.0},
                  {"params": [p for p in learns if id(p) not in own | words | rows],
                   "scale": options.rest_rate / options.rate},
                  {"params": [p for p in learns if id(p) in rows], "scale": options.row_rate / options.rate},
                  {"params": [p for p in learns if id(p) in factors], "scale": 0.3},
                  {"params": [p for p in learns if id(p) in words], "scale": options.words_rate / options.rate}]
        self.learns = learns
        self.average = Average(student.model, options.average) if options.average > 0 else None
        self.bank = states.bank(options.bank) if options.bank and student.kind == "sentence" else None
        self.optimizer = features.adamw([group for group in groups if group["params"]], lr=0.0, betas=(0.9, 0.98),
                                        eps=1e-6, weight_decay=0.0)

    @staticmethod
    def choose_what_learns(student: Subject, options: Options) -> None:
        for name, parameter in student.model.named_parameters():
            unused = ".pooler." in name and student.kind != "classes"
            parameter.requires_grad_(not unused and (options.words_rate > 0 or not _is_embedding(name)))

    @property
    def total(self) -> int:
        return self.options.steps + self.options.int8_steps

    def is_int8(self, step: int) -> bool:
        return step >= self.options.steps

    def rate(self, step: int) -> float:
        """The rate rises, stays, falls to a small share, and starts lower for the steps with rounded weights."""
        options = self.options
        if self.is_int8(step):
            return options.rate * options.int8_rate * max(options.last_rate, 1 - (step - options.steps) / options.int8_steps)
        left = 1 - step / options.steps
        falling = left / options.fall if left < options.fall else 1.0
        return options.rate * min(1.0, (step + 1) / max(1, options.warm_up)) * max(options.last_rate, falling)

    def hidden_weight(self, step: int) -> float:
        """The weight of the hidden states in the loss: 1, then less, then 0 from the end of the fade on."""
        begin_fade, end_fade = (share * self.options.steps for share in self.options.fade)
        if self.options.fade[0] >= 1 or step < begin_fade:
            return 1.0
        return max(0.0, 1 - (step - begin_fade + 1) / max(1.0, end_fade - begin_fade))

    def step(self, number: int) -> dict[str, float]:
        set_rate(self.optimizer, self.rate(number))
        batch = self.batches.number(self.processes.batch_numbers(number, 1)[0])
        ids = torch.from_numpy(self.batches.ids(batch)).to(self.processes.device)
        weight = self.hidden_weight(number)
        answer, hidden = self.states.get(batch, ids, weight > 0)
        self.optimizer.zero_grad(set_to_none=True)
        with int8(self.student.model, self.is_int8(number), self.word_bits):
            states: States = []
            with features.autocast(self.processes.device, self.options.precision):
                mine = self.student.answer(self.student.hidden(ids, states), ids)
            loss_of_answer = answer_loss(self.student.kind, mine.float(), answer, self.bank)
            apart = [relative_error(states[i][2].float(), wanted) for i, wanted in zip(self.states.layers, hidden)]
            loss = loss_of_answer + (weight * sum(apart) / len(apart) if apart else 0.0)
            loss.backward()
        self._share_gradients()
        parts = [loss, loss_of_answer, sum(apart) if apart else torch.zeros_like(loss)]
        value, of_answer, of_hidden = torch.stack([part.detach() for part in parts]).tolist()
        if not math.isfinite(value):
            raise ArithmeticError(f"the loss of step {number} is {value}; try a lower rate")
        if self.options.clip > 0:
            clip(self.learns, self.options.clip)
        self.optimizer.step()
        if self.average is not None and number < self.options.steps:
            self.average.add(number + 1)
            if number + 1 == self.options.steps:
                self.average.begin_again()
        return {"loss": value, "answer": of_answer, "hidden": of_hidden / max(1, len(apart))}

    def _share_gradients(self) -> None:
        """Every process calls this; afterwards all have the mean."""
        if self.processes.count == 1:
            return
        for parameter in self.learns:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            elif parameter.grad.is_sparse:
                parameter.grad = self.processes.mean_rows(parameter.grad)
        grads = [parameter.grad for parameter in self.learns if not parameter.grad.is_sparse]
        mean = self.processes.mean(torch.cat([grad.flatten() for grad in grads]))  # one exchange for all
        for grad, part in zip(grads, mean.split([grad.numel() for grad in grads])):
            grad.copy_(part.view_as(grad))
