#!/usr/bin/env python3
"""Checks the sources: clang-format, clang-tidy, OpenMP pragmas, the Doxygen reference."""
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("include", "src", "tools", "tests", "examples", "benchmarks", "bindings")
# Made by tools, or by the builds of other languages.
GENERATED = {"build", "bin", "obj", "target", "generated"}


def tool(name):
    # Other versions lay code out otherwise and warn of other things.
    if shutil.which(name) is None:
        print(f"{name} is missing; scripts/install-deps installs it")
        sys.exit(SKIPPED)
    return name


def sources(*suffixes, folders=FOLDERS):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and not GENERATED & set(path.relative_to(ROOT).parts):
                yield path


def check_format(_build):
    files = [str(path) for path in sources(".c", ".cc", ".h", ".hpp")]
    return subprocess.run([tool("clang-format-14"), "--dry-run", "-Werror", *files], check=False).returncode


def tidy_one(entry, headers_digest, cache):
    """clang-tidy on one file, unless neither it nor any header nor the settings changed since it last passed."""
    file = Path(entry["file"])
    digest = hashlib.sha256((headers_digest + entry["command"]).encode() + file.read_bytes()).hexdigest()
    if (cache / digest).exists():
        return True, ""
    result = subprocess.run([tool("clang-tidy-14"), "--quiet", "-p", str(cache), str(file)], check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode == 0:
        (cache / digest).touch()
    return result.returncode == 0, f"{file.relative_to(ROOT)}:\n{result.stdout}"


def check_tidy(build):
    tool("clang-tidy-14")
    cache = build / "tidy"
    cache.mkdir(exist_ok=True)
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = Path(entry["file"])
        if path.suffix == ".cc" and path.relative_to(ROOT).parts[0] in ("src", "tools"):
            entries.setdefault(path, entry)  # kernels are compiled once per instruction set; one look is enough
    (cache / "compile_commands.json").write_text(json.dumps(list(entries.values())), encoding="utf-8")
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for header in sources(".h", ".hpp", folders=("include", "src", "tools")):
        digest.update(header.read_bytes())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda entry: tidy_one(entry, digest.hexdigest(), cache), entries.values()))
    for passed, report in results:
        if not passed:
            print(report)
    print(f"{sum(passed for passed, _ in results)} of {len(results)} files are clean")
    return 0 if results and all(passed for passed, _ in results) else 1


def check_pragmas(_build):
    """Without num_threads a region would take as many threads as the host's OpenMP settings say, not the handle's."""
    bad = []
    regions = 0
    for path in sources(".c", ".cc", ".h", ".hpp", folders=("src", "tools")):
        text = path.read_text(encoding="utf-8").replace("\\\n", " ")
        for pragma in re.findall(r"(?:#\s*pragma|_Pragma\s*\(\s*\")\s*omp\s+[^\n]*\bparallel\b[^\n]*", text):
            regions += 1
            if "num_threads" not in pragma:
                bad.append(f"{path.relative_to(ROOT)}: {pragma}")
    print("\n".join(bad))
    print(f"{regions} parallel regions")
    return 1 if bad or regions == 0 else 0


def check_reference(build):
    output = build / "reference"
    output.mkdir(exist_ok=True)
    settings = (ROOT / "docs" / "Doxyfile").read_text(encoding="utf-8") + f'\nOUTPUT_DIRECTORY = "{output}"\n'
    return subprocess.run([tool("doxygen"), "-"], input=settings, text=True, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(globals()["check_" + sys.argv[1]](Path(sys.argv[2])))
