# SPDX-License-Identifier: Apache-2.0
"""Checks that quick starts are parts of programs that tests run: check_snippets.py ROOT PAGE...

The lines of a code block under a line <!-- FILE --> must be in that file, in their order, whatever the indentation.
"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
failed = False
for page in sys.argv[2:]:
    blocks = re.findall(r"<!-- (\S+) -->\n```\w*\n(.*?)```", (root / page).read_text(), re.DOTALL)
    if not blocks:
        print(f"{page} has no quick start", file=sys.stderr)
        failed = True
    for name, code in blocks:
        rest = iter([line.strip() for line in (root / name).read_text().splitlines()])
        if not all(line.strip() in rest for line in code.splitlines()):
            print(f"{page}: this is not in {name}:\n{code}", file=sys.stderr)
            failed = True
sys.exit(failed)
