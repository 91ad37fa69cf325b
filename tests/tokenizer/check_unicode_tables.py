#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generated tables are what the generator makes of Debian's copy of the Unicode character database."""
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path("/usr/share/unicode")
SOURCE = Path(__file__).resolve().parents[2] / "src" / "tokenizer"

tables = (SOURCE / "unicode_tables.cc").read_text(encoding="ascii")
version = re.search(r"database (\S+);", tables)[1]
blocks = FOLDER / "Blocks.txt"
if not blocks.exists() or f"Blocks-{version}.txt" not in blocks.read_text(encoding="utf-8"):
    print(f"{FOLDER} does not hold Unicode {version}; on Debian 12 scripts/install-deps installs it")
    sys.exit(77)
made = subprocess.run([sys.executable, SOURCE / "make_unicode_tables.py", FOLDER, version], stdout=subprocess.PIPE,
                      check=True, text=True).stdout
print("the same" if made == tables else "unicode_tables.cc differs from what make_unicode_tables.py writes")
sys.exit(0 if made == tables else 1)
