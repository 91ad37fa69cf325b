# SPDX-License-Identifier: Apache-2.0
"""The weights in an ONNX file, read with only numpy: its graph's initialisers, and which product each belongs to."""

from __future__ import annotations

import dataclasses
from typing import Iterator, Union

import numpy as np

_TYPES = {1: "<f4", 6: "<i4", 7: "<i8", 10: "<f2", 11: "<f8"}  # TensorProto.DataType
Field = Union[int, memoryview]


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        if place >= len(data) or shift > 63:
            raise ValueError("the ONNX file is cut off or damaged")
        byte = data[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place


def fields(data: memoryview) -> Iterator[tuple[int, Field]]:
    """The fields of a protobuf message: field numbers with integers or bytes."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, place = _varint(data, place)
            yield number, value
            continue
        if kind == 2:
            size, place = _varint(data, place)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError(f"the ONNX file holds a field of unknown kind {kind}")
        if place + size > len(data):
            raise ValueError("the ONNX file is cut off")
        yield number, data[place : place + size]
        place += size


@dataclasses.dataclass
class Node:
    kind: str
    name: str
    inputs: list[str]
    outputs: list[str]


@dataclasses.dataclass
class Graph:
    weights: dict[str, np.ndarray]
    nodes: list[Node]


def _text(value: Field) -> str:
    return bytes(value).decode()


def _dimensions(value: Field) -> list[int]:
    """The dimensions, packed or one by one."""
    if isinstance(value, int):
        return [value]
    found, place = [], 0
    while place < len(value):
        number, place = _varint(value, place)
        found.append(number)
    return found


def _tensor(data: memoryview) -> tuple[str, np.ndarray]:
    name, kind, shape, raw, floats = "", 0, [], None, []
    for number, value in fields(data):
        if number == 1:
            shape += _dimensions(value)
        elif number == 2:
            kind = int(value)
        elif number == 4:
            floats.append(bytes(value))
        elif number == 8:
            name = _text(value)
        elif number == 9:
            raw = value
    if kind not in _TYPES:
        raise ValueError(f"{name}: numbers of ONNX's type {kind} are not supported")
    if raw is None and kind == 1:
        raw = b"".join(floats)
    values = np.frombuffer(b"" if raw is None else raw, dtype=_TYPES[kind])
    if values.size != int(np.prod(shape)):
        raise ValueError(f"{name}: {values.size} numbers for the shape {shape}")
    return name, values.reshape(shape)


def _node(data: memoryview) -> Node:
    node = Node("", "", [], [])
    for number, value in fields(data):
        if number == 1:
            node.inputs.append(_text(value))
        elif number == 2:
            node.outputs.append(_text(value))
        elif number == 3:
            node.name = _text(value)
        elif number == 4:
            node.kind = _text(value)
    return node


def read(data: Union[bytes, memoryview]) -> Graph:
    """Raises ValueError, which says what does not fit. Only tensors of 16-bit to 64-bit numbers are accepted."""
    graphs = [value for number, value in fields(memoryview(data)) if number == 7 and not isinstance(value, int)]
    if len(graphs) != 1:
        raise ValueError("not an ONNX model: it has no graph")
    graph = Graph({}, [])
    for number, value in fields(graphs[0]):
        if number == 1:
            graph.nodes.append(_node(value))
        elif number == 5:
            name, values = _tensor(value)
            graph.weights[name] = values
    return graph
