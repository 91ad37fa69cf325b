#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the built libraries from outside: what they export, import and weigh."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77

# Nothing here may be called from the library: it ends the process, prints, or changes the process's state.
FORBIDDEN = {
    "abort", "exit", "_exit", "_Exit", "quick_exit", "__assert_fail", "__assert_perror_fail", "raise", "kill",
    "printf", "fprintf", "vprintf", "vfprintf", "dprintf", "vdprintf", "puts", "fputs", "fputc", "putc", "putchar",
    "fwrite", "perror", "psignal", "syslog", "__printf_chk", "__fprintf_chk", "__vprintf_chk", "__vfprintf_chk",
    "__dprintf_chk", "signal", "sigaction", "setenv", "putenv", "unsetenv", "setlocale", "chdir", "umask", "srand",
    "rand", "atexit", "omp_set_num_threads", "omp_set_dynamic", "sched_setaffinity", "pthread_setaffinity_np",
    "std::terminate()", "std::cout", "std::cerr", "std::clog", "std::ios_base::Init::Init()",
}

# What runs it on every system of its kind, and nothing else.
NEEDED = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgomp.so.1", "libgcc_s.so.1", "ld-linux-x86-64.so.2",
          "ld-linux-aarch64.so.1", "libomp.so.5"}

# Of Debian 12, where the packages are built: they run there and on everything newer.
VERSION_CEILINGS = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GOMP": (5, 0), "OMP": (5, 0), "GCC": (12, 0)}

MAX_STRIPPED_BYTES = 3_700_000


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def expect(condition, message):
    if not condition:
        sys.exit(message)


def listed(path):
    with open(path, encoding="utf-8") as file:
        return {line.strip() for line in file if line.strip() and not line.startswith("#")}


def headers(args):
    """The text of the library's C headers; train.h is another library's."""
    folder = os.path.dirname(args.header)
    return "\n".join(open(os.path.join(folder, name), encoding="utf-8").read()
                     for name in sorted(os.listdir(folder)) if name.endswith(".h") and name != "train.h")


def check_exports(args):
    exported = set()
    for line in output("nm", "-D", "--defined-only", args.shared).splitlines():
        name, _, version = line.split()[2].partition("@@")
        if line.split()[1] != "A":  # the version's own name
            expect(version == "LOOKUPFFN_1", f"{name} has the version {version!r}")
            exported.add(name)
    declared = set(re.findall(r"^LFFN_API\s[^;(]*?\b(lffn_\w+)\(", headers(args), re.MULTILINE))
    documented = listed(args.symbols)
    expect(exported == documented, f"exported but not in symbols.txt: {sorted(exported - documented)}; "
                                   f"in symbols.txt but not exported: {sorted(documented - exported)}")
    expect(declared == documented, f"in the header but not in symbols.txt: {sorted(declared - documented)}; "
                                   f"in symbols.txt but not in the header: {sorted(documented - declared)}")


def check_train(args):
    """The library that trains has all functions of the other one, and those of train.h, under a version of its own."""
    shared = os.path.join(os.path.dirname(args.shared), "liblookupffn_train.so")
    if not os.path.exists(shared):
        print("built without LFFN_TRAIN_LIBRARY")
        sys.exit(77)
    exported = set()
    for line in output("nm", "-D", "--defined-only", shared).splitlines():
        name, _, version = line.split()[2].partition("@@")
        if line.split()[1] != "A":
            expect(version == "LOOKUPFFN_TRAIN_0", f"{name} has the version {version!r}")
            exported.add(name)
    with open(os.path.join(os.path.dirname(args.header), "train.h"), encoding="utf-8") as file:
        declared = set(re.findall(r"^LFFN_API\s[^;(]*?\b(lffn_train_\w+)\(", file.read(), re.MULTILINE))
    expect(declared, "train.h declares no function")
    expect(exported == declared | listed(args.symbols), f"exports {sorted(exported ^ (declared | listed(args.symbols)))}")


def check_soname(args):
    soname = re.search(r"SONAME.*\[(.*)\]", output("readelf", "-d", args.shared)).group(1)
    major = re.search(r"LFFN_VERSION_MAJOR (\d+)", headers(args)).group(1)
    expect(soname == f"liblookupffn.so.{major}", f"SONAME is {soname}")
    expect(os.path.islink(args.shared), f"{args.shared} is no link to a versioned file")


def check_needed(args):
    dynamic = output("readelf", "-d", args.shared)
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", dynamic))
    expect(needed <= NEEDED, f"needs {sorted(needed - NEEDED)}")
    expect("NODELETE" in dynamic, "is not linked with -z nodelete")
    expect("RUNPATH" not in dynamic and "RPATH" not in dynamic, "has a run path")


def check_size(args):
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, args.shared], check=True)
        size = os.path.getsize(stripped.name)
    print(f"{size} bytes stripped")
    expect(size < MAX_STRIPPED_BYTES, f"{size} bytes stripped, at most {MAX_STRIPPED_BYTES} allowed")


def check_imports(args):
    found = []
    for path in (args.shared, args.static):
        dynamic = ["-D"] if path == args.shared else []
        for line in output("nm", "-C", "-u", "-A", *dynamic, path).splitlines():
            match = re.match(r"(.*?):?\s+[Uw] (.*?)(@.*)?$", line)
            if match and re.sub(r"\[abi:\w+\]", "", match.group(2)) in FORBIDDEN:
                found.append(f"{match.group(1)}: {match.group(2)}")
    expect(not found, "reaches what it may not:\n" + "\n".join(found))


def check_versions(args):
    with open("/etc/os-release", encoding="utf-8") as file:
        if "VERSION_CODENAME=bookworm" not in file.read():
            print("the ceilings are those of Debian 12")
            sys.exit(SKIPPED)
    wanted = re.findall(r"Name: ([A-Z]+)_([\d.]+)", output("readelf", "-V", args.shared))
    expect(wanted, "no versions found")
    too_new = [f"{name}_{version}" for name, version in wanted if name != "LOOKUPFFN"  # its own
               and tuple(map(int, version.split("."))) > VERSION_CEILINGS.get(name, (0,))]
    expect(not too_new, f"needs {too_new}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("check")
    for option in ("shared", "static", "header", "symbols"):
        parser.add_argument("--" + option, required=True)
    args = parser.parse_args()
    globals()["check_" + args.check](args)


if __name__ == "__main__":
    main()
