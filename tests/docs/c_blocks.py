# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the C and C++ of the pages: whole programs alone, fragments as functions of one program."""
import re
import subprocess
from pathlib import Path

from not_run import block_reason
from pages import ROOT, all_blocks, page_of

STANDARD = {"c": "-std=c99", "cpp": "-std=c++17"}
SUFFIX = {"c": ".c", "cpp": ".cc"}
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
FRAGMENTS = ["-Wno-unused-variable", "-Wno-unused-but-set-variable", "-g"]

# What fragments use without saying where it comes from: where this is found and not made by the fragment itself, the
# second stands before it and the third after it. MODEL is the path of a model that can do it.
GIVEN = {
    "c": [
        (r"\bmodel\b", "lffn_model* model = NULL;", "lffn_model_free(model);"),
        (r"\bpath\b", "const char* path = MODEL;", ""),
        (r"\bembeddings\b", "static float embeddings[4096]; const int64_t capacity = 4096;", ""),
    ],
    "cpp": [
        (r"\bmodel\b", "const lookupffn::Model model = lookupffn::Model::load(MODEL);", ""),
        (r"\btexts\b", 'const std::vector<std::string> texts = {"One text.", "Another text."};', ""),
        (r"\bqueries\b", 'const std::vector<std::string> queries = {"old ships"};', ""),
        (r"\bdocuments\b", 'const std::vector<std::string> documents = {"The ship left.", "Cats sleep."};', ""),
        (r"\bdocument\b", 'std::string document; for (int i = 0; i < 99; ++i) document += "The ship left the harbour. ";', ""),
        (r"\bindex\(", "const auto index = [](const std::string&, const std::vector<float>&) {};", ""),
        (r"\bpool\b", "Pool pool;", ""),
    ],
}
BEFORE = {
    "c": """#include <lookupffn/lookupffn.h>
#include <stdio.h>
static int fail(void) {
  printf("%s\\n", lffn_last_error());
  return 1;
}
""",
    "cpp": """#include <lookupffn/lookupffn.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>
struct Pool {
  void run_all(int64_t n, const std::function<void(int64_t)>& run) {
    for (int64_t item = 0; item < n; ++item) run(item);
  }
};
""",
}
MAIN = {
    "c": 'int main(void) {\n  int failed = 0;\n%s  return failed;\n}\n',
    "cpp": 'int main() {\n  int failed = 0;\n%s  return failed;\n}\n',
}
CALL = {
    "c": '  printf("%s\\n", "{place}"); fflush(stdout); failed |= fragment_{n}();\n',
    "cpp": '  std::puts("{place}"); std::fflush(stdout);\n'
           '  try {{ failed |= fragment_{n}(); }} catch (const std::exception& error) {{ std::puts(error.what()); failed = 1; }}\n',
}


def made_by(code, name):
    """Whether code declares it, outside of what it hands over in brackets."""
    return re.search(rf"[\w>*&\]] {name}( = |;|, \w+;|\()|, {name};", code) is not None


def fragment(block, number, tree):
    code, before, after = block.code, [], []
    model = f'"{tree.model_for(code)}"'
    for pattern, made, undone in GIVEN[block.language]:
        name = re.sub(r"\W|\\b", "", pattern.replace("\\b", ""))
        if re.search(pattern, code):
            if not made_by(code, name):
                before.append(made.replace("MODEL", model))
            if undone and undone not in code:
                after.append(undone)
    arguments = "void" if block.language == "c" else ""
    return "".join(f"{line}\n" for line in (
        f"static int fragment_{number}({arguments}) {{", *before, f'#line {block.line} "{block.page}"', code.rstrip("\n"),
        f'#line 1 "after {block.place}"', *after, "return 0;", "}"))


def compile_and_run(compiler, flags, library, source, folder):
    program = source.with_suffix("")
    built = subprocess.run([*compiler, *flags, f"-I{ROOT / 'include'}", str(source), str(library),
                            f"-Wl,-rpath,{Path(library).parent}", "-o", str(program)], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, check=False)
    if built.returncode != 0:
        return None, f"does not compile\n{built.stdout}"
    done = subprocess.run([str(program)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=300, check=False)
    return done.stdout, f"exit status {done.returncode}\n{done.stdout}" if done.returncode != 0 else None


def run_blocks(tree, compilers, library, flags):
    """compilers: of c and of cpp, as lists."""
    bad, programs, fragments = [], 0, {"c": [], "cpp": []}
    folder = tree.place("programs")
    tree.link(folder, "")
    for block in all_blocks("c", "cpp"):
        if block.part_of or block_reason(block):
            continue
        if "int main(" not in block.code:
            fragments[block.language].append(block)
            continue
        programs += 1
        source = folder / f"whole_{programs}{SUFFIX[block.language]}"
        source.write_text(block.code, encoding="utf-8")
        compiler = [*compilers[block.language], STANDARD[block.language], *STRICT]
        told, problem = compile_and_run(compiler, flags, library, source, folder)
        blocks, prose = page_of(block.page)
        shown = [prose, *(other.code for other in blocks if other.language == "text")]
        if problem is None and not any(told.strip() in one for one in shown):
            problem = f"it prints {told!r}, which the page does not say"
        if problem:
            bad.append(f"{block.place}: {problem}")
    for language, blocks in fragments.items():
        if blocks:
            functions = "".join(fragment(block, n, tree) for n, block in enumerate(blocks))
            calls = "".join(CALL[language].format(place=block.place, n=n) for n, block in enumerate(blocks))
            source = folder / f"fragments_of_{language}{SUFFIX[language]}"
            source.write_text(BEFORE[language] + functions + MAIN[language] % calls, encoding="utf-8")
            compiler = [*compilers[language], STANDARD[language], *STRICT, *FRAGMENTS]
            told, problem = compile_and_run(compiler, flags, library, source, folder)
            if problem:
                bad.append(f"the fragments of {language}: the last place that is named failed\n{problem}")
            else:
                print(told, end="")
    print(f"{programs} programs and {sum(map(len, fragments.values()))} fragments run")
    if programs + sum(map(len, fragments.values())) == 0:
        bad.append("the pages have no C and no C++")
    return bad

