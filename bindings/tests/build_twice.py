# SPDX-License-Identifier: Apache-2.0
"""Builds a package twice, from copies of the sources in folders of different names, and compares the bytes.

build_twice.py jar SOURCES GENERATED JAVAC JAR
build_twice.py nupkg SOURCES BINDINGS_BUILD DOTNET VERSION FRAMEWORK
"""
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SAME_BYTES = Path(__file__).parent.parent / "cmake" / "same_bytes.py"


def run(*command, **how):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)
    if done.returncode != 0:
        sys.exit(done.stdout.decode())


def make_jar(folder, sources, generated, javac, jar):
    shutil.copytree(sources, folder / "src")
    shutil.copytree(generated, folder / "generated")
    files = sorted((folder / "src").rglob("*.java")) + sorted((folder / "generated").glob("*.java"))
    nullness = sorted((Path(sources).parents[1] / "nullness").rglob("*.java"))
    run(javac, "--release", "11", "-proc:none", "-d", folder / "nullness", *nullness)
    run(javac, "--release", "11", "-g", "-proc:none", "-encoding", "UTF-8", "--module-path", folder / "nullness", "-d",
        folder / "classes", *files)
    package = folder / "package.jar"
    run(jar, "--create", "--file", package, "-C", folder / "classes", ".")
    return package


def make_nupkg(folder, sources, build, dotnet, version, framework):
    root = Path(sources).resolve().parent.parent
    for name in ("LICENSE", "bindings/THIRD-PARTY-NOTICES.txt", "bindings/dotnet/icon.png",
                 "bindings/dotnet/Directory.Build.props"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, folder / name)
    shutil.copytree(root / "bindings/dotnet/LookupFfn", folder / "bindings/dotnet/LookupFfn")
    for name in ("swig/csharp", "dotnet/feed"):
        shutil.copytree(Path(build) / name, folder / "build" / name)
    for name in ("README.md", "LookupFfnModels.cs", "LookupFfn.targets"):
        shutil.copy(Path(build) / "dotnet" / name, folder / "build/dotnet" / name)
    run(dotnet, "pack", folder / "bindings/dotnet/LookupFfn/LookupFfn.csproj", "--configuration", "Release",
        "--artifacts-path", folder / "artifacts", "--output", folder / "out", "-nologo", "-nodeReuse:false",
        "-p:UseSharedCompilation=false", f"-p:LffnBuildDir={folder}/build/dotnet/../", f"-p:Version={version}",
        f"-p:LffnFrameworks={framework}")
    return next((folder / "out").glob("*.nupkg"))


def main():
    make = make_jar if sys.argv[1] == "jar" else make_nupkg
    made = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("one", "another/and-longer"):
            folder = Path(scratch) / name
            folder.mkdir(parents=True)
            package = make(folder, *sys.argv[2:])
            run(sys.executable, SAME_BYTES, package)
            made.append(package.read_bytes())
            time.sleep(2)  # a zip file counts time in steps of two seconds
    if made[0] != made[1]:
        sys.exit(f"two builds gave different bytes: {len(made[0])} and {len(made[1])}")
    print(f"the same {len(made[0])} bytes twice")


main()
