#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How well cheap projections come close to a random matrix, against FLOP and parameters.

    projection_figure.py OUT.json [OUT.png] [--size 64] [--steps 1500] [--seeds 3]

Each is fitted with Adam to a square matrix of normal numbers; the error is the mean square of the difference divided by that of
the matrix. A projection that cannot be fitted at all has error 1.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from lookupffn.projections import BlockHadamard  # noqa: E402
from lookupffn.structured import ACDC, HadamardACDC, HadamardDiagonals  # noqa: E402


def block_hadamard(size, factors, block):
    # Without the share of the input, as the others are.
    layer = BlockHadamard(size, size, factors, block, decay_coeff=1.0)
    layer.bias.requires_grad_(False)
    layer.flop = layer.flop_per_token
    return layer


def candidates(size):
    for factors in (1, 2, 4, 8):
        yield "Hadamard with diagonals", factors, lambda f=factors: HadamardDiagonals(size, f)
        yield "ACDC", factors, lambda f=factors: ACDC(size, f)
        yield "ACDC with Hadamard", factors, lambda f=factors: HadamardACDC(size, f)
    for block in (4, 8, 16, 32):
        if block < size:
            yield "BH4", block, lambda b=block: block_hadamard(size, 4, b)
            yield "BH2", block, lambda b=block: block_hadamard(size, 2, b)


def fitted_error(layer, target, steps):
    parameters = [p for p in layer.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=1e-2)
    eye = torch.eye(len(target))
    best = 1.0
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 1e-2 * (1 - step / steps)
        error = (layer(eye) - target).pow(2).mean() / target.pow(2).mean()
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
        best = min(best, float(error.detach()))
    return best


def plot(rows, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4), sharey=True)
    for axis, key, label in zip(axes, ("flop", "parameters"), ("FLOP per token", "parameters")):
        for kind in dict.fromkeys(row["kind"] for row in rows):
            chosen = sorted((row[key], row["error"]) for row in rows if row["kind"] == kind)
            axis.plot(*zip(*chosen), marker="o", label=kind)
        axis.set_xscale("log")
        axis.set_xlabel(label)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("error of the best fit")
    axes[1].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("picture", nargs="?")
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows = [{"kind": "dense", "setting": 0, "flop": 2 * arguments.size**2, "parameters": arguments.size**2, "error": 0.0,
             "spread": 0.0}]
    for kind, setting, make in candidates(arguments.size):
        errors = []
        for seed in range(arguments.seeds):
            torch.manual_seed(seed)
            target = torch.randn(arguments.size, arguments.size) / arguments.size**0.5
            layer = make()
            errors.append(fitted_error(layer, target, arguments.steps))
        rows.append({"kind": kind, "setting": setting, "flop": layer.flop(),
                     "parameters": sum(p.numel() for p in layer.parameters() if p.requires_grad),
                     "error": round(statistics.mean(errors), 4), "spread": round(max(errors) - min(errors), 4)})
        print(rows[-1], flush=True)
    Path(arguments.out).write_text(json.dumps(rows, indent=1) + "\n")
    if arguments.picture:
        plot(rows, arguments.picture)


if __name__ == "__main__":
    main()
