#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Databases that came from elsewhere, beside the extension for SQLite: test_untrusted.py SUBJECT."""
import sqlite3
import struct
import tempfile
from pathlib import Path

from sqlite_case import ENCODER, PROMPTS, Case, connect, filled, main, one

VIEW_THAT_SEARCHES_ITSELF = ("VIEW v(rowid, c) AS SELECT id, x'00000000' FROM "
                             "lffn_search('v', 'c', x'00000000', 10)")
CALLS = {
    "lffn_model": f"lffn_model('{ENCODER}')",
    "lffn_embed": "lffn_embed(text)",
    "lffn_rerank": "lffn_rerank(text, text)",
    "lffn_search": "(SELECT count(*) FROM lffn_search('plain', 'e', text))",
}
FUNCTIONS = ("lffn_model", "lffn_embed", "lffn_rerank")  # which may stand where a subquery may not


def make(path, *statements):
    """Runs statements as one does who has no extension, but functions of these names."""
    db = sqlite3.connect(path)
    for name, count in (("lffn_model", 1), ("lffn_embed", 1), ("lffn_rerank", 2)):
        db.create_function(name, count, lambda *_: 0, deterministic=True)
    db.execute("CREATE TABLE plain(id INTEGER PRIMARY KEY, e BLOB)")
    db.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, text)")
    db.execute("INSERT INTO t VALUES (1, 'cat')")
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


class Untrusted(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def refused_in(self, statements, uses):
        """Each use fails, and runs nothing, whether the schema is read before or after the functions are there."""
        for schema_first in (False, True):
            path = Path(self.folder.name) / "a.db"
            path.unlink(missing_ok=True)
            make(path, *statements)
            db = connect(str(path), schema_first=schema_first)
            for use in uses:
                with self.assertRaises(sqlite3.DatabaseError) as caught:
                    db.execute(use).fetchall()
                self.assertRegex(str(caught.exception), "unsafe use of")
            db.close()

    def test_views(self):
        for name, call in CALLS.items():
            with self.subTest(name):
                self.refused_in([f"CREATE VIEW w AS SELECT id AS rowid, id, {call} AS e FROM t",
                                 f"CREATE VIEW over AS SELECT * FROM w WHERE e"],
                                ["SELECT * FROM w", "SELECT count(e) FROM w", "SELECT * FROM over",
                                 "SELECT * FROM lffn_search('w', 'e', 'cat')",
                                 "WITH c AS (SELECT * FROM over) SELECT * FROM c",
                                 "UPDATE t SET text = (SELECT e FROM w)"])

    def test_views_that_recur(self):
        self.refused_in([f"CREATE {VIEW_THAT_SEARCHES_ITSELF}",
                         "CREATE VIEW w AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + id FROM n, "
                         "lffn_search('w', 'i', x'00000000', 10)) SELECT i AS rowid, i FROM n",
                         "CREATE VIEW x(rowid, c) AS SELECT id, x'00' FROM lffn_search('y', 'c', x'00')",
                         "CREATE VIEW y(rowid, c) AS SELECT id, x'00' FROM lffn_search('x', 'c', x'00')"],
                        ["SELECT * FROM v", "SELECT * FROM w LIMIT 1", "SELECT * FROM x",
                         "SELECT * FROM lffn_search('v', 'c', x'00000000')",
                         "SELECT * FROM lffn_search('y', 'c', x'00')"])

    def test_triggers(self):
        for name, call in CALLS.items():
            with self.subTest(name):
                call = call.replace("text", "new.text")
                self.refused_in([f"CREATE TRIGGER a AFTER INSERT ON t BEGIN INSERT INTO plain(e) SELECT {call}; END",
                                 f"CREATE TRIGGER b BEFORE UPDATE ON t WHEN {call} BEGIN SELECT 1; END",
                                 "CREATE VIEW w AS SELECT * FROM t",
                                 f"CREATE TRIGGER c INSTEAD OF INSERT ON w BEGIN SELECT {call}; END"],
                                ["INSERT INTO t(text) VALUES ('dog')", "UPDATE t SET text = 'dog'",
                                 "INSERT INTO w(text) VALUES ('dog')"])

    def test_generated_columns(self):
        for name in FUNCTIONS:
            for kind in ("STORED", "VIRTUAL"):
                with self.subTest(f"{name} {kind}"):
                    uses = ["INSERT INTO g(text) VALUES ('dog')", "SELECT * FROM g",
                            "SELECT * FROM lffn_search('g', 'e', 'cat')"]
                    table = f"CREATE TABLE g(id INTEGER PRIMARY KEY, text, e AS ({CALLS[name]}) {kind})"
                    self.refused_in([table], uses if kind == "VIRTUAL" else uses[:1])

    def test_constraints_defaults_and_indexes(self):
        for name in FUNCTIONS:
            call = CALLS[name]
            constant = call.replace("text", "'cat'")
            with self.subTest(name):
                self.refused_in([f"CREATE TABLE c(text CHECK ({call} = 0))"], ["INSERT INTO c VALUES ('dog')"])
                self.refused_in([f"CREATE TABLE c(text, e DEFAULT ({constant}))"],
                                ["INSERT INTO c(text) VALUES ('dog')"])
                self.refused_in([f"CREATE INDEX i ON t({call})"], ["INSERT INTO t(text) VALUES ('dog')", "REINDEX i"])
                self.refused_in([f"CREATE INDEX i ON t(text) WHERE {call}"], ["INSERT INTO t(text) VALUES ('dog')"])

    def test_tables_that_say_they_are_searches(self):
        path = Path(self.folder.name) / "a.db"
        make(path, "CREATE TABLE lffn_search(id, similarity)",
             "CREATE VIEW w AS SELECT * FROM s WHERE \"table\" = 'w' AND \"column\" = 'id' AND query = x'00'")
        db = sqlite3.connect(path)
        db.execute("PRAGMA writable_schema = ON")
        db.execute("INSERT INTO sqlite_master VALUES ('table', 's', 's', 0, 'CREATE VIRTUAL TABLE s USING lffn_search')")
        db.commit()
        db.close()
        db = connect(str(path))
        self.refused(db, "SELECT * FROM w", "unsafe use of")
        self.refused(db, "SELECT * FROM lffn_search('plain', 'e', 'cat')", "'lffn_search' is not a function")

    def test_a_search_of_rows_without_end_stops(self):
        path = Path(self.folder.name) / "a.db"
        make(path, "CREATE VIEW w AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                   "SELECT i AS rowid, x'00000000' AS e FROM n")
        db = connect(str(path), model=None)
        calls = []
        db.set_progress_handler(lambda: calls.append(0) or len(calls) > 100, 1000)
        self.refused(db, "SELECT * FROM lffn_search('w', 'e', x'00000000')", "interrupted")

    def test_what_a_program_may_do_itself(self):
        """Temporary triggers and views are of the connection alone."""
        db = filled([])
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e BLOB)")
        db.execute("CREATE TEMP TRIGGER fill AFTER INSERT ON t BEGIN "
                   "INSERT INTO v VALUES (new.id, lffn_embed(new.text)); END")
        db.execute("CREATE TEMP VIEW nearest AS SELECT * FROM lffn_search('v', 'e', 'dog', 1)")
        db.executemany("INSERT INTO t(text) VALUES (?)", [("cat",), ("dog",)])
        self.assertEqual(one(db, "SELECT id FROM nearest"), 2)
        db.execute("CREATE VIEW s AS SELECT lffn_similarity(e, e) FROM v")
        self.assertAlmostEqual(one(db, "SELECT * FROM s"), 1, places=6)

    def test_what_tells_of_the_model_may_be_stored_where_it_is_asked_anew(self):
        for trusted in ("ON", "OFF"):
            db = filled(["cat"])
            db.execute(f"PRAGMA trusted_schema = {trusted}")
            mark = one(db, "SELECT lffn_model_info('fingerprint')")
            db.execute("CREATE TABLE m(id INTEGER PRIMARY KEY, mark TEXT DEFAULT (lffn_model_info('fingerprint')), "
                       "CHECK (lffn_same_model(mark)))")
            db.execute("CREATE VIEW w AS SELECT id, lffn_same_model(mark) AS same, lffn_model_info('size') AS size FROM m")
            db.execute("CREATE TABLE seen(mark)")
            db.execute("CREATE TRIGGER r AFTER INSERT ON m WHEN lffn_same_model(new.mark) BEGIN "
                       "INSERT INTO seen VALUES (lffn_model_info('fingerprint')); END")
            db.execute("INSERT INTO m DEFAULT VALUES")
            self.assertEqual(db.execute("SELECT mark FROM m UNION ALL SELECT mark FROM seen").fetchall(), [(mark,)] * 2)
            with self.assertRaises(sqlite3.IntegrityError):
                db.execute("INSERT INTO m(mark) VALUES ('another')")
            size = len(one(db, "SELECT lffn_embed('x')")) // 4
            self.assertEqual(db.execute("SELECT * FROM w").fetchall(), [(1, 1, size)])
            db.execute("SELECT lffn_model(?)", (PROMPTS,)).fetchall()
            self.assertEqual(one(db, "SELECT same FROM w"), 0)
            for call in ("lffn_model_info('size')", "lffn_same_model(mark)"):
                for place in (f"CREATE TABLE g(mark, e AS ({call}))", f"CREATE TABLE g(mark, e AS ({call}) STORED)",
                              f"CREATE INDEX i ON m({call})", f"CREATE INDEX i ON m(mark) WHERE {call}"):
                    self.refused(db, place, "non-deterministic functions prohibited")

    def test_generated_columns_that_tell_of_the_model_make_the_schema_unreadable(self):
        for schema_first in (False, True):
            path = Path(self.folder.name) / "a.db"
            path.unlink(missing_ok=True)
            db = sqlite3.connect(path)
            db.create_function("lffn_same_model", 1, lambda _: 1, deterministic=True)
            db.execute("CREATE TABLE t(mark, same AS (lffn_same_model(mark)))")
            db.close()
            db = connect(str(path), schema_first=schema_first)
            with self.assertRaises(sqlite3.DatabaseError) as caught:
                db.execute("SELECT * FROM t")
            self.assertIn("malformed database schema (t)", str(caught.exception))
            db.close()
            self.assertEqual(one(sqlite3.connect(path), "SELECT count(mark) FROM t"), 0)  # without the extension

    def test_comparing_may_be_stored_everywhere(self):
        for trusted in ("ON", "OFF"):
            db = connect()
            db.execute(f"PRAGMA trusted_schema = {trusted}")
            call = "lffn_similarity(e, x'0000803f00000000')"
            db.execute(f"CREATE TABLE g(id INTEGER PRIMARY KEY, e BLOB, a AS ({call}) STORED, b AS ({call}), c DEFAULT "
                       f"(lffn_similarity(x'01', x'01', 'int8')), CHECK ({call} >= 0))")
            db.execute(f"CREATE INDEX i ON g({call})")
            db.execute(f"CREATE INDEX j ON g(id) WHERE {call} > 0.5")
            db.execute(f"CREATE VIEW w AS SELECT id, {call} AS s FROM g")
            db.execute("INSERT INTO g(e) VALUES (?), (?)", (struct.pack("<2f", 3, 4), struct.pack("<2f", 0, 2)))
            self.assertEqual(db.execute("SELECT round(a, 6), a = b, c FROM g").fetchall(), [(0.6, 1, 1), (0, 1, 1)])
            self.assertEqual(db.execute(f"SELECT id FROM g WHERE {call} > 0.5").fetchall(), [(1,)])
            self.assertEqual(db.execute("SELECT id FROM w ORDER BY s").fetchall(), [(2,), (1,)])
            with self.assertRaises(sqlite3.IntegrityError):
                db.execute("INSERT INTO g(e) VALUES (?)", (struct.pack("<2f", -1, 0),))
            self.assertEqual(one(db, "PRAGMA integrity_check"), "ok")

    def test_searches_within_one_another_are_counted(self):
        db = connect(model=None)
        db.execute(f"CREATE TEMP {VIEW_THAT_SEARCHES_ITSELF}")
        self.refused(db, "SELECT * FROM v", "more than 8 searches run within one another")
        db.execute("CREATE TABLE t0(c BLOB)")
        db.execute("INSERT INTO t0 VALUES (x'00000000')")
        for i in range(9):
            db.execute(f"CREATE TEMP VIEW t{i + 1}(rowid, c) AS SELECT id, x'00000000' FROM "
                       f"lffn_search('t{i}', 'c', x'00000000')")
        self.assertEqual(one(db, "SELECT count(*) FROM t8"), 1)
        self.refused(db, "SELECT * FROM t9", "more than 8 searches run within one another")
        self.assertEqual(one(db, "SELECT count(*) FROM t8"), 1)  # a failure leaves no count behind

    def test_a_view_that_embeds_is_not_read_ahead_within_itself(self):
        db = filled()
        db.execute("CREATE TEMP VIEW w AS SELECT id, hex(lffn_embed(text)) AS c FROM t")
        expected = [one(db, "SELECT lffn_embed(?)", c) for (c,) in db.execute("SELECT c FROM w").fetchall()]
        self.assertEqual([e for (e,) in db.execute("SELECT lffn_embed(c) FROM w")], expected)


if __name__ == "__main__":
    main()
