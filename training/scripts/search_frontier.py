#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how much models find of what their teacher finds, against the time that they take.

    search_frontier.py OUT TEACHER NAME=MODEL ... --command lookupffn --retrieval FOLDER ... [--rounds 7]

TEACHER, a folder, is judged in float32 and timed in int8, all others unchanged. Times are those of `lookupffn bench`, without
the tokenizer, with all models taking turns. Existing figures are reused; --rounds 0 times nothing. OUT receives
search.json, search.md and search.svg, which shows the mean of the shares of nDCG@10.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

SHAPES = ((1, 16), (1, 128), (8, 32), (32, 128))
SHOWN = "32 x 128"
INT8 = ("--linear-dtype=int8", "--embedding-dtype=int8")


def run(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"search_frontier.py: failed: {' '.join(map(str, command))}")
    return done.stdout


def found_by(model, name, arguments):
    """{collection: nDCG@10}"""
    figures = {}
    for folder in arguments.retrieval:
        kept = arguments.out / "judged" / f"{name}-{folder.name}.json"
        if not kept.exists():
            print(f"{name}: {folder.name}", file=sys.stderr, flush=True)
            told = run(arguments.command, "evaluate", "--json", "--resamples", 0, model, "--retrieval", folder)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(told, encoding="utf-8")
        value = json.loads(kept.read_text(encoding="utf-8"))["models"][0]["retrieval"][0]["ndcg@10"]
        figures[folder.name] = value["value"] if isinstance(value, dict) else value
    return figures


def timed(models, arguments):
    """{name: {shape: microseconds a token in each round}}"""
    times = {name: {f"{sequences} x {length}": [] for sequences, length in SHAPES} for name in models}
    for number in range(arguments.rounds):
        for name, model in models.items():
            for sequences, length in SHAPES:
                told = json.loads(run(arguments.command, "bench", "--json", "--model", model, "--sequences", sequences,
                                      "--length", length, "--threads", 1, "--seconds", 0.1))
                times[name][f"{sequences} x {length}"].append(1e6 / told["tokens_per_second"])
        print(f"timed {number + 1} of {arguments.rounds} rounds", file=sys.stderr, flush=True)
    return times


def share(entry, teacher):
    return statistics.mean(value / teacher["found"][name] for name, value in entry["found"].items())


def ratios(entry, teacher, shape):
    """Speed as a multiple of the teacher's in the same round: the median, and the 10th and 90th percentile."""
    times = sorted(before / now for before, now in zip(teacher["us"][shape], entry["us"][shape]))
    return [times[round(place * (len(times) - 1))] for place in (0.5, 0.1, 0.9)]


def table(results):
    teacher = results["teacher"]
    collections, shapes = list(teacher["found"]), list(teacher.get("us", {}))
    columns = ["model", *collections, "mean share", "MB", *(f"us a token, {shape}" for shape in shapes)]
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for name, entry in results.items():
        cells = [name]
        for collection, value in entry["found"].items():
            cells.append(f"{100 * value:.2f} ({100 * value / teacher['found'][collection]:.1f} %)")
        cells += [f"{100 * share(entry, teacher):.1f} %", f"{entry['bytes'] / 1e6:.1f}"]
        for shape in shapes:
            middle, low, high = ratios(entry, teacher, shape)
            cells.append(f"{statistics.median(entry['us'][shape]):.3g}, {middle:.3g} times ({low:.3g} to {high:.3g})")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def size(model):
    model = Path(model)
    files = model.glob("*") if model.is_dir() else [model]
    return sum(file.stat().st_size for file in files if file.suffix in (".safetensors", ".json") or file.name == "vocab.txt")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("teacher", type=Path, help="a folder")
    parser.add_argument("models", nargs="*", metavar="NAME=MODEL")
    parser.add_argument("--command", required=True, help="the lookupffn program")
    parser.add_argument("--retrieval", nargs="+", type=Path, required=True, help="collections in BEIR's form")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--on", default="this processor", metavar="NAME", help="the processor's name, for the times")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    models = dict(name.split("=", 1) for name in arguments.models)
    results = {name: {"found": found_by(model, name, arguments), "bytes": size(model)}
               for name, model in {"teacher": arguments.teacher, **models}.items()}
    if arguments.rounds:
        int8 = arguments.out / "teacher.safetensors"
        if not int8.exists():
            run(arguments.command, "convert", *INT8, arguments.teacher, int8)
        results["teacher"]["bytes"] = size(int8)
        for name, us in timed({"teacher": int8, **models}, arguments).items():
            results[name]["us"] = us
        sys.path.insert(0, str(Path(__file__).parents[1]))
        from lookupffn.distiller import plot
        points = {name: [(statistics.median(entry["us"][SHOWN]), 100 * share(entry, results["teacher"]))]
                  for name, entry in results.items()}
        (arguments.out / "search.svg").write_text(
            plot.svg(points, f"Search on {len(arguments.retrieval)} collections, {arguments.on}",
                     f"microseconds a token, {SHOWN} tokens, one thread", "% of the teacher's nDCG@10", dots=True, log_x=True),
            encoding="utf-8")
    (arguments.out / "search.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (arguments.out / "search.md").write_text(table(results), encoding="utf-8")
    print(table(results), end="")


if __name__ == "__main__":
    main()
