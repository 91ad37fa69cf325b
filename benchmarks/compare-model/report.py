# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of benchmarks/results/models.md (between its markers) and its pictures from benchmarks/results.

usage: report.py [models=FILE.json]

The file named is put among the results of its processor first.
"""
import pathlib
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from pages import DOCS, commit_of, results, sections, short, spread, store, table, title_of, write_page  # noqa: E402
from plotting import STYLES  # noqa: E402

import plots  # noqa: E402

FLOAT32 = ["onnxruntime-f32", "pytorch"]
TITLES = {"paper": "The paper's small RoBERTa", "minilm": "all-MiniLM-L6-v2, dense and with lookups"}


def engine_of(name):
    return name.split(":")[0]


def times(cell):
    """{engine: seconds of each round}, whichever of an engine's forms took part."""
    return {engine_of(name): values for name, values in cell["seconds"].items()}


def medians(cell):
    return {name: float(numpy.median(values)) for name, values in times(cell).items()}


def engines_in(cells):
    return [e for e in STYLES if any(e in times(c) for c in cells)]


def ours_in(cells):
    return [e for e in engines_in(cells) if e.startswith("lookupffn")]


def fastest(cell):
    return min(FLOAT32, key=medians(cell).get)


def ratio(cell, ours, against):
    """Median, 10th and 90th percentile of the rounds' ratios."""
    values = times(cell)
    median, p10, p90 = numpy.percentile(numpy.array(values[against]) / values[ours], (50, 10, 90))
    return spread(median, p10, p90)


def grouped(model):
    groups = {}
    for cell in sorted(model["cells"], key=lambda c: (c["threads"], c["length"], c["texts"])):
        groups.setdefault((cell["threads"], cell["length"]), []).append(cell)
    return groups


def by_threads(model):
    cells = [cell for group in grouped(model).values() for cell in group]
    return {n: [c for c in cells if c["threads"] == n] for n in sorted({c["threads"] for c in cells})}


def name_of(cell):
    return f"{cell['texts']} x {cell['length']}"


def machine_text(values, model):
    machine = values["machine"]
    caches = ", ".join(f"{name} {size}" for name, size in sorted(machine["caches"].items()))
    versions = sorted(f"{name} {version}" for name, version in model["versions"].items())
    rounds = [len(next(iter(c["seconds"].values()))) for c in model["cells"]]
    return (f"CPU: {machine['cpu']}, {machine['cores']} cores, caches {caches}. System: Linux {machine['linux']}, g++ {machine['compiler']}.\n"
            f"Engines: {'; '.join(versions)}. Rounds: {min(rounds)} to {max(rounds)}. {commit_of(values)}")


def time_text(model):
    parts = []
    for threads, cells in by_threads(model).items():
        engines = engines_in(cells)
        for unit, value in (("Milliseconds per text", lambda c, s: short(1e3 * s / c["texts"])),
                            ("Tokens per second", lambda c, s: f"{c['texts'] * c['length'] / s:.0f}")):
            rows = [[name_of(c)] + [value(c, medians(c)[e]) for e in engines] for c in cells]
            parts.append(f"{unit}, {plots.threads_text(threads)}:\n\n" + table(["texts x tokens"] + engines, rows))
    return "\n\n".join(parts + [forms_text(model)])


def forms_text(model):
    """Which form of the engines that have several took part how often."""
    took_part = {}
    for name in (name for c in model["cells"] for name in c["seconds"] if ":" in name):
        engine, form = name.split(":")
        took_part.setdefault(engine, {}).setdefault(form, []).append(name)
    return "\n".join(f"{engine} took part as " + ", ".join(f"{form} in {len(rows)} rows" for form, rows in sorted(forms.items())) + "."
                     for engine, forms in sorted(took_part.items()))


def ratio_text(model):
    parts = []
    for threads, cells in by_threads(model).items():
        ours = ours_in(cells)
        pairs = [(e, "float32") for e in ours] + [(e, "onnxruntime-int8") for e in ours if e.endswith("int8")]
        rows = [[name_of(c), fastest(c)] + [ratio(c, e, fastest(c) if against == "float32" else against) for e, against in pairs]
                for c in cells]
        header = ["texts x tokens", "faster float32 engine"]
        header += [f"{e} against {'the faster float32 engine' if against == 'float32' else against}" for e, against in pairs]
        parts.append(f"Times faster, {plots.threads_text(threads)}; median of the rounds' ratios, 10th to 90th percentile:\n\n"
                     + table(header, rows))
    return "\n\n".join(parts)


def memory_text(model):
    largest = max(model["cells"], key=lambda c: c["texts"] * c["length"] + c["threads"])
    smallest = min(model["cells"], key=lambda c: c["texts"] * c["length"] - c["threads"])
    forms = {engine_of(name): name for name in largest["peak_bytes"]}
    small = {engine_of(name): size for name, size in smallest["peak_bytes"].items()}
    mega = lambda size: f"{size / 1e6:.0f}"  # noqa: E731
    rows = [[e, mega(model["memory"][forms[e]]["loading_peak"]), mega(model["memory"][forms[e]]["loaded"]), mega(small[e]),
             mega(largest["peak_bytes"][forms[e]])] for e in engines_in(model["cells"])]
    header = ["MB resident", "most while loading", "loaded", f"most at {name_of(smallest)}",
              f"most at {name_of(largest)}, {plots.threads_text(largest['threads'])}"]
    return table(header, rows)


def stage_text(model):
    parts = []
    for threads, cells in by_threads(model).items():
        for engine in ours_in(cells):
            rows = [[name_of(c)] + [short(1e6 * s / (c["texts"] * c["length"])) for s in c["stages"][engine]] for c in cells]
            parts.append(f"Microseconds per token, {engine}, {plots.threads_text(threads)}:\n\n"
                         + table(["texts x tokens"] + [name for name, _ in plots.STAGES[:len(rows[0]) - 1]], rows))
    return "\n\n".join(parts)


def difference_text(model):
    exact = {n: d["most"] for n, d in model["differences"].items() if d["most"] and "int8" not in n}
    rough = {n: d["rms"] for n, d in model["differences"].items() if "int8" in n}
    return ("Largest difference of a hidden state from PyTorch's, vanilla model, in units of the root mean square: "
            + ", ".join(f"{n} {d:.1g}" for n, d in exact.items()) + ".\n"
            + "Root mean square of the difference that int8 makes, in the same units: "
            + ", ".join(f"{n} {d:.2f}" for n, d in rough.items()) + ".")


def text_text(model):
    """With the tokenizer: texts in, embeddings out."""
    if not model.get("texts"):
        return ""
    rows = [[f"{name_of(c)}, {plots.threads_text(c['threads'])}", engine, short(1e3 * c["text_seconds"][engine] / c["texts"]),
             short(1e3 * c["id_seconds"][engine] / c["texts"]),
             f"{100 * (1 - c['id_seconds'][engine] / c['text_seconds'][engine]):.1f} %"]
            for c in model["texts"] for engine in c["text_seconds"]]
    return ("English texts of about so many tokens to embeddings, milliseconds per text. ONNX Runtime has no tokenizer and gets this "
            "library's.\n\n" + table(["texts x tokens", "engine", "from text", "from ids", "the tokenizer's share"], rows))


def model_text(folder, name, values, model):
    images = DOCS / "images"
    speed, shares = f"{folder}-{name}-speed.png", f"{folder}-{name}-shares.png"
    if name == "minilm":
        plots.bars(by_threads(model), medians, images / speed)
    else:
        plots.speeds(grouped(model), medians, images / speed)
    plots.shares(by_threads(model)[1], ours_in(model["cells"]), images / shares)
    parts = [
        ("The machine and the engines", machine_text(values, model)),
        ("Are the results right", difference_text(model)),
        ("Ratios", ratio_text(model)),
        ("Times", time_text(model) + f"\n\n![Tokens per second](../../docs/images/{speed})"),
        ("With the tokenizer", text_text(model)),
        ("Where the time goes", stage_text(model) + f"\n\n![Shares of the time](../../docs/images/{shares})"),
        ("Memory", memory_text(model)),
    ]
    return sections(parts, 4)


def main():
    named = dict(argument.split("=", 1) for argument in sys.argv[1:])
    if named:
        store(named)
    parts = []
    for folder, values in results().items():
        if "models" in values:
            models = values["models"]["models"]
            inside = [(TITLES[name], model_text(folder, name, values["models"], model)) for name, model in models.items()]
            parts.append((title_of(values["models"]["machine"]), sections(inside, 3)))
    write_page("models.md", sections(parts, 2))


main()
