#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what students of different shapes keep of a sentence encoder's quality, against the time that they take.

    frontier.py OUT TEACHER --command lookupffn --text train.txt --pairs dev.tsv ... [--points NAME ...] -- --steps 0 ...

Each point is distilled with the same options, those after "--", converted to int8, judged by `lookupffn evaluate` and timed by
`lookupffn bench`, with all points taking turns. Existing students and figures are reused; --rounds 0 times nothing. OUT receives
results.json, results.md and frontier.svg.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
SHAPES = ((1, 16), (1, 128), (8, 32), (32, 128))
TYPES = [f"--{part}-dtype=int8" for part in ("table", "hash", "linear", "embedding")]


def neurons(count, heads=None, rows=True):
    return ["--ffn=vanilla", f"--neurons={count}", "--fit-steps=0", *([f"--heads={heads}"] if heads else []),
            *(["--words"] if rows else [])]


def tables(heads=None, rows=False, linear=False):
    return ["--tables=128", "--rows=16", *([f"--heads={heads}"] if heads else []), *(["--words"] if rows else []),
            *(["--linear"] if linear else [])]


def layers(chosen, count=384, heads=8):
    """Neurons and heads in some of six layers, only rows by word in the others."""
    kinds, kept = zip(*(("vanilla", heads) if layer in chosen else ("none", 0) for layer in range(6)))
    return [f"--ffn={','.join(kinds)}", f"--neurons={count}", "--fit-steps=0", f"--heads={','.join(map(str, kept))}", "--words"]


FEW, SOME, MORE = "4,4,4,6,6,8", "6,6,8,8,8,10", "8,8,8,10,10,12"
POINTS = {
    "512": neurons(512, rows=False), "384": neurons(384, rows=False), "256": neurons(256, rows=False),
    "512 + rows": neurons(512), "384 + rows": neurons(384), "256 + rows": neurons(256), "128 + rows": neurons(128),
    "384, 8-12 heads + rows": neurons(384, MORE), "384, 6-10 heads + rows": neurons(384, SOME),
    "512, 6-10 heads + rows": neurons(512, SOME),
    "512, 4-8 heads + rows": neurons(512, FEW), "384, 4-8 heads + rows": neurons(384, FEW),
    "256, 4-8 heads + rows": neurons(256, FEW), "128, 4-8 heads + rows": neurons(128, FEW),
    "128 to 512, 4-8 heads + rows": neurons("128,128,192,256,384,512", FEW),
    "256, 0-8 heads + rows": neurons(256, "0,4,4,4,6,8"),
    "256, three layers without heads + rows": neurons(256, "0,6,0,6,0,8"),
    "384, 8 heads in three layers + rows": layers((1, 3, 5)), "384, 8 heads in two layers + rows": layers((2, 5)),
    "384, 8 heads in one layer + rows": layers((5,)),
    "rows alone, 4-8 heads": ["--ffn=none", "--fit-steps=0", f"--heads={FEW}", "--words"],
    "tables": tables(), "tables + linear": tables(linear=True), "tables + rows": tables(rows=True),
    "tables, 4-8 heads + rows": tables(FEW, rows=True),
}


def file_name(point):
    return "".join(c if c.isalnum() else "-" for c in point)


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"frontier.py: {' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def options_of(point, arguments):
    """The distiller's options: those of all points, then the point's own, which override them except for fitting."""
    own = [option for option in POINTS[point] if option != "--fit-steps=0" or "--fit-steps" not in arguments.rest]
    if "--words" in own:
        own += [f"--word-rows={arguments.word_rows}", f"--word-dtype={arguments.word_dtype}"]
    return [*arguments.rest, *own]


def distilled(point, arguments):
    """The student's int8 file."""
    folder = arguments.out / file_name(point)
    made = folder / "int8.safetensors"
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        options = [sys.executable, "-m", "lookupffn", "distill", arguments.teacher, "--text", *arguments.text, "--out",
                   folder / "student", "--work", folder / "work", *options_of(point, arguments)]
        print(f"{point}: distilling", file=sys.stderr, flush=True)
        if subprocess.run([str(option) for option in options]).returncode:
            sys.exit(f"frontier.py: {point} could not be distilled")
        run(arguments.command, "convert", *TYPES, folder / "student", made)
    return made


def judged(model, pairs, kept, command):
    """{file: Spearman}"""
    if not kept.exists():
        told = json.loads(run(command, "evaluate", "--json", "--resamples", 0, model, "--pairs", *pairs))
        values = {Path(entry["file"]).stem: entry["spearman"] if isinstance(entry["spearman"], float)
                  else entry["spearman"]["value"] for entry in told["models"][0]["pairs"]}
        kept.write_text(json.dumps(values) + "\n")
    return json.loads(kept.read_text())


def timed(models, arguments):
    """{point: {shape: microseconds a token}}, medians of rounds in which all points take turns."""
    times = {}
    for number in range(arguments.rounds):
        for point, model in models.items():
            for sequences, length in SHAPES:
                told = json.loads(run(arguments.command, "bench", "--json", "--model", model, "--sequences", sequences,
                                      "--length", length, "--threads", 1, "--seconds", 0.2))
                times.setdefault(point, {}).setdefault(f"{sequences} x {length}", []).append(1e6 / told["tokens_per_second"])
        print(f"timed {number + 1} of {arguments.rounds} rounds", file=sys.stderr, flush=True)
    return {point: {shape: statistics.median(values) for shape, values in shapes.items()}
            for point, shapes in times.items()}


def quality(entry, teacher):
    """The mean share of the teacher's Spearman correlations."""
    return statistics.mean(entry["spearman"][name] / value for name, value in teacher["spearman"].items())


def best(results, shape):
    """The points for which no other is both faster and better."""
    points = sorted((entry["us"][shape], -entry["quality"], point) for point, entry in results.items())
    chosen, highest = [], 0.0
    for _, minus, point in points:
        if -minus > highest:
            chosen.append(point)
            highest = -minus
    return chosen


def table(results):
    names = list(results["teacher"]["spearman"])
    shapes = list(next(iter(results.values()))["us"])
    lines = ["| student | MB | " + " | ".join(names) + " | of the teacher's | " +
             " | ".join(f"us a token, {shape}" for shape in shapes) + " |", "|---" * (3 + len(names) + len(shapes)) + "|"]
    for point, entry in results.items():
        lines.append(f"| {point} | {entry['bytes'] / 1e6:.1f} | " +
                     " | ".join(f"{100 * entry['spearman'][name]:.2f}" for name in names) +
                     f" | {100 * entry['quality']:.1f} % | " +
                     " | ".join(f"{us:.1f} ({results['teacher']['us'][shape] / us:.2f})"
                                for shape, us in entry["us"].items()) + " |")
    return "\n".join(lines) + "\n"


def draw(groups, path):
    """groups {processor: results}: a row of panels for each."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    sys.path.insert(0, str(Path(__file__).parent))
    from compare_ffns import label
    groups = {name: results for name, results in groups.items() if "us" in results["teacher"]}
    shapes = ("1 x 16", "32 x 128")
    figure, panels = pyplot.subplots(len(groups), len(shapes), figsize=(7 * len(shapes), 6 * len(groups)), sharey="row",
                                     squeeze=False)
    for axes, (name, results, shape) in zip(panels.flat, [(*group, shape) for group in groups.items() for shape in shapes]):
        front = best(results, shape)
        axes.plot([results[point]["us"][shape] for point in front], [100 * results[point]["quality"] for point in front],
                  color="0.6", linewidth=1)
        points = []
        for point, entry in results.items():
            colour = "C3" if point == "teacher" else "C0" if point in front else "0.5"
            x, y = entry["us"][shape], 100 * entry["quality"]
            axes.plot([x], [y], "o", color=colour, markersize=5)
            points.append((point, x, y, colour))
        axes.set(xlabel=f"microseconds a token, int8, {shape} tokens", ylabel="% of the teacher's Spearman correlations",
                 title=name)
        axes.margins(x=0.25, y=0.08)
        axes.grid(alpha=0.3)
        label(axes, points, 0.03)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


def main():
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("teacher", type=Path, help="a folder")
    parser.add_argument("--command", required=True, help="the lookupffn program")
    parser.add_argument("--text", nargs="+", type=Path, required=True)
    parser.add_argument("--pairs", nargs="+", type=Path, required=True, help="judged pairs, for lookupffn evaluate")
    parser.add_argument("--points", nargs="+", choices=list(POINTS), default=list(POINTS))
    parser.add_argument("--also", nargs="*", default=[], metavar="NAME=FILE", help="models made in other ways")
    parser.add_argument("--word-rows", type=int, default=16384, help="number of rows, for points with rows by word")
    parser.add_argument("--word-dtype", default="int4", help="type of these rows")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--on", default="this processor", metavar="NAME", help="the processor's name, for the times")
    parser.add_argument("--beside", type=Path, help="a results.json with times of other points, for results.json and the plot")
    arguments = parser.parse_args(sys.argv[1:end])
    arguments.rest = sys.argv[end + 1:]
    arguments.out.mkdir(parents=True, exist_ok=True)
    models = {"teacher": arguments.out / "teacher.safetensors"}
    if not models["teacher"].exists():
        run(arguments.command, "convert", *TYPES[2:], arguments.teacher, models["teacher"])
    models.update(name.split("=", 1) for name in arguments.also)
    for point in arguments.points:
        models[point] = distilled(point, arguments)
    results = {}
    for point, model in models.items():
        kept = arguments.out / f"{file_name(point)}.json"
        results[point] = {"bytes": Path(model).stat().st_size,
                          "spearman": judged(model, arguments.pairs, kept, arguments.command)}
    for entry in results.values():
        entry["quality"] = quality(entry, results["teacher"])
    if arguments.rounds:
        for point, us in timed(models, arguments).items():
            results[point]["us"] = us
        groups = {**(json.loads(arguments.beside.read_text()) if arguments.beside else {}), arguments.on: results}
        (arguments.out / "results.json").write_text(json.dumps(groups, indent=1) + "\n")
        (arguments.out / "results.md").write_text(table(results))
        draw(groups, arguments.out / "frontier.svg")
        print(table(results), end="")


if __name__ == "__main__":
    main()
