# SPDX-License-Identifier: Apache-2.0
"""A progress line: rewritten in place on a terminal, elsewhere a new line at intervals."""

from __future__ import annotations

import sys
import time
from typing import TextIO


class Progress:
    def __init__(self, first: int, total: int, stream: TextIO = sys.stderr) -> None:
        self.first, self.total, self.stream = first, total, stream
        self.on_terminal = stream.isatty()
        self.start = self.shown = time.monotonic()

    def show(self, done: int, text: str) -> None:
        now = time.monotonic()
        finished = done == self.total
        if not finished and now - self.shown < (0.2 if self.on_terminal else 30):
            return
        self.shown = now
        rate = (done - self.first) / max(now - self.start, 1e-9)
        left = int((self.total - done) / rate) if rate > 0 else 0
        filled = 30 * done // max(self.total, 1)
        bar = "#" * filled + "." * (30 - filled)
        line = f"[{bar}] {done}/{self.total}  {text}  {rate:.2f}/s  {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        if self.on_terminal:
            self.stream.write("\r\x1b[K" + line + ("\n" if finished else ""))
        else:
            self.stream.write(line + "\n")
        self.stream.flush()
