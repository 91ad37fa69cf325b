#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Embedding many texts: test_embed.py SUBJECT."""
import sqlite3
import struct
import tempfile
import threading
import time

from sqlite_case import PROMPTS, TEXTS, Case, connect, cosine, filled, floats, main, make_prompted, one


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


if __name__ == "__main__":
    main()
