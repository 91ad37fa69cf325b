# SPDX-License-Identifier: Apache-2.0
"""The processes that hold one engine each, and what they need."""
import os
import pathlib
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent


class Kind:
    """`form` tells apart several ways to run one engine; the fastest of them takes part."""

    def __init__(self, engine, model, command, form=""):
        self.engine, self.model, self.command, self.form = engine, model, command, form
        self.name = f"{engine}:{form}" if form else engine
        self.is_ours, self.is_int8 = engine.startswith("lookupffn"), engine.endswith("int8")


def kinds(worker, python, sizes, seven_bit_inputs=False):
    torch = [python, str(HERE / "torch_worker.py")]
    found = [Kind(f"lookupffn-{kind}", "lookup", [worker, f"lookupffn-{kind}"]) for kind in ("f32", "int8")]
    if sizes.post_norm:
        found += [Kind(f"lookupffn-dense-{kind}", "vanilla", [worker, f"lookupffn-{kind}"]) for kind in ("f32", "int8")]
        if seven_bit_inputs:
            found.append(Kind("lookupffn-dense-seven-int8", "vanilla", [worker, "lookupffn-seven-int8"]))
    for form in ("attention", "multihead"):
        found.append(Kind("onnxruntime-f32", f"vanilla-{form}.onnx", [worker, "onnxruntime"], form))
        found.append(Kind("onnxruntime-int8", f"vanilla-{form}-int8.onnx", [worker, "onnxruntime"], form))
    return found + [Kind("pytorch", "vanilla.npz", torch + [form], form) for form in ("eager", "fast")]


class Worker:
    """One engine, loaded, in a process of its own."""

    def __init__(self, kind, folder, threads, hidden_size, ids="ids"):
        self.kind = kind
        # PyTorch does not hand its number on to OpenBLAS, whose threads and its own would wait by spinning at each other's cost.
        environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads))
        if kind.engine == "pytorch":
            environment["OMP_WAIT_POLICY"] = "passive"
        command = kind.command + [str(folder / kind.model), str(folder / ids), str(threads)]
        if kind.engine != "pytorch":
            command.append(str(hidden_size))
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        env=environment)
        self.version = self.ask("version")
        self.loaded, self.loading_peak = self.memory("VmRSS"), self.memory("VmHWM")

    def ask(self, *words):
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.kind.name} ended")
        return answer.strip()

    def time(self, texts, length, first, calls):
        return float(self.ask("time", texts, length, first, calls))

    def each(self, texts, length, first, calls):
        return [float(seconds) for seconds in self.ask("each", texts, length, first, calls).split()]

    def stages(self, texts, length):
        return [float(seconds) for seconds in self.ask("stages", texts, length).split()]

    def memory(self, key):
        """VmRSS, or VmHWM for the most since forget_peak()."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def wait_until_idle(self):
        """Threads go on spinning for a while after a call."""
        for _ in range(500):
            before = self.cpu_seconds()
            time.sleep(0.001)
            if self.cpu_seconds() - before < 0.0002:
                return

    def cpu_seconds(self):
        total = 0
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
        return 1e-9 * total

    def close(self):
        self.process.stdin.close()
        self.process.wait()
