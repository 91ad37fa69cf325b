#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of packed vectors, lffn_index: test_index.py SUBJECT."""
import random
import sqlite3
import struct
import tempfile

from sqlite_case import ENCODER, PROMPTS, TEXTS, Case, connect, filled, main, one

KINDS = ("float32", "int8", "bit")


def drawn(kind, size, count, seed=1):
    draw = random.Random(seed)
    if kind == "float32":
        return [struct.pack(f"<{size}f", *(draw.gauss(0, 1) for _ in range(size))) for _ in range(count)]
    return [draw.randbytes(size if kind == "int8" else (size + 7) // 8) for _ in range(count)]


class Index(Case):
    def same(self, db, query, most=20, note=""):
        """The packed table p and the table v, which had the same done to them."""
        self.assertEqual(db.execute("SELECT rowid, embedding FROM p").fetchall(),
                         db.execute("SELECT rowid, embedding FROM v ORDER BY rowid").fetchall(), note)
        for k in (1, most, 100000):
            found = [db.execute(f"SELECT id, similarity FROM lffn_search('{table}', 'embedding', ?, ?)", (query, k)).fetchall()
                     for table in "pv"]
            self.assertEqual(found[0], found[1], note)
        count = one(db, "SELECT count FROM p_info")
        self.assertEqual([(count,)] * 2, [db.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("v", "p_rows")])
        rows = one(db, "SELECT block_rows FROM p_info")
        self.assertEqual(one(db, "SELECT count(*) FROM p_blocks"), -(-count // rows))
        self.assertEqual(sorted(place for (place,) in db.execute("SELECT place FROM p_rows")), list(range(count)))

    def made(self, kind="int8", size=24, path=":memory:"):
        db = connect(path, model=None)
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, embedding BLOB)")
        db.execute(f"CREATE VIRTUAL TABLE p USING lffn_index(type={kind}, size={size})")
        return db

    def both(self, db, sql, *values):
        results = []
        for table in "pv":
            try:
                results.append(db.execute(sql.format(table), values).rowcount)
            except sqlite3.Error as error:
                results.append(type(error))
        self.assertEqual(results[0], results[1], sql)

    def test_searches_as_a_table_does(self):
        for kind in KINDS:
            db = self.made(kind, 200 if kind == "bit" else 24)
            # SQLite's functions tell float32 from the others; a query without a type is read as the index has it.
            vectors = drawn(kind, 200 if kind == "bit" else 24, 5000)
            vectors[4000] = vectors[17]
            db.executemany("INSERT INTO v(embedding) VALUES (?)", [(v,) for v in vectors])
            db.execute("INSERT INTO p(rowid, embedding) SELECT id, embedding FROM v")
            self.assertEqual(db.execute("SELECT rowid, embedding FROM p").fetchall(), db.execute("SELECT * FROM v").fetchall())
            found = db.execute("SELECT id, similarity FROM lffn_search('p', 'embedding', ?, 50)", (vectors[17],)).fetchall()
            expected = db.execute("SELECT id, lffn_similarity(?, embedding, ?) AS s FROM v ORDER BY s DESC, id LIMIT 50",
                                  (vectors[17], kind)).fetchall()
            self.assertEqual(found, expected)
            self.assertEqual([i for i, _ in found[:2]], [18, 4001])
            among = "SELECT id FROM lffn_search('p', 'embedding', ?, 9, (SELECT json_group_array(id) FROM v WHERE id % 7 = 3))"
            expected = db.execute("SELECT id FROM v WHERE id % 7 = 3 ORDER BY lffn_similarity(?, embedding, ?) DESC, id LIMIT 9",
                                  (vectors[17], kind)).fetchall()
            self.assertEqual(db.execute(among, (vectors[17],)).fetchall(), expected)

    def test_changes_drawn_at_random(self):
        for seed in range(6):
            draw = random.Random(seed)
            kind = ("float32", "int8")[seed % 2]
            db = self.made("float32", 1200) if kind == "float32" else self.made("float32", 3)  # 27 and 2,048 vectors a block
            size = 1200 if kind == "float32" else 3
            pool = drawn("float32", size, 60, seed)
            for step in range(40):
                what = draw.choice(("insert", "insert", "many", "update", "move", "delete", "half", "replace", "rollback", "savepoint"))
                vector, some = draw.choice(pool), draw.randrange(-5, 80)
                if what == "insert":
                    self.both(db, "INSERT INTO {}(rowid, embedding) VALUES (?, ?)", some, vector)
                elif what == "many":
                    self.both(db, "INSERT INTO {0}(rowid, embedding) SELECT max(ifnull((SELECT max(rowid) FROM {0}), 0), 0) + value, ? "
                              "FROM json_each('[1,2,3,4,5,6,7,8,9,10,11]')", vector)
                elif what == "update":
                    self.both(db, "UPDATE {} SET embedding = ? WHERE rowid = ?", vector, some)
                elif what == "move":
                    self.both(db, "UPDATE {} SET rowid = ?, embedding = ? WHERE rowid = ?", draw.randrange(80), vector, some)
                elif what == "delete":
                    self.both(db, "DELETE FROM {} WHERE rowid = ?", some)
                elif what == "half":
                    self.both(db, "DELETE FROM {} WHERE rowid % 2 = ?", some % 2)
                elif what == "replace":
                    self.both(db, "REPLACE INTO {}(rowid, embedding) VALUES (?, ?)", some, vector)
                else:
                    db.commit()
                    db.execute("BEGIN")
                    if what == "savepoint":
                        self.both(db, "UPDATE {} SET embedding = ? WHERE rowid % 3 = 0", vector)
                        db.execute("SAVEPOINT inner")
                    self.both(db, "DELETE FROM {} WHERE rowid > ?", some)
                    self.both(db, "INSERT INTO {}(rowid, embedding) VALUES (1000, ?)", vector)
                    db.execute("ROLLBACK TO inner" if what == "savepoint" else "ROLLBACK")
                self.same(db, draw.choice(pool), note=f"seed {seed}, step {step}, {what}")

    def test_a_statement_that_fails_changes_nothing(self):
        db = self.made()
        vectors = drawn("int8", 24, 400)
        db.executemany("INSERT INTO p(rowid, embedding) VALUES (?, ?)", enumerate(vectors))
        db.executemany("INSERT INTO v VALUES (?, ?)", enumerate(vectors))
        db.commit()
        with self.assertRaises(sqlite3.IntegrityError) as caught:
            db.execute("INSERT INTO p(rowid, embedding) SELECT 5000 - id * 12, embedding FROM v WHERE id > 300 ORDER BY id")
        self.assertIn("UNIQUE constraint failed: p.rowid", str(caught.exception))
        self.refused(db, "INSERT INTO p(rowid, embedding) SELECT id + 9000, CASE WHEN id < 200 THEN embedding ELSE x'00' END FROM v",
                     "the vector has 1 bytes, and this table has vectors of 24 numbers as int8, which are 24 bytes")
        self.assertEqual(db.execute("INSERT OR IGNORE INTO p(rowid, embedding) VALUES (5, ?)", (vectors[7],)).rowcount, 0)
        self.assertEqual(db.execute("SELECT rowid, embedding FROM p").fetchall(), db.execute("SELECT * FROM v").fetchall())

    def test_other_connections_and_vacuum(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/a.db"
            db = self.made("float32", 40, path)
            vectors = drawn("float32", 40, 900)
            db.executemany("INSERT INTO v(embedding) VALUES (?)", [(v,) for v in vectors])
            db.execute("INSERT INTO p(rowid, embedding) SELECT id, embedding FROM v")
            db.commit()
            other = connect(path, model=None)
            self.same(other, vectors[3])
            self.both(db, "DELETE FROM {} WHERE rowid % 5 = 1")
            search = "SELECT id FROM lffn_search('p', 'embedding', ?, 5)"
            before = other.execute(search, (vectors[0],)).fetchall()
            self.assertEqual(before[0], (1,))  # that has not been committed
            db.commit()
            self.same(other, vectors[0])
            self.assertNotEqual(other.execute(search, (vectors[0],)).fetchall(), before)
            other.execute("INSERT INTO p(rowid, embedding) VALUES (1, ?)", (vectors[0],))
            other.execute("INSERT INTO v VALUES (1, ?)", (vectors[0],))
            with self.assertRaises(sqlite3.OperationalError) as caught:
                db.execute("PRAGMA busy_timeout = 0")
                db.execute("INSERT INTO p(embedding) VALUES (?)", (vectors[0],))
            self.assertIn("locked", str(caught.exception))
            db.rollback()
            other.commit()
            db.execute("VACUUM")
            for one_of in (db, other):
                self.same(one_of, vectors[0])
                self.assertEqual(one(one_of, "PRAGMA integrity_check"), "ok")
            db.execute("ALTER TABLE p RENAME TO q")
            self.assertEqual(one(db, "SELECT count(*) FROM lffn_search('q', 'embedding', ?, 1000)", vectors[0]), 721)
            db.execute("INSERT INTO q(embedding) VALUES (?)", (vectors[0],))
            self.assertEqual(one(other, "SELECT count(*) FROM q"), 721)
            db.commit()
            db.execute("DROP TABLE q")
            self.assertEqual(one(db, "SELECT count(*) FROM sqlite_master"), 1)
            for one_of in (db, other):
                one_of.close()

    def test_a_rollback_takes_back_what_was_done_to_the_table(self):
        db = self.made("float32", 2)
        db.isolation_level = None
        vectors = drawn("float32", 2, 100)
        db.executemany("INSERT INTO p(rowid, embedding) VALUES (?, ?)", enumerate(vectors))
        db.executemany("INSERT INTO v VALUES (?, ?)", enumerate(vectors))
        for change in ("ALTER TABLE p RENAME TO q", "DROP TABLE p", "CREATE VIRTUAL TABLE q USING lffn_index(size=3)"):
            for begin, end in (("BEGIN", "ROLLBACK"), ("SAVEPOINT s", "ROLLBACK TO s")):
                db.execute(begin)
                db.execute(change)
                if "q" in change:
                    db.execute("INSERT INTO q(embedding) VALUES (?)", (vectors[0] if "ALTER" in change else bytes(12),))
                db.execute(end)
                if begin != "BEGIN":
                    db.execute("RELEASE s")
                self.same(db, vectors[5], note=change)
                self.assertEqual(one(db, "SELECT count(*) FROM sqlite_master WHERE name LIKE 'q%'"), 0)
                self.refused(db, "SELECT * FROM lffn_search('q', 'embedding', x'00')", "no such table: q")
        self.assertEqual(one(db, "PRAGMA integrity_check"), "ok")

    def test_rows_that_go_while_they_are_read(self):
        db = self.made(size=4)
        vectors = dict(enumerate(drawn("int8", 4, 5000)))
        db.executemany("INSERT INTO p(rowid, embedding) VALUES (?, ?)", vectors.items())
        seen = 0
        for rowid, vector in db.execute("SELECT rowid, embedding FROM p"):
            self.assertEqual(vector, vectors[rowid])
            seen += 1
            for other in (rowid, rowid + 2, rowid + 3, 5000 - seen):  # some come later, some do not
                db.execute("DELETE FROM p WHERE rowid = ?", (other,))
        self.assertGreater(seen, 500)
        db.execute("DELETE FROM p WHERE rowid IN (SELECT id FROM lffn_search('p', 'embedding', ?, 7))", (vectors[0],))
        self.assertEqual(one(db, "SELECT count(*) FROM p"), one(db, "SELECT count FROM p_info"))

    def test_triggers_and_views(self):
        for trusted in ("ON", "OFF"):
            db = self.made("float32", len(one(connect(), "SELECT lffn_embed('x')")) // 4)
            db.execute("SELECT lffn_model(?)", (ENCODER,)).fetchall()
            db.execute(f"PRAGMA trusted_schema = {trusted}")
            db.execute("CREATE TRIGGER came AFTER INSERT ON v BEGIN INSERT INTO p(rowid, embedding) VALUES (new.id, new.embedding); END")
            db.execute("CREATE TRIGGER changed AFTER UPDATE ON v BEGIN UPDATE p SET embedding = new.embedding WHERE rowid = old.id; END")
            db.execute("CREATE TRIGGER went AFTER DELETE ON v BEGIN DELETE FROM p WHERE rowid = old.id; END")
            db.execute("CREATE VIEW w AS SELECT rowid, embedding FROM p WHERE rowid < 9")
            db.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, text)")
            db.executemany("INSERT INTO t(text) VALUES (?)", [(text,) for text in TEXTS])
            db.execute("INSERT INTO v SELECT id, lffn_embed(text) FROM t")
            self.same(db, "river of")
            db.execute("UPDATE v SET embedding = lffn_embed('cat') WHERE id > 20")
            db.execute("DELETE FROM v WHERE id % 4 = 1")
            self.same(db, "river of")
            self.assertEqual(db.execute("SELECT id FROM lffn_search('w', 'embedding', 'cat', 99) ORDER BY id").fetchall(),
                             [(i,) for i in (2, 3, 4, 6, 7, 8)])

    def test_two_stages(self):
        db = filled()
        db.execute("CREATE TABLE v AS SELECT id, lffn_embed(text) AS e FROM t")
        db.execute("CREATE VIRTUAL TABLE bits USING lffn_index(type=bit)")
        db.execute("INSERT INTO bits(rowid, embedding) SELECT id, lffn_embed(text, NULL, 'bit') FROM t")
        exact = db.execute("SELECT id, similarity FROM lffn_search('v', 'e', 'river of', 100)").fetchall()
        for candidates in (0, 1, 6, len(TEXTS), 1000):
            found = db.execute("SELECT id FROM lffn_search('bits', 'embedding', 'river of', ?)", (candidates,)).fetchall()
            self.assertEqual(len(found), min(candidates, len(TEXTS)))
            both = ("SELECT id, similarity FROM lffn_search('v', 'e', 'river of', 4, "
                    "(SELECT json_group_array(id) FROM lffn_search('bits', 'embedding', 'river of', ?)))")
            self.assertEqual(db.execute(both, (candidates,)).fetchall(), [row for row in exact if row[:1] in found][:4])

    def test_schemas(self):
        with tempfile.TemporaryDirectory() as folder:
            db = self.made("float32", 2)
            db.execute("ATTACH ? AS far", (folder + "/b.db",))
            db.execute("CREATE VIRTUAL TABLE far.p USING lffn_index(size=2)")
            db.execute("CREATE VIRTUAL TABLE far.only USING lffn_index(size=2)")
            db.execute("CREATE VIRTUAL TABLE temp.v USING lffn_index(size=2)")
            for i, table in enumerate(("main.p", "far.p", "far.only", "temp.v")):
                db.execute(f"INSERT INTO {table}(rowid, embedding) VALUES (?, ?)", (i, struct.pack("<2f", 1, i)))
            for name, expected in (("p", 0), ("main.p", 0), ("far.p", 1), ("FAR.P", 1), ("only", 2), ("v", 3), ("temp.v", 3)):
                self.assertEqual(db.execute("SELECT id FROM lffn_search(?, 'embedding', ?)", (name, struct.pack("<2f", 1, 1))).fetchall(),
                                 [(expected,)], name)
            self.assertEqual(db.execute("SELECT id FROM lffn_search('main.v', 'embedding', zeroblob(8))").fetchall(), [])
            db.close()

    def test_models(self):
        db = connect(model=None)
        self.refused(db, "CREATE VIRTUAL TABLE p USING lffn_index", "call SELECT lffn_model('folder') first")
        db = filled()
        db.execute("CREATE VIRTUAL TABLE p USING lffn_index(type='int8')")
        db.execute("INSERT INTO p(rowid, embedding) SELECT id, lffn_embed(text, 'document', 'int8') FROM t")
        db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, embedding BLOB)")
        db.execute("INSERT INTO v SELECT rowid, embedding FROM p")
        self.same(db, "river of")
        mark = one(db, "SELECT lffn_model_info('fingerprint')")
        self.assertEqual(one(db, "SELECT model FROM p_info"), mark)
        self.refused(db, "INSERT INTO p(embedding) VALUES (lffn_embed('x'))", "bytes of float32, and this table has vectors of")
        db.execute("SELECT lffn_model(?)", (PROMPTS,)).fetchall()
        self.refused(db, "SELECT * FROM lffn_search('p', 'embedding', 'x')", f"of the model '{mark}'")
        self.refused(db, "INSERT INTO p(embedding) SELECT embedding FROM v", "load the model that made the table")

    def test_what_is_refused(self):
        db = connect(model=None)
        for options, why in (("size=0", "expected 1 to 65536"), ("size=65537", "expected 1 to 65536"), ("size=x", "expected 1 to 65536"),
                             ("size=99999999999999999999", "expected 1 to 65536"), ("size=3, type=float16", "the type is 'float16'"),
                             ("size=3, colour=red", "the option is 'colour'"), ("3", "the option is '3'")):
            self.refused(db, f"CREATE VIRTUAL TABLE p USING lffn_index({options})", why)
            self.assertEqual(one(db, "SELECT count(*) FROM sqlite_master"), 0, options)
        db.execute("CREATE VIRTUAL TABLE p USING lffn_index(size=3)")
        for value, why in (("NULL", "expected a vector, which is a BLOB, but it is NULL"), ("'x'", "is a text"), ("zeroblob(11)", "11 bytes")):
            self.refused(db, f"INSERT INTO p(embedding) VALUES ({value})", why)
        self.refused(db, "SELECT * FROM lffn_search('p', 'vector', zeroblob(12))", "no such column: vector")
        self.refused(db, "SELECT * FROM lffn_search('p', 'embedding', zeroblob(8))", "12 bytes and the query 8")
        db.execute("INSERT INTO p(rowid, embedding) VALUES (9223372036854775807, zeroblob(12))")
        self.refused(db, "INSERT INTO p(embedding) VALUES (zeroblob(12))", "there is no larger rowid left")
        db.execute("CREATE TEMP VIEW w AS SELECT rowid, embedding FROM p")
        self.assertEqual(len(db.execute("SELECT * FROM lffn_search('w', 'embedding', zeroblob(12))").fetchall()), 1)

    def test_tables_that_somebody_damaged(self):
        damages = ("UPDATE p_info SET count = 1000", "UPDATE p_info SET count = -1", "DELETE FROM p_info", "DELETE FROM p_blocks",
                   "UPDATE p_blocks SET vectors = x'00'", "UPDATE p_blocks SET ids = zeroblob(7)", "DELETE FROM p_blocks WHERE id = 1",
                   "UPDATE p_info SET count = 3", "UPDATE p_rows SET place = 99999999", "UPDATE p_rows SET place = -5",
                   "UPDATE p_info SET size = 100", "UPDATE p_info SET type = 'x'", "UPDATE p_info SET block_rows = 0", "DROP TABLE p_blocks",
                   "UPDATE p_info SET count = 'x'", "UPDATE p_blocks SET vectors = 'text', ids = 5", "DROP TABLE p_rows")
        calls = ("SELECT count(*) FROM lffn_search('p', 'embedding', zeroblob(24))", "SELECT embedding FROM p",
                 "DELETE FROM p WHERE rowid < 40", "UPDATE p SET embedding = zeroblob(24)", "INSERT INTO p(embedding) VALUES (zeroblob(24))",
                 "REPLACE INTO p(rowid, embedding) VALUES (3, zeroblob(24))")
        failures = 0
        for damage in damages:
            for call in calls:
                with tempfile.TemporaryDirectory() as folder:
                    db = self.made(path=folder + "/a.db")
                    db.executemany("INSERT INTO p(rowid, embedding) VALUES (?, ?)", enumerate(drawn("int8", 24, 5000)))
                    db.execute(damage)
                    db.commit()
                    for again in (db, connect(folder + "/a.db", model=None)):
                        try:
                            again.execute(call).fetchall()
                        except sqlite3.Error as error:
                            failures += 1
                            self.assertNotIn("unknown", str(error))
                        again.close()
        self.assertGreater(failures, len(damages))


if __name__ == "__main__":
    main()
