# SPDX-License-Identifier: Apache-2.0
"""Reads the tensors of PyTorch checkpoints (.pt, .ckpt, pytorch_model.bin) without running what a pickle may ask for.

A pickle is a program. This reader lets it build only numbers, text, lists, dicts and tensors; anything else that it names,
such as a training framework's classes, becomes an empty shell that does nothing.
"""

from __future__ import annotations

import collections
import pickle
import zipfile
from pathlib import Path
from typing import IO, Any, Callable, Union

import numpy as np
import torch

_STORAGES = {"DoubleStorage": "<f8", "FloatStorage": "<f4", "HalfStorage": "<f2", "BFloat16Storage": "<u2",
             "LongStorage": "<i8", "IntStorage": "<i4", "ShortStorage": "<i2", "CharStorage": "|i1",
             "ByteStorage": "|u1", "BoolStorage": "|b1"}


class _Shell:
    """Stands for an object of a class that is not loaded."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        pass

    def __call__(self, *arguments: Any, **options: Any) -> _Shell:
        return _Shell()

    def __setstate__(self, state: Any) -> None:
        pass

    def append(self, item: Any) -> None:
        pass

    def extend(self, items: Any) -> None:
        pass

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


class _Storage:
    def __init__(self, kind: str, numbers: np.ndarray) -> None:
        self.kind, self.numbers = kind, numbers


def _rebuild_tensor(storage: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...],
                    *_: Any) -> torch.Tensor:
    if not isinstance(storage, _Storage):
        raise pickle.UnpicklingError("a tensor without data")
    numbers = storage.numbers
    last = offset + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    if offset < 0 or len(shape) != len(strides) or min((*shape, *strides), default=0) < 0 or \
            (0 not in shape and last >= len(numbers)):
        raise pickle.UnpicklingError(f"a tensor of shape {list(shape)} reaches past the end of its data")
    view = np.lib.stride_tricks.as_strided(numbers[offset:], shape, [s * numbers.itemsize for s in strides])
    array = np.array(view)
    if storage.kind == "BFloat16Storage":
        array = (array.astype("<u4") << 16).view("<f4")
    return torch.from_numpy(array.reshape(shape))


def _rebuild_parameter(data: Any, *_: Any) -> Any:
    return data


_ALLOWED = {
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("torch._utils", "_rebuild_tensor"): _rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
}


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: IO[bytes], read_storage: Callable[[str, np.dtype], np.ndarray]) -> None:
        super().__init__(file)
        self.read_storage = read_storage

    def find_class(self, module: str, name: str) -> Any:
        if module in ("torch", "torch.storage") and name in _STORAGES:
            return name
        return _ALLOWED.get((module, name), _Shell)

    def persistent_load(self, reference: tuple[Any, ...]) -> Any:
        tag, kind, key = reference[:3]
        if tag != "storage" or kind not in _STORAGES:
            raise pickle.UnpicklingError("an unknown reference")
        return _Storage(kind, self.read_storage(str(key), np.dtype(_STORAGES[kind])))


def load(path: Union[str, Path]) -> Any:
    """The numbers, text, lists, dicts and tensors in a checkpoint. Raises ValueError, which says what is wrong."""
    try:
        with zipfile.ZipFile(path) as archive:
            (listing,) = [name for name in archive.namelist() if name.endswith("/data.pkl") or name == "data.pkl"]
            folder = listing[: -len("data.pkl")]

            def read_storage(key: Any, dtype: np.dtype) -> np.ndarray:
                return np.frombuffer(archive.read(f"{folder}data/{key}"), dtype=dtype)

            with archive.open(listing) as file:
                return _Unpickler(file, read_storage).load()
    except zipfile.BadZipFile as error:
        raise ValueError(f"{path}: no checkpoint of PyTorch 1.6 or newer ({error})") from error
    except (KeyError, IndexError, TypeError, AttributeError, EOFError, pickle.UnpicklingError) as error:
        raise ValueError(f"{path}: not a readable checkpoint: {error}") from error


def load_tensors(path: Union[str, Path]) -> dict[str, Any]:
    """The state dict of a checkpoint, or of the Lightning checkpoint around it."""
    content = load(path)
    if isinstance(content, dict) and isinstance(content.get("state_dict"), dict):
        content = content["state_dict"]
    if not isinstance(content, dict):
        raise ValueError(f"{path}: holds no state dict")
    return {name: value for name, value in content.items() if isinstance(name, str) and torch.is_tensor(value)}
