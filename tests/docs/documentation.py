#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what the pages show, and compares what it prints with what they say it prints.

usage: documentation.py listed                           each block is run by one of the following or is in not_run.py
       documentation.py data                             settings can be read, and name what the project has
       documentation.py named                            functions, options and files that they name exist
       documentation.py shell FOLDER DATA [SQLITE]       lines of a shell. PATH must have lookupffn; LFFN_EXAMPLES
           is where the build made the examples, LFFN_PYTORCH_PYTHON perhaps a Python with PyTorch, PKG_CONFIG_PATH finds the library
       documentation.py sql FOLDER DATA SQLITE
       documentation.py cmake FOLDER DATA PREFIX [ARGUMENT...]    PREFIX: where the library is installed
       documentation.py python DATA PYTHON LIBRARY
       documentation.py java JAVA JAVAC JAR
       documentation.py csharp PROJECT DOTNET_RUN...
       documentation.py c FOLDER DATA CC CXX LIBRARY [FLAG...]
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import c_blocks
import cmake_blocks
import data_blocks
import listed
import managed_blocks
import named
import shell_blocks
import sql_blocks
from pages import ROOT
from tree import Tree  # before what takes make_models by its path
import python_blocks  # noqa: E402

SKIPPED = 77  # exit status


def has_torch(python):
    asked = [python, "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"]
    return subprocess.run(asked, check=False).returncode == 0


def shell(folder, data, sqlite=None):
    tree = Tree(folder, data)
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    if "LFFN_PYTORCH_PYTHON" in environment and not has_torch(environment["LFFN_PYTORCH_PYTHON"]):
        del environment["LFFN_PYTORCH_PYTHON"]
    if "LFFN_PYTORCH_PYTHON" in environment:
        python = tree.folder / "bin" / "python"
        python.parent.mkdir()
        python.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}/training" exec "{environment["LFFN_PYTORCH_PYTHON"]}" "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        environment["PATH"] = f"{python.parent}{os.pathsep}{environment['PATH']}"
    bad, run, skipped = shell_blocks.run_lines(tree, environment, sqlite)
    for line in skipped:
        print("SKIPPED", line)
    print(f"{run} lines run, {len(skipped)} skipped, {len(bad)} bad")
    return bad


def c(folder, data, cc, cxx, library, *flags):
    return c_blocks.run_blocks(Tree(folder, data), {"c": [cc], "cpp": [cxx]}, Path(library).resolve(), flags)


def sql(folder, data, extension):
    if not shutil.which("sqlite3"):
        print("needs the command sqlite3")
        sys.exit(SKIPPED)
    return sql_blocks.run_blocks(Tree(folder, data), Path(extension))


def java(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        return managed_blocks.java(Path(folder), *arguments)


def csharp(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        return managed_blocks.csharp(Path(folder), *arguments)


def cmake(folder, data, prefix, *arguments):
    return cmake_blocks.run_blocks(Tree(folder, data), prefix, arguments)


def python(data, interpreter, library):
    if not has_torch(interpreter):
        print("needs PyTorch")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        return python_blocks.run_blocks(Path(folder), Path(data).resolve(), interpreter, Path(library).resolve())


def main(kind, *arguments):
    bad = {"listed": listed.check, "named": named.check, "shell": shell, "c": c, "sql": sql, "java": java, "csharp": csharp, "data": data_blocks.check, "cmake": cmake, "python": python}[kind](*arguments)
    print("\n\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
