#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library's tokenizer against an independent one (reference_bpe.py), token by token and byte by byte."""
import array
import itertools
import json
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import unicodedata
import unittest
from pathlib import Path

try:
    import regex  # noqa: F401
except ImportError:
    print("the module regex is missing; scripts/install-deps installs it as python3-regex")
    sys.exit(77)
import reference_bpe
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

STREAM = os.environ["TOKENIZE_STREAM"].split(";")
GOLDEN = archive.unpacked("model/data.tar")

# Characters whose class no later version of Unicode changes: those assigned, for private use, or never to be assigned.
ASSIGNED = [chr(code) for code in range(0x110000)
            if not 0xD800 <= code < 0xE000 and unicodedata.category(chr(code)) not in ("Cn", "Co")]
STABLE = ASSIGNED + [chr(code) for code in (*range(0xE000, 0xF900, 97), *range(0xF0000, 0x110000, 997),
                                            *range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF, 0x1FFFF, 0x10FFFF)]
# Every 128 code points that have characters; no Unicode block is without one of these.
ROWS = [list(row) for _, row in itertools.groupby(STABLE, key=lambda character: ord(character) // 128)]
SIGNS = [*" \t\n.,;:!?'\"-()<>/#&", "  ", "\r\n", " \u00a0", "\u3000", "'s", "'re", "'LL", "n't", " 1", "<mask>", " <mask>",
         "\n\t<mask>", "<s>", "</s>", "<pad>", "<unk>", "<", "<mas", "\u200d", "\ufe0f", "\u0301"]
SYLLABLES = [a + b + c for a in "bcdfghklmnprstvw" for b in "aeiou" for c in ("", "n", "r", "s", "th")]


def words(generator, count):
    """Words whose frequencies fall as those of a language do."""
    known = ["".join(generator.choices(SYLLABLES, k=generator.randint(1, 4))) for _ in range(count)]
    weights = list(itertools.accumulate(1 / (place + 1) for place in range(count)))
    return lambda number: generator.choices(known, cum_weights=weights, k=number)


def sentence(generator, draw):
    parts = draw(generator.randint(1, 14))
    parts[0] = parts[0].capitalize()
    for place in range(len(parts)):
        if generator.random() < 0.1:
            parts[place] += generator.choice((",", ";", "'s", "'ve", "...", "!", " -", str(generator.randint(0, 3000))))
    return generator.choice(("", "", "", " ", "\n")).join((" ".join(parts), "")) + generator.choice((".", "", " ", "?"))


def varied_lines(generator, count):
    """Lines of language, of one row of Unicode, of several, and of signs between them."""
    draw = words(generator, 5000)
    for number in range(count):
        kind = number % 5
        row = ROWS[number % len(ROWS)]
        if kind < 2:
            yield sentence(generator, draw)
        elif kind == 2:
            yield "".join(generator.choices(row + [" ", " "], k=generator.randint(1, 24)))
        elif kind == 3:
            yield "".join(generator.choice((generator.choice(row), generator.choice(SIGNS), *draw(1)))
                          for _ in range(generator.randint(1, 20)))
        else:
            yield "".join(generator.choices(STABLE, k=generator.randint(1, 16)))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def trained(self):
        generator = random.Random(7)
        vocab, merges = reference_bpe.train(list(varied_lines(generator, 3000)), 1000)
        return reference_bpe.Reference(vocab, merges), reference_bpe.write(self.folder, vocab, merges)

    def run_stream(self, files, texts):
        """For each text the ids, where each begins and ends, and their text again."""
        data = b"".join(struct.pack("<I", len(text)) + text for text in (text.encode() for text in texts))
        output = subprocess.run([*STREAM, *map(str, files)], input=data, stdout=subprocess.PIPE, check=True).stdout
        at = 0

        def take(size):
            nonlocal at
            at += size
            return output[at - size:at]

        for _ in texts:
            size, = struct.unpack("<I", take(4))
            ids = array.array("i", take(4 * size)).tolist()
            edges = iter(array.array("I", take(8 * size)).tolist())
            yield ids, list(zip(edges, edges)), take(struct.unpack("<I", take(4))[0])
        self.assertEqual(at, len(output))

    def compare(self, reference, files, texts):
        texts = list(texts)
        for text, (ids, spans, again) in zip(texts, self.run_stream(files, texts), strict=True):
            expected = reference.encode(text)
            self.assertEqual(ids, [token for token, _ in expected], repr(text))
            self.assertEqual(spans, reference.spans(text, expected), repr(text))
            if reference.vocab["<unk>"] not in ids and "<mask>" not in text:
                self.assertEqual(again.decode(), text)
        return len(texts)


class Golden(Case):
    def test_tokens(self):
        for name in ("model-lookup", "model-mixed"):
            folder = GOLDEN / name
            cases = json.loads((folder / "tokens.json").read_text(encoding="utf-8"))
            files = (folder / "vocab.json", folder / "merges.txt")
            found = list(self.run_stream(files, [case["text"] for case in cases]))
            self.assertEqual([ids for ids, _, _ in found], [case["ids"] for case in cases])
            reference = reference_bpe.Reference(*reference_bpe.read(folder))
            for case in cases:
                self.assertEqual([token for token, _ in reference.encode(case["text"])], case["ids"])
            self.compare(reference, files, varied_lines(random.Random(1), 5000))


class Lines(Case):
    def test_varied_lines(self):
        reference, files = self.trained()
        self.assertGreaterEqual(self.compare(reference, files, varied_lines(random.Random(2), 100000)), 100000)
        self.assertGreater(len(ROWS), 1000)

    def test_every_character_beside_others(self):
        reference, files = self.trained()
        texts = ["".join(f"x{character}1{character} {character}!\n{character}" for character in STABLE[place:place + 32])
                 for place in range(0, len(STABLE), 32)]
        self.compare(reference, files, texts)


class Bytes(Case):
    def test_random_bytes(self):
        reference, files = self.trained()
        generator = random.Random(3)
        texts = []
        for _ in range(10000):
            data = generator.randbytes(generator.randint(0, 60))
            texts += [data.decode("utf-8", "ignore"), data.decode("latin-1"), data.decode("utf-16-le", "ignore")]
        stable = set(STABLE)
        self.compare(reference, files, ("".join(c for c in text if c in stable) for text in texts))

    def test_symbols_outside_the_vocabulary(self):
        reference, _ = self.trained()
        generator = random.Random(4)
        vocab = {token: i for i, token in enumerate(token for token in reference.vocab
                                                    if token in reference_bpe.SPECIAL or generator.random() < 0.7)}
        merges = list(reference.ranks)
        reference = reference_bpe.Reference(vocab, merges)
        files = reference_bpe.write(self.folder, vocab, merges)
        self.compare(reference, files, varied_lines(generator, 5000))


class Hostile(Case):
    def test_long_pieces(self):
        reference, files = self.trained()
        generator = random.Random(5)
        syllables = "".join(generator.choices(SYLLABLES, k=20000))
        texts = ["a" * 100000, " " * 100000, "\u3042" * 30000, "'" * 50000, "\n" * 30000 + "x", syllables,
                 "".join(generator.choices("ab", k=30000)), "<mask>" * 5000, " <" * 20000, " \t<mask> " * 5000]
        self.compare(reference, files, texts)

    def test_time_does_not_explode(self):
        _, files = self.trained()
        generator = random.Random(6)
        megabyte = 1 << 20
        texts = ["a" * megabyte, " " * megabyte, "<" * megabyte, "s'" * (megabyte // 2), "<mask" * (megabyte // 5),
                 "\u00e4" * (megabyte // 2), "".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=megabyte)),
                 "".join(generator.choices(SYLLABLES, k=megabyte // 3)), " <mask>" * (megabyte // 7)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = list(self.run_stream(files, texts))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual([spans[-1][1] for _, spans, _ in found], [len(text.encode()) for text in texts])
        # About 3 seconds; what grows with the square of the length takes hours.
        self.assertLess(after.ru_utime - before.ru_utime, 120)


if __name__ == "__main__":
    unittest.main()
