#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables in Markdown of what `lookupffn bench --costs` printed: costs_table.py COSTS.json"""
import json
import sys

SHAPES = ((1, 16), (32, 128))
TYPES = ("f32", "bf16", "int8")


def name_of(cost):
    if cost["part"] == "table":
        return f"a table of {cost['rows']} rows, {cost['projection'].replace('bh', 'BH')}"
    if cost["part"] == "head":
        return f"a head of {cost['head_size']}"
    return f"a {cost['part']}"


def number(us):
    """In nanoseconds, three figures."""
    ns = 1e3 * us
    return f"{ns:.0f}" if ns >= 100 else f"{ns:.1f}" if ns >= 10 else f"{ns:.2f}"


def main(path):
    with open(path, encoding="utf-8") as file:
        costs = json.load(file)["costs"]
    for size in sorted({cost["hidden_size"] for cost in costs}):
        cells, names = {}, []
        for cost in costs:
            if cost["hidden_size"] != size:
                continue
            name = name_of(cost)
            if name not in names:
                names.append(name)
            cells[name, cost["dtype"], (cost["sequences"], cost["length"])] = number(cost["us_per_token"])
        print(f"| d {size} | " + " | ".join(f"{kind} {s} x {n}" for kind in TYPES for s, n in SHAPES) + " |")
        print("|---" * (1 + len(TYPES) * len(SHAPES)) + "|")
        for name in names:
            print(f"| {name} | " + " | ".join(cells.get((name, kind, shape), "") for kind in TYPES for shape in SHAPES) + " |")
        print()


if __name__ == "__main__":
    main(*sys.argv[1:])
