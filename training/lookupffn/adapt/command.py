# SPDX-License-Identifier: Apache-2.0
"""python3 -m lookupffn adapt STUDENT TEXTS... --out MINE."""

from __future__ import annotations

import math
import os
import signal
import sys
import tempfile
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import Any, Callable, Optional

import torch

from .. import features, native
from ..distiller.subject import Subject
from ..family_model import save_folder
from ..native_model import INT8, NativeModel
from . import find, passages, report
from .run import RISE, Adaptation, options_for

_FEWEST_PASSAGES = 40
_SLOW = 12e9  # operations a second, of one thread


def _from(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text)
        if value < least:
            raise ArgumentTypeError(f"{text} is less than {least}")
        return value

    read.__name__ = "whole number"
    return read


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1:
        raise ArgumentTypeError(f"{text} is not from 0 to below 1")
    return value


_share.__name__ = "number"


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < math.inf:
        raise ArgumentTypeError(f"{text} is not a number above 0")
    return value


_positive.__name__ = "number"


def add(commands: Any) -> None:
    command: ArgumentParser = commands.add_parser(
        "adapt", help="fit a student to one's own texts",
        description="Trains a sentence encoder that was distilled from another one further, on your own texts: it learns the "
        "vectors that its teacher gives them. No labels are needed. OUT gets an int8 file that the library loads, and a report.")
    command.add_argument("student", type=Path, help="a file that the library wrote, or its folder")
    command.add_argument("texts", type=Path, nargs="+", help="files or folders: a passage on each line, or between blank lines; "
                         ".jsonl with title and text; also .xz")
    command.add_argument("--out", type=Path, required=True, help="a new folder")
    command.add_argument("--teacher", type=Path, help="the teacher's folder (default: the one that the student's README.md names, "
                         "here, beside the student, or in the cache of Hugging Face)")
    command.add_argument("--general", type=Path, nargs="*", help="general texts, so that the student keeps what it knew; none after "
                         "the option: without (default: fetched once by fetch_text.py, where this is a checkout on Debian or Ubuntu)")
    command.add_argument("--steps", type=_from(1), default=640, help="most steps (default: 640)")
    command.add_argument("--tokens", type=_from(64), default=2048, help="tokens per step (default: 2048)")
    command.add_argument("--threads", type=_from(0), default=0, help="threads (default: as PyTorch has them)")
    command.add_argument("--rate", type=_positive, default=1.0, metavar="TIMES", help="how fast it learns, as a multiple of the usual "
                         "rate: with more of it a student that was trained briefly learns more, one that was trained for long "
                         "forgets (default: 1)")
    command.add_argument("--keep", type=_share, default=0.0, metavar="SHARE", help="how much of the weights before stays in those "
                         "that come out, from 0 to below 1, so that it forgets less of other texts (default: 0)")
    command.add_argument("--seed", type=_from(0), default=0)
    command.set_defaults(run_command=adapt)


def _warn_if_slow() -> None:
    """A product as the run has many. The best of several, for the machine may have other work."""
    a, b = torch.ones(512, 384), torch.ones(384, 384)
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        torch.mm(a, b)
        times.append(time.perf_counter() - begin)
    speed = 2 * 512 * 384 * 384 / max(min(times[1:]), 1e-9)
    if speed < _SLOW:
        print(f"PyTorch multiplies slowly here, {speed / 1e9:.0f} thousand million operations a second, so this takes several times "
              "as long as it could. On Debian and Ubuntu, apt-get install libopenblas0-pthread helps; on new Intel processors "
              "also OPENBLAS_CORETYPE=SkylakeX.", file=sys.stderr, flush=True)


def _general(given: Optional[list[Path]], most: int, seed: int) -> list[str]:
    if given is None:
        kept = find.general_texts()
        given = [] if kept is None else [kept]
        if kept is None:
            print("no general texts, so the student may forget some of what it knew; --general names files of them", flush=True)
    return passages.sample(given, most, seed) if given else []


def _write(out: Path, student: find.Student, teacher: Subject, text: str) -> None:
    """The folder appears whole or not at all."""
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as folder:
        whole, written = Path(folder) / "whole", Path(folder) / "written"
        save_folder(student.model, whole, teacher.folder, word_dtype=student.word_dtype)
        written.mkdir()
        with NativeModel(whole, table_dtype=INT8, hash_dtype=INT8, linear_dtype=INT8, embedding_dtype=INT8) as model:
            model.save(written / "model.safetensors")
        (written / "README.md").write_text(text, encoding="utf-8")
        os.replace(written, out)


def _run(arguments: Namespace) -> None:
    out = arguments.out.absolute()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{arguments.out}: exists already; give another --out")
    if native.library() is None:
        raise ValueError("liblookupffn_train was not found, which writes the file; set LOOKUPFFN_LIBRARY to its file")
    student = find.load_student(arguments.student)
    teacher = Subject.load(find.find_teacher(arguments.student, arguments.teacher))
    subject = find.taught(student, teacher)
    # A piece has 16 tokens or more on average, and half of the pieces are general.
    most = max(1000, arguments.steps * arguments.tokens // 16 // 2)
    own = passages.sample(arguments.texts, most, arguments.seed)
    if len(own) < _FEWEST_PASSAGES:
        raise ValueError(f"the texts have {len(own)} different passages of 20 letters or more, expected {_FEWEST_PASSAGES} at least")
    mixture = passages.mix(own, _general(arguments.general, most, arguments.seed), teacher.sentence.prompts)
    print(f"{mixture.passages} passages and {mixture.questions} first sentences as questions, {mixture.general} general texts; "
          f"teacher: {teacher.folder}", flush=True)
    _warn_if_slow()
    options = options_for(teacher, subject, arguments.steps, arguments.tokens, arguments.seed, student.word_dtype, arguments.rate)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="lookupffn-adapt-") as work:
        found = Adaptation(subject, teacher, mixture, options, Path(work), arguments.keep).run()
    before, after = (values["r"] for values in found.own)
    if after < before + RISE:
        raise ValueError(f"the agreement with the teacher on held-out texts did not rise, from {before:.4f} to {after:.4f}: the "
                         "student knows such texts, or they are too few; nothing was written")
    _write(out, student, teacher, report.card(arguments.out.name, student.path, teacher.folder, mixture, found, arguments.keep))
    print(f"done: {arguments.out}, agreement with the teacher {before:.4f} before, {after:.4f} after")


def _stop(*_: Any) -> None:
    raise KeyboardInterrupt


def adapt(arguments: Namespace) -> None:
    features.set_threads(arguments.threads)
    before = signal.signal(signal.SIGTERM, _stop)  # as Ctrl-C, so that temporary files go
    try:
        _run(arguments)
    except RuntimeError as error:  # of the library
        raise ValueError(str(error)) from None
    except KeyboardInterrupt:
        print("\nlookupffn: stopped; nothing was written", file=sys.stderr)
        sys.exit(130)
    finally:
        signal.signal(signal.SIGTERM, before)
