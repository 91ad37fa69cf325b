"""Turns one run's numbers into docs/performance-models.md (between its markers), its pictures and benchmarks/results.

usage: report.py MODELS.json
"""
import json
import pathlib
import sys

import numpy

import plots

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- generated: begin -->", "<!-- generated: end -->"
ENGINES = list(plots.STYLES)
FLOAT32 = ["onnxruntime-f32", "pytorch"]
# Which of ours against which of theirs, and how many times faster it is meant to be.
GOALS = (("lookupffn-f32", "float32", 2.0), ("lookupffn-int8", "float32", 2.0), ("lookupffn-int8", "onnxruntime-int8", 1.3))


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def times(cell):
    """{engine: seconds of each round}; PyTorch under one name, whichever of its forms took part."""
    return {"pytorch" if name.startswith("pytorch") else name: values for name, values in cell["seconds"].items()}


def medians(cell):
    return {name: float(numpy.median(values)) for name, values in times(cell).items()}


def fastest(cell, against):
    return min(FLOAT32, key=medians(cell).get) if against == "float32" else against


def ratio(cell, ours, against):
    """Median, 10th and 90th percentile of the rounds' ratios."""
    values = times(cell)
    return numpy.percentile(numpy.array(values[fastest(cell, against)]) / values[ours], (50, 10, 90))


def grouped(result):
    groups = {}
    for cell in sorted(result["cells"], key=lambda c: (c["threads"], c["length"], c["texts"])):
        groups.setdefault((cell["threads"], cell["length"]), []).append(cell)
    return groups


def by_threads(result):
    cells = [cell for group in grouped(result).values() for cell in group]
    return {n: [c for c in cells if c["threads"] == n] for n in sorted({c["threads"] for c in cells})}


def name_of(cell):
    return f"{cell['texts']} x {cell['length']}"


def short(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def machine_text(result):
    m = result["machine"]
    caches = ", ".join(f"{name} {size}" for name, size in sorted(m["caches"].items()))
    versions = sorted(f"{name} {version}" for name, version in result["versions"].items() if name != "pytorch-fastpath")
    rounds = [len(next(iter(c["seconds"].values()))) for c in result["cells"]]
    return (f"CPU: {m['cpu']}, {m['cores']} cores, caches {caches}. System: Linux {m['linux']}, g++ {m['compiler']}.\n"
            f"Engines: {'; '.join(versions)}. Rounds: {min(rounds)} to {max(rounds)}.")


def time_text(result):
    parts = []
    for threads, cells in by_threads(result).items():
        for unit, value in (("Milliseconds per text", lambda c, s: short(1e3 * s / c["texts"])),
                            ("Tokens per second", lambda c, s: f"{c['texts'] * c['length'] / s:.0f}")):
            rows = [[name_of(c)] + [value(c, medians(c)[e]) for e in ENGINES] for c in cells]
            parts.append(f"{unit}, {plots.threads_text(threads)}:\n\n" + table(["texts x tokens"] + ENGINES, rows))
    eager = sum("pytorch" in c["seconds"] for c in result["cells"])
    parts.append(f"PyTorch took part with its eager form in {eager} of {len(result['cells'])} rows and with its fast path in the others.")
    return "\n\n".join(parts)


def goal_name(ours, against):
    return f"{ours} against {'the faster float32 engine' if against == 'float32' else against}"


def ratio_text(result):
    parts = []
    for threads, cells in by_threads(result).items():
        rows = []
        for c in cells:
            spreads = [ratio(c, ours, against) for ours, against, _ in GOALS]
            rows.append([name_of(c), fastest(c, "float32")] + [f"**{m:.2f}** ({low:.2f} to {high:.2f})" for m, low, high in spreads])
        header = ["texts x tokens", "faster float32 engine"] + [goal_name(*goal[:2]) for goal in GOALS]
        parts.append(f"Times faster, {plots.threads_text(threads)}; median of the rounds' ratios, 10th to 90th percentile:\n\n"
                     + table(header, rows))
    lines = []
    for ours, against, goal in GOALS:
        values = [ratio(c, ours, against)[0] for c in result["cells"]]
        lines.append(f"- {goal_name(ours, against)}: {min(values):.2f} to {max(values):.2f} times as fast; "
                     f"the goal of {goal:g} is met in {sum(v >= goal for v in values)} of {len(values)} rows.")
    return "\n\n".join(parts) + "\n\n" + "\n".join(lines)


def memory_text(result):
    largest = max(result["cells"], key=lambda c: c["texts"] * c["length"] + c["threads"])
    smallest = min(result["cells"], key=lambda c: c["texts"] * c["length"] - c["threads"])
    forms = {"pytorch" if name.startswith("pytorch") else name: name for name in largest["peak_bytes"]}
    small = {"pytorch" if name.startswith("pytorch") else name: size for name, size in smallest["peak_bytes"].items()}
    mega = lambda size: f"{size / 1e6:.0f}"
    rows = [[e, mega(result["memory"][forms[e]]["loading_peak"]), mega(result["memory"][forms[e]]["loaded"]), mega(small[e]),
             mega(largest["peak_bytes"][forms[e]])] for e in ENGINES]
    header = ["MB resident", "most while loading", "loaded", f"most at {name_of(smallest)}",
              f"most at {name_of(largest)}, {plots.threads_text(largest['threads'])}"]
    return table(header, rows)


def stage_text(result):
    parts = []
    for threads, cells in by_threads(result).items():
        for engine in (e for e in ENGINES if e.startswith("lookupffn")):
            rows = [[name_of(c)] + [short(1e6 * s / (c["texts"] * c["length"])) for s in c["stages"][engine]] for c in cells]
            parts.append(f"Microseconds per token, {engine}, {plots.threads_text(threads)}:\n\n"
                         + table(["texts x tokens"] + [name for name, _ in plots.STAGES], rows))
    return "\n\n".join(parts)


def difference_text(result):
    exact = {n: d["most"] for n, d in result["differences"].items() if d["most"] and "int8" not in n}
    rough = {n: d["rms"] for n, d in result["differences"].items() if "int8" in n}
    return ("Largest difference of a hidden state from PyTorch's, vanilla model, in units of the root mean square: "
            + ", ".join(f"{n} {d:.1g}" for n, d in exact.items()) + ".\n"
            + "Root mean square of the difference that int8 makes, in the same units: "
            + ", ".join(f"{n} {d:.2f}" for n, d in rough.items()) + ".")


def generated(result):
    sections = [
        ("## The machine and the engines", machine_text(result)),
        ("## Are the results right", difference_text(result)),
        ("## Ratios", ratio_text(result)),
        ("## Times", time_text(result) + "\n\n![Tokens per second](images/model-speed.png)"),
        ("## Where the time goes", stage_text(result) + "\n\n![Shares of the time](images/model-shares.png)"),
        ("## Memory", memory_text(result)),
    ]
    return "\n\n".join(f"{title}\n\n{text}" for title, text in sections)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    result = json.loads(pathlib.Path(sys.argv[1]).read_text())
    folder = ROOT / "benchmarks" / "results"
    folder.mkdir(exist_ok=True)
    (folder / "models.json").write_text(json.dumps(result, indent=1) + "\n")
    images = ROOT / "docs" / "images"
    plots.speeds(grouped(result), medians, images / "model-speed.png")
    plots.shares(by_threads(result)[1], [e for e in ENGINES if e.startswith("lookupffn")], images / "model-shares.png")
    page = ROOT / "docs" / "performance-models.md"
    before, _, rest = page.read_text().partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n\n{generated(result)}\n\n{END}{rest.partition(END)[2]}")


main()
