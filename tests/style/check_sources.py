#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the sources: clang-format, licence lines, clang-tidy, floors and circles, links and
programs of the documentation, the Doxygen reference."""
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


def listed_files():
    """All files of the source, or None without git: what lies about here is not the project's."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=False,
                            capture_output=True, text=True) if shutil.which("git") else None
    if listed is None or listed.returncode != 0:
        print("needs git, and the repository")
        return None
    return {ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}


def check_licences(_build):
    """Every source names its licence in its first lines."""
    files = listed_files()
    if files is None:
        return SKIPPED
    looked_at, bad = 0, []
    for path in sorted(files):
        is_script = path.suffix == "" and path.read_bytes().startswith(b"#!")
        if path.suffix in (".c", ".cc", ".h", ".hpp", ".py", ".sh", ".cmake", ".java", ".cs", ".i") or is_script or \
                path.name == "CMakeLists.txt":
            looked_at += 1
            first = path.read_text(encoding="utf-8").splitlines()[:4]
            if not any("SPDX-License-Identifier: Apache-2.0" in line for line in first):
                bad.append(f"{path.relative_to(ROOT)} lacks its SPDX line")
    print("\n".join(bad))
    print(f"{looked_at} sources")
    return 1 if bad or looked_at == 0 else 0


def compiled(file):
    """The file, or those that CMake put together in it."""
    if "Unity" not in file.parts:
        return [file]
    return [Path(name) for name in re.findall(r'^#include "(.*)"', file.read_text(encoding="utf-8"), re.MULTILINE)]


def tidy_one(entry, sources_in_it, headers_digest, cache):
    """clang-tidy on one file, unless neither it nor any header nor the settings changed since it last passed."""
    file = Path(entry["file"])
    contents = b"".join(path.read_bytes() for path in [file, *sources_in_it])
    digest = hashlib.sha256((headers_digest + entry["command"]).encode() + contents).hexdigest()
    if (cache / digest).exists():
        return True, ""
    # The one check that sources put together cannot pass.
    together = sources_in_it != [file]
    others = ["--checks=-bugprone-suspicious-include"] if together else []
    # A compiler's own options are of no interest here.
    result = subprocess.run([tool("clang-tidy-14"), "--quiet", "--extra-arg=-Wno-unknown-warning-option", *others, "-p",
                             str(cache), str(file)],
                            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    including = [path.name for path in sources_in_it
                 if together and re.search(rb'#include ["<][^\n]*\.(?:c|cc|cpp|cxx)[">]', path.read_bytes())]
    if result.returncode == 0 and not including:
        (cache / digest).touch()
        return True, ""
    including = "".join(f"{name} includes a source\n" for name in including)
    return False, f"{file.relative_to(ROOT)}:\n{result.stdout}\n{including}"


def check_tidy(build):
    tool("clang-tidy-14")
    cache = build / "tidy"
    cache.mkdir(exist_ok=True)
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        paths = compiled(Path(entry["file"]))
        if all(path.suffix == ".cc" and path.relative_to(ROOT).parts[0] in ("src", "tools") for path in paths):
            # Kernels are compiled once per instruction set; one look is enough. What CMake put together is looked at
            # together: reading the headers takes most of the time.
            entries.setdefault(entry["file"], (entry, paths))
    (cache / "compile_commands.json").write_text(json.dumps([entry for entry, _ in entries.values()]), encoding="utf-8")
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for header in sources(".h", ".hpp", folders=("include", "src", "tools")):
        digest.update(header.read_bytes())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda one: tidy_one(*one, digest.hexdigest(), cache), entries.values()))
    for passed, report in results:
        if not passed:
            print(report)
    looked_at = {path for _, paths in entries.values() for path in paths}
    print(f"{sum(passed for passed, _ in results)} of {len(results)} are clean, of {len(looked_at)} sources")
    return 0 if results and all(passed for passed, _ in results) else 1


# Which folders of src a folder may include from, beside itself.
FLOORS = {"runtime": set(), "format": {"runtime"}, "kernels": {"runtime"}, "tokenizer": {"format", "runtime"},
          "layer": {"kernels", "format", "runtime"},
          "texts": {"tokenizer", "format", "runtime"},
          "model": {"texts", "layer", "tokenizer", "kernels", "format", "runtime"},
          "api": {"model", "texts", "layer", "tokenizer", "kernels", "format", "runtime"}}


def circle_in(arrows):
    """The nodes along one circle, if there is any."""
    state = {}  # of each node: on the way to it, or done with

    def walk(node, way):
        state[node] = "open"
        for other in sorted(arrows.get(node, ())):
            if state.get(other) == "open":
                return way[way.index(other):] + [other]
            if other not in state:
                found = walk(other, way + [other])
                if found:
                    return found
        state[node] = "done"
        return None

    for node in sorted(arrows):
        if node not in state:
            found = walk(node, [node])
            if found:
                return found
    return None


def check_circles(_build):
    """Includes go down the floors, and those of headers make no circle."""
    bad, headers = [], {}
    for path in sources(".h", ".cc", folders=("src",)):
        floor, name = path.relative_to(ROOT / "src").parts[0], str(path.relative_to(ROOT / "src").with_suffix(""))
        for include in re.findall(r'^#include "([^"]+)\.h"', path.read_text(encoding="utf-8"), re.MULTILINE):
            other = include.split("/")[0]
            if other in FLOORS and other != floor and other not in FLOORS[floor]:
                bad.append(f"{path.relative_to(ROOT)} includes {include}.h, which is no lower floor")
            if other in FLOORS and path.suffix == ".h":
                headers.setdefault(name, set()).add(include)
    circle = circle_in(headers)
    if circle:
        bad.append("a circle of includes: " + " -> ".join(circle))
    print("\n".join(bad))
    print(f"{sum(map(len, headers.values()))} includes")
    return 1 if bad or not headers else 0


def anchors(text):
    """As GitHub makes them of headings."""
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)", text, re.MULTILINE)}


def check_links(_build):
    """Relative links lead to files of the source, not only to what lies about here, and to headings that they have."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=False,
                            capture_output=True, text=True) if shutil.which("git") else None
    if listed is None or listed.returncode != 0:
        print("needs git, and the repository")
        return SKIPPED
    files = {ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}
    there = files.union(*(path.parents for path in files))
    bad, links = [], 0
    for path in sorted(path for path in files if path.suffix == ".md"):
        text = path.read_text(encoding="utf-8")
        prose = re.sub(r"^(?: {4}|\t)[^\n]*$|^```.*?^```|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]*)\)", prose):
            if re.match(r"[a-z]+:", link):
                continue
            links += 1
            name, _, anchor = link.partition("#")
            target = Path(os.path.normpath(path.parent / name)) if name else path
            if target not in there or anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
                bad.append(f"{path.relative_to(ROOT)}: {link}")
    print("\n".join(bad))
    print(f"{links} links")
    return 1 if bad or links == 0 else 0


def check_programs(_build):
    """A block of C or C++ under a line <!-- FILE --> is a part of that file, which a test compiles and runs."""
    bad, looked_at = [], 0
    for path in sorted((ROOT / "docs").glob("*.md")):
        for name, code in re.findall(r"^<!-- (\S+) -->\n```(?:c|cpp)\n(.*?)^```$", path.read_text(encoding="utf-8"),
                                     re.DOTALL | re.MULTILINE):
            looked_at += 1
            if code not in (ROOT / name).read_text(encoding="utf-8"):
                bad.append(f"{path.relative_to(ROOT)}: this is not in {name}:\n{code}")
    print("\n".join(bad))
    print(f"{looked_at} parts of programs")
    return 1 if bad or looked_at == 0 else 0


def check_reference(build):
    output = build / "reference"
    output.mkdir(exist_ok=True)
    settings = (ROOT / "docs" / "Doxyfile").read_text(encoding="utf-8") + f'\nOUTPUT_DIRECTORY = "{output}"\n'
    return subprocess.run([tool("doxygen"), "-"], input=settings, text=True, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(globals()["check_" + sys.argv[1]](Path(sys.argv[2])))
