#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`lookupffn search`: each kind of model as it means to be searched with, and its prompts."""
import json
import math
import sys
import unittest
from pathlib import Path

from test_models import MODEL, Case, run, run_lines

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import archive  # noqa: E402
from folders import make_prompted, make_sparse  # noqa: E402

SMALL = archive.unpacked("model/small-folders.tar")
SHARED = ROOT.parent / "shared" / "golden-hf4" / "sentence-gemma3"
TEXTS = ["the cat eats", "a river runs", "the house of the dog", "song", "the dog runs the river", "cat"]
QUERY = "the dog eats"


def by_score(scores):
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


class Search(Case):
    def setUp(self):
        super().setUp()
        self.lines = self.write("lines.txt", "".join(text + "\n" for text in TEXTS))

    def search(self, model, *options):
        found = run_lines("search", "--json", "--no-vectors", model, self.lines, "--query", QUERY, "--top", "100", *options)
        return [(line["index"], line["score"]) for line in found]

    def expect(self, found, scores):
        self.assertEqual([i for i, _ in found], by_score(scores))
        for i, score in found:
            self.assertAlmostEqual(score, scores[i], delta=1e-5 * max(1, abs(scores[i])))

    def vectors(self, model, texts, *options):
        stdin = "".join(json.dumps(text) + "\n" for text in texts)
        return [line["embedding"] for line in run_lines("embed", "--json-lines", model, *options, stdin=stdin)]

    def expect_cosines(self, found, model, query, texts):
        of_query, = self.vectors(model, [query], "--no-prompt")
        self.expect(found, [cosine(of_query, vector) for vector in self.vectors(model, texts, "--no-prompt")])

    def test_the_models_prompts(self):
        model = make_prompted(SMALL / "sentence-mean", self.folder / "prompted", query="song of ", passage="the river: ")
        documents = ["the river: " + text for text in TEXTS]
        self.expect_cosines(self.search(model), model, "song of " + QUERY, documents)
        self.expect_cosines(self.search(model, "--no-prompt"), model, QUERY, TEXTS)
        self.expect_cosines(self.search(model, "--query-prompt-text", "a "), model, "a " + QUERY, documents)
        self.expect_cosines(self.search(model, "--query-prompt", "passage"), model, "the river: " + QUERY, documents)
        self.expect_cosines(self.search(model, "--query-prompt-text", ""), model, QUERY, documents)
        self.expect_cosines(self.search(model, "--prompt-text", "a "), model, "a " + QUERY, ["a " + t for t in TEXTS])
        self.expect_cosines(self.search(model, "--prompt-text", "a ", "--query-prompt", "query"), model,
                            "song of " + QUERY, ["a " + text for text in TEXTS])
        self.expect_cosines(self.search(model, "--no-prompt", "--query-prompt", "query"), model, "song of " + QUERY, TEXTS)
        self.assertIn("the model has no prompt ''", run("search", model, "--query", "a", "--query-prompt", "", stdin="a\n",
                                                status=1)[1])

    @unittest.skipUnless(SHARED.is_dir(), "needs ../shared")
    def test_a_published_kind_of_prompts(self):
        model = str(SHARED)
        prompts = json.loads((SHARED / "config_sentence_transformers.json").read_text())["prompts"]
        documents = [prompts["document"] + text for text in TEXTS]
        self.expect_cosines(self.search(model), model, prompts["query"] + QUERY, documents)

    def test_rankings_are_measured_with_the_prompts(self):
        of = SMALL / "sentence-mean"
        prompted = make_prompted(of, self.folder / "prompted", query="song of ", document="the river: ")
        texts = [text + f" {i}" for i, text in enumerate(TEXTS * 3)]
        rows = [(query, i % 3 == 0, text) for query in ("a dog", "the cat", "river") for i, text in enumerate(texts)]

        def figures(model, rows, *options):
            file = self.write("r.tsv", "".join(f"{query}\t{int(right)}\t{text}\n" for query, right, text in rows))
            found = json.loads(run("evaluate", model, "--json", "--ranking", file, *options)[0])
            return [found["models"][0]["rankings"][0][name]["value"] for name in ("map", "mrr")]

        with_prompts = [("song of " + query, right, "the river: " + text) for query, right, text in rows]
        expected = figures(prompted, with_prompts, "--no-prompt")
        self.assertEqual(figures(prompted, rows), expected)
        self.assertNotEqual(figures(prompted, rows, "--no-prompt"), expected)
        self.assertEqual(figures(prompted, rows, "--query-prompt-text", "a ", "--document-prompt", "query"),
                         figures(prompted, [("a " + query, right, "song of " + text) for query, right, text in rows],
                                 "--no-prompt"))

    def test_sparse_vectors(self):
        model = make_sparse(SMALL / "bert-mlm", self.folder / "sparse")

        def sparse(texts, purpose):
            stdin = "".join(text + "\n" for text in texts)
            return [dict(zip(line["indices"], line["values"]))
                    for line in run_lines("embed", "--sparse", purpose, model, stdin=stdin)]

        query, = sparse([QUERY], "--query")
        self.expect(self.search(model), [sum(weight * text.get(i, 0) for i, weight in query.items())
                                         for text in sparse(TEXTS, "--document")])

    def test_late_interaction(self):
        model = str(archive.unpacked("model/late-folders.tar") / "late-pylate")
        expected = run_lines("rerank", model, self.lines, "--query", QUERY)
        self.assertEqual(self.search(model), [(line["index"], line["score"]) for line in expected])
        self.assertGreater(max(line["score"] for line in expected), 1.5)  # sums of cosines

    def test_pairs(self):
        model = str(SMALL / "bert-reranker")
        expected = run_lines("rerank", model, self.lines, "--query", QUERY)
        self.assertEqual(self.search(model), [(line["index"], line["score"]) for line in expected])

    def test_prompts_that_would_be_ignored_are_refused(self):
        late = str(archive.unpacked("model/late-folders.tar") / "late-pylate")
        sparse = make_sparse(SMALL / "bert-mlm", self.folder / "sparse")
        for command, model in (("search", late), ("search", sparse), ("rerank", late)):
            for options in (("--prompt-text", "x"), ("--no-prompt",)):
                self.assertIn("leave out the options of prompts",
                              run(command, model, "--query", "a", *options, stdin="a\n", status=1)[1])

    def test_lines_that_are_no_text(self):
        for model in (MODEL, str(SMALL / "bert-reranker")):
            stdout, stderr = run("search", "--json", model, "--query", "a", stdin=b"a\n\xff\nb\n", status=1)
            self.assertEqual(sorted(json.loads(line)["index"] for line in stdout.splitlines()), [0, 2])
            self.assertIn("standard input, line 2", stderr)
        self.assertIn("--query: ", run("search", MODEL, "--query", b"\xff", stdin="a\n", status=1)[1])


if __name__ == "__main__":
    unittest.main()
