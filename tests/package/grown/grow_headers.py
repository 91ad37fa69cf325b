#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the C headers with one more member at the end of each struct that has a struct_size, as a later version may.

usage: grow_headers.py include/lookupffn FOLDER/lookupffn
"""
import re
import sys
from pathlib import Path


def main():
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    grown, expected = 0, 0
    for header in sorted(source.glob("*.h")):
        original = header.read_text(encoding="utf-8")
        expected += len(re.findall(r"\bstruct_size;", original))
        text, count = re.subn(r"(typedef struct lffn_\w+ \{\n\s*size_t struct_size;.*?)(\n\} lffn_\w+;)",
                              r"\1\n  int64_t grown_member;\2", original, flags=re.DOTALL)
        grown += count
        copy = target / header.name
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            copy.write_text(text, encoding="utf-8")
    if grown != expected:
        sys.exit(f"{grown} structs have grown, {expected} have a struct_size")


main()
