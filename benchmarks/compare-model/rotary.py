# SPDX-License-Identifier: Apache-2.0
"""Times encoders with rotary positions in int8 beside ONNX Runtime's int8, and prints a table of speed and memory.

The weights are random, the shapes those of ModernBERT-base, EmbeddingGemma and Qwen3-0.6B. --check also compares what both
give in float32; for that --layers makes smaller models. Peaks are of the process: "loading" up to the first call, "call"
from then on, and what remains of the file in the page cache counts where it is mapped.
"""
import argparse
import dataclasses
import json
import math
import pathlib
import sys
import tempfile

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import machine  # noqa: E402
from rotary_onnx import write_onnx  # noqa: E402
from rotary_weights import SHAPES, Tensors, write_folder  # noqa: E402
from turns import measure, say, show  # noqa: E402
from workers import Kind, Worker  # noqa: E402

LENGTHS = {"modernbert-base": (512, 8192), "embeddinggemma": (32, 512), "qwen3-0.6b": (32, 512)}
OURS = "lookupffn-words-int8"
MEGABYTE = 1e6
POOL = 2 * 8192  # token ids


def forms_of(shape):
    return ("multihead", "grouped") if shape.model_type == "qwen3" else ("multihead",)


def write_models(folder, shape, check):
    tensors = Tensors(shape)
    write_folder(folder / "model", shape)
    for int8 in (True, False) if check else (True,):
        made = {}
        for form in forms_of(shape):
            write_onnx(folder / (f"{form}-int8.onnx" if int8 else f"{form}.onnx"), shape, tensors, form, int8, made)
    ids = numpy.random.default_rng(4).integers(1, shape.vocabulary, POOL, dtype=numpy.int32)
    ids.tofile(folder / "ids")


def hidden(folder, shape, kind):
    worker = Worker(kind, folder, 1, shape.d)
    worker.ask("hidden", 2, 200, folder / "hidden")
    worker.close()
    return numpy.fromfile(folder / "hidden", dtype=numpy.float32).astype(numpy.float64)


def check_float32(folder, shape, program):
    ours = hidden(folder, shape, Kind("lookupffn-f32", "model", [program, "lookupffn-f32"]))
    rms = math.sqrt((ours ** 2).mean())
    for form in forms_of(shape):
        theirs = hidden(folder, shape, Kind("onnxruntime-f32", f"{form}.onnx", [program, "onnxruntime"], form))
        most = abs(theirs - ours).max() / rms
        say(f"{shape.name}, {form}, float32: at most {most:.1e} apart, of the root mean square")
        if not most < 1e-3:
            raise SystemExit("the engines do not compute the same")


def compare(folder, shape, arguments):
    found = []
    for threads in arguments.threads:
        kinds = [Kind(OURS, "model", [arguments.worker, OURS])]
        kinds += [Kind("onnxruntime-int8", f"{form}-int8.onnx", [arguments.worker, "onnxruntime"], form) for form in forms_of(shape)]
        workers = [Worker(kind, folder, threads, shape.d) for kind in kinds]
        loading = {worker.kind.name: (worker.loaded, worker.loading_peak) for worker in workers}
        for length in LENGTHS[shape.name]:
            if length > arguments.longest:
                continue
            cell = measure(workers, 1, length, arguments.seconds, {})
            cell |= {"model": shape.name, "threads": threads, "loading": loading,
                     "versions": {worker.kind.engine: worker.version for worker in workers}}
            show(cell)
            found.append(cell)
        for worker in workers:
            worker.close()
    return found


def table(cells):
    lines = ["| model | tokens | threads | tokens/s | ONNX Runtime | times as fast | MB: loading, call | ONNX Runtime |",
             "|---|---|---|---|---|---|---|---|"]
    for cell in cells:
        medians = {name: float(numpy.median(times)) for name, times in cell["seconds"].items()}
        other = next(name for name in medians if name != OURS)
        ours, theirs = medians[OURS], medians[other]
        memory = [f"{cell['loading'][name][1] / MEGABYTE:.0f}, {cell['peak_bytes'][name] / MEGABYTE:.0f}" for name in (OURS, other)]
        lines.append(f"| {cell['model']} | {cell['length']} | {cell['threads']} | {cell['length'] / ours:.0f} | "
                     f"{cell['length'] / theirs:.0f} | {theirs / ours:.2f} | {memory[0]} | {memory[1]} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--worker", required=True)
    parser.add_argument("--models", default=",".join(SHAPES), help="some of " + ", ".join(SHAPES))
    parser.add_argument("--layers", type=int, help="so many layers instead of all")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--longest", type=int, default=8192, help="leave out longer texts")
    parser.add_argument("--seconds", type=float, default=5, help="for each length and number of threads")
    parser.add_argument("--check", action="store_true", help="compare the engines' float32 first")
    parser.add_argument("--json", type=pathlib.Path, help="where to write all that was measured")
    parser.add_argument("--quick", action="store_true", help="one thread, two seconds, no text of 8,192 tokens")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.threads, arguments.seconds, arguments.longest = [1], 2, 512
    cells = []
    for name in arguments.models.split(","):
        shape = SHAPES[name]
        if arguments.layers:
            shape = dataclasses.replace(shape, layers=arguments.layers)
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            say(f"making the models of {name}")
            write_models(folder, shape, arguments.check)
            if arguments.check:
                check_float32(folder, shape, arguments.worker)
            cells += compare(folder, shape, arguments)
    print(table(cells))
    if arguments.json:
        described = machine.describe(cells[0]["versions"][OURS])
        arguments.json.write_text(json.dumps({"machine": described, "commit": machine.commit(), "cells": cells}, indent=1) + "\n")


main()
