#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at what scripts/natives built, and runs it where nothing else is installed.

usage: tests/natives/check.py [--natives build/natives] [--reference PROGRAM] [--jar JAR] [--feed FEED] [NAME...]

Without names all that are built. Each library may need only its C library, of glibc nothing newer than 2.17, and shows
only its own names. The program natives_outputs then runs in a root folder that holds the C library's Debian package and
no other: for x64 with chroot, for arm64 with qemu-user. All have to print the same hashes, and so has --reference, the
same program of a usual build. In the root of x64's glibc, --jar lets a Java program use that jar, and --feed an example
the .NET packages of that folder; only what the Java and the .NET runtime themselves need is added there.
"""
import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import archive  # noqa: E402

NAMES = ["linux-x64", "linux-arm64", "linux-musl-x64", "linux-musl-arm64"]
LIBRARIES = {"src/liblookupffn.so": r"lffn_\w+@@LOOKUPFFN_\w+",
             "bindings/java/liblookupffn_jni.so": r"Java_io_github_lookupffn_\w+|JNI_On(Unl|L)oad",
             "bindings/dotnet/liblookupffn_dotnet.so": r"CSharp_LookupFfn_\w+"}
NEEDED = {"glibc": {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2",
                    "ld-linux-aarch64.so.1"},
          "musl": {"libc.so"}}
NEWEST_GLIBC = (2, 17)
SKIPPED = 77
LAYERS = "layers"
SENTENCES = "examples/c/sentences.txt"
MODELS = ["model-lookup", "model-mixed", "distilbert-classes", "roberta-classes", "kjv-small"]


def say(text):
    print(text, flush=True)


def output(*command, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nfailed with {done.returncode}: {' '.join(map(str, command))}")
    return done.stdout


def c_library(name):
    return "musl" if "musl" in name else "glibc"


def architecture(name):
    return "arm64" if name.endswith("arm64") else "amd64"


def check_library(path, name, exports):
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", path)))
    if not needed or not needed <= NEEDED[c_library(name)]:
        sys.exit(f"{path} needs {sorted(needed)}")
    if re.search(r"\((RPATH|RUNPATH)\)", output("readelf", "-d", path)):
        sys.exit(f"{path} has a run path")
    wanted = set(re.findall(r"Name: ([A-Z]+_[\w.]+)", output("readelf", "--version-info", path)))
    wanted = {version for version in wanted if not version.startswith("LOOKUPFFN_")}
    glibc = [tuple(map(int, version[len("GLIBC_"):].split("."))) for version in wanted if version.startswith("GLIBC_")]
    if len(glibc) != len(wanted) or (c_library(name) == "glibc") != bool(glibc) or max(glibc, default=()) > NEWEST_GLIBC:
        sys.exit(f"{path} wants {sorted(wanted)}")
    shown = [line.split()[0] for line in output("nm", "-D", "--defined-only", "--format=posix", path).splitlines()
             if line.split()[1] != "A"]
    strange = [symbol for symbol in shown if not re.fullmatch(exports, symbol)]
    if strange or not shown:
        sys.exit(f"{path} shows {strange or 'nothing'}")
    newest = "GLIBC_" + ".".join(map(str, max(glibc))) if glibc else "no symbol versions"
    say(f"{name}: {path.name}: {path.stat().st_size} bytes, needs {' '.join(sorted(needed))}, {newest}")


def fetch(folder, package, arch):
    """The Debian package's file; apt gets lists of its own, so that another architecture's do not stay on the system."""
    debs = folder / "debs" / arch
    found = sorted(debs.glob(f"{package}_*.deb"))
    if not found:
        say(f"fetching the package {package} for {arch}")
        (debs / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        apt = ["apt-get", "-q", "-o", f"Dir::State::lists={debs}/lists", "-o", f"Dir::Cache={debs}/cache",
               "-o", f"APT::Architecture={arch}", "-o", f"APT::Architectures={arch}", "-o", "APT::Sandbox::User="]
        output(*apt, "update")
        output(*apt, "download", package, cwd=debs)
        found = sorted(debs.glob(f"{package}_*.deb"))
    return found[0]


def put_models(root):
    archive.unpack_to(ROOT / "tests/golden/data.tar", root / LAYERS)
    for packed in ("data.tar", "data-hf.tar"):
        archive.unpack_to(ROOT / "tests/model" / packed, root)
    shutil.copytree(ROOT / "examples/models/kjv-small", root / "kjv-small")


def make_root(folder, name, root):
    output("dpkg-deb", "-x", fetch(folder, "musl" if c_library(name) == "musl" else "libc6", architecture(name)), root)
    (root / "tmp").mkdir()
    shutil.copy(folder / name / "tests/natives/natives_outputs", root / "natives_outputs")
    shutil.copy((folder / name / "src/liblookupffn.so").resolve(), root / "liblookupffn.so.1")
    put_models(root)


def enter(root):
    return ["chroot", root] if os.geteuid() == 0 else ["unshare", "--map-root-user", f"--root={root}"]


def enter_with_proc(root):
    """For runtimes that cannot do without /proc. The mount is seen by what runs in the root, and by nothing else."""
    return ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c",
            'mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"', root]


def in_root(root, *command, how=enter, **environment):
    return output(*how(root), *command, env={"PATH": os.environ["PATH"], **environment})


def allowed(how):
    """Not everywhere may a process get a root folder or mounts of its own."""
    return subprocess.run([*how("/"), "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def things_to_run(root, seen_from=""):
    """The paths in a root, as a program in the folder of that name gives them."""
    layers = sorted(path.name for path in (root / LAYERS).glob("*.model.safetensors"))
    return [f"{seen_from}/{LAYERS}/{layer}" for layer in layers] + [f"{seen_from}/{model}" for model in MODELS]


def native(arch):
    return platform.machine() == {"amd64": "x86_64", "arm64": "aarch64"}[arch]


def run(name, root):
    if native(architecture(name)):
        return in_root(root, "/natives_outputs", *things_to_run(root), LD_LIBRARY_PATH="/")
    return output(f"qemu-{'aarch64' if architecture(name) == 'arm64' else 'x86_64'}", "-L", root, "-E",
                  f"LD_LIBRARY_PATH={root}", root / "natives_outputs", *things_to_run(root, root))


def needed_files(start):
    """What programs and libraries take from the system beside the C library, by ldd."""
    found = set()
    for path in start:
        done = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        found |= set(re.findall(r"=> (/\S+)", done.stdout))
    own = re.compile(r"/(libc|libm|libdl|libpthread|librt|ld-linux[^.]*)\.[^/]*$")
    return sorted(path for path in found if not own.search(path))


def add_needed(runtime, root):
    """What the libraries of Java's or .NET's runtime, in a folder of the root, take from the system."""
    missing = [path for path in needed_files((root / runtime).rglob("*.so")) if not path.startswith(str(root))]
    for path in missing:
        shutil.copy(path, root / "lib" / Path(path).name)
    say(f"{runtime} itself needs {' '.join(Path(path).name for path in missing) or 'nothing'}")


def run_java(jar, root):
    javac = Path(shutil.which("javac")).resolve()
    output(javac, "--release", "11", "-cp", jar, "-d", root / "classes", ROOT / "tests/natives/Smoke.java")
    output(javac.parent / "jlink", "--add-modules", "java.base,java.logging", "--output", root / "java")
    shutil.copy(jar, root / "lookupffn.jar")
    add_needed("java", root)
    text = in_root(root, "/java/bin/java", "-Xshare:off", "-cp", "/classes:/lookupffn.jar", "Smoke", f"/{MODELS[0]}",
                   LD_LIBRARY_PATH="/java/lib:/lib")  # no /proc tells where the program lies
    if "loaded from" not in text or ".jar!" not in text:
        sys.exit(text)
    say(f"Java in the root of {root.name}: {text.strip()}")


def run_dotnet(feed, root):
    version = next(feed.glob("LookupFfn.[0-9]*.nupkg")).name[len("LookupFfn."):-len(".nupkg")]
    runtimes = output("dotnet", "--list-runtimes")
    number, folder = re.findall(r"Microsoft\.NETCore\.App (\S+) \[(.+)\]", runtimes)[-1]
    system = Path(folder).parents[1]
    for part in (f"shared/Microsoft.NETCore.App/{number}", f"host/fxr/{number}"):
        shutil.copytree(system / part, root / "dotnet" / part)
    shutil.copy(system / "dotnet", root / "dotnet" / "dotnet")
    add_needed("dotnet", root)
    work = root.parent / "dotnet"
    output("dotnet", "publish", ROOT / "examples/csharp/Search/Search.csproj", "--configuration", "Release", "-nologo",
           "-nodeReuse:false", "-p:UseSharedCompilation=false", f"-p:LookupFfnVersion={version}", f"-p:LookupFfnFeed={feed}",
           f"-p:TargetFramework=net{'.'.join(number.split('.')[:2])}", f"-p:RestorePackagesPath={work}/packages",
           "--artifacts-path", work / "artifacts", "--output", root / "search")
    shutil.copy(ROOT / SENTENCES, root / "sentences.txt")
    (root / "proc").mkdir()
    text = in_root(root, "/dotnet/dotnet", "/search/Search.dll", f"/{MODELS[-1]}", "/sentences.txt", "In the beginning",
                   how=enter_with_proc, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT="1")
    if len(text.splitlines()) != 3:
        sys.exit(text)
    say(f".NET in the root of {root.name}, of {feed.name}'s LookupFfn {version}: {text.splitlines()[0].strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--natives", type=Path, default=ROOT / "build" / "natives")
    parser.add_argument("--reference", type=Path)
    parser.add_argument("--jar", type=Path)
    parser.add_argument("--feed", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*NAMES, []], help=" ".join(NAMES))
    args = parser.parse_args()
    folder = args.natives.resolve()
    names = args.names or [name for name in NAMES if (folder / name / "src/liblookupffn.so").exists()]
    if not names:
        sys.exit(f"nothing is built in {folder}; scripts/natives builds")
    for name in names:
        for library, exports in LIBRARIES.items():
            check_library(folder / name / library, name, exports)
    for how in (enter, enter_with_proc) if args.feed else (enter,):
        if not allowed(how):
            say("running them needs the right to give a process a root folder and mounts of its own, as root usually has")
            sys.exit(SKIPPED)
    results = {}
    if args.reference:
        with tempfile.TemporaryDirectory() as scratch:
            put_models(Path(scratch))
            results[str(args.reference)] = output(args.reference, *things_to_run(Path(scratch), scratch))
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch) / name
            root.mkdir()
            make_root(folder, name, root)
            results[name] = run(name, root)
            say(f"{name}: {len(results[name].splitlines())} outputs, computed in a root with nothing but {c_library(name)}")
            if args.jar and name == "linux-x64":
                run_java(args.jar.resolve(), root)
            if args.feed and name == "linux-x64":
                run_dotnet(args.feed.resolve(), root)
    first = next(iter(results))
    for name, lines in results.items():
        if lines != results[first] or not lines:
            sys.exit(f"{name} computes\n{lines}\nand {first}\n{results[first]}")
    say(f"the same bits from {', '.join(results)}:\n{results[first]}".rstrip())


main()
