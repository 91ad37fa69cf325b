# SPDX-License-Identifier: Apache-2.0
"""The tokenizer of a Hugging Face folder: special tokens around and within texts, pairs, cutting to a length."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any, Optional, Protocol, Union

from . import bpe
from .wordpiece import WordPiece


class Pieces(Protocol):
    """Turns a text without special tokens into ids."""

    def encode(self, text: str) -> list[int]: ...


@dataclasses.dataclass
class SpecialToken:
    text: str
    id: int
    left: bool = False  # swallows the blanks before it
    right: bool = False


def cut_pair(a: list[int], b: list[int], room: int) -> tuple[list[int], list[int]]:
    """Cuts the longer one, and if that is not enough, both to half; with an odd number the longer one keeps the extra token."""
    short, long = sorted((len(a), len(b)))
    if short + long > room:
        long = max(short, room - short)
        if short + long > room:
            short, long = room // 2, room - room // 2
    kept = (long, short) if len(a) > len(b) else (short, long)
    return a[: kept[0]], b[: kept[1]]


class TextTokenizer:
    """begin text end, or begin text [middle] text end, with special tokens recognised in the texts."""

    def __init__(self, pieces: Pieces, special: list[SpecialToken], *, begin: int, end: int, middle: list[int],
                 second_type: int, pad_id: int, mask_id: Optional[int], size: int) -> None:
        self.pieces, self.begin, self.end, self.middle = pieces, begin, end, middle
        self.second_type, self.pad_id, self.mask_id, self.size = second_type, pad_id, mask_id, size
        self.special_ids = {token.id for token in special}
        self._by_text = {token.text: token for token in special}
        longest_first = sorted(self._by_text, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if special else None

    def pieces_of(self, text: str) -> list[int]:
        """The ids without special tokens around them."""
        ids: list[int] = []
        place = 0
        for match in self._pattern.finditer(text) if self._pattern else ():
            token = self._by_text[match[0]]
            before = text[place : match.start()]
            ids += self.pieces.encode(before.rstrip() if token.left else before)
            ids.append(token.id)
            place = match.end()
            if token.right:
                place += len(text[place:]) - len(text[place:].lstrip())
        return ids + self.pieces.encode(text[place:])

    def encode(self, text: str, longest: Optional[int] = None) -> list[int]:
        ids = self.pieces_of(text)
        return [self.begin, *(ids if longest is None else ids[: max(0, longest - 2)]), self.end]

    def encode_pair(self, a: str, b: str, longest: Optional[int] = None) -> tuple[list[int], list[int]]:
        """-> ids, type ids."""
        first, second = self.pieces_of(a), self.pieces_of(b)
        if longest is not None:
            first, second = cut_pair(first, second, max(0, longest - 2 - len(self.middle)))
        ids = [self.begin, *first, *self.middle, *second, self.end]
        head = 2 + len(first) if self.second_type else len(ids)
        return ids, [0] * head + [self.second_type] * (len(ids) - head)

    @classmethod
    def load(cls, folder: Union[str, Path]) -> TextTokenizer:
        """Loads tokenizer.json, otherwise vocab.txt, otherwise vocab.json and merges.txt."""
        folder = Path(folder)
        if (folder / "tokenizer.json").exists():
            return _of_tokenizer_json(json.loads((folder / "tokenizer.json").read_text(encoding="utf-8")))
        if (folder / "vocab.txt").exists():
            options = folder / "tokenizer_config.json"
            settings = json.loads(options.read_text(encoding="utf-8")) if options.exists() else {}
            lines = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
            vocab = {line.rstrip("\r"): number for number, line in enumerate(lines) if line}
            return _wordpiece(WordPiece(vocab, strip_accents=settings.get("strip_accents"),
                                        ideographs=settings.get("tokenize_chinese_chars", True),
                                        lowercase=settings.get("do_lower_case", True)), vocab, None)
        if (folder / "vocab.json").exists():
            pieces = bpe.Tokenizer.load(folder)
            return _like_roberta(pieces, pieces.vocab, None)
        raise ValueError(f"{folder}: no tokenizer.json, vocab.txt or vocab.json")


def _added(listed: list[dict[str, Any]]) -> list[SpecialToken]:
    for token in listed:
        if token.get("single_word"):
            raise ValueError(f'tokenizer.json: the added token "{token["content"]}" counts as a single word only, which '
                             "is not supported")
    return [SpecialToken(token["content"], token["id"], token.get("lstrip", False), token.get("rstrip", False))
            for token in listed]


def _wordpiece(pieces: WordPiece, vocab: dict[str, int], special: Optional[list[SpecialToken]]) -> TextTokenizer:
    if special is None:
        special = [SpecialToken(name, vocab[name], name == bpe.MASK)
                   for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<s>", "<pad>", "</s>", bpe.MASK)
                   if name in vocab]
    ids = {**vocab, **{token.text: token.id for token in special}}
    if "[CLS]" not in ids:  # MPNet's
        return _like_roberta(pieces, vocab, special)
    return TextTokenizer(pieces, special, begin=ids["[CLS]"], end=ids["[SEP]"], middle=[ids["[SEP]"]], second_type=1,
                         pad_id=ids["[PAD]"], mask_id=ids.get("[MASK]"), size=max(ids.values()) + 1)


def _like_roberta(pieces: Union[bpe.Tokenizer, WordPiece], vocab: dict[str, int], special: Optional[list[SpecialToken]]) -> TextTokenizer:
    if special is None:
        special = [SpecialToken(name, vocab[name], name == bpe.MASK) for name in (*bpe.SPECIAL, bpe.MASK)
                   if name in vocab]
    ids = {**vocab, **{token.text: token.id for token in special}}
    return TextTokenizer(pieces, special, begin=ids["<s>"], end=ids["</s>"], middle=[ids["</s>"]] * 2, second_type=0,
                         pad_id=ids["<pad>"], mask_id=ids.get(bpe.MASK), size=max(ids.values()) + 1)


def _of_tokenizer_json(content: dict[str, Any]) -> TextTokenizer:
    model = content["model"]
    special = _added(content.get("added_tokens") or [])
    kind = model.get("type") or ("BPE" if "merges" in model else "WordPiece")
    if kind == "WordPiece":
        normaliser = content.get("normalizer") or {}
        if normaliser.get("type") != "BertNormalizer" or (content.get("pre_tokenizer") or {}).get("type") != "BertPreTokenizer":
            raise ValueError("tokenizer.json: WordPiece is supported with BertNormalizer and BertPreTokenizer")
        pieces = WordPiece(model["vocab"], unknown=model.get("unk_token", "[UNK]"),
                           prefix=model.get("continuing_subword_prefix", "##"),
                           longest_word=model.get("max_input_chars_per_word", 100),
                           clean=normaliser.get("clean_text", True), lowercase=normaliser.get("lowercase", True),
                           ideographs=normaliser.get("handle_chinese_chars", True),
                           strip_accents=normaliser.get("strip_accents"))
        return _wordpiece(pieces, model["vocab"], special)
    if kind == "BPE" and (content.get("pre_tokenizer") or {}).get("type") == "ByteLevel":
        if content["pre_tokenizer"].get("add_prefix_space"):
            raise ValueError("tokenizer.json: add_prefix_space is not supported")
        merges = [tuple(pair.split(" ")) if isinstance(pair, str) else tuple(pair) for pair in model["merges"]]
        return _like_roberta(bpe.Tokenizer(model["vocab"], merges), model["vocab"], special)
    raise ValueError(f'tokenizer.json: a model of type "{kind}" is not supported; WordPiece and byte-level BPE are')
