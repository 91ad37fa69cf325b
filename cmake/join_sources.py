#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""join_sources.py PREFIX SOURCE...: writes PREFIX0.cc, PREFIX1.cc, ..., which include several sources each, and prints
their paths. Most of the time of compiling goes to headers, and to templates that many sources have in common.

Two sources come together only if no function, number or macro that one of them defines for itself, in a namespace without a
name or as static, stands in the other, but for members of that name, and if they define no type of one name."""
import re
import sys
from pathlib import Path

MOST = 16  # of one file, so that some jobs have work to do


def code_of(path):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", Path(path).read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def nameless(code):
    """What stands in namespaces without a name."""
    for begin in re.finditer(r"^namespace \{$", code, re.MULTILINE):
        depth, end = 1, begin.end()
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        yield code[begin.end():end]


KEYWORDS = {"template", "static_assert", "using"}
GOOGLE_TEST = re.compile(r"(TYPED_)?TEST(_[FP])?\(|INSTANTIATE_TEST_SUITE_P\(")  # each name is there once in a program


def own_names(code):
    """Names that a source defines for itself: of types and their aliases, each with what it is defined as, and of others."""
    types, others = {}, set(re.findall(r"^\s*#\s*define (\w+)", code, re.MULTILINE))
    others |= set(re.findall(r"^static [^(=;]*?(\w+)\s*[(=;]", code, re.MULTILINE))
    for part in nameless(code):
        for line in part.splitlines():
            if not re.match(r"[A-Za-z_\[]", line) or GOOGLE_TEST.match(line):  # what is indented is inside of something
                continue
            kinds = re.findall(r"\b(?:class|struct|union|using|enum(?: class)?) (\w+)", line)
            for kind in kinds:
                types[kind] = line if line.startswith("using ") else None
            while re.search(r"<[^<>]*>", line):
                line = re.sub(r"<[^<>]*>", "", line)
            words = re.findall(r"\w+", re.split(r"[(={;\[]", line)[0])
            others.update(word for word in words[-1:] if word not in kinds)
    return types, others - KEYWORDS


def used_words(code):
    """All but members' names, which are found in their classes."""
    return set(re.findall(r"[A-Za-z_]\w*", re.sub(r"(?:(?<!\.)\.|->|\b[A-Z]\w*::)\w+", " ", code)))


class Source:
    def __init__(self, path):
        code = code_of(path)
        self.path, self.words = path, used_words(code)
        self.types, self.others = own_names(code)

    def fits(self, other):
        """Another source's function or number could be taken for one that a header declares, and nothing would tell. A type
        of its own is only in the way of its like."""
        twice = {name for name in self.types.keys() & other.types.keys()
                 if self.types[name] is None or self.types[name] != other.types[name]}
        return not (twice or self.others & (other.words | other.types.keys()) or other.others & (self.words | self.types.keys()))


def main(prefix, paths):
    groups = []
    # Those with the most names of their own come first, as they are the hardest to place.
    for source in sorted(map(Source, paths), key=lambda source: (str(Path(source.path).parent), -len(source.others), source.path)):
        fits = [group for group in groups if len(group) < MOST and all(source.fits(other) for other in group)]
        if fits:
            fits[0].append(source)
        else:
            groups.append([source])
    Path(prefix).parent.mkdir(parents=True, exist_ok=True)
    for number, group in enumerate(groups):
        file = Path(f"{prefix}{number}.cc")
        text = "".join(f'#include "{path}"\n' for path in sorted(source.path for source in group))
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
        print(file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
