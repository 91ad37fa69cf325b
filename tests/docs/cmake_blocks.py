# SPDX-License-Identifier: Apache-2.0
"""Configures a project around each block of CMake on the pages, and builds and runs it where the library is installed."""
import subprocess

from not_run import block_reason
from pages import ROOT, all_blocks, page_of

BEFORE = """cmake_minimum_required(VERSION 3.22)
project(page LANGUAGES C CXX)
add_executable(program program.c)
"""


def run_blocks(tree, prefix, arguments):
    bad, run = [], 0
    for block in all_blocks("cmake"):
        if block_reason(block):
            continue
        run += 1
        place = tree.place(block.place)
        tree.link(place, "")
        (place / "CMakeLists.txt").write_text(BEFORE + block.code, encoding="utf-8")
        inside = "FetchContent" in block.code  # which takes the sources here instead; compiling them takes minutes
        steps = [["cmake", "-G", "Ninja", "-S", ".", "-B", "made", f"-DCMAKE_PREFIX_PATH={prefix}",
                  f"-DFETCHCONTENT_SOURCE_DIR_LOOKUPFFN={ROOT}", *arguments]]
        if not inside:
            steps += [["cmake", "--build", "made"], ["made/program"]]
        for step in steps:
            done = subprocess.run(step, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode != 0:
                bad.append(f"{block.place}: {' '.join(step)}\n{done.stdout[-4000:]}")
                break
        else:
            blocks, prose = page_of(program_page())
            shown = [prose, *(other.code for other in blocks if other.language == "text")]
            if not inside and not any(done.stdout.strip() in text for text in shown):
                bad.append(f"{block.place}: the program prints {done.stdout!r}, which its page does not say")
    print(f"{run} projects configured")
    return bad if run else ["the pages have no CMake"]


def program_page():
    return next(block.page for block in all_blocks("c") if "int main(" in block.code)
