# SPDX-License-Identifier: Apache-2.0
"""Whole models through liblookupffn, called with ctypes, for comparison with PyTorch's."""

import ctypes
import os
from typing import Dict, List, Sequence, Tuple, Union

import numpy

from . import abi, native

DTYPE_AS_STORED, F32, BF16, INT8 = abi.DTYPE_AS_STORED, abi.DTYPE_F32, abi.DTYPE_BF16, abi.DTYPE_INT8


def _outputs(args: Union[abi.ModelRunArgs, abi.TokenizerEncodeArgs], arrays: Dict[int, numpy.ndarray]) -> ctypes.Array:
    """Gives the arguments outputs that go to these arrays. What is returned must stay meanwhile."""
    outputs = (abi.Output * len(arrays))(*(abi.Output(what, 0, array.ctypes.data, array.size)
                                           for what, array in arrays.items()))
    args.outputs, args.n_outputs = ctypes.addressof(outputs), len(arrays)
    return outputs


class NativeModel:
    """A folder, or a single file, that the library has loaded. Use it in a `with` statement."""

    def __init__(self, path: Union[str, "os.PathLike[str]"], num_threads: int = 1,
                 table_dtype: int = DTYPE_AS_STORED, hash_dtype: int = DTYPE_AS_STORED,
                 linear_dtype: int = DTYPE_AS_STORED, embedding_dtype: int = DTYPE_AS_STORED) -> None:
        self._library = native.library()
        if self._library is None:
            raise RuntimeError("liblookupffn_train was not found; set LOOKUPFFN_LIBRARY to its file")
        pointer = ctypes.c_void_p
        self._library.lffn_model_load.argtypes = [ctypes.c_char_p, pointer, pointer]
        self._library.lffn_model_run.argtypes = [pointer, pointer]
        self._library.lffn_model_free.argtypes = [pointer]
        options = abi.LoadOptions()
        self._library.lffn_load_options_init_sized(ctypes.byref(options), ctypes.c_size_t(ctypes.sizeof(options)))
        options.num_threads, options.table_dtype, options.hash_dtype = num_threads, table_dtype, hash_dtype
        options.linear_dtype, options.embedding_dtype = linear_dtype, embedding_dtype
        self._handle = pointer()
        self._check(self._library.lffn_model_load(str(path).encode(), ctypes.byref(options),
                                                  ctypes.byref(self._handle)))

    def __enter__(self) -> "NativeModel":
        return self

    def __exit__(self, *_: object) -> None:
        self._library.lffn_model_free(self._handle)
        self._handle = None

    def _check(self, status: int) -> None:
        if status != 0:
            raise RuntimeError(self._library.lffn_last_error().decode())

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Saves one file, in the element types that the model has in memory."""
        self._library.lffn_model_save.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self._check(self._library.lffn_model_save(self._handle, str(path).encode(), None))

    def _args(self, sequences: Sequence[Sequence[int]]) -> Tuple[abi.ModelRunArgs, Tuple[numpy.ndarray, numpy.ndarray]]:
        args = abi.ModelRunArgs()
        args.struct_size = ctypes.sizeof(abi.ModelRunArgs)
        args.n = len(sequences)
        ids = numpy.concatenate([numpy.asarray(s, numpy.int32) for s in sequences] or [numpy.zeros(0, numpy.int32)])
        offsets = numpy.cumsum([0] + [len(s) for s in sequences]).astype(numpy.int64)
        args.ids, args.offsets = ids.ctypes.data, offsets.ctypes.data
        return args, (ids, offsets)  # which must stay meanwhile

    def _run(self, args: abi.ModelRunArgs, arrays: Dict[int, numpy.ndarray]) -> None:
        _kept = _outputs(args, arrays)
        self._check(self._library.lffn_model_run(self._handle, ctypes.byref(args)))

    def encode(self, sequences: Sequence[Sequence[int]], width: int) -> numpy.ndarray:
        """The hidden states of sequences of ids, [tokens, width]."""
        args, kept = self._args(sequences)
        hidden = numpy.zeros((len(kept[0]), width), numpy.float32)
        self._run(args, {abi.OUT_HIDDEN: hidden})
        return hidden

    def embed(self, sequences: Sequence[Sequence[int]], width: int) -> numpy.ndarray:
        """A vector for each sequence of ids, as the model's files say, [sequences, width]."""
        args, _kept = self._args(sequences)
        vectors = numpy.zeros((len(sequences), width), numpy.float32)
        self._run(args, {abi.OUT_EMBEDDINGS: vectors})
        return vectors

    def ffn_seconds(self, sequences: Sequence[Sequence[int]], width: int, num_layers: int) -> numpy.ndarray:
        """How long the feed-forward block of each layer takes, with its layer norm, [num_layers]."""
        args, _kept = self._args(sequences)
        vectors = numpy.zeros((len(sequences), width), numpy.float32)
        seconds = numpy.zeros((num_layers, 2))
        self._run(args, {abi.OUT_EMBEDDINGS: vectors, abi.OUT_LAYER_SECONDS: seconds})
        return seconds[:, 1]

    def logits(self, sequences: Sequence[Sequence[int]], places: Sequence[int], vocabulary: int) -> numpy.ndarray:
        """The language model head's logits at some places of the sequences laid end to end, [places, vocabulary]."""
        args, _kept = self._args(sequences)
        positions = numpy.asarray(places, numpy.int64)
        logits = numpy.zeros((len(positions), vocabulary), numpy.float32)
        args.logit_positions, args.n_logit_positions = positions.ctypes.data, len(positions)
        self._run(args, {abi.OUT_LOGITS: logits})
        return logits

    def tokenize(self, text: str) -> List[int]:
        """A text's ids, special ones included."""
        library, pointer = self._library, ctypes.c_void_p
        library.lffn_model_tokenizer.argtypes = [pointer, pointer]
        library.lffn_tokenizer_encode.argtypes = [pointer, pointer]
        library.lffn_tokenizer_free.argtypes = [pointer]
        tokenizer = pointer()
        self._check(library.lffn_model_tokenizer(self._handle, ctypes.byref(tokenizer)))
        data = text.encode()
        given = abi.TokenizerEncodeArgs(ctypes.sizeof(abi.TokenizerEncodeArgs))
        library.lffn_tokenizer_encode_args_init_sized(ctypes.byref(given), ctypes.c_size_t(ctypes.sizeof(abi.TokenizerEncodeArgs)))
        kept = ctypes.create_string_buffer(data, len(data) + 1)
        texts = (ctypes.c_void_p * 1)(ctypes.addressof(kept))
        sizes = (ctypes.c_size_t * 1)(len(data))
        given.n, given.texts, given.text_sizes = 1, ctypes.addressof(texts), ctypes.addressof(sizes)
        offsets = numpy.zeros(2, numpy.int64)
        try:
            _counting = _outputs(given, {abi.OUT_TOKEN_OFFSETS: offsets})
            self._check(library.lffn_tokenizer_encode(tokenizer, ctypes.byref(given)))
            ids = numpy.zeros(max(offsets[1], 1), numpy.int32)
            _reading = _outputs(given, {abi.OUT_TOKEN_IDS: ids})
            self._check(library.lffn_tokenizer_encode(tokenizer, ctypes.byref(given)))
        finally:
            library.lffn_tokenizer_free(tokenizer)
        return ids[:offsets[1]].tolist()
