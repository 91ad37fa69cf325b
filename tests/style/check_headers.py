#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public C headers have the form that the bindings' reader wants, and the reader refuses any other. The training
package's file is what the reader makes of them, and values of enumerations in Java and .NET have their comments.

usage: check_headers.py ABI_PY include/lookupffn training/lookupffn/abi.py bindings
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STRUCTS = "".join(f"typedef struct {name} {{\n  size_t struct_size; /**< Its size. */\n}} {name};\n"
                  for name in ("lffn_load_options", "lffn_layer_info", "lffn_model_shape", "lffn_model_heads",
                               "lffn_model_costs", "lffn_model_layer_info", "lffn_tokenizer_info", "lffn_top_k_args",
                               "lffn_model_run_args"))
STRUCTS += "enum { LFFN_OK = 0 };\n"
STRUCTS = STRUCTS.replace("lffn_tokenizer_info {\n", "lffn_tokenizer_info {\n  int32_t bos_id;\n")
BAD = {
    "enum { LFFN_A };\n": "no constant with its value",
    "enum { LFFN_A = LFFN_B };\n": "no constant with its value",
    "enum { LFFN_A = 1, LFFN_A = 2 };\n": "stands twice",
    "enum lffn_kind { LFFN_A = 1 };\n": "neither a constant",
    "typedef struct lffn_a { int32_t x, y; } lffn_a;\n": "a member of lffn_a",
    "typedef struct lffn_a { int32_t x; } lffn_b;\n": "ends as lffn_b",
    "typedef union lffn_a { int32_t x; float y; } lffn_a;\n": "neither a constant",
    "int lffn_hidden(void);\n": "neither a constant",
}

# Enumerations whose values say what their constants say. Others mean something narrower: why a text was not run, and
# what a text is for.
JAVA = "java/src/main/java/io/github/lookupffn"
COMMENTED = [f"{JAVA}/{name}.java" for name in ("Aggregation", "ElementType", "LogLevel", "Measure", "Pooling",
                                                "ScoreActivation", "ScoreKind", "TokenizerKind")]
COMMENTED += [f"dotnet/LookupFfn/{name}.cs" for name in ("Enums", "LookupFfnLibrary")]


def comments(reader, headers, bindings):
    """What is wrong with the comments of enumerations."""
    bad = []
    with tempfile.TemporaryDirectory() as made:
        for name in COMMENTED:
            source, copy = Path(bindings) / name, Path(made) / Path(name).name
            shutil.copy(source, copy)
            subprocess.run([sys.executable, reader, headers, copy], check=True)
            if copy.read_bytes() != source.read_bytes():
                bad.append(f"{source} does not say what the headers say; run: {reader} {headers} {source}")
        # Another comment than the header's must be noticed.
        copy.write_text("    /// <summary>No.</summary>\n    A = Raw.POOLING_MAX,\n", encoding="utf-8")
        subprocess.run([sys.executable, reader, headers, copy], check=True)
        if copy.read_text(encoding="utf-8") != \
                "    /// <summary>The maximum of each number.</summary>\n    A = Raw.POOLING_MAX,\n":
            bad.append(f"a comment became {copy.read_text(encoding='utf-8')!r}")
    return bad


def read(reader, folder):
    with tempfile.TemporaryDirectory() as out:
        return subprocess.run([sys.executable, reader, folder, f"{out}/abi_fields.h"],
                              capture_output=True, text=True)


def main():
    reader, headers, python_file, bindings = sys.argv[1:]
    bad = comments(reader, headers, bindings)
    real = read(reader, headers)
    if real.returncode != 0:
        bad.append(real.stderr)
    with tempfile.TemporaryDirectory() as made:
        anew = Path(made) / "abi.py"
        subprocess.run([sys.executable, reader, headers, anew], check=True)
        if anew.read_bytes() != Path(python_file).read_bytes():
            bad.append(f"{python_file} is not what the headers say; run: {reader} {headers} {python_file}")
    with tempfile.TemporaryDirectory() as made:
        base = Path(made) / "base.h"
        for text, message in {"": "", **BAD}.items():
            base.write_text(STRUCTS + text, encoding="utf-8")
            found = read(reader, made)
            if (found.returncode == 0) != (not message) or message not in found.stderr:
                bad.append(f"{text!r} gave {found.returncode}, {found.stderr!r}")
    print("\n".join(bad) or "the headers have their form")
    return 1 if bad else 0


sys.exit(main())
