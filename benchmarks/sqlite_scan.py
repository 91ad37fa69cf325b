#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast lffn_search scans a table, beside sqlite-vec where its extension is given, as a table for docs/sqlite.md.

    benchmarks/sqlite_scan.py lookupffn-sqlite.so [vec0.so] [--rows 200000] [--repeats 5]

Each way finds the 10 nearest of the same random vectors, in memory; the ways take turns, and the best of each counts.
The last row is one thread that only reads as many bytes (memchr), so what the memory gives: the percentages are of it."""
import argparse
import os
import random
import sqlite3
import sys
import time
from array import array
from pathlib import Path

MODEL = Path(__file__).resolve().parents[1] / "examples/models/all-minilm-l6-v2-fast"  # tells the size of the vectors
SIZE = 384
FORMS = {"float32": 4 * SIZE, "int8": SIZE, "bits": SIZE // 8}
ONLY_READ = "bytes that are only read"


def vectors(form, count):
    draw = random.Random(1)
    pool = array("f", (draw.gauss(0, 1) for _ in range(SIZE * 512))).tobytes() if form == "float32" else draw.randbytes(1 << 20)
    unit, size = (4 if form == "float32" else 1), FORMS[form]
    for _ in range(count):
        at = unit * draw.randrange((len(pool) - size) // unit)
        yield pool[at:at + size]


def ways_of(db, form, has_sqlite_vec):
    ways = {"`lffn_search`": "SELECT id FROM lffn_search('v', 'e', ?, 10)"}
    kind = {"bits": "bit"}.get(form, form)
    db.execute(f"CREATE VIRTUAL TABLE p USING lffn_index(size={SIZE}, type={kind})")
    db.execute("INSERT INTO p(rowid, embedding) SELECT id, e FROM v")
    ways["`lffn_search` of an `lffn_index`"] = "SELECT id FROM lffn_search('p', 'embedding', ?, 10)"
    ways["rows that SQLite steps through"] = "SELECT count(*) FROM v WHERE e IS NOT NULL AND ? IS NOT NULL"
    if not has_sqlite_vec:
        return ways
    kind, of, metric = {"float32": ("float", "", "cosine"), "int8": ("int8", "vec_int8", "cosine"),
                        "bits": ("bit", "vec_bit", "hamming")}[form]
    cosine = " distance_metric=cosine" if metric == "cosine" else ""
    db.execute(f"CREATE VIRTUAL TABLE w USING vec0(e {kind}[{SIZE}]{cosine})")
    db.execute(f"INSERT INTO w(rowid, e) SELECT id, {of}(e) FROM v")
    ways["sqlite-vec, a function: `vec_distance_...`"] = (
        f"SELECT id FROM v ORDER BY vec_distance_{metric}({of}(e), {of}(?)) LIMIT 10")
    ways["sqlite-vec, its own table: `vec0`"] = f"SELECT rowid FROM w WHERE e MATCH {of}(?) AND k = 10"
    return ways


def measure(args, form):
    """Seconds of each way."""
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(args.extension)
    db.execute("SELECT lffn_model(?)", (str(MODEL),))
    if args.sqlite_vec:
        db.load_extension(args.sqlite_vec)
    *rows, query = vectors(form, args.rows + 1)
    db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e BLOB)")
    db.executemany("INSERT INTO v(e) VALUES (?)", ((row,) for row in rows))
    ways = ways_of(db, form, bool(args.sqlite_vec))
    memory = b"\x01" * (args.rows * FORMS[form])
    seconds, found = {}, {}

    def count(name, begin):
        seconds[name] = min(seconds.get(name, float("inf")), time.perf_counter() - begin)

    for _ in range(args.repeats):
        for name, sql in ways.items():
            begin = time.perf_counter()
            found[name] = db.execute(sql, (query,)).fetchall()
            count(name, begin)
        begin = time.perf_counter()
        memory.find(b"\x02")
        count(ONLY_READ, begin)
    orders = {tuple(rows) for name, rows in found.items() if len(rows) == 10}
    if form != "bits" and len(orders) != 1:  # of bits many are as near
        sys.exit(f"{form}: they found other vectors: {found}")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("extension", type=os.path.abspath)
    parser.add_argument("sqlite_vec", nargs="?", type=os.path.abspath)
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    seconds = {form: measure(args, form) for form in FORMS}
    print(f"| million vectors of {SIZE} numbers a second | " + " | ".join(FORMS) + " |\n" + "|---" * (len(FORMS) + 1) + "|")
    for name in seconds["float32"]:
        cells = []
        for form, size in FORMS.items():
            rate, most = args.rows / seconds[form][name], args.rows / seconds[form][ONLY_READ]
            share = f"{rate * size / 1e9:.1f} GB/s" if name == ONLY_READ else f"{100 * rate / most:.0f} %"
            cells.append(f"{rate / 1e6:.2f}, {share}")
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
