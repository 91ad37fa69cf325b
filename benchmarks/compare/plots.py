"""The pictures of docs/performance.md."""
import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot
from matplotlib.ticker import FuncFormatter, LogLocator

# In the order of tables and legends. LookupFFN in blues, the others each in a colour of its own.
STYLES = {
    "lookupffn-f32": ("#08306b", "o", "-"),
    "lookupffn-bf16": ("#2171b5", "s", "-"),
    "lookupffn-int8-tables": ("#6baed6", "^", "-"),
    "lookupffn-int8": ("#00a0c8", "D", "-"),
    "onednn": ("#d95f02", "o", "--"),
    "openblas": ("#e6ab02", "s", "--"),
    "onnxruntime-f32": ("#7570b3", "^", "--"),
    "onnxruntime-int8": ("#e7298a", "D", "--"),
    "pytorch": ("#666666", "v", "--"),
}
ENGINES = list(STYLES)
# The same file for the same numbers.
matplotlib.rcParams.update({"svg.hashsalt": "lookupffn", "font.size": 10, "axes.grid": True, "grid.alpha": 0.3,
                            "axes.spines.top": False, "axes.spines.right": False, "svg.fonttype": "none"})


def logarithmic(axis, places):
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xticks(places)
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(plain)
    axis.yaxis.set_major_formatter(plain)
    axis.minorticks_off()


def save(figure, path):
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)
    # matplotlib ends some lines with a blank.
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")


def panels(compare, same_batches):
    """One plot per shape and thread count: shapes below each other, thread counts side by side."""
    shapes = sorted({c["shape"] for c in compare["cells"]})
    threads = sorted({c["threads"] for c in compare["cells"]})
    figure, axes = pyplot.subplots(len(shapes), len(threads), figsize=(5.5 * len(threads), 3.8 * len(shapes)),
                                   sharex=same_batches, sharey="row", squeeze=False)
    for row, shape in zip(axes, shapes):
        for axis, count in zip(row, threads):
            s = compare["shapes"][shape]
            axis.set_title(f"d {s['d']}, t {s['t']}, {count} thread" + ("" if count == 1 else "s"))
            cells = [c for c in compare["cells"] if (c["shape"], c["threads"]) == (shape, count)]
            yield figure, axes, axis, sorted(cells, key=lambda c: c["batch"])


def time_per_token(compare, path):
    for figure, axes, axis, cells in panels(compare, True):
        for engine in ENGINES:
            points = [(c["batch"], c["us_per_token"][engine]["median"]) for c in cells if engine in c["us_per_token"]]
            if points:
                color, marker, line = STYLES[engine]
                axis.plot(*zip(*points), color=color, marker=marker, linestyle=line, markersize=5, label=engine)
        logarithmic(axis, [c["batch"] for c in cells])
    for axis in axes[-1]:
        axis.set_xlabel("tokens per call")
    for row in axes:
        row[0].set_ylabel("microseconds per token")
    legend_below(figure, axes)
    save(figure, path)


def ratios(compare, path):
    """Against the fastest float32 engine, with the 10th and 90th percentile as whiskers."""
    for figure, axes, axis, cells in panels(compare, False):
        engines = [e for e in ENGINES if e.startswith("lookupffn") and any(e in c["us_per_token"] for c in cells)]
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
        axis.set_xticks(range(len(cells)), [f"{c['batch']}\n{c['fastest_float32']}".replace("-", "\n") for c in cells], fontsize=8)
        axis.grid(axis="x", visible=False)
    for axis in axes[-1]:
        axis.set_xlabel("tokens per call, and the fastest float32 engine there")
    for row in axes:
        row[0].set_ylabel("times faster")
    legend_below(figure, axes)
    save(figure, path)


def legend_below(figure, axes):
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.tight_layout()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=min(5, len(labels)), frameon=False)


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
