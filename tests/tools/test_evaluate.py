#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`lookupffn evaluate` as its users see it: figures, errors, JSON, the same numbers from any number of threads."""
import json
import math
import unittest
from pathlib import Path

from test_models import MODEL, Case, run, run_lines

PAIRS = [(5, "A man eats.", "A man eats."), (1, "A man eats.", "Stars are far."), (2, "naïve café", "the \"quick\" fox"),
         (4, "x y", "x z"), (4, "The fox", "A fox"), (0.5, "Lazy dogs sleep", "7 of 9")]
LABELS = [("fox", "The quick fox"), ("fox", "A brown fox"), ("dog", "Lazy dogs"), ("dog", "Dogs sleep"),
          ("star", "Stars are far"), ("star", "A star shines")]
ANSWERS = [("Who eats?", 0, "Stars are far."), ("Who eats?", 1, "A man eats."), ("Who eats?", 1, "Dogs eat."),
           ("What shines?", 1, "A star shines"), ("What shines?", 0, "Lazy dogs"), ("Nothing?", 0, "x")]


def tsv(rows):
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def ranks(numbers):
    return [sum(b < a for b in numbers) + (sum(b == a for b in numbers) + 1) / 2 for a in numbers]


def pearson(x, y):
    mx, my = sum(x) / len(x), sum(y) / len(y)
    xy = math.fsum((a - mx) * (b - my) for a, b in zip(x, y))
    return xy / math.sqrt(math.fsum((a - mx) ** 2 for a in x) * math.fsum((b - my) ** 2 for b in y))


def vectors(texts):
    lines = run_lines("embed", "--json-lines", MODEL, stdin="".join(json.dumps(text) + "\n" for text in texts))
    return {text: line["embedding"] for text, line in zip(texts, lines)}


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


class Evaluate(Case):
    def evaluate(self, *arguments):
        return json.loads(run("evaluate", MODEL, "--json", *arguments)[0])

    def test_pairs_against_python(self):
        found = self.evaluate("--pairs", self.write("p.tsv", tsv(PAIRS)))["models"][0]["pairs"][0]
        of = vectors(sorted({text for _, *both in PAIRS for text in both}))
        cosines = [dot(of[a], of[b]) for _, a, b in PAIRS]
        scores = [score for score, _, _ in PAIRS]
        self.assertEqual(found["pairs"], len(PAIRS))
        self.assertAlmostEqual(found["pearson"]["value"], pearson(cosines, scores), places=5)
        self.assertAlmostEqual(found["spearman"]["value"], pearson(ranks(cosines), ranks(scores)), places=12)
        for figure in (found["pearson"], found["spearman"]):
            self.assertLessEqual(figure["low"], figure["value"])
            self.assertLessEqual(figure["value"], figure["high"])

    def test_pairs_of_equal_texts_are_ties(self):
        rows = [(score, text, text) for score, text in zip((1, 2, 3, 4, 5), ("a", "b c", "Dogs", "x", "The fox"))]
        found = self.evaluate("--pairs", self.write("p.tsv", tsv(rows)))
        self.assertIsNone(found["models"][0]["pairs"][0]["spearman"]["value"])

    def test_ranking_against_python(self):
        found = self.evaluate("--ranking", self.write("r.tsv", tsv(ANSWERS)))["models"][0]["rankings"][0]
        of = vectors(sorted({text for query, _, answer in ANSWERS for text in (query, answer)}))
        precisions, reciprocals = [], []
        for query in ("Who eats?", "What shines?"):
            rows = sorted(((dot(of[query], of[text]), label) for q, label, text in ANSWERS if q == query), reverse=True)
            places = [place for place, (_, label) in enumerate(rows, 1) if label]
            precisions.append(sum(i / place for i, place in enumerate(places, 1)) / len(places))
            reciprocals.append(1 / places[0])
        self.assertEqual((found["queries"], found["texts"], found["queries_left_out"]), (2, 5, 1))
        self.assertAlmostEqual(found["map"]["value"], sum(precisions) / 2, places=12)
        self.assertAlmostEqual(found["mrr"]["value"], sum(reciprocals) / 2, places=12)

    def test_labels(self):
        train = self.write("train.tsv", tsv(LABELS))
        found = self.evaluate("--labels", train, train)["models"][0]["labels"][0]
        self.assertEqual((found["classes"], found["train_texts"], found["test_texts"]), (3, 6, 6))
        self.assertEqual(found["nearest"]["value"], 1)
        self.assertEqual(found["logistic"]["value"], 1)
        test = self.write("test.tsv", tsv([("fox", "The quick fox"), ("cat", "Lazy dogs")]))
        found = self.evaluate("--labels", train, test)["models"][0]["labels"][0]
        self.assertEqual((found["nearest"]["value"], found["unknown_labels"]), (0.5, 1))
        self.assertIn("1 of 2 texts have labels that no text of",
                      run("evaluate", MODEL, "--labels", train, test)[0].decode())

    def test_against_and_threads(self):
        arguments = ("--pairs", self.write("p.tsv", tsv(PAIRS)), self.write("q.tsv", tsv(PAIRS[1:])),
                     "--labels", self.write("t.tsv", tsv(LABELS)), self.write("u.tsv", tsv(LABELS[1:])),
                     "--ranking", self.write("r.tsv", tsv(ANSWERS)))
        one = run("evaluate", "--json", "--threads", "1", MODEL, "--against", MODEL, *arguments)[0]
        two = run("evaluate", "--json", "--threads", "2", MODEL, "--against", MODEL, *arguments)[0]
        self.assertEqual(one, two)
        found = json.loads(one)
        self.assertEqual(list(found), ["resamples", "models", "against"])
        self.assertEqual(list(found["against"]), ["model", "pairs", "labels", "rankings"])
        model, = found["models"]
        self.assertEqual(len(model["pairs"]), 2)
        for file in model["pairs"] + model["labels"] + model["rankings"]:
            self.assertAlmostEqual(file["agreement"], 1, places=9)
            for difference in file["difference"].values():
                self.assertEqual(difference, {"value": 0, "low": 0, "high": 0})

    def test_another_model(self):
        other = str(Path(MODEL).with_name("model-mixed"))
        path = self.write("p.tsv", tsv(PAIRS))
        found = json.loads(run("evaluate", "--json", MODEL, other, "--against", other, "--pairs", path)[0])
        first, second = (model["pairs"][0] for model in found["models"])
        against = found["against"]["pairs"][0]
        self.assertEqual(second["pearson"], against["pearson"])
        self.assertLess(first["agreement"], 0.9999)
        self.assertAlmostEqual(first["difference"]["pearson"]["value"],
                               first["pearson"]["value"] - against["pearson"]["value"], places=12)

    def test_table(self):
        lines = run("evaluate", MODEL, "--resamples", "0", "--pairs", self.write("p.tsv", tsv(PAIRS)))[0].decode()
        head, rule, spearman, more = lines.splitlines()
        self.assertEqual({len(line) for line in (head, rule, spearman, more)}, {len(head)})
        self.assertRegex(spearman, r"p\.tsv \| Spearman \| +-?\d+\.\d\d +\|$")

    def test_what_files_may_hold(self):
        plain = run("evaluate", MODEL, "--json", "--pairs", self.write("p.tsv", tsv(PAIRS)))[0]
        for text in (tsv(PAIRS).replace("\n", "\r\n"), "\n \n" + tsv(PAIRS) + "\n\t\n", "\ufeff" + tsv(PAIRS)):
            (self.folder / "p.tsv").write_bytes(text.encode())
            self.assertEqual(run("evaluate", MODEL, "--json", "--pairs", str(self.folder / "p.tsv"))[0], plain)
        path = self.write("p.tsv", "score\ta\tb\n" + tsv(PAIRS))
        self.assertEqual(run("evaluate", MODEL, "--json", "--header", "--pairs", path)[0], plain)

    def test_constant_scores_have_no_correlation(self):
        found = self.evaluate("--pairs", self.write("p.tsv", tsv([(3, *texts) for _, *texts in PAIRS])))
        self.assertEqual(found["models"][0]["pairs"][0]["spearman"], {"value": None, "low": None, "high": None})

    def test_errors_name_file_and_line(self):
        path = str(self.folder / "bad.tsv")
        for option, data, message in [
                ("--pairs", b"1\ta\tb\n\n2\ta\n", "bad.tsv, line 3: expected 3 columns"),
                ("--pairs", b"1\ta\tb\tc\n", "line 1: expected 3 columns"),
                ("--pairs", b"1\ta\tb\n2\ta\xff\tb\n", "line 2: byte 3 of the line is not valid UTF-8"),
                ("--pairs", b"nan\ta\tb\n", "line 1: the score 'nan' is not a finite number"),
                ("--pairs", b"score\ta\tb\n", "give --header"),
                ("--pairs", b"\n\n", "bad.tsv: there is no case in it"),
                ("--ranking", b"q\tyes\tb\n", "line 1: the label 'yes' is not a finite number"),
                ("--ranking", b"q\t0\tb\n", "no query has a text whose label is above 0")]:
            (self.folder / "bad.tsv").write_bytes(data)
            self.assertIn(message, run("evaluate", MODEL, option, path, status=1)[1])
        (self.folder / "bad.tsv").write_bytes(b"a\tx\na\ty\n")
        self.assertIn("all texts have the label 'a'", run("evaluate", MODEL, "--labels", path, path, status=1)[1])
        self.assertIn("no/such", run("evaluate", MODEL, "--pairs", "no/such", status=1)[1])
        good = self.write("p.tsv", tsv(PAIRS) + "1\t" + "z" * 3000 + "\tx\n")
        cut = run("evaluate", MODEL, "--pairs", good)
        self.assertEqual(cut, run("evaluate", MODEL, "--max-tokens", "2000", "--pairs", good), "never more than it can run")
        (self.folder / "p.tsv").write_bytes(tsv(PAIRS).encode() + b"1\t\xff\tx\n")
        self.assertIn("p.tsv, line 7: ", run("evaluate", MODEL, "--pairs", good, status=1)[1])

    def test_usage(self):
        self.assertIn("--pairs, --labels, --ranking or --retrieval", run("evaluate", MODEL, status=2)[1])
        run("evaluate", MODEL, "--labels", "one.tsv", status=2)
        text = run("evaluate", "--help")[0].decode()
        self.assertIn("Examples:\n  lookupffn evaluate", text)


if __name__ == "__main__":
    unittest.main()
