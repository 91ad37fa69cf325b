# SPDX-License-Identifier: Apache-2.0
"""The card of an adapted student, README.md of its folder: where it comes from, and its agreement before and after."""

from __future__ import annotations

from pathlib import Path

from .passages import Mixture
from .run import Found


def _row(what: str, values: list) -> str:
    before, after = values
    return "".join(f"| {what}, {how} | {before[key]:.4f} | {after[key]:.4f} |\n"
                   for key, how in (("r", "similarities"), ("cosine", "vectors")))


def card(name: str, student: Path, teacher: Path, mixture: Mixture, found: Found, keep: float = 0.0) -> str:
    teacher_name = teacher.resolve().name
    if teacher.resolve().parent.name == "snapshots":  # as Hugging Face's cache has it
        teacher_name = teacher.resolve().parent.parent.name.removeprefix("models--").replace("--", "/")
    general = _row("general texts", found.general) if found.general[0] is not None else ""
    steps = ", ".join(f"{step}: {value:.4f}" for step, value in found.measured)
    return f"""---
base_model: {teacher_name}
---
# {name}

{student.resolve().name}, a student distilled from {teacher_name}, fitted further to other texts by `python -m lookupffn adapt`, which wrote this page and model.safetensors, in int8.

Agreement with the teacher on texts that it did not learn from. Similarities: the correlation of the cosines of all pairs of texts. Vectors: the mean cosine with the teacher's.

| | before | after |
|---|---|---|
{_row("these texts", found.own)}{general}
- Learned: {mixture.passages} passages, the first sentences of a third of them as questions ({mixture.questions}), and {mixture.general} general texts{"" if mixture.general else ", so it may have forgotten some of what it knew"}.
- {found.steps} steps, {found.tokens} tokens, {found.seconds:.0f} seconds. Agreement of similarities after so many steps: {steps}.
{f"- Then {keep:g} of the weights before were mixed in (--keep), so that it forgets less." + chr(10) if keep else ""}- Vectors of the student before do not match: embed documents anew.
"""
