#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the public C headers, so that no name and no number of the ABI is written down twice.

usage: abi.py HEADER_FOLDER OUTPUT.h|OUTPUT.py
       abi.py HEADER_FOLDER SOURCE.java|SOURCE.cs...

The header lists all constants, and the members of those structs whose numbers cross as rows, in the order of their
places. The Python file has the constants and the structs that the training package uses, for ctypes. In sources of Java
and .NET, values of enumerations get the comments that their constants have in the headers.

The headers have one form, which CONTRIBUTING.md describes. Whatever leaves it is an error here, with its line.
"""

import re
import sys
import textwrap
from pathlib import Path

# Structs that cross as rows of numbers: all members that are numbers have a place, but struct_size, reserved ones, and
# those that each call is given in its own way.
ROWS = {
    "lffn_load_options": (),
    "lffn_layer_info": (),
    "lffn_model_shape": (),
    "lffn_model_heads": (),
    "lffn_model_costs": (),
    "lffn_model_layer_info": (),
    "lffn_tokenizer_info": (),
    "lffn_top_k_args": (),
    "lffn_model_run_args": ("n", "prompt_size", "max_tokens", "top_k", "aggregation", "n_logit_positions", "n_outputs"),
}
NUMBERS = ("int32_t", "uint32_t", "int64_t", "uint64_t", "size_t", "float", "double")

# What the training package uses.
PYTHON_STRUCTS = ("lffn_layer_config", "lffn_load_options", "lffn_output", "lffn_model_run_args",
                  "lffn_tokenizer_encode_args", "lffn_train_weights", "lffn_train_gradients")
PYTHON_CONSTANTS = ("DTYPE_", "OUT_", "ACTIVATION_", "PROJECTION_")

# A constant with its comment before or behind it; and values of enumerations with theirs.
COMMENTED = re.compile(r"(?:/\*\*(?!<)((?:(?!\*/).)*)\*/\s*)?(LFFN_\w+)\s*=[^,/]*,?[ \n]*(?:/\*\*<((?:(?!\*/).)*)\*/)?",
                       re.DOTALL)
VALUES = {
    ".java": re.compile(r"  /\*\*(?:(?!\*/).)*\*/\n(?P<line>  (?P<name>[A-Z]\w*)\(Abi\.(?P<constant>\w+)\))", re.DOTALL),
    ".cs": re.compile(r"(?:    ///.*\n)+(?P<line>(?:    \[.*\n)?    (?P<name>\w+) = (?:LookupFfn\.)?Raw\.(?P<constant>\w+),)"),
}
# What the languages call things of the headers.
TERMS = {
    ".java": {"lffn_load_options": "{@link LoadOptions}",
              "lffn_model_heads.score_activation": "{@link ModelInfo#scoreActivation}"},
    ".cs": {"lffn_load_options": '<see cref="LoadOptions"/>',
            "lffn_model_heads.score_activation": '<see cref="ModelInfo.ScoreActivation"/>'},
}
WIDTH = 120

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DIRECTIVE = re.compile(r"#(?:[^\n\\]|\\\n|\\.)*\n")
ENUM = re.compile(r"enum \{(.*?)\};", re.DOTALL)
STRUCT = re.compile(r"typedef struct (lffn_\w+) \{(.*?)\} (lffn_\w+);", re.DOTALL)
HANDLE = re.compile(r"typedef struct (lffn_\w+) \1;")
CALLBACK = re.compile(r"typedef [\w ]+\*? ?\(\*lffn_\w+\)\([^;]*\);")
TYPE = re.compile(r"typedef u?int\d+_t lffn_\w+;")
FUNCTION = re.compile(r"LFFN_API (?:LFFN_CHECKED )?[\w ]+?[ *]+(lffn_\w+)\([^;]*\);", re.DOTALL)
LINKAGE = re.compile(r'extern "C" \{|\}')
POINTER = re.compile(r"[\w ]+\*? ?\(\*(\w+)\)\([^;]*\);")
MEMBER = re.compile(r"(?:const )?(?:struct )?(\w+)((?:\s|\*|const\b)*)(\w+)(\[\w+\])?;")


class Header:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.constants = {}  # name: value
        self.comments = {}  # name: what is said of it
        self.structs = {}  # name: [(type, stars, member, array)]
        self.functions = []
        self._read()

    def _fail(self, at, what):
        line = self.text.count("\n", 0, at) + 1
        sys.exit(f"{self.path}:{line}: {what}; CONTRIBUTING.md describes the form of the headers")

    def _read(self):
        text, at = self.text, 0
        # Comments are read as blanks, so that places stay what they are.
        bare = COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
        while True:
            at += len(bare[at:]) - len(bare[at:].lstrip())
            if at == len(bare):
                return
            for form, take in ((DIRECTIVE, None), (ENUM, self._enum), (STRUCT, self._struct), (HANDLE, None),
                               (CALLBACK, None), (TYPE, None), (FUNCTION, self._function), (LINKAGE, None)):
                found = form.match(bare, at)
                if found:
                    if take:
                        take(found)
                    at = found.end()
                    break
            else:
                self._fail(at, "neither a constant, a struct, a handle, a callback nor a function")

    def _enum(self, found):
        for before, name, behind in COMMENTED.findall(self.text[found.start(1):found.end(1)]):
            if before or behind:
                self.comments[name] = re.sub(r"\s+(?:\* )?", " ", before or behind).strip()
        for part in re.finditer(r"[^,]+", found.group(1)):
            item = part.group().strip()
            if not item:
                continue
            named = re.fullmatch(r"(LFFN_\w+)\s*=\s*(-?\d+|1u << \d+)", item)
            if not named:
                self._fail(found.start(1) + part.start(), f"'{item}' is no constant with its value")
            name, value = named.groups()
            if name in self.constants:
                self._fail(found.start(1) + part.start(), f"{name} stands twice")
            self.constants[name] = 1 << int(value.split("<<")[1]) if "<<" in value else int(value)

    def _struct(self, found):
        name, body, last = found.groups()
        if name != last:
            self._fail(found.start(), f"the struct {name} ends as {last}")
        members = []
        at = 0
        while body[at:].strip():
            at += len(body[at:]) - len(body[at:].lstrip())
            call = POINTER.match(body, at)
            if call:
                members.append(("function", 1, call.group(1), None))
                at = call.end()
                continue
            member = MEMBER.match(body, at)
            if not member:
                self._fail(found.start(2) + at, f"a member of {name} is none of its own")
            kind, stars, what, array = member.groups()
            members.append((kind, stars.count("*"), what, array))
            at = member.end()
        self.structs[name] = members

    def _function(self, found):
        self.functions.append(found.group(1))


class Abi:
    def __init__(self, folder):
        self.constants, self.structs, self.functions, self.comments = {}, {}, [], {}
        for path in sorted(Path(folder).glob("*.h")):
            header = Header(path)
            for name, value in header.constants.items():
                if name in self.constants:
                    sys.exit(f"{path}: {name} stands in two headers")
                self.constants[name] = value
            self.structs.update(header.structs)
            self.comments.update(header.comments)
            self.functions += header.functions

    def row(self, struct):
        """(place, member) of each number."""
        return [(member.upper() + ("_BITS" if kind == "float" else ""), member)
                for kind, stars, member, array in self.structs[struct]
                if kind in NUMBERS and not stars and not array and member != "struct_size" and
                not member.startswith("reserved") and member not in ROWS[struct]]


def c_list(name, item, pairs):
    lines = [f"#define {name}({item}) \\"] + [f"  {item}({first}, {second}) \\" for first, second in pairs]
    return [*lines[:-1], lines[-1][:-2]]


def c_header(abi):
    """A list of all constants, without LFFN_, and a list for each row of numbers."""
    lines = ["// Made of include/lookupffn by abi.py: constants, and what lies at which place of a row of numbers."]
    lines += c_list("ABI_CONSTANTS", "CONSTANT", ((name[len("LFFN_"):], value) for name, value in abi.constants.items()))
    for struct in ROWS:
        lines += c_list(f"{struct.upper()[len('LFFN_'):]}_FIELDS", "FIELD", abi.row(struct))
    ids = [(place, member) for place, member in abi.row("lffn_tokenizer_info") if member.endswith("_id")]
    return "\n".join([*lines, *c_list("SPECIAL_ID_FIELDS", "FIELD", ids), ""])


def python_file(abi):
    types = {"float": "c_float", "double": "c_double", "size_t": "c_size_t"}
    lines = ["# SPDX-License-Identifier: Apache-2.0",
             '"""The C interface for ctypes. Made of include/lookupffn by bindings/swig/abi.py; not written by hand."""',
             "", "import ctypes", ""]
    lines += [f"{name[len('LFFN_'):]} = {value}" for name, value in abi.constants.items()
              if name[len("LFFN_"):].startswith(PYTHON_CONSTANTS)]
    for struct in PYTHON_STRUCTS:
        name = "".join(part.capitalize() for part in struct.split("_")[1:])
        lines += ["", "", f"class {name}(ctypes.Structure):", f'    """{struct}"""', "", "    _fields_ = ["]
        for kind, stars, member, array in abi.structs[struct]:
            if array or not stars and kind not in NUMBERS and not kind.endswith("_callback"):
                sys.exit(f"{struct}.{member}: this reader has no ctypes type for it")
            pointer = stars or kind.endswith("_callback")
            of = "c_void_p" if pointer else types.get(kind, f"c_{kind[:-2]}")
            lines.append(f'        ("{member}", ctypes.{of}),')
        lines.append("    ]")
    return "\n".join([*lines, ""])


def with_comments(abi, path):
    """The source, with the headers' comments on values of its enumerations, where the headers have any."""
    kind, text = path.suffix, path.read_text(encoding="utf-8")
    values = VALUES[kind]
    link = "{{@link #{}}}" if kind == ".java" else '<see cref="{}"/>'
    terms = TERMS[kind] | {"LFFN_" + found["constant"]: link.format(found["name"]) for found in values.finditer(text)}

    def value(found):
        comment = abi.comments.get("LFFN_" + found["constant"])
        if comment is None:
            return found.group()
        for term, ours in terms.items():
            comment = re.sub(rf"\b{re.escape(term)}\b", ours, comment)
        if re.search(r"lffn_|LFFN_", comment):
            sys.exit(f"{path}: what {kind} calls this is not in TERMS: {comment}")
        if kind == ".cs":
            lines = textwrap.wrap(f"<summary>{comment}</summary>", WIDTH - len("    /// "))
            return "".join(f"    /// {line}\n" for line in lines) + found["line"]
        if len(comment) <= WIDTH - len("  /**  */"):
            return f"  /** {comment} */\n" + found["line"]
        lines = textwrap.wrap(comment, WIDTH - len("   * "))
        return "  /**\n" + "".join(f"   * {line}\n" for line in lines) + "   */\n" + found["line"]

    return values.sub(value, text)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if Path(sys.argv[2]).suffix in VALUES:
        abi = Abi(sys.argv[1])
        for path in map(Path, sys.argv[2:]):
            path.write_text(with_comments(abi, path), encoding="utf-8")
        return
    write = python_file if sys.argv[2].endswith(".py") else c_header
    Path(sys.argv[2]).write_text(write(Abi(sys.argv[1])), encoding="utf-8")


main()
