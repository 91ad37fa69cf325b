# SPDX-License-Identifier: Apache-2.0
"""Each block of the pages is run, or is in not_run.py with a reason; and each reason is for something."""
import re

import not_run
from pages import LIST, ROOT, all_blocks, pages, shell_lines


def check():
    bad, reasons, run = strays(), 0, 0
    unused = set(not_run.SHELL) | set(not_run.BLOCKS)
    for block in all_blocks():
        if block.language in ("sh", "console"):
            for number, command, _ in shell_lines(block):
                found = [entry for entry in not_run.SHELL if re.search(entry[0], command)]
                unused -= set(found)
                reasons, run = (reasons + 1, run) if found else (reasons, run + 1)
            continue
        if block.part_of:
            run += 1
            bad += [f"{block.place}: {problem}" for problem in part_of(block)]
            continue
        found = [entry for entry in not_run.BLOCKS
                 if entry[0] == block.language and re.search(entry[1], block.code, re.MULTILINE)]
        unused -= set(found)
        if not found and block.language not in not_run.KNOWN:
            bad.append(f"{block.place}: nothing runs blocks of '{block.language}', and not_run.py does not say why")
        reasons, run = (reasons + 1, run) if found else (reasons, run + 1)
    bad += [f"not_run.py: nothing on the pages is like {entry[:-1]}" for entry in sorted(unused)]
    print(f"{run} to run, {reasons} that cannot be run, for reasons that are listed")
    if run == 0:
        bad.append("no page has anything to run")
    return bad


def part_of(block):
    """Of C and C++ as it is, of others line by line."""
    file = ROOT / block.part_of
    if not file.is_file():
        return [f"there is no {block.part_of}"]
    text = file.read_text(encoding="utf-8")
    if block.language in ("c", "cpp"):
        return [] if block.code in text else [f"this is not in {block.part_of}:\n{block.code}"]
    rest = iter([line.strip() for line in text.splitlines()])
    return [] if all(line.strip() in rest for line in block.code.splitlines()) else [f"this is not in {block.part_of}:\n{block.code}"]


def strays():
    """Indented lines behind a list are shown as its prose, not as a block."""
    bad = []
    for name in pages():
        in_fence = in_list = False
        before = ""
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
            if line.lstrip().startswith("```"):
                in_fence = not in_fence
            elif not in_fence:
                if line.startswith("    ") and not before.strip() and in_list and not LIST.match(line):
                    bad.append(f"{name}:{number}: behind a list this is prose, not a block: {line.strip()[:60]}")
                if LIST.match(line):
                    in_list = True
                elif line.strip() and not line.startswith(" "):
                    in_list = False
            before = line
    return bad
