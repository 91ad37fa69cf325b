# SPDX-License-Identifier: Apache-2.0
"""The blocks of the project's pages: what stands between fences, and what is indented by four blanks.

An indented block holds lines of a shell; all else has a fence that names its language. A line <!-- FILE --> before a
fence says that the block is a part of this file, which is compiled elsewhere.
"""
import functools
import os
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APART = {"build", "shared", ".git", ".cache", "node_modules"}
FENCE = re.compile(r"^( {0,3})```([\w+#-]*)\s*$")
LIST = re.compile(r"^ *([-*+]|\d+[.)]) ")


@dataclass
class Block:
    page: str
    line: int  # of its first line of code
    language: str
    code: str
    part_of: str = ""

    @property
    def place(self):
        return f"{self.page}:{self.line}"


@functools.cache
def pages():
    """All of them by their names, wherever they lie."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(set(folders) - APART)
        found += [(Path(folder) / name).relative_to(ROOT).as_posix() for name in files if name.endswith(".md")]
    return sorted(found)


def read_blocks(page, text):
    blocks, lines, prose = [], text.splitlines(), []
    in_list, part_of, i = False, "", 0
    while i < len(lines):
        line, first = lines[i], i
        fence = FENCE.match(line)
        if fence:
            i += 1
            while i < len(lines) and lines[i].strip() != "```":
                i += 1
            indent = len(fence[1])
            code = "".join(one[min(indent, len(one) - len(one.lstrip())):] + "\n" for one in lines[first + 1 : i])
            blocks.append(Block(page, first + 2, fence[2], code, part_of))
            i += 1
        elif line.startswith("    ") and line.strip() and not in_list and (i == 0 or not lines[i - 1].strip()):
            while i < len(lines) and (lines[i].startswith("    ") or not lines[i].strip()):
                i += 1
            code = "".join(one[4:] + "\n" for one in lines[first:i]).rstrip("\n") + "\n"
            blocks.append(Block(page, first + 1, "sh", code, part_of))
        else:
            mark = re.fullmatch(r"<!-- (\S+) -->", line)
            part_of = mark[1] if mark else ""
            if LIST.match(line):
                in_list = True
            elif line.strip() and not line.startswith(" "):
                in_list = False
            prose.append(line)
            i += 1
            continue
        part_of = ""
    return blocks, "\n".join(prose)


@functools.cache
def page_of(name):
    """(blocks, prose) of a page."""
    return read_blocks(name, (ROOT / name).read_text(encoding="utf-8"))


def all_blocks(*languages):
    return [block for name in pages() for block in page_of(name)[0] if not languages or block.language in languages]


def shell_lines(block):
    """(line in the page, command, output or None) of each; in a block with "$ " the other lines are outputs."""
    found, lines, number = [], block.code.splitlines(), 0
    prompts = any(line.startswith("$ ") for line in lines)
    while number < len(lines):
        line, place = lines[number], block.line + number
        number += 1
        if prompts and not line.startswith("$ "):
            if found:
                found[-1][2].append(line)
            continue
        command = line[2:] if prompts else line
        while command.endswith("\\") and number < len(lines):
            command = command[:-1].rstrip() + " " + lines[number].strip()
            number += 1
        if command.strip() and not command.lstrip().startswith("#"):
            found.append((place, command.strip(), [] if prompts else None))
    return [(place, command, None if output is None else "\n".join(output).strip("\n")) for place, command, output in found]
