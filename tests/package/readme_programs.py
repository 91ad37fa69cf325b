#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C and C++ programs of README.md compile without a warning, and print what the page says.

usage: readme_programs.py ROOT CC CXX LIBRARY
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root, cc, cxx, library = Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
page = (root / "README.md").read_text(encoding="utf-8")
model = re.search(r"^    ln -s (\S+) my-model$", page, re.MULTILINE).group(1)
expected = re.search(r"Each of these programs prints [^.]*, (\d\.\d+)\. In C:", page).group(1)

for language, command in (("c", [cc, "-std=c99"]), ("cpp", [cxx, "-std=c++17"])):
    code = re.search(rf"```{language}\n(#include <lookupffn.*?)```", page, re.DOTALL).group(1)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        source = place / ("program." + {"c": "c", "cpp": "cc"}[language])
        source.write_text(code, encoding="utf-8")
        (place / "my-model").symlink_to(root / model)
        subprocess.run([*command, "-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{root / 'include'}", str(source), str(library),
                        f"-Wl,-rpath,{library.parent}", "-o", str(place / "program")], check=True)
        told = subprocess.run([str(place / "program")], cwd=place, check=True, capture_output=True, text=True).stdout
        if told != expected + "\n":
            sys.exit(f"the {language} program of README.md prints {told!r}, the page says {expected}")
        print(f"{language}: {told}", end="")
