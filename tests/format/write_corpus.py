#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of this corpus with one version of the library, and what that version makes of them.

usage: write_corpus.py LIBRARY FOLDER, then tests/support/archive.py pack FOLDER tests/format/VERSION.tar
"""
import ctypes
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

AS_STORED, F32, BF16, INT8 = 0, 1, 2, 3
TOKENS = 20
TEXTS = (b"The quick brown fox", b"x")


class Options(ctypes.Structure):
    """lffn_load_options up to its first members; the rest is zero."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("num_threads", ctypes.c_int32), ("table_dtype", ctypes.c_int32),
                ("hash_dtype", ctypes.c_int32), ("flags", ctypes.c_uint32), ("linear_dtype", ctypes.c_int32),
                ("embedding_dtype", ctypes.c_int32), ("rest", ctypes.c_byte * 32)]


class Config(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("hidden_size", ctypes.c_int32), ("output_size", ctypes.c_int32),
                ("num_tables", ctypes.c_int32), ("table_size", ctypes.c_int32), ("projection", ctypes.c_int32),
                ("block_size", ctypes.c_int32), ("activation", ctypes.c_int32), ("num_probes", ctypes.c_int32),
                ("layer_norm", ctypes.c_int32), ("decay_coeff", ctypes.c_float), ("layer_norm_eps", ctypes.c_float),
                ("seed", ctypes.c_uint64)]


def made(library, name, struct_type):
    """A struct as its _init function leaves it."""
    one = struct_type()
    getattr(library, f"lffn_{name}_init_sized")(ctypes.byref(one), ctypes.c_size_t(ctypes.sizeof(one)))
    return one


def call(library, name, *arguments):
    library.lffn_last_error.restype = ctypes.c_char_p
    if getattr(library, name)(*arguments) != 0:
        sys.exit(f"{name}: {library.lffn_last_error().decode()}")


def inputs(count):
    return (ctypes.c_float * count)(*((i * 2654435761 % 2**32 >> 8) % 1009 / 500 - 1 for i in range(count)))


def write_layer(library, folder, name, tables, hashes, projection):
    config, options = made(library, "layer_config", Config), made(library, "load_options", Options)
    config.hidden_size, config.output_size, config.num_tables, config.table_size = 32, 24, 8, 16
    config.block_size, config.seed, config.projection = 16, 11, projection
    options.table_dtype, options.hash_dtype = tables, hashes
    layer, y = ctypes.c_void_p(), (ctypes.c_float * (TOKENS * 24))()
    call(library, "lffn_layer_create", ctypes.byref(config), None, ctypes.c_int64(0), ctypes.byref(options),
         ctypes.byref(layer))
    call(library, "lffn_layer_save", layer, str(folder / f"{name}.safetensors").encode(), None)
    call(library, "lffn_layer_forward", layer, inputs(TOKENS * 32), ctypes.c_int64(TOKENS), y)
    library.lffn_layer_free(layer)
    (folder / f"{name}.f32").write_bytes(bytes(y))


def told(library, model, what):
    """The first numbers of one of the structs that describe a model, without its struct_size."""
    memory = ctypes.create_string_buffer(1024)
    getattr(library, f"lffn_model_{what}_init_sized")(memory, ctypes.c_size_t(1024))
    call(library, f"lffn_model_get_{what}", model, memory)
    return struct.unpack_from("=21i", memory, 8)


def write_model(library, folder, name, source, dtype):
    options, model = made(library, "load_options", Options), ctypes.c_void_p()
    options.table_dtype = options.hash_dtype = options.linear_dtype = options.embedding_dtype = dtype
    call(library, "lffn_model_load", str(source).encode(), ctypes.byref(options), ctypes.byref(model))
    call(library, "lffn_model_save", model, str(folder / f"{name}.safetensors").encode(), None)
    size, arithmetic = told(library, model, "heads")[1], told(library, model, "shape")[20]
    vectors = (ctypes.c_float * (len(TEXTS) * size))()
    call(library, "lffn_model_embed_texts", model, (ctypes.c_char_p * len(TEXTS))(*TEXTS), None,
         ctypes.c_int64(len(TEXTS)), ctypes.c_int64(-1), vectors, ctypes.c_int64(len(vectors)))
    library.lffn_model_free(model)
    (folder / f"{name}.f32").write_bytes(bytes(vectors))
    (folder / "arithmetic").write_text(f"{arithmetic}\n", encoding="ascii")


def main():
    library, folder = ctypes.CDLL(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    write_layer(library, folder, "layer-f32", F32, F32, 4)
    write_layer(library, folder, "layer-bf16", BF16, F32, 2)
    write_layer(library, folder, "layer-dense", F32, F32, 0)
    write_layer(library, folder, "layer-int8", INT8, INT8, 4)
    write_model(library, folder, "model-f32", archive.unpacked("model/data-hf.tar") / "distilbert-classes", AS_STORED)
    write_model(library, folder, "model-int8", archive.unpacked("model/data.tar") / "model-lookup", INT8)


main()
