# SPDX-License-Identifier: Apache-2.0
"""The student, the teacher that its card names, and general texts."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterator, Optional, Union

import numpy as np

from .. import safetensors, single_file
from ..distiller.subject import Subject
from ..encoder import Encoder
from ..family_model import FamilyModel, load_folder
from ..sentence import SentenceEncoder
from ..words import FILE_NAME

# General sources that are quickly fetched: about a minute.
_SOURCES = ("packages", "wordnet", "glosses", "austen", "debian")
_LETTERS_OF_SOURCE = 1_500_000


@dataclasses.dataclass
class Student:
    """word_dtype: the type of rows by word in its file."""

    path: Path
    model: FamilyModel
    word_dtype: str


def weights_of(path: Path) -> Path:
    return path / "model.safetensors" if path.is_dir() else path


def load_student(path: Path) -> Student:
    """A file that the library wrote, its folder, or a sentence-transformers folder."""
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    weights = weights_of(path)
    is_folder = (path / "config.json").exists()
    if is_folder and json.loads((path / "config.json").read_text(encoding="utf-8")).get("model_type") == "model2vec":
        raise ValueError(f"{path}: static vectors have no layers that learn; distill --static makes others from your texts")
    if not weights.exists():
        raise ValueError(f"{path}: no model.safetensors; a student is a file that the library wrote, or its folder")
    tensors, metadata = safetensors.load(weights)
    if not is_folder and "sentence" not in metadata:
        raise ValueError(f"{path}: not a sentence encoder in one file; lookupffn convert makes such files")
    model: Union[FamilyModel, Encoder] = load_folder(path) if is_folder else single_file.load_model(weights)
    if isinstance(model, Encoder):
        raise ValueError(f"{path}: the paper's encoder is no student of a sentence encoder")
    kinds = {value.dtype for name, value in tensors.items() if name.endswith(FILE_NAME)}
    return Student(path, model, "int4" if np.dtype(np.uint8) in kinds else "int8" if np.dtype(np.int8) in kinds else "f32")


def named_teacher(path: Path) -> Optional[str]:
    """The name that the student's README.md gives: base_model, or what the model was distilled from."""
    card = weights_of(path).parent / "README.md"
    if not card.exists():
        return None
    text = card.read_text(encoding="utf-8", errors="replace")[: 1 << 16]
    found = re.search(r"^base_model:[ \t]*(?:\n[ \t]*-[ \t]+)?[\"']?(\w[\w./-]*)", text, re.MULTILINE) or \
        re.search(r"distilled from \[?`?([\w./-]*\w)", text)
    return found[1] if found else None


def _places(name: str, student: Path) -> Iterator[Path]:
    last = name.rsplit("/", 1)[-1]
    beside = weights_of(student).resolve().parent
    yield from (Path(name), Path(last), beside / last, beside.parent / last)
    cache = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface") / "hub"
    for owner in [name.replace("/", "--")] if "/" in name else [f"sentence-transformers--{last}", last]:
        yield from sorted((cache / f"models--{owner}" / "snapshots").glob("*"), reverse=True)


def find_teacher(student: Path, given: Optional[Path]) -> Path:
    if given is not None:
        if not given.exists():
            raise FileNotFoundError(f"{given}: no such folder")
        return given
    name = named_teacher(student)
    if name is None:
        raise ValueError(f"{student}: no README.md beside it names its teacher; give the teacher's folder with --teacher")
    for place in _places(name, student):
        if (place / "config.json").exists() or (place / "modules.json").exists():
            return place
    raise ValueError(f"the teacher of {student} is {name}, which is neither here, nor beside the student, nor in the cache of "
                     "Hugging Face; give its folder with --teacher")


def taught(student: Student, teacher: Subject) -> Subject:
    """The student as what the distiller trains, with the teacher's tokenizer and pooling."""
    theirs = teacher.sentence
    if theirs is None:
        raise ValueError(f"{teacher.folder}: not a sentence encoder, as which it would have modules.json")
    mine, wanted = student.model.config, teacher.model.config
    for key, what in (("hidden_size", "numbers per token"), ("vocab_size", "tokens in its vocabulary")):
        if mine.get(key) != wanted.get(key):
            raise ValueError(f"{teacher.folder} is not the teacher of {student.path}: the student has {mine.get(key)} {what}, the "
                             f"teacher {wanted.get(key)}")
    sentence = SentenceEncoder(student.model, theirs.tokenizer, modes=theirs.modes, steps=theirs.steps, longest=theirs.longest,
                               prompts=theirs.prompts, default_prompt=theirs.default_prompt, lowercase=theirs.lowercase)
    return Subject(student.model, "sentence", theirs.tokenizer, sentence.eval(), student.path)


def _cached_general() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "lookupffn" / "general.txt"


def general_texts() -> Optional[Path]:
    """Those of the user's cache, into which training/scripts/fetch_text.py brings them once; None where it cannot."""
    kept = _cached_general()
    script = Path(__file__).resolve().parents[2] / "scripts" / "fetch_text.py"
    if kept.exists():
        return kept
    if not script.exists() or shutil.which("apt-get") is None:
        return None
    print(f"fetching general texts into {kept}, once", flush=True)
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        fetched = subprocess.run([sys.executable, script, folder, *_SOURCES, "--limit", str(_LETTERS_OF_SOURCE)],
                                 capture_output=True, text=True, check=False)
        if fetched.returncode != 0:
            print(f"they could not be fetched: {fetched.stderr.strip()[-500:]}", flush=True)
            return None
        (Path(folder) / "train.txt").replace(kept)
    return kept
