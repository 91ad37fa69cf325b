# SPDX-License-Identifier: Apache-2.0
"""What on the pages is not run, and why.

An entry is for the lines of a shell, or the blocks of a language, that its expression finds. What no entry finds is run;
an entry that finds nothing fails the test. The files, presets, targets and options that such a line names are checked all
the same, by named.py.
"""
import re

SHELL = [
    (r"^git clone ", "fetches the project"),
    (r"^(hf download|git lfs) ", "fetches a model"),
    (r"^(scripts/(install-deps|aarch64-libs)\b|apt-get )", "installs packages of the system"),
    (r"^(cmake (--preset|-B|--build|-S|--install)|ctest --preset)", "builds and tests the project, as whoever runs this has done"),
    (r"^scripts/(demo|test|natives|release|fuzz)\b|^tests/natives/check.py$", "builds or tests all; the stages run it"),
    (r"^doxygen ", "style.reference runs it"),
    (r"^tests/support/archive.py (add|unpack|pack) ", "changes the corpus, or names what the reader has found"),
    (r"^lookupffn bench( --costs|\s*#|$)", "measures for up to a minute; tools.bench runs the same with less time"),
    (r"^(/usr/bin/python3 )?benchmarks/", "measures for minutes what only an idle machine can tell, mostly beside other engines"),
    (r"^training/scripts/fetch_text.py ", "fetches texts from Debian, npm and PyPI"),
    (r"^(OUT=|export OUT=|M=|export LOOKUPFFN_LIBRARY=)", "is for the lines after it, which are not run"),
    (r"^(/usr/bin/python3 )?training/scripts/", "trains or measures for hours on fetched texts; tests/training tests what it calls"),
    (r"python3? -m lookupffn (adapt|distill|distill-many|texts|unpack|tokenizer|prepare|train|export|import|finetune)\b",
     "trains on fetched texts, or reads what such a run wrote; tests/training runs each command on small ones"),
    (r"pip install ", "installs into the caller's Python; tests/training installs it into an environment of its own"),
    (r"^dotnet (new|add|nuget) ", "needs the packages on a server, or changes the caller's settings; dotnet_example_* use them"),
    (r"^dotnet run ", "starts a service, or needs some; dotnet_service does both"),
    (r"^curl ", "asks a service; dotnet_service asks it"),
    (r"^(cd build/release/bindings/java$|mvn )", "changes the caller's Maven repository; java_repository does it in one of its own"),
    (r"^ls build/release/bindings/", "shows what a build with bindings made; the tests of java and dotnet use it"),
    (r"^unzip -p lookupffn-1.0.0.jar ", "reads the jar; java_notices reads the same file"),
    (r"^(cp build/natives/|wine |mkdir -p scratch/deep && wine )", "needs Wine and the library for Windows; natives.paths does the same"),
    (r"^mpirun -n 9 --map-by ppr:1:numa ", "needs nine places of memory; example.mpi runs it with three processes"),
    (r"spark-submit ", "needs Spark, which is at hand as jars alone"),
    (r"^cc program.c -static ", "needs all libraries as archives; package.pkg-config.static links so"),
]

BLOCKS = [
    ("", r"", "a picture or a text, no program"),
    ("text", r"", "a picture or a text, no program"),
    ("bibtex", r"", "no program"),
    ("dockerfile", r"^FROM debian:12-slim$", "needs Docker"),
    ("kotlin", r"^dependencies \{", "needs Gradle; its names are checked"),
    ("yaml", r"^lookupffn:$", "needs Boot; AutoConfigurationTest binds the same properties, and their names are checked"),
    ("csharp", r"IEmbeddingGenerator|collection.SearchAsync", "needs a vector store, which is not at hand"),
    ("python", r"^spark\.", "needs Spark"),
    ("python", r"InferenceSession", "is what one had with ONNX Runtime"),
    ("sql", r"USING vec0", "needs sqlite-vec, which is not at hand"),
]

KNOWN = {"sh", "console", "c", "cpp", "cmake", "java", "csharp", "python", "sql", "json", "xml"}


def line_reason(command):
    return next((reason for pattern, reason in SHELL if re.search(pattern, command)), None)


def block_reason(block):
    return next((reason for language, pattern, reason in BLOCKS
                 if block.language == language and re.search(pattern, block.code, re.MULTILINE)), None)
