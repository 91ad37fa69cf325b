# SPDX-License-Identifier: Apache-2.0
"""report.md of a run with its plots: what was learned when, and what the student costs and gains."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from torch import nn

from .. import safetensors
from ..families import Layer
from ..layer import LookupFFN
from ..words import Words
from .plot import svg
from .quantise import int8_weights
from .subject import Subject
from .training import Options

# What a plot's lines may be.
_HIGHER = (" r", " rho", " cosine", "retrieval", "same best", "correlation")


def ffn_flop(subject: Subject) -> int:
    """The FLOP of one token in all FFNs, by the paper's count."""
    total = 0
    for layer in subject.layers:
        ffn = getattr(layer, "FFN", None)
        if isinstance(ffn, LookupFFN):
            total += ffn.flop_per_token()
            continue
        parts = layer.linear_parts()[1] if isinstance(layer, Layer) else ffn.modules()
        total += sum(2 * part.weight.numel() for part in parts if isinstance(part, nn.Linear))
    return total


def attention_flop(subject: Subject) -> int:
    """The FLOP of one token in the linear layers of attention, without scores and sums over other tokens."""
    total = 0
    for layer in subject.layers:
        parts = layer.linear_parts()[0] if isinstance(layer, Layer) else layer.attention.modules()
        total += sum(2 * part.weight.numel() for part in parts if isinstance(part, nn.Linear))
    return total


def sizes(subject: Subject) -> tuple[int, int, int]:
    """-> numbers, bytes as float32, bytes with int8 wherever the library has it, without the file's header."""
    parameters = list(subject.model.parameters())
    numbers = sum(parameter.numel() for parameter in parameters)
    rounded = int8_weights(subject.model)
    rows = [module.weight for module in subject.model.modules() if isinstance(module, Words)]
    short = sum(p.numel() + 4 * p.numel() // p.shape[-1] for p in [*rounded, *rows])
    return numbers, 4 * numbers, short + 4 * (numbers - sum(p.numel() for p in [*rounded, *rows]))


def _table(rows: list[tuple[str, ...]]) -> str:
    return "\n".join(["| " + " | ".join(row) + " |" + ("\n|" + "---|" * len(row) if i == 0 else "")
                      for i, row in enumerate(rows)]) + "\n"


def _number(value: Any) -> str:
    return "" if value is None else f"{value:.4f}"


def _kinds_of(options: Options) -> str:
    kinds = options.kind if isinstance(options.kind, list) else [options.kind]
    names = {"lookup": "LookupFFNs", "vanilla": "narrow FFNs", "none": "FFNs left out"}
    return ", ".join(dict.fromkeys(names[kind] for kind in kinds)) + (" and rows by word" if options.has_words else "")


def write(folder: Path, student: Subject, teacher: Subject, options: Options, note: dict[str, Any]) -> None:
    """note: the run's history, as its state holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    fit, whole, measured = note["fit"], note["whole"], note["measured"]
    fitted = note.get("fitted", note["layers"])
    if fit:
        lines = {f"layer {i}": [(entry[0], entry[1][place]) for entry in fit] for place, i in enumerate(fitted)}
        safetensors.write_atomically(folder / "fit.svg", svg(lines, "Each FFN alone", "step", "error", log_y=True).encode())
    if whole:
        lines = {key: [(entry["step"], entry[key]) for entry in whole] for key in ("hidden", "answer")}
        safetensors.write_atomically(folder / "loss.svg", svg(lines, "The whole", "step", "loss", log_y=True).encode())
    names = [name for name in (measured[-1]["values"] if measured else {}) if name.endswith(_HIGHER)]
    if names:
        lines = {name: [(entry["step"], entry["values"][name]) for entry in measured
                        if entry["phase"] in ("fit", "whole") and name in entry["values"]] for name in names}
        plot = svg(lines, "Held-out texts", "step", "against the teacher")
        safetensors.write_atomically(folder / "quality.svg", plot.encode())
    text = [f"# A student of {teacher.folder.name}", "",
            f"{_kinds_of(options)} in layers {note['layers']}; "
            f"trained on {note['tokens_seen'] / 1e6:.2f} million tokens, the fit of the FFNs aside"
            f"{', from where an earlier student had ended' if note.get('start') else ''}.", "", "## Quality", ""]
    if measured:
        header = ("after", *measured[-1]["values"])
        text.append(_table([header] + [(entry["label"], *(_number(entry["values"].get(name)) for name in header[1:]))
                                       for entry in measured]))
    else:
        text.append("Nothing was measured: no held-out texts were given.\n")
    if names:
        text.append("![](quality.svg)\n")
    if fit:
        text += ["## Each FFN alone", "", "Squared error after what follows the FFN, over the variance there, at the last "
                 "step: " + ", ".join(f"layer {i} {error:.4f}" for i, error in zip(fitted, fit[-1][1])) + ".", "",
                 "![](fit.svg)\n"]
    if note.get("closed_form"):
        text += ["## By closed form", "", "Squared error on the student's own inputs over the variance, before any step of "
                 "the whole.", "", _table([("layer", "heads that stay", "error after attention", "neurons", "error")] + [
                     (str(entry["layer"]), ", ".join(map(str, entry["heads"])), _number(entry["attention_error"]),
                      str(entry["neurons"]), _number(entry["error"])) for entry in note["closed_form"]])]
    if whole:
        text += ["## The whole", "", "![](loss.svg)\n"]
    mine, theirs = sizes(student), sizes(teacher)
    text += ["## Cost", "", _table([
        ("", "teacher", "student"),
        ("FLOP per token in the FFNs", f"{ffn_flop(teacher):,}", f"{ffn_flop(student):,}"),
        ("FLOP per token in attention's products", f"{attention_flop(teacher):,}", f"{attention_flop(student):,}"),
        ("parameters", f"{theirs[0]:,}", f"{mine[0]:,}"),
        ("bytes in float32", f"{theirs[1]:,}", f"{mine[1]:,}"),
        ("bytes in int8", f"{theirs[2]:,}", f"{mine[2]:,}")]), "## Settings", ""]
    text.append(_table([("setting", "value")] + [(key, str(value)) for key, value in
                                                 dataclasses.asdict(options).items()]))
    text += ["Seconds spent: " + ", ".join(f"{phase} {seconds:.0f}" for phase, seconds in note["seconds"].items()) + ".",
             "Steps of int8 round weights to int8 as the library does while the whole weights learn; inputs of products "
             "are not rounded.", ""]
    safetensors.write_atomically(folder / "report.md", "\n".join(text).encode())
