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
        self.refused(db, "SELECT lffn_model(5)", "expected the path of a model, but it is a number")
        self.refused(db, "SELECT lffn_embed('x', 5)", "expected 'query', 'document' or 'none', but it is a number")
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
        db.execute("CREATE TABLE v AS SELECT lffn_embed('a dog runs', NULL, 'int8') AS e")
        for kind in ("int8", "bit"):
            a = f"lffn_embed('cat', NULL, '{kind}')"
            b = f"lffn_embed('a dog runs', NULL, '{kind}')"
            self.assertIsNotNone(one(db, f"SELECT lffn_similarity({a}, {b})"))
            self.assertEqual(one(db, f"SELECT lffn_similarity({a}, {b})"),
                             one(db, f"SELECT lffn_similarity({a}, {b}, '{kind}')"), kind)
            self.refused(db, f"SELECT lffn_similarity({a}, {b}, 'float32')", f"of float32 and of {kind} cannot be")
            self.refused(db, f"SELECT lffn_similarity({a}, lffn_embed('cat'))", f"of {kind} and of float32 cannot be")
        # A table keeps no type; the other vector tells it.
        self.assertEqual(one(db, "SELECT lffn_similarity(e, lffn_embed('cat', NULL, 'int8')) FROM v"),
                         one(db, "SELECT lffn_similarity(e, lffn_embed('cat', NULL, 'int8'), 'int8') FROM v"))
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

    def test_numbers_are_their_text(self):
        db = connect()
        for number in ("12", "-0.5", "1e300"):
            self.assertEqual(one(db, f"SELECT lffn_embed({number})"),
                             one(db, f"SELECT lffn_embed(CAST({number} AS TEXT))"))
        db.execute("CREATE TABLE n(id INTEGER PRIMARY KEY, x)")
        db.executemany("INSERT INTO n(x) VALUES (?)", [(i if i % 2 else str(i),) for i in range(40)])
        db.execute("CREATE TABLE v AS SELECT id, lffn_embed(x) AS e FROM n")
        for i, e in db.execute("SELECT x, e FROM n JOIN v USING (id)").fetchall():
            self.assertEqual(e, one(db, "SELECT lffn_embed(?)", str(i)))
        self.assertEqual(db.execute("SELECT id, similarity FROM lffn_search('v', 'e', 12, 3)").fetchall(),
                         db.execute("SELECT id, similarity FROM lffn_search('v', 'e', '12', 3)").fetchall())
        db.execute("SELECT lffn_model(?)", (RERANKER,))
        self.assertEqual(one(db, "SELECT lffn_rerank(12, 0.5)"), one(db, "SELECT lffn_rerank('12', '0.5')"))

    def test_a_bad_row_is_named(self):
        db = filled()
        db.execute("INSERT INTO t(text) VALUES (CAST(x'636174ff' AS TEXT))")
        db.execute("CREATE TABLE v(id, e)")
        db.commit()
        bad = f"call {len(TEXTS) + 1} of lffn_embed in this statement, on 'cat\\xff': byte 3 of the text is not"
        for rows in ("SELECT id, lffn_embed(text) FROM t", "SELECT id, lffn_embed(text || '') FROM t ORDER BY id",
                     "WITH w AS (SELECT id, text FROM t) SELECT id, lffn_embed(text) FROM w"):
            self.refused(db, "INSERT INTO v " + rows, bad)
            db.rollback()
            self.assertEqual(one(db, "SELECT count(*) FROM v"), 0)
        db.execute("UPDATE t SET text = NULL WHERE id = 3")  # a call, too
        self.refused(db, "SELECT lffn_embed(text) FROM t", bad)
        db.execute("UPDATE t SET text = x'00' WHERE id = 4")
        self.refused(db, "SELECT lffn_embed(text) FROM t",
                     "call 4 of lffn_embed in this statement: expected a text, but it is a BLOB")
        db.execute("SELECT lffn_model(?)", (RERANKER,))
        self.refused(db, "SELECT lffn_rerank('cat', text) FROM t WHERE id > 5",
                     f"call {len(TEXTS) - 4} of lffn_rerank in this statement, on 'cat\\xff': byte 3")

    def test_rerank(self):
        db = connect(model=RERANKER)
        self.refused(db, "SELECT lffn_embed('x')", "no model that embeds")
        scores = [one(db, "SELECT lffn_rerank('the cat', ?)", text) for text in TEXTS[:3]]
        self.assertGreater(len(set(scores)), 1)
        db.execute("SELECT lffn_model(?)", (ENCODER,))  # beside it
        self.assertEqual(one(db, "SELECT lffn_rerank('the cat', ?)", TEXTS[0]), scores[0])

    def test_a_late_model_scores_pairs(self):
        db = connect(model=None)
        late = str(archive.unpacked("api/late-folders.tar") / "late-pylate")
        self.assertIn("scores pairs", one(db, "SELECT lffn_model(?)", late))
        scores = [one(db, "SELECT lffn_rerank('the cat', ?)", text) for text in TEXTS[:3]]
        self.assertGreater(len(set(scores)), 1)
        self.refused(db, "SELECT lffn_embed('x')", "no model that embeds")
        self.refused(db, "SELECT lffn_rerank('x', CAST(x'61ff' AS TEXT))", "on 'a\\xff': byte 1 of the document is not")

    def test_a_sparse_model_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            db = connect()
            self.refused(db, "SELECT lffn_model(?)", "sparse vectors, which no function here compares",
                         make_sparse(FOLDERS / "bert-mlm", folder + "/sparse"))
            self.assertIsNotNone(one(db, "SELECT lffn_embed('x')"))  # the model before is still there


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
        self.assertEqual(plain, query)  # the default one
        self.assertEqual(one(db, "SELECT lffn_embed('query: cat', 'none')"), query)
        self.assertEqual(one(db, "SELECT lffn_embed('cat', 'none')"), document)  # whose prompt is empty

    def test_a_search_has_the_prompts(self):
        with tempfile.TemporaryDirectory() as folder:
            db = filled(model=make_prompted(PROMPTS, folder + "/m", query="river ", document="the house is "))
        db.execute("CREATE TABLE v AS SELECT id, lffn_embed(text, 'document') AS e FROM t")
        for read, searched in (("river cat", "'cat'"), ("cat", "lffn_embed('cat', 'none')")):
            expected = db.execute(
                "SELECT id, lffn_similarity(lffn_embed(?, 'none'), lffn_embed('the house is ' || text, 'none')) AS s "
                "FROM t ORDER BY s DESC, id LIMIT 5", (read,)).fetchall()
            self.assertEqual(db.execute(f"SELECT * FROM lffn_search('v', 'e', {searched}, 5)").fetchall(), expected)

    def test_temporary_triggers_fill_vectors(self):
        db = filled([])
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e BLOB)")
        db.execute("CREATE TEMP TRIGGER fill AFTER INSERT ON t BEGIN "
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
        found = db.execute("SELECT id, similarity FROM lffn_search('v', 'e', ?) ORDER BY similarity DESC, id",
                           (struct.pack("<f", 2),)).fetchall()
        self.assertEqual(found, [(4, 1), (5, 0), (2, -1), (1, None), (3, None)])
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
        self.refused(db, search + "('v', 'e', NULL)", "expected a text or a vector to search for")
        for k in ("-1", "'5'", "2.5", "1000000000000"):
            self.refused(db, search + f"('v', 'e', 'x', {k})", "the number of rows must be 0 to")
        db.execute("INSERT INTO v VALUES (5, 'text')")
        self.refused(db, search + "('v', 'e', 'x')", "row 5: what it has is not a BLOB")
        db.execute("UPDATE v SET e = lffn_embed('x')")
        db.execute("INSERT INTO v VALUES (6, x'00')")
        self.refused(db, search + "('v', 'e', 'x')", "row 6: its vector has 1 bytes, those of the rows before have")

    def test_vectors_of_another_model_or_type(self):
        db = filled()
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e)")
        search = "SELECT * FROM lffn_search"
        size = len(one(db, "SELECT lffn_embed('x')")) // 4
        db.execute("INSERT INTO v VALUES (5, x'010203')")
        self.refused(db, search + "('v', 'e', 'x')", "row 5: its vector has 3 bytes, but those of this connection's "
                     f"model have {4 * size} as float32, {size} as int8, {(size + 7) // 8} as bits; load the model")
        self.refused(db, search + "('v', 'e', x'01')", "its vector has 3 bytes and the query 1; one model")
        self.refused(db, search + "('v', 'e', x'010203')", "its vector has 3 bytes, but those of this connection's")
        db.execute("UPDATE v SET e = zeroblob(?)", (8 * size,))  # float32, of a model of twice as many numbers
        self.refused(db, search + "('v', 'e', 'x')", f"its vector has {8 * size} bytes, but")
        self.refused(db, search + "('v', 'e', zeroblob(?))", f"its vector has {8 * size} bytes, but", 8 * size)
        db.execute("UPDATE v SET e = lffn_embed('x')")
        for kind in ("int8", "bit"):
            self.refused(db, search + f"('v', 'e', lffn_embed('x', 'query', '{kind}'))", "and the query")
        db.execute("UPDATE v SET e = zeroblob(?)", (size,))
        self.refused(db, search + "('v', 'e', lffn_embed('x'))", f"its vector has {size} bytes and the query {4 * size}")
        db = connect(model=None)  # which compares vectors of any model
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e)")
        db.execute("INSERT INTO v VALUES (5, x'0000803f')")
        self.assertEqual(db.execute(search + "('v', 'e', x'0000803f')").fetchall(), [(5, 1)])
        db.execute("UPDATE v SET e = x'010203'")
        self.refused(db, search + "('v', 'e', x'010203')", "row 5: its vector has 3 bytes, which are no float32")

    def test_rows_are_found_by_a_rowid(self):
        db = filled()
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e)")
        db.execute("INSERT INTO v SELECT id, lffn_embed(text) FROM t")
        db.execute("CREATE VIEW without AS SELECT e FROM v")
        db.execute("CREATE VIEW other AS SELECT 'a' AS rowid, e FROM v")
        db.execute("CREATE VIEW own AS SELECT id + 100 AS rowid, e FROM v")
        db.execute("CREATE TABLE keyed(name PRIMARY KEY, e) WITHOUT ROWID")
        db.execute("INSERT INTO keyed SELECT id, e FROM v")
        for name in ("without", "other", "keyed"):
            self.refused(db, f"SELECT * FROM lffn_search('{name}', 'e', 'cat')",
                         "no rowid that is a whole number, by which they are found; a view needs a column of this name")
        expected = db.execute("SELECT id + 100, similarity FROM lffn_search('v', 'e', 'cat')").fetchall()
        self.assertEqual(db.execute("SELECT id, similarity FROM lffn_search('own', 'e', 'cat')").fetchall(), expected)


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
