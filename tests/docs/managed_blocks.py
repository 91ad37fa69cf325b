# SPDX-License-Identifier: Apache-2.0
"""Compiles the Java and C# of the pages, C#'s examples in comments too, and runs what is a whole program."""
import os
import re
import shutil
import subprocess
from html import unescape

from not_run import block_reason
from pages import ROOT, all_blocks, page_of

MODEL = ROOT / "examples" / "models" / "all-minilm-l6-v2-quality"
SENTENCES = ROOT / "examples" / "c" / "sentences.txt"
# What fragments use without saying where it comes from.
JAVA_GIVEN = {"model": "Model", "answering": "Model", "entailing": "Model", "texts": "List<String>", "lines": "Stream<String>",
              "x": "float[]", "nTokens": "int", "n": "int"}
JAVA_IMPORTS = ("io.github.lookupffn.*", "java.nio.*", "java.nio.file.Path", "java.util.*", "java.util.concurrent.*",
                "java.util.stream.Stream")
CSHARP_GIVEN = {"model": "Model", "answering": "Model", "entailing": "Model", "splade": "Model", "late": "Model", "reranker": "Model",
                "text": "string", "documents": "string[]", "texts": "string[]", "x": "float[]", "token": "CancellationToken"}


def split(language, is_program):
    """(whole programs, fragments): those that are no part of a program which another test compiles."""
    mine = [block for block in all_blocks(language) if not block.part_of and not block_reason(block)]
    return [block for block in mine if is_program(block.code)], [block for block in mine if not is_program(block.code)]


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


def problem_of(program, folder, command):
    """Runs it beside a model and sentences; the page must say what it prints."""
    for name, target in (("my-model", MODEL), ("sentences.txt", SENTENCES)):
        link = folder / name
        if not link.exists():
            link.symlink_to(target)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    told = done.stdout.strip()
    if done.returncode != 0:
        return [f"{program.place}: exit status {done.returncode}\n{told}"]
    print(f"{program.place} prints {told}")
    blocks, prose = page_of(program.page)
    shown = [prose, *(block.code for block in blocks if block.language == "text")]
    return [] if told and any(told in one for one in shown) else [f"{program.place}: prints {told!r}, which the page does not say"]


def java(folder, run, javac, jar):
    programs, fragments = split("java", lambda code: "static void main(" in code)
    imports = "".join(f"import {one};\n" for one in JAVA_IMPORTS)
    code = imports + "class Fragments {\n" + methods([block.code for block in fragments], JAVA_GIVEN, "static void fragment{}") + "}\n"
    (folder / "Fragments.java").write_text(code, encoding="utf-8")
    bad, sources = [], ["Fragments.java"]
    names = [re.search(r"^(?:public )?class (\w+)", program.code, re.MULTILINE)[1] for program in programs]
    for name, program in zip(names, programs):
        (folder / f"{name}.java").write_text(program.code, encoding="utf-8")
        sources.append(f"{name}.java")
    if len(set(names)) != len(names):
        return [f"programs of one name: {names}"]
    subprocess.run([javac, "-Werror", "-Xlint:all,-try", "-proc:none", "-encoding", "UTF-8", "-cp", jar, "-d", str(folder), *sources],
                   cwd=folder, check=True)
    for name, program in zip(names, programs):
        bad += problem_of(program, folder, [run, "-cp", f"{jar}{os.pathsep}{folder}", name])
    return bad + counted(programs, fragments)


def csharp(folder, project, *run):
    programs, fragments = split("csharp", lambda code: code.startswith("using ") and ";\n\n" in code)
    codes = [block.code for block in fragments] + examples(ROOT / "bindings" / "dotnet" / "LookupFfn")
    code = ("#pragma warning disable CS1998 // some wait for nothing\nusing System.Runtime.InteropServices;\n"
            "using LookupFfn;\nstatic class Fragments\n{\n" + methods(codes, CSHARP_GIVEN, "public static async Task Fragment{}") + "}\n")
    bad = []
    for number, program in enumerate(programs):
        place = folder / f"program{number}"
        place.mkdir()
        shutil.copy(project, place / "Documented.csproj")
        (place / "Program.cs").write_text(program.code, encoding="utf-8")
        if number == 0:
            (place / "Fragments.cs").write_text(code, encoding="utf-8")
        bad += problem_of(program, place, [*run, "--project", str(place / "Documented.csproj")])
    return bad + counted(programs, fragments)


def counted(programs, fragments):
    print(f"{len(programs)} programs run, {len(fragments)} fragments compiled")
    return [] if programs and fragments else ["the pages have no program or no fragment"]
