# SPDX-License-Identifier: Apache-2.0
"""Pieces of text to learn from, drawn without end: passages, possible questions about them, short texts and their twins, texts
with rare words in place of others. The teacher embeds each of them, so none needs a label."""

from __future__ import annotations

import dataclasses
import heapq
from typing import Callable, Optional, Sequence

import numpy as np

from .texts import Texts

PASSAGE, QUERY, SHORT = 0, 1, 2
_QUESTIONS = (
    "what is {}", "what is {}?", "what are {}", "what does {} mean", "what is the meaning of {}", "define {}", "{} definition",
    "{} meaning", "who is {}", "who was {}", "where is {}", "when was {}", "when did {} begin", "why is {} important",
    "why does {} happen", "how does {} work", "how to use {}", "how to {}", "how do i {}", "how do you treat {}", "how long does {} last",
    "how much does {} cost", "how many {} are there", "causes of {}", "what causes {}", "symptoms of {}", "signs of {}",
    "treatment for {}", "is {} dangerous", "can {} be cured", "types of {}", "example of {}", "history of {}", "{} history",
    "benefits of {}", "side effects of {}", "difference between {} and {}", "{} vs {}", "is {} a {}", "which {} is best",
    "tell me about {}", "information on {}", "effect of {} on {}", "the role of {} in {}", "relation between {} and {}",
    "{} python", "install {}", "error with {}", "{} not working", "convert {} to {}", "papers on {}", "methods for {}", "{}",
)


@dataclasses.dataclass
class Shares:
    """Shares of the draws."""

    queries: float = 2.0  # of a passage, on average
    shorts: float = 2.0
    twins: float = 0.3  # of short texts and queries
    noisy: float = 0.15  # of passages and short texts: with some words in the place of others
    lists: float = 0.3  # of short texts: from sources made of word lists
    prompt: float = 0.85  # of queries, where there is a prompt
    joined: float = 0.0  # of passages: several, up to the length
    passages: float = 1.0


@dataclasses.dataclass
class Batch:
    """ids, pieces (which one each token belongs to, -1: none) and places [rows, length]; of each piece its kind and the
    number of its passage."""

    ids: np.ndarray
    pieces: np.ndarray
    places: np.ndarray
    kinds: np.ndarray
    groups: np.ndarray


def packed(pieces: Sequence[np.ndarray], rows: int, length: int) -> list[tuple[int, int, int]]:
    """-> piece, row, place: the longest first, each into the row with most room; pieces that do not fit are left out."""
    room = [(-length, row) for row in range(rows)]
    found = []
    for number in sorted(range(len(pieces)), key=lambda i: -len(pieces[i])):
        free, row = room[0]
        if len(pieces[number]) <= -free:
            found.append((number, row, length + free))
            heapq.heapreplace(room, (free + len(pieces[number]), row))
    return found


class Draw:
    def __init__(self, texts: Texts, begin: int, end: int, encode: dict[str, list[np.ndarray]], shares: Shares, seed: int,
                 lists: Sequence[str] = ("scenes", "headlines", "enquiries"), negation: Optional[int] = None,
                 only: Optional[Sequence[str]] = None) -> None:
        """begin, end: the special tokens around a text; encode: the result of made_parts; only: the sources to draw from."""
        self.texts, self.begin, self.end, self.shares, self.negation = texts, begin, end, shares, negation
        self.parts = encode
        self.random = np.random.default_rng(seed)
        lengths = np.diff(texts.starts)
        listed = np.isin(texts.source, [i for i, name in enumerate(texts.names) if name in lists])
        allowed = np.isin(texts.source, [i for i, name in enumerate(texts.names) if only is None or name in only])
        self.long = np.flatnonzero((lengths >= 48) & ~listed & allowed)
        self.short = np.flatnonzero((lengths < 48) & ~listed & allowed)
        self.listed = np.flatnonzero(listed & allowed)
        if not len(self.long):
            self.long = np.flatnonzero(allowed)
        if not len(self.long):
            raise ValueError("the texts contain no passage of these sources")
        counts = np.bincount(texts.ids, minlength=len(texts.continues))
        self.rarity = -np.log((counts + 1) / len(texts.ids))
        weights = texts.word_count.astype(np.float64) ** 0.3
        self.word_sums = np.cumsum(weights)

    def words(self, count: int) -> list[np.ndarray]:
        """Random words, rare ones nearly as often as frequent ones."""
        chosen = np.searchsorted(self.word_sums, self.random.random(count) * self.word_sums[-1])
        return [self.texts.word(min(int(number), len(self.word_sums) - 1)) for number in chosen]

    def _starts(self, ids: np.ndarray) -> np.ndarray:
        """The positions where words begin, and the end."""
        begins = ~self.texts.continues[ids]
        begins[0] = True
        return np.append(np.flatnonzero(begins), len(ids))

    def _sentences(self, ids: np.ndarray) -> np.ndarray:
        return np.unique(np.concatenate([[0], np.flatnonzero(self.texts.ends[ids]) + 1, [len(ids)]]))

    def _sentence(self, ids: np.ndarray, longest: int) -> np.ndarray:
        bounds = self._sentences(ids)
        i = int(self.random.integers(len(bounds) - 1))
        return ids[bounds[i] : min(bounds[i + 1], bounds[i] + longest)]

    def _span(self, ids: np.ndarray, fewest: int, most: int) -> np.ndarray:
        starts = self._starts(ids)
        words = len(starts) - 1
        count = min(words, int(self.random.integers(fewest, most + 1)))
        first = int(self.random.integers(words - count + 1))
        return ids[starts[first] : starts[first + count]]

    def _rare(self, ids: np.ndarray, count: int) -> list[np.ndarray]:
        """Some of the passage's words, mostly its rarest, in their order."""
        starts = self._starts(ids)
        value = np.maximum.reduceat(self.rarity[ids], starts[:-1]) + 1.5 * np.diff(starts) + self.random.gumbel(0, 2.0, len(starts) - 1)
        chosen = np.sort(np.argpartition(-value, min(count, len(value)) - 1)[:count])
        return [ids[starts[i] : starts[i + 1]] for i in chosen]

    def query(self, ids: np.ndarray) -> np.ndarray:
        kind = self.random.random()
        if kind < 0.25:
            return self._span(ids, 2, 12)
        if kind < 0.40:
            bounds = self._sentences(ids)
            return ids[: min(int(bounds[1]), 32)]
        if kind < 0.55:
            return self._sentence(ids, 40)
        if kind < 0.75:
            return np.concatenate(self._rare(ids, int(self.random.integers(1, 7))))
        question = self.parts["questions"][int(self.random.integers(len(self.parts["questions"])))]
        gaps = [self._span(ids, 1, 4) if self.random.random() < 0.5 else np.concatenate(self._rare(ids, int(self.random.integers(1, 4))))
                for _ in range(len(question) - 1)]
        return np.concatenate([part for pair in zip(question, gaps + [question[-1][:0]]) for part in pair])

    def noisy(self, ids: np.ndarray) -> np.ndarray:
        starts = self._starts(ids)
        words = [ids[starts[i] : starts[i + 1]] for i in range(len(starts) - 1)]
        places = np.flatnonzero(self.random.random(len(words)) < self.random.uniform(0.05, 0.35))
        for place, word in zip(places, self.words(len(places))):
            words[place] = word
        return np.concatenate(words)

    def twin(self, ids: np.ndarray) -> np.ndarray:
        """A copy with a word changed, left out or moved, or with a "not"."""
        starts = self._starts(ids)
        words = [ids[starts[i] : starts[i + 1]] for i in range(len(starts) - 1)]
        place, kind = int(self.random.integers(len(words))), self.random.random()
        if kind < 0.5 or len(words) < 3:
            words[place] = self.words(1)[0]
        elif kind < 0.65:
            del words[place]
        elif kind < 0.8:
            other = int(self.random.integers(len(words)))
            words[place], words[other] = words[other], words[place]
        elif self.negation is not None:
            words.insert(place, np.array([self.negation], ids.dtype))
        return np.concatenate(words)

    def short_text(self, longest: int) -> np.ndarray:
        if len(self.listed) and self.random.random() < self.shares.lists:
            return self.texts.passage(int(self.random.choice(self.listed)))[:longest]
        if len(self.short) and self.random.random() < 0.5:
            return self.texts.passage(int(self.random.choice(self.short)))[:longest]
        return self._sentence(self._passage(), longest)

    def _passage(self) -> np.ndarray:
        return self.texts.passage(int(self.long[int(self.random.integers(len(self.long)))]))

    def passage(self, longest: int) -> np.ndarray:
        ids = self._passage()
        if self.random.random() < self.shares.joined:
            while len(ids) < longest and self.random.random() < 0.8:
                ids = np.concatenate([ids, self._passage()])
        if self.random.random() < 0.35:  # a part, from a sentence's beginning
            bounds = self._sentences(ids)
            first = int(bounds[int(self.random.integers(max(1, len(bounds) // 2)))])
            ids = ids[first : first + int(self.random.integers(24, longest + 1))]
        return ids[:longest]

    def _around(self, ids: np.ndarray, longest: int, before: Optional[np.ndarray] = None) -> np.ndarray:
        kept = ids if before is None else np.concatenate([before, ids])
        return np.concatenate([[self.begin], kept[: longest - 2], [self.end]]).astype(np.int32)

    def _times(self, mean: float) -> int:
        return int(mean) + int(self.random.random() < mean % 1)

    def batch(self, rows: int, length: int) -> Batch:
        pieces: list[np.ndarray] = []
        kinds: list[int] = []
        groups: list[int] = []
        prompts = self.parts.get("prompt")
        left, group = int(rows * length * 0.985), 0

        def add(ids: np.ndarray, kind: int, before: Optional[np.ndarray] = None) -> None:
            nonlocal left
            pieces.append(self._around(ids, length, before))
            kinds.append(kind)
            groups.append(group)
            left -= len(pieces[-1])

        shares = self.shares
        while left > length // 2:
            group += 1
            ids = self.passage(length - 2)
            if self.random.random() < shares.noisy:
                ids = self.noisy(ids)
            if self.random.random() < shares.passages:
                add(ids, PASSAGE)
            for _ in range(self._times(shares.queries)):
                query = self.query(ids)
                before = prompts[0] if prompts and self.random.random() < shares.prompt else None
                add(query, QUERY, before)
                if self.random.random() < shares.twins / 2:
                    add(self.twin(query), QUERY, before)
            for _ in range(self._times(shares.shorts)):
                group += 1
                text = self.short_text(62)
                if self.random.random() < shares.noisy:
                    text = self.noisy(text)
                add(text, SHORT)
                if self.random.random() < shares.twins:
                    add(self.twin(text), SHORT)
        found = packed(pieces, rows, length)
        out = Batch(np.zeros((rows, length), np.int32), np.full((rows, length), -1, np.int32), np.zeros((rows, length), np.int32),
                    np.array([kinds[number] for number, _, _ in found], np.int8),
                    np.array([groups[number] for number, _, _ in found], np.int32))
        for new, (number, row, place) in enumerate(found):
            end = place + len(pieces[number])
            out.ids[row, place:end] = pieces[number]
            out.pieces[row, place:end] = new
            out.places[row, place:end] = np.arange(end - place)
        return out


def made_parts(encode: Callable[[str], list[int]], prompt: str = "") -> dict[str, list]:
    """encode: from text to ids. Returns questions as the parts around their gaps."""
    questions = [[np.array(encode(part), np.uint16) for part in text.split("{}")] for text in _QUESTIONS]
    return {"questions": questions, **({"prompt": [np.array(encode(prompt), np.uint16)]} if prompt else {})}
