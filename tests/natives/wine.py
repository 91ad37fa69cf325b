# SPDX-License-Identifier: Apache-2.0
"""Runs what scripts/natives built for Windows, under Wine, and compares what it prints with the same on this system.

wine.py c NATIVES SCRATCH REFERENCE LAYER INPUT...   natives_paths with LAYER, and natives_outputs with INPUTs; REFERENCE is
                                                     natives_outputs of this system
wine.py dotnet SCRATCH DOTNET PROJECT RID MODEL OTHERS FLAGS...
                                                     a program, published with .NET's own runtime for Windows and for RID;
                                                     OTHERS is the Java library of this system and that of Windows, or -
Exits with 77 where there is no Wine.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

SECONDS = 300
# Debian's package wine64 alone puts nothing on the PATH.
WINE = shutil.which("wine64") or shutil.which("wine") or shutil.which("/usr/lib/wine/wine64")


def windows_path(path):
    return f"Z:{Path(path).resolve()}".replace("/", "\\")


def printed(command, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, encoding="utf-8",
                          stdin=subprocess.DEVNULL, timeout=SECONDS, check=False, **options)
    print(f"{Path(command[0]).name}: exit {done.returncode}\n{done.stdout}", flush=True)
    if done.returncode != 0:
        sys.exit(1)
    return done.stdout.split()


class Wine:
    """A place that Wine takes for a disk, and where libraries are looked for."""

    def __init__(self, scratch, libraries=None):
        # .NET writes to code by a second mapping of it, and ends under Wine 8 when it frees a method that it made at run time.
        self.environment = {**os.environ, "WINEPREFIX": str(Path(scratch).resolve() / "prefix"), "WINEDEBUG": "-all",
                            "DOTNET_EnableWriteXorExecute": "0"}
        if libraries is not None:
            self.environment["WINEPATH"] = windows_path(libraries)

    def printed(self, *command, **options):
        return printed([WINE, *command], env=self.environment, **options)


def compare(here, there):
    if here != there:
        sys.exit("the program for Windows printed something else")
    print("the same on both")


def run_c(natives, scratch, reference, layer, *inputs):
    programs = Path(natives) / "tests" / "natives"
    wine = Wine(scratch, Path(natives) / "src")
    compare(printed([reference, *inputs]), wine.printed(programs / "natives_outputs.exe", *inputs))
    files = Path(scratch) / "files"
    (files / "deep").mkdir(parents=True)
    wine.printed(programs / "natives_paths.exe", layer, "files", cwd=scratch)


def run_dotnet(scratch, dotnet, project, rid, model, others, *flags):
    wine = Wine(scratch)
    libraries = others.split(",") if others != "-" else ["-", "-"]
    told = []
    for name, library in zip((rid, "win-x64"), libraries):
        published = Path(scratch) / name
        subprocess.run([dotnet, "publish", project, "-r", name, "--self-contained", "--output", published, "-v:minimal",
                        *flags], check=True)
        written = Path(scratch) / f"written-{name}"
        written.mkdir()
        arguments = [model, written, library]
        program = published / Path(project).stem
        if name == "win-x64":
            arguments = [path if path == "-" else windows_path(path) for path in arguments]
            told.append(wine.printed(f"{program}.exe", *arguments))
        else:
            told.append(printed([program, *arguments]))
    compare(*told)


def main():
    if WINE is None:
        print("SKIPPED: Wine is missing (Debian: wine64), so nothing for Windows is run", flush=True)
        sys.exit(77)
    what, arguments = sys.argv[1], sys.argv[2:]
    scratch = Path(arguments[1] if what == "c" else arguments[0])
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    {"c": run_c, "dotnet": run_dotnet}[what](*arguments)


main()
