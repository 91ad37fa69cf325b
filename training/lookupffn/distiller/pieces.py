# SPDX-License-Identifier: Apache-2.0
"""Texts cut into pieces, their token ids on disk, and batches of pieces of one length each."""

from __future__ import annotations

import hashlib
import json
import random
import re
from pathlib import Path
from typing import Any, Iterable, Iterator, Sequence

import numpy as np

from .. import safetensors
from ..data import documents_of
from ..progress import Progress
from ..text_tokenizer import TextTokenizer

_SENTENCES = (1, 1, 2, 3, 4)  # how many a piece has, drawn anew for each
_LETTERS, _LONG_LETTERS = 500, 1200
_LONG_SHARE = 0.05  # of the pieces are as long as the model allows
_VERSION = 1


def pieces_of(document: str, draw: random.Random, fewest: int = 20) -> Iterator[str]:
    """Sentences joined at random; a short document is one piece."""
    sentences = re.split(r"(?<=[.!?;])\s+", document)
    place = 0
    while place < len(sentences):
        long = draw.random() < _LONG_SHARE
        count = 16 if long else draw.choice(_SENTENCES)
        piece = " ".join(sentences[place : place + count])[: _LONG_LETTERS if long else _LETTERS]
        place += count
        if len(piece) >= fewest:
            yield piece


def digest_of(paths: Sequence[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                total.update(block)
    return total.hexdigest()


def digest_of_tokenizer(tokenizer: TextTokenizer) -> str:
    """The digest of its vocabulary and everything else that changes ids."""

    def settings(thing: Any) -> list[tuple[str, Any]]:
        apart = ("pieces", "special_ids")
        return sorted((name, sorted(value.items()) if isinstance(value, dict) else value)
                      for name, value in vars(thing).items() if not name.startswith("_") and name not in apart)

    special = sorted(map(repr, tokenizer._by_text.values()))
    return hashlib.sha256(repr((settings(tokenizer), settings(tokenizer.pieces), special)).encode()).hexdigest()


def read_note(path: Path) -> Any:
    """A cache's description of itself; None if it is missing or incomplete."""
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return None


class Corpus:
    """Token ids of all pieces one after another, in a folder that can be rebuilt from the texts at any time."""

    def __init__(self, ids: np.ndarray, lengths: np.ndarray) -> None:
        self.ids, self.lengths = ids, lengths
        self.offsets = np.concatenate([[0], np.cumsum(lengths.astype(np.int64))])

    @property
    def tokens(self) -> int:
        return int(self.offsets[-1])

    def rows(self, pieces: Iterable[int], length: int) -> np.ndarray:
        return np.stack([self.ids[self.offsets[i] : self.offsets[i] + length] for i in pieces]).astype(np.int64)

    @staticmethod
    def identity(texts: Sequence[Path], tokenizer: TextTokenizer, longest: int, seed: int) -> dict[str, Any]:
        return {"version": _VERSION, "texts": digest_of(texts), "longest": longest, "seed": seed, "size": tokenizer.size,
                "tokenizer": digest_of_tokenizer(tokenizer)}

    @classmethod
    def prepare(cls, folder: Path, texts: Sequence[Path], tokenizer: TextTokenizer, longest: int, seed: int) -> Corpus:
        """Reads the folder if an earlier call wrote it from the same texts and settings."""
        folder.mkdir(parents=True, exist_ok=True)
        identity = cls.identity(texts, tokenizer, longest, seed)
        note = folder / "corpus.json"
        if read_note(note) != identity:
            note.unlink(missing_ok=True)  # before what it is about, for this may be stopped
            cls._tokenise(folder, texts, tokenizer, longest, seed)
            safetensors.write_atomically(note, json.dumps(identity).encode())
        return cls(np.load(folder / "ids.npy", mmap_mode="r"), np.load(folder / "lengths.npy"))

    @staticmethod
    def _tokenise(folder: Path, texts: Sequence[Path], tokenizer: TextTokenizer, longest: int, seed: int) -> None:
        draw, seen, lengths = random.Random(seed), set(), []
        kind = np.uint16 if tokenizer.size <= 1 << 16 else np.int32
        size, done = sum(path.stat().st_size for path in texts), 0
        progress = Progress(0, size)
        with open(folder / "ids.part", "wb") as file:
            for path in texts:
                for document in documents_of(path):
                    done += len(document.encode()) + 2
                    for piece in pieces_of(document, draw):
                        ids = tokenizer.encode(piece, longest)
                        key = hash(piece)
                        if len(ids) < 5 or key in seen:
                            continue
                        seen.add(key)
                        file.write(np.array(ids, dtype=kind).tobytes())
                        lengths.append(len(ids))
                    progress.show(min(done, size - 1), f"{len(lengths)} pieces of text")
        if not lengths:
            raise ValueError("the texts contain no piece of five tokens or more")
        ids_of_all = np.fromfile(folder / "ids.part", dtype=kind)
        for name, values in (("ids", ids_of_all), ("lengths", np.array(lengths, np.int32))):
            with open(folder / f"{name}.part", "wb") as file:
                np.save(file, values)
            (folder / f"{name}.part").replace(folder / f"{name}.npy")  # a run that reads the old ones goes on with them


class LengthBatches:
    """Batches of pieces of one length, so that none is padded and no attention is masked. A batch's contents depend only on
    the seed, so that the teacher's answers can be kept; each epoch has its own order of batches.

    twins: the share of pieces that are replaced with a copy of another one of the batch, changed in one word."""

    def __init__(self, corpus: Corpus, tokens: int, seed: int, mask_id: int = -1, special: Iterable[int] = (),
                 masked_share: float = 0.15, twins: float = 0.0, negation: int = -1) -> None:
        self.corpus, self.seed, self.twins, self.negation = corpus, seed, twins, negation
        self.mask_id, self.special, self.masked_share = mask_id, np.array(sorted(special)), masked_share
        shuffled = np.random.default_rng((seed, 0)).permutation(len(corpus.lengths))
        by_length = shuffled[np.argsort(corpus.lengths[shuffled], kind="stable")]
        lengths = corpus.lengths[by_length]
        self.batches: list[np.ndarray] = []
        for length in np.unique(lengths):
            first, last = np.searchsorted(lengths, [length, length + 1])
            size = max(1, tokens // int(length))
            self.batches += [by_length[i : min(i + size, last)] for i in range(first, last, size)]
        self._epoch, self._order = -1, np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.batches)

    def number(self, step: int) -> int:
        """Which batch a step takes."""
        epoch, place = divmod(step, len(self.batches))
        if epoch != self._epoch:
            self._order = np.random.default_rng((self.seed, 1, epoch)).permutation(len(self.batches))
            self._epoch = epoch
        return int(self._order[place])

    def ids(self, number: int) -> np.ndarray:
        """[pieces, length]; masked as for masked language modelling if there is a mask."""
        pieces = self.batches[number]
        ids = self.corpus.rows(pieces, int(self.corpus.lengths[pieces[0]]))
        if self.twins > 0:
            self._put_twins(ids, np.random.default_rng((self.seed, 3, number)))
        if self.mask_id >= 0:
            random_numbers = np.random.default_rng((self.seed, 2, number)).random(ids.shape)
            ids[(random_numbers < self.masked_share) & ~np.isin(ids, self.special)] = self.mask_id
        return ids

    def _put_twins(self, ids: np.ndarray, draw: np.random.Generator) -> None:
        """Replaces the last rows with the first ones in which a token is replaced by another of the batch, two are swapped, or
        a "not" is inserted, which drops the last token before the end."""
        count, length = int(len(ids) * min(0.5, self.twins)), ids.shape[1]
        ordinary = ids[~np.isin(ids, self.special)]
        for place in range(count):
            row = ids[place].copy()
            inside = np.flatnonzero(~np.isin(row, self.special))
            kind = draw.integers(3)
            if len(inside) >= 2:
                first, second = draw.choice(inside, 2, replace=False)
                if kind == 0:
                    row[first] = draw.choice(ordinary)
                elif kind == 1:
                    row[first], row[second] = row[second], row[first]
                elif self.negation >= 0:
                    last = inside[-1]
                    row[first + 1 : last + 1] = row[first:last].copy()
                    row[first] = self.negation
            ids[len(ids) - count + place] = row
