#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures forward and backward of one LookupFFN layer through liblookupffn and in plain PyTorch, on the CPU.

    step_speed.py [--threads 1] [--tokens 2048] [--runs 9]

LOOKUPFFN_LIBRARY names the library. The best run counts, in wall time and in CPU time of the whole process.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from lookupffn import LookupFFN, native  # noqa: E402


def step(layer, x, grad):
    for parameter in layer.parameters():
        parameter.grad = None
    x.grad = None
    layer(x).backward(grad)


PATHS = {"liblookupffn": True, "plain PyTorch": False}


def best_times(layer, x, grad, runs):
    """Milliseconds, wall and CPU, of each path. They take turns, so that a slow moment of the machine affects both; the first
    turn is not counted."""
    times = {name: [] for name in PATHS}
    for turn in range(runs + 1):
        for name, layer.use_native in PATHS.items():
            wall_start, cpu_start = time.perf_counter(), time.process_time()
            step(layer, x, grad)
            wall, cpu = time.perf_counter() - wall_start, time.process_time() - cpu_start
            if turn > 0:
                times[name].append((wall * 1e3, cpu * 1e3))
    return {name: tuple(map(min, zip(*measured))) for name, measured in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hidden-size", type=int, default=512)
    parser.add_argument("--tables", type=int, default=128)
    parser.add_argument("--table-size", type=int, default=256)
    parser.add_argument("--block-size", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=2048)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=9)
    arguments = parser.parse_args()
    if native.library() is None:
        sys.exit("step_speed.py: liblookupffn was not found; set LOOKUPFFN_LIBRARY")
    if os.environ.get("OMP_NUM_THREADS") != str(arguments.threads):
        # PyTorch's thread for the backward pass asks OpenMP, whatever set_num_threads said.
        os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
        os.execv(sys.executable, [sys.executable, *sys.argv])
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    layer = LookupFFN(arguments.hidden_size, arguments.tables, arguments.table_size, block_size=arguments.block_size)
    x = torch.randn(arguments.tokens, arguments.hidden_size, requires_grad=True)
    grad = torch.randn(arguments.tokens, arguments.hidden_size)
    times = best_times(layer, x, grad, arguments.runs)
    print("| | wall, ms | CPU, ms |\n|---|---|---|")
    for name, (wall, cpu) in times.items():
        print(f"| {name} | {wall:.1f} | {cpu:.1f} |")
    ratios = [plain / ours for plain, ours in zip(times["plain PyTorch"], times["liblookupffn"])]
    print(f"| times faster | {ratios[0]:.2f} | {ratios[1]:.2f} |")


if __name__ == "__main__":
    main()
