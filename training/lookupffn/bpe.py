# SPDX-License-Identifier: Apache-2.0
"""RoBERTa's byte-level byte-pair encoding: training a vocabulary, and encoding text."""

from __future__ import annotations

import collections
import functools
import heapq
import json
from pathlib import Path
from typing import Iterable, Iterator, Optional, Union

import regex

from . import safetensors

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
MASK = "<mask>"
BOS_ID, PAD_ID, EOS_ID, UNK_ID = range(4)
_WORDS = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


@functools.lru_cache(maxsize=None)
def _byte_letters() -> list[str]:
    """A printable letter for each byte: itself if printable, otherwise one from 256 on."""
    printing = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte if byte in printing else next(others)) for byte in range(256)]


def words_of(text: str) -> Iterator[str]:
    """The pieces that no merge crosses, in the letters of the vocabulary."""
    letters = _byte_letters()
    for word in _WORDS.findall(text):
        yield "".join(letters[byte] for byte in word.encode("utf-8"))


class _PairCounts:
    """How often each pair of neighbours occurs, and in which words."""

    def __init__(self, word_counts: dict[str, int]) -> None:
        self.words = [list(word) for word in word_counts]
        self.word_counts = list(word_counts.values())
        self.counts = collections.Counter()
        self.places = collections.defaultdict(set)
        for index, word in enumerate(self.words):
            for pair in zip(word, word[1:]):
                self.counts[pair] += self.word_counts[index]
                self.places[pair].add(index)
        self.heap = [(-count, pair) for pair, count in self.counts.items()]
        heapq.heapify(self.heap)

    def most_frequent(self) -> Optional[tuple[str, str]]:
        """The most frequent pair, the first in order among equals; None if no pair is left."""
        while self.heap:
            count, pair = heapq.heappop(self.heap)
            if self.counts[pair] == -count and count < 0:
                return pair
            if self.counts[pair] > 0:
                heapq.heappush(self.heap, (-self.counts[pair], pair))
        return None

    def merge(self, pair: tuple[str, str]) -> None:
        merged = pair[0] + pair[1]
        changed = set()
        for index in self.places.pop(pair):
            word, count = self.words[index], self.word_counts[index]
            for old in zip(word, word[1:]):
                self.counts[old] -= count
            out = []
            for letter in word:
                if out and out[-1] == pair[0] and letter == pair[1]:
                    out[-1] = merged
                else:
                    out.append(letter)
            self.words[index] = out
            for new in zip(out, out[1:]):
                self.counts[new] += count
                self.places[new].add(index)
                changed.add(new)
        del self.counts[pair]
        for new in changed:
            if self.counts[new] > 0:
                heapq.heappush(self.heap, (-self.counts[new], new))


def train(texts: Iterable[str], vocab_size: int) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """-> vocabulary {token: id}, merges [(left, right)], best first."""
    smallest = len(SPECIAL) + 256 + 1
    if vocab_size < smallest:
        raise ValueError(f"vocab_size is {vocab_size}, expected at least {smallest}")
    word_counts = collections.Counter()
    for text in texts:
        word_counts.update(words_of(text))
    pairs = _PairCounts(word_counts)
    merges = []
    while smallest + len(merges) < vocab_size:
        pair = pairs.most_frequent()
        if pair is None or pairs.counts[pair] < 2:
            break
        pairs.merge(pair)
        merges.append(pair)
    tokens = [*SPECIAL, *_byte_letters(), *(left + right for left, right in merges), MASK]
    return {token: index for index, token in enumerate(tokens)}, merges


class Tokenizer:
    def __init__(self, vocab: dict[str, int], merges: Iterable[tuple[str, str]]) -> None:
        self.vocab = vocab
        self.ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
        self.mask_id = vocab[MASK]
        self._known = {}

    @property
    def size(self) -> int:
        return max(self.vocab.values()) + 1

    def _ids_of_word(self, word: str) -> list[int]:
        ids = self._known.get(word)
        if ids is None:
            pieces = list(word)
            while len(pieces) > 1:
                best = min(zip(pieces, pieces[1:]), key=lambda pair: self.ranks.get(pair, len(self.ranks)))
                if best not in self.ranks:
                    break
                out = []
                for piece in pieces:
                    if out and (out[-1], piece) == best:
                        out[-1] += piece
                    else:
                        out.append(piece)
                pieces = out
            ids = self._known[word] = [self.vocab.get(piece, UNK_ID) for piece in pieces]
        return ids

    def encode(self, text: str) -> list[int]:
        """Adds no special tokens, and recognises none in the text."""
        return [i for word in words_of(text) for i in self._ids_of_word(word)]

    def vocab_json(self) -> str:
        return json.dumps(self.vocab, ensure_ascii=False)

    def merges_txt(self) -> str:
        pairs = sorted(self.ranks, key=self.ranks.get)
        return "#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in pairs)

    def save(self, folder: Union[str, Path]) -> None:
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        safetensors.write_atomically(folder / "vocab.json", self.vocab_json().encode())
        safetensors.write_atomically(folder / "merges.txt", self.merges_txt().encode())

    @classmethod
    def load(cls, folder: Union[str, Path]) -> Tokenizer:
        vocab = json.loads((Path(folder) / "vocab.json").read_text(encoding="utf-8"))
        lines = (Path(folder) / "merges.txt").read_text(encoding="utf-8").split("\n")
        if not isinstance(vocab, dict) or MASK not in vocab:
            raise ValueError(f"{Path(folder) / 'vocab.json'}: no vocabulary with a {MASK}")
        return cls(vocab, [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")])
