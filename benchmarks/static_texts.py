#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many texts a second a model of static vectors embeds, on one thread.

    benchmarks/static_texts.py lookupffn MODEL TEXTS.txt [--repeats 5]

Lines of the file are texts. `lookupffn embed` runs with them once and eleven times over, in turns; the difference of the
shortest times is that of ten times the texts, without loading the model."""
import argparse
import subprocess
import tempfile
import time
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("model")
    parser.add_argument("texts", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    lines = args.texts.read_bytes().splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, "once"), Path(folder, "eleven")]
        for file, times in zip(files, (1, 11)):
            file.write_bytes(b"".join(lines) * times)
        seconds = {}
        for _ in range(args.repeats):
            for file in files:
                begin = time.perf_counter()
                subprocess.run([args.command, "embed", "--raw", "--threads", "1", args.model, str(file)], check=True,
                               stdout=subprocess.DEVNULL)
                seconds[file] = min(seconds.get(file, float("inf")), time.perf_counter() - begin)
    each = (seconds[files[1]] - seconds[files[0]]) / (10 * len(lines))
    characters = sum(map(len, lines)) / len(lines)
    print(f"{len(lines)} texts of {characters:.0f} bytes: {1 / each:,.0f} texts a second, {characters / each / 1e6:.1f} MB/s")


if __name__ == "__main__":
    main()
