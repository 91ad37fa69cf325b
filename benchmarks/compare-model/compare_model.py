"""Times whole models on several engines, each in its own process, in turns; writes everything measured as JSON.

usage: compare_model.py --worker PROGRAM --json FILE [--quick] [--seconds S]
"""
import argparse
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import numpy

import onnx_model
import weights
from workers import Kind, Worker, kinds

SHORTEST_TIMING = 0.02  # seconds; a late wake-up does not matter then
WARM_UP = 0.005
LONG_CALL = 1.0  # such calls are timed one by one and warm themselves up
FEWEST_ROUNDS = 3
POOL = 64 * 512 * 2  # token ids; each call takes the next ones


def say(text):
    print(text, file=sys.stderr, flush=True)


def write_models(folder):
    shared = weights.shared_weights()
    vanilla = {**shared, **weights.vanilla_weights()}
    weights.write_model(folder / "lookup.safetensors", {**shared, **weights.lookup_weights()})
    weights.write_model(folder / "vanilla.safetensors", vanilla)
    onnx_model.write_onnx(folder / "vanilla.onnx", vanilla, int8=False)
    onnx_model.write_onnx(folder / "vanilla-int8.onnx", vanilla, int8=True)
    ids = numpy.random.default_rng(4).integers(0, weights.VOCABULARY, POOL, dtype=numpy.int32)
    ids.tofile(folder / "ids")


def hidden(worker, folder):
    path = folder / "hidden"
    worker.ask("hidden", 2, 100, path)
    return numpy.fromfile(path, dtype=numpy.float32).astype(numpy.float64)


def check_results(workers, folder, program):
    """All engines give the same hidden states for the same weights; PyTorch is the reference of the vanilla model."""
    ours = Worker(Kind("lookupffn-f32, vanilla model", "vanilla.safetensors", [program, "lookupffn-f32"]), folder, 1)
    references = {False: "pytorch", True: "lookupffn-f32"}
    found = {w.kind.name: (w.kind, hidden(w, folder)) for w in workers + [ours]}
    ours.close()
    differences = {}
    for name, (kind, values) in found.items():
        reference = found[references[kind.is_ours]][1]
        rms = math.sqrt((reference ** 2).mean())
        entry = {"rms": math.sqrt(((values - reference) ** 2).mean()) / rms, "most": abs(values - reference).max() / rms}
        if not (entry["rms"] <= 0.2 if kind.is_int8 else entry["most"] <= 1e-4):
            raise SystemExit(f"{name} differs from {references[kind.is_ours]}: {entry}")
        differences[name] = entry
    return differences


class Plan:
    def __init__(self, worker, texts, length, estimate):
        self.worker, self.calls, self.warm_up = worker, 1, 0
        self.once = estimate
        if estimate is None or estimate < LONG_CALL:
            worker.time(texts, length, 0, 1)
            self.once = worker.time(texts, length, 1, 1)
            self.calls = max(1, round(SHORTEST_TIMING / self.once))
            self.warm_up = max(1, round(WARM_UP / self.once)) if self.once < LONG_CALL else 0


def faster_pytorch(plans):
    """PyTorch takes part with whichever of its two forms is faster here."""
    both = [plan for plan in plans if plan.worker.kind.name.startswith("pytorch")]
    slower = max(both, key=lambda plan: plan.once) if len(both) == 2 else None
    return [plan for plan in plans if plan is not slower]


def stage_seconds(plan, texts, length):
    calls = [plan.worker.stages(texts, length) for _ in range(1 if plan.once > LONG_CALL else 9)]
    return [float(numpy.median(stage)) for stage in zip(*calls)]


def measure(workers, texts, length, seconds, per_token):
    """per_token: {(engine, length): seconds}, what earlier cells took."""
    def estimate(worker):
        known = per_token.get((worker.kind.name, length))
        return known and known * texts * length

    for worker in workers:
        worker.forget_peak()
    plans = faster_pytorch([Plan(worker, texts, length, estimate(worker)) for worker in workers])
    round_seconds = sum(plan.once * (plan.calls + plan.warm_up) for plan in plans)
    rounds = int(min(max(seconds / round_seconds, FEWEST_ROUNDS), 60))
    times = {plan.worker.kind.name: [] for plan in plans}
    first = 0
    for turn in range(rounds):
        for i in range(len(plans)):
            plan = plans[(i + turn) % len(plans)]
            plan.worker.wait_until_idle()
            if plan.warm_up:
                plan.worker.time(texts, length, first, plan.warm_up)
            taken = plan.worker.time(texts, length, first + plan.warm_up, plan.calls)
            times[plan.worker.kind.name].append(taken / plan.calls)
        first += max(plan.warm_up + plan.calls for plan in plans)
    for plan in plans:
        per_token[plan.worker.kind.name, length] = numpy.median(times[plan.worker.kind.name]) / (texts * length)
    peaks = {plan.worker.kind.name: plan.worker.memory("VmHWM") for plan in plans}
    stages = {plan.worker.kind.name: stage_seconds(plan, texts, length) for plan in plans if plan.worker.kind.is_ours}
    return {"texts": texts, "length": length, "seconds": times, "peak_bytes": peaks, "stages": stages}


def show(cell):
    tokens = cell["texts"] * cell["length"]
    say(f"{cell['texts']} x {cell['length']} tokens, {cell['threads']} threads, "
        f"{len(next(iter(cell['seconds'].values())))} rounds")
    for name, times in cell["seconds"].items():
        median = numpy.median(times)
        say(f"  {name:18} {1e3 * median / cell['texts']:9.2f} ms/text {tokens / median:9.0f} tokens/s")


def cells(arguments):
    lengths, batches = ((16, 128), (1, 8)) if arguments.quick else ((16, 128, 512), (1, 8, 64))
    return sorted(((texts, length) for texts in batches for length in lengths), key=lambda cell: cell[0] * cell[1])


def machine():
    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    caches = {}
    for index in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index[023]"):
        level = "L" + (index / "level").read_text().strip() + {"Data": "d"}.get((index / "type").read_text().strip(), "")
        caches[level] = (index / "size").read_text().strip()
    compiler = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    return {"cpu": cpu, "cores": os.cpu_count(), "caches": caches, "compiler": compiler,
            "linux": platform.release().split("-")[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--worker", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--quick", action="store_true", help="texts of 16 and 128 tokens, 1 and 8 at once, one thread")
    parser.add_argument("--seconds", type=float, help="for each size and number of threads, at least 3 rounds")
    arguments = parser.parse_args()
    seconds = arguments.seconds or (2 if arguments.quick else 9)
    result = {"machine": machine(), "versions": {}, "memory": {}, "cells": []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        say("making models")
        write_models(folder)
        for threads in (1,) if arguments.quick else (1, 2):
            workers = [Worker(kind, folder, threads) for kind in kinds(arguments.worker, sys.executable)]
            per_token = {}
            result["versions"] = {worker.kind.name: worker.version for worker in workers}
            result["memory"] = {worker.kind.name: {"loaded": worker.loaded, "loading_peak": worker.loading_peak}
                                for worker in workers}
            result["differences"] = check_results(workers, folder, arguments.worker)
            for texts, length in cells(arguments):
                cell = measure(workers, texts, length, seconds, per_token)
                cell["threads"] = threads
                show(cell)
                result["cells"].append(cell)
            for worker in workers:
                worker.close()
    pathlib.Path(arguments.json).write_text(json.dumps(result, indent=1) + "\n")


main()
