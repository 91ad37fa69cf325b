"""Turns the raw numbers of one run into docs/performance.md (between its markers), docs/images and benchmarks/results.

usage: report.py COMPARE.json LIMITS.json LAYER.json
"""
import json
import pathlib
import platform
import sys

import plots

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- generated: begin -->", "<!-- generated: end -->"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def short(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def spread(ratio):
    return f"**{ratio['median']:.2f}** ({ratio['p10']:.2f} to {ratio['p90']:.2f})"


def shape_name(compare, name):
    s = compare["shapes"][name]
    return f"d {s['d']}, t {s['t']}, h {s['h']}, tau {s['tau']}, block {s['block']}"


def count(n, word):
    return f"{n} {word}" + ("" if n == 1 else "s")


def machine_text(compare):
    m, lines = compare["machine"], []
    lines.append(f"CPU: {m['cpu']}, {m['cores']} cores, per core {m['l1d']} L1d and {m['l2']} L2, {m['l3']} L3.")
    lines.append(f"System: Linux {platform.release().split('-')[0]}, g++ {m['compiler']}.")
    versions = sorted(f"{name} {version}" for name, version in compare["versions"].items())
    lines.append("Engines: " + "; ".join(versions) + ".")
    for name, why in sorted(compare["missing"].items()):
        lines.append(f"Not measured: {name} ({why}).")
    return "\n".join(lines)


def time_tables(compare):
    parts = []
    for shape, threads in groups(compare):
        cells = [c for c in compare["cells"] if (c["shape"], c["threads"]) == (shape, threads)]
        engines = list(compare["versions"])
        engines.sort(key=plots.ENGINES.index)
        rows = [[str(c["batch"])] + [short(c["us_per_token"][e]["median"]) for e in engines] for c in cells]
        parts.append(f"Microseconds per token, {shape_name(compare, shape)}, {count(threads, 'thread')}:\n\n"
                     + table(["batch"] + engines, rows))
    return "\n\n".join(parts)


def groups(compare):
    return sorted({(c["shape"], c["threads"]) for c in compare["cells"]})


def ratio_tables(compare):
    parts = []
    for shape, threads in groups(compare):
        rows = []
        for c in compare["cells"]:
            if (c["shape"], c["threads"]) != (shape, threads):
                continue
            for against in dict.fromkeys([c["fastest_float32"], "onnxruntime-int8"]):
                ratios = {r["engine"]: r["times_faster"] for r in c["ratios"] if r["against"] == against}
                if ratios:
                    rows.append([str(c["batch"]), against] + [spread(ratios[e]) for e in lookup_engines(compare)])
        parts.append(f"Times faster than the fastest float32 engine of the row, and than ONNX Runtime int8, "
                     f"{shape_name(compare, shape)}, {count(threads, 'thread')}; median of the rounds' ratios, 10th to "
                     f"90th percentile:\n\n" + table(["batch", "against"] + lookup_engines(compare), rows))
    return "\n\n".join(parts)


def lookup_engines(compare):
    return [e for e in plots.ENGINES if e.startswith("lookupffn") and e in compare["versions"]]


def thread_table(compare):
    cells = {(c["shape"], c["batch"], c["threads"]): c["us_per_token"] for c in compare["cells"]}
    engines, rows = lookup_engines(compare), []
    for (shape, batch, threads), two in sorted(cells.items()):
        one = cells.get((shape, batch, 1))
        if threads == 2 and one and batch >= 64:
            rows.append([f"{shape}, batch {batch}"] + [f"{one[e]['median'] / two[e]['median']:.2f}" for e in engines])
    if not rows:
        return ""
    return "Times faster with two threads than with one (medians of two different cells):\n\n" + table([""] + engines, rows)


def quality_text(compare):
    lines = []
    for name, s in compare["shapes"].items():
        if "difference" not in s:
            continue
        lines.append(f"- {shape_name(compare, name)}: the codes have {s['code_entropy_bits']:.2f} bits of entropy per table "
                     f"({s['tau']} at most) and use {100 * s['rows_used']:.1f} % of all rows. Root mean square difference "
                     "from the first engine of the same sort: "
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
    for b in layer["benchmarks"]:
        if b.get("error_occurred"):
            continue
        shape, kind, batch = b["name"].split("/")[:3]
        peak = dot if kind == "int8" and dot else fma
        rows.append([f"{shape} {kind}, batch {batch.split(':')[1]}", short(b["hash_us"]), short(b["hash_gflops"]),
                     f"{100 * b['hash_gflops'] / peak:.0f} %", short(b["gather_us"]), short(b["gather_gbytes"]),
                     f"{100 * b['gather_gbytes'] / l2:.0f} %"])
    return ("One thread. The share of the hash is of the peak above in its arithmetic; the share of the gather is of the best "
            f"bandwidth for random rows from L2, {l2:.0f} GB/s:\n\n"
            + table(["", "hash us/token", "Gop/s", "share", "gather us/token", "GB/s", "share"], rows))


def generated(compare, limits, layer):
    best = row_bandwidth(limits)
    sections = [
        ("## The machine and the engines", machine_text(compare)),
        ("## Time per token", time_tables(compare) + "\n\n![Time per token](images/time-per-token.svg)"),
        ("## Ratios", ratio_tables(compare) + "\n\n![Ratios](images/ratios.svg)\n\n" + thread_table(compare)),
        ("## Are the results right", quality_text(compare)),
        ("## The machine's limits", limits_text(limits, best) + "\n\n![Random rows](images/random-rows.svg)"),
        ("## The kernels against the limits", kernel_table(limits, layer, best)),
    ]
    return "\n\n".join(f"{title}\n\n{text}" for title, text in sections)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    results = {}
    for name, path in zip(("compare", "limits", "layer"), sys.argv[1:]):
        results[name] = json.loads(pathlib.Path(path).read_text())
        for private in ("host_name", "executable"):
            results[name].get("context", {}).pop(private, None)
    folder = ROOT / "benchmarks" / "results"
    folder.mkdir(exist_ok=True)
    for name, values in results.items():
        (folder / f"{name}.json").write_text(json.dumps(values, indent=1) + "\n")
    images = ROOT / "docs" / "images"
    images.mkdir(parents=True, exist_ok=True)
    plots.time_per_token(results["compare"], images / "time-per-token.svg")
    plots.ratios(results["compare"], images / "ratios.svg")
    plots.random_rows(row_bandwidth(results["limits"]), images / "random-rows.svg")
    page = ROOT / "docs" / "performance.md"
    before, _, rest = page.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n\n{generated(**results)}\n\n{END}{after}")


main()
