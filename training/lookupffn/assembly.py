# SPDX-License-Identifier: Apache-2.0
"""The resources in a .NET assembly, one after another, without their names (ECMA-335, II.25)."""

from __future__ import annotations

import struct
from typing import Iterator

_CLI_HEADER = 14  # among the PE header's directories
_RESOURCES = 24  # within the CLI header


def _directory(data: bytes) -> tuple[int, int, int, int]:
    """-> where the section table begins, the number of sections, and the position and size of the CLI header's directory."""
    if data[:2] != b"MZ":
        raise ValueError("not an assembly: it does not begin with MZ")
    (header,) = struct.unpack_from("<I", data, 0x3C)
    if data[header : header + 4] != b"PE\0\0":
        raise ValueError("not an assembly: it has no PE header")
    sections, optional_size = struct.unpack_from("<H12xH", data, header + 6)
    optional = header + 24
    (magic,) = struct.unpack_from("<H", data, optional)
    directories = optional + (96 if magic == 0x10B else 112)
    place, size = struct.unpack_from("<II", data, directories + 8 * _CLI_HEADER)
    return optional + optional_size, sections, place, size


def resources(data: bytes) -> Iterator[memoryview]:
    """Raises ValueError, which says what does not fit."""
    try:
        table, sections, place, size = _directory(data)

        def offset(address: int) -> int:
            for number in range(sections):
                length, begin, raw_length, raw = struct.unpack_from("<IIII", data, table + 40 * number + 8)
                if begin <= address < begin + max(length, raw_length):
                    return address - begin + raw
            raise ValueError(f"no section contains the address {address}")

        if size == 0:
            raise ValueError("not a .NET assembly: it has no CLI header")
        begin, length = struct.unpack_from("<II", data, offset(place) + _RESOURCES)
        begin = offset(begin) if length else 0
        end = begin + length
        if end > len(data):
            raise ValueError("the resources end after the end of the file")
        place = begin
        while place + 4 <= end:
            (count,) = struct.unpack_from("<I", data, place)
            if place + 4 + count > end:
                raise ValueError("a resource ends behind the others")
            yield memoryview(data)[place + 4 : place + 4 + count]
            place += 4 + count
            place += -(place - begin) % 8
    except struct.error as error:
        raise ValueError("the assembly is cut off") from error
