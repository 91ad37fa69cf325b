#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Log perplexity of compare_ffns.py's runs against measured time, for the rows that the library can run.

    perplexity_time.py RESULTS.json OUT --command build/release/tools/lookupffn [--rounds 9] [--threads 1]

Time depends only on the shape, so each row's model has random weights; the programs take turns, and medians count. With int8,
tables, hash and linear layers are int8; the perplexities are those of float32. OUT receives results.json, results.md and
results.png.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from compare_ffns import config_of, dots, kind_of  # noqa: E402

from lookupffn import files  # noqa: E402
from lookupffn.encoder import Encoder  # noqa: E402

TYPES = ("float32", "int8")


def make_models(rows, folder, command):
    """{(row, type): file}"""
    made = {}
    for row in rows:
        torch.manual_seed(1)
        files.export_folder(Encoder(config_of(row, 512, 32)), folder / row)
        for name in TYPES:
            made[row, name] = folder / f"{row}-{name}.safetensors"
            dtype = {"float32": "f32", "int8": "int8"}[name]
            types = [f"--{part}-dtype={dtype}" for part in ("table", "hash", "linear")]
            subprocess.run([command, "convert", *types, folder / row, made[row, name]], check=True, capture_output=True)
    return made


def measure(model, arguments):
    """Microseconds per token: the whole model, and its FFNs alone."""
    done = subprocess.run([arguments.command, "bench", "--json", "--model", model, "--length", "32", "--sequences", "32",
                           "--threads", str(arguments.threads), "--seconds", "0.2"], check=True, capture_output=True)
    told = json.loads(done.stdout)
    whole = 1e6 / told["tokens_per_second"]
    return whole, whole * told["time_share"]["ffn"]


def table(results):
    lines = ["| FFN | log perplexity | float32: FFNs, whole model, us per token | int8 |", "|---|---|---|---|"]
    for row, result in results.items():
        values = result["log_perplexity"]
        spread = f" ({min(values):.3f} to {max(values):.3f})" if len(values) > 1 else ""
        times = [f"{result[name]['ffn']:.2f}, {result[name]['whole']:.2f}" for name in TYPES]
        lines.append(f"| {row} | {statistics.mean(values):.3f}{spread} | {times[0]} | {times[1]} |")
    return "\n".join(lines) + "\n"


def draw(results, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, panels = pyplot.subplots(1, 2, figsize=(12, 4.5), sharey=True)
    for axes, name in zip(panels, TYPES):
        dots(axes, {row: result["log_perplexity"] for row, result in results.items()},
             {row: result[name]["ffn"] for row, result in results.items()}, pyplot.get_cmap("tab20"))
        axes.set(xlabel=f"us per token in the FFNs, {name}")
        axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--command", required=True)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    runs = json.loads(arguments.results.read_text())
    rows = [row for row in runs if kind_of(row) in ("vanilla", "lookup")]
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        models = make_models(rows, Path(folder), arguments.command)
        for _ in range(arguments.rounds):
            for key, model in models.items():
                times.setdefault(key, []).append(measure(model, arguments))
    results = {row: {"log_perplexity": [run["log_perplexity"] for run in runs[row]]} for row in rows}
    for (row, name), values in times.items():
        whole, ffn = (statistics.median(column) for column in zip(*values))
        results[row][name] = {"whole": whole, "ffn": ffn}
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "results.json").write_text(json.dumps(results) + "\n")
    (arguments.out / "results.md").write_text(table(results))
    draw(results, arguments.out / "results.png")
    print(table(results), end="")


if __name__ == "__main__":
    main()
