#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and tests the stages that scripts/test names, tells how far it is, and at the end what came of them."""
import os
import queue
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
FAILED_LINES = 60
# "[3/40] Building..." of ninja, "  3/40 Test  #7: ..." of ctest; scripts/natives tells its own.
DONE_OF_ALL = re.compile(r"^\s*\[?(\d+)/(\d+)(?:\]| Test )")
# Tests of the stage release that are stages of their own, as they take minutes.
APART = ("training", "packages", "tidy", "windows", "draws")
# Whose kernels are taken, which take minutes: they call nothing, so another compiler's serve as well.
KERNELS_OF = {"no-openmp": "release", "asan": "release", "tsan": "release", "fuzz": "release"}
# Which compile several sources at once, as it is sooner done, but with --all: what a source forgets to include, it may then
# have from another.
JOINED = ("release", "no-openmp")
# What the tests of the stage windows take of the build release.
WINDOWS = ("natives_outputs", "java_package", "dotnet_packages")
# What the stages of Zig's compiler for Linux build: for musl too, which tells another C library's faults, only when asked.
NATIVES = {"natives": ["linux-x64"], "musl": ["linux-x64", "linux-musl-x64"]}
LONGEST_TESTS = 20
SUMMARY = re.compile(r"^\d+% tests passed, \d+ tests? failed out of \d+", re.MULTILINE)


class Progress:
    """One line that a terminal shows in place; elsewhere a line now and then."""

    def __init__(self, stage, step):
        self.label, self.state = f"{stage:<10} {step:<9}", ""
        self.start = time.monotonic()
        self.terminal = sys.stdout.isatty()
        self.next = self.start + (0 if self.terminal else 30)

    def text(self):
        return f"{self.label} {self.state:<14} {time.monotonic() - self.start:5.0f} s"

    def show(self, line):
        found = DONE_OF_ALL.match(line)
        if found:
            self.state = "{} of {}".format(*found.groups())
        elif line.startswith("natives: "):
            self.state = line.split(";")[0][9:].strip()
        if time.monotonic() >= self.next:
            width = shutil.get_terminal_size().columns - 1
            print("\r\033[K" + self.text()[:width] if self.terminal else self.text(), end="" if self.terminal else "\n", flush=True)
            self.next = time.monotonic() + (0.2 if self.terminal else 30)

    def end(self):
        print(("\r\033[K" if self.terminal else "") + self.text(), flush=True)


class Stage:
    def __init__(self, name):
        self.name = name
        self.folder = BUILD / name
        self.log = self.folder / "stage.log"
        self.results = self.folder / "tests.xml"
        self.seconds = 0.0
        self.broken = ""  # what could not be done, so that there are no results
        self.why_not = ""
        self.passed, self.failed, self.skipped, self.why_skipped = 0, [], 0, Counter()
        self.step_seconds, self.test_seconds = {}, {}

    def preset(self):
        return "release" if self.name in APART else self.name

    def ctest(self):
        """What runs its tests, as a user would write it."""
        if self.name in NATIVES:
            return ["ctest", "--test-dir", "build/natives/packages", "--output-on-failure"]
        return ["ctest", "--preset", self.preset()]

    def steps(self):
        preset = self.preset()
        if self.name in NATIVES:
            # Kernels that Zig's compiler made take minutes; the stage musl has them.
            taken = self.name == "natives" and not ALL and (BUILD / "release/src/liblookupffn.so").exists()
            yield "build", ["scripts/natives", *(["--yes"] if YES else []),
                            *(["--kernels-of", str(BUILD / "release")] if taken else []), *NATIVES[self.name]]
        else:
            if self.name == "aarch64":
                yield "libraries", ["scripts/aarch64-libs"]
            if self.name == "windows":
                yield "libraries", ["scripts/natives", *(["--yes"] if YES else []), "windows-x64"]
            kernels = BUILD / KERNELS_OF.get(preset, preset)
            taken = preset in KERNELS_OF and (kernels / "src/liblookupffn.so").exists()
            if taken:
                yield "kernels", ["cmake", "--build", str(kernels), "--target", "lffn_kernels"]
            natives = [f"-DLFFN_WINDOWS_NATIVES={BUILD / 'natives' if self.name == 'windows' else ''}"]
            join = [f"-DLFFN_JOIN_SOURCES={'OFF' if ALL else 'ON'}", f"-DLFFN_JOINED_FOLDER={BUILD}"] if preset in JOINED else []
            yield "configure", ["cmake", "--preset", preset, f"-DLFFN_KERNELS_OF={kernels if taken else ''}",
                                f"-DLFFN_TEST_ALL={'ON' if ALL else 'OFF'}", *join, *(natives if preset == "release" else [])]
            if self.name != "tidy":
                targets = ["--target", *WINDOWS] if self.name == "windows" else []
                yield "build", ["cmake", "--build", "--preset", preset, *targets]
        chosen = []
        if preset == "release":
            chosen = ["-LE", "|".join(APART)] if self.name == preset else ["-L", self.name]
        yield "test", [*self.ctest(), *chosen, "-j", str(os.cpu_count()), "--no-tests=error", "--test-output-size-passed", "200000",
                       "--output-junit", str(self.results)]

    def run_step(self, step, command):
        progress = Progress(self.name, step)
        lines = queue.Queue()
        with self.log.open("a", encoding="utf-8") as log, subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                errors="replace") as process:

            def read():
                for line in process.stdout:
                    log.write(line)
                    lines.put(line)
                lines.put(None)

            threading.Thread(target=read, daemon=True).start()
            line = ""
            while line is not None:
                progress.show(line)
                try:
                    line = lines.get(timeout=1)
                except queue.Empty:
                    line = ""
        progress.end()
        self.step_seconds[step] = time.monotonic() - progress.start
        return process.returncode

    def run(self):
        start = time.monotonic()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log.write_text("", encoding="utf-8")
        self.results.unlink(missing_ok=True)
        for step, command in self.steps():
            status = self.run_step(step, command)
            if step == "test":
                self.read_results(status)
            elif status != 0:
                self.broken = step
                break
        self.seconds = time.monotonic() - start

    def read_results(self, status):
        log = self.log.read_text(encoding="utf-8")
        for what in re.findall(r"^-- Skipped: (.*)\. It needs (.*?)(?:, or set LFFN_BINDINGS=OFF)?\.?$", log, re.MULTILINE):
            self.why_skipped["left out: {}; it needs {}".format(*what)] = 0
        if not SUMMARY.search(log) or not self.results.exists():
            self.broken = "test"
            return
        for case in xml.parse(self.results).getroot().iter("testcase"):
            self.test_seconds[case.get("name")] = float(case.get("time", 0))
            output = case.findtext("system-out") or ""
            if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
                self.skipped += 1
                self.why_skipped[reason(output)] += 1
            elif case.get("status") == "run":
                self.passed += 1
                for count, why in re.findall(r"^SKIPPED \[(\d+)\] \S+: (.*)$", output, re.MULTILINE):
                    self.why_skipped[f"inside {case.get('name')}: {why}"] += int(count)
            else:
                self.failed.append((case.get("name"), output))
        if status != 0 and not self.failed:
            self.broken = "test"

    def show_failures(self):
        if self.broken:
            print(f"\n{self.name}: the step {self.broken} failed; all of its output is in {self.log.relative_to(ROOT)}")
            print("".join(self.log.read_text(encoding="utf-8").splitlines(keepends=True)[-FAILED_LINES:]).rstrip())
            print(f"Again: scripts/test {self.name}")
        for name, output in self.failed:
            print(f"\n{self.name}: {name} failed")
            print("\n".join(output.rstrip().splitlines()[-FAILED_LINES:]))
            only = re.sub(r"([][.^$*+?()|\\])", r"\\\1", name)
            print("Again: " + shlex.join([*self.ctest(), "-R", f"^{only}$"]))


def reason(output):
    """Why a test was skipped: what GoogleTest, or else the last line, says."""
    said = re.search(r": Skipped\n(.+)", output)
    if said:
        return said.group(1).strip()
    lines = [line.strip() for line in output.splitlines() if line.strip() and not re.match(r"\[|Running |Note: ", line)]
    return lines[-1] if lines else "it said nothing"


def report(stages, seconds):
    for stage in stages:
        stage.show_failures()
    longest = sorted(((seconds, stage.name, test) for stage in stages for test, seconds in stage.test_seconds.items()), reverse=True)
    if longest:
        print("\nThe longest tests:")
        for taken, stage, test in longest[:LONGEST_TESTS]:
            print(f"{taken:>7.1f} s {stage}: {test}")
    print(f"\n{'stage':<10} {'passed':>7} {'failed':>7} {'skipped':>8} {'time':>8}  of which")
    for stage in stages:
        if stage.why_not:
            print(f"{stage.name:<10} skipped: {stage.why_not}")
            continue
        failed = f"{stage.broken} !" if stage.broken else len(stage.failed)
        steps = ", ".join(f"{step} {taken:.0f}" for step, taken in stage.step_seconds.items() if taken >= 1)
        print(f"{stage.name:<10} {stage.passed:>7} {failed:>7} {stage.skipped:>8} {stage.seconds:>6.0f} s  {steps}")
    why = Counter()
    for stage in stages:
        for text, count in stage.why_skipped.items():
            why[text] += count
    if why:
        print("\nSkipped, and why:")
        for text, count in sorted(why.items(), key=lambda item: (-item[1], item[0])):
            print(f"{count or '':>5} {text}")
    # A stage that was not built, or not tested to the end, counts as one failure.
    failed = sum(len(stage.failed) + bool(stage.broken) for stage in stages)
    print(f"\n{sum(stage.passed for stage in stages)} passed, {failed} failed, {sum(stage.skipped for stage in stages)} skipped "
          f"in {seconds:.0f} s")
    return failed


def why_not(stage):
    if stage == "packages" and not shutil.which("javac") and not shutil.which("dotnet"):
        return "it needs a JDK (Debian: default-jdk-headless) or a .NET SDK"
    if stage == "windows" and not shutil.which("dotnet"):
        return "it needs a .NET SDK"
    if stage not in (*NATIVES, "windows"):
        return ""
    if os.uname().machine != "x86_64":
        return "it is for an x86-64 machine"
    return "" if shutil.which("javac") else "it needs a JDK, for its headers: apt-get install default-jdk-headless"


def main(names):
    start = time.monotonic()
    stages = [Stage(name) for name in names]
    for stage in stages:
        stage.why_not = why_not(stage.name)
        if not stage.why_not:
            stage.run()
    return report(stages, time.monotonic() - start)


if __name__ == "__main__":
    YES, ALL = "--yes" in sys.argv, "--all" in sys.argv
    try:
        sys.exit(1 if main([name for name in sys.argv[1:] if not name.startswith("--")]) else 0)
    except KeyboardInterrupt:
        sys.exit("\nscripts/test: interrupted")
