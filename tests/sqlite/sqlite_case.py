# SPDX-License-Identifier: Apache-2.0
"""What the tests of the extension for SQLite have in common."""
import math
import os
import sqlite3
import struct
import sys
import unittest
from pathlib import Path

EXTENSION = os.environ["LOOKUPFFN_SQLITE"]
FOLDERS = Path(os.environ["LOOKUPFFN_FOLDERS"])
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import archive  # noqa: E402 pylint: disable=wrong-import-position
from folders import make_prompted, make_sparse  # noqa: E402 pylint: disable=wrong-import-position
ENCODER, PROMPTS, RERANKER = (str(FOLDERS / name) for name in ("sentence-cls", "sentence-prompt", "bert-reranker"))
SKIPPED = 77
TEXTS = [f"{word} {other} {i}" for i, (word, other) in
         enumerate((a, b) for a in ("cat", "dog", "house", "river", "song") for b in ("eats", "runs", "the", "of", "is"))]


def connect(path=":memory:", model=ENCODER, schema_first=False):
    db = sqlite3.connect(path, check_same_thread=False, timeout=30)
    if schema_first:
        db.execute("SELECT count(*) FROM sqlite_master")
    db.enable_load_extension(True)
    db.load_extension(EXTENSION)
    db.enable_load_extension(False)
    if model:
        db.execute("SELECT lffn_model(?)", (model,))
    return db


def filled(texts=TEXTS, **how):
    db = connect(**how)
    db.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT)")
    db.executemany("INSERT INTO t(text) VALUES (?)", [(text,) for text in texts])
    db.commit()
    return db


def one(db, sql, *values):
    return db.execute(sql, values).fetchone()[0]


def floats(blob):
    return struct.unpack(f"<{len(blob) // 4}f", blob)


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


class Case(unittest.TestCase):
    def refused(self, db, sql, part, *values):
        with self.assertRaises(sqlite3.OperationalError) as caught:
            db.execute(sql, values).fetchall()
        self.assertIn(part, str(caught.exception))


def main():
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        print("this Python's sqlite3 loads no extensions")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *(["-v"] if len(sys.argv) < 2 else sys.argv[1:])])
