# SPDX-License-Identifier: Apache-2.0
"""What the machine is, and the file of the results that belong to it."""
import os
import pathlib
import platform
import subprocess

RESULTS = pathlib.Path(__file__).resolve().parents[1] / "results"


def cpuinfo(key):
    for line in open("/proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return ""


def describe(version):
    """version: of this library, such as "0.1.0 (avx2)"."""
    caches = {}
    for index in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index[023]"):
        level = "L" + (index / "level").read_text().strip() + {"Data": "d"}.get((index / "type").read_text().strip(), "")
        caches[level] = (index / "size").read_text().strip()
    compiler = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    return {"cpu": cpuinfo("model name"), "processor": "-".join(cpuinfo(k) for k in ("vendor_id", "cpu family", "model")),
            "isa": version.partition("(")[2].rstrip(")"), "cores": os.cpu_count(), "caches": caches, "compiler": compiler,
            "linux": platform.release().split("-")[0]}


def commit():
    """Of what was measured, with "+changes" where files differ from it; "unknown" outside of a repository."""
    found = subprocess.run(["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+changes"], cwd=RESULTS,
                           capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def file_of(machine):
    return RESULTS / f"{machine['processor']}-{machine['isa']}.json"
