#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a search in two stages loses on a collection, as examples/c/two_stages.c measures it.

    benchmarks/two_stages.py build/release/examples/c/example_c_two_stages MODEL COLLECTION...

A collection is a folder of corpus.jsonl, queries.jsonl and qrels.tsv, as `lookupffn evaluate --retrieval` reads it. Queries
that nobody judged take no part."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def text_of(entry):
    return " ".join(" ".join(part for part in (entry.get("title"), entry["text"]) if part).split("\n"))


def write_lines(collection, folder):
    documents = read(collection / "corpus.jsonl")
    judged = [line.split("\t") for line in (collection / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    rated = {query for query, _, score in judged if float(score) >= 1}
    queries = [query for query in read(collection / "queries.jsonl") if query["_id"] in rated]
    places = [{entry["_id"]: i for i, entry in enumerate(entries)} for entries in (queries, documents)]
    for name, entries in (("documents", documents), ("queries", queries)):
        (folder / name).write_text("".join(text_of(entry) + "\n" for entry in entries), encoding="utf-8")
    lines = [f"{places[0][query]}\t{places[1][document]}\t{score}\n" for query, document, score in judged
             if query in places[0] and document in places[1]]
    (folder / "judged").write_text("".join(lines), encoding="utf-8")
    return f"{len(documents)} documents, {len(queries)} queries"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, model, *collections = sys.argv[1:]
    for collection in map(Path, collections):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            print(f"{collection.name}: {write_lines(collection, folder)}", flush=True)
            subprocess.run([program, model, folder / "documents", folder / "queries", folder / "judged"], check=True)


if __name__ == "__main__":
    main()
