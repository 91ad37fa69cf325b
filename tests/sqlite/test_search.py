#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searching tables of vectors: test_search.py SUBJECT."""
import math
import struct
import tempfile

from sqlite_case import PROMPTS, Case, connect, filled, main, one


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

    def test_many_rows_and_equal_ones(self):
        db = connect(model=None)
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e BLOB)")
        rows = [struct.pack("<256f", *(math.sin(i * 37 + j * j) for j in range(256))) for i in range(4000)]
        rows[7] = rows[1234]
        db.executemany("INSERT INTO v(e) VALUES (?)", [(row,) for row in rows])
        expected = db.execute("SELECT id, lffn_similarity(?, e) AS s FROM v ORDER BY s DESC, id LIMIT 20",
                              (rows[1234],)).fetchall()
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

    def test_some_rows_take_part(self):
        db = filled()
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e)")
        db.execute("INSERT INTO v SELECT id, lffn_embed(text) FROM t")
        db.execute("CREATE VIEW own AS SELECT id + 100 AS rowid, e FROM v")
        every = db.execute("SELECT id, similarity FROM lffn_search('v', 'e', 'cat', 1000)").fetchall()
        for condition in ("text LIKE 'dog%'", "id % 3 = 0 AND id > 7", "id = 5", "1", "0"):
            ids = {i for (i,) in db.execute(f"SELECT id FROM t WHERE {condition}")}
            among = f"(SELECT json_group_array(id) FROM t WHERE {condition})"
            for k in (1, 4, 1000):
                found = db.execute(f"SELECT id, similarity FROM lffn_search('v', 'e', 'cat', {k}, {among})").fetchall()
                self.assertEqual(found, [row for row in every if row[0] in ids][:k], (condition, k))
            among = among.replace("(id)", "(id + 100)")
            found = db.execute(f"SELECT id - 100, similarity FROM lffn_search('own', 'e', 'cat', 9, {among})").fetchall()
            self.assertEqual(found, [row for row in every if row[0] in ids][:9], condition)
        search = "SELECT id, similarity FROM lffn_search('v', 'e', 'cat', NULL, "
        self.assertEqual(db.execute(search + "'[99, 3, 3, -1]')").fetchall(), [row for row in every if row[0] == 3])
        self.assertEqual(len(db.execute("SELECT 1 FROM lffn_search('v', 'e', 'cat', NULL)").fetchall()), 10)
        self.assertEqual(db.execute(search + "NULL)").fetchall(), [])
        self.assertEqual(db.execute("SELECT id FROM lffn_search('v', 'e', 'cat') WHERE among = '[4]'").fetchall(), [(4,)])
        for other in ("'5'", "'{\"a\": 1}'", "'[1, \"a\"]'", "'[1, [2]]'", "'[1.5]'", "''", "'[null]'"):
            self.refused(db, search + other + ")", "a JSON array of whole numbers")
        self.refused(db, search + "'[1, 2')", "malformed JSON")
        self.refused(db, search + "5)", "expected a JSON array of ids, as json_group_array(id) makes, but it is a number")
        # The rows that do not take part are not read.
        db.execute("INSERT INTO v VALUES (1000, 'no vector')")
        self.assertEqual(db.execute(search + "'[2]')").fetchall(), [row for row in every if row[0] == 2])
        self.refused(db, "SELECT * FROM lffn_search('v', 'e', 'cat')", "row 1000: what it has is not a BLOB")

    def test_tables_of_other_schemas(self):
        with tempfile.TemporaryDirectory() as folder:
            db = filled()
            db.execute("ATTACH ? AS \"o p\"", (folder + "/other.db",))
            db.execute("CREATE TABLE \"o p\".v(id INTEGER PRIMARY KEY, e)")
            db.execute("INSERT INTO \"o p\".v SELECT id, lffn_embed(text) FROM t")
            db.execute("CREATE TABLE main.v(id INTEGER PRIMARY KEY, e)")
            db.execute("CREATE TEMP TABLE w AS SELECT id, e FROM \"o p\".v WHERE id < 3")
            search = "SELECT id FROM lffn_search(?, 'e', 'cat', 3)"
            self.assertEqual(db.execute(search, ("main.v",)).fetchall(), [])
            self.assertEqual(db.execute(search, ("v",)).fetchall(), [])
            self.assertEqual(len(db.execute(search, ("o p.v",)).fetchall()), 3)
            self.assertEqual(len(db.execute(search, ("temp.w",)).fetchall()), 2)
            self.refused(db, search, "no such table: main.nowhere", "main.nowhere")
            self.refused(db, search, "no such table: none.v", "none.v")
            db.execute("CREATE TABLE \"main.v\" AS SELECT 7 AS id, lffn_embed('cat') AS e")
            self.assertEqual(db.execute(search, ("main.v",)).fetchall(), [(1,)])  # what has the whole name comes first
            db.close()

    def test_vectors_of_a_model_that_the_table_names(self):
        db = filled()
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e, e_model TEXT)")
        db.execute("INSERT INTO v SELECT id, lffn_embed(text), lffn_model_info('fingerprint') FROM t")
        search = "SELECT id FROM lffn_search('v', 'e', ?, 5)"
        expected = db.execute(search, ("cat",)).fetchall()
        self.assertEqual(len(expected), 5)
        query, mark = one(db, "SELECT lffn_embed('cat')"), one(db, "SELECT lffn_model_info('fingerprint')")
        db.execute("UPDATE v SET e_model = NULL WHERE id = 3")  # made before there was such a column
        self.assertEqual(db.execute(search, ("cat",)).fetchall(), expected)
        db.execute("UPDATE v SET e_model = 'other' WHERE id = 9")
        for asked in ("cat", query):
            self.refused(db, search, f"row 9: its vector is of the model 'other', and others, or this connection's, of '{mark}'",
                         asked)
        self.assertEqual(len(db.execute(search[:-1] + ", (SELECT json_group_array(id) FROM v WHERE lffn_same_model(e_model)))",
                                        ("cat",)).fetchall()), 5)
        db.execute("UPDATE v SET e_model = 5 WHERE id = 9")
        self.refused(db, search, "row 9: its vector is of the model '5'", "cat")
        db.execute("UPDATE v SET e_model = ? WHERE id = 9", (mark,))
        db.commit()
        with tempfile.TemporaryDirectory() as folder:
            db.execute("VACUUM INTO ?", (folder + "/v.db",))
            other = connect(folder + "/v.db", model=None)  # which knows of no model
            self.assertEqual(other.execute(search, (query,)).fetchall(), expected)
            other.execute("UPDATE v SET e_model = 'other' WHERE id = 9")
            self.refused(other, search, "row 9: its vector is of the model 'other', and others", query)
            other.execute("SELECT lffn_model(?)", (PROMPTS,)).fetchall()
            self.refused(other, search, "row 1: its vector is of the model", query)
            other.close()

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
        db.execute("CREATE TABLE numbered(id INTEGER PRIMARY KEY, e) WITHOUT ROWID")
        db.execute("INSERT INTO numbered SELECT id + 100, e FROM v")
        db.execute("CREATE VIEW through AS SELECT id AS rowid, e FROM numbered")
        self.refused(db, "SELECT * FROM lffn_search('numbered', 'e', 'cat')", "a view needs a column of this name")
        self.assertEqual(db.execute("SELECT id, similarity FROM lffn_search('through', 'e', 'cat')").fetchall(), expected)


if __name__ == "__main__":
    main()
