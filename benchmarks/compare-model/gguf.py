# SPDX-License-Identifier: Apache-2.0
"""Writes a BERT encoder as the file that llama.cpp loads: matrices in Q8_0 (32 int8 and their scale), the rest in float32."""
import struct

import numpy

BLOCK = 32
F32, Q8_0 = 0, 8
U32, I32, FLOAT, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
ALIGNMENT = 32
LAYER_NAMES = {"attention.query": "attn_q", "attention.key": "attn_k", "attention.value": "attn_v", "attention.dense": "attn_output",
               "attention.LayerNorm": "attn_output_norm", "FFN.0": "layer_output_norm", "FFN.1": "ffn_up", "FFN.3": "ffn_down"}
OTHER_NAMES = {"embeddings.word_embeddings": "token_embd", "embeddings.token_type_embeddings": "token_types",
               "embeddings.position_embeddings": "position_embd", "embeddings.LayerNorm": "token_embd_norm"}


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key, kind, value):
    if kind == STRING:
        data = string(value)
    elif kind == ARRAY:
        inner, items = value
        joined = b"".join(map(string, items)) if inner == STRING else numpy.asarray(items, dtype="<i4").tobytes()
        data = struct.pack("<IQ", inner, len(items)) + joined
    else:
        data = struct.pack({U32: "<I", FLOAT: "<f", BOOL: "<?"}[kind], value)
    return string(key) + struct.pack("<I", kind) + data


def name_of(name):
    stem, kind = name.rsplit(".", 1)
    parts = stem.split(".", 3)
    if parts[0] == "encoder":
        return f"blk.{parts[2]}.{LAYER_NAMES[parts[3]]}.{kind}"
    return f"{OTHER_NAMES[stem]}.{kind}" if stem in OTHER_NAMES else None


def q8_0(values):
    blocks = values.reshape(-1, BLOCK)
    scales = numpy.abs(blocks).max(axis=1, keepdims=True) / 127
    numbers = numpy.rint(blocks / numpy.where(scales == 0, 1, scales)).astype(numpy.int8)
    found = numpy.empty(len(blocks), dtype=[("scale", "<f2"), ("numbers", "i1", BLOCK)])
    found["scale"], found["numbers"] = scales[:, 0], numbers
    return found.tobytes()


def write_gguf(path, sizes, tensors, words):
    """`words` is the vocabulary, a word for each id; only its size matters to whom ids are given."""
    kinds = [3 if word.startswith("[") and word.endswith("]") else 1 for word in words]  # CONTROL, NORMAL
    ids = {word: number for number, word in enumerate(words)}
    shown = [word if kind == 3 else word[2:] if word.startswith("##") else "\u2581" + word for word, kind in zip(words, kinds)]
    metadata = [
        entry("general.architecture", STRING, "bert"), entry("general.name", STRING, sizes.name),
        entry("bert.block_count", U32, sizes.layers), entry("bert.context_length", U32, sizes.positions),
        entry("bert.embedding_length", U32, sizes.d), entry("bert.feed_forward_length", U32, sizes.inner),
        entry("bert.attention.head_count", U32, sizes.heads), entry("bert.attention.layer_norm_epsilon", FLOAT, sizes.eps),
        entry("bert.attention.causal", BOOL, False), entry("bert.pooling_type", U32, 1),  # the mean
        entry("general.file_type", U32, 7), entry("tokenizer.ggml.model", STRING, "bert"),
        entry("tokenizer.ggml.token_type_count", U32, 2), entry("tokenizer.ggml.tokens", ARRAY, (STRING, shown)),
        entry("tokenizer.ggml.token_type", ARRAY, (I32, kinds)),
    ]
    for key, word in {"bos": "[CLS]", "eos": "[SEP]", "cls": "[CLS]", "seperator": "[SEP]", "unknown": "[UNK]", "padding": "[PAD]",
                      "mask": "[MASK]"}.items():
        metadata.append(entry(f"tokenizer.ggml.{key}_token_id", U32, ids[word]))
    infos, data = [], bytearray()
    for name, values in tensors.items():
        theirs = name_of(name)
        if theirs is None:
            continue
        is_matrix = values.ndim == 2 and not theirs.startswith(("position_embd", "token_types"))
        data += bytes(-len(data) % ALIGNMENT)
        shape = values.shape[::-1]
        infos.append(string(theirs) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, Q8_0 if is_matrix else F32, len(data)))
        data += q8_0(values) if is_matrix else values.astype("<f4").tobytes()
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(metadata)) + b"".join(metadata + infos)
    path.write_bytes(head + bytes(-len(head) % ALIGNMENT) + data)
