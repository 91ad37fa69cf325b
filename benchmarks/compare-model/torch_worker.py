"""Runs the vanilla model in PyTorch for the comparison, in a process of its own that takes the commands of worker.cc.

usage: torch_worker.py eager|fast MODEL.safetensors IDS THREADS

"eager" is the model as one would write it; "fast" is nn.TransformerEncoder, whose layers PyTorch runs as one operation
each in inference mode.
"""
import json
import math
import sys
import time

import numpy
import torch
from torch import nn
from torch.nn.functional import gelu, layer_norm, linear

EPS = 1e-5


def read_safetensors(path):
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    header.pop("__metadata__")
    data = numpy.memmap(path, dtype=numpy.uint8, mode="r", offset=8 + size)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = torch.from_numpy(data[begin:end].view(numpy.float32).reshape(entry["shape"]).copy())
    return tensors


class Weights:
    def __init__(self, tensors, prefix=""):
        self.tensors, self.prefix = tensors, prefix

    def under(self, prefix):
        return Weights(self.tensors, self.prefix + prefix)

    def pair(self, name):
        return self[name + ".weight"], self[name + ".bias"]

    def __getitem__(self, name):
        return self.tensors[self.prefix + name]


def embed(weights, ids):
    tables = weights.under("embeddings.")
    d = tables["word_embeddings.weight"].shape[1]
    positions = tables["position_embeddings.weight"][2:ids.shape[1] + 2] + tables["token_type_embeddings.weight"][0]
    return layer_norm(tables["word_embeddings.weight"][ids] + positions, (d,), *tables.pair("LayerNorm"), EPS)


class Eager:
    def __init__(self, weights, layers, heads):
        self.weights, self.heads = weights, heads
        self.layers = [weights.under(f"encoder.layer.{i}.") for i in range(layers)]
        self.projections = [
            [torch.cat([layer["attention." + part + kind] for part in ("query.", "key.", "value.")]) for kind in ("weight", "bias")]
            for layer in self.layers]

    def __call__(self, ids):
        x = embed(self.weights, ids)
        texts, length, d = x.shape
        for layer, projection in zip(self.layers, self.projections):
            normed = layer_norm(x, (d,), *layer.pair("attention.LayerNorm"), EPS)
            q, k, v = linear(normed, *projection).view(texts, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            scores = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), -1)
            x = x + linear((scores @ v).transpose(1, 2).reshape(texts, length, d), *layer.pair("attention.dense"))
            inside = gelu(linear(layer_norm(x, (d,), *layer.pair("FFN.0"), EPS), *layer.pair("FFN.1")))
            x = x + linear(inside, *layer.pair("FFN.3"))
        return layer_norm(x, (d,), *self.weights.pair("encoder.LayerNorm"), EPS)


class Fast:
    def __init__(self, weights, layers, heads):
        self.weights = weights
        first = weights.under("encoder.layer.0.")
        d, inner = first["FFN.3.weight"].shape
        layer = nn.TransformerEncoderLayer(d, heads, inner, 0.0, gelu, EPS, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(d, EPS), enable_nested_tensor=False).eval()
        state = {}
        for name, pair in (("norm", weights.pair("encoder.LayerNorm")),):
            state[name + ".weight"], state[name + ".bias"] = pair
        for i in range(layers):
            ours, theirs = weights.under(f"encoder.layer.{i}."), f"layers.{i}."
            for kind in ("weight", "bias"):
                parts = [ours["attention." + part + kind] for part in ("query.", "key.", "value.")]
                state[theirs + "self_attn.in_proj_" + kind] = torch.cat(parts)
                for their_name, our_name in (("self_attn.out_proj.", "attention.dense."), ("norm1.", "attention.LayerNorm."),
                                             ("norm2.", "FFN.0."), ("linear1.", "FFN.1."), ("linear2.", "FFN.3.")):
                    state[theirs + their_name + kind] = ours[our_name + kind]
        self.encoder.load_state_dict(state)

    def __call__(self, ids):
        return self.encoder(embed(self.weights, ids))


def main():
    kind, model_file, ids_file, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    weights = Weights(read_safetensors(model_file))
    layers = sum(name.endswith("attention.LayerNorm.weight") for name in weights.tensors)
    model = {"eager": Eager, "fast": Fast}[kind](weights, layers, 8)
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
