# SPDX-License-Identifier: Apache-2.0
"""Times engines in turns, each in a process of its own."""
import sys

import numpy

SHORTEST_TIMING = 0.02  # seconds; a late wake-up does not matter then
WARM_UP = 0.005
LONG_CALL = 1.0  # such calls are timed one by one and warm themselves up
ONCE = 10.0  # what takes longer at first is measured by that call alone
FEWEST_ROUNDS, MOST_ROUNDS = 3, 40


def say(text):
    print(text, file=sys.stderr, flush=True)


class Plan:
    def __init__(self, worker, texts, length, estimate):
        self.worker, self.calls, self.warm_up = worker, 1, 0
        self.once = estimate
        if estimate is None or estimate < LONG_CALL:
            self.first = worker.time(texts, length, 0, 1)
            if self.first > ONCE:
                self.once = self.first
                return
            self.once = min(worker.time(texts, length, first, 1) for first in (1, 2))
            self.calls = max(1, round(SHORTEST_TIMING / self.once))
            self.warm_up = max(1, round(WARM_UP / self.once)) if self.once < LONG_CALL else 0


def fastest_forms(plans):
    """Of an engine with several forms only the one that is fastest here takes part."""
    best = {}
    for plan in plans:
        engine = plan.worker.kind.engine
        if engine not in best or plan.once < best[engine].once:
            best[engine] = plan
    return list(best.values())


def stage_seconds(plan, texts, length):
    calls = [plan.worker.stages(texts, length) for _ in range(1 if plan.once > LONG_CALL else 9)]
    return [float(numpy.median(stage)) for stage in zip(*calls)]


def measure(workers, texts, length, seconds, per_token):
    """per_token: {(engine, length): seconds}, what earlier cells took."""
    def estimate(worker):
        known = per_token.get((worker.kind.name, length))
        return known and known * texts * length

    for worker in workers:
        worker.forget_peak()
    plans = fastest_forms([Plan(worker, texts, length, estimate(worker)) for worker in workers])
    round_seconds = sum(plan.once * (plan.calls + plan.warm_up) for plan in plans if plan.once <= ONCE) or seconds
    rounds = int(min(max(seconds / round_seconds, FEWEST_ROUNDS), MOST_ROUNDS))
    times = {plan.worker.kind.name: [] for plan in plans}
    first = 0
    for turn in range(rounds):
        for i in range(len(plans)):
            plan = plans[(i + turn) % len(plans)]
            if plan.once > ONCE:
                times[plan.worker.kind.name] = [plan.once]
                continue
            plan.worker.wait_until_idle()
            if plan.warm_up:
                plan.worker.time(texts, length, first, plan.warm_up)
            taken = plan.worker.time(texts, length, first + plan.warm_up, plan.calls)
            times[plan.worker.kind.name].append(taken / plan.calls)
        first += max(plan.warm_up + plan.calls for plan in plans)
    for plan in plans:
        per_token[plan.worker.kind.name, length] = numpy.median(times[plan.worker.kind.name]) / (texts * length)
    peaks = {plan.worker.kind.name: plan.worker.memory("VmHWM") for plan in plans}
    stages = {plan.worker.kind.name: stage_seconds(plan, texts, length) for plan in plans if plan.worker.kind.is_ours}
    return {"texts": texts, "length": length, "seconds": times, "peak_bytes": peaks, "stages": stages}


def show(cell):
    tokens = cell["texts"] * cell["length"]
    say(f"{cell['texts']} x {cell['length']} tokens, {cell['threads']} threads, "
        f"{len(next(iter(cell['seconds'].values())))} rounds")
    for name, times in cell["seconds"].items():
        median = numpy.median(times)
        say(f"  {name:28} {1e3 * median / cell['texts']:9.3f} ms/text {tokens / median:9.0f} tokens/s")
