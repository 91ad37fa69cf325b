"""Random weights of a RoBERTa encoder, with lookup or vanilla feed-forward layers that share all else."""
import json
import math

import numpy

LAYERS, D, HEADS, VOCABULARY, MAX_POSITIONS = 4, 512, 8, 50265, 512
INNER = 2048
TABLES, TAU, BLOCK, FACTORS = 128, 8, 64, 4


class Maker:
    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.tensors = {}

    def add(self, name, shape, deviation, mean=0.0):
        values = self.random.standard_normal(shape, dtype=numpy.float32) * numpy.float32(deviation)
        self.tensors[name] = values + numpy.float32(mean)

    def norm(self, name):
        self.add(name + ".weight", [D], 0.1, 1.0)
        self.add(name + ".bias", [D], 0.1)

    def linear(self, name, outputs, inputs):
        self.add(name + ".weight", [outputs, inputs], 1 / math.sqrt(inputs))
        self.add(name + ".bias", [outputs], 0.1)


def shared_weights():
    make = Maker(1)
    make.add("embeddings.word_embeddings.weight", [VOCABULARY, D], 1.0)
    make.add("embeddings.position_embeddings.weight", [MAX_POSITIONS + 2, D], 0.3)
    make.add("embeddings.token_type_embeddings.weight", [1, D], 0.1)
    make.norm("embeddings.LayerNorm")
    for i in range(LAYERS):
        prefix = f"encoder.layer.{i}.attention."
        make.norm(prefix + "LayerNorm")
        for name in ("query", "key", "value", "dense"):
            make.linear(prefix + name, D, D)
    make.norm("encoder.LayerNorm")
    return make.tensors


def vanilla_weights():
    make = Maker(2)
    for i in range(LAYERS):
        make.norm(f"encoder.layer.{i}.FFN.0")
        make.linear(f"encoder.layer.{i}.FFN.1", INNER, D)
        make.linear(f"encoder.layer.{i}.FFN.3", D, INNER)
    return make.tensors


def lookup_weights():
    """A block product and the unnormalised Hadamard matrix keep the variance, so the codes spread over all rows."""
    make = Maker(3)
    chains = -(-TABLES * TAU // D)
    for i in range(LAYERS):
        prefix = f"encoder.layer.{i}.FFN."
        make.norm(prefix + "LayerNorm")
        make.add(prefix + "hash.projection.weight", [chains, FACTORS, D // BLOCK, BLOCK, BLOCK], 1 / math.sqrt(BLOCK * D))
        make.add(prefix + "hash.projection.bias", [TABLES * TAU], 0.1)
        make.add(prefix + "tables", [TABLES, 1 << TAU, D], 0.02)
        make.add(prefix + "bias", [D], 0.1)
    return make.tensors


def write_model(path, tensors):
    """One file of this library's, which is a safetensors file."""
    config = {"hidden_size": D, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "vocab_size": VOCABULARY,
              "max_position_embeddings": MAX_POSITIONS, "intermediate_size": INNER, "projection_type": f"bh{FACTORS}",
              "block_size": BLOCK, "ffn_num_table": TABLES, "ffn_table_size": 1 << TAU}
    header = {"__metadata__": {"format": "lookupffn", "format_version": "1", "kind": "model", "config": json.dumps(config)}}
    end = 0
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [end, end + values.nbytes]}
        end += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for values in tensors.values():
            file.write(values.tobytes())
