# SPDX-License-Identifier: Apache-2.0
"""Runs the SQL of the pages in SQLite with the extension: each statement in a database of its own that has these tables."""
import re
import shutil
import sqlite3
import subprocess

from not_run import block_reason
from pages import all_blocks

TABLES = """CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT, e BLOB);
INSERT INTO t(text) VALUES ('The sun is a star.'), ('Cats sleep.'), ('Ships leave the harbour.');
CREATE TABLE v(id INTEGER PRIMARY KEY, embedding BLOB);
CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT);
INSERT INTO notes(text) VALUES ('Ships left at dawn.');
CREATE TABLE vectors(id INTEGER PRIMARY KEY, embedding BLOB);
"""
AFTER = "INSERT INTO notes(text) VALUES ('What runs a trigger.');\n"


def statements(code):
    found = ""
    for line in re.sub(r"--.*", "", code).splitlines(keepends=True):
        found += line
        if sqlite3.complete_statement(found):
            yield found
            found = ""
    if found.strip():
        yield found


def run_blocks(tree, extension):
    bad, run = [], 0
    for block in all_blocks("sql"):
        if block_reason(block):
            continue
        place = tree.place(block.place)
        shutil.copy(extension, place)
        for statement in statements(block.code):
            run += 1
            made = re.match(r"\s*CREATE TABLE (\w+)", statement)
            before = TABLES + (f"DROP TABLE IF EXISTS {made[1]};\n" if made else "")
            script = f".load ./{extension.stem}\nSELECT lffn_model('fast');\n{before}{statement}\n{AFTER}"
            done = subprocess.run(["sqlite3", "-bail", ":memory:"], cwd=place, input=script, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
            if done.returncode != 0:
                bad.append(f"{block.place}: {statement.strip()}\n{done.stdout}")
    print(f"{run} statements run")
    return bad
