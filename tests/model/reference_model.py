# SPDX-License-Identifier: Apache-2.0
"""Encoders of Hugging Face's families in float64 with numpy: simple and slow, to compute what small folders expect.

make_small_folders.py compares it with what transformers and sentence-transformers computed before it trusts it.
"""
import json
import math
import struct

import numpy as np

_erf = np.frompyfunc(math.erf, 1, 1)
PREFIXES = ("bert.", "roberta.", "roberta_prelayernorm.", "distilbert.")


def read_tensors(path):
    """{name: float64 array} of what is float32 in a safetensors file."""
    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + size])
    header.pop("__metadata__", None)
    result = {}
    for name, entry in header.items():
        if entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        numbers = np.frombuffer(content, "<f4", (end - begin) // 4, 8 + size + begin)
        result[name] = numbers.reshape(entry["shape"]).astype(np.float64)
    return result


def tensor_bytes(tensors, metadata=None):
    """The safetensors file of these arrays, as float32."""
    header = {"__metadata__": metadata} if metadata else {}
    data = b""
    for name, value in tensors.items():
        stored = np.ascontiguousarray(value, "<f4").tobytes()
        ends = [len(data), len(data) + len(stored)]
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": ends}
        data += stored
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def gelu(x):
    return x * 0.5 * (1 + _erf(x / math.sqrt(2)).astype(np.float64))


def softmax(x):
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def hadamard(y):
    """The Hadamard transform in natural order, not normalised, of the last axis."""
    size = 1
    while size < y.shape[-1]:
        pairs = y.reshape(*y.shape[:-1], -1, 2, size)
        y = np.stack([pairs[..., 0, :] + pairs[..., 1, :], pairs[..., 0, :] - pairs[..., 1, :]], -2).reshape(y.shape)
        size *= 2
    return y


class Encoder:
    def __init__(self, config, tensors):
        self.kind = config["model_type"]
        self.distil = self.kind == "distilbert"
        self.pre_norm = self.kind == "roberta-prelayernorm"
        self.config = config
        self.tensors = {}
        for name, value in tensors.items():
            prefix = next((prefix for prefix in PREFIXES if name.startswith(prefix)), "")
            self.tensors[name[len(prefix):]] = value
        self.heads = config["n_heads" if self.distil else "num_attention_heads"]
        self.layers = config["n_layers" if self.distil else "num_hidden_layers"]
        self.eps = 1e-12 if self.distil else config["layer_norm_eps"]
        self.smallest_z = math.inf  # of all lookups so far: how far the nearest code was from another

    def linear(self, name, x):
        return x @ self.tensors[name + ".weight"].T + self.tensors[name + ".bias"]

    def norm(self, name, x):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + self.eps)
        return scaled * self.tensors[name + ".weight"] + self.tensors[name + ".bias"]

    def embeddings(self, ids, types):
        first = self.config["pad_token_id"] + 1 if self.kind.startswith("roberta") else 0
        x = self.tensors["embeddings.word_embeddings.weight"][ids]
        x = x + self.tensors["embeddings.position_embeddings.weight"][first:first + len(ids)]
        if not self.distil:
            x = x + self.tensors["embeddings.token_type_embeddings.weight"][types]
        return self.norm("embeddings.LayerNorm", x)

    def attention(self, names, x):
        query, key, value = (self.linear(name, x).reshape(len(x), self.heads, -1).swapaxes(0, 1) for name in names)
        weights = softmax(query @ key.swapaxes(1, 2) / math.sqrt(query.shape[-1]))
        return (weights @ value).swapaxes(0, 1).reshape(len(x), -1)

    def lookup(self, name, x):
        tables, bias = self.tensors[name + ".tables"], self.tensors[name + ".hash.projection.bias"]
        weight, (h, rows, _) = self.tensors[name + ".hash.projection.weight"], tables.shape
        tau = rows.bit_length() - 1
        if weight.ndim == 2:
            z = x @ weight.T + bias
        else:
            chains, steps, blocks, size, _ = weight.shape
            padded = np.zeros((len(x), blocks * size))
            padded[:, :x.shape[1]] = x
            ends = []
            for chain in range(chains):
                y = padded
                for step in range(steps):
                    parts = y.reshape(len(x), blocks, size)
                    y = hadamard(np.einsum("nbi,boi->nbo", parts, weight[chain, step]).reshape(len(x), -1))
                ends.append(y)
            share = self.config.get("decay_coeff", 0.7)
            z = share * np.concatenate(ends, 1)[:, :h * tau] + (1 - share) * np.tile(padded, chains)[:, :h * tau] + bias
        z = z.reshape(len(x), h, tau)
        self.smallest_z = min(self.smallest_z, np.abs(z).min())
        codes = (z > 0) @ (1 << np.arange(tau)[::-1])
        scores = np.abs(z).sum(-1) * np.prod(1 / (1 + np.exp(-2 * np.abs(z))), -1)
        chosen = tables[np.arange(h), codes]
        return (scores[..., None] * chosen).sum(1) + self.tensors[name + ".bias"]

    def layer(self, i, x):
        if self.distil:
            name = f"transformer.layer.{i}."
            found = self.attention([name + f"attention.{part}_lin" for part in "qkv"], x)
            x = self.norm(name + "sa_layer_norm", x + self.linear(name + "attention.out_lin", found))
            y = self.linear(name + "ffn.lin2", gelu(self.linear(name + "ffn.lin1", x)))
            return self.norm(name + "output_layer_norm", x + y)
        name = f"encoder.layer.{i}."
        parts = [name + f"attention.self.{part}" for part in ("query", "key", "value")]
        if self.pre_norm:
            found = self.attention(parts, self.norm(name + "attention.LayerNorm", x))
            x = x + self.linear(name + "attention.output.dense", found)
            y = gelu(self.linear(name + "intermediate.dense", self.norm(name + "intermediate.LayerNorm", x)))
            return x + self.linear(name + "output.dense", y)
        found = self.linear(name + "attention.output.dense", self.attention(parts, x))
        x = self.norm(name + "attention.output.LayerNorm", x + found)
        if name + "FFN.tables" in self.tensors:
            y = self.lookup(name + "FFN", x)
        else:
            y = self.linear(name + "output.dense", gelu(self.linear(name + "intermediate.dense", x)))
        return self.norm(name + "output.LayerNorm", x + y)

    def hidden(self, ids, types=None):
        x = self.embeddings(ids, types or [0] * len(ids))
        for i in range(self.layers):
            x = self.layer(i, x)
        return self.norm("LayerNorm", x) if self.pre_norm else x

    def logits(self, hidden):
        """Of all positions from a masked language model, or of the classes."""
        words = self.tensors["embeddings.word_embeddings.weight"]
        if "lm_head.bias" in self.tensors:
            x = self.norm("lm_head.layer_norm", gelu(self.linear("lm_head.dense", hidden)))
            return x @ words.T + self.tensors["lm_head.bias"]
        if "cls.predictions.bias" in self.tensors:
            x = gelu(self.linear("cls.predictions.transform.dense", hidden))
            return self.norm("cls.predictions.transform.LayerNorm", x) @ words.T + self.tensors["cls.predictions.bias"]
        if "vocab_projector.bias" in self.tensors:
            x = self.norm("vocab_layer_norm", gelu(self.linear("vocab_transform", hidden)))
            return x @ words.T + self.tensors["vocab_projector.bias"]
        if "classifier.out_proj.weight" in self.tensors:
            return self.linear("classifier.out_proj", np.tanh(self.linear("classifier.dense", hidden[0])))
        if "pre_classifier.weight" in self.tensors:
            return self.linear("classifier", np.maximum(self.linear("pre_classifier", hidden[0]), 0))
        if "classifier.weight" in self.tensors:
            return self.linear("classifier", np.tanh(self.linear("pooler.dense", hidden[0])))
        return None


class SentenceEncoder:
    """`modules`: what modules.json lists; `parts`: the configs by path; `dense`: the tensors of a Dense module."""

    def __init__(self, encoder, modules, parts, dense):
        self.encoder, self.dense = encoder, dense
        self.steps = [(module["type"].rpartition(".")[2], parts.get(module["path"])) for module in modules[1:]]

    def embedding(self, ids):
        x = self.encoder.hidden(ids)
        for kind, config in self.steps:
            if kind == "Pooling":
                x = self.pooled(config, x)
            elif kind == "Dense":
                assert config["activation_function"].endswith(".Tanh")
                x = np.tanh(x @ self.dense["linear.weight"].T + self.dense["linear.bias"])
            else:
                assert kind == "Normalize"
                x = x / np.sqrt((x**2).sum())
        return x

    @staticmethod
    def pooled(config, x):
        if config["pooling_mode_cls_token"]:
            return x[0]
        return x.max(0) if config["pooling_mode_max_tokens"] else x.mean(0)
