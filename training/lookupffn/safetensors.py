# SPDX-License-Identifier: Apache-2.0
"""Reads and writes safetensors files with only numpy."""

from __future__ import annotations

import json
import os
import struct
import tempfile
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1", "U8": "|u1",
          "BOOL": "|b1"}
_NAMES = {np.dtype(code): name for name, code in _TYPES.items()}
_MAX_HEADER = 100 << 20


class Bf16:
    """Numbers to be stored as bfloat16, rounded to nearest even."""

    def __init__(self, values: Any) -> None:
        bits = np.ascontiguousarray(values, dtype="<f4").view("<u4")
        if not np.isfinite(values).all():
            raise ValueError("only finite numbers are stored")
        self.bits = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2")
        self.shape = self.bits.shape


def _bytes_of(value: Any) -> tuple[str, tuple[int, ...], bytes]:
    if isinstance(value, Bf16):
        return "BF16", value.shape, value.bits.tobytes()
    array = np.ascontiguousarray(value)
    name = _NAMES.get(array.dtype.newbyteorder("<"))
    if name is None:
        raise ValueError(f"numbers of type {array.dtype} cannot be stored")
    return name, np.shape(value), array.astype(_TYPES[name], copy=False).tobytes()


def save_bytes(tensors: dict[str, Any], metadata: Optional[dict[str, Any]]=None) -> bytes:
    """The bytes of a file; the tensors begin at a multiple of 64."""
    header = {"__metadata__": {str(k): str(v) for k, v in metadata.items()}} if metadata else {}
    parts = []
    position = 0
    for name, value in tensors.items():
        dtype, shape, data = _bytes_of(value)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [position, position + len(data)]}
        parts.append(data)
        position += len(data)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % 64)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)


def write_atomically(path: Union[str, Path], data: bytes) -> None:
    """The file appears whole or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=os.path.basename(path) + ".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def save(path: Union[str, Path], tensors: dict[str, Any], metadata: Optional[dict[str, Any]]=None) -> None:
    write_atomically(path, save_bytes(tensors, metadata))


def load_bytes(data: bytes) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """-> tensors by name (BF16 as float32), metadata. ValueError says what is wrong."""
    if len(data) < 8:
        raise ValueError("not a safetensors file: shorter than 8 bytes")
    (length,) = struct.unpack("<Q", data[:8])
    if length > _MAX_HEADER or length > len(data) - 8:
        raise ValueError(f"the header of {length} bytes does not fit")
    header = json.loads(bytes(data[8 : 8 + length]).decode("utf-8"))
    if not isinstance(header, dict):
        raise ValueError("the header is not a JSON object")
    metadata = header.pop("__metadata__", {})
    body = memoryview(data)[8 + length :]
    tensors = {}
    for name, entry in header.items():
        try:
            (begin, end), shape, dtype = entry["data_offsets"], tuple(entry["shape"]), entry["dtype"]
        except (KeyError, TypeError) as error:
            raise ValueError(f"{name}: the type, shape or offsets of a tensor are missing") from error
        if dtype != "BF16" and dtype not in _TYPES:
            raise ValueError(f"{name}: unknown type {dtype}")
        kind = np.dtype("<u2" if dtype == "BF16" else _TYPES[dtype])
        count = 1
        for extent in shape:
            if not isinstance(extent, int) or extent < 0:
                raise ValueError(f"{name}: shape {list(shape)}")
            count *= extent
        if not 0 <= begin <= end <= len(body) or end - begin != count * kind.itemsize:
            raise ValueError(f"{name}: {end - begin} bytes for {dtype} {list(shape)}")
        array = np.frombuffer(body[begin:end], dtype=kind).reshape(shape)
        if dtype == "BF16":
            array = (array.astype("<u4") << 16).view("<f4")
        tensors[name] = array
    return tensors, metadata


def load(path: Union[str, Path]) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    with open(path, "rb") as file:
        return load_bytes(file.read())
