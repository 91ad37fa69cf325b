"""The processes that hold one engine each, and what they need."""
import os
import pathlib
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent


class Kind:
    def __init__(self, name, model, command, is_ours=False, is_int8=False):
        self.name, self.model, self.command, self.is_ours, self.is_int8 = name, model, command, is_ours, is_int8


def kinds(worker, python):
    torch = [python, str(HERE / "torch_worker.py")]
    return [
        Kind("lookupffn-f32", "lookup.safetensors", [worker, "lookupffn-f32"], is_ours=True),
        Kind("lookupffn-int8", "lookup.safetensors", [worker, "lookupffn-int8"], is_ours=True, is_int8=True),
        Kind("onnxruntime-f32", "vanilla.onnx", [worker, "onnxruntime"]),
        Kind("onnxruntime-int8", "vanilla-int8.onnx", [worker, "onnxruntime"], is_int8=True),
        Kind("pytorch", "vanilla.safetensors", torch + ["eager"]),
        Kind("pytorch-fastpath", "vanilla.safetensors", torch + ["fast"]),
    ]


class Worker:
    """One engine, loaded, in a process of its own."""

    def __init__(self, kind, folder, threads):
        self.kind = kind
        # PyTorch does not hand its number on to OpenBLAS, whose threads and its own would wait by spinning at each other's cost.
        environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads))
        if kind.name.startswith("pytorch"):
            environment["OMP_WAIT_POLICY"] = "passive"
        command = kind.command + [str(folder / kind.model), str(folder / "ids"), str(threads)]
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
