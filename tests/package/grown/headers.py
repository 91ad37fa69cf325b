#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C headers as a later version may have them.

usage: headers.py grow include/lookupffn FOLDER/lookupffn
       headers.py users include/lookupffn src
"""
import re
import sys
from pathlib import Path


def grow(source, target):
    """Copies the headers with one more member at the end of each struct that has a struct_size."""
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


def users(headers, source):
    """Prints the sources that a grown struct reaches: that name one, or include a header that does."""
    texts = {path.relative_to(source).as_posix(): path.read_text(encoding="utf-8")
             for path in source.rglob("*") if path.suffix in (".h", ".cc")}
    structs = [name for path in headers.glob("*.h")
               for name in re.findall(r"typedef struct (lffn_\w+) \{\n\s*size_t struct_size;", path.read_text(encoding="utf-8"))]
    named = re.compile(rf"\b(?:{'|'.join(structs)})\b")
    found = {name for name, text in texts.items() if named.search(text)}
    if not structs or not found:
        sys.exit("no struct has a struct_size, or no source names one")
    includes = {name: re.findall(r'#include "([^"]+)"', text) for name, text in texts.items()}
    before = 0
    while len(found) != before:
        before = len(found)
        found |= {name for name in texts if found.intersection(includes[name])}
    print(";".join(sorted(name for name in found if name.endswith(".cc"))), end="")


{"grow": grow, "users": users}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
