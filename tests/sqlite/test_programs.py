#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The extension in programs: many connections, Debian's command, the example: test_programs.py SUBJECT."""
import shutil
import subprocess
import sys
import threading

from sqlite_case import ENCODER, EXTENSION, ROOT, SKIPPED, TEXTS, Case, connect, main, one


class Sharing(Case):
    def test_many_connections_have_one_model(self):
        first = connect()
        expected = [one(first, "SELECT lffn_embed(?)", text) for text in TEXTS]
        failures = []

        def work(path):
            try:
                for _ in range(3):
                    db = connect(model=path)
                    for text, vector in zip(TEXTS, expected):
                        if one(db, "SELECT lffn_embed(?)", text) != vector:
                            failures.append(text)
                    db.close()
            except Exception as error:  # pylint: disable=broad-except
                failures.append(error)

        threads = [threading.Thread(target=work, args=(path,)) for path in (ENCODER, ENCODER + "/../sentence-cls") * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        first.close()
        self.assertEqual(one(connect(), "SELECT lffn_embed(?)", TEXTS[0]), expected[0])


class Shell(Case):
    def test_the_command_loads_it(self):
        command = shutil.which("sqlite3")
        if command is None:
            print("needs the command sqlite3")
            sys.exit(SKIPPED)
        script = f""".load {EXTENSION}
.bail on
SELECT lffn_model('{ENCODER}');
CREATE TABLE t(id INTEGER PRIMARY KEY, text);
INSERT INTO t VALUES (1, 'cat eats'), (2, 'the river'), (3, 'song');
CREATE TABLE v AS SELECT id, lffn_embed(text, 'document', 'int8') AS e FROM t;
SELECT text FROM lffn_search('v', 'e', 'the river', 1) JOIN t USING (id);
SELECT lffn_model('/none');
"""
        done = subprocess.run([command, ":memory:"], input=script, capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.splitlines()[1:], ["the river"], done.stderr)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/none", done.stderr)


class Page(Case):
    def test_the_example_runs(self):
        if shutil.which("sqlite3") is None:
            print("needs the command sqlite3")
            sys.exit(SKIPPED)
        done = subprocess.run(["sqlite3", ":memory:", "-cmd", f".load {EXTENSION}", ".read examples/sqlite/search.sql"],
                              cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 4, done.stdout)
        self.assertIn("boat", lines[1])


if __name__ == "__main__":
    main()
