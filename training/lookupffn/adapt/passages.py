# SPDX-License-Identifier: Apache-2.0
"""Passages from a user's files and folders, read in little memory: a sample of all of them."""

from __future__ import annotations

import dataclasses
import json
import lzma
import random
import re
from pathlib import Path
from typing import IO, Iterator, Sequence

from ..progress import Progress

LETTERS = (260, 1100)  # about 60 to 256 tokens, to which longer texts are cut
_FEWEST_LETTERS = 20
_QUESTION_WORDS = 40
_LINE = 1 << 20  # bytes of a line that are read at once
_JSON_LINE = 1 << 26  # a longer one is refused
_LOOK = 1 << 16  # bytes of a file that tell what it is
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")


def _open(path: Path) -> IO[bytes]:
    return lzma.open(path, "rb") if path.suffix == ".xz" else open(path, "rb")  # type: ignore[return-value]


def _beginning(path: Path) -> bytes:
    """Throws ValueError unless the file holds text."""
    try:
        with _open(path) as file:
            begin = file.read(_LOOK)
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError(f"{path}: {error}") from None
    try:
        begin.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(begin) < _LOOK or error.start < len(begin) - 4:  # otherwise the look ended inside a letter
            raise ValueError(f"{path}: not a text in UTF-8; turn it into one, or leave it out") from None
    if b"\0" in begin:
        raise ValueError(f"{path}: not a text; turn it into one, or leave it out")
    return begin


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The files, and those in the folders that hold text; hidden ones are left out."""
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file or folder")
        if path.is_file():
            _beginning(path)
            found.append(path)
            continue
        for file in sorted(path.rglob("*")):
            if not file.is_file() or any(part.startswith(".") for part in file.relative_to(path).parts):
                continue
            try:
                _beginning(file)
            except ValueError:
                continue
            found.append(file)
    if not found:
        raise ValueError(f"{', '.join(map(str, paths))}: no file with text")
    return found


def cut(text: str, draw: random.Random) -> Iterator[str]:
    """Whole sentences together, as long as drawn for each passage; a sentence that is longer is cut between words."""
    most, part, size = draw.randint(*LETTERS), [], 0
    for sentence in _SENTENCE_END.split(text) if len(text) > LETTERS[1] else [text]:
        while len(sentence) > LETTERS[1]:
            end = sentence.rfind(" ", LETTERS[0], LETTERS[1])
            end = end if end > 0 else LETTERS[1]
            yield sentence[:end]
            sentence = sentence[end:].lstrip()
        if part and size + len(sentence) > most:
            yield " ".join(part)
            most, part, size = draw.randint(*LETTERS), [], 0
        if sentence:
            part.append(sentence)
            size += len(sentence) + 1
    if part:
        yield " ".join(part)


def _json_text(line: str, path: Path, number: int) -> str:
    """Title and text, as collections of documents have them."""
    try:
        entry = json.loads(line)
        return " ".join(filter(None, (entry.get("title"), entry["text"])))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f'{path}, line {number}: expected a JSON object with "text"') from None


def _texts_of(path: Path, progress: "_Read") -> Iterator[str]:
    """Blank lines separate texts; where a file begins without any, each line is one."""
    in_paragraphs = re.search(rb"\S[ \t]*\r?\n[ \t]*\r?\n[ \t]*\S", _beginning(path)) is not None
    is_json = path.name.removesuffix(".xz").endswith(".jsonl")
    paragraph: list[str] = []
    size = number = 0
    with _open(path) as file:
        while data := file.readline(_JSON_LINE if is_json else _LINE):
            progress.add(len(data))
            number += 1
            line = " ".join(data.decode("utf-8", "replace").split())
            if is_json:
                if line:
                    yield _json_text(line, path, number)
                continue
            if line and in_paragraphs and size < _LINE:
                paragraph.append(line)
                size += len(line)
                continue
            if paragraph:
                yield " ".join(paragraph)
                paragraph, size = [], 0
            if line:
                yield line
    if paragraph:
        yield " ".join(paragraph)


class _Read:
    """How far the reading is, in bytes of text."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.total = max(1, sum(path.stat().st_size * (4 if path.suffix == ".xz" else 1) for path in files))
        self.done, self.progress = 0, Progress(0, self.total)

    def add(self, size: int) -> None:
        self.done += size
        self.progress.show(min(self.done, self.total - 1), "bytes of text read")


def sample(paths: Sequence[Path], most: int, seed: int) -> list[str]:
    """At most so many different passages, each with the same chance."""
    draw, seen, kept = random.Random(seed), 0, []
    files = files_of(paths)
    read = _Read(files)
    for path in files:
        try:
            for text in _texts_of(path, read):
                for passage in cut(text, draw):
                    if len(passage) < _FEWEST_LETTERS:
                        continue
                    seen += 1
                    if len(kept) < most:
                        kept.append(passage)
                    elif (place := draw.randrange(seen)) < most:
                        kept[place] = passage
        except (lzma.LZMAError, EOFError) as error:
            raise ValueError(f"{path}: {error}") from None
    different = list(dict.fromkeys(kept))
    draw.shuffle(different)
    return different


def question_of(passage: str) -> str:
    """Its first sentence, which stands for a question that it answers."""
    words = _SENTENCE_END.split(passage, maxsplit=1)[0].split()
    return " ".join(words[:_QUESTION_WORDS])


@dataclasses.dataclass
class Mixture:
    """What is learned, and what only measures: passages with questions, and general texts for what was known before."""

    learned: list[str]
    held: list[str]
    held_general: list[str]
    passages: int
    questions: int
    general: int


_MEASURED, _MEASURED_SHARE = 200, 10  # at most so many passages measure, and one of ten


def mix(own: Sequence[str], general: Sequence[str], prompts: dict[str, str]) -> Mixture:
    """prompts: of queries and documents, where the teacher has them. A third of the passages add their first sentence; then
    come as many general texts."""
    query = prompts.get("query", "")
    document = next((prompts[name] for name in ("document", "passage") if name in prompts), "")

    def measured(texts: Sequence[str]) -> int:
        return min(_MEASURED, len(texts) // _MEASURED_SHARE)

    def with_questions(texts: Sequence[str]) -> tuple[list[str], list[str]]:
        return ([document + text for text in texts],
                [query + question for text in texts[::3] if (question := question_of(text)) != text])

    held, kept = own[: measured(own)], own[measured(own):]
    passages, questions = with_questions(kept)
    held_general, general = general[: measured(general)], general[measured(general):]
    general = general[: len(passages) + len(questions)]
    return Mixture(passages + questions + [document + text for text in general], [text for part in with_questions(held) for text in part],
                   [document + text for text in held_general], len(passages), len(questions), len(general))
