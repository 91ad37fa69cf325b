# SPDX-License-Identifier: Apache-2.0
"""Times whole models on several engines, each in its own process, in turns; writes everything measured as JSON.

usage: compare_model.py --worker PROGRAM --json FILE [--models A,B] [--minilm FOLDER] [--student PATH] [--quick]
                        [--seconds S] [--neighbours N]
"""
import argparse
import dataclasses
import json
import math
import os
import pathlib
import sys
import tempfile

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import machine  # noqa: E402
import neighbours  # noqa: E402
import onnx_model  # noqa: E402
import weights  # noqa: E402
from turns import measure, say, show  # noqa: E402
from workers import Kind, Worker, kinds  # noqa: E402

POOL = 64 * 512 * 2  # token ids; each call takes the next ones
CELLS = {"paper": [(1, 16), (8, 16), (64, 16), (1, 128), (8, 128), (64, 128), (1, 512), (8, 512)],
         "minilm": [(1, 16), (1, 128), (8, 32), (32, 128)], "multilingual": [(1, 16), (1, 128), (8, 32)],
         "xlmr-base": [(1, 16), (1, 128), (8, 32)]}
QUICK = [(1, 16), (1, 128), (8, 16), (8, 32), (8, 128), (32, 128)]


def write_models(folder, sizes, minilm, student):
    if minilm and sizes.name == "minilm":
        shared, vanilla = weights.read_bert(minilm)
    else:
        shared, vanilla = weights.shared_weights(sizes), weights.vanilla_weights(sizes)
    if student and sizes.name == "minilm":
        (folder / "lookup").symlink_to(student.resolve())
    else:
        weights.write_model(folder / "lookup", sizes, {**shared, **weights.lookup_weights(sizes)}, lookup=True)
    vanilla = {**shared, **vanilla}
    weights.write_model(folder / "vanilla", sizes, vanilla, lookup=False)
    weights.write_arrays(folder / "vanilla.npz", sizes, vanilla)
    for form in ("attention", "multihead"):
        onnx_model.write_onnx(folder / f"vanilla-{form}.onnx", sizes, vanilla, form, int8=False)
        onnx_model.write_onnx(folder / f"vanilla-{form}-int8.onnx", sizes, vanilla, form, int8=True)
    ids = numpy.random.default_rng(4).integers(0, sizes.vocabulary, POOL, dtype=numpy.int32)
    ids.tofile(folder / "ids")


def hidden(worker, folder):
    path = folder / "hidden"
    worker.ask("hidden", 2, 100, path)
    return numpy.fromfile(path, dtype=numpy.float32).astype(numpy.float64)


def check_results(workers, folder, program, sizes):
    """All engines give the same hidden states for the same weights; PyTorch is the reference of the vanilla model."""
    ours = Worker(Kind("lookupffn-f32, vanilla model", "vanilla", [program, "lookupffn-f32"]), folder, 1, sizes.d)
    found = {w.kind.name: (w.kind, hidden(w, folder)) for w in workers + [ours]}
    ours.close()
    differences = {}
    for name, (kind, values) in found.items():
        against = "lookupffn-f32" if kind.model == "lookup" else "pytorch:eager"
        reference = found[against][1]
        rms = math.sqrt((reference ** 2).mean())
        entry = {"rms": math.sqrt(((values - reference) ** 2).mean()) / rms, "most": abs(values - reference).max() / rms}
        if not (entry["rms"] <= 0.3 if kind.is_int8 else entry["most"] <= 1e-4):
            raise SystemExit(f"{name} differs from {against}: {entry}")
        differences[name] = entry
    return differences


def compare(folder, sizes, arguments):
    seconds = arguments.seconds or (1.5 if arguments.quick else 4)
    result = {"sizes": dataclasses.asdict(sizes), "versions": {}, "memory": {}, "cells": []}
    for threads in (1,) if arguments.quick else (1, 2):
        workers = [Worker(kind, folder, threads, sizes.d) for kind in kinds(arguments.worker, sys.executable, sizes, arguments.seven_bit_inputs)]
        per_token = {}
        result["versions"] = {worker.kind.engine: worker.version for worker in workers}
        result["memory"] = {worker.kind.name: {"loaded": worker.loaded, "loading_peak": worker.loading_peak}
                            for worker in workers}
        result["differences"] = check_results(workers, folder, arguments.worker, sizes)
        for texts, length in CELLS[sizes.name]:
            if arguments.quick and (texts, length) not in QUICK:
                continue
            cell = measure(workers, texts, length, seconds, per_token)
            cell["threads"] = threads
            show(cell)
            result["cells"].append(cell)
        for worker in workers:
            worker.close()
    return result


def measure_texts(folder, sizes, arguments):
    """From texts to embeddings, with the tokenizer, and from the ids of the same texts. The engines take turns."""
    words = " ".join(entry["text"] for entry in json.loads((arguments.minilm / "reference.json").read_text())).split()
    (folder / "words").write_text("\n".join(words))
    found = []
    for threads in (1,) if arguments.quick else (1, 2):
        wanted = [Kind(f"lookupffn-dense-{kind}", arguments.minilm, [arguments.worker, f"lookupffn-{kind}"]) for kind in ("f32", "int8")]
        wanted += [kind for kind in kinds(arguments.worker, sys.executable, sizes) if kind.form == "multihead"]
        workers = [Worker(kind, folder, threads, sizes.d) for kind in wanted]
        for texts, length in CELLS[sizes.name]:
            calls = max(1, round(1000 / (texts * length)))
            times = {worker.kind.engine: [] for worker in workers}
            for _ in range(3):
                for worker in workers:
                    worker.wait_until_idle()
                    both = worker.ask("texts", texts, length, calls, arguments.minilm, folder / "words").split()
                    times[worker.kind.engine].append([float(seconds) / calls for seconds in both])
            medians = {engine: numpy.median(rounds, axis=0).tolist() for engine, rounds in times.items()}
            found.append({"texts": texts, "length": length, "threads": threads,
                          "text_seconds": {engine: pair[0] for engine, pair in medians.items()},
                          "id_seconds": {engine: pair[1] for engine, pair in medians.items()}})
            for engine, (from_text, from_ids) in medians.items():
                say(f"  {texts} x {length}, {threads} threads, {engine:18} from text {1e3 * from_text / texts:8.3f} ms/text, "
                    f"from ids {1e3 * from_ids / texts:8.3f}")
        for worker in workers:
            worker.close()
    return found


def default_minilm():
    folder = pathlib.Path(os.environ.get("LFFN_MINILM", pathlib.Path(__file__).resolve().parents[3] / "shared/models/all-MiniLM-L6-v2"))
    return folder if (folder / "model.safetensors").exists() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--worker", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--models", default="paper,minilm", help="which of paper, minilm, multilingual and xlmr-base (default: the first two)")
    parser.add_argument("--minilm", type=pathlib.Path, default=default_minilm(),
                        help="folder of all-MiniLM-L6-v2, else LFFN_MINILM; without either, random weights of its shape")
    parser.add_argument("--student", type=pathlib.Path,
                        help="folder that `lookupffn distill` made of it, or a file, in place of random lookups of 128 tables")
    parser.add_argument("--seven-bit-inputs", action="store_true",
                        help="the dense int8 model once more, its inputs rounded to seven bits")
    parser.add_argument("--quick", action="store_true", help="a few sizes, one thread")
    parser.add_argument("--seconds", type=float, help="for each size and number of threads, at least 3 rounds")
    parser.add_argument("--neighbours", type=int, default=0, help="instead: calls beside so many spinning processes")
    arguments = parser.parse_args()
    if arguments.neighbours:
        arguments.models = "paper"
    result = {"models": {}}
    for sizes in (weights.PAPER, weights.MINILM, weights.MULTILINGUAL, weights.XLMR_BASE):
        if sizes.name not in arguments.models.split(","):
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            say(f"making the models of {sizes.name}")
            write_models(folder, sizes, arguments.minilm, arguments.student)
            if arguments.neighbours:
                result = neighbours.measure(folder, sizes, arguments.worker, arguments.neighbours)
                break
            result["models"][sizes.name] = compare(folder, sizes, arguments)
            if arguments.minilm and sizes.name == "minilm":
                try:
                    result["models"][sizes.name]["texts"] = measure_texts(folder, sizes, arguments)
                except SystemExit as error:
                    say(f"not measured from text to embedding: {error}")
            result["models"][sizes.name]["real_weights"] = bool(arguments.minilm) and sizes.name == "minilm"
            result["machine"] = machine.describe(result["models"][sizes.name]["versions"]["lookupffn-f32"])
    pathlib.Path(arguments.json).write_text(json.dumps(result, indent=1) + "\n")


main()
