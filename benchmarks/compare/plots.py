# SPDX-License-Identifier: Apache-2.0
"""The pictures of benchmarks/results/layers.md."""
import matplotlib.pyplot as pyplot
from matplotlib.ticker import LogLocator

from plotting import PLAIN, STYLES, legend_below, save


def logarithmic(axis, places):
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xticks(places)
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(PLAIN)
    axis.yaxis.set_major_formatter(PLAIN)
    axis.minorticks_off()


def panels(compare, same_batches):
    """One plot per shape and thread count: shapes below each other, thread counts side by side."""
    ffn = [c for c in compare["cells"] if "tau" in compare["shapes"][c["shape"]]]
    shapes = sorted({c["shape"] for c in ffn})
    threads = sorted({c["threads"] for c in ffn})
    figure, axes = pyplot.subplots(len(shapes), len(threads), figsize=(5.5 * len(threads), 3.8 * len(shapes)),
                                   sharex=same_batches, sharey="row", squeeze=False)
    for row, shape in zip(axes, shapes):
        for axis, count in zip(row, threads):
            s = compare["shapes"][shape]
            axis.set_title(f"d {s['d']}, t {s['t']}, {s['h']} x {1 << s['tau']} rows, {count} thread" + ("" if count == 1 else "s"))
            cells = [c for c in ffn if (c["shape"], c["threads"]) == (shape, count)]
            yield figure, axes, axis, sorted(cells, key=lambda c: c["batch"])


def time_per_token(compare, path):
    batches = sorted({c["batch"] for c in compare["cells"]})
    for figure, axes, axis, cells in panels(compare, True):
        for engine, (color, marker, line) in STYLES.items():
            points = [(c["batch"], c["us_per_token"][engine]["median"]) for c in cells if engine in c["us_per_token"]]
            if points:
                axis.plot(*zip(*points), color=color, marker=marker, linestyle=line, markersize=5, label=engine)
        logarithmic(axis, batches)
        axis.tick_params(axis="x", labelsize=8, rotation=45)
    for axis in axes[-1]:
        axis.set_xlabel("tokens per call")
    for row in axes:
        row[0].set_ylabel("microseconds per token")
    legend_below(figure, axes)
    save(figure, path)


def ratios(compare, path):
    """Against the fastest float32 engine, with the 10th and 90th percentile as whiskers."""
    for figure, axes, axis, cells in panels(compare, False):
        engines = [e for e in STYLES if e.startswith("lookupffn") and any(e in c["us_per_token"] for c in cells)]
        width = 0.8 / max(1, len(engines))
        for i, engine in enumerate(engines):
            found = [r["times_faster"] for c in cells for r in c["ratios"]
                     if r["engine"] == engine and r["against"] == c["fastest_float32"]]
            places = [place + (i - (len(engines) - 1) / 2) * width for place in range(len(found))]
            medians = [r["median"] for r in found]
            whiskers = [[r["median"] - r["p10"] for r in found], [r["p90"] - r["median"] for r in found]]
            axis.bar(places, medians, width, yerr=whiskers, color=STYLES[engine][0], label=engine,
                     error_kw={"elinewidth": 0.8, "ecolor": "#444444"})
        axis.axhline(1, color="black", linewidth=0.8)
        axis.set_xticks(range(len(cells)), [f"{c['batch']}\n{c['fastest_float32']}".replace("-", "\n") for c in cells], fontsize=7)
        axis.grid(axis="x", visible=False)
    for axis in axes[-1]:
        axis.set_xlabel("tokens per call, and the fastest float32 engine there")
    for row in axes:
        row[0].set_ylabel("times faster")
    legend_below(figure, axes)
    save(figure, path)


def random_rows(bandwidth, path):
    figure, axis = pyplot.subplots(figsize=(6, 3.6))
    rows = sorted({row for row, _ in bandwidth})
    for level, color in (("L1", "#08306b"), ("L2", "#2171b5"), ("L3", "#6baed6"), ("memory", "#d95f02")):
        points = [(row, bandwidth[row, level]) for row in rows if (row, level) in bandwidth]
        if points:
            axis.plot(*zip(*points), color=color, marker="o", markersize=5, label=level)
    logarithmic(axis, rows)
    axis.set_xlabel("bytes per row")
    axis.set_ylabel("GB/s, one core")
    axis.legend(frameon=False, ncol=4, loc="upper center", bbox_to_anchor=(0.5, 1.15))
    save(figure, path)
