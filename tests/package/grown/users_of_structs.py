#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the sources that a grown struct of the C headers reaches: that name one, or include a header that does.

usage: users_of_structs.py include/lookupffn src
"""
import re
import sys
from pathlib import Path


def main():
    headers, source = Path(sys.argv[1]), Path(sys.argv[2])
    texts = {path.relative_to(source).as_posix(): path.read_text(encoding="utf-8")
             for path in source.rglob("*") if path.suffix in (".h", ".cc")}
    structs = [name for path in headers.glob("*.h")
               for name in re.findall(r"typedef struct (lffn_\w+) \{\n\s*size_t struct_size;", path.read_text(encoding="utf-8"))]
    named = re.compile(rf"\b(?:{'|'.join(structs)})\b")
    users = {name for name, text in texts.items() if named.search(text)}
    if not structs or not users:
        sys.exit("no struct has a struct_size, or no source names one")
    includes = {name: re.findall(r'#include "([^"]+)"', text) for name, text in texts.items()}
    before = 0
    while len(users) != before:
        before = len(users)
        users |= {name for name in texts if users.intersection(includes[name])}
    print(";".join(sorted(name for name in users if name.endswith(".cc"))), end="")


main()
