"""The pictures of docs/performance-models.md."""
import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as pyplot
import numpy
from matplotlib.ticker import FuncFormatter

# In the order of tables and legends. LookupFFN in blues, the others each in a colour of its own.
STYLES = {
    "lookupffn-f32": ("#08306b", "o", "-"),
    "lookupffn-int8": ("#00a0c8", "D", "-"),
    "onnxruntime-f32": ("#7570b3", "^", "--"),
    "onnxruntime-int8": ("#e7298a", "D", "--"),
    "pytorch": ("#666666", "v", "--"),
}
STAGES = (("attention", "#d95f02"), ("its linear layers", "#7570b3"), ("FFN", "#00a0c8"), ("the rest", "#aaaaaa"))
matplotlib.rcParams.update({"font.size": 10, "axes.grid": True, "grid.alpha": 0.3, "axes.spines.top": False,
                            "axes.spines.right": False})


def threads_text(threads):
    return f"{threads} thread" + ("" if threads == 1 else "s")


def save(figure, path):
    figure.savefig(path, dpi=90, metadata={"Software": None}, bbox_inches="tight")
    pyplot.close(figure)


def legend_below(figure, axis, columns):
    figure.tight_layout()
    figure.legend(*axis.get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=columns, frameon=False)


def speeds(groups, medians, path):
    """Tokens per second by texts per call; lengths side by side, thread counts below each other."""
    lengths, threads = (sorted({key[i] for key in groups}) for i in (1, 0))
    figure, axes = pyplot.subplots(len(threads), len(lengths), figsize=(3.8 * len(lengths), 3.1 * len(threads)),
                                   sharex=True, squeeze=False)
    for (count, length), cells in groups.items():
        axis = axes[threads.index(count)][lengths.index(length)]
        axis.set_title(f"texts of {length} tokens, {threads_text(count)}", fontsize=10)
        for engine, (color, marker, line) in STYLES.items():
            rates = [c["texts"] * length / medians(c)[engine] for c in cells]
            axis.plot([c["texts"] for c in cells], rates, color=color, marker=marker, linestyle=line, markersize=5, label=engine)
        axis.set_xscale("log", base=2)
        axis.set_xticks([c["texts"] for c in cells])
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_ylim(bottom=0)
    for axis in axes[-1]:
        axis.set_xlabel("texts per call")
    for row in axes:
        row[0].set_ylabel("tokens per second")
    legend_below(figure, axes[0][0], len(STYLES))
    save(figure, path)


def shares(cells, engines, path):
    """Where our time goes, on one thread."""
    figure, axes = pyplot.subplots(1, len(engines), figsize=(5.5 * len(engines), 3.6), sharey=True, squeeze=False)
    for axis, engine in zip(axes[0], engines):
        below = numpy.zeros(len(cells))
        for place, (name, color) in enumerate(STAGES):
            height = numpy.array([c["stages"][engine][place] / sum(c["stages"][engine]) for c in cells])
            axis.bar(range(len(cells)), 100 * height, bottom=100 * below, color=color, label=name)
            below += height
        axis.set_title(engine, fontsize=10)
        axis.set_xticks(range(len(cells)), [f"{c['texts']} x {c['length']}" for c in cells], fontsize=8, rotation=45)
        axis.grid(axis="x", visible=False)
    axes[0][0].set_ylabel("% of the time, one thread")
    legend_below(figure, axes[0][0], len(STAGES))
    save(figure, path)
