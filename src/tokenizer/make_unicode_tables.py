#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes unicode_tables.cc from the Unicode character database.

Usage: make_unicode_tables.py FOLDER VERSION > unicode_tables.cc
Debian's package unicode-data puts the files into /usr/share/unicode; its version is that of the database.

The reference tokenizers ask several libraries, each with the Unicode of its own day:
- letters, numbers, the characters of words and the categories that expressions name: Unicode 16;
- lower case: Unicode 17;
- decompositions, compositions, the order of marks and what is one (accents without room or with it): Unicode 9;
- marks, punctuation, controls and formats: Unicode 8;
- what characters a reader sees as one (grapheme clusters): Unicode 16, here those of the database, which differ in
  signs of a few scripts added since;
- what has case, and what is looked over where case depends on neighbours: as Python, which has many: the database's.
So what a character was not yet, or was otherwise, is put right here, version by version.
"""
import itertools
import sys
from pathlib import Path

LETTER, NUMBER, SPACE = 1, 2, 3  # as in unicode.h
DROPPED, MARK, PUNCTUATION, LOWERS, DECOMPOSES, WORD, CASED, CASE_IGNORABLE = 4, 8, 16, 32, 64, 128, 256, 512
ANY_MARK, COMPATIBLE = 1024, 2048
CATEGORY_SHIFT = 12
CATEGORIES = ["", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Nd", "Nl", "No", "P", "S", "Z"]  # as UnicodeCategory in unicode.h
BLOCK = 128  # code points
HANGUL = range(0xAC00, 0xAC00 + 11172)
BREAKS = ["Other", "CR", "LF", "Control", "Extend", "ZWJ", "Regional_Indicator", "Prepend", "SpacingMark", "L", "V", "T",
          "LV", "LVT", "Extended_Pictographic"]  # as in unicode.h

# What later versions added to those of the database, 15.0.
CATEGORIES_16 = {
    "Lu": "1C89 A7CB-A7CC A7DA A7DC 10D50-10D65",
    "Ll": "1C8A A7CD A7DB 10D70-10D85",
    "Lm": "10D4E 10D6F 16D40-16D42 16D6B-16D6C",
    "Lo": "105C0-105F3 10D4A-10D4D 10D4F 10EC2-10EC4 11380-11389 1138B 1138E 11390-113B5 113B7 113D1 113D3 11BC0-11BE0 "
          "13460-143FA 16100-1611D 16D43-16D6A 18CFF 1E5D0-1E5ED 1E5F0 2EBF0-2EE5D",
    "Mn": "897 10D69-10D6D 10EFC 113B8-113C0 113C2 113C5 113C7-113CA 113CC-113D0 113D2 113E1-113E2 11F5A 1611E-1612F "
          "1E5EE-1E5EF",  # some are Mc
    "Nd": "10D40-10D49 116D0-116E3 11BF0-11BF9 16130-16139 16D70-16D79 1CCF0-1CCF9 1E5F1-1E5FA",
    "Po": "1B4E-1B4F 1B7F 10D6E 113D4-113D5 113D7-113D8 11BE1 16D6D-16D6F 1E5FF",  # one is Pd
    "So": "2427-2429 2FFC-2FFF 31E4-31E5 31EF 10D8E-10D8F 1CC00-1CCEF 1CD00-1CEB3 1F8B2-1F8BB 1F8C0-1F8C1 1FA89 1FA8F "
          "1FABE 1FAC6 1FADC 1FADF 1FAE9 1FBCB-1FBEF",
}
LOWER_17 = {0x1C89: 0x1C8A, 0xA7CB: 0x264, 0xA7CC: 0xA7CD, 0xA7CE: 0xA7CF, 0xA7D2: 0xA7D3, 0xA7D4: 0xA7D5,
            0xA7DA: 0xA7DB, 0xA7DC: 0x19B, **{code: code + 0x20 for code in range(0x10D50, 0x10D66)},
            **{code: code + 0x1B for code in range(0x16EA0, 0x16EB9)}}
# Characters whose category was another one in Unicode 8.
MARKS_8 = {0x1734}
NO_MARKS_8 = {0x1885, 0x1886, 0xA9BD, 0x111C9}
PUNCTUATION_8 = {0x166D, 0x111C9}
NO_MARKS_9 = {0x111C9}


def code_range(text, separator):
    first, _, last = text.partition(separator)
    return range(int(first, 16), int(last or first, 16) + 1)


def listed(text):
    return [code for part in text.split() for code in code_range(part, "-")]


class Database:
    def __init__(self, folder):
        self.folder = folder
        self.category, self.order, self.mapping, self.compatible, self.lower = {}, {}, {}, {}, {}
        first = 0
        for code, name, category, order, _, mapping, *rest in self.rows("UnicodeData.txt", 15):
            last = int(code, 16)
            if not name.endswith(", Last>"):  # which ends a range that the line before began
                first = last
            for each in range(first, last + 1):
                self.category[each] = category
            self.order[last] = int(order)
            if mapping and not mapping.startswith("<"):
                self.mapping[last] = [int(part, 16) for part in mapping.split()]
            elif mapping:
                self.compatible[last] = [int(part, 16) for part in mapping.split()[1:]]
            if rest[7]:
                self.lower[last] = int(rest[7], 16)
        self.age = {}
        for codes, version in self.rows("DerivedAge.txt", 2):
            for code in code_range(codes, ".."):
                self.age[code] = float(version)

    def rows(self, name, fields):
        for line in (self.folder / name).read_text(encoding="utf-8").splitlines():
            row = [field.strip() for field in line.partition("#")[0].split(";")]
            if len(row) == fields:
                yield row

    def having(self, name, wanted):
        """The characters that a file says have the property."""
        return {code for codes, found in self.rows(name, 2) if found == wanted for code in code_range(codes, "..")}

    def decomposed(self, code, compatibly=False):
        parts = self.mapping.get(code) or (compatibly and self.compatible.get(code))
        if code in HANGUL or not parts or self.age[code] > 9:
            return [code]
        return [result for part in parts for result in self.decomposed(part, compatibly)]

    def compositions(self):
        """The pairs that become one character, sorted, but for Hangul's, which can be counted out."""
        excluded = self.having("DerivedNormalizationProps.txt", "Full_Composition_Exclusion")
        return sorted((*parts, code) for code, parts in self.mapping.items()
                      if len(parts) == 2 and code not in excluded and self.age[code] <= 9)

    def breaks(self):
        """Ranges of characters by how they join in a cluster: first, last, place in BREAKS. Hangul syllables apart."""
        kinds = {code: name for codes, name in self.rows("auxiliary/GraphemeBreakProperty.txt", 2)
                 for code in code_range(codes, "..")}
        for code in self.having("emoji/emoji-data.txt", "Extended_Pictographic"):
            kinds.setdefault(code, "Extended_Pictographic")
        result = []
        for code in sorted(kinds.keys() - set(HANGUL)):
            kind = BREAKS.index(kinds[code])
            if result and result[-1][1:] == (code - 1, kind):
                result[-1] = (result[-1][0], code, kind)
            else:
                result.append((code, code, kind))
        return result


def records(data):
    """The flags and the order of each code point."""
    spaces = data.having("PropList.txt", "White_Space")
    words = data.having("DerivedCoreProperties.txt", "Alphabetic") | data.having("PropList.txt", "Join_Control")
    cased = data.having("DerivedCoreProperties.txt", "Cased") | {*LOWER_17, *LOWER_17.values()}
    case_ignorable = data.having("DerivedCoreProperties.txt", "Case_Ignorable")
    later = {code: category for category, codes in CATEGORIES_16.items() for code in listed(codes)}
    words.update(code for code, category in later.items() if category[0] in "LMN")
    result = []
    for code in range(0x110000):
        category = data.category.get(code, "Cn")
        was = category if data.age.get(code, 99) <= 8 else "Cn"
        now = later.get(code, category)
        flags = SPACE if code in spaces else {"L": LETTER, "N": NUMBER}.get(now[0], 0)
        flags |= CATEGORIES.index(now if now[0] in "LN" else now[0] if now[0] in "MPSZ" else "") << CATEGORY_SHIFT
        if (was in ("Cc", "Cf", "Co") and chr(code) not in "\t\n\r") or code == 0xFFFD:
            flags |= DROPPED
        if (was == "Mn" and code not in NO_MARKS_8) or code in MARKS_8:
            flags |= MARK
        if was[0] == "P" or code in PUNCTUATION_8 or (0x20 < code < 0x7F and was[0] == "S"):
            flags |= PUNCTUATION
        if code in data.lower or code in LOWER_17:
            flags |= LOWERS
        if code in HANGUL or data.decomposed(code) != [code]:
            flags |= DECOMPOSES
        if data.decomposed(code, True) != data.decomposed(code):
            flags |= COMPATIBLE
        if category[0] == "M" and data.age.get(code, 99) <= 9 and code not in NO_MARKS_9:
            flags |= ANY_MARK
        if code in words or category[0] == "M" or category in ("Nd", "Pc"):
            flags |= WORD
        if code in cased:
            flags |= CASED
        if code in case_ignorable:
            flags |= CASE_IGNORABLE
        result.append((flags, data.order.get(code, 0) if data.age.get(code, 99) <= 9 else 0))
    return result


def rows(values, per_row):
    return "\n".join("    " + " ".join(f"{value}," for value in values[i:i + per_row])
                     for i in range(0, len(values), per_row))


def main(folder, version):
    data = Database(Path(folder))
    table = records(data)
    kinds = {(0, 0): 0}
    places, index = {}, []
    for start in range(0, len(table), BLOCK):
        block = tuple(kinds.setdefault(record, len(kinds)) for record in table[start:start + BLOCK])
        index.append(places.setdefault(block, len(places)))
    assert len(places) <= 65536 and len(kinds) <= 256
    lower = sorted({**data.lower, **LOWER_17}.items())
    whole = [(code, data.decomposed(code)) for code in sorted(data.mapping) if data.decomposed(code) != [code]]
    ends = list(itertools.accumulate(len(parts) for _, parts in whole))
    compatible = [(code, "".join(map(chr, data.decomposed(code, True))).encode())
                  for code, (flags, _) in enumerate(table) if flags & COMPATIBLE]
    compatible_ends = list(itertools.accumulate(len(text) for _, text in compatible))
    compositions, breaks = data.compositions(), data.breaks()
    hexadecimal = [[f"0x{value:x}" for value in values] for values in (
        [code for code, _ in lower], [to for _, to in lower], [code for code, _ in whole],
        [part for _, parts in whole for part in parts], [code for code, _ in compatible])]
    print(f"""\
// SPDX-License-Identifier: Apache-2.0
// Made by make_unicode_tables.py from the Unicode character database {version}; not to be edited.
// clang-format off
#include "tokenizer/unicode.h"

namespace lffn {{

const uint16_t kUnicodeBlockOf[] = {{
{rows(index, 22)}
}};

const uint8_t kUnicodeBlocks[][{BLOCK}] = {{
{rows(["{" + ", ".join(map(str, block)) + "}" for block in places], 1)}
}};

const UnicodeRecord kUnicodeRecords[] = {{
{rows(["{" + f"{flags}, {order}" + "}" for flags, order in kinds], 10)}
}};

const size_t kUnicodeRecordCount = {len(kinds)};

const uint32_t kLowerFrom[] = {{
{rows(hexadecimal[0], 14)}
}};

const uint32_t kLowerTo[] = {{
{rows(hexadecimal[1], 14)}
}};

const size_t kLowerCount = {len(lower)};

const uint32_t kDecomposed[] = {{
{rows(hexadecimal[2], 14)}
}};

const uint16_t kDecomposedEnds[] = {{
{rows(ends, 20)}
}};

const uint32_t kDecomposedParts[] = {{
{rows(hexadecimal[3], 14)}
}};

const size_t kDecomposedCount = {len(whole)};

const uint32_t kCompatible[] = {{
{rows(hexadecimal[4], 14)}
}};

const uint16_t kCompatibleEnds[] = {{
{rows(compatible_ends, 20)}
}};

const uint8_t kCompatibleText[] = {{
{rows(list(b"".join(text for _, text in compatible)), 28)}
}};

const size_t kCompatibleCount = {len(compatible)};

const Composition kCompositions[] = {{
{rows(["{" + ", ".join(f"0x{value:x}" for value in row) + "}" for row in compositions], 5)}
}};

const size_t kCompositionCount = {len(compositions)};

const BreakRange kBreakRanges[] = {{
{rows(["{" + f"0x{first:x}, 0x{last:x}, {kind}" + "}" for first, last, kind in breaks], 5)}
}};

const size_t kBreakRangeCount = {len(breaks)};

}}  // namespace lffn""")


if __name__ == "__main__":
    main(*sys.argv[1:])
