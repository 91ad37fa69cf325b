#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs many small files into one tar archive: the same bytes from the same names and contents, anywhere.

archive.py pack FOLDER ARCHIVE        the files in FOLDER and below it
archive.py unpack ARCHIVE FOLDER      so does tar -xf
archive.py list ARCHIVE
archive.py add ARCHIVE PREFIX FILE... those whose content is not there yet, as PREFIX and the start of their SHA-1
"""
import atexit
import functools
import hashlib
import io
import shutil
import struct
import sys
import tarfile
import tempfile
from pathlib import Path

BLOCK = 512


def pack(files):
    """The archive of {name: bytes}, in the order of names, by nobody, from 1970. Python's tarfile would do, but its
    headers differ between versions."""
    parts = []
    for name, content in sorted(files.items()):
        stored = name.encode("ascii")
        if not 0 < len(stored) <= 100:
            raise ValueError(f"{name}: too long for an archive")
        header = bytearray(struct.pack("100s 8s 8s 8s 12s 12s 8s 1s 100s 6s 2s 247x", stored, b"0000644", b"0000000",
                                       b"0000000", b"%011o" % len(content), b"%011o" % 0, b" " * 8, b"0", b"", b"ustar",
                                       b"00"))
        header[148:156] = b"%06o\0 " % sum(header)
        parts += [bytes(header), content, bytes(-len(content) % BLOCK)]
    return b"".join(parts) + bytes(2 * BLOCK)


def unpack(archive):
    """{name: bytes}"""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
        return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}


def pack_folder(folder, archive):
    folder = Path(folder)
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    Path(archive).write_bytes(pack(files))


def unpack_to(archive, folder):
    for name, content in unpack(Path(archive).read_bytes()).items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@functools.lru_cache(maxsize=None)
def unpacked(name):
    """The folder of what is in the archive of that name in tests/, for as long as this program runs."""
    folder = Path(tempfile.mkdtemp(prefix="lookupffn-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    unpack_to(Path(__file__).resolve().parents[1] / name, folder)
    return folder


def add(archive, prefix, *paths):
    archive = Path(archive)
    files = unpack(archive.read_bytes())
    known = set(files.values())
    before = len(files)
    for path in paths:
        content = Path(path).read_bytes()
        if content not in known:
            known.add(content)
            files[prefix + hashlib.sha1(content).hexdigest()[:12]] = content
    archive.write_bytes(pack(files))
    print(f"{archive}: {len(files) - before} new of {len(files)} files")


def show(archive):
    for name, content in unpack(Path(archive).read_bytes()).items():
        print(f"{len(content):8} {name}")


def main(command="", *arguments):
    commands = {"pack": pack_folder, "unpack": unpack_to, "list": show, "add": add}
    if command not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    commands[command](*arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
