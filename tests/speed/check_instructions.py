#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of a dozen calls and compares them with those of instructions.json: a gate for speed that
other work on the machine cannot move. A change that makes a call slower says so by a new number there:

    check_instructions.py PROGRAM MODELS FOLDERS COMPILER [--store]

Numbers are those of one compiler. valgrind runs no AVX-512, so the instruction sets are those without it."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
STORED = Path(__file__).with_name("instructions.json")
SETS = ("baseline", "avx2")
TOLERANCE = 0.02
# Float tables are cut so that a few fit into the L2 cache: their calls have other numbers with another cache.
BY_CACHE = "layer f32 "


def with_cache(name):
    if not name.startswith(BY_CACHE):
        return name
    bytes_of_l2 = subprocess.run(["getconf", "LEVEL2_CACHE_SIZE"], check=True, capture_output=True, text=True).stdout
    return f"{name}, L2 {int(bytes_of_l2) >> 10} KiB"


def counted(program, models, folders, isa):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["valgrind", "--tool=callgrind", "--instr-atstart=no", "--dump-line=no",
                               f"--callgrind-out-file={folder}/out", program, models, folders], check=False,
                              capture_output=True, text=True,
                              env={**os.environ, "LOOKUPFFN_ISA": isa, "LOOKUPFFN_NUM_THREADS": "1"})
        if done.returncode != 0:
            sys.exit(f"{isa}: {done.stderr[-2000:]}")
        numbers = {}
        for part in Path(folder).iterdir():
            text = part.read_text(encoding="utf-8", errors="replace")
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
            if name and total:
                numbers[with_cache(name[1])] = int(total[1])
    return numbers


def main():
    program, models, folders, compiler = sys.argv[1:5]
    store = "--store" in sys.argv[5:]
    if shutil.which("valgrind") is None:
        print("needs valgrind")
        return SKIPPED
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    if compiler not in stored and not store:
        print(f"NOTHING WAS CHECKED: there are no numbers of {compiler}, only of: {', '.join(stored) or 'none'}; "
              f"store them with: {' '.join(sys.argv)} --store")
        return SKIPPED
    avx2 = " avx2 " in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    bad = False
    for isa in SETS:
        if isa == "avx2" and not avx2:
            print("this processor has no AVX2: only baseline is checked")
            continue
        numbers = counted(program, models, folders, isa)
        if store:
            others = {name: number for name, number in stored.get(compiler, {}).get(isa, {}).items()
                      if name.startswith(BY_CACHE)}
            stored.setdefault(compiler, {})[isa] = {**others, **numbers}
            continue
        expected = {name: number for name, number in stored[compiler].get(isa, {}).items()
                    if name in numbers or not name.startswith(BY_CACHE)}
        for name in sorted(expected.keys() | numbers.keys()):
            if name.startswith(BY_CACHE) and name not in expected:
                print(f"{isa:<9} {name:<34} {numbers[name]:>12,} not checked: no number of such a cache is stored")
                continue
            now, then = numbers.get(name, 0), expected.get(name, 0)
            change = now / then - 1 if now and then else None
            wrong = change is None or abs(change) > TOLERANCE
            bad |= wrong
            print(f"{isa:<9} {name:<34} {now:>12,} {then:>12,} "
                  + ("only in one of them" if change is None else f"{100 * change:+.1f} %") + ("  <--" if wrong else ""))
    if store:
        STORED.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if bad:
        print("A call became slower, or faster: if it must be, store its number: the last command with --store, or\n"
              f"    {' '.join(sys.argv)} --store")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
