# SPDX-License-Identifier: Apache-2.0
"""The layer through liblookupffn_train: the C functions lffn_train_forward and lffn_train_backward, called with ctypes.

The library is the one that LOOKUPFFN_LIBRARY names, otherwise the one that an installation put into this package, otherwise
one that the dynamic loader finds. Without it everything runs in plain PyTorch.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from pathlib import Path
from typing import Any, Optional, Sequence

import torch
from torch import Tensor

from . import abi

_NAMES = ("liblookupffn_train.so.0",)


def _load() -> Optional[ctypes.CDLL]:
    if os.environ.get("LOOKUPFFN_LIBRARY"):
        return ctypes.CDLL(os.environ["LOOKUPFFN_LIBRARY"])
    bundled = [str(path) for path in (Path(__file__).parent / "lib" / name for name in _NAMES) if path.exists()]
    for name in (*bundled, *_NAMES):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


@functools.lru_cache(maxsize=None)
def library() -> Optional[ctypes.CDLL]:
    """The loaded library, or None. The one that LOOKUPFFN_LIBRARY names must load."""
    loaded = _load()
    if loaded is None:
        return None
    try:
        forward, backward = loaded.lffn_train_forward, loaded.lffn_train_backward
    except AttributeError:
        if os.environ.get("LOOKUPFFN_LIBRARY"):
            raise OSError(f"{loaded._name} has no functions that train; build with -DLFFN_TRAIN_LIBRARY=ON and let "
                          "LOOKUPFFN_LIBRARY name liblookupffn_train.so") from None
        return None
    pointer, count = ctypes.c_void_p, ctypes.c_int64
    forward.argtypes = [pointer, pointer, pointer, count, ctypes.c_int32, pointer, pointer]
    backward.argtypes = [pointer, pointer, pointer, pointer, pointer, count, ctypes.c_int32, pointer, pointer]
    loaded.lffn_last_error.restype = ctypes.c_char_p
    loaded.lffn_version_text.restype = ctypes.c_char_p
    return loaded


def version() -> str:
    """The version and the path of the library that was found."""
    found = library()
    if found is None:
        return "none"
    return f"liblookupffn {found.lffn_version_text().decode()}, {found._name}"


def _check(status: int) -> None:
    if status != 0:
        raise RuntimeError(library().lffn_last_error().decode())


def _config_of(layer: dict[str, Any]) -> abi.LayerConfig:
    """layer: the config of a layer as in files."""
    config = abi.LayerConfig()
    library().lffn_layer_config_init_sized(ctypes.byref(config), ctypes.c_size_t(ctypes.sizeof(abi.LayerConfig)))
    config.hidden_size, config.output_size = layer["hidden_size"], layer["output_size"]
    config.num_tables, config.table_size = layer["ffn_num_table"], layer["ffn_table_size"]
    projection = layer["projection_type"]
    config.projection = abi.PROJECTION_DENSE if projection == "dense" else int(projection[2:])
    config.block_size = layer["block_size"]
    config.activation = abi.ACTIVATION_SIGMOID if layer["activation"] == "sigmoid" else abi.ACTIVATION_GELU
    config.layer_norm = int(layer["layer_norm"])
    config.decay_coeff, config.layer_norm_eps = layer["decay_coeff"], layer["layer_norm_eps"]
    return config


def _pointers(struct: type[ctypes.Structure], tensors: Any) -> ctypes.Structure:
    return struct(ctypes.sizeof(struct), *(None if t is None else t.data_ptr() for t in tensors))


_HUGE_PAGE = 2 << 20
_MADV_HUGEPAGE = 14


def _room_like(tensor: Tensor) -> Tensor:
    """Like torch.empty_like. A large gradient is new memory in every step; without huge pages, page faults would take as long
    as computing it."""
    room = torch.empty_like(tensor)
    begin = -(-room.data_ptr() // _HUGE_PAGE) * _HUGE_PAGE
    size = (room.data_ptr() + room.numel() * room.element_size() - begin) // _HUGE_PAGE * _HUGE_PAGE
    if size > 0 and sys.platform == "linux":
        # Whether it succeeds does not matter.
        ctypes.CDLL(None).madvise(ctypes.c_void_p(begin), ctypes.c_size_t(size), _MADV_HUGEPAGE)
    return room


class _Run(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, config: abi.LayerConfig, x: Tensor, *weights: Optional[Tensor]) -> Tensor:
        x = x.contiguous()
        weights = tuple(None if w is None else w.contiguous() for w in weights)
        tables, count = weights[4], x.shape[0]
        y = x.new_empty(count, tables.shape[2])
        z = x.new_empty(count, weights[3].shape[0]) if torch.is_grad_enabled() or any(context.needs_input_grad) else None
        _check(library().lffn_train_forward(ctypes.byref(config), ctypes.byref(_pointers(abi.TrainWeights, weights)),
                                            x.data_ptr(), count, torch.get_num_threads(), y.data_ptr(),
                                            None if z is None else z.data_ptr()))
        context.config = config
        context.save_for_backward(x, z, *weights)
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context: Any, grad_y: Tensor) -> tuple[Optional[Tensor], ...]:
        x, z, *weights = context.saved_tensors
        grad_y = grad_y.contiguous()
        grad_x = torch.empty_like(x) if context.needs_input_grad[1] else None
        grads = tuple(None if w is None else _room_like(w) for w in weights)
        _check(library().lffn_train_backward(ctypes.byref(context.config),
                                             ctypes.byref(_pointers(abi.TrainWeights, weights)), x.data_ptr(),
                                             z.data_ptr(), grad_y.data_ptr(), x.shape[0], torch.get_num_threads(),
                                             None if grad_x is None else grad_x.data_ptr(),
                                             ctypes.byref(_pointers(abi.TrainGradients, grads))))
        return (None, grad_x, *grads)


def can_run(tensors: Sequence[Optional[Tensor]], num_probes: int) -> bool:
    """tensors: the input and all weights, whose addresses the library gets; it reads float32."""
    return (all(tensor is None or tensor.device.type == "cpu" and tensor.dtype == torch.float32 for tensor in tensors) and
            num_probes == 1 and library() is not None)


def run(x: Tensor, weights: Sequence[Optional[Tensor]], config: dict[str, Any]) -> Tensor:
    """x [n, hidden_size]; weights: gain and shift of the layer norm or None, the hash's weight and bias, tables, bias;
    config: the layer's, as in files."""
    return _Run.apply(_config_of(config), x, *weights)
