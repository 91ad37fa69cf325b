#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the extension's functions give and refuse: test_functions.py SUBJECT."""
import math
import struct
import tempfile

from sqlite_case import (ENCODER, FOLDERS, PROMPTS, RERANKER, TEXTS, Case, archive, connect, cosine, filled, floats, main, make_sparse, one)


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

    def test_a_text_is_repaired_where_that_is_asked(self):
        db = connect()
        broken, whole = "CAST(x'636174ff' AS TEXT)", "'cat\ufffd'"
        self.assertEqual(one(db, f"SELECT lffn_embed({broken}, NULL, 'int8', 'repair')"),
                         one(db, f"SELECT lffn_embed({whole}, NULL, 'int8')"))
        self.refused(db, f"SELECT lffn_embed({broken}, NULL, 'int8', NULL)", "not valid UTF-8")
        self.refused(db, f"SELECT lffn_embed({broken}, NULL, 'int8', 'mend')", "the option is 'mend', expected 'repair'")
        db = filled(TEXTS)
        db.execute(f"INSERT INTO t(text) VALUES ({broken})")
        vectors = [v for (v,) in db.execute("SELECT lffn_embed(text, 'document', 'float32', 'repair') FROM t")]
        self.assertEqual(vectors, [one(db, "SELECT lffn_embed(?)", text) for text in TEXTS + ["cat\ufffd"]])

    def test_vectors_name_their_model(self):
        db = connect(model=None)
        self.refused(db, "SELECT lffn_model_info('size')", "call SELECT lffn_model('folder') first")
        self.refused(db, "SELECT lffn_same_model('00')", "call SELECT lffn_model('folder') first")
        self.assertIsNone(one(db, "SELECT lffn_same_model(NULL)"))
        db = connect()
        mark = one(db, "SELECT lffn_model_info('fingerprint')")
        self.assertRegex(mark, "^[0-9a-f]{32}$")
        self.assertEqual(one(db, "SELECT lffn_model_info('size')") * 4, len(one(db, "SELECT lffn_embed('x')")))
        self.assertEqual(one(db, "SELECT lffn_model_info('family')"), "bert")
        self.assertIsInstance(one(db, "SELECT lffn_model_info('arithmetic')"), int)
        self.refused(db, "SELECT lffn_model_info('colour')", "tells no 'colour', expected 'fingerprint'")
        self.assertEqual(one(connect(), "SELECT lffn_same_model(?)", mark), 1)
        db.execute("SELECT lffn_model(?)", (RERANKER,))  # which embeds nothing
        self.assertEqual(one(db, "SELECT lffn_same_model(?)", mark), 1)
        db.execute("SELECT lffn_model(?)", (PROMPTS,)).fetchall()
        self.assertEqual(one(db, "SELECT lffn_same_model(?)", mark), 0)
        self.assertNotEqual(one(db, "SELECT lffn_model_info('fingerprint')"), mark)

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
        call, why = f"call {len(TEXTS) + 1} of lffn_embed in this statement, ", "on 'cat\\xff': byte 3 of the text is not"
        bad = f"{call}row {len(TEXTS) + 1}, {why}"
        for rows, expected in (("SELECT id, lffn_embed(text) FROM t", bad),
                               ("SELECT id, lffn_embed(text || '') FROM t ORDER BY id", bad),
                               ("WITH w AS (SELECT id, text FROM t) SELECT id, lffn_embed(text) FROM w", call + why)):
            self.refused(db, "INSERT INTO v " + rows, expected)
            db.rollback()
            self.assertEqual(one(db, "SELECT count(*) FROM v"), 0)
        db.execute("UPDATE t SET text = NULL WHERE id = 3")  # a call, too
        self.refused(db, "SELECT lffn_embed(text) FROM t", bad)
        db.execute("UPDATE t SET text = x'00' WHERE id = 4")
        self.refused(db, "SELECT lffn_embed(text) FROM t",
                     "call 4 of lffn_embed in this statement, row 4: expected a text, but it is a BLOB")
        db.execute("DELETE FROM t WHERE id = 4")
        db.executemany("INSERT INTO t(id, text) VALUES (?, CAST(x'636174ff' AS TEXT))", [(i,) for i in (-7, 90, 91)])
        self.refused(db, "SELECT lffn_embed(text) FROM t WHERE id < 91", f"rows -7, {len(TEXTS) + 1}, 90, on")
        self.refused(db, "SELECT lffn_embed(text) FROM t", f"rows -7, {len(TEXTS) + 1}, 90 and others, on")
        self.refused(db, "UPDATE t SET text = lffn_embed(text) WHERE id = ?", "row 90, on", 90)
        self.refused(db, "SELECT lffn_embed(t.text) FROM t JOIN t AS u USING (id)", "in this statement, on 'cat")  # whose?
        db.execute("DELETE FROM t WHERE id > ? OR id < 0", (len(TEXTS) + 1,))
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
        late = str(archive.unpacked("model/late-folders.tar") / "late-pylate")
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


if __name__ == "__main__":
    main()
