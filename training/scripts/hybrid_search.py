#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures search by words and vectors together on collections in BEIR's form: nDCG@10 times 100.

    hybrid_search.py MODEL FOLDER [FOLDER ...] [--command lookupffn]

Words: BM25 of SQLite's FTS5 (k1 1.2, b 0.75), Porter stems, any word of the query. Vectors: the cosine of the
model's embeddings. Both give their first 1,000 documents, and two ways join them:

    reciprocal ranks  sum over both of 1 / (60 + place), places from 1
    weighted sum      weight * cosine + (1 - weight) * BM25 / the query's largest BM25; 0 for documents that one did not find

Intervals hold 95 % of 2,000 resamples of the queries; differences are from the vectors alone.
"""

import argparse
import json
import re
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import numpy as np

FIRST, CONSTANT, DRAWS = 1000, 60, 2000


def read(folder):
    """Ids and texts of documents, those of queries with an answer, and the scores of documents by query."""
    def lines(name):
        return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines() if line.strip()]

    scores = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        scores.setdefault(query, {})[document] = float(score)
    documents = [(line["_id"], f"{line.get('title') or ''} {line.get('text') or ''}".strip())
                 for line in lines("corpus.jsonl")]
    queries = [(line["_id"], line["text"]) for line in lines("queries.jsonl")
               if any(score > 0 for score in scores.get(line["_id"], {}).values())]
    return documents, queries, scores


def by_words(documents, queries):
    """For each query {place of a document: BM25}."""
    base = sqlite3.connect(":memory:")
    base.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61')")
    base.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", enumerate(text for _, text in documents))
    for _, text in queries:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", text)))
        found = base.execute("SELECT rowid, -bm25(texts) FROM texts WHERE texts MATCH ? ORDER BY 2 DESC, 1 LIMIT ?",
                             (words, FIRST)) if words else ()
        yield dict(found)


def embeddings(command, model, texts, prompts):
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "vectors.npy"))
        subprocess.run([command, "embed", model, "--json-lines", "--unit-length", "--npy", file, *prompts], check=True,
                       input="".join(json.dumps(text) + "\n" for text in texts).encode())
        return np.load(file)


def by_vectors(command, model, documents, queries, prompts):
    vectors = embeddings(command, model, [text for _, text in documents], prompts[0])
    for row in embeddings(command, model, [text for _, text in queries], prompts[1]):
        near = vectors @ row
        yield {int(i): float(near[i]) for i in np.argsort(-near, kind="stable")[:FIRST]}


def places(found):
    order = sorted(found, key=lambda i: (-found[i], i))
    return {document: place for place, document in enumerate(order, 1)}


def reciprocal_ranks(*lists):
    joined = {}
    for found in lists:
        for document, place in places(found).items():
            joined[document] = joined.get(document, 0) + 1 / (CONSTANT + place)
    return joined


def weighted_sum(weight, words, vectors):
    largest = max(words.values(), default=1) or 1
    return {document: weight * vectors.get(document, 0) + (1 - weight) * words.get(document, 0) / largest
            for document in {*words, *vectors}}


def ndcg(found, ids, own, judged):
    order = [ids[i] for i in places(found) if ids[i] != own][:10]
    discounts = 1 / np.log2(np.arange(2, 12))
    best = np.array(sorted(judged.values(), reverse=True)[:10])
    return sum(judged.get(document, 0) * discounts[i] for i, document in enumerate(order)) / (best @ discounts[:len(best)])


def with_interval(values):
    draw = np.random.default_rng(1)
    means = [values[draw.integers(0, len(values), len(values))].mean() for _ in range(DRAWS)]
    return "{:.2f} ({:.2f} to {:.2f})".format(*(100 * x for x in (values.mean(), *np.quantile(means, [0.025, 0.975]))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("folders", metavar="FOLDER", nargs="+", type=Path)
    parser.add_argument("--command", default="lookupffn")
    parser.add_argument("--weights", type=float, nargs="+", default=[0.3, 0.5, 0.7])
    parser.add_argument("--document-prompt-text", default="")
    parser.add_argument("--query-prompt-text", default="")
    arguments = parser.parse_args()
    prompts = [["--prompt-text", text] if text else []
               for text in (arguments.document_prompt_text, arguments.query_prompt_text)]
    print("| | " + " | ".join(["collection", "nDCG@10", "difference from vectors"]) + " |\n|---|---|---|---|")
    for folder in arguments.folders:
        documents, queries, scores = read(folder)
        words = list(by_words(documents, queries))
        vectors = list(by_vectors(arguments.command, arguments.model, documents, queries, prompts))
        ways = {"vectors": vectors, "words": words,
                "reciprocal ranks": [reciprocal_ranks(*both) for both in zip(words, vectors)]}
        for weight in arguments.weights:
            ways[f"weighted sum, {weight:g}"] = [weighted_sum(weight, *both) for both in zip(words, vectors)]
        ids = [key for key, _ in documents]
        alone = None
        for name, found in ways.items():
            values = np.array([ndcg(one, ids, key, scores[key]) for one, (key, _) in zip(found, queries)])
            alone = values if alone is None else alone
            print(f"| {name} | {folder.name} | {with_interval(values)} | "
                  f"{with_interval(values - alone) if values is not alone else ''} |", flush=True)


if __name__ == "__main__":
    main()
