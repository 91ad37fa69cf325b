#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The archives of tests/ are what packing their files gives, and the corpora's seeds what the makers write.

test_archives.py MAKE_CORPUS
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import archive  # noqa: E402

MAKE_CORPUS = sys.argv.pop(1)


def corpus(name):
    return archive.unpack((HERE / "corpus" / f"{name}.tar").read_bytes())


def files_in(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


class Archives(unittest.TestCase):
    def test_packing_gives_the_same_bytes(self):
        for path in sorted(HERE.parent.rglob("*.tar")):
            with self.subTest(path.name):
                packed = path.read_bytes()
                files = archive.unpack(packed)
                self.assertGreater(len(files), 8)
                self.assertEqual(archive.pack(dict(reversed(files.items()))), packed)

    def test_tar_reads_them(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["tar", "-xf", HERE / "corpus" / "run.tar", "-C", folder], check=True)
            self.assertEqual(files_in(folder), corpus("run"))

    def test_adding_leaves_out_what_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            packed, old, new = (Path(folder) / name for name in ("corpus.tar", "old", "new"))
            packed.write_bytes(archive.pack({"seed": b"old"}))
            old.write_bytes(b"old")
            new.write_bytes(b"new")
            archive.add(packed, "found-", old, new, new)
            self.assertEqual(archive.unpack(packed.read_bytes()), {"seed": b"old", "found-c2a6b03f190d": b"new"})

    def test_names_and_sizes_at_the_edge(self):
        files = {"a" * 100: b"", "b/c": bytes(512), "d": bytes(513)}
        self.assertEqual(archive.unpack(archive.pack(files)), files)
        for name in ("", "a" * 101):
            with self.assertRaises(ValueError):
                archive.pack({name: b""})

    def test_seeds_are_what_their_makers_write(self):
        makers = {"layer": [MAKE_CORPUS], "model": [sys.executable, HERE / "make_model_corpus.py"]}
        for name, maker in makers.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                subprocess.run([*maker, folder], check=True)
                made = files_in(folder)
                seeds = {key: content for key, content in corpus(name).items() if key.startswith(f"{name}-")}
                self.assertGreaterEqual(len(seeds), 5)
                self.assertEqual({key: content for key, content in made.items() if key in seeds}, seeds)


if __name__ == "__main__":
    unittest.main()
