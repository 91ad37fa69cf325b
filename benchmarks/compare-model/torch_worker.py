# SPDX-License-Identifier: Apache-2.0
"""Runs the vanilla model in PyTorch for the comparison, in a process of its own that takes the commands of worker.cc.

usage: torch_worker.py eager|fast MODEL.npz IDS THREADS

"eager" is the model as one would write it; "fast" is nn.TransformerEncoder, whose layers PyTorch runs as one operation
each in inference mode.
"""
import math
import sys
import time

import numpy
import torch
from torch import nn
from torch.nn.functional import gelu, layer_norm, linear

from weights import read_arrays


class Weights:
    def __init__(self, tensors, prefix=""):
        self.tensors, self.prefix = tensors, prefix

    def under(self, prefix):
        return Weights(self.tensors, self.prefix + prefix)

    def pair(self, name):
        return self[name + ".weight"], self[name + ".bias"]

    def __getitem__(self, name):
        return self.tensors[self.prefix + name]


def embed(weights, sizes, ids):
    tables = weights.under("embeddings.")
    first = sizes.first_position
    positions = tables["position_embeddings.weight"][first:ids.shape[1] + first] + tables["token_type_embeddings.weight"][0]
    return layer_norm(tables["word_embeddings.weight"][ids] + positions, (sizes.d,), *tables.pair("LayerNorm"), sizes.eps)


class Eager:
    def __init__(self, weights, sizes):
        self.weights, self.sizes = weights, sizes
        self.layers = [weights.under(f"encoder.layer.{i}.") for i in range(sizes.layers)]
        self.projections = [
            [torch.cat([layer["attention." + part + kind] for part in ("query.", "key.", "value.")]) for kind in ("weight", "bias")]
            for layer in self.layers]

    def attention(self, x, layer, projection):
        texts, length, d = x.shape
        q, k, v = linear(x, *projection).view(texts, length, 3, self.sizes.heads, -1).permute(2, 0, 3, 1, 4)
        scores = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), -1)
        return linear((scores @ v).transpose(1, 2).reshape(texts, length, d), *layer.pair("attention.dense"))

    def ffn(self, x, layer):
        return linear(gelu(linear(x, *layer.pair("FFN.1"))), *layer.pair("FFN.3"))

    def norm(self, x, pair):
        return layer_norm(x, (self.sizes.d,), *pair, self.sizes.eps)

    def __call__(self, ids):
        x = embed(self.weights, self.sizes, ids)
        for layer, projection in zip(self.layers, self.projections):
            norms = layer.pair("attention.LayerNorm"), layer.pair("FFN.0")
            if self.sizes.post_norm:
                x = self.norm(x + self.attention(x, layer, projection), norms[0])
                x = self.norm(x + self.ffn(x, layer), norms[1])
            else:
                x = x + self.attention(self.norm(x, norms[0]), layer, projection)
                x = x + self.ffn(self.norm(x, norms[1]), layer)
        return x if self.sizes.post_norm else self.norm(x, self.weights.pair("encoder.LayerNorm"))


class Fast:
    def __init__(self, weights, sizes):
        self.weights, self.sizes = weights, sizes
        layer = nn.TransformerEncoderLayer(sizes.d, sizes.heads, sizes.inner, 0.0, gelu, sizes.eps, batch_first=True,
                                           norm_first=not sizes.post_norm)
        last = None if sizes.post_norm else nn.LayerNorm(sizes.d, sizes.eps)
        self.encoder = nn.TransformerEncoder(layer, sizes.layers, last, enable_nested_tensor=False).eval()
        state = {}
        if last is not None:
            state["norm.weight"], state["norm.bias"] = weights.pair("encoder.LayerNorm")
        for i in range(sizes.layers):
            ours, theirs = weights.under(f"encoder.layer.{i}."), f"layers.{i}."
            for kind in ("weight", "bias"):
                parts = [ours["attention." + part + kind] for part in ("query.", "key.", "value.")]
                state[theirs + "self_attn.in_proj_" + kind] = torch.cat(parts)
                for their_name, our_name in (("self_attn.out_proj.", "attention.dense."), ("norm1.", "attention.LayerNorm."),
                                             ("norm2.", "FFN.0."), ("linear1.", "FFN.1."), ("linear2.", "FFN.3.")):
                    state[theirs + their_name + kind] = ours[our_name + kind]
        self.encoder.load_state_dict(state)

    def __call__(self, ids):
        return self.encoder(embed(self.weights, self.sizes, ids))


def main():
    form, model_file, ids_file, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    sizes, arrays = read_arrays(model_file)
    model = {"eager": Eager, "fast": Fast}[form](Weights({name: torch.from_numpy(a) for name, a in arrays.items()}), sizes)
    pool = torch.from_numpy(numpy.fromfile(ids_file, dtype=numpy.int32)).long()

    def answer(command, *words):
        if command == "version":
            return torch.__version__
        if command == "stages":
            return ""
        texts, length = int(words[0]), int(words[1])
        slots = len(pool) // (texts * length)
        batches = pool[:slots * texts * length].view(slots, texts, length)
        if command == "hidden":
            model(batches[0]).numpy().tofile(words[2])
            return "done"
        first, calls = int(words[2]), int(words[3])
        start = time.perf_counter()
        for i in range(first, first + calls):
            model(batches[i % slots])
        return repr(time.perf_counter() - start)

    with torch.inference_mode():
        for line in sys.stdin:
            print(answer(*line.split()), flush=True)


main()
