# SPDX-License-Identifier: Apache-2.0
"""Passages as token ids in one portable file, the source of the draws of `draw.py`."""

from __future__ import annotations

import dataclasses
import json
import lzma
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Iterator, Sequence, Union

import numpy as np

from .. import safetensors
from ..text_tokenizer import TextTokenizer
from ..wordpiece import WordPiece

_LONGEST = 250  # tokens of a passage, without the special ones
_FEWEST = 3
_PIECES_OF_WORD = 4
_BLOCK = 4 << 20


@dataclasses.dataclass
class Texts:
    """ids: of all passages one after another; starts: where each begins, and the end; source: the number of its file."""

    ids: np.ndarray
    starts: np.ndarray
    source: np.ndarray
    names: list[str]
    continues: np.ndarray  # of each token of the vocabulary: whether it goes on with a word
    ends: np.ndarray  # whether it ends a sentence
    word_place: np.ndarray  # of each different word: where it stands in ids
    word_size: np.ndarray  # its tokens
    word_count: np.ndarray

    def passage(self, number: int) -> np.ndarray:
        return self.ids[self.starts[number] : self.starts[number + 1]]

    def word(self, number: int) -> np.ndarray:
        place = self.word_place[number]
        return self.ids[place : place + self.word_size[number]]

    @property
    def counts(self) -> np.ndarray:
        """How often each token occurs, with equal weight for every source."""
        total = np.zeros(len(self.continues))
        lengths = np.diff(self.starts)
        of_token = np.repeat(self.source, lengths)
        for number in range(len(self.names)):
            found = np.bincount(self.ids[of_token == number], minlength=len(total))
            total += found / max(1, found.sum())
        return total / max(1e-30, total.sum())


def _lines(path: Path) -> Iterator[str]:
    with (lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else open(path, encoding="utf-8")) as file:
        yield from file


def passages(path: Path, letters: int = 1100) -> Iterator[str]:
    """One per line; longer lines are split into whole sentences of about this many letters."""
    for line in _lines(path):
        line = line.strip()
        if len(line) <= letters:
            if line:
                yield line
            continue
        part: list[str] = []
        size = 0
        for sentence in re.split(r"(?<=[.!?;])\s+", line):
            if part and size + len(sentence) > letters:
                yield " ".join(part)
                part, size = [], 0
            part.append(sentence)
            size += len(sentence) + 1
        if part:
            yield " ".join(part)


def _different_words(ids: np.ndarray, starts: np.ndarray, continues: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """-> the first position of each word of letters, its tokens, and how often it occurs."""
    begins = ~continues[ids]
    begins[starts[:-1]] = True
    places = np.flatnonzero(begins)
    sizes = np.diff(np.append(places, len(ids)))
    places, sizes = places[sizes <= _PIECES_OF_WORD], sizes[sizes <= _PIECES_OF_WORD]
    key = np.zeros(len(places), np.uint64)
    for i in range(_PIECES_OF_WORD):
        inside = sizes > i
        key[inside] |= (ids[places[inside] + i].astype(np.uint64) + 1) << np.uint64(16 * i)
    _, first, count = np.unique(key, return_index=True, return_counts=True)
    return places[first].astype(np.int64), sizes[first].astype(np.uint8), count.astype(np.int32)


def prepare(paths: Sequence[Path], tokenizer: TextTokenizer) -> Texts:
    pieces = tokenizer.pieces
    if not isinstance(pieces, WordPiece):
        raise ValueError("texts can be drawn only for WordPiece tokenizers")
    continues = np.zeros(tokenizer.size, bool)
    for text, number in pieces.vocab.items():
        continues[number] = text.startswith(pieces.prefix)
    ends = np.zeros(tokenizer.size, bool)
    ends[[pieces.vocab[mark] for mark in ".!?" if mark in pieces.vocab]] = True
    parts: list[np.ndarray] = []
    lengths: list[int] = []
    source: list[int] = []
    for number, path in enumerate(paths):
        for passage in passages(path):
            ids = pieces.encode(passage)[:_LONGEST]
            if len(ids) >= _FEWEST:
                parts.append(np.array(ids, np.uint16))
                lengths.append(len(ids))
                source.append(number)
    if not parts:
        raise ValueError("the texts contain no passage")
    ids = np.concatenate(parts)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    words = _different_words(ids, starts, continues)
    letters = np.zeros(tokenizer.size, bool)
    for text, number in pieces.vocab.items():
        letters[number] = text[:1].isalnum() and text not in tokenizer._by_text
    words = tuple(part[letters[ids[words[0]]]] for part in words)
    names = [path.name.split(".")[0] for path in paths]
    return Texts(ids, starts, np.array(source, np.uint8), names, continues, ends, *words)


def save(path: Union[str, Path], texts: Texts) -> None:
    """Compressed block by block, so that many threads read it."""
    with np.errstate(all="raise"):
        tensors: dict[str, Any] = {"ids": texts.ids.astype(np.int32).astype(np.uint16).view(np.int16),
                                   "lengths": np.diff(texts.starts).astype(np.int16), "source": texts.source,
                                   "continues": texts.continues, "ends": texts.ends,
                                   "word_place": texts.word_place.astype(np.int32), "word_size": texts.word_size,
                                   "word_count": texts.word_count}
    data = safetensors.save_bytes(tensors, {"names": json.dumps(texts.names)})
    blocks = [data[first : first + _BLOCK] for first in range(0, len(data), _BLOCK)]
    with ThreadPoolExecutor() as pool:
        packed = list(pool.map(lambda block: lzma.compress(block, preset=6), blocks))
    sizes = np.array([len(block) for block in packed], np.int64)
    head = np.array([len(blocks)], np.int64).tobytes() + sizes.tobytes()
    safetensors.write_atomically(path, head + b"".join(packed))


def load(path: Union[str, Path]) -> Texts:
    data = Path(path).read_bytes()
    count = int(np.frombuffer(data[:8], np.int64)[0])
    if not 0 <= count <= len(data) // 8 - 1:
        raise ValueError(f"{path}: not a file of texts")
    ends = 8 + 8 * count + np.cumsum(np.frombuffer(data[8 : 8 + 8 * count], np.int64))
    begins = np.concatenate([[8 + 8 * count], ends[:-1]]).astype(np.int64)
    with ThreadPoolExecutor() as pool:
        blocks = list(pool.map(lambda place: lzma.decompress(data[place[0] : place[1]]), zip(begins, ends)))
    tensors, metadata = safetensors.load_bytes(b"".join(blocks))
    starts = np.concatenate([[0], np.cumsum(tensors["lengths"].astype(np.int64))])
    return Texts(tensors["ids"].view(np.uint16), starts, tensors["source"], json.loads(metadata["names"]),
                 tensors["continues"].astype(bool), tensors["ends"].astype(bool), tensors["word_place"].astype(np.int64),
                 tensors["word_size"], tensors["word_count"])
