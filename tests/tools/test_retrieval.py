#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`lookupffn evaluate --retrieval` on a made-up collection: figures beside ones that are counted here, ties, prompts,
rerankers, and what is wrong with files."""
import json
import math
import shutil
import sys
import unittest
from pathlib import Path

from test_models import MODEL, Case, run, run_lines

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import archive  # noqa: E402

SMALL = archive.unpack((ROOT / "tests" / "model" / "small-folders.tar").read_bytes())

# The last two are the same text; "q2" is also a query.
DOCUMENTS = [("d1", "The sun", "is a star."), ("d2", "", "Dogs sleep."), ("d3", "Cats sleep at night", ""),
             ("q2", "", "Who sleeps?"), ("d5", "Ships", "leave the harbour."), ("d6", "", "the old fox"),
             ("d7", "", "the old fox")]
QUERIES = [("q1", "What is the sun?"), ("q2", "Who sleeps?"), ("q3", "the old fox"), ("q4", "Nobody asked."),
           ("q5", "Nothing is right.")]
QRELS = [("q1", "d1", 2), ("q1", "d5", 1), ("q1", "d2", 0), ("q2", "d3", 1), ("q2", "d2", 3), ("q3", "d7", 1),
         ("q3", "lost", 2), ("q5", "d1", 0), ("q9", "d1", 1)]
FIGURES = ("ndcg@10", "recall@100", "mrr@10")


def text_of(title, text):
    return f"{title} {text}" if title and text else title + text


def figures(order, judged, right_from=1):
    """Of documents in the order found, by the scores of the judged ones."""
    gains = sorted(judged.values(), reverse=True)[:10]
    ideal = sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))
    found = sum(judged.get(document, 0) / math.log2(place + 2) for place, document in enumerate(order[:10]))
    right = {document for document, score in judged.items() if score >= right_from}
    places = [place for place, document in enumerate(order[:10], 1) if document in right]
    return found / ideal, len(right & set(order[:100])) / len(right), 1 / places[0] if places else 0


class Retrieval(Case):
    def collection(self, documents=DOCUMENTS, queries=QUERIES, qrels=QRELS, name="made-up"):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        corpus = [{"_id": key, "title": title, "text": text} for key, title, text in documents]
        (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in corpus), encoding="utf-8")
        lines = "".join(json.dumps({"_id": key, "text": text}) + "\n" for key, text in queries)
        (folder / "queries.jsonl").write_text(lines, encoding="utf-8")
        lines = "query-id\tcorpus-id\tscore\n" + "".join("\t".join(map(str, row)) + "\n" for row in qrels)
        (folder / "qrels.tsv").write_text(lines, encoding="utf-8")
        return folder

    def model(self, name):
        for path, content in SMALL.items():
            if path.startswith(name + "/"):
                target = self.folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        return str(self.folder / name)

    def evaluate(self, folder, *arguments, model=MODEL):
        found = json.loads(run("evaluate", model, "--json", *arguments, "--retrieval", str(folder))[0])
        return found["models"][-1]["retrieval"][0]

    def vectors(self, texts, model, *options):
        stdin = "".join(json.dumps(text) + "\n" for text in texts)
        found = []
        for line in run_lines("embed", "--json-lines", *options, model, stdin=stdin):
            length = math.sqrt(math.fsum(x * x for x in line["embedding"]))
            found.append([x / length for x in line["embedding"]])
        return found

    def expected(self, model=MODEL, query_options=(), document_options=(), query_model=None):
        """The means of the three figures, from the vectors that `embed` gives."""
        documents = self.vectors([text_of(*row[1:]) for row in DOCUMENTS], model, *document_options)
        sums = [0, 0, 0]
        for key, text in QUERIES[:3]:
            query, = self.vectors([text], query_model or model, *query_options)
            scores = [round(math.fsum(a * b for a, b in zip(query, one)), 6) for one in documents]
            order = sorted(range(len(DOCUMENTS)), key=lambda i: (-scores[i], i))
            found = [DOCUMENTS[i][0] for i in order if DOCUMENTS[i][0] != key]
            for i, value in enumerate(figures(found, {d: s for q, d, s in QRELS if q == key})):
                sums[i] += value / 3
        return sums

    def sparse(self, texts, model, *options):
        stdin = "".join(json.dumps(text) + "\n" for text in texts)
        return [dict(zip(line["indices"], line["values"]))
                for line in run_lines("embed", "--json-lines", "--sparse", *options, model, stdin=stdin)]

    def add(self, model, name, content):
        path = Path(model) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")

    def assert_figures(self, found, expected):
        for name, value in zip(FIGURES, expected):
            self.assertAlmostEqual(found[name]["value"], value, places=12, msg=name)

    def test_figures_by_hand(self):
        # One document a query, so any model finds it first, or the other one first.
        folder = self.collection([("a", "", "same"), ("b", "", "same"), ("c", "", "same")], [("1", "same"), ("b", "same")],
                                 [("1", "b", 1), ("b", "c", 1), ("b", "a", 3)])
        found = self.evaluate(folder, "--resamples", "0")
        # Query 1: all are equal, so a, b, c; b is the second. Query b: a, c without itself.
        self.assertAlmostEqual(found["ndcg@10"]["value"], (1 / math.log2(3) + 1) / 2, places=12)
        self.assertEqual((found["recall@100"]["value"], found["mrr@10"]["value"]), (1, 0.75))
        # Right from 2 on: query 1 has no answer, query b has a, the first; nDCG's gains stay.
        found = self.evaluate(folder, "--resamples", "0", "--right-from", "2")
        self.assertEqual((found["queries"], found["ndcg@10"]["value"], found["mrr@10"]["value"]), (1, 1, 1))

    def test_figures_against_python(self):
        found = self.evaluate(self.collection())
        self.assert_figures(found, self.expected())
        self.assertEqual({name: found[name] for name in ("documents", "queries", "queries_left_out", "judgements",
                                                         "unknown_documents", "unknown_queries")},
                         {"documents": 7, "queries": 3, "queries_left_out": 2, "judgements": 7, "unknown_documents": 1,
                          "unknown_queries": 1})
        for name in FIGURES:
            self.assertLessEqual(found[name]["low"], found[name]["value"])
            self.assertLessEqual(found[name]["value"], found[name]["high"])
        table = run("evaluate", MODEL, "--retrieval", str(self.collection()))[0].decode()
        for words in ("| nDCG@10", "| recall@100", "| MRR@10", "2 of 5 queries have no document that answers them",
                      "1 judgements are of documents that it does not have", "1 judgements are of queries that it does not have"):
            self.assertIn(words, table)

    def test_late_vectors(self):
        """All documents by the scores that `rerank` gives for the same texts."""
        model = str(archive.unpacked("model/late-folders.tar") / "late-pylate")
        folder = self.collection()
        texts = "".join(json.dumps(text_of(*row[1:])) + "\n" for row in DOCUMENTS)
        sums = [0, 0, 0]
        for key, text in QUERIES[:3]:
            ranked = run_lines("rerank", "--json-lines", "--query", text, model, stdin=texts)
            order = sorted(ranked, key=lambda line: (-round(line["score"], 5), line["index"]))
            found = [DOCUMENTS[line["index"]][0] for line in order if DOCUMENTS[line["index"]][0] != key]
            for i, value in enumerate(figures(found, {d: s for q, d, s in QRELS if q == key})):
                sums[i] += value / 3
        self.assert_figures(self.evaluate(folder, model=model), sums)
        against = self.evaluate(folder, "--rerank", model, model=model)
        self.assertEqual(against["ndcg@10"]["value"], self.evaluate(folder, model=model)["ndcg@10"]["value"])
        self.assert_figures(self.evaluate(folder, "--vectors", "late", model=model), sums)
        options = ("--vectors", "dense")
        self.assert_figures(self.evaluate(folder, *options, model=model), self.expected(model, ("--query",), ("--document",)))
        self.assertIn("the model gives no sparse vectors",
                      run("evaluate", model, "--vectors", "sparse", "--retrieval", str(folder), status=1)[1])

    def test_sparse_vectors(self):
        """All documents by the products of what `embed --sparse` gives: of a masked model's scores, and of two routes."""
        folder = self.collection()
        plain, router = self.model("bert-mlm"), self.folder / "router"
        pooling = {"pooling_strategy": "max", "activation_function": "relu"}
        types = [("0", "", "MLMTransformer"), ("1", "1_SpladePooling", "SpladePooling")]
        self.add(plain, "modules.json", [{"idx": int(name), "name": name, "path": path, "type": "sentence_transformers." + kind}
                                         for name, path, kind in types])
        self.add(plain, "1_SpladePooling/config.json", pooling)
        shutil.copytree(self.model("bert-mlm"), router / "document_0_MLMTransformer")
        self.add(router, "document_1_SpladePooling/config.json", pooling)
        shutil.copytree(self.model("bert-mlm"), router / "query_0_SparseStaticEmbedding")
        for name in ("config.json", "model.safetensors"):
            (router / "query_0_SparseStaticEmbedding" / name).unlink(missing_ok=True)
        self.add(router, "query_0_SparseStaticEmbedding/config.json", {"path": "idf.json"})
        self.add(router, "query_0_SparseStaticEmbedding/idf.json", {"the": 1.5, "is": 3, "?": 0.7, "[UNK]": 0.2})
        self.add(router, "modules.json", [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Router"}])
        kinds = {"query_0_SparseStaticEmbedding": "SparseStaticEmbedding", "document_0_MLMTransformer": "MLMTransformer",
                 "document_1_SpladePooling": "SpladePooling"}
        self.add(router, "router_config.json",
                 {"types": {place: "sentence_transformers.sparse_encoder.models." + kind for place, kind in kinds.items()},
                  "structure": {"query": list(kinds)[:1], "document": list(kinds)[1:]}, "parameters": {"default_route": "query"}})
        for model in (plain, str(router)):
            documents = self.sparse([text_of(*row[1:]) for row in DOCUMENTS], model, "--document")
            sums = [0, 0, 0]
            for key, text in QUERIES[:3]:
                query, = self.sparse([text], model, "--query")
                scores = [sum(weight * one.get(i, 0) for i, weight in query.items()) for one in documents]
                self.assertGreater(max(scores), 0)
                order = sorted(range(len(DOCUMENTS)), key=lambda i: (-round(scores[i], 5), i))
                found = [DOCUMENTS[i][0] for i in order if DOCUMENTS[i][0] != key]
                for i, value in enumerate(figures(found, {d: s for q, d, s in QRELS if q == key})):
                    sums[i] += value / 3
            self.assert_figures(self.evaluate(folder, model=model), sums)
            self.assert_figures(self.evaluate(folder, "--vectors", "sparse", model=model), sums)

    def test_many_documents(self):
        """More than a block of documents, all threads: those that are nearest are found among them."""
        documents = [(f"d{i}", "", f"number {i}") for i in range(5000)]
        queries = [(f"q{i}", f"number {i}") for i in range(0, 5000, 100)]
        qrels = [(f"q{i}", f"d{i}", 1) for i in range(0, 5000, 100)]
        folder = self.collection(documents, queries, qrels)
        found = self.evaluate(folder, "--threads", "2")
        for name in FIGURES:
            self.assertEqual(found[name], {"value": 1, "low": 1, "high": 1})
        self.assertEqual(found, self.evaluate(folder, "--threads", "1"))

    def test_prompts(self):
        model = self.model("sentence-mean")
        settings = {"prompts": {"query": "find: ", "passage": "read: ", "other": "What? "}, "default_prompt_name": None}
        (Path(model) / "config_sentence_transformers.json").write_text(json.dumps(settings), encoding="utf-8")
        folder = self.collection()
        named = self.expected(model, ("--prompt", "query"), ("--prompt", "passage"))
        self.assert_figures(self.evaluate(folder, model=model), named)
        plain = self.expected(model, ("--no-prompt",), ("--no-prompt",))
        self.assert_figures(self.evaluate(folder, "--no-prompt", model=model), plain)
        found = self.evaluate(folder, "--query-prompt", "other", "--document-prompt-text", "see ", model=model)
        self.assert_figures(found, self.expected(model, ("--prompt", "other"), ("--prompt-text", "see ")))
        found = self.evaluate(folder, "--query-prompt-text", "", "--document-prompt", "query", model=model)
        self.assert_figures(found, self.expected(model, ("--prompt", "query"), ("--prompt", "query")))

    def test_prompts_that_pooling_leaves_out(self):
        model = self.model("sentence-prompt")
        path = Path(model) / "1_Pooling" / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), "include_prompt": False}))
        expected = self.expected(model, ("--prompt-text", "find: "), ("--prompt", "document"))
        self.assert_figures(self.evaluate(self.collection(), "--query-prompt-text", "find: ", model=model), expected)

    def test_models_of_one_tokenizer_and_of_others(self):
        """Tokens are kept from model to model: each gives what it gives alone."""
        folder = self.collection()
        int8 = str(self.folder / "int8.safetensors")
        run("convert", "--linear-dtype", "int8", MODEL, int8)
        models = [MODEL, int8, self.model("sentence-mean"), self.model("sentence-cls"), MODEL]
        together = json.loads(run("evaluate", *models, "--json", "--retrieval", str(folder))[0])["models"]
        for path, found in zip(models, together):
            self.assertEqual(found["retrieval"][0], self.evaluate(folder, model=path), path)

    def test_against(self):
        other = str(Path(MODEL).with_name("model-mixed"))
        found = self.evaluate(self.collection(), "--against", MODEL)
        self.assertEqual(found["agreement"], 1)
        self.assertEqual(found["difference"]["ndcg@10"], {"value": 0, "low": 0, "high": 0})
        pairs = self.write("p.tsv", "1\ta\tb\n2\tc\td\n3\te\tf\n")
        found = json.loads(run("evaluate", other, "--json", "--against", MODEL, "--pairs", pairs, "--retrieval",
                               str(self.collection()), str(self.collection()))[0])
        self.assertEqual(len(found["models"][0]["retrieval"]), 2)
        one, against = found["models"][0]["retrieval"][0], found["against"]["retrieval"][0]
        for name in FIGURES:
            self.assertAlmostEqual(one["difference"][name]["value"], one[name]["value"] - against[name]["value"], places=12)
        self.assertTrue(0 < one["agreement"] <= 1)

    def test_queries_by_another_model(self):
        folder, one, other = self.collection(), self.model("sentence-mean"), self.model("sentence-cls")
        expected = {pair: self.expected(pair[0], query_model=pair[1]) for pair in ((one, other), (other, one), (one, one))}
        self.assertEqual(len({tuple(values) for values in expected.values()}), 3)
        for (documents, queries), values in expected.items():
            self.assert_figures(self.evaluate(folder, "--query-model", queries, model=documents), values)
        # The model that others are compared with embeds its own queries.
        found = json.loads(run("evaluate", one, other, "--json", "--query-model", other, "--against", one, "--retrieval",
                               str(folder))[0])
        self.assert_figures(found["against"]["retrieval"][0], expected[one, one])
        self.assert_figures(found["models"][0]["retrieval"][0], expected[one, other])
        self.assertEqual([model.get("query_model") for model in [found["against"], *found["models"]]], [None, other, other])
        self.assertIn(f"{one}, queries by {other}", run("evaluate", one, "--query-model", other, "--retrieval", str(folder))[0].decode())

    def test_queries_of_rankings_by_another_model(self):
        one, other = self.model("sentence-mean"), self.model("sentence-cls")
        file = self.write("r.tsv", "".join(f"the old fox\t{int(i == 2)}\t{text_of(*row[1:])}\n" for i, row in enumerate(DOCUMENTS[:6])))
        found = json.loads(run("evaluate", one, "--json", "--query-model", other, "--ranking", file)[0])
        query, = self.vectors(["the old fox"], other)
        documents = self.vectors([text_of(*row[1:]) for row in DOCUMENTS[:6]], one)
        scores = [math.fsum(a * b for a, b in zip(query, document)) for document in documents]
        place = sorted(range(6), key=lambda i: -scores[i]).index(2)
        self.assertAlmostEqual(found["models"][0]["rankings"][0]["mrr"]["value"], 1 / (place + 1), places=6)

    def test_models_whose_vectors_cannot_be_multiplied(self):
        folder, one = str(self.collection()), self.model("sentence-mean")
        sizes = {name: json.loads(run("info", "--json", model)[0])["embedding_size"] for name, model in (("one", one), ("other", MODEL))}
        self.assertNotEqual(sizes["one"], sizes["other"])
        refused = run("evaluate", one, "--query-model", MODEL, "--retrieval", folder, status=1)[1]
        self.assertIn(f"{MODEL}: its vectors have {sizes['other']} numbers, those of {one} {sizes['one']}", refused)
        late = str(archive.unpacked("model/late-folders.tar") / "late-pylate")
        for documents, queries in ((late, one), (one, late)):
            refused = run("evaluate", documents, "--query-model", queries, "--retrieval", folder, status=1)[1]
            self.assertIn(f"{late}: --query-model compares embeddings, which this model does not give", refused)

    def reranked(self, model, depth):
        """The mean figures where the first of what MODEL finds come in the order of a reranker."""
        documents = self.vectors([text_of(*row[1:]) for row in DOCUMENTS], MODEL)
        sums = [0, 0, 0]
        for key, text in QUERIES[:3]:
            query, = self.vectors([text], MODEL)
            scores = [round(math.fsum(a * b for a, b in zip(query, one)), 6) for one in documents]
            order = sorted((i for i in range(len(DOCUMENTS)) if DOCUMENTS[i][0] != key), key=lambda i: (-scores[i], i))
            stdin = "\n".join(text_of(*row[1:]) for row in DOCUMENTS) + "\n"
            second = {line["index"]: line["score"] for line in run_lines("rerank", model, "--query", text, stdin=stdin)}
            order = sorted(order[:depth], key=lambda i: (-second[i], i)) + order[depth:]
            found = [DOCUMENTS[i][0] for i in order]
            for i, value in enumerate(figures(found, {d: s for q, d, s in QRELS if q == key})):
                sums[i] += value / 3
        return sums

    def test_reranking(self):
        reranker = self.model("bert-reranker")
        first = self.evaluate(self.collection())
        for depth in (3, 100):
            found = json.loads(run("evaluate", MODEL, MODEL, "--json", "--rerank", reranker, "--rerank-depth", str(depth),
                                   "--retrieval", str(self.collection()))[0])["models"]
            self.assertEqual(found[0], found[1])
            found = found[0]["retrieval"][0]
            for name in FIGURES:
                self.assertEqual(found[name], first[name])
            second = {name: found["reranked " + name] for name in FIGURES}
            self.assert_figures(second, self.reranked(reranker, depth))
        self.assertIn("a reranker has a classifier of one class",
                      run("evaluate", MODEL, "--rerank", MODEL, "--retrieval", str(self.collection()), status=1)[1])

    def test_candidates(self):
        folder = self.collection()
        (folder / "candidates_bm25.tsv").write_text(
            "q1\td5\t1\nq1\td2\t2\nq1\td5\t1\nq1\tlost\t3\nq2\tq2\t1\nq2\td2\t2\n", encoding="utf-8")
        found = self.evaluate(folder, "--candidates", "--resamples", "0")
        documents = dict(zip("125", self.vectors(["The sun is a star.", "Dogs sleep.", "Ships leave the harbour."], MODEL)))
        query, = self.vectors(["What is the sun?"], MODEL)
        near = {key: math.fsum(a * b for a, b in zip(query, one)) for key, one in documents.items()}
        order = sorted(("d2", "d5"), key=lambda name: -near[name[1]])
        expected = [figures(order, {"d1": 2, "d5": 1, "d2": 0}), figures(["d2"], {"d3": 1, "d2": 3}), (0, 0, 0)]
        self.assert_figures(found, [sum(one[i] for one in expected) / 3 for i in range(3)])
        reranker = self.model("bert-reranker")
        alone = self.evaluate(folder, "--candidates", "--resamples", "0", model=reranker)
        second = self.evaluate(folder, "--candidates", "--resamples", "0", "--rerank", reranker)
        for name in FIGURES:
            self.assertEqual(alone[name], second["reranked " + name])

    def test_what_folders_may_hold(self):
        plain = self.evaluate(self.collection())
        folder = self.collection()
        corpus = (folder / "corpus.jsonl").read_bytes()
        lines = corpus.replace(b'"title": "", ', b"").replace(b'"title": "Cats', b'"more": [1], "title": "Cats')
        (folder / "corpus.jsonl").write_bytes(b"\xef\xbb\xbf\n" + lines.replace(b"\n", b"\r\n\r\n"))
        qrels = (folder / "qrels.tsv").read_text(encoding="utf-8")
        (folder / "qrels.tsv").unlink()
        (folder / "qrels").mkdir()
        (folder / "qrels" / "test.tsv").write_text(qrels.split("\n", 1)[1] + "q1\td1\t2\n", encoding="utf-8")
        found = self.evaluate(str(folder) + "/")
        self.assertEqual(found, plain)

    def test_errors_name_file_and_line(self):
        for name, content, message in [
                ("corpus.jsonl", b'{"_id": "d1", "text": "a"}\n{"_id": "d1", "text": "b"}\n',
                 "corpus.jsonl, line 2: the \"_id\" 'd1' appears twice; each must be unique"),
                ("corpus.jsonl", b'{"_id": "d1", "text": "a"}\n[]\n', "corpus.jsonl, line 2: expected a JSON object"),
                ("corpus.jsonl", b'{"_id": "d1", "text": "a"\n', "corpus.jsonl, line 1: expected a JSON object"),
                ("corpus.jsonl", b'{"_id": "d1", "text": "a\xff"}\n', "line 1: byte 24 of the line is not valid UTF-8"),
                ("corpus.jsonl", b'{"_id": "d1", "text": 7}\n', "line 1: \"text\" must be a string"),
                ("corpus.jsonl", b'{"_id": "d1"}\n', "line 1: the document has neither"),
                ("corpus.jsonl", b'{"text": "d1"}\n', "line 1: the line has no \"_id\""),
                ("corpus.jsonl", b"\n", "corpus.jsonl: there is no document in it"),
                ("corpus.jsonl", None, "corpus.jsonl"),
                ("queries.jsonl", b'{"_id": "q1"}\n', "queries.jsonl, line 1: the query has no \"text\""),
                ("queries.jsonl", b"[" * 100000, "queries.jsonl, line 1: expected a JSON object"),
                ("qrels.tsv", b"a\tb\tc\nq1\td1\n", "qrels.tsv, line 2: expected 3 columns"),
                ("qrels.tsv", b"a\tb\tc\nq1\td1\tx\n", "qrels.tsv, line 2: the score 'x' is not a finite number"),
                ("qrels.tsv", b"q1\td1\t1\nq1\td1\t2\n", "qrels.tsv, line 2: document 'd1' has another score"),
                ("qrels.tsv", b"a\tb\tc\nq1\td1\t0\n", "no query has a document that answers it"),
                ("qrels.tsv", b"a\tb\tc\n", "no query has a document that answers it"),
                ("qrels.tsv", None, "qrels.tsv")]:
            folder = self.collection()
            if content is None:
                (folder / name).unlink()
            else:
                (folder / name).write_bytes(content)
            message_found = run("evaluate", "no/model", "--retrieval", str(folder), status=1)[1]
            self.assertIn(message, message_found, "files are read before models")
            self.assertEqual(message_found.count("\n"), 1)
        self.assertIn("candidates_bm25.tsv",
                      run("evaluate", MODEL, "--candidates", "--retrieval", str(self.collection()), status=1)[1])

    def test_usage(self):
        run("evaluate", MODEL, "--rerank", MODEL, "--pairs", "x", status=2)
        run("evaluate", MODEL, "--vectors", "late", "--pairs", "x", status=2)
        run("evaluate", MODEL, "--query-model", MODEL, "--pairs", "x", status=2)
        run("evaluate", MODEL, "--vectors", "wide", "--retrieval", "x", status=2)
        run("evaluate", MODEL, "--query-prompt", "a", "--query-prompt-text", "b", "--retrieval", "x", status=2)


if __name__ == "__main__":
    unittest.main()
