#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of the pages notice what is wrong: blocks are found as readers see them, and outputs are compared."""
import os
import tempfile
import unittest
from pathlib import Path

import c_blocks
import listed
import named
import not_run
import shell_blocks
from pages import Block, read_blocks, shell_lines

PAGE = """# A page

    one line
    another

- an item

    which is prose

<!-- src/a.cc -->
```cpp
int a;

```

  ```sh
  $ first \\
      --more
  printed
  $ second
  ```
"""


def shell(code):
    return Block("page.md", 10, "sh", code)


class Blocks(unittest.TestCase):
    def test_they_are_found_as_readers_see_them(self):
        blocks, prose = read_blocks("page.md", PAGE)
        self.assertEqual([(block.line, block.language, block.part_of) for block in blocks],
                         [(3, "sh", ""), (12, "cpp", "src/a.cc"), (17, "sh", "")])
        self.assertEqual(blocks[0].code, "one line\nanother\n")
        self.assertEqual(blocks[1].code, "int a;\n\n")
        self.assertIn("which is prose", prose)
        self.assertNotIn("int a", prose)

    def test_lines_of_a_shell(self):
        blocks, _ = read_blocks("page.md", PAGE)
        self.assertEqual(shell_lines(blocks[0]), [(3, "one line", None), (4, "another", None)])
        self.assertEqual(shell_lines(blocks[2]), [(17, "first --more", "printed"), (20, "second", "")])
        self.assertEqual(shell_lines(shell("# a comment\na \\\n  b\n")), [(11, "a b", None)])

    def test_parts_are_compared(self):
        whole = (Path(__file__).parent / "not_run.py").read_text(encoding="utf-8")
        part = Block("page.md", 1, "python", "SHELL = [\nBLOCKS = [\n", "tests/docs/not_run.py")
        self.assertIn("SHELL = [", whole)
        self.assertEqual(listed.part_of(part), [])
        part.code = "BLOCKS = [\nSHELL = [\n"
        self.assertEqual(len(listed.part_of(part)), 1)
        part.part_of = "nowhere.py"
        self.assertEqual(len(listed.part_of(part)), 1)

    def test_fragments_are_given_what_they_lack(self):
        self.assertTrue(c_blocks.made_by("const auto model = f();", "model"))
        self.assertTrue(c_blocks.made_by("lffn_model* model = NULL;", "model"))
        self.assertTrue(c_blocks.made_by("RunOptions query, document;", "document"))
        self.assertFalse(c_blocks.made_by("model.embed(texts);", "model"))
        self.assertFalse(c_blocks.made_by("for (auto& window : model.embed_windows({document}, options)) {}", "document"))


class Lines(unittest.TestCase):
    def run_line(self, command, expected=None):
        with tempfile.TemporaryDirectory() as folder:
            return shell_blocks.run_line(folder, command, expected, os.environ)

    def test_what_is_printed_is_compared(self):
        self.assertIsNone(self.run_line("echo a; echo b", "a\nb"))
        self.assertIn("it prints", self.run_line("echo a", "b"))
        self.assertIn("exit status 3", self.run_line("exit 3"))
        self.assertIn("exit status", self.run_line("false | cat"))
        self.assertIsNone(self.run_line("yes | head -n 1", "y"))

    def test_names_that_nothing_has(self):
        self.assertEqual(named.lacking_options("lookupffn embed --no-such-thing my-model", {}),
                         ["option --no-such-thing: lookupffn embed --no-such-thing my-model"])
        self.assertEqual(named.lacking_options("lookupffn embed --type int8 my-model | jq --raw", {}), [])
        self.assertEqual(named.lacking_files("ctest --preset nowhere && scripts/no-script"), ["preset nowhere", "file scripts/no-script"])
        self.assertEqual(named.lacking_files("cmake --build build --target no_such_target"), ["target no_such_target"])

    def test_reasons(self):
        self.assertIsNotNone(not_run.line_reason("git clone https://example.org/x"))
        self.assertIsNone(not_run.line_reason("lookupffn embed my-model"))


if __name__ == "__main__":
    unittest.main()
