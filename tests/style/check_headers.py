#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public C headers have the form that the bindings' reader wants, and the reader refuses any other. The training
package's file is what the reader makes of them.

usage: check_headers.py ABI_PY include/lookupffn training/lookupffn/abi.py
"""
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


def read(reader, folder):
    with tempfile.TemporaryDirectory() as out:
        return subprocess.run([sys.executable, reader, folder, f"{out}/abi_fields.h"],
                              capture_output=True, text=True)


def main():
    reader, headers, python_file = sys.argv[1:]
    bad = []
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
