# SPDX-License-Identifier: Apache-2.0
"""BERT's WordPiece: from text to ids, like BertNormalizer, BertPreTokenizer and WordPiece in Hugging Face's files."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Optional

_IDEOGRAPHS = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
               (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))
_ASCII_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ASCII_WORDS = re.compile(r"[!-/:-@\[-`{-~]|[^\s!-/:-@\[-`{-~]+")


@functools.lru_cache(maxsize=1 << 16)
def _cleaned(letter: str) -> str:
    if letter in "\t\n\r":
        return " "
    if letter == "\ufffd" or unicodedata.category(letter) in ("Cc", "Cf", "Cn", "Co", "Cs"):
        return ""
    return " " if letter.isspace() else letter


@functools.lru_cache(maxsize=1 << 16)
def _is_ideograph(letter: str) -> bool:
    return any(first <= ord(letter) <= last for first, last in _IDEOGRAPHS)


@functools.lru_cache(maxsize=1 << 16)
def _is_punctuation(letter: str) -> bool:
    return bool(_ASCII_WORDS.fullmatch(letter) and not letter.isalnum() and letter.isascii()) or \
        unicodedata.category(letter).startswith("P")


class WordPiece:
    def __init__(self, vocab: dict[str, int], *, unknown: str = "[UNK]", prefix: str = "##", longest_word: int = 100,
                 clean: bool = True, ideographs: bool = True, strip_accents: Optional[bool] = None,
                 lowercase: bool = True) -> None:
        self.vocab, self.prefix, self.longest_word = vocab, prefix, longest_word
        self.unknown_id = vocab[unknown]
        self.clean, self.ideographs, self.lowercase = clean, ideographs, lowercase
        self.strip_accents = lowercase if strip_accents is None else strip_accents
        self._longest_piece = max(map(len, vocab))
        self._known: dict[str, list[int]] = {}

    def normalised(self, text: str) -> str:
        if self.clean:
            text = "".join(map(_cleaned, text))
        if self.ideographs:
            text = "".join(f" {letter} " if _is_ideograph(letter) else letter for letter in text)
        if self.strip_accents:
            text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
        if self.lowercase:
            # Letter by letter: str.lower would look at a sigma's neighbours.
            text = "".join(letter.lower() for letter in text)
        return text

    def words_of(self, text: str) -> list[str]:
        if self.clean and text.isascii():
            text = _ASCII_CONTROLS.sub("", text)
            return _ASCII_WORDS.findall(text.lower() if self.lowercase else text)
        words = []
        for part in self.normalised(text).split():
            begin = 0
            for place, letter in enumerate(part):
                if _is_punctuation(letter):
                    if begin < place:
                        words.append(part[begin:place])
                    words.append(letter)
                    begin = place + 1
            if begin < len(part):
                words.append(part[begin:])
        return words

    def _ids_of_word(self, word: str) -> list[int]:
        """Repeatedly the longest piece that fits; the unknown token if none does."""
        if len(word) > self.longest_word:
            return [self.unknown_id]
        ids, begin = [], 0
        while begin < len(word):
            prefix = self.prefix if begin else ""
            for end in range(min(len(word), begin + self._longest_piece), begin, -1):
                piece = self.vocab.get(prefix + word[begin:end])
                if piece is not None:
                    ids.append(piece)
                    begin = end
                    break
            else:
                return [self.unknown_id]
        return ids

    def encode(self, text: str) -> list[int]:
        """Adds no special tokens, and recognises none in the text."""
        ids: list[int] = []
        for word in self.words_of(text):
            known = self._known.get(word)
            if known is None:
                known = self._ids_of_word(word)
                if len(self._known) < 1 << 20:
                    self._known[word] = known
            ids += known
        return ids
