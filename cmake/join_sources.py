#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""join_sources.py PREFIX SOURCE...: writes PREFIX0.cc, PREFIX1.cc, ..., which include several sources each, and prints
their paths. Most of the time of compiling goes to headers, and to templates that many sources have in common.

Two sources come together only if no name that one of them defines for itself, in a namespace without a name, as a macro
or as static, stands in the other at all."""
import re
import sys
from pathlib import Path

MOST = 8  # of one file, so that many jobs have work to do


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


def own_names(code):
    names = set(re.findall(r"^\s*#\s*define (\w+)", code, re.MULTILINE))
    names |= set(re.findall(r"^static [^(=;]*?(\w+)\s*[(=;]", code, re.MULTILINE))
    for part in nameless(code):
        for line in part.splitlines():
            if not re.match(r"[A-Za-z_\[]", line):  # what is indented is inside of something
                continue
            for kind in re.findall(r"\b(?:class|struct|union|using|enum(?: class)?) (\w+)", line):
                names.add(kind)
            while re.search(r"<[^<>]*>", line):
                line = re.sub(r"<[^<>]*>", "", line)
            words = re.findall(r"\w+", re.split(r"[(={;\[]", line)[0])
            names.update(words[-1:])
    return names


def main(prefix, paths):
    groups, own, words = [], {}, {}
    for path in paths:
        code = code_of(path)
        own[path], words[path] = own_names(code), set(re.findall(r"[A-Za-z_]\w*", code))
    # Those with the most names of their own come first, as they are the hardest to place.
    for path in sorted(paths, key=lambda path: (str(Path(path).parent), -len(own[path]), path)):
        fits = [group for group in groups if len(group) < MOST
                and all(not own[path] & words[other] and not own[other] & words[path] for other in group)]
        if fits:
            fits[0].append(path)
        else:
            groups.append([path])
    Path(prefix).parent.mkdir(parents=True, exist_ok=True)
    for number, group in enumerate(groups):
        file = Path(f"{prefix}{number}.cc")
        text = "".join(f'#include "{path}"\n' for path in sorted(group))
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
        print(file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
