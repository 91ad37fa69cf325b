"""A progress line: rewritten in place on a terminal, now and then a new line elsewhere."""

import sys
import time


class Progress:
    def __init__(self, first, total, stream=sys.stderr):
        self.first, self.total, self.stream = first, total, stream
        self.on_terminal = stream.isatty()
        self.start = self.shown = time.monotonic()

    def show(self, done, text):
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
