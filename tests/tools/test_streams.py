#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lookupffn command amid its streams: full disks, readers that leave, terminals."""
import os
import pty
import subprocess
import time
import unittest

from test_command import COMMAND, SMALL, Case, run


def read_to_end(controller):
    """All that was written: a terminal hands it over in pieces, each when the kernel finds time."""
    pieces = []
    while True:
        try:
            piece = os.read(controller, 10000)
        except OSError:  # how Linux tells that nothing is left of a terminal
            piece = b""
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)


class Streams(Case):
    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            for arguments in (("info", SMALL), ("--help",), ("run", SMALL)):
                result = subprocess.run([*COMMAND, *arguments], input=bytes(256), stdout=full, stderr=subprocess.PIPE,
                                        check=False)
                self.assertEqual(result.returncode, 1, arguments)
                self.assertIn(b"standard output: No space left on device", result.stderr)

    def test_closed_output(self):
        result = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *COMMAND, "info", SMALL], stderr=subprocess.PIPE,
                                check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"standard output: ", result.stderr)

    def test_closed_input(self):
        result = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *COMMAND, "run", SMALL], capture_output=True,
                                check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"standard input: ", result.stderr)

    def test_reader_that_leaves_early(self):
        reading, writing = os.pipe()
        os.close(reading)
        for arguments in (("info", SMALL), ("run", SMALL)):
            result = subprocess.run([*COMMAND, *arguments], input=bytes(256 * 10000), stdout=writing,
                                    stderr=subprocess.PIPE, check=False)
            self.assertEqual((result.returncode, result.stderr), (1, b""), arguments)
        os.close(writing)

    def test_run_refuses_a_terminal(self):
        controller, terminal = pty.openpty()
        result = subprocess.run([*COMMAND, "run", SMALL], stdin=terminal, capture_output=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"redirect", result.stderr)
        os.close(terminal)
        os.close(controller)

    def test_progress_shows_on_a_terminal_only(self):
        shown = {}
        for on_terminal in (True, False):
            controller, terminal = pty.openpty() if on_terminal else os.pipe()
            with subprocess.Popen([*COMMAND, "run", SMALL], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  stderr=terminal) as process:
                os.close(terminal)
                first = b""
                if on_terminal:
                    while b"running" not in first:  # after a while, and at the end it goes
                        first += os.read(controller, 10000)
                else:
                    time.sleep(2)
                process.stdin.close()
                self.assertEqual(process.wait(), 0)
            shown[on_terminal] = first + read_to_end(controller)
            os.close(controller)
        self.assertIn(b"running", shown[True])
        self.assertTrue(shown[True].endswith(b"\r\033[K"), "the line is cleared in the end")
        self.assertEqual(shown[False], b"")


if __name__ == "__main__":
    unittest.main()
