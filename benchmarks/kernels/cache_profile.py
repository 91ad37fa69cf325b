#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cache misses per token of a vanilla FFN and of LookupFFNs, counted by valgrind's cachegrind: the seed paper's profile.

    cache_profile.py BENCH-CACHE-PROFILE [--l1 48K] [--last 1M]

Each program runs with two numbers of calls; what the additional calls miss, divided by their tokens, is what a call
misses in the steady state. cachegrind has two levels; --last is the size of the one that stands before memory, here a
core's L2 cache. It emulates no AVX-512, so the kernels are those of AVX2.
"""

import argparse
import os
import re
import subprocess
import tempfile
from pathlib import Path

NAMES = {"vanilla": "vanilla, float32", "lookup": "lookup, float32", "lookup-int8": "lookup, int8"}


def size(text):
    return int(text.rstrip("KM")) * {"K": 1 << 10, "M": 1 << 20}.get(text[-1], 1)


def counts(arguments, kind, tokens, calls):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        caches = [f"--D1={size(arguments.l1)},{arguments.ways},64", f"--LL={size(arguments.last)},16,64"]
        subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--cachegrind-out-file={out}", *caches,
                        str(arguments.program), kind, str(tokens), str(calls)], check=True, capture_output=True,
                       env={**os.environ, "LOOKUPFFN_ISA": "avx2"})
        text = out.read_text()
    names = re.search(r"^events: (.*)$", text, re.MULTILINE)[1].split()
    values = map(int, re.search(r"^summary: (.*)$", text, re.MULTILINE)[1].split())
    return dict(zip(names, values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--l1", default="48K")
    parser.add_argument("--ways", type=int, default=12)
    parser.add_argument("--last", default="1M")
    arguments = parser.parse_args()
    print("| FFN | tokens a call | instructions | misses of L1 | misses of L2 |\n|---|---|---|---|---|")
    for tokens in (1, 16, 256):
        first, second = (4, 24) if tokens == 1 else (2, 6) if tokens == 16 else (1, 3)
        for kind, name in NAMES.items():
            few, many = (counts(arguments, kind, tokens, calls) for calls in (first, second))
            each = {key: (many[key] - few[key]) / ((second - first) * tokens) for key in many}
            print(f"| {name} | {tokens} | {each['Ir']:,.0f} | {each['D1mr'] + each['D1mw']:,.0f} | "
                  f"{each['DLmr'] + each['DLmw']:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
