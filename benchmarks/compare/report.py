# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of benchmarks/results/layers.md (between its markers) and its pictures from benchmarks/results.

usage: report.py [NAME=FILE.json ...]

The files named are put among the results of their processor first: compare, limits, layer, neighbours-N, neighbours-N-models, before.
The first of them tells the processor.
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from pages import DOCS, commit_of, count, results, sections, short, spread, store, table, title_of, write_page  # noqa: E402
from plotting import STYLES  # noqa: E402

import goals  # noqa: E402
import plots  # noqa: E402

ENGINES = list(STYLES)


def ratio(r):
    return spread(r["median"], r["p10"], r["p90"])


def shape_name(compare, name):
    s = compare["shapes"][name]
    return f"d {s['d']}, t {s['t']}, {s['h']} tables of {1 << s['tau']} rows"


def machine_text(compare):
    m, lines = compare["machine"], []
    lines.append(f"CPU: {m['cpu']}, {m['cores']} cores, per core {m['l1d']} L1d and {m['l2']} L2, {m['l3']} L3.")
    lines.append(f"System: Linux {m['linux']}, g++ {m['compiler']}.")
    versions = sorted(f"{name} {version}" for name, version in compare["versions"].items())
    lines.append("Engines: " + "; ".join(versions) + ".")
    for name, why in sorted(compare["missing"].items()):
        lines.append(f"Not measured: {name} ({why}).")
    lines.append(f"About {compare['seconds_per_cell']:g} seconds for each row. {commit_of(compare)}")
    return "\n".join(lines)


def groups(compare, linear=False):
    """{(shape, threads): cells}"""
    found = {}
    for c in sorted(compare["cells"], key=lambda c: (c["shape"], c["threads"], c["batch"])):
        if ("tau" in compare["shapes"][c["shape"]]) != linear:
            found.setdefault((c["shape"], c["threads"]), []).append(c)
    return found


def engines_in(cells):
    return [e for e in ENGINES if any(e in c["us_per_token"] for c in cells)]


def ours_in(cells):
    return [e for e in engines_in(cells) if e.startswith("lookupffn")]


def time_tables(compare):
    parts = []
    for (shape, threads), cells in groups(compare).items():
        engines = engines_in(cells)
        rows = [[str(c["batch"])] + [short(c["us_per_token"][e]["median"]) for e in engines] for c in cells]
        parts.append(f"Microseconds per token, {shape_name(compare, shape)}, {count(threads, 'thread')}:\n\n"
                     + table(["batch"] + engines, rows))
    return "\n\n".join(parts)


def ratio_tables(compare):
    parts = []
    for (shape, threads), cells in groups(compare).items():
        rows, engines = [], ours_in(cells)
        for c in cells:
            for against in dict.fromkeys([c["fastest_float32"], "onnxruntime-int8"]):
                found = {r["engine"]: r["times_faster"] for r in c["ratios"] if r["against"] == against}
                if found:
                    rows.append([str(c["batch"]), against] + [ratio(found[e]) for e in engines])
        parts.append(f"Times faster than the fastest float32 engine of the row, and than ONNX Runtime int8, "
                     f"{shape_name(compare, shape)}, {count(threads, 'thread')}; median of the rounds' ratios, 10th to "
                     f"90th percentile:\n\n" + table(["batch", "against"] + engines, rows))
    return "\n\n".join(parts)


def thread_table(compare):
    cells = {(c["shape"], c["batch"], c["threads"]): c["us_per_token"] for c in compare["cells"]}
    engines, rows = ["lookupffn-f32", "lookupffn-bf16", "lookupffn-int8-tables", "lookupffn-int8"], []
    for (shape, batch, threads), two in sorted(cells.items()):
        one = cells.get((shape, batch, 1))
        if threads == 2 and one and batch >= 64 and all(e in two for e in engines):
            rows.append([f"{shape}, batch {batch}"] + [f"{one[e]['median'] / two[e]['median']:.2f}" for e in engines])
    if not rows:
        return ""
    return "Times faster with two threads than with one (medians of two different rows):\n\n" + table([""] + engines, rows)


def linear_table(compare):
    rows, names = [], ("lookupffn-linear-int8", "onnxruntime-int8", "lookupffn-linear-f32", "onnxruntime-f32")
    for (shape, threads), cells in groups(compare, linear=True).items():
        for c in cells:
            pairs = {(r["engine"], r["against"]): r["times_faster"] for r in c["ratios"]}
            times = [short(c["us_per_token"][e]["median"]) if e in c["us_per_token"] else "-" for e in names]
            faster = [ratio(pairs[pair]) if pair in pairs else "-" for pair in (names[:2], names[2:])]
            rows.append([f"{shape.removeprefix('linear-')}, batch {c['batch']}, {count(threads, 'thread')}",
                         times[0], times[1], faster[0], times[2], times[3], faster[1]])
    if not rows:
        return ""
    return ("One linear layer by itself, microseconds per token, and how many times faster ours is:\n\n"
            + table(["", "ours int8", "ONNX Runtime int8", "times", "ours f32", "ONNX Runtime f32", "times"], rows))


def quality_text(compare):
    lines = []
    for name, s in compare["shapes"].items():
        if "difference" not in s:
            continue
        spread_text = ""
        if "code_entropy_bits" in s:
            spread_text = (f"the codes have {s['code_entropy_bits']:.2f} bits of entropy per table ({s['tau']} at most) and use "
                           f"{100 * s['rows_used']:.1f} % of all rows. ")
        title = shape_name(compare, name) if "tau" in s else f"linear layer {s['d']} x {s['t']}"
        lines.append(f"- {title}: {spread_text}Root mean square difference from the first engine of the same sort: "
                     + ", ".join(f"{e} {d:.1g}" for e, d in s["difference"].items() if d > 0) + ".")
    return "\n".join(lines)


def by_name(benchmarks):
    """Maps "rows_of_64/L1/KiB:16" to its entry under "rows_of_64/L1"."""
    return {"/".join(part for part in b["name"].split("/") if ":" not in part): b for b in benchmarks["benchmarks"]}


def row_bandwidth(limits):
    """{(row bytes, level): GB/s}, the better of the variants with and without prefetch."""
    best = {}
    for name, b in by_name(limits).items():
        if name.startswith("rows_of_"):
            row, level = name.removeprefix("rows_of_").split("/")[:2]
            key = int(row), level
            best[key] = max(best.get(key, 0), b["bytes_per_second"] / 1e9)
    return best


def limits_text(limits, best):
    named = by_name(limits)
    levels = [level for level in ("L1", "L2", "L3", "memory") if any(key[1] == level for key in best)]
    rows = [[f"{row} bytes"] + [short(best[row, level]) for level in levels] for row in sorted({key[0] for key in best})]
    rows.append(["in sequence"] + [short(named["sequential/" + level]["bytes_per_second"] / 1e9) for level in levels])
    text = f"One core multiplies and adds {named['fma_float32']['FLOP/s'] / 1e9:.0f} GFLOP/s in float32"
    if "dot_int8" in named:
        text += f" and {named['dot_int8']['OP/s'] / 1e9:.0f} Gop/s in int8"
    return text + ". It reads rows at random, in GB/s:\n\n" + table(["row"] + levels, rows)


def kernel_table(limits, layer, best):
    named = by_name(limits)
    fma, dot = named["fma_float32"]["FLOP/s"] / 1e9, named.get("dot_int8", {}).get("OP/s", 0) / 1e9
    l2 = max(speed for (_, level), speed in best.items() if level == "L2")
    rows = []
    for (shape, kind, batch, layers), b in goals.kernels(layer).items():
        peak = dot if kind.endswith("int8") and dot else fma
        rows.append([f"{shape} {kind}, batch {batch}" + (f", {layers} layers in turn" if layers > 1 else ""),
                     short(b["hash_us"]), short(b["hash_gflops"]), f"{100 * b['hash_gflops'] / peak:.0f} %",
                     short(b["gather_us"]), short(b["gather_gbytes"]), f"{100 * b['gather_gbytes'] / l2:.0f} %"])
    return ("One thread. The share of the hash is of the peak above in its arithmetic; the share of the gather is of the best "
            f"bandwidth for random rows from L2, {l2:.0f} GB/s:\n\n"
            + table(["", "hash us/token", "Gop/s", "share", "gather us/token", "GB/s", "share"], rows))


def neighbour_table(found):
    parts = []
    for name, values in sorted(found.items()):
        if not name.startswith("neighbours-"):
            continue
        rows = [[f"{r['what']}, {r['engine']}, {count(r['threads'], 'thread')}", short(r["quiet_us"]["median"]),
                 short(r["quiet_us"]["p90"]), short(r["beside_us"]["median"]), short(r["beside_us"]["p90"]),
                 f"**{r['p90_against_quiet_one_thread']:.2f}**"] for r in values["rows"]]
        parts.append(f"Beside {count(values['neighbours'], 'spinning process').replace('processs', 'processes')}, microseconds per call, "
                     f"{values['calls']} calls; the last column is the 90th percentile beside them against a quiet call with one thread:\n\n"
                     + table(["", "quiet", "its p90", "beside", "its p90", "times"], rows))
    return "\n\n".join(parts)


def before_table(found):
    parts = []
    if "before" in found:
        cells, rows = found["before"]["cells"], []
        engines = [e for e in ours_in(cells) if "dense" not in e]
        for c in cells:
            pairs = {r["engine"]: r["times_faster"] for r in c["ratios"] if r["against"] == r["engine"].replace("lookupffn", "before")}
            rows.append([f"{c['shape']}, batch {c['batch']}, {count(c['threads'], 'thread')}"] + [ratio(pairs[e]) for e in engines])
        versions = found["before"]["versions"]
        parts.append(f"Times as fast as the build before, {versions['lookupffn-f32']} against {versions['before-f32']}:\n\n"
                     + table([""] + engines, rows))
    return "\n\n".join(parts)


def processor_text(folder, found):
    if "compare" not in found:
        return sections([("Against the build before", before_table(found))], 3)
    compare, images = found["compare"], DOCS / "images"
    plots.time_per_token(compare, images / f"{folder}-time-per-token.svg")
    plots.ratios(compare, images / f"{folder}-ratios.svg")
    parts = [
        ("The machine and the engines", machine_text(compare)),
        ("Time per token", time_tables(compare) + f"\n\n![Time per token](../../docs/images/{folder}-time-per-token.svg)"),
        ("Ratios", ratio_tables(compare) + f"\n\n![Ratios](../../docs/images/{folder}-ratios.svg)\n\n" + thread_table(compare)),
        ("Linear layers", linear_table(compare)),
        ("Busy neighbours", neighbour_table(found)),
        ("Against the build before", before_table(found)),
        ("Are the results right", quality_text(compare)),
    ]
    if "limits" in found and "layer" in found:
        best = row_bandwidth(found["limits"])
        plots.random_rows(best, images / f"{folder}-random-rows.svg")
        picture = f"\n\n![Random rows](../../docs/images/{folder}-random-rows.svg)"
        parts += [("The machine's limits", limits_text(found["limits"], best) + picture),
                  ("The kernels against the limits", kernel_table(found["limits"], found["layer"], best))]
    return sections(parts, 3)


def main():
    named = dict(argument.split("=", 1) for argument in sys.argv[1:])
    if named:
        store(named)
    found = {folder: values for folder, values in results().items() if "compare" in values or "before" in values}
    parts = [("What was aimed at", goals.text(found))]
    for folder, values in found.items():
        title = title_of((values.get("compare") or values["before"])["machine"])
        parts.append((title, processor_text(folder, values)))
    write_page("layers.md", sections(parts, 2))


main()
