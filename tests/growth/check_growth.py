#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures memory and, where there is valgrind, instructions of each case while its input is doubled, and compares
them with the table of SECURITY.md:

    check_growth.py PROGRAM SECURITY.md [--doublings N] [--start X] [--only PART] [--show]

What is beyond the smallest input must stay below the table's multiples of the bytes that came in addition, and the last
doubling may cost no more than 2.6 times what the one before it did, so that nothing grows as a square does. Memory is
measured at larger sizes, as what a tokenizer takes at least would hide it."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROW = re.compile(r"^\| (.+?) \| ([\d,]+) \| ([\d,]+) \|$", re.MULTILINE)
MOST_OF_DOUBLING = 2.6  # twice, and a logarithm
NOISE = 200_000  # instructions
MEMORY_DOUBLINGS, MEMORY_START = 2, 8


def bounds(page):
    """Of each kind of input: bytes of memory and instructions for a byte."""
    return {kind: (int(memory.replace(",", "")), int(instructions.replace(",", "")))
            for kind, memory, instructions in ROW.findall(page.read_text(encoding="utf-8"))}


def run(program, doublings, start, only, before=()):
    """(kind, case): [(bytes, peak)], the smallest first; and whether all ended as they should."""
    done = subprocess.run([*before, program, str(doublings), str(start), *([only] if only else [])], check=False,
                          capture_output=True, text=True,
                          env={**os.environ, "LOOKUPFFN_ISA": "baseline", "LOOKUPFFN_NUM_THREADS": "1"})
    if done.returncode != 0:
        print("\n".join(line for line in done.stderr.splitlines() if not line.startswith("==")))
    cases = defaultdict(list)
    for line in done.stdout.splitlines():
        kind, case, size, peak = line.split("|")
        cases[kind, case].append((int(size), int(peak)))
    return cases, done.returncode == 0


def instructions(program, doublings, start, only):
    """(kind, case): [(bytes, instructions)], the smallest first; and whether all ended as they should."""
    with tempfile.TemporaryDirectory() as folder:
        good = run(program, doublings, start, only, ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--dump-line=no",
                                                     f"--callgrind-out-file={folder}/out"])[1]
        cases = defaultdict(list)
        for part in Path(folder).iterdir():
            text = part.read_text(encoding="utf-8", errors="replace")
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
            if name and total:
                kind, case, size = name[1].split("|")
                cases[kind, case].append((int(size), int(total[1])))
    return {key: sorted(points) for key, points in cases.items()}, good


def slope(points):
    return (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("page", type=Path)
    parser.add_argument("--doublings", type=int, default=2)
    parser.add_argument("--start", type=float, default=0.5, help="of each case's least size")
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    table = bounds(args.page)
    memory, good = run(args.program, MEMORY_DOUBLINGS, MEMORY_START, args.only)
    steps = {}
    if shutil.which("valgrind"):
        steps, ended = instructions(args.program, args.doublings, args.start, args.only)
        good &= ended
    if not memory or (not args.only and set(table) != {kind for kind, _ in memory}):
        print("the table's rows are not the kinds of the cases:", set(table) ^ {kind for kind, _ in memory})
        good = False
    for key, points in memory.items():
        kind, case = key
        most_bytes, most_steps = table.get(kind, (0, 0))
        faults, shown = [], f"{slope(points):>10.1f} bytes"
        if slope(points) > most_bytes:
            faults.append(f"more than {most_bytes} bytes")
        if key in steps:
            each, counts = slope(steps[key]), [count for _, count in steps[key]]
            shown += f" {each:>10.1f} instructions"
            if each > most_steps:
                faults.append(f"more than {most_steps} instructions")
            last, before = counts[-1] - counts[-2], counts[-2] - counts[-3]
            if last > MOST_OF_DOUBLING * before + NOISE:
                faults.append(f"the last doubling takes {last:,} instructions, the one before it {before:,}")
        elif steps:
            faults.append("no instructions were counted")
        good &= not faults
        if faults or args.show:
            print(f"{kind:<34} {case:<36} {shown}  {'; '.join(faults)}")
    print(f"{len(memory)} cases" + ("" if steps else "; without valgrind, so memory alone"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
