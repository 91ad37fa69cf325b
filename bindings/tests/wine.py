# SPDX-License-Identifier: Apache-2.0
"""Publishes a .NET program for Windows and for this system, runs both, the first under Wine, and compares what they print.

wine.py DOTNET PROJECT OUTPUT RID MODEL FLAGS...
Exits with 77 where there is no Wine.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path


def main():
    dotnet, project, output, rid, model = sys.argv[1:6]
    wine = shutil.which("wine64") or shutil.which("wine")
    if wine is None:
        print("SKIPPED: Wine is missing (Debian: wine64), so the package for Windows is not run", flush=True)
        sys.exit(77)
    output = Path(output)
    shutil.rmtree(output, ignore_errors=True)
    told = {}
    for name in (rid, "win-x64"):
        subprocess.run([dotnet, "publish", project, "-r", name, "--self-contained", "--output", output / name, "-v:minimal",
                        *sys.argv[6:]], check=True)
        scratch = output / f"scratch-{name}"
        scratch.mkdir()
        program = output / name / "LookupFfn.WindowsSmoke"
        command = [program, model, scratch]
        environment = dict(os.environ)
        if name == "win-x64":
            environment.update(WINEPREFIX=str(output.resolve() / "prefix"), WINEDEBUG="-all")
            windows = [f"Z:{Path(path).resolve()}".replace("/", "\\") for path in (model, scratch)]
            command = [wine, f"{program}.exe", *windows]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8", timeout=300)
        print(f"{name}: exit {done.returncode}\n{done.stdout}", flush=True)
        if done.returncode != 0:
            sys.exit(1)
        told[name] = done.stdout.split()
    if told["win-x64"] != told[rid]:
        sys.exit("Windows' runtime under Wine printed something else")
    print("the same on both")


main()
