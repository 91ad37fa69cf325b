# SPDX-License-Identifier: Apache-2.0
"""The pictures of benchmarks/results/models.md, and that of README.md."""
import matplotlib.pyplot as pyplot
import numpy

from plotting import PLAIN, STYLES, legend_below, save

STAGES = (("attention", "#d95f02"), ("its linear layers", "#7570b3"), ("FFN", "#00a0c8"), ("the rest", "#aaaaaa"), ("text", "#e6ab02"))


def threads_text(threads):
    return f"{threads} thread" + ("" if threads == 1 else "s")


def speeds(groups, medians, path):
    """Tokens per second by texts per call; lengths side by side, thread counts below each other."""
    lengths, threads = (sorted({key[i] for key in groups}) for i in (1, 0))
    figure, axes = pyplot.subplots(len(threads), len(lengths), figsize=(3.8 * len(lengths), 3.1 * len(threads)), squeeze=False)
    for (count, length), cells in groups.items():
        axis = axes[threads.index(count)][lengths.index(length)]
        axis.set_title(f"texts of {length} tokens, {threads_text(count)}", fontsize=10)
        for engine, (color, marker, line) in STYLES.items():
            points = [(c["texts"], c["texts"] * length / medians(c)[engine]) for c in cells if engine in medians(c)]
            if points:
                axis.plot(*zip(*points), color=color, marker=marker, linestyle=line, markersize=5, label=engine)
        axis.set_xscale("log", base=2)
        axis.set_xticks([c["texts"] for c in cells])
        axis.xaxis.set_major_formatter(PLAIN)
        axis.minorticks_off()
        axis.set_ylim(bottom=0)
    for axis in axes[-1]:
        axis.set_xlabel("texts per call")
    for row in axes:
        row[0].set_ylabel("tokens per second")
    legend_below(figure, axes)
    save(figure, path)


def bars(cells_by_threads, medians, path):
    """The same where texts of a length come in one number only: a group of bars for each size."""
    figure, axes = pyplot.subplots(len(cells_by_threads), 1, figsize=(9, 3.4 * len(cells_by_threads)), squeeze=False)
    for axis, (threads, cells) in zip(axes[:, 0], cells_by_threads.items()):
        engines = [e for e in STYLES if any(e in medians(c) for c in cells)]
        for i, engine in enumerate(engines):
            rates = [c["texts"] * c["length"] / medians(c).get(engine, numpy.inf) for c in cells]
            places = numpy.arange(len(cells)) + (i - (len(engines) - 1) / 2) * 0.8 / len(engines)
            axis.bar(places, rates, 0.8 / len(engines), color=STYLES[engine][0], label=engine)
        axis.set_xticks(range(len(cells)), [f"{c['texts']} x {c['length']}" for c in cells])
        axis.set_title(threads_text(threads), fontsize=10)
        axis.set_ylabel("tokens per second")
        axis.grid(axis="x", visible=False)
    axes[-1][0].set_xlabel("texts x tokens")
    legend_below(figure, axes)
    save(figure, path)


def shares(cells, engines, path):
    """Where our time goes, on one thread."""
    figure, axes = pyplot.subplots(1, len(engines), figsize=(11 / max(2, len(engines)) * len(engines), 3.6), sharey=True, squeeze=False)
    for axis, engine in zip(axes[0], engines):
        below = numpy.zeros(len(cells))
        stages = STAGES[:len(cells[0]["stages"][engine])]  # older results do not know the last
        for place, (name, color) in enumerate(stages):
            height = numpy.array([c["stages"][engine][place] / sum(c["stages"][engine]) for c in cells])
            axis.bar(range(len(cells)), 100 * height, bottom=100 * below, color=color, label=name)
            below += height
        axis.set_title(engine, fontsize=10)
        axis.set_xticks(range(len(cells)), [f"{c['texts']} x {c['length']}" for c in cells], fontsize=8, rotation=45)
        axis.grid(axis="x", visible=False)
    axes[0][0].set_ylabel("% of the time, one thread")
    legend_below(figure, axes, len(STAGES))
    save(figure, path)
