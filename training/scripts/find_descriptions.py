#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how often a package's short description finds its long one, by the embeddings of models that liblookupffn runs.

    find_descriptions.py NAME=MODEL [NAME=MODEL ...] [--size 384]

Uses only held-out pairs that share no run of eight words with descriptions of other packages. Differences are from the first
model. Needs apt's lists, like fetch_text.py, and LOOKUPFFN_LIBRARY.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import fetch_text  # noqa: E402
from lookupffn.native_model import NativeModel  # noqa: E402
from held_out import HeldOut  # noqa: E402

LONGEST, BATCH, DRAWS = 256, 64, 2000


def clean_pairs(documents, pairs):
    """The pairs in which neither text shares eight words in a row with a document."""
    seen = set()
    for document in documents:
        seen |= HeldOut.runs_of(document)
    return [pair for pair in pairs if all(HeldOut.runs_of(text).isdisjoint(seen) for text in pair)]


def embeddings(model, size, texts):
    rows = []
    for text in texts:
        ids = model.tokenize(text.strip())
        rows.append(np.array(ids if len(ids) <= LONGEST else [*ids[:LONGEST - 1], ids[-1]], np.int32))
    return np.concatenate([model.embed(rows[i:i + BATCH], size) for i in range(0, len(rows), BATCH)])


def places(short, long):
    """How many other long texts are nearer to each short one than its own."""
    near = short @ long.T
    return (near > np.diag(near)[:, None]).sum(1)


def with_interval(values):
    draw = np.random.default_rng(1)
    means = [values[draw.integers(0, len(values), len(values))].mean() for _ in range(DRAWS)]
    return "{:.1f} % ({:.1f} to {:.1f})".format(*(100 * x for x in (values.mean(), *np.quantile(means, [0.025, 0.975]))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="NAME=MODEL")
    parser.add_argument("--size", type=int, default=384, help="size of the embeddings")
    arguments = parser.parse_args()
    models = [given.partition("=")[::2] for given in arguments.models]
    for name, path in models:
        if not path or not Path(path).exists():
            parser.error(f"{name}={path}: expected NAME=PATH of a model that is there")
    with tempfile.TemporaryDirectory() as folder:
        pairs = clean_pairs(*fetch_text.package_descriptions(fetch_text.translations(Path(folder))))
    first = None
    print(f"| | found first among {len(pairs):,} | mrr | found more often than by {models[0][0]} |\n|---|---|---|---|")
    for name, path in models:
        with NativeModel(path) as model:
            place = places(*(embeddings(model, arguments.size, [pair[side] for pair in pairs]) for side in (0, 1)))
        found = (place == 0).astype(float)
        difference = "" if first is None else with_interval(found - first)
        first = found if first is None else first
        print(f"| {name} | {with_interval(found)} | {(1 / (place + 1)).mean():.3f} | {difference} |", flush=True)


if __name__ == "__main__":
    main()
