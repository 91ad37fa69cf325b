# SPDX-License-Identifier: Apache-2.0
"""python3 -m lookupffn distill-many TEACHER --texts FILE --plan FILE --out OUT, and the commands that prepare its files."""

from __future__ import annotations

import argparse
import dataclasses
import json
import typing
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any, Callable, Union

import torch

from .. import single_file
from ..family_model import FamilyModel, load_folder, save_folder
from ..sentence import POOLINGS
from ..text_tokenizer import TextTokenizer
from . import packs, start, texts
from .draw import Draw, Shares, made_parts
from .losses import Weights
from .run import Options, Run, Student


def load_model(path: Path, teacher: Union[FamilyModel, None] = None) -> FamilyModel:
    """A folder, a file that the library wrote, or a pack."""
    if path.is_dir():
        pack = path / "model.pack"
        return packs.read(pack) if pack.exists() else load_folder(path)
    return packs.read(path, teacher) if path.suffix == ".pack" else single_file.load_model(path)


def pooling_of(folder: Path) -> str:
    config = json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8"))
    return next(mode for mode in POOLINGS if config.get("pooling_mode_" + mode))


def prompt_of(folder: Path) -> str:
    path = folder / "config_sentence_transformers.json"
    settings = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return (settings.get("prompts") or {}).get("query", "")


def draws(folder: Path, found: texts.Texts, shares: Shares, only: Any = None) -> Callable[[int], Draw]:
    tokenizer = TextTokenizer.load(folder)
    parts = made_parts(tokenizer.pieces.encode, prompt_of(folder).strip())
    negation = tokenizer.pieces.encode("not")
    return lambda seed: Draw(found, tokenizer.begin,
                             tokenizer.end, parts, shares, seed,
                             negation=negation[0] if len(negation) == 1 else None, only=only)


def student_of(entry: dict[str, Any], folder: Path, teacher: FamilyModel) -> Student:
    known = {"name", "start", "states", "weights", "words", "rate"}
    if set(entry) - known:
        raise ValueError(f"unknown keys in the plan: {', '.join(sorted(set(entry) - known))}; known are {', '.join(sorted(known))}")
    states = {int(mine): (int(theirs), float(weight)) for mine, (theirs, weight) in entry.get("states", {}).items()}
    model = load_model(folder / entry["start"], teacher) if "start" in entry else None
    return Student(entry["name"], model, states, Weights(**entry.get("weights", {})), entry.get("words", True), entry.get("rate", 1.0))


def distill_many(arguments: Namespace) -> None:
    if arguments.device == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cuda.enable_cudnn_sdp(False)  # plans for each shape take long to make
    options = Options(**{field.name: getattr(arguments, field.name) for field in dataclasses.fields(Options)})
    plan = json.loads(arguments.plan.read_text(encoding="utf-8"))
    teacher = load_model(arguments.teacher)
    students = [student_of(entry, arguments.plan.parent, teacher) for entry in plan["students"]]
    found = texts.load(arguments.texts)
    run = Run(teacher, pooling_of(arguments.teacher), students, draws(arguments.teacher, found, Shares(**plan.get("shares", {})),
                                                                    plan.get("sources")), arguments.out, options, arguments.device, state=arguments.state)
    print("done" if run.go(arguments.stop_after) else "stopped; the same command goes on", flush=True)


def make_texts(arguments: Namespace) -> None:
    found = texts.prepare(arguments.files, TextTokenizer.load(arguments.tokenizer))
    texts.save(arguments.out, found)
    print(f"{len(found.starts) - 1} passages, {len(found.ids)} tokens, {len(found.word_size)} different words")


def make_start(arguments: Namespace) -> None:
    model = load_model(arguments.model)
    if arguments.layers:
        model = start.with_layers(model, arguments.layers)
    if arguments.rows:
        model = start.with_rows(model, texts.load(arguments.texts).counts, arguments.rows)
    packs.write(arguments.out, model.file_config(), model.file_tensors(), matrices=arguments.matrices,
                without_words=arguments.without_words)


def make_folder(arguments: Namespace) -> None:
    model = packs.read(arguments.pack, load_model(arguments.like))
    save_folder(model, arguments.out, arguments.like, "f32", "int4" if any(hasattr(layer, "words") for layer in model.layers)
                else None)


def add(commands: argparse._SubParsersAction[ArgumentParser]) -> None:
    command = commands.add_parser("distill-many", help="train several students of one teacher together, within a given time")
    command.add_argument("teacher", type=Path, help="a sentence-transformers folder of a BERT encoder")
    command.add_argument("--texts", type=Path, required=True, help="written by the command texts")
    command.add_argument("--plan", type=Path, required=True, help="JSON: the students, their starts, what they learn")
    command.add_argument("--out", type=Path, required=True, help="folder for a pack of each student and log.json")
    command.add_argument("--state", type=Path, help="file from which a stopped run resumes")
    command.add_argument("--stop-after", type=float, help="seconds of this call")
    command.add_argument("--device", default="cpu")
    kinds = typing.get_type_hints(Options)
    for field in dataclasses.fields(Options):
        name = "--" + field.name.replace("_", "-")
        if kinds[field.name] is bool:
            command.add_argument(name, action="store_true")
        else:
            command.add_argument(name, type=kinds[field.name], default=field.default)
    command.set_defaults(run_command=distill_many)

    command = commands.add_parser("texts", help="turn passages, one per line, into the ids that distill-many draws from")
    command.add_argument("out", type=Path)
    command.add_argument("files", type=Path, nargs="+", help=".txt or .txt.xz")
    command.add_argument("--tokenizer", type=Path, required=True, help="the teacher's folder")
    command.set_defaults(run_command=make_texts)

    command = commands.add_parser("start", help="write a model as a pack, with all or some layers, or rows for other words")
    command.add_argument("model", type=Path)
    command.add_argument("out", type=Path)
    command.add_argument("--layers", type=lambda text: [int(part) for part in text.split(",")])
    command.add_argument("--rows", type=int, help="number of rows by word, for the most frequent words of --texts")
    command.add_argument("--texts", type=Path)
    command.add_argument("--matrices", choices=("int8", "f16"), default="int8")
    command.add_argument("--without-words", action="store_true", help="omit word embeddings, which are the teacher's")
    command.set_defaults(run_command=make_start)

    command = commands.add_parser("unpack", help="write a pack as a folder that the library loads")
    command.add_argument("pack", type=Path)
    command.add_argument("out", type=Path)
    command.add_argument("--like", type=Path, required=True, help="the teacher's folder")
    command.set_defaults(run_command=make_folder)
