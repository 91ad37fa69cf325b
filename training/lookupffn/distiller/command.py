# SPDX-License-Identifier: Apache-2.0
"""python3 -m lookupffn distill TEACHER --text FILES --out STUDENT."""

from __future__ import annotations

import argparse
import math
import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import Any, Callable, Sequence, Union

from .. import features, static_student, words
from . import budget
from .run import Places, Run
from .state import describe
from .training import PRECISIONS, Options


def _each(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    """One value, or one per layer, separated by commas."""

    def read(text: str) -> Any:
        values = [kind(part) for part in text.split(",")]
        return values[0] if len(values) == 1 else values

    read.__name__ = f"{kind.__name__} or list of {kind.__name__}"
    return read


def _kind(text: str) -> str:
    if text not in ("lookup", "vanilla", "none"):
        raise ArgumentTypeError(f"{text} is not a kind of FFN; expected lookup, vanilla or none")
    return text


def _flag(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ArgumentTypeError(f"{text} is neither yes nor no")
    return text == "yes"


def _layers(text: str) -> list[int]:
    try:
        layers = [int(part) for part in text.split(",")]
    except ValueError:
        layers = [-1]
    if min(layers) < 0 or len(set(layers)) < len(layers):
        raise ArgumentTypeError(f"{text} is not a list of different layers, counted from 0, such as 0,1,5")
    return layers


def _fade(text: str) -> tuple[float, float]:
    try:
        begin, end = map(float, text.split(","))
    except ValueError:
        begin, end = -1.0, -1.0
    if not 0 <= begin <= end <= 1:
        raise ArgumentTypeError(f"{text} is not a pair of shares from 0 to 1, the first not above the second, such as 0.6,0.8")
    return begin, end


# Which values numbers may have, and how to say so.
_ABOVE_0: tuple[Callable[[float], bool], str] = (lambda value: value > 0, "more than 0")
_FROM_0: tuple[Callable[[float], bool], str] = (lambda value: value >= 0, "0 or more")
_FROM_1: tuple[Callable[[float], bool], str] = (lambda value: value >= 1, "1 or more")
_SHARE: tuple[Callable[[float], bool], str] = (lambda value: 0 <= value <= 1, "from 0 to 1")
_ALLOWED = {"tables": _FROM_1, "rows": _FROM_1, "block_size": _FROM_1, "seed": _FROM_0, "tokens": _FROM_1,
            "fit_steps": _FROM_0, "fit_rate": _ABOVE_0, "fit_tokens": _FROM_1, "steps": _FROM_0, "rate": _ABOVE_0,
            "rest_rate": _FROM_0, "words_rate": _FROM_0, "warm_up": _FROM_0, "last_rate": _SHARE, "fall": _SHARE, "average": _SHARE, "budget": _ABOVE_0, "twins": _SHARE, "bank": _FROM_0,
            "clip": _FROM_0,
            "int8_steps": _FROM_0, "int8_rate": _FROM_0, "threads": _FROM_0, "state_megabytes": _ABOVE_0,
            "heads": _FROM_0, "neurons": _FROM_0, "word_rows": _FROM_0, "row_rate": _FROM_0, "closed_tokens": _FROM_1,
            "cache_gigabytes": _FROM_0, "save_every": _FROM_0, "measure_every": _FROM_0, "stop_after": _FROM_0}


def check(arguments: Namespace) -> None:
    """Checks everything that would otherwise fail after much work."""
    for name, (fits, what) in _ALLOWED.items():
        given = getattr(arguments, name)
        for value in given if isinstance(given, list) else [given]:
            if value is not None and not (math.isfinite(value) and fits(value)):
                raise ValueError(f"--{name.replace('_', '-')} is {value}, expected {what}")


def default_work(out: Union[str, Path]) -> Path:
    """In the user's cache, outside any project."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "lookupffn" / Path(out).resolve().name


def add(commands: Any) -> None:
    defaults = Options()
    command: ArgumentParser = commands.add_parser(
        "distill", help="turn a trained model into one with lookups",
        description="Fits a LookupFFN to each FFN of a sentence encoder, masked language model or classifier, trains the "
        "whole against it, and writes a folder that the library and this package load, with a report. The same command "
        "resumes a stopped run; another machine needs only the state in --work besides.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    command.add_argument("teacher", help="a Hugging Face or sentence-transformers folder")
    command.add_argument("--text", nargs="+", type=Path, required=True, help="files with blank lines between documents")
    command.add_argument("--out", type=Path, required=True, help="folder for the student and its report")
    command.add_argument("--valid", nargs="*", type=Path, default=[],
                         help="texts to measure on; .tsv files hold pairs of a short and a long text")
    command.add_argument("--work", type=Path, help="folder for the state and rebuildable files (default: a folder of "
                         "OUT's name in the user's cache)")
    command.add_argument("--start", type=Path, help="folder that an earlier call wrote as --out, or the file made of "
                         "it, which may have other numbers of tables (with --fit-steps 0 its FFNs are not fitted again), or "
                         "neurons that lookups are fitted to")
    command.add_argument("--layers", type=_layers, help="layers to change, from 0, such as 0,1,5 (default: all)")
    command.add_argument("--tables", type=_each(int), default=defaults.tables,
                         help="tables per layer; a list gives each layer its own")
    command.add_argument("--rows", type=_each(int), default=defaults.rows, help="rows per table")
    command.add_argument("--projection", type=_each(str), default=defaults.projection, help="dense, or bh1 to bh9")
    command.add_argument("--block-size", type=_each(int), default=defaults.block_size, help="block size of bh projections")
    command.add_argument("--activation", type=_each(str), default=defaults.activation, help="gelu or sigmoid")
    command.add_argument("--linear", type=_each(_flag), nargs="?", const=True, default=defaults.linear,
                         help="a linear map beside the tables of each layer; yes or no for each")
    command.add_argument("--ffn", dest="kind", type=_each(_kind), default=defaults.kind,
                         help="for each layer: lookup, vanilla (neurons, chosen from the teacher's) or none (only a bias); "
                         "if all are none, without rows by word, only a report is written, for comparison")
    command.add_argument("--neurons", type=_each(int), help="neurons of vanilla layers (default: the teacher's)")
    command.add_argument("--heads", type=_each(int), help="heads of each layer, chosen from the teacher's; 0: attention gives "
                         "only a bias (default: the teacher's)")
    command.add_argument("--words", type=_each(_flag), nargs="?", const=True, default=defaults.words,
                         help="rows by word (a learned vector per token id); yes or no for each layer")
    command.add_argument("--word-dtype", choices=words.DTYPES, default=defaults.word_dtype,
                         help="type of rows by word in OUT; the int8 steps round them to 4 bits for int4, else to 8")
    for name, what in [("seed", "random seed"), ("tokens", "tokens per step"), ("fit_steps", "steps for the FFNs alone"),
                       ("fit_rate", "learning rate of the fit"), ("fit_tokens", "tokens to fit to"),
                       ("steps", "steps for the whole"), ("rate", "learning rate of the lookups"),
                       ("rest_rate", "learning rate of attention, norms and heads"),
                       ("words_rate", "learning rate of word and position embeddings; 0 keeps the teacher's"),
                       ("row_rate", "learning rate of rows by word"),
                       ("word_rows", "rows by word: one for each of the most frequent words and one for all others; "
                        "0: one for each word"),
                       ("closed_tokens", "tokens for the closed form"),
                       ("warm_up", "steps in which the rate rises; 0: none"), ("last_rate", "share of the rate at the end"),
                       ("fall", "share of the steps, at the end, over which the rate falls"),
                       ("average", "weight of a step relative to the next in the mean of the weights that is kept, "
                        "such as 0.995; 0: the last weights"),
                       ("twins", "share of the texts that are copies of others in their batch with a word changed"),
                       ("bank", "how many of the teacher's embeddings to learn similarities to, as well"),
                       ("clip", "largest length of the gradient; 0: no limit"),
                       ("int8_steps", "steps with weights rounded to int8, at the end"),
                       ("int8_rate", "share of the rate for these steps")]:
        default = getattr(defaults, name)
        command.add_argument("--" + name.replace("_", "-"), type=type(default), default=default, help=what)
    command.add_argument("--budget", type=float, help="share of the teacher's time in heads and neurons: heads, neurons and "
                         "rows by word of each layer are chosen by the errors of the closed form and by --costs")
    command.add_argument("--costs", type=Path, help="output of lookupffn bench --costs on the target processor")
    command.add_argument("--fade", type=_fade, default=defaults.fade, help="shares of the steps between which the hidden "
                         "states leave the loss, such as 0.6,0.8; afterwards the teacher's stored answers are enough")
    command.add_argument("--hidden-layers", type=_layers,
                         help="layers whose states are learned, from 0, such as 2,5 (default: all)")
    command.add_argument("--teacher-int8", action="store_true", help="let liblookupffn run the teacher with int8 weights, "
                         "several times as fast; few --hidden-layers then save the most")
    command.add_argument("--precision", choices=PRECISIONS, default="float32", help="type of products")
    command.add_argument("--device", default="cpu")
    command.add_argument("--threads", type=int, default=0)
    places = Places(Path())
    command.add_argument("--state-megabytes", type=float, default=places.megabytes, help="largest size of the state")
    command.add_argument("--cache-gigabytes", type=float, default=places.cache_gigabytes,
                         help="disk space for the teacher's answers")
    command.add_argument("--save-every", type=int, default=places.save_every,
                         help="steps between two states; 0: only at the end of a phase")
    command.add_argument("--measure-every", type=int, default=places.measure_every,
                         help="steps between two measurements; 0: only at the end of a phase")
    command.add_argument("--stop-after", type=int, help="steps of this call; the same command resumes the run")
    static = static_student.Options()
    command.add_argument("--static", action="store_true", help="no layers: one vector per token, whose mean is a text's "
                         "embedding, as a folder in Model2Vec's form; each line of --text (.txt or .txt.xz) is a passage, "
                         "and besides --work, --seed and --threads only these options apply:")
    for name, what in [("size", "numbers per vector, the teacher's principal directions; 0: as many as it has"),
                       ("dtype", "type of the vectors: f32, f16 or int8"), ("tokens", "tokens of text to learn from"),
                       ("passes", "passes over the text")]:
        default = getattr(static, name)
        command.add_argument("--static-" + name, type=type(default), default=default, help=what)
    command.set_defaults(run_command=distill)


def distill(arguments: Namespace) -> None:
    check(arguments)
    features.set_threads(arguments.threads)
    fields = Options.__dataclass_fields__
    options = Options(**{name: getattr(arguments, name) for name in fields})
    if (arguments.budget is None) != (arguments.costs is None):
        raise ValueError("--budget and --costs go together: lookupffn bench --costs > costs.json")
    missing: Sequence[Path] = [path for path in (*arguments.text, *arguments.valid, *filter(None, [arguments.costs]))
                               if not path.exists()]
    if missing:
        raise FileNotFoundError(f"{missing[0]}: no such file")
    if arguments.static:
        chosen = {name: getattr(arguments, "static_" + name) for name in ("size", "dtype", "tokens", "passes")}
        cosine = static_student.distill(arguments.teacher, arguments.text, arguments.out, arguments.work or
                                        default_work(arguments.out), static_student.Options(**chosen, seed=arguments.seed),
                                        arguments.threads)
        print(f"done: {arguments.out}, mean cosine with the teacher {cosine:.3f}")
        return
    places = Places(arguments.work or default_work(arguments.out), arguments.state_megabytes, arguments.cache_gigabytes,
                    arguments.save_every, arguments.measure_every)
    if arguments.budget is not None:
        options = budget.options_for(options, arguments.budget, arguments.costs, arguments.teacher, arguments.text, places.work,
                                     arguments.out)
    run = Run(arguments.teacher, arguments.text, arguments.out, options, places, arguments.valid, arguments.device,
              arguments.start)
    if run.processes.first:
        print(f"state: {run.state.path}, {describe(run.level)}", flush=True)
    if run.go(arguments.stop_after) and run.processes.first:
        print(f"done: {arguments.out}")
