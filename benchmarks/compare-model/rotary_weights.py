# SPDX-License-Identifier: Apache-2.0
"""Encoders with rotary positions that are measured: their shapes, and random weights of bfloat16's numbers.

A tensor is made when it is asked for, the same each time, so that no more than one lies in memory.
"""
import dataclasses
import json
import math
import zlib

import numpy


@dataclasses.dataclass(frozen=True)
class Shape:
    name: str
    model_type: str
    layers: int
    d: int
    heads: int
    key_heads: int
    head_size: int
    inner: int
    vocabulary: int
    positions: int
    theta: float
    eps: float
    activation: str
    local_theta: float = 0
    reach: int = 0  # of a local layer: so many tokens to each side
    global_every: int = 1
    global_first: bool = False  # of so many layers the first one is global, else the last

    def is_local(self, layer):
        return self.reach > 0 and layer % self.global_every != (0 if self.global_first else self.global_every - 1)

    @property
    def queries(self):
        return self.heads * self.head_size

    @property
    def keys(self):
        return self.key_heads * self.head_size


SHAPES = {shape.name: shape for shape in (
    Shape("modernbert-base", "modernbert", 22, 768, 12, 12, 64, 1152, 50368, 8192, 160000, 1e-5, "gelu", 10000, 64, 3, True),
    Shape("embeddinggemma", "gemma3_text", 24, 768, 3, 1, 256, 1152, 262144, 2048, 1e6, 1e-6, "gelu_tanh", 10000, 256, 6),
    Shape("qwen3-0.6b", "qwen3", 28, 1024, 16, 8, 128, 3072, 151669, 32768, 1e6, 1e-6, "silu"))}


def config_of(shape):
    config = {"model_type": shape.model_type, "hidden_size": shape.d, "num_hidden_layers": shape.layers,
              "num_attention_heads": shape.heads, "intermediate_size": shape.inner, "vocab_size": shape.vocabulary,
              "max_position_embeddings": shape.positions, "pad_token_id": 0}
    if shape.model_type == "modernbert":
        return config | {"architectures": ["ModernBertModel"], "hidden_activation": "gelu", "norm_eps": shape.eps,
                         "local_attention": 2 * shape.reach, "global_attn_every_n_layers": shape.global_every,
                         "global_rope_theta": shape.theta, "local_rope_theta": shape.local_theta}
    config |= {"num_key_value_heads": shape.key_heads, "head_dim": shape.head_size, "rms_norm_eps": shape.eps,
               "rope_theta": shape.theta}
    if shape.model_type == "qwen3":
        return config | {"architectures": ["Qwen3Model"], "hidden_act": "silu"}
    return config | {"architectures": ["Gemma3TextModel"], "hidden_activation": "gelu_pytorch_tanh",
                     "use_bidirectional_attention": True, "sliding_window": 2 * shape.reach,
                     "sliding_window_pattern": shape.global_every, "rope_local_base_freq": shape.local_theta,
                     "query_pre_attn_scalar": shape.head_size}


def shapes_of_tensors(shape):
    """{name: (dimensions, mean, deviation)} as the folder names them."""
    found = {}

    def linear(name, outputs, inputs):
        found[name + ".weight"] = ((outputs, inputs), 0, 1 / math.sqrt(inputs))

    def norm(name, size, mean):
        found[name + ".weight"] = ((size,), mean, 0.1)

    if shape.model_type == "modernbert":
        found["embeddings.tok_embeddings.weight"] = ((shape.vocabulary, shape.d), 0, 1)
        norm("embeddings.norm", shape.d, 1)
        for i in range(shape.layers):
            prefix = f"layers.{i}."
            if i > 0:
                norm(prefix + "attn_norm", shape.d, 1)
            linear(prefix + "attn.Wqkv", 3 * shape.queries, shape.d)
            linear(prefix + "attn.Wo", shape.d, shape.queries)
            norm(prefix + "mlp_norm", shape.d, 1)
            linear(prefix + "mlp.Wi", 2 * shape.inner, shape.d)
            linear(prefix + "mlp.Wo", shape.d, shape.inner)
        norm("final_norm", shape.d, 1)
        return found
    gemma = shape.model_type == "gemma3_text"
    mean = 0 if gemma else 1  # Gemma's norms add 1
    found["embed_tokens.weight"] = ((shape.vocabulary, shape.d), 0, 1 / math.sqrt(shape.d) if gemma else 1)
    for i in range(shape.layers):
        prefix = f"layers.{i}."
        norms = ["input_layernorm", "post_attention_layernorm"]
        norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"] if gemma else []
        for name in norms:
            norm(prefix + name, shape.d, mean)
        for name, outputs, inputs in (("q", shape.queries, shape.d), ("k", shape.keys, shape.d), ("v", shape.keys, shape.d),
                                      ("o", shape.d, shape.queries)):
            linear(f"{prefix}self_attn.{name}_proj", outputs, inputs)
        for name in ("q", "k"):
            norm(f"{prefix}self_attn.{name}_norm", shape.head_size, mean)
        for name, outputs, inputs in (("gate", shape.inner, shape.d), ("up", shape.inner, shape.d), ("down", shape.d, shape.inner)):
            linear(f"{prefix}mlp.{name}_proj", outputs, inputs)
    norm("norm", shape.d, mean)
    return found


def make_bits(name, dimensions, mean, deviation):
    """bfloat16's bits."""
    random = numpy.random.default_rng(zlib.crc32(name.encode()))
    values = random.standard_normal(dimensions, dtype=numpy.float32) * numpy.float32(deviation) + numpy.float32(mean)
    return (values.view(numpy.uint32) >> 16).astype(numpy.uint16)


class Tensors:
    def __init__(self, shape):
        self.shapes = shapes_of_tensors(shape)

    def __getitem__(self, name):
        return (make_bits(name, *self.shapes[name]).astype(numpy.uint32) << 16).view(numpy.float32)


def write_folder(folder, shape):
    """As transformers writes it, without a tokenizer."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config_of(shape), indent=1))
    shapes = shapes_of_tensors(shape)
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, (dimensions, _, _) in shapes.items():
        size = 2 * math.prod(dimensions)
        header[name] = {"dtype": "BF16", "shape": list(dimensions), "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name, made in shapes.items():
            make_bits(name, *made).tofile(file)
