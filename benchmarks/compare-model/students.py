#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times a teacher in int8, its students, and the teacher in ONNX Runtime's int8 and llama.cpp's Q8_0, in turns; writes JSON.

usage: students.py --worker PROGRAM --minilm FOLDER --llama FOLDER --json FILE [--seconds S]
"""
import argparse
import json
import pathlib
import sys
import tempfile

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import machine  # noqa: E402
import onnx_model  # noqa: E402
import weights  # noqa: E402
from gguf import write_gguf  # noqa: E402
from turns import measure, say, show  # noqa: E402
from workers import Kind, Worker  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
STUDENTS = HERE.parents[1] / "examples" / "models"
SHAPES = [(1, 16), (1, 128), (8, 32), (32, 128)]
POOL = 64 * 512
FORMS = ("attention", "multihead")
OURS = "lookupffn-int8"


def write_models(folder, minilm):
    sizes = weights.MINILM
    shared, vanilla = weights.read_bert(minilm)
    tensors = {**shared, **vanilla}
    weights.write_model(folder / "teacher", sizes, tensors, lookup=False)
    for form in FORMS:
        onnx_model.write_onnx(folder / f"{form}.onnx", sizes, tensors, form, int8=True)
    write_gguf(folder / "teacher.gguf", sizes, tensors, (minilm / "vocab.txt").read_text(encoding="utf-8").splitlines())
    # No marks among them: llama.cpp's package looks for them.
    numpy.random.default_rng(4).integers(2000, sizes.vocabulary, POOL, dtype=numpy.int32).tofile(folder / "ids")


def kinds(arguments, students):
    found = [Kind("onnxruntime-int8", f"{form}.onnx", [arguments.worker, "onnxruntime"], form) for form in FORMS]
    found.append(Kind("llama.cpp-q8_0", "teacher.gguf", ["node", str(HERE / "llama_worker.mjs"), str(arguments.llama)]))
    found.append(Kind("teacher-int8", "teacher", [arguments.worker, OURS]))
    return found + [Kind(f"{name}-int8", name, [arguments.worker, OURS]) for name in students]


def check_llama(workers, folder):
    """Its embedding of a text is the mean of the hidden states in float32 here, as far as Q8_0 lets it."""
    length = 100
    ids = numpy.fromfile(folder / "ids", dtype=numpy.int32)
    llama = next(worker for worker in workers if worker.kind.engine.startswith("llama"))
    llama.ask("embedding", length, folder / "vector")
    theirs = numpy.fromfile(folder / "vector", dtype=numpy.float32)
    ids[0], ids[length - 1] = 101, 102
    ids.tofile(folder / "marked")
    reference = Worker(Kind("lookupffn-f32", "teacher", [workers[0].kind.command[0], "lookupffn-f32"]), folder, 1, weights.MINILM.d, "marked")
    reference.ask("hidden", 1, length, folder / "hidden")
    reference.close()
    mean = numpy.fromfile(folder / "hidden", dtype=numpy.float32).reshape(length, -1).mean(axis=0)
    cosine = float(mean @ theirs / numpy.linalg.norm(mean) / numpy.linalg.norm(theirs))
    say(f"llama.cpp's embedding of {length} tokens: cosine {cosine:.4f} with float32 here")
    if not cosine > 0.99:
        raise SystemExit("llama.cpp does not compute the same")
    return cosine


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--worker", required=True)
    parser.add_argument("--minilm", type=pathlib.Path, required=True, help="a folder of all-MiniLM-L6-v2")
    parser.add_argument("--llama", type=pathlib.Path, required=True, help="a folder into which npm installed node-llama-cpp")
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=20, help="for each shape")
    arguments = parser.parse_args()
    students = sorted(path.name.rpartition("-")[2] for path in STUDENTS.glob("all-minilm-l6-v2-*"))
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        say("making the models")
        write_models(folder, arguments.minilm)
        for name in students:
            (folder / name).symlink_to(STUDENTS / f"all-minilm-l6-v2-{name}")
        workers = [Worker(kind, folder, 1, weights.MINILM.d) for kind in kinds(arguments, students)]
        versions = {worker.kind.name: worker.version for worker in workers}
        cosine = check_llama(workers, folder)
        cells = []
        for texts, length in SHAPES:
            cell = {"threads": 1, **measure(workers, texts, length, arguments.seconds, {})}
            show(cell)
            cells.append({key: cell[key] for key in ("texts", "length", "seconds")})
        for worker in workers:
            worker.close()
    described = machine.describe(versions["teacher-int8"])
    result = {"machine": described, "commit": machine.commit(), "versions": versions, "cosine of llama.cpp": cosine, "cells": cells}
    arguments.json.write_text(json.dumps(result) + "\n", encoding="utf-8")


main()
