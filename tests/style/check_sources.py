#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the sources: clang-format, licence lines, clang-tidy, floors and circles, what
the command sees, links of the documentation, the Doxygen reference."""
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
    """The file, or those that CMake, or join_sources.py, put together in it."""
    if not {"Unity", "joined"} & set(file.parts):
        return [file]
    return [Path(name) for name in re.findall(r'^#include "(.*)"', file.read_text(encoding="utf-8"), re.MULTILINE)]


class Tidied:
    """clang-tidy on sources of one command, put together: reading the headers takes most of the time."""

    TOGETHER = 12

    def __init__(self, build):
        self.cache = build / "tidy"
        self.cache.mkdir(exist_ok=True)
        self.settings = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
        for header in sources(".h", ".hpp", folders=("include", "src", "tools")):
            self.settings.update(header.read_bytes())

    def passed_before(self, command, paths):
        """The file that says that neither they nor any header nor the settings have changed since they passed."""
        digest = self.settings.copy()
        digest.update(command.encode())
        for path in paths:
            digest.update(str(path).encode() + path.read_bytes())
        return self.cache / digest.hexdigest()

    def look(self, command, paths):
        """What is wrong with them."""
        mark = self.passed_before(command, paths)
        if mark.exists():
            return ""
        folder = self.cache / f"{mark.name}.d"
        folder.mkdir(exist_ok=True)
        file = folder / "together.cc"
        file.write_text("".join(f'#include "{path}"\n' for path in paths), encoding="utf-8")
        entry = {"directory": str(self.cache.parent), "file": str(file), "command": f"{command} -c {file}"}
        (folder / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
        # A compiler's own options are of no interest here; sources put together cannot pass that one check.
        result = subprocess.run([tool("clang-tidy-14"), "--quiet", "--extra-arg=-Wno-unknown-warning-option",
                                 "--checks=-bugprone-suspicious-include", "-p", str(folder), str(file)], check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        shutil.rmtree(folder)
        if result.returncode == 0:
            mark.touch()
            return ""
        if len(paths) == 1:
            return f"{paths[0].relative_to(ROOT)}:\n{result.stdout}\n"
        # Perhaps two have a name in common, each for itself.
        half = len(paths) // 2
        return self.look(command, paths[:half]) + self.look(command, paths[half:])


def check_tidy(build):
    tool("clang-tidy-14")
    commands, seen = {}, set()
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        for path in compiled(Path(entry["file"])):
            # Kernels are compiled once per instruction set; one look is enough.
            if path.suffix == ".cc" and path.relative_to(ROOT).parts[0] in ("src", "tools") and path not in seen:
                seen.add(path)
                commands.setdefault(re.sub(r" -o \S+ -c \S+$", "", entry["command"]), []).append(path)
    tidied = Tidied(build)
    parts = [(command, paths[first:first + Tidied.TOGETHER]) for command, paths in commands.items()
             for first in range(0, len(paths), Tidied.TOGETHER)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = "".join(pool.map(lambda part: tidied.look(*part), parts))
    including = [f"{path.relative_to(ROOT)} includes a source" for path in sorted(seen)
                 if re.search(rb'#include ["<][^\n]*\.(?:c|cc|cpp|cxx)[">]', path.read_bytes())]
    unseen = sorted({str(path.parent.relative_to(ROOT)) for path in sources(".cc", folders=("src", "tools"))} -
                    {str(path.parent.relative_to(ROOT)) for path in seen})
    missing = [f"no source of {folder} is compiled in {build}" for folder in unseen]
    print("\n".join([found, *including, *missing]).strip() or f"{len(seen)} sources are clean")
    return 1 if found or including or missing else 0


# Which folders of src a folder may include from, beside itself.
FLOORS = {"runtime": set(), "format": {"runtime"}, "kernels": {"runtime"}, "search": {"kernels", "runtime"}, "tokenizer": {"format", "runtime"},
          "layer": {"kernels", "format", "runtime"},
          "texts": {"tokenizer", "format", "runtime"},
          "model": {"texts", "layer", "tokenizer", "kernels", "format", "runtime"},
          "run": {"model", "texts", "layer", "tokenizer", "kernels", "format", "runtime"},
          "tasks": {"run", "model", "texts", "layer", "tokenizer", "kernels", "format", "runtime"},
          "api": {"tasks", "run", "model", "search", "texts", "layer", "tokenizer", "kernels", "format", "runtime"},
          "train": {"api", "layer", "kernels", "format", "runtime"}}


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


def folder_of(name):
    """The part of the library that a file of src lies in: a folder of src, and of src/model."""
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] == "model" and len(parts) > 2 else parts[0]


def circles_of(includes):
    """What is wrong with the includes, given as {file of src, with its ending: those that it includes, without .h}."""
    bad, headers, folders = [], {}, {}
    for name, others in includes.items():
        stem, floor = name.rsplit(".", 1)[0], name.split("/")[0]
        for include in others:
            other = include.split("/")[0]
            if other not in FLOORS:
                continue
            if other != floor and other not in FLOORS[floor]:
                bad.append(f"src/{name} includes {include}.h, which is no lower floor")
            if name.endswith(".h"):
                headers.setdefault(stem, set()).add(include)
            if folder_of(name) != folder_of(include):
                folders.setdefault(folder_of(name), set()).add(folder_of(include))
    for kind, arrows in {"includes": headers, "folders": folders}.items():
        circle = circle_in(arrows)
        if circle:
            bad.append(f"a circle of {kind}: " + " -> ".join(circle))
    return bad


# What must not pass.
CIRCLES = {
    "no lower floor": {"format/a.h": ["layer/b"]},
    "of includes: model/a -> model/b -> model/a": {"model/a.h": ["model/b"], "model/b.h": ["model/a"]},
    "of folders: model/encoder -> model/heads -> model/encoder":
        {"model/encoder/a.cc": ["model/heads/b"], "model/heads/c.h": ["model/encoder/d"]},
    "of folders: model -> model/encoder -> model": {"model/a.h": ["model/encoder/b"], "model/encoder/c.cc": ["model/d"]},
}


# The command uses the public interface. Which of its files may look inside, and at what; src/README.md says why.
INSIDE = {
    "accuracy.cc": {"format/file", "format/safetensors"},
    "verify.cc": {"format/file", "format/safetensors"},
    "bench_dense.cc": {"runtime/threads"},
    "evaluate/tokens.cc": {"api/handles"},
    "isa.cc": {"kernels/kernels", "runtime/cpu", "runtime/environment", "runtime/threads"},
    "main.cc": {"format/utf8"},
    "random_model.cc": {"layer/layer", "model/tensors/parts"},
    "random_model.h": {"format/safetensors", "model/families/family", "runtime/memory"},
}


def insides_of(includes):
    """What is wrong with the includes of tools, given likewise, and what INSIDE allows for nothing."""
    looks = {name: {include for include in others if include.split("/")[0] in FLOORS}
             for name, others in includes.items()}
    bad = [f"tools/{name} includes {include}.h, which is not public" for name, found in looks.items()
           for include in sorted(found - INSIDE.get(name, set()))]
    return bad + [f"tools/{name} no longer includes {include}.h: take it from the list"
                  for name, allowed in INSIDE.items() for include in sorted(allowed - looks.get(name, set()))]


def check_inside(_build):
    """The command looks inside the library only where a list allows it."""
    includes = {str(path.relative_to(ROOT / "tools")):
                re.findall(r'^#include "([^"]+)\.h"', path.read_text(encoding="utf-8"), re.MULTILINE)
                for path in sources(".h", ".cc", folders=("tools",))}
    bad = insides_of(includes)
    for message, wrong in {"not public": {**includes, "embed.cc": ["model/model"]},
                           "no longer": {**includes, "main.cc": []}}.items():
        if not any(message in found for found in insides_of(wrong)):
            bad.append(f"{message} passes")
    print("\n".join(bad))
    print(f"{len(includes)} files")
    return 1 if bad or not includes else 0


def check_circles(_build):
    """Includes go down the floors, and neither those of headers nor folders make a circle."""
    includes = {str(path.relative_to(ROOT / "src")):
                re.findall(r'^#include "([^"]+)\.h"', path.read_text(encoding="utf-8"), re.MULTILINE)
                for path in sources(".h", ".cc", folders=("src",))}
    bad = circles_of(includes)
    for message, wrong in CIRCLES.items():
        if not any(message in found for found in circles_of(wrong)):
            bad.append(f"{wrong} passes, which is {message}")
    print("\n".join(bad))
    print(f"{sum(map(len, includes.values()))} includes")
    return 1 if bad or not includes else 0


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


def check_reference(build):
    output = build / "reference"
    output.mkdir(exist_ok=True)
    settings = (ROOT / "docs" / "Doxyfile").read_text(encoding="utf-8") + f'\nOUTPUT_DIRECTORY = "{output}"\n'
    return subprocess.run([tool("doxygen"), "-"], input=settings, text=True, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(globals()["check_" + sys.argv[1]](Path(sys.argv[2])))
