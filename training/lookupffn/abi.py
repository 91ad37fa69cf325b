# SPDX-License-Identifier: Apache-2.0
"""The C interface for ctypes. Made of include/lookupffn by bindings/swig/abi.py; not written by hand."""

import ctypes

DTYPE_AS_STORED = 0
DTYPE_F32 = 1
DTYPE_BF16 = 2
DTYPE_INT8 = 3
DTYPE_F16 = 4
DTYPE_INT4 = 5
DTYPE_INT32 = 6
DTYPE_INT64 = 7
DTYPE_UINT8 = 8
DTYPE_F64 = 9
DTYPE_TEXT = 10
PROJECTION_DENSE = 0
ACTIVATION_GELU = 0
ACTIVATION_SIGMOID = 1
OUT_TOKEN_IDS = 1
OUT_TOKEN_TYPES = 2
OUT_TOKEN_OFFSETS = 3
OUT_TOKEN_BEGINS = 4
OUT_TOKEN_ENDS = 5
OUT_TOKEN_SOURCES = 6
OUT_TEXT_BEGINS = 7
OUT_TEXT_ENDS = 8
OUT_PAIR_BEGINS = 9
OUT_PAIR_ENDS = 10
OUT_WINDOW_OFFSETS = 11
OUT_UNCUT_LENGTHS = 12
OUT_STATUSES = 13
OUT_MESSAGES = 14
OUT_MESSAGE_OFFSETS = 15
OUT_MASK_POSITIONS = 16
OUT_MASK_OFFSETS = 17
OUT_HIDDEN = 18
OUT_EMBEDDINGS = 19
OUT_INT8_EMBEDDINGS = 20
OUT_EMBEDDING_SCALES = 21
OUT_BIT_EMBEDDINGS = 22
OUT_TOKEN_VECTORS = 23
OUT_INT8_TOKEN_VECTORS = 24
OUT_TOKEN_VECTOR_SCALES = 25
OUT_VECTOR_TOKENS = 26
OUT_VECTOR_OFFSETS = 27
OUT_CLASS_SCORES = 28
OUT_TOKEN_SCORES = 29
OUT_LOGITS = 30
OUT_FILLING_IDS = 31
OUT_FILLING_PROBABILITIES = 32
OUT_SPARSE_IDS = 33
OUT_SPARSE_WEIGHTS = 34
OUT_SPARSE_OFFSETS = 35
OUT_ENTITY_BEGINS = 36
OUT_ENTITY_ENDS = 37
OUT_ENTITY_SCORES = 38
OUT_ENTITY_CLASSES = 39
OUT_ENTITY_OFFSETS = 40
OUT_ANSWER_BEGINS = 41
OUT_ANSWER_ENDS = 42
OUT_ANSWER_SCORES = 43
OUT_ANSWER_OFFSETS = 44
OUT_LABEL_SCORES = 45
OUT_LABEL_ORDER = 46
OUT_DOCUMENT_SCORES = 47
OUT_DOCUMENT_ORDER = 48
OUT_MAX_SIM_SCORES = 49
OUT_DECODED = 50
OUT_DECODED_OFFSETS = 51
OUT_STAGE_SECONDS = 52
OUT_LAYER_SECONDS = 53


class LayerConfig(ctypes.Structure):
    """lffn_layer_config"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("hidden_size", ctypes.c_int32),
        ("output_size", ctypes.c_int32),
        ("num_tables", ctypes.c_int32),
        ("table_size", ctypes.c_int32),
        ("projection", ctypes.c_int32),
        ("block_size", ctypes.c_int32),
        ("activation", ctypes.c_int32),
        ("num_probes", ctypes.c_int32),
        ("layer_norm", ctypes.c_int32),
        ("decay_coeff", ctypes.c_float),
        ("layer_norm_eps", ctypes.c_float),
        ("reserved", ctypes.c_uint32),
        ("seed", ctypes.c_uint64),
    ]


class LoadOptions(ctypes.Structure):
    """lffn_load_options"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("num_threads", ctypes.c_int32),
        ("table_dtype", ctypes.c_int32),
        ("hash_dtype", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
        ("linear_dtype", ctypes.c_int32),
        ("embedding_dtype", ctypes.c_int32),
        ("word_row_dtype", ctypes.c_int32),
        ("attention_dtype", ctypes.c_int32),
        ("runtime", ctypes.c_void_p),
        ("cancel", ctypes.c_void_p),
        ("progress", ctypes.c_void_p),
        ("progress_user", ctypes.c_void_p),
        ("adapter", ctypes.c_void_p),
    ]


class Output(ctypes.Structure):
    """lffn_output"""

    _fields_ = [
        ("what", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("data", ctypes.c_void_p),
        ("capacity", ctypes.c_int64),
    ]


class ModelRunArgs(ctypes.Structure):
    """lffn_model_run_args"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("n", ctypes.c_int64),
        ("texts", ctypes.c_void_p),
        ("text_sizes", ctypes.c_void_p),
        ("pairs", ctypes.c_void_p),
        ("pair_sizes", ctypes.c_void_p),
        ("ids", ctypes.c_void_p),
        ("offsets", ctypes.c_void_p),
        ("token_types", ctypes.c_void_p),
        ("prompt", ctypes.c_void_p),
        ("prompt_size", ctypes.c_size_t),
        ("prompt_kind", ctypes.c_int32),
        ("reading", ctypes.c_int32),
        ("max_tokens", ctypes.c_int64),
        ("stride", ctypes.c_int64),
        ("windows", ctypes.c_int32),
        ("pooling", ctypes.c_int32),
        ("normalize", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("top_k", ctypes.c_int32),
        ("aggregation", ctypes.c_int32),
        ("max_active", ctypes.c_int32),
        ("min_weight", ctypes.c_float),
        ("logit_positions", ctypes.c_void_p),
        ("n_logit_positions", ctypes.c_int64),
        ("outputs", ctypes.c_void_p),
        ("n_outputs", ctypes.c_int64),
        ("result", ctypes.c_void_p),
        ("flags", ctypes.c_uint32),
        ("num_threads", ctypes.c_int32),
        ("cancel", ctypes.c_void_p),
        ("progress", ctypes.c_void_p),
        ("progress_user", ctypes.c_void_p),
    ]


class TokenizerEncodeArgs(ctypes.Structure):
    """lffn_tokenizer_encode_args"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("n", ctypes.c_int64),
        ("texts", ctypes.c_void_p),
        ("text_sizes", ctypes.c_void_p),
        ("pairs", ctypes.c_void_p),
        ("pair_sizes", ctypes.c_void_p),
        ("max_tokens", ctypes.c_int64),
        ("outputs", ctypes.c_void_p),
        ("n_outputs", ctypes.c_int64),
        ("result", ctypes.c_void_p),
        ("flags", ctypes.c_uint32),
        ("num_threads", ctypes.c_int32),
        ("cancel", ctypes.c_void_p),
    ]


class TrainWeights(ctypes.Structure):
    """lffn_train_weights"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("norm_gain", ctypes.c_void_p),
        ("norm_shift", ctypes.c_void_p),
        ("hash_weight", ctypes.c_void_p),
        ("hash_bias", ctypes.c_void_p),
        ("tables", ctypes.c_void_p),
        ("bias", ctypes.c_void_p),
    ]


class TrainGradients(ctypes.Structure):
    """lffn_train_gradients"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("norm_gain", ctypes.c_void_p),
        ("norm_shift", ctypes.c_void_p),
        ("hash_weight", ctypes.c_void_p),
        ("hash_bias", ctypes.c_void_p),
        ("tables", ctypes.c_void_p),
        ("bias", ctypes.c_void_p),
    ]
