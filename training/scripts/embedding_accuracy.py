#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what int8 changes in a sentence encoder's embeddings: each text's cosine with float32, and the rank correlation of
all pairs' similarities.

    embedding_accuracy.py MODEL TEXTS [--reference FILE.safetensors] [--command lookupffn]

TEXTS: one text per line, or a JSON list of strings or of objects with a "text". --reference: the expected embeddings, as a
tensor "embeddings" with a row per text; by default the model's own in float32.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from lookupffn import safetensors  # noqa: E402

FORMS = {
    "float32": [],
    "int8 linear layers": ["--linear-dtype", "int8"],
    "int8 everything": ["--linear-dtype", "int8", "--embedding-dtype", "int8", "--hash-dtype", "int8", "--table-dtype", "int8"],
}


def texts_of(path):
    if path.suffix != ".json":
        return path.read_text(encoding="utf-8").splitlines()
    return [entry if isinstance(entry, str) else entry["text"] for entry in json.loads(path.read_text(encoding="utf-8"))]


def embeddings(command, model, texts, options):
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    raw = subprocess.run([command, "embed", "--raw", "--json-lines", "--truncate", *options, str(model)],
                         input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(raw, np.float32).reshape(len(texts), -1).astype(np.float64)


def similarities(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return (unit @ unit.T)[np.triu_indices(len(unit), 1)]


def ranks(values):
    result = np.empty(len(values))
    result[np.argsort(values, kind="stable")] = np.arange(len(values))
    return result


def compare(found, wanted):
    """-> mean and worst cosine, rank correlation of all pairs' similarities."""
    cosines = (found * wanted).sum(1) / np.linalg.norm(found, axis=1) / np.linalg.norm(wanted, axis=1)
    order = np.corrcoef(ranks(similarities(found)), ranks(similarities(wanted)))[0, 1]
    return cosines.mean(), cosines.min(), order


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--reference", type=Path)
    parser.add_argument("--command", default="lookupffn")
    arguments = parser.parse_args()
    texts = texts_of(arguments.texts)
    if len(texts) < 3:
        parser.error(f"{arguments.texts}: at least three texts make pairs to compare")
    if arguments.reference:
        wanted = np.asarray(safetensors.load(arguments.reference)[0]["embeddings"], np.float64)
        if len(wanted) != len(texts):
            parser.error(f"{arguments.reference}: {len(wanted)} embeddings for {len(texts)} texts")
    else:
        wanted = embeddings(arguments.command, arguments.model, texts, [])
    print("| form | cosine, mean | cosine, worst | rank correlation of similarities |\n|---|---|---|---|")
    for name, options in FORMS.items():
        mean, worst, order = compare(embeddings(arguments.command, arguments.model, texts, options), wanted)
        print(f"| {name} | {mean:.5f} | {worst:.5f} | {order:.5f} |")


if __name__ == "__main__":
    main()
