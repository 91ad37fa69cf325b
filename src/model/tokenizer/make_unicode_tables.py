#!/usr/bin/env python3
"""Writes unicode_tables.cc from UnicodeData.txt and PropList.txt of the Unicode character database.

Usage: make_unicode_tables.py FOLDER VERSION > unicode_tables.cc
Debian's package unicode-data puts the files into /usr/share/unicode; its version is that of the database.
"""
import sys
from pathlib import Path

OTHER, LETTER, NUMBER, SPACE = range(4)  # as in unicode_class.h
BLOCK = 256  # code points


def classes(folder):
    """The class of each code point."""
    result = [OTHER] * 0x110000
    first = 0
    for line in (folder / "UnicodeData.txt").read_text(encoding="ascii").splitlines():
        code, name, category = line.split(";")[:3]
        last = int(code, 16)
        if not name.endswith(", Last>"):  # which ends a range that the line before began
            first = last
        kind = {"L": LETTER, "N": NUMBER}.get(category[0], OTHER)
        result[first:last + 1] = [kind] * (last + 1 - first)
    for line in (folder / "PropList.txt").read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.partition("#")[0].split(";")]
        if len(fields) == 2 and fields[1] == "White_Space":
            first, _, last = fields[0].partition("..")
            for code in range(int(first, 16), int(last or first, 16) + 1):
                result[code] = SPACE
    return result


def rows(values, per_row):
    return "\n".join("    " + " ".join(f"{value}," for value in values[i:i + per_row])
                     for i in range(0, len(values), per_row))


def main(folder, version):
    kinds = classes(Path(folder))
    used = max(code for code, kind in enumerate(kinds) if kind != OTHER) // BLOCK + 1
    places = {}
    index = []
    for number in range(used):
        block = kinds[number * BLOCK:(number + 1) * BLOCK]
        words = tuple(sum(kind << 2 * i for i, kind in enumerate(block[start:start + 32]))
                      for start in range(0, BLOCK, 32))
        index.append(places.setdefault(words, len(places)))
    assert len(places) <= 256
    words = [f"0x{word:016x}" for block in places for word in block]
    print(f"""\
// Made by make_unicode_tables.py from the Unicode character database {version}; not to be edited.
// clang-format off
#include "model/tokenizer/unicode_class.h"

namespace lffn {{

const uint32_t kUnicodeEnd = 0x{used * BLOCK:x};

const uint8_t kUnicodeBlockOf[] = {{
{rows(index, 22)}
}};

const uint64_t kUnicodeBlocks[] = {{
{rows(words, 5)}
}};

}}  // namespace lffn""")


if __name__ == "__main__":
    main(*sys.argv[1:])
