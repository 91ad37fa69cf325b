#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures students and their teacher on collections in BEIR's form and on judged pairs, and writes what docs/figures.py prints.

    measure_students.py RESULTS TEACHER STUDENT... --retrieval FOLDER... [--pairs FILE...] [--work FOLDER] [--command lookupffn]

STUDENT is NAME=MODEL, or the name of one that ships: quality, fast, lookup.
RESULTS is a JSON file whose part "students" gets, of this run:

    search    nDCG@10 times 100 of each model; the teacher in float32, students as their files are
    mixed     the same where one model embeds queries and another one the documents, by float32, int8 and bits, each with the
              difference from the teacher alone in float32, and the interval that holds 95 % of 2,000 resamples of the queries
    near      of each student and the documents: the mean cosine with the teacher's vectors, and the correlation (Pearson) of the
              similarities of all pairs with the teacher's, among 1,000 documents, evenly spread
    pairs     Spearman's correlation times 100, beside the teacher's
    megabytes, measured: sizes of the files; the processor and the number of queries

int8: each vector has a scale of its own. Bits: the signs, compared by Hamming's distance. Vectors are kept in --work, so a
further run embeds only what changed. A collection or file that was not measured keeps its earlier figures.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np

import hybrid_search

FIRST, DRAWS, COMPARED = 10, 2000, 1000
SHIPPED = Path(__file__).resolve().parents[2] / "examples" / "models"
KINDS = ("float32", "int8", "bits")
TEACHER = "teacher"


def processor():
    match = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    return match[1] if match else "unknown"


def file_of(model):
    return model / "model.safetensors" if model.is_dir() else model


def digest(*parts):
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.hexdigest()[:32]


class Embedder:
    """Asks the command once for each model and list of texts."""

    def __init__(self, command, work):
        self.command, self.work = command, work
        self.of_model = {}

    def __call__(self, model, texts):
        if model not in self.of_model:
            self.of_model[model] = digest(file_of(model).read_bytes()).encode()
        kept = self.work / f"{digest(self.of_model[model], json.dumps(texts).encode())}.npy"
        if not kept.exists():
            part = kept.with_suffix(".part.npy")  # a run that is stopped leaves no half of a file under the whole one's name
            np.save(part, hybrid_search.embeddings(self.command, str(model), texts, []))
            part.replace(kept)
        return np.load(kept)


def similarities(kind, queries, documents):
    """[queries, documents], the nearer the larger."""
    if kind == "float32":
        return queries @ documents.T
    if kind == "bits":
        # Of equal signs less the others.
        return np.where(queries > 0, 1, -1).astype(np.float32) @ np.where(documents > 0, 1, -1).astype(np.float32).T
    rounded = []
    for vectors in (queries, documents):
        scale = np.maximum(np.abs(vectors).max(1, keepdims=True) / 127, 1e-30)  # a vector may be all zeros
        rounded.append(np.rint(vectors / scale).astype(np.float32) * scale)
    return rounded[0] @ rounded[1].T


def scores(near, documents, queries, judged):
    """nDCG@10 of each query; equal documents in the collection's order."""
    ids = [key for key, _ in documents]
    found = []
    for row, (key, _) in zip(near, queries):
        first = np.argsort(-row, kind="stable")[: FIRST + 1]  # one more, for the query's own text does not count
        found.append(hybrid_search.ndcg({int(i): float(row[i]) for i in first}, ids, key, judged[key]))
    return np.array(found)


def interval(differences):
    draw = np.random.default_rng(1)
    means = [differences[draw.integers(0, len(differences), len(differences))].mean() for _ in range(DRAWS)]
    return [round(100 * float(x), 2) for x in np.quantile(means, [0.025, 0.975])]


def nearness(mine, teacher):
    """-> the mean cosine; the correlation of the similarities."""
    some = slice(None, None, max(1, len(mine) // COMPARED))
    pairs = np.triu_indices(len(mine[some]), 1)
    alike = [(vectors[some] @ vectors[some].T)[pairs] for vectors in (mine, teacher)]
    return [round(float((mine * teacher).sum(1).mean()), 3), round(float(np.corrcoef(*alike)[0, 1]), 3)]


def of_collection(folder, models, embed):
    """-> number of queries; nDCG@10 times 100 of each model alone; of every two models and each kind of vectors, with the
    difference from the teacher and its interval; how near each student's documents are to the teacher's."""
    documents, queries, judged = hybrid_search.read(folder)
    vectors = {}
    for name, model in models.items():
        print(f"{folder.name}: {name} embeds {len(queries)} queries and {len(documents)} documents", flush=True)
        vectors[name] = [embed(model, [text for _, text in texts]) for texts in (queries, documents)]
    students = [name for name in models if name != TEACHER]
    pairs = [(TEACHER, TEACHER)] + [(name, TEACHER) for name in students] + [(TEACHER, name) for name in students] \
        + [(name, name) for name in students]
    alone, mixed, reference = {}, {}, None
    for kind, (asks, holds) in product(KINDS, pairs):
        values = scores(similarities(kind, vectors[asks][0], vectors[holds][1]), documents, queries, judged)
        reference = values if reference is None else reference
        value = round(100 * float(values.mean()), 2)
        if kind == "float32" and asks == holds:
            alone[asks] = value
        mixed[f"{asks}, {holds}, {kind}"] = [value, round(100 * float((values - reference).mean()), 2), *interval(values - reference)]
    near = {name: nearness(vectors[name][1], vectors[TEACHER][1]) for name in students}
    return len(queries), alone, mixed, near


def of_pairs(command, path, models):
    """Spearman's correlation times 100 of each model."""
    said = subprocess.run([command, "evaluate", *models.values(), "--json", "--resamples", "0", "--pairs", path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return {name: round(100 * entry["pairs"][0]["spearman"]["value"], 2) for name, entry in zip(models, json.loads(said)["models"])}


def written(results):
    """JSON in which what holds no further object is one line."""
    text = json.dumps(results, indent=1, ensure_ascii=False)
    return re.sub(r"\{[^{}]*\}", lambda found: re.sub(r"([{[]) | ([]}])", r"\1\2", re.sub(r"\s+", " ", found[0])), text) + "\n"


def model_of(text):
    name, _, path = text.partition("=")
    shipped = SHIPPED / f"all-minilm-l6-v2-{name}"
    if name == TEACHER or not (path or shipped.is_dir()):
        raise argparse.ArgumentTypeError(f"{text} is neither NAME=MODEL nor a student that ships")
    return name, Path(path) if path else shipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("students", metavar="STUDENT", nargs="+", type=model_of)
    parser.add_argument("--retrieval", metavar="FOLDER", nargs="+", type=Path, default=[])
    parser.add_argument("--pairs", metavar="FILE", nargs="+", type=Path, default=[])
    parser.add_argument("--work", type=Path, default=Path.home() / ".cache" / "lookupffn" / "measured-vectors")
    parser.add_argument("--command", default="lookupffn")
    arguments = parser.parse_args()
    models = {TEACHER: arguments.teacher, **dict(arguments.students)}
    missing = [str(path) for path in (*map(file_of, models.values()), *arguments.pairs,
                                      *(folder / "qrels.tsv" for folder in arguments.retrieval)) if not path.is_file()]
    if missing:
        parser.error(f"no such file: {', '.join(missing)}")
    results = json.loads(arguments.results.read_text(encoding="utf-8")) if arguments.results.exists() else {}
    found = results.setdefault("students", {})
    labels = found.setdefault("labels", {})
    arguments.work.mkdir(parents=True, exist_ok=True)
    embed = Embedder(arguments.command, arguments.work)

    def keep():
        found["megabytes"] = {name: round(file_of(model).stat().st_size / 1e6, 1) for name, model in arguments.students}
        found.setdefault("measured", {})["processor"] = processor()
        arguments.results.write_text(written(results), encoding="utf-8")

    for folder in arguments.retrieval:
        label = labels.get(folder.name, folder.name)
        queries, *parts = of_collection(folder, models, embed)
        for part, rows in zip(("search", "mixed", "near"), parts):
            for row, value in rows.items():
                found.setdefault(part, {}).setdefault(row, {})[label] = value
        found.setdefault("measured", {}).setdefault("queries", {})[label] = queries
        print(f"{label}: " + ", ".join(f"{name} {value:.2f}" for name, value in parts[0].items()), flush=True)
        keep()  # now, for the next collection may take long
    for path in arguments.pairs:
        label = labels.get(path.stem, path.stem)
        values = of_pairs(arguments.command, path, models)
        for name, _ in arguments.students:
            found.setdefault("pairs", {}).setdefault(name, {})[label] = [values[name], values[TEACHER]]
        print(f"{label}: " + ", ".join(f"{name} {value:.2f}" for name, value in values.items()), flush=True)
        keep()


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:  # the command has said why
        sys.exit(f"measure_students.py: {error.cmd[0]} {error.cmd[1]} failed; what was measured before is kept")
