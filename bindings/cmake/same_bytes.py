# SPDX-License-Identifier: Apache-2.0
"""Writes archives and DLLs anew, so that the same contents give the same bytes wherever and whenever: same_bytes.py FILE...

Entries come in the order of their names, a jar's manifest first, with one date for all. A DLL loses the time of its linking.
"""
import os
import struct
import sys
import zipfile


def rank(name):
    return (name != "META-INF/MANIFEST.MF", not name.startswith("META-INF/"), name)


def forget_time(path):
    with open(path, "r+b") as library:
        library.seek(0x3C)  # where the place of the header stands
        header = struct.unpack("<I", library.read(4))[0]
        library.seek(header)
        if library.read(4) != b"PE\0\0":
            sys.exit(f"{path} is no DLL")
        library.seek(header + 8)
        library.write(bytes(4))


for path in sys.argv[1:]:
    if path.endswith(".dll"):
        forget_time(path)
        continue
    with zipfile.ZipFile(path) as old:
        entries = {name: old.read(name) for name in old.namelist() if not name.endswith("/")}
    with zipfile.ZipFile(path + ".new", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name in sorted(entries, key=rank):
            entry = zipfile.ZipInfo(name, (1980, 2, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            new.writestr(entry, entries[name])
    os.replace(path + ".new", path)
