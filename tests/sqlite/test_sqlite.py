#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The extension for SQLite, in Python's sqlite3 and in Debian's command: test_sqlite.py SUBJECT."""
import math
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

EXTENSION = os.environ["LOOKUPFFN_SQLITE"]
FOLDERS = Path(os.environ["LOOKUPFFN_FOLDERS"])
ROOT = Path(__file__).resolve().parents[2]
ENCODER, PROMPTS, RERANKER = (str(FOLDERS / name) for name in ("sentence-cls", "sentence-prompt", "bert-reranker"))
SKIPPED = 77
TEXTS = [f"{word} {other} {i}" for i, (word, other) in
         enumerate((a, b) for a in ("cat", "dog", "house", "river", "song") for b in ("eats", "runs", "the", "of", "is"))]


def connect(path=":memory:", model=ENCODER):
    db = sqlite3.connect(path, check_same_thread=False, timeout=30)
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


class Functions(Case):
    def test_what_is_refused(self):
        db = filled(model=None)
        self.refused(db, "SELECT lffn_embed('x')", "call SELECT lffn_model('folder') first")
        self.refused(db, "SELECT * FROM lffn_search('t', 'text', 'x')", "call SELECT lffn_model('folder') first")
        self.refused(db, "SELECT lffn_rerank('x', 'y')", "no model that scores pairs")
        self.refused(db, "SELECT lffn_model('/no/such/folder')", "/no/such/folder")
        self.refused(db, "SELECT lffn_model(NULL)", "expected the path of a model, but it is NULL")
        self.refused(db, "SELECT lffn_model(?)", "has no tokenizer", str(FOLDERS / "deberta-v2-absolute"))
        self.assertIn("embeds in", one(db, "SELECT lffn_model(?)", ENCODER))
        self.refused(db, "SELECT lffn_embed(x'00')", "expected a text, but it is a BLOB")
        self.refused(db, "SELECT lffn_embed('x', 'quarry')", "the purpose is 'quarry', expected 'query'")
        self.refused(db, "SELECT lffn_embed('x', NULL, 'float16')", "the type is 'float16', expected 'float32'")
        self.refused(db, "SELECT lffn_embed(CAST(x'ff41' AS TEXT))", "not valid UTF-8")
        self.refused(db, "SELECT lffn_embed()", "wrong number of arguments")
        self.refused(db, "SELECT lffn_similarity('x', 'y')", "expected a vector, which is a BLOB, but it is a text")
        self.refused(db, "SELECT lffn_similarity(x'0000', x'0000')", "2 bytes, which are no float32")
        self.refused(db, "SELECT lffn_similarity(x'00000000', x'')", "the vectors have 4 and 0 bytes")
        self.assertEqual(len(one(db, "SELECT lffn_embed('it still works')")) % 4, 0)

    def test_null_gives_null(self):
        db = connect(model=None)
        for call in ("lffn_embed(NULL)", "lffn_similarity(NULL, x'')", "lffn_similarity(x'', NULL)",
                     "lffn_rerank(NULL, 'x')", "lffn_rerank('x', NULL)"):
            self.assertIsNone(one(db, f"SELECT {call}"), call)

    def test_nothing_stored_may_load_a_model(self):
        db = connect()
        db.execute(f"CREATE VIEW w AS SELECT lffn_model('{ENCODER}')")
        self.refused(db, "SELECT * FROM w", "unsafe use of lffn_model")

    def test_similarity(self):
        db = connect()
        a, b = (one(db, "SELECT lffn_embed(?)", text) for text in ("cat", "a dog runs"))
        self.assertAlmostEqual(one(db, "SELECT lffn_similarity(?, ?)", a, b), cosine(floats(a), floats(b)), places=6)
        self.assertAlmostEqual(one(db, "SELECT lffn_similarity(?, ?)", a, a), 1, places=6)
        self.assertAlmostEqual(one(db, "SELECT lffn_similarity(x'01ff', x'0201', 'int8')"), (2 - 1) / math.sqrt(2 * 5))
        self.assertEqual(one(db, "SELECT lffn_similarity(x'ff', x'fe', 'bit')"), 0.75)

    def test_numbers_that_are_none_and_large_vectors(self):
        db = connect(model=None)
        nan = struct.pack("<2f", float("nan"), 1)
        self.assertIsNone(one(db, "SELECT lffn_similarity(?, ?)", nan, nan))  # SQLite has no NaN but NULL
        infinite = struct.pack("<2f", float("inf"), 1)
        self.assertIsNone(one(db, "SELECT lffn_similarity(?, ?)", infinite, infinite))
        zeros = "zeroblob(100000000)"
        self.assertEqual(one(db, f"SELECT lffn_similarity({zeros}, {zeros})"), 0)
        self.assertEqual(one(db, f"SELECT lffn_similarity({zeros}, {zeros}, 'bit')"), 1)
        self.assertEqual(one(db, "SELECT lffn_similarity(x'', x'')"), 0)
        self.refused(db, f"SELECT lffn_similarity({zeros}, zeroblob(8))", "the vectors have 100000000 and 8 bytes")
        self.refused(db, "SELECT lffn_similarity(x'00', x'00', NULL)", "expected 'float32', 'int8' or 'bit'")

    def test_rerank(self):
        db = connect(model=RERANKER)
        self.refused(db, "SELECT lffn_embed('x')", "no model that embeds")
        scores = [one(db, "SELECT lffn_rerank('the cat', ?)", text) for text in TEXTS[:3]]
        self.assertGreater(len(set(scores)), 1)
        db.execute("SELECT lffn_model(?)", (ENCODER,))  # beside it
        self.assertEqual(one(db, "SELECT lffn_rerank('the cat', ?)", TEXTS[0]), scores[0])


class Embed(Case):
    def test_forms_and_their_order(self):
        db = connect()
        numbers = floats(one(db, "SELECT lffn_embed('the cat')"))
        self.assertAlmostEqual(sum(x * x for x in numbers), 1, places=5)
        whole = one(db, "SELECT lffn_embed('the cat', NULL, 'int8')")
        self.assertEqual(len(whole), len(numbers))
        self.assertGreater(cosine(numbers, struct.unpack(f"{len(whole)}b", whole)), 0.999)
        bits = one(db, "SELECT lffn_embed('the cat', NULL, 'bit')")
        expected = bytearray((len(numbers) + 7) // 8)
        for i, number in enumerate(numbers):
            if number > 0:
                expected[i // 8] |= 1 << (i % 8)
        self.assertEqual(bits, bytes(expected))

    def test_purposes(self):
        db = connect(model=PROMPTS)
        plain, none, query, document = (one(db, f"SELECT lffn_embed('cat'{more})")
                                        for more in ("", ", NULL", ", 'query'", ", 'document'"))
        self.assertEqual(plain, none)
        self.assertNotEqual(query, document)

    def test_triggers_fill_vectors(self):
        db = filled([])
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e BLOB)")
        db.execute("CREATE TRIGGER fill AFTER INSERT ON t BEGIN "
                   "INSERT INTO v VALUES (new.id, lffn_embed(new.text)); END")
        db.executemany("INSERT INTO t(text) VALUES (?)", [(text,) for text in TEXTS])
        for i, text in enumerate(TEXTS):
            self.assertEqual(one(db, "SELECT e FROM v WHERE id = ?", i + 1), one(db, "SELECT lffn_embed(?)", text))


class LookAhead(Case):
    """Whatever is read ahead, each text has its own vector."""

    def setUp(self):
        self.db = filled(TEXTS * 3 + [""])
        self.alone = {text: one(self.db, "SELECT lffn_embed(?)", text) for text in TEXTS + [""]}

    def expect(self, rows):
        count = 0
        for text, vector in rows:
            self.assertEqual(vector, self.alone[text], text)
            count += 1
        return count

    def test_statements(self):
        every = len(TEXTS) * 3 + 1
        for sql, rows in (("SELECT text, lffn_embed(text) FROM t", every),
                          ("SELECT text, lffn_embed(text) FROM t ORDER BY text DESC, id", every),
                          ("SELECT text, lffn_embed(text) FROM t ORDER BY random()", every),
                          ("SELECT text, lffn_embed(text) FROM t WHERE id % 3 = 1 LIMIT 20", 20),
                          ("SELECT text, CASE WHEN id % 9 = 0 THEN lffn_embed(text) END FROM t WHERE id % 9 = 0", 8),
                          ("SELECT DISTINCT text, lffn_embed(text) FROM t", len(TEXTS) + 1),
                          ("SELECT text, lffn_embed((SELECT text)) FROM t", every)):
            self.assertEqual(self.expect(self.db.execute(sql)), rows, sql)

    def test_two_forms_in_one_statement(self):
        for text, plain, whole, again in self.db.execute(
                "SELECT text, lffn_embed(text), lffn_embed(text, NULL, 'int8'), lffn_embed(text, 'query') FROM t"):
            self.assertEqual(plain, self.alone[text])
            self.assertEqual(again, self.alone[text])
            self.assertEqual(len(whole) * 4, len(plain))
        kinds = "CASE WHEN id % 2 THEN 'int8' ELSE 'bit' END"
        for i, vector in self.db.execute(f"SELECT id, lffn_embed(text, NULL, {kinds}) FROM t"):
            size = len(self.alone[""]) // 4
            self.assertEqual(len(vector), size if i % 2 else (size + 7) // 8)

    def test_statements_that_write(self):
        db = self.db
        db.execute("CREATE TABLE v AS SELECT text, lffn_embed(text) AS e FROM t")
        self.assertEqual(self.expect(db.execute("SELECT * FROM v")), len(TEXTS) * 3 + 1)
        db.execute("DELETE FROM v")
        db.execute("INSERT INTO v SELECT text, lffn_embed(text) FROM t WHERE id > ?", (4,))
        self.assertEqual(self.expect(db.execute("SELECT * FROM v")), len(TEXTS) * 3 - 3)
        db.execute("ALTER TABLE t ADD COLUMN e BLOB")
        db.execute("UPDATE t SET e = lffn_embed(text) WHERE e IS NULL AND id % 2 = 0")
        self.assertEqual(self.expect(db.execute("SELECT text, e FROM t WHERE e IS NOT NULL")), len(TEXTS) * 3 // 2 + 1)
        db.execute("INSERT INTO t(text, e) SELECT text, lffn_embed(text) FROM t")
        db.commit()
        with self.assertRaises(sqlite3.IntegrityError):  # in the middle of it
            db.execute("CREATE TABLE u(text UNIQUE, e)")
            db.execute("INSERT INTO u SELECT text, lffn_embed(text) FROM t")
        db.rollback()

    def test_rows_that_are_no_texts(self):
        db = self.db
        db.execute("INSERT INTO t(text) VALUES (NULL), (CAST(x'ff' AS TEXT)), ('dog')")
        db.execute("DELETE FROM t WHERE id < 10")
        with self.assertRaises(sqlite3.OperationalError) as caught:
            db.execute("CREATE TABLE v AS SELECT text, lffn_embed(text) AS e FROM t")
        self.assertIn("not valid UTF-8", str(caught.exception))
        db.execute("DELETE FROM t WHERE text = CAST(x'ff' AS TEXT)")
        vectors = [vector for _, vector in db.execute("SELECT id, lffn_embed(text) FROM t")]
        self.assertEqual(sum(vector is None for vector in vectors), 1)

    def test_a_statement_that_is_left_locks_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            db = filled(TEXTS, path=folder + "/a.db")
            rows = db.execute("SELECT lffn_embed(text) FROM t")
            for _ in range(3):
                next(rows)
            rows.close()
            other = sqlite3.connect(folder + "/a.db", timeout=0)
            other.execute("DELETE FROM t")
            other.commit()
            self.assertEqual(one(db, "SELECT count(*) FROM t"), 0)

    def test_the_model_may_change_on_the_way(self):
        other = one(connect(model=PROMPTS), "SELECT lffn_embed('cat')")
        rows = self.db.execute("SELECT 'cat', lffn_embed('cat' || substr(text, 1, 0)) FROM t")
        cat = one(self.db, "SELECT lffn_embed('cat')")
        self.assertEqual(next(rows)[1], cat)
        self.assertEqual(next(rows)[1], cat)
        self.db.execute("SELECT lffn_model(?)", (PROMPTS,)).fetchall()
        next(rows)  # Python had asked for it before
        self.assertEqual(next(rows)[1], other)


class Search(Case):
    def test_finds_what_is_nearest(self):
        for kind in ("float32", "int8", "bit"):
            db = filled()
            db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, \"a \"\" b\" BLOB)")
            db.execute("INSERT INTO v SELECT id, lffn_embed(text, 'document', ?) FROM t", (kind,))
            db.execute("INSERT INTO v VALUES (1000, NULL)")
            found = db.execute("SELECT id, similarity FROM lffn_search('v', 'a \" b', 'river of', 7)").fetchall()
            query = one(db, "SELECT lffn_embed('river of', 'query', ?)", kind)
            expected = db.execute("SELECT id, lffn_similarity(?, \"a \"\" b\", ?) AS s FROM v WHERE s IS NOT NULL "
                                  "ORDER BY s DESC, id LIMIT 7", (query, kind)).fetchall()
            self.assertEqual(found, expected)
            self.assertEqual(db.execute("SELECT count(*) FROM lffn_search('v', 'a \" b', 'river of')").fetchone(), (10,))
            if kind == "float32":
                self.assertEqual(db.execute("SELECT id, similarity FROM lffn_search('v', 'a \" b', ?, 7)",
                                            (query,)).fetchall(), expected)

    def test_many_rows_by_many_threads(self):
        db = connect(model=None)
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e BLOB)")
        rows = [struct.pack("<256f", *(math.sin(i * 37 + j * j) for j in range(256))) for i in range(4000)]
        rows[7] = rows[1234]
        db.executemany("INSERT INTO v(e) VALUES (?)", [(row,) for row in rows])
        expected = db.execute("SELECT id, lffn_similarity(?, e) AS s FROM v ORDER BY s DESC, id LIMIT 20",
                              (rows[1234],)).fetchall()
        for _ in range(5):
            found = db.execute("SELECT id, similarity FROM lffn_search('v', 'e', ?, 20)", (rows[1234],)).fetchall()
            self.assertEqual(found, expected)
        self.assertEqual([i for i, _ in found[:2]], [8, 1235])

    def test_rows_of_no_numbers_come_last(self):
        db = connect(model=None)
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e BLOB)")
        rows = [(1, float("nan")), (2, -1.0), (3, float("inf")), (4, 1.0), (5, 0.0)]
        db.executemany("INSERT INTO v VALUES (?, ?)", [(i, struct.pack("<f", x)) for i, x in rows])
        db.execute("INSERT INTO v VALUES (6, NULL)")
        found = db.execute("SELECT id FROM lffn_search('v', 'e', ?)", (struct.pack("<f", 2),)).fetchall()
        self.assertEqual([i for (i,) in found], [4, 5, 2, 1, 3])
        self.assertEqual(db.execute("SELECT * FROM lffn_search('v', 'e', ?, 0)", (struct.pack("<f", 2),)).fetchall(), [])
        db.execute("DELETE FROM v")
        db.execute("INSERT INTO v VALUES (1, zeroblob(50000000))")
        self.assertEqual(one(db, "SELECT similarity FROM lffn_search('v', 'e', zeroblob(50000000))"), 0)

    def test_interrupts(self):
        db = connect(model=None)
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e BLOB)")
        db.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
                   "INSERT INTO v SELECT i, zeroblob(16) FROM n")
        calls = []
        db.set_progress_handler(lambda: calls.append(0) or len(calls) > 3, 1000)
        self.refused(db, "SELECT * FROM lffn_search('v', 'e', zeroblob(16))", "interrupted")
        db.set_progress_handler(None, 0)
        self.assertEqual(len(db.execute("SELECT * FROM lffn_search('v', 'e', zeroblob(16))").fetchall()), 10)

    def test_joins(self):
        db = filled()
        db.execute("CREATE TABLE v AS SELECT id, lffn_embed(text) AS e FROM t")
        rows = db.execute("SELECT t.text, s.similarity FROM lffn_search('v', 'e', 'dog is 9', 3) AS s "
                          "JOIN t ON t.id = s.id ORDER BY s.similarity DESC").fetchall()
        self.assertEqual(rows[0][0], "dog is 9")
        nearest = "SELECT similarity FROM lffn_search('v', 'e', lffn_embed(t.text), 1)"
        self.assertGreater(one(db, f"SELECT min(({nearest})) FROM t"), 0.9999)  # itself, or one that reads the same

    def test_what_is_refused(self):
        db = filled()
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e)")
        search = "SELECT * FROM lffn_search"
        self.assertEqual(db.execute(search + "('v', 'e', 'x')").fetchall(), [])
        self.refused(db, search, "expected a table, a column, a text")
        self.refused(db, search + "('v', 'e')", "expected a table, a column, a text")
        self.refused(db, search + "('nowhere', 'e', 'x')", "no such table: nowhere")
        self.refused(db, "SELECT lffn_search_row(1, id, e) FROM v UNION SELECT lffn_search_row(1, 2, 3)", "for lffn_search alone")
        self.refused(db, search + "('v', 'none', 'x')", "no such column")
        self.refused(db, search + "('v', NULL, 'x')", "expected the name of a column")
        self.refused(db, search + "('v', 'e', 5)", "expected a text or a vector to search for")
        for k in ("-1", "'5'", "2.5", "1000000000000"):
            self.refused(db, search + f"('v', 'e', 'x', {k})", "the number of rows must be 0 to")
        db.execute("INSERT INTO v VALUES (5, 'text')")
        self.refused(db, search + "('v', 'e', 'x')", "row 5 has no vector")
        db.execute("UPDATE v SET e = x'010203'")
        self.refused(db, search + "('v', 'e', 'x')", "3 bytes are no vector of this model, expected")
        self.refused(db, search + "('v', 'e', x'01')", "the query has 1")
        db.execute("UPDATE v SET e = lffn_embed('x')")
        db.execute("INSERT INTO v VALUES (6, x'00')")
        self.refused(db, search + "('v', 'e', 'x')", "row 6 has 1 bytes")


class Interrupt(Case):
    def test_interrupt_ends_a_statement(self):
        db = filled([f"{' '.join(TEXTS)} {i}" for i in range(60000)])
        for stop in ("interrupt", "handler"):
            begin = time.monotonic()
            if stop == "interrupt":
                threading.Timer(0.05, db.interrupt).start()
            else:
                db.set_progress_handler(lambda: time.monotonic() > begin + 0.05, 100)
            with self.assertRaises(sqlite3.OperationalError) as caught:
                db.execute("CREATE TABLE v AS SELECT id, lffn_embed(text) AS e FROM t")
            self.assertIn("interrupted", str(caught.exception))
            db.set_progress_handler(None, 0)
            db.rollback()
            self.assertEqual(one(db, "SELECT count(*) FROM sqlite_master WHERE name = 'v'"), 0)
            self.assertIsNotNone(one(db, "SELECT lffn_embed('it goes on')"))


class Sharing(Case):
    def test_many_connections_have_one_model(self):
        first = connect()
        expected = [one(first, "SELECT lffn_embed(?)", text) for text in TEXTS]
        failures = []

        def work(path):
            try:
                for _ in range(3):
                    db = connect(model=path)
                    for text, vector in zip(TEXTS, expected):
                        if one(db, "SELECT lffn_embed(?)", text) != vector:
                            failures.append(text)
                    db.close()
            except Exception as error:  # pylint: disable=broad-except
                failures.append(error)

        threads = [threading.Thread(target=work, args=(path,)) for path in (ENCODER, ENCODER + "/../sentence-cls") * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        first.close()
        self.assertEqual(one(connect(), "SELECT lffn_embed(?)", TEXTS[0]), expected[0])


class Shell(Case):
    def test_the_command_loads_it(self):
        command = shutil.which("sqlite3")
        if command is None:
            print("needs the command sqlite3")
            sys.exit(SKIPPED)
        script = f""".load {EXTENSION}
.bail on
SELECT lffn_model('{ENCODER}');
CREATE TABLE t(id INTEGER PRIMARY KEY, text);
INSERT INTO t VALUES (1, 'cat eats'), (2, 'the river'), (3, 'song');
CREATE TABLE v AS SELECT id, lffn_embed(text, 'document', 'int8') AS e FROM t;
SELECT text FROM lffn_search('v', 'e', 'the river', 1) JOIN t USING (id);
SELECT lffn_model('/none');
"""
        done = subprocess.run([command, ":memory:"], input=script, capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.splitlines()[1:], ["the river"], done.stderr)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/none", done.stderr)


class Page(Case):
    def test_the_example_runs(self):
        if shutil.which("sqlite3") is None:
            print("needs the command sqlite3")
            sys.exit(SKIPPED)
        done = subprocess.run(["sqlite3", ":memory:", "-cmd", f".load {EXTENSION}", ".read examples/sqlite/search.sql"],
                              cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 4, done.stdout)
        self.assertIn("boat", lines[1])


if __name__ == "__main__":
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        print("this Python's sqlite3 loads no extensions")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *(["-v"] if len(sys.argv) < 2 else sys.argv[1:])])
