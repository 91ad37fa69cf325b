# SPDX-License-Identifier: Apache-2.0
"""Calls of a model beside processes that do nothing but spin, against the same calls on a quiet machine."""
import signal
import subprocess
import sys
import time

import numpy

import machine
from workers import Worker, kinds

CALLS, BLOCK = 500, 50
CELLS = [(1, 16), (1, 128)]
FORM = "attention"  # of ONNX Runtime: the faster one for so few tokens


class Spinners:
    """Processes that take CPU time while they are let."""

    def __init__(self, count):
        self.processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
        time.sleep(0.2)
        self.let(False)

    def let(self, run):
        for process in self.processes:
            process.send_signal(signal.SIGCONT if run else signal.SIGSTOP)
        time.sleep(0.02)

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


def in_turns(workers, spinners, texts, length):
    """{(engine, threads): seconds of each call}: quiet, and beside the spinning processes."""
    times = [{key: [] for key in workers} for _ in range(2)]
    for first in range(0, CALLS, BLOCK):
        for busy in (0, 1):
            spinners.let(bool(busy))
            for key, worker in workers.items():
                worker.wait_until_idle()
                worker.time(texts, length, first, 1)
                times[busy][key] += worker.each(texts, length, first, BLOCK)
        spinners.let(False)
    return times


def spread(seconds):
    p10, median, p90 = numpy.percentile(seconds, (10, 50, 90)) * 1e6
    return {"median": median, "p10": p10, "p90": p90}


def measure(folder, sizes, program, count):
    workers = {(kind.engine, threads): Worker(kind, folder, threads, sizes.d)
               for kind in kinds(program, sys.executable, sizes) for threads in (1, 2)
               if kind.engine in ("lookupffn-int8", "onnxruntime-int8") and kind.form in ("", FORM)}
    spinners = Spinners(count)
    rows = []
    for texts, length in CELLS:
        quiet, beside = in_turns(workers, spinners, texts, length)
        print(f"int8 model, {texts} x {length} tokens, beside {count}")
        for (engine, threads), seconds in beside.items():
            ratio = float(numpy.percentile(seconds, 90) / numpy.median(quiet[engine, 1]))
            row = {"what": f"model, {texts} x {length}", "engine": engine, "threads": threads,
                   "quiet_us": spread(quiet[engine, threads]), "beside_us": spread(seconds), "p90_against_quiet_one_thread": ratio}
            rows.append(row)
            print(f"  {engine:18} {threads} threads  quiet {row['quiet_us']['median']:9.0f}  beside {row['beside_us']['median']:9.0f} "
                  f"(p90 {row['beside_us']['p90']:9.0f}) us  p90 against quiet {ratio:.2f}", flush=True)
    version = workers["lookupffn-int8", 1].version
    spinners.end()
    for worker in workers.values():
        worker.close()
    return {"machine": machine.describe(version), "neighbours": count, "calls": CALLS, "rows": rows}
