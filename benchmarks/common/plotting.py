# SPDX-License-Identifier: Apache-2.0
"""What all pictures share: colours, the look, saving."""
import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as pyplot  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

# In the order of tables and legends. LookupFFN in blues and greens, the others each in a colour of its own.
STYLES = {
    "lookupffn-f32": ("#08306b", "o", "-"),
    "lookupffn-bf16": ("#2171b5", "s", "-"),
    "lookupffn-int8-tables": ("#6baed6", "^", "-"),
    "lookupffn-int8": ("#00a0c8", "D", "-"),
    "lookupffn-dense-f32": ("#00592b", "o", "-"),
    "lookupffn-dense-int8": ("#31a354", "D", "-"),
    "onednn": ("#d95f02", "o", "--"),
    "openblas": ("#e6ab02", "s", "--"),
    "onnxruntime-f32": ("#7570b3", "^", "--"),
    "onnxruntime-int8": ("#e7298a", "D", "--"),
    "pytorch": ("#666666", "v", "--"),
}
PLAIN = FuncFormatter(lambda value, _: f"{value:g}")
# The same file for the same numbers.
matplotlib.rcParams.update({"svg.hashsalt": "lookupffn", "font.size": 10, "axes.grid": True, "grid.alpha": 0.3,
                            "axes.spines.top": False, "axes.spines.right": False, "svg.fonttype": "none"})


def legend_below(figure, axes, columns=5):
    """Of all lines in any of the plots."""
    entries = {}
    for axis in axes.flat:
        entries.update(zip(*reversed(axis.get_legend_handles_labels())))
    figure.tight_layout()
    figure.legend(entries.values(), entries.keys(), loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=min(columns, len(entries)),
                  frameon=False)


def save(figure, path):
    metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
    figure.savefig(path, dpi=90, metadata=metadata, bbox_inches="tight")
    pyplot.close(figure)
    if path.suffix == ".svg":  # matplotlib ends some lines with a blank
        path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")
