# SPDX-License-Identifier: Apache-2.0
"""Texts for measuring, of which training texts must have no part, and what else is left out: near duplicates."""

import gzip
import hashlib
import json
import lzma
import re


def strings_of(value):
    """All strings in what JSON gives."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings_of(inner)


class HeldOut:
    """Held-out texts: finds sentences that share eight words in a row with them, are one of their shorter sentences, or quote
    their books."""

    NAMES = re.compile(r"(?i)jargon\W+file|hacker'?s'?\s+dictionary|devil'?s\s+dictionary|bierce")

    SENTENCE = re.compile(r"\S.*?(?:[.!?;](?=\s)|$)")

    def __init__(self):
        self.runs, self.short = set(), set()

    @staticmethod
    def runs_of(text):
        words = re.findall(r"[a-z]+", text.lower())
        return {hash(" ".join(words[i:i + 8])) for i in range(len(words) - 7)}

    @staticmethod
    def short_of(sentence):
        """Its words, if they are too few for a run and more than two; otherwise nothing."""
        words = re.findall(r"[a-z]+", sentence.lower())
        return " ".join(words) if 2 < len(words) < 8 else ""

    def add(self, text):
        self.runs |= self.runs_of(text)  # Also across lines, which divide code and wrapped text.
        for document in text.splitlines():
            self.short.update(filter(None, map(self.short_of, document.split("\t"))))

    def add_file(self, path):
        """A text, or the strings of JSON lines, whose escapes are no words. Also packed by xz or gzip."""
        data = path.read_bytes()
        data = {".xz": lzma.decompress, ".gz": gzip.decompress}.get(path.suffix, bytes)(data)
        text = data.decode("utf-8-sig")
        if ".jsonl" in path.suffixes:
            text = "\n".join(string for line in text.splitlines() if line.strip() for string in strings_of(json.loads(line)))
        self.add(text)

    def has(self, document):
        return bool(self.NAMES.search(document)) or not self.runs.isdisjoint(self.runs_of(document)) \
            or any(self.short_of(sentence) in self.short for sentence in self.SENTENCE.findall(document))

    def without(self, document):
        """The document without the sentences that share such a run, are such a sentence or name such a book."""
        if not self.has(document):
            return document
        words = list(re.finditer(r"[a-z]+", document.lower()))
        hits = [match.span() for match in self.NAMES.finditer(document)]
        for first in range(len(words) - 7):
            run = words[first:first + 8]
            if hash(" ".join(word[0] for word in run)) in self.runs:
                hits.append((run[0].start(), run[-1].end()))
        sentences = [match.span() for match in self.SENTENCE.finditer(document)]
        return " ".join(document[begin:end] for begin, end in sentences
                        if self.short_of(document[begin:end]) not in self.short
                        and not any(begin < last and first < end for first, last in hits))


def is_held_out(package):
    return int.from_bytes(hashlib.sha256(package.encode()).digest()[:4], "little") % 15 == 0


def without_near_duplicates(documents):
    """Omits documents if more than half of their runs of eight words occurred before."""
    seen, left = set(), []
    for document in documents:
        runs = HeldOut.runs_of(document)
        if len(runs & seen) <= len(runs) / 2:
            left.append(document)
        seen |= runs
    return left
