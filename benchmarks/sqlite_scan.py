#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast lffn_search scans a table, beside sqlite-vec where its extension is given.

    benchmarks/sqlite_scan.py lookupffn-sqlite.so [vec0.so] [--rows 200000] [--size 384]

Each way finds the 10 nearest of the same random vectors, in memory; the ways take turns, and the best of each counts."""
import argparse
import random
import sqlite3
import struct
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("extension")
    parser.add_argument("sqlite_vec", nargs="?")
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("--size", type=int, default=384)
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(args.extension)
    if args.sqlite_vec:
        db.load_extension(args.sqlite_vec)
    draw = random.Random(1)
    pool = [draw.gauss(0, 1) for _ in range(args.size * 64)]

    def vector():
        at = draw.randrange(len(pool) - args.size)
        return struct.pack(f"<{args.size}f", *(pool[at + i] + 0.1 * (i % 7) for i in range(args.size)))

    db.execute("CREATE TABLE v(id INTEGER PRIMARY KEY, e BLOB)")
    db.executemany("INSERT INTO v(e) VALUES (?)", ((vector(),) for _ in range(args.rows)))
    query = vector()
    ways = {"rows read, nothing compared": "SELECT sum(length(e)) FROM v WHERE ? IS NOT NULL",
            "lffn_search": "SELECT id FROM lffn_search('v', 'e', ?, 10)"}
    if args.sqlite_vec:
        db.execute(f"CREATE VIRTUAL TABLE w USING vec0(e float[{args.size}] distance_metric=cosine)")
        db.execute("INSERT INTO w(rowid, e) SELECT id, e FROM v")
        ways["vec_distance_cosine"] = "SELECT id FROM v ORDER BY vec_distance_cosine(e, ?) LIMIT 10"
        ways["vec0"] = "SELECT rowid FROM w WHERE e MATCH ? AND k = 10"
    seconds = {name: float("inf") for name in ways}
    found = {}
    for _ in range(args.repeats):
        for name, sql in ways.items():
            begin = time.perf_counter()
            found[name] = db.execute(sql, (query,)).fetchall()
            seconds[name] = min(seconds[name], time.perf_counter() - begin)
    for name, best in seconds.items():
        gigabytes = args.rows * args.size * 4 / best / 1e9
        print(f"{name:<28} {args.rows / best / 1e6:6.2f} million vectors a second, {gigabytes:5.1f} GB/s")
    nearest = {tuple(rows) for name, rows in found.items() if not name.startswith("rows")}
    print("all found the same" if len(nearest) == 1 else "they found others, as rounding has it")


if __name__ == "__main__":
    main()
