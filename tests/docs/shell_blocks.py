# SPDX-License-Identifier: Apache-2.0
"""Runs the lines of a shell of the pages, and compares what they print with what the pages show."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from not_run import line_reason
from pages import all_blocks, shell_lines

NEEDS = {"mpicc": "MPI", "pkg-config": "pkg-config", "sqlite3": "the command sqlite3"}
SECONDS = 120


def run_lines(tree, environment, sqlite):
    bad, run, skipped = [], 0, []
    for block in all_blocks("sh", "console"):
        place = None
        for number, command, expected in shell_lines(block):
            if line_reason(command):
                continue
            at = f"{block.page}:{number}"
            lacking = next((what for program, what in NEEDS.items()
                            if re.search(rf"(^|\(){program}\b", command) and not shutil.which(program)), None)
            if command.startswith("sqlite3") and not sqlite:
                lacking = "a build with LFFN_SQLITE"
            if "pkg-config" in command and "PKG_CONFIG_PATH" not in environment:
                lacking = "the installed library"
            example = example_of(environment, command)
            if re.match(r"\./\w+", command) and not example:
                lacking = "the examples"
            if re.match(r"python3? -m lookupffn", command) and "LFFN_PYTORCH_PYTHON" not in environment:
                lacking = "PyTorch"
            if lacking:
                skipped.append(f"{at}: {command}: needs {lacking}")
                continue
            if place is None:
                place = tree.place(block.place)
            if example:
                (place / command.split()[0]).symlink_to(example)
            if re.match(r"ln -s .* my-model$", command):
                (place / "my-model").unlink(missing_ok=True)
            elif "my-model" in command or not (place / "my-model").exists():
                tree.link(place, command)
            run += 1
            if command.startswith("sqlite3"):
                shutil.copy(sqlite, place)
                problem = run_sqlite(place, command, expected, environment)
            else:
                problem = run_line(place, command, expected, environment)
            if problem:
                bad.append(f"{at}: {command}\n{problem}")
    return bad, run, skipped


def example_of(environment, command):
    """./NAME is the example that the build made as example_LANGUAGE_NAME."""
    name = re.match(r"\./(\w+)", command)
    found = Path(environment["LFFN_EXAMPLES"]).glob(f"*/example_*_{name[1]}") if name else ()
    return next((path for path in found if os.access(path, os.X_OK)), None)


def difference(expected, told):
    return f"the page shows\n{expected}\nit prints\n{told}"


def run_line(place, command, expected, environment):
    how = [] if "| head" in command else ["-o", "pipefail"]  # what writes to head may fail
    done = subprocess.run(["bash", *how, "-c", command], cwd=place, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS, check=False)
    if done.returncode != 0:
        return f"exit status {done.returncode}\n{done.stdout}"
    if expected and done.stdout.rstrip() != expected.rstrip():
        return difference(expected, done.stdout)
    return None


def run_sqlite(place, command, shown, environment):
    """What follows "sqlite> " is a statement, what is between these is what SQLite answers."""
    statements = []  # each with its answer
    for line in shown.splitlines():
        if line.startswith(("sqlite> ", "   ...> ")):
            text = line[8:]
            if line.startswith("sqlite> "):
                statements.append([text, []])
            else:
                statements[-1][0] += "\n" + text
        else:
            statements[-1][1].append(line)
    script = "".join(f"{statement}\n.print ==== {i}\n" for i, (statement, _) in enumerate(statements))
    done = subprocess.run(["bash", "-c", command + " -bail"], cwd=place, env=environment, input=script, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        return f"exit status {done.returncode}\n{done.stdout}"
    answers = re.split(r"^==== \d+\n", done.stdout, flags=re.MULTILINE)
    for (statement, answer), told in zip(statements, answers):
        if "\n".join(answer).rstrip() != told.rstrip():
            return statement + "\n" + difference("\n".join(answer), told)
    return None
