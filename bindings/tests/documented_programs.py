#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Java and C# programs of the pages compile, and C#'s examples in comments, and README's print what it says.

usage: documented_programs.py parts ROOT PAGE...    a block under a line <!-- FILE --> is a part of that file
       documented_programs.py java ROOT JAVA JAVAC JAR
       documented_programs.py dotnet ROOT PROJECT DOTNET_RUN...
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path

# What the fragments of a page use without saying where it comes from.
JAVA_GIVEN = {"model": "Model", "answering": "Model", "entailing": "Model", "texts": "List<String>", "lines": "Stream<String>",
              "x": "float[]",
              "nTokens": "int", "n": "int"}
JAVA_IMPORTS = ("io.github.lookupffn.*", "java.nio.*", "java.nio.file.Path", "java.util.*", "java.util.concurrent.*",
                "java.util.stream.Stream")
CSHARP_GIVEN = {"model": "Model", "answering": "Model", "entailing": "Model", "splade": "Model", "late": "Model", "reranker": "Model",
                "text": "string", "documents": "string[]", "texts": "string[]", "x": "float[]", "token": "CancellationToken"}


def blocks(page, language):
    """(file that it is a part of or "", code) of each."""
    return re.findall(rf"^(?:<!-- (\S+) -->\n)?```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"),
                      re.DOTALL | re.MULTILINE)


def parts(root, *pages):
    bad = []
    for page in pages:
        named = [(name, code) for language in ("java", "csharp") for name, code in blocks(root / page, language) if name]
        if not named:
            bad.append(f"{page} has no quick start")
        for name, code in named:
            rest = iter([line.strip() for line in (root / name).read_text(encoding="utf-8").splitlines()])
            if not all(line.strip() in rest for line in code.splitlines()):
                bad.append(f"{page}: this is not in {name}:\n{code}")
    sys.exit("\n".join(bad) or 0)


def fragments(root, page, language):
    """Those that are no part of a program which another test compiles."""
    found = [code for name, code in blocks(root / page, language) if not name]
    if not found:
        sys.exit(f"{page} has no fragments")
    return found


def examples(folder):
    """Those of C#'s XML comments."""
    sources = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.cs")))
    found = re.findall(r"<example><code>(.*?)</code></example>", re.sub(r"^ *///? ?", "", sources, flags=re.MULTILINE), re.DOTALL)
    return [unescape(code.strip()) + "\n" for code in found if not code.startswith("builder.")]


def methods(codes, given, before):
    """Each as a method whose parameters are what it uses and does not make itself."""
    result = []
    for number, code in enumerate(codes):
        used = [f"{kind} {name}" for name, kind in given.items()
                if re.search(rf"(?<![\w.]){name}\b", code) and not re.search(rf"[\w>\]] {name} =", code)]
        result.append(f"{before.format(number)}({', '.join(used)})" + " {\n" + code + "}\n")
    return "".join(result)


def prints(root, page, folder, command):
    """Runs the front page's program beside the model that its first lines make."""
    model = re.search(r"^    ln -s (\S+) my-model$", page, re.MULTILINE).group(1)
    expected = re.search(r"Each of these programs prints [^.]*, (\d\.\d+)\. In C:", page).group(1)
    (folder / "my-model").symlink_to(root / model)
    told = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
    if told != expected + "\n":
        sys.exit(f"the program of README.md prints {told!r}, the page says {expected}")
    print(told, end="")


def java(root, run, javac, jar):
    page = (root / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "Program.java").write_text(blocks(root / "README.md", "java")[0][1], encoding="utf-8")
        code = "".join(f"import {one};\n" for one in JAVA_IMPORTS) + "class Fragments {\n" + methods(
            fragments(root, "docs/java.md", "java"), JAVA_GIVEN, "static void fragment{}") + "}\n"
        (folder / "Fragments.java").write_text(code, encoding="utf-8")
        subprocess.run([javac, "-Werror", "-Xlint:all,-try", "-proc:none", "-encoding", "UTF-8", "-cp", jar, "-d", str(folder),
                        "Program.java", "Fragments.java"], cwd=folder, check=True)
        prints(root, page, folder, [run, "-cp", f"{jar}{os.pathsep}{folder}", "Program"])


def dotnet(root, project, *run):
    page = (root / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(project, folder / "Documented.csproj")
        (folder / "Program.cs").write_text(blocks(root / "README.md", "csharp")[0][1], encoding="utf-8")
        code = ("#pragma warning disable CS1998 // some wait for nothing\nusing System.Runtime.InteropServices;\n"
                "using LookupFfn;\nstatic class Fragments\n{\n" +
                methods(fragments(root, "docs/dotnet.md", "csharp") + fragments(root, "docs/dotnet-services.md", "csharp") +
                        examples(root / "bindings" / "dotnet" / "LookupFfn"), CSHARP_GIVEN, "public static async Task Fragment{}") + "}\n")
        (folder / "Fragments.cs").write_text(code, encoding="utf-8")
        prints(root, page, folder, [*run, "--project", str(folder / "Documented.csproj")])


if __name__ == "__main__":
    {"parts": parts, "java": java, "dotnet": dotnet}[sys.argv[1]](Path(sys.argv[2]).resolve(), *sys.argv[3:])
