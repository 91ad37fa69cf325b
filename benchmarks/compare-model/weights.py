# SPDX-License-Identifier: Apache-2.0
"""The models that are measured: their sizes, and weights that all engines share.

Tensors have the names of this library's pre-norm family throughout; write_model gives a post-norm (BERT) model its own.
"""
import dataclasses
import json
import math
import pathlib

import numpy

FACTORS = 4


@dataclasses.dataclass(frozen=True)
class Sizes:
    name: str
    layers: int
    d: int
    heads: int
    vocabulary: int
    positions: int
    inner: int
    tables: int
    tau: int
    block: int  # of a BH4 hash; 0 for a dense one
    post_norm: bool  # BERT's order of things, else that of the paper's RoBERTa
    eps: float = 1e-5
    first_position: int = 0


PAPER = Sizes("paper", 4, 512, 8, 50265, 512, 2048, 128, 8, 64, False, first_position=2)
MINILM = Sizes("minilm", 6, 384, 12, 30522, 512, 1536, 128, 4, 0, True, eps=1e-12)

# multilingual-e5-small is of this shape, and XLM-RoBERTa base, the word and position tables' numbers aside.
MULTILINGUAL = Sizes("multilingual", 12, 384, 12, 250002, 512, 1536, 128, 4, 0, True, eps=1e-12)
XLMR_BASE = Sizes("xlmr-base", 12, 768, 12, 250002, 512, 3072, 192, 4, 0, True, eps=1e-12)

BERT_NAMES = {"attention.query": "attention.self.query", "attention.key": "attention.self.key",
              "attention.value": "attention.self.value", "attention.dense": "attention.output.dense",
              "attention.LayerNorm": "attention.output.LayerNorm", "FFN.0": "output.LayerNorm",
              "FFN.1": "intermediate.dense", "FFN.3": "output.dense"}


class Maker:
    def __init__(self, sizes, seed):
        self.sizes, self.random = sizes, numpy.random.default_rng(seed)
        self.tensors = {}

    def add(self, name, shape, deviation, mean=0.0):
        values = self.random.standard_normal(shape, dtype=numpy.float32) * numpy.float32(deviation)
        self.tensors[name] = values + numpy.float32(mean)

    def norm(self, name):
        self.add(name + ".weight", [self.sizes.d], 0.1, 1.0)
        self.add(name + ".bias", [self.sizes.d], 0.1)

    def linear(self, name, outputs, inputs):
        self.add(name + ".weight", [outputs, inputs], 1 / math.sqrt(inputs))
        self.add(name + ".bias", [outputs], 0.1)


def shared_weights(sizes):
    make = Maker(sizes, 1)
    make.add("embeddings.word_embeddings.weight", [sizes.vocabulary, sizes.d], 1.0)
    make.add("embeddings.position_embeddings.weight", [sizes.positions + sizes.first_position, sizes.d], 0.3)
    make.add("embeddings.token_type_embeddings.weight", [2 if sizes.post_norm else 1, sizes.d], 0.1)
    make.norm("embeddings.LayerNorm")
    for i in range(sizes.layers):
        prefix = f"encoder.layer.{i}."
        make.norm(prefix + "attention.LayerNorm")
        for name in ("query", "key", "value", "dense"):
            make.linear(prefix + "attention." + name, sizes.d, sizes.d)
        if sizes.post_norm:
            make.norm(prefix + "FFN.0")
    if not sizes.post_norm:
        make.norm("encoder.LayerNorm")
    return make.tensors


def vanilla_weights(sizes):
    make = Maker(sizes, 2)
    for i in range(sizes.layers):
        if not sizes.post_norm:
            make.norm(f"encoder.layer.{i}.FFN.0")
        make.linear(f"encoder.layer.{i}.FFN.1", sizes.inner, sizes.d)
        make.linear(f"encoder.layer.{i}.FFN.3", sizes.d, sizes.inner)
    return make.tensors


def lookup_weights(sizes):
    """The hash keeps the variance of its inputs, so the codes spread over all rows."""
    make = Maker(sizes, 3)
    d, block, bits = sizes.d, sizes.block, sizes.tables * sizes.tau
    for i in range(sizes.layers):
        prefix = f"encoder.layer.{i}.FFN."
        if not sizes.post_norm:
            make.norm(prefix + "LayerNorm")
        if block:  # the unnormalised Hadamard matrix multiplies the variance by d
            make.add(prefix + "hash.projection.weight", [-(-bits // d), FACTORS, d // block, block, block], 1 / math.sqrt(block * d))
        else:
            make.add(prefix + "hash.projection.weight", [bits, d], 1 / math.sqrt(d))
        make.add(prefix + "hash.projection.bias", [bits], 0.1)
        make.add(prefix + "tables", [sizes.tables, 1 << sizes.tau, d], 0.02)
        make.add(prefix + "bias", [d], 0.1)
    return make.tensors


def read_bert(folder):
    """The weights of a BERT model that was saved by transformers, as (shared, vanilla)."""
    ours = {theirs: name for name, theirs in BERT_NAMES.items()}
    tensors = {}
    path = pathlib.Path(folder) / "model.safetensors"
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    data = numpy.memmap(path, dtype=numpy.uint8, mode="r", offset=8 + size)
    for name, entry in header.items():
        if name == "__metadata__" or name.startswith("pooler") or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        stem, kind = name.rsplit(".", 1)
        parts = stem.split(".", 3)
        if parts[0] == "encoder":
            stem = ".".join(parts[:3] + [ours.get(parts[3], parts[3])])
        tensors[f"{stem}.{kind}"] = data[begin:end].view(numpy.float32).reshape(entry["shape"]).copy()
    vanilla = {name for name in tensors if ".FFN.1." in name or ".FFN.3." in name}
    return {n: v for n, v in tensors.items() if n not in vanilla}, {n: tensors[n] for n in vanilla}


def config_of(sizes, lookup):
    config = {"hidden_size": sizes.d, "num_hidden_layers": sizes.layers, "num_attention_heads": sizes.heads,
              "vocab_size": sizes.vocabulary, "max_position_embeddings": sizes.positions, "intermediate_size": sizes.inner,
              "layer_norm_eps": sizes.eps}
    if lookup:
        config |= {"projection_type": f"bh{FACTORS}" if sizes.block else "dense", "ffn_num_table": sizes.tables,
                   "ffn_table_size": 1 << sizes.tau}
        if sizes.block:
            config["block_size"] = sizes.block
    if sizes.post_norm:
        config |= {"model_type": "bert", "architectures": ["BertModel"], "hidden_act": "gelu", "pad_token_id": 0,
                   "type_vocab_size": 2, "position_embedding_type": "absolute"}
        if lookup:
            config |= {"ffn_kinds": ["lookup"] * sizes.layers, "ffn_activation": "gelu", "layer_norm": False}
    return config


def bert_name(name):
    parts = name.split(".", 3)
    if parts[0] != "encoder":
        return name
    stem, kind = parts[3].rsplit(".", 1)
    return ".".join(parts[:3] + [BERT_NAMES.get(stem, stem), kind])


def write_safetensors(path, tensors, metadata):
    header, end = {"__metadata__": metadata}, 0
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [end, end + values.nbytes]}
        end += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for values in tensors.values():
            file.write(values.tobytes())


def write_model(path, sizes, tensors, lookup):
    """What this library loads: one file of its own, or a folder as transformers writes it."""
    config = config_of(sizes, lookup)
    if not sizes.post_norm:
        write_safetensors(path, tensors, {"format": "lookupffn", "format_version": "1", "kind": "model", "config": json.dumps(config)})
        return
    path.mkdir()
    (path / "config.json").write_text(json.dumps(config))
    write_safetensors(path / "model.safetensors", {bert_name(name): values for name, values in tensors.items()}, {"format": "pt"})


def write_arrays(path, sizes, tensors):
    """For the other engines."""
    numpy.savez(path, sizes=json.dumps(dataclasses.asdict(sizes)), **tensors)


def read_arrays(path):
    arrays = dict(numpy.load(path))
    return Sizes(**json.loads(str(arrays.pop("sizes")))), arrays
