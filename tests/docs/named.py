# SPDX-License-Identifier: Apache-2.0
"""What the pages name exists: functions, settings, options, files, presets, targets, tests, and the calls of Java and .NET that
they set side by side. This holds for lines that are not run, too."""
import json
import re
import shlex
from pathlib import Path

from not_run import line_reason
from pages import APART, ROOT, all_blocks, pages, shell_lines

SOURCES = {".c", ".cc", ".cpp", ".h", ".hpp", ".cs", ".java", ".py", ".cmake", ".txt", ".json", ".in", ".i", ".sh", ".map", ".csproj",
           ".targets", ".xml", ".props", ""}
FOLDERS = ("benchmarks", "bindings", "cmake", "docs", "examples", "include", "scripts", "src", "tests", "tools", "training")
# Of which program an option is: where its text must stand. Others' programs have their own.
OPTIONS = [
    (r"^lookupffn\b", ("tools",)),
    (r"^(\S*python3? )?-m lookupffn\b", ("training/lookupffn",)),
    (r"^(\S*python3? )?training/scripts/", ("training/scripts", "training/lookupffn")),
    (r"^benchmarks/", ("benchmarks",)),
    (r"^scripts/|^tests/", ("scripts", "tests")),
]


def text_of(*folders):
    found = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in SOURCES and not set(path.relative_to(ROOT).parts) & APART:
                found.append(path.read_text(encoding="utf-8", errors="replace"))
    return "\n".join(found)


def check():
    everything = text_of(*FOLDERS) + (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    words = set(re.findall(r"\w+", everything))
    subjects = set(re.findall(r"(?:TEST_PREFIX|NAME) (\w+)\.", everything))
    bad = [f"{page}: there is no {name}" for page, name in names(words)]
    bad += tables()
    options = {}
    for block in all_blocks("sh", "console"):
        for number, command, _ in shell_lines(block):
            at = f"{block.page}:{number}"
            bad += [f"{at}: there is no {what}" for what in lacking_options(command, options)]
            if line_reason(command):
                bad += [f"{at}: there is no {what}" for what in lacking_files(command)]
    for page in pages():
        for code in re.findall(r"`([^`\n]+)`", (ROOT / page).read_text(encoding="utf-8")):
            bad += [f"{page}: there is no {what}" for what in lacking_options(code, options) + lacking_tests(code, words, subjects)]
    return bad


def names(words):
    """(page, name) of what no source has. A name that ends with _ is the beginning of some."""
    for page in pages():
        text = (ROOT / page).read_text(encoding="utf-8")
        for name in sorted(set(re.findall(r"\b(?:lffn_|LFFN_|LOOKUPFFN_)\w*", text))):
            if name in words or name.endswith("_") and any(word.startswith(name) for word in words):
                continue
            yield page, name


def tables():
    """Where a table has a column of Java and one of .NET, their names are of those languages."""
    java = set(re.findall(r"\b([a-z]\w*)\(", text_of("bindings/java/src/main")))
    csharp = set(re.findall(r"\w+", text_of("bindings/dotnet")))
    bad, seen = [], 0
    for page in pages():
        columns = None
        for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.lstrip().startswith("|") else None
            if cells is None:
                columns = None
            elif columns is None:
                columns = cells
            elif "Java" in columns and ".NET" in columns and len(cells) == len(columns):
                seen += 1
                for code in re.findall(r"`([^`]+)`", cells[columns.index("Java")]):
                    for name in re.findall(r"(?<![\w(<, ])([a-z]\w+)(?=\(|$)", code):
                        if name not in java:
                            bad.append(f"{page}: Java has no {name}")
                for code in re.findall(r"`([^`]+)`", cells[columns.index(".NET")]):
                    bad += [f"{page}: .NET has no {name}" for name in re.findall(r"\b[A-Z]\w+", code) if name not in csharp]
    return bad if seen else ["no page sets Java and .NET side by side"]


def lacking_options(command, known):
    """Options that are not in the sources of the program; training's may be members of a class of settings there."""
    lacking = []
    for part in re.split(r"&&|\|(?!\|)|;", command):
        part = re.sub(r"^(\s*[A-Z_]+=\S+)+", "", part).strip()
        for pattern, folders in OPTIONS:
            if re.search(pattern, part):
                if folders not in known:
                    known[folders] = text_of(*folders)
                found = re.findall(r"(?<![\w-])--[a-z][\w-]*", re.sub(r"'[^']*'|\"[^\"]*\"", "''", part.split(" #")[0]))
                lacking += [f"option {option}: {part}" for option in found
                            if not re.search(rf"{option}(?![\w-])|\b{option[2:].replace('-', '_')}\b", known[folders]) and option != "--help"]
                break
    return lacking


def lacking_tests(code, words, subjects):
    """Parts of the names of tests, SUBJECT.SUITE.TEST or what follows ctest -R, that no source has."""
    name = re.fullmatch(r"(\w+)\.([\w.*/-]+)", code)
    asked = [name[2]] if name and name[1] in subjects else re.findall(r"\bctest\b.*? -R (\S+)", code)
    return [f"test {code}" for one in asked for part in re.findall(r"\w+", one)
            if part not in words and not any(part in word for word in words)]


def lacking_files(command):
    """Files of the repository, presets, targets and settings of the build."""
    lacking = []
    command = command.split(" #")[0]
    presets = {entry["name"] for entry in json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]}
    lacking += [f"preset {name}" for name in re.findall(r"--preset (\S+)", command) if name not in presets]
    if "--target" in command:
        build = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.rglob("CMakeLists.txt")
                          if not set(path.relative_to(ROOT).parts) & APART)
        build += "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "bindings").rglob("*.cmake"))
        lacking += [f"target {name}" for name in re.findall(r"--target (\S+)", command) if not re.search(rf"\b{name}\b", build)]
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    for word in words:
        path = Path(word.split("=")[-1])
        if path.parts and path.parts[0] in FOLDERS and not re.search(r"[*{$]", word) and not list((ROOT / path.parent).glob(path.name + "*")):
            lacking.append(f"file {path}")
    return lacking
