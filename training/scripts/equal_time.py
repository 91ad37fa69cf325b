#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Finds how many neurons a vanilla FFN may have to take no longer than lookups, both timed in this library.

    equal_time.py OUT [--hidden-size 128] [--rows lookup-small lookup-large] [--neurons 64 128 ...] [--rounds 25]

Rows are those of compare_ffns.py. A call of one token must find no weights in the caches: enough layers take turns, each with
its own weights, to exceed --megabytes, which should be several times the last cache. A call of many tokens, 32 sequences of
32, runs four layers. The time is that of the feed-forward block with its layer norm, on one thread, in the middle layer of a
round. All models take turns, and the lower quartile of rounds counts, because other programs only add time. Times of vanilla
FFNs are interpolated. With int8, tables, hash and linear layers are int8.

OUT receives the models, which a later command reuses (--rounds 0 makes them and times nothing); results-128.json and
results-128.md for that size, to which a later command with other --types or --calls adds; and with --perplexity
results-128.png.
"""

import argparse
import json
import math
import sys
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from compare_ffns import NARROW, config_of, dots, row_name  # noqa: E402

from lookupffn import files  # noqa: E402
from lookupffn.config import EncoderConfig  # noqa: E402
from lookupffn.encoder import Encoder  # noqa: E402
from lookupffn.native_model import F32, INT8, NativeModel  # noqa: E402

TYPES = {"float32": (F32, 4), "int8": (INT8, 1)}
WORDS, MOST_LAYERS, FEW_LAYERS = 4096, 256, 4
CALLS = {"one token": (1, 1), "many tokens": (32, 32)}


def layers_of(row, hidden_size, count):
    """A config of layers without heads."""
    one = config_of(row, WORDS, 32, hidden_size).to_dict()
    return EncoderConfig.from_dict({**one, "num_hidden_layers": count, "num_attention_heads": [0] * count,
                                    "ffn_kinds": one["ffn_kinds"][:1] * count, "masked_lm_head": False})


def bytes_of_layer(row, hidden_size, number):
    """Bytes of weights, with this many bytes per number."""
    return sum(parameter.numel() for parameter in Encoder(layers_of(row, hidden_size, 1)).layers[0].parameters()) * number


def plan(row, hidden_size, call, number, megabytes):
    """-> layers of a model, how many models take turns."""
    if call == "many tokens":
        return FEW_LAYERS, 1
    wanted = math.ceil(1e6 * megabytes / bytes_of_layer(row, hidden_size, number))
    models = math.ceil(wanted / MOST_LAYERS)
    return math.ceil(wanted / models), models


class Subject:
    """Models that are called in turn."""

    def __init__(self, out, row, hidden_size, call, kind, megabytes, load):
        dtype, number = TYPES[kind]
        self.size, self.call, self.models = hidden_size, call, []
        self.layers, count = plan(row, hidden_size, call, number, megabytes)
        for index in range(count):
            folder = out / f"{hidden_size}-{row}-{self.layers}-{index}"
            if not (folder / "model.safetensors").exists():
                torch.manual_seed(index)
                files.export_folder(Encoder(layers_of(row, hidden_size, self.layers)), folder)
            if load:
                self.models.append(NativeModel(folder, table_dtype=dtype, hash_dtype=dtype, linear_dtype=dtype))

    def close(self):
        for model in self.models:
            model.__exit__()

    def microseconds(self, draw):
        """Microseconds per token in the middle layer."""
        sequences, length = CALLS[self.call]
        seconds = [model.ffn_seconds(list(draw.integers(2, WORDS, (sequences, length), dtype=numpy.int32)), self.size,
                                     self.layers) for model in self.models]
        return 1e6 * float(numpy.median(numpy.concatenate(seconds))) / (sequences * length)


def neurons_within(times, wanted):
    """times {neurons: microseconds}: the number of neurons at which they reach `wanted`, by linear interpolation; outside the
    timed ones by the first or the last line; at least 0."""
    points = sorted(times.items())
    place = next((i for i, (_, us) in enumerate(points) if us > wanted), len(points) - 1)
    (low, fast), (high, slow) = points[max(place, 1) - 1: max(place, 1) + 1]
    return max(0, round(low + (high - low) * (wanted - fast) / (slow - fast))) if slow > fast else high


def vanilla_times(times, kind, call):
    """{neurons: microseconds}"""
    return {int(found[1]): us for (row, *rest), us in times.items()
            if rest == [kind, call] and (found := NARROW.fullmatch(row))}


def time_of(row, times, kind, call, hidden_size):
    """Microseconds per token, None if it was not timed; for vanilla FFNs by linear interpolation."""
    others = vanilla_times(times, kind, call)
    found = NARROW.fullmatch(row)
    if row != "vanilla" and not found or not others:
        return times.get((row, kind, call))
    neurons = int(found[1]) if found else 4 * hidden_size
    if not min(others) <= neurons <= max(others):
        return None
    return float(numpy.interp(neurons, sorted(others), [others[count] for count in sorted(others)]))


def draw(times, runs, hidden_size, path):
    """runs: a results.json of compare_ffns.py."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    panels = sorted({(kind, call) for _, kind, call in times})
    lines = math.ceil(len(panels) / 2)
    figure, axes = pyplot.subplots(lines, 2, figsize=(12, 4.5 * lines), sharey=True, squeeze=False)
    for place, (kind, call) in zip(axes.flat, panels):
        cost = {row: time_of(row, times, kind, call, hidden_size) for row in runs}
        known = {row: [run["log_perplexity"] for run in runs[row]] for row, us in cost.items() if us is not None}
        dots(place, known, cost, pyplot.get_cmap("tab10" if len(known) <= 10 else "tab20"))
        place.set(xlabel=f"us a token and layer, {kind}, {call} a call")
        place.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def lower_quartile(values):
    return sorted(values)[len(values) // 4]


def table(times):
    """times {(row, type, call): microseconds}"""
    lines = ["| layer | numbers | call | us per token | as long as vanilla of |", "|---|---|---|---|---|"]
    for (row, kind, call), us in times.items():
        others = vanilla_times(times, kind, call)
        equal = "" if NARROW.fullmatch(row) or len(others) < 2 else f"{neurons_within(others, us)} neurons"
        lines.append(f"| {row} | {kind} | {call} | {us:.2f} | {equal} |")
    return "\n".join(lines) + "\n"


def measure(arguments):
    """{(row, type, call): microseconds of each round}"""
    every = [*arguments.rows, *(f"vanilla-{count}" for count in arguments.neurons)]
    taken = {}
    for kind in arguments.types:  # of one type and call at a time, for their memory
        for call in arguments.calls:
            subjects = {row: Subject(arguments.out, row, arguments.hidden_size, call, kind, arguments.megabytes,
                                     arguments.rounds > 0) for row in every}
            draw_ids = numpy.random.default_rng(1)
            for number in range(arguments.rounds and arguments.rounds + 1):
                for row, subject in subjects.items():
                    us = subject.microseconds(draw_ids)
                    if number > 0:  # the first warms up
                        taken.setdefault((row, kind, call), []).append(us)
            for subject in subjects.values():
                subject.close()
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--hidden-size", type=int, default=128, help="a multiple of 32")
    parser.add_argument("--rows", nargs="+", type=row_name, default=["lookup-small", "lookup-large"])
    parser.add_argument("--neurons", nargs="+", type=int, default=[64, 128, 192, 256, 384, 512])
    parser.add_argument("--types", nargs="+", choices=list(TYPES), default=list(TYPES))
    parser.add_argument("--calls", nargs="+", choices=list(CALLS), default=list(CALLS))
    parser.add_argument("--megabytes", type=float, default=128)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--perplexity", type=Path,
                        help="time nothing; plot a results.json of compare_ffns.py against the times in OUT")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    kept = arguments.out / f"results-{arguments.hidden_size}.json"
    taken = {tuple(entry["key"]): entry["us"] for entry in json.loads(kept.read_text())} if kept.exists() else {}
    if arguments.perplexity is None:
        measured = measure(arguments)
        if not measured:
            return
        taken |= measured
        kept.write_text(json.dumps([{"key": key, "us": values} for key, values in taken.items()]) + "\n")
    times = {key: lower_quartile(values) for key, values in taken.items()}
    kept.with_suffix(".md").write_text(table(times))
    print(table(times), end="")
    if arguments.perplexity is not None:
        draw(times, json.loads(arguments.perplexity.read_text()), arguments.hidden_size, kept.with_suffix(".png"))


if __name__ == "__main__":
    main()
