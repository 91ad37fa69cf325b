# SPDX-License-Identifier: Apache-2.0
"""Encoders of Hugging Face's families in float64 with numpy: simple and slow, to compute what small folders expect.

make_small_folders.py compares it with what transformers and sentence-transformers computed before it trusts it.
"""
import json
import math
import struct

import numpy as np

_erf = np.frompyfunc(math.erf, 1, 1)
PREFIXES = ("bert.", "roberta.", "roberta_prelayernorm.", "distilbert.", "mpnet.", "electra.", "deberta.")


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
        self.xl = self.kind == "xlm-roberta-xl"
        self.pre_norm = self.kind == "roberta-prelayernorm" or self.xl
        self.config = config
        self.tensors = {}
        for name, value in tensors.items():
            prefix = next((prefix for prefix in PREFIXES if name.startswith(prefix)), "")
            self.tensors[name[len(prefix):]] = value
        self.heads = config["n_heads" if self.distil else "num_attention_heads"]
        self.layers = config["n_layers" if self.distil else "num_hidden_layers"]
        self.parts = {"mpnet": ["attention.attn." + part for part in "qkv"],
                      "deberta-v2": [f"attention.self.{part}_proj" for part in ("query", "key", "value")]}.get(
                          self.kind, ["attention.self." + part for part in ("query", "key", "value")])
        self.eps = 1e-12 if self.distil else config["layer_norm_eps"]
        self.smallest_z = math.inf  # of all lookups so far: how far the nearest code was from another

    def linear(self, name, x):
        return x @ self.tensors[name + ".weight"].T + self.tensors[name + ".bias"]

    def norm(self, name, x):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + self.eps)
        return scaled * self.tensors[name + ".weight"] + self.tensors[name + ".bias"]

    def embeddings(self, ids, types):
        first = self.config["pad_token_id"] + 1 if self.kind.startswith(("roberta", "mpnet", "xlm-roberta")) else 0
        x = self.tensors["embeddings.word_embeddings.weight"][ids]
        if "embeddings.position_embeddings.weight" in self.tensors:
            x = x + self.tensors["embeddings.position_embeddings.weight"][first:first + len(ids)]
        if "embeddings.token_type_embeddings.weight" in self.tensors:
            x = x + self.tensors["embeddings.token_type_embeddings.weight"][types]
        if "embeddings.embed_proj.weight" in self.tensors:
            x = x @ self.tensors["embeddings.embed_proj.weight"].T
        x = x if self.xl else self.norm("embeddings.LayerNorm", x)
        return self.linear("embeddings_project", x) if "embeddings_project.weight" in self.tensors else x

    def in_heads(self, name, x):
        return self.linear(name, x).reshape(len(x), self.heads, -1).swapaxes(0, 1)

    def attention(self, names, x):
        query, key, value = (self.in_heads(name, x) for name in names)
        scores, terms = query @ key.swapaxes(1, 2), 1
        if self.kind == "deberta-v2":  # counted whether they are used or not
            terms += sum(kind in self.config["pos_att_type"] for kind in ("c2p", "p2c"))
        if self.kind == "deberta-v2" and self.config["relative_attention"]:
            chosen = self.places(len(x))[None]
            vectors = self.tensors["encoder.rel_embeddings.weight"]
            if self.config["norm_rel_ebd"] == "layer_norm":
                vectors = self.norm("encoder.LayerNorm", vectors)
            for kind, content, own, other in (("c2p", query, "pos_key_proj", names[1]),
                                              ("p2c", key, "pos_query_proj", names[0])):
                if kind not in self.config["pos_att_type"]:
                    continue
                name = other if self.config["share_att_key"] else names[0].rpartition(".")[0] + "." + own
                with_places = content @ self.in_heads(name, vectors).swapaxes(1, 2)
                index = chosen if kind == "c2p" else chosen.swapaxes(1, 2)  # the row of keys: key, then query
                found = np.take_along_axis(with_places, np.broadcast_to(index, scores.shape), 2)
                scores = scores + (found if kind == "c2p" else found.swapaxes(1, 2))
        scores = scores / math.sqrt(query.shape[-1] * terms)
        if self.kind == "mpnet":
            scores = scores + self.bucket_numbers(len(x))
        return (softmax(scores) @ value).swapaxes(0, 1).reshape(len(x), -1)

    def bucket_numbers(self, length):
        """MPNet's number for each head, query and key."""
        distance = np.arange(length)[:, None] - np.arange(length)[None]  # of a key before the query it is positive
        far = 8 + np.floor(2 * np.log2(np.maximum(np.abs(distance), 8) / 8) + 1e-9).astype(int)
        bucket = np.where(np.abs(distance) < 8, np.abs(distance), np.minimum(far, 15)) + 16 * (distance < 0)
        return self.tensors["encoder.relative_attention_bias.weight"][bucket].transpose(2, 0, 1)

    def places(self, length):
        """DeBERTa's row of the table of vectors for each query and key."""
        buckets, longest = self.config["position_buckets"], self.config["max_relative_positions"]
        longest = longest if longest > 0 else self.config["max_position_embeddings"]
        distance = np.arange(length)[:, None] - np.arange(length)[None]
        span = longest
        if buckets > 0:
            span, middle = buckets, buckets // 2
            far = np.log(np.maximum(np.abs(distance), middle) / middle) / math.log((longest - 1) / middle)
            far = np.ceil(far * (middle - 1) - 1e-9).astype(int) + middle
            distance = np.where(np.abs(distance) <= middle, distance, np.sign(distance) * far)
        return np.clip(distance + span, 0, 2 * span - 1)

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
        parts = [name + part for part in self.parts]
        if self.pre_norm:
            norms = ("attention.self_attn_layer_norm", "LayerNorm") if self.xl else (
                "attention.LayerNorm", "intermediate.LayerNorm")
            found = self.attention(parts, self.norm(name + norms[0], x))
            x = x + self.linear(name + "attention.output.dense", found)
            y = gelu(self.linear(name + "intermediate.dense", self.norm(name + norms[1], x)))
            return x + self.linear(name + "output.dense", y)
        mpnet = self.kind == "mpnet"
        found = self.linear(name + ("attention.attn.o" if mpnet else "attention.output.dense"), self.attention(parts, x))
        x = self.norm(name + ("attention.LayerNorm" if mpnet else "attention.output.LayerNorm"), x + found)
        if name + "FFN.tables" in self.tensors:
            y = self.lookup(name + "FFN", x)
        else:
            y = self.linear(name + "output.dense", gelu(self.linear(name + "intermediate.dense", x)))
        return self.norm(name + "output.LayerNorm", x + y)

    def hidden(self, ids, types=None):
        x = self.embeddings(ids, types or [0] * len(ids))
        for i in range(self.layers):
            x = self.layer(i, x)
        return self.norm("encoder.LayerNorm" if self.xl else "LayerNorm", x) if self.pre_norm else x

    def logits(self, hidden):
        """Of all positions from a masked language model, or of the classes."""
        words = self.tensors["embeddings.word_embeddings.weight"]
        if "lm_head.bias" in self.tensors:
            x = self.norm("lm_head.layer_norm", gelu(self.linear("lm_head.dense", hidden)))
            return x @ words.T + self.tensors["lm_head.bias"]
        if "cls.predictions.bias" in self.tensors:
            x = gelu(self.linear("cls.predictions.transform.dense", hidden))
            return self.norm("cls.predictions.transform.LayerNorm", x) @ words.T + self.tensors["cls.predictions.bias"]
        if "lm_predictions.lm_head.bias" in self.tensors:
            x = gelu(self.linear("lm_predictions.lm_head.dense", hidden))
            x = self.norm("lm_predictions.lm_head.LayerNorm", x)
            return x @ words.T + self.tensors["lm_predictions.lm_head.bias"]
        if "generator_lm_head.bias" in self.tensors:
            x = self.norm("generator_predictions.LayerNorm", gelu(self.linear("generator_predictions.dense", hidden)))
            return x @ words.T + self.tensors["generator_lm_head.bias"]
        if "vocab_projector.bias" in self.tensors:
            x = self.norm("vocab_layer_norm", gelu(self.linear("vocab_transform", hidden)))
            return x @ words.T + self.tensors["vocab_projector.bias"]
        if "qa_outputs.weight" in self.tensors:  # of each token, as are the next
            return self.linear("qa_outputs", hidden)
        if self.config["architectures"][0].endswith("ForTokenClassification"):
            return self.linear("classifier", hidden)
        if "classifier.out_proj.weight" in self.tensors:
            activation = gelu if self.kind == "electra" else np.tanh
            return self.linear("classifier.out_proj", activation(self.linear("classifier.dense", hidden[0])))
        if "pre_classifier.weight" in self.tensors:
            return self.linear("classifier", np.maximum(self.linear("pre_classifier", hidden[0]), 0))
        if "classifier.weight" in self.tensors:
            activation = gelu if self.kind == "deberta-v2" else np.tanh
            return self.linear("classifier", activation(self.linear("pooler.dense", hidden[0])))
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
