# SPDX-License-Identifier: Apache-2.0
"""Writes an encoder with rotary positions as ONNX, of the operations that ONNX Runtime's own tools fuse such a model to.

Its words are int8 with one scale, as dynamic quantisation leaves them. Attention comes in two forms: "multihead" gets each
key and value once for each head of queries, and a local layer's window as a bias; "grouped" (GroupQueryAttention, causal
models alone) takes heads that share keys as they are.
"""
import math

import numpy

from onnx_model import MICROSOFT, Graph, quantised, value_info


class Builder(Graph):
    def __init__(self, shape, tensors, form, int8, made):
        super().__init__()
        self.tensors = made  # also those of another form of the same model
        self.shape, self.weights, self.form, self.int8 = shape, tensors, form, int8

    def whole(self, *numbers):
        return self.tensor("whole" + "_".join(str(n) for n in numbers), numpy.array(numbers, numpy.int64))

    def reshape(self, x, name, *dimensions):
        return self.node("Reshape", [x, self.whole(*dimensions)], name)

    def linear(self, x, weight, name):
        if not self.int8:
            return self.node("MatMul", [x, self.tensor(name + "_w", weight().T)], name)
        if name + "_w" not in self.tensors:
            integers, scale = quantised(weight().T)
            self.tensor(name + "_w", integers)
            self.tensor(name + "_s", scale)
            self.tensor(name + "_z", numpy.zeros(scale.shape, numpy.int8))
        return self.node("DynamicQuantizeMatMul", [x, name + "_w", name + "_s", name + "_z"], name, MICROSOFT)

    def named(self, x, prefix):
        return self.linear(x, lambda: self.weights[prefix + ".weight"], prefix)

    def norm_weight(self, prefix):
        values = self.weights[prefix + ".weight"]
        return self.tensor(prefix + ".weight", values + 1 if self.shape.model_type == "gemma3_text" else values)

    def norm(self, x, prefix, name):
        op = "LayerNormalization" if self.shape.model_type == "modernbert" else "SimplifiedLayerNormalization"
        return self.node(op, [x, self.norm_weight(prefix)], name, axis=-1, epsilon=self.shape.eps)

    def sum_and_norm(self, a, b, prefix, name):
        """The norm of a + b, and the sum itself."""
        op = "SkipLayerNormalization" if self.shape.model_type == "modernbert" else "SkipSimplifiedLayerNormalization"
        self.node(op, [a, b, self.norm_weight(prefix)], [name, "", "", name + "_sum"], MICROSOFT, epsilon=self.shape.eps)
        return name, name + "_sum"

    def words(self, ids, name):
        factor = math.sqrt(self.shape.d) if self.shape.model_type == "gemma3_text" else 1.0
        if not self.int8:
            return self.node("Gather", [self.tensor("words", self.weights[name] * numpy.float32(factor)), ids], "gathered")
        if "words" not in self.tensors:
            words = self.weights[name]
            scale = numpy.float32(numpy.abs(words).max() / 127)
            self.tensor("words", numpy.rint(words / scale).astype(numpy.int8))
            self.scalar("words_scale", scale * factor)
        return self.node("DequantizeLinear", [self.node("Gather", ["words", ids], "gathered8"), "words_scale"], "gathered")

    def angles(self, theta):
        """Names of cosines and sines of all positions."""
        half = self.shape.head_size // 2
        at = numpy.outer(numpy.arange(self.shape.positions), theta ** (-numpy.arange(half) / half))
        return [self.tensor(f"{part.__name__}{theta}", part(at).astype(numpy.float32)) for part in (numpy.cos, numpy.sin)]

    def window(self, ids):
        """What a local layer adds to scores."""
        length = self.node("Gather", [self.node("Shape", [ids], "shape"), self.tensor("one", numpy.array(1, numpy.int64))], "length")
        places = [self.tensor(f"step{n}", numpy.array(n, numpy.int64)) for n in (0, 1)]
        places = self.node("Range", [places[0], length, places[1]], "places")
        apart = self.node("Sub", [self.reshape(places, "rows", 1, 1, -1, 1), self.reshape(places, "columns", 1, 1, 1, -1)], "apart")
        reach = self.tensor("reach", numpy.array(self.shape.reach, numpy.int64))
        sees = self.node("LessOrEqual", [self.node("Abs", [apart], "distance"), reach], "sees")
        return self.node("Where", [sees, self.scalar("seen", 0), self.scalar("unseen", -1e9)], "window")

    def rotated(self, x, prefix, part, heads, theta):
        size = self.shape.head_size
        if self.shape.model_type != "modernbert":
            apart = self.reshape(x, f"{prefix}{part}_heads", 0, 0, heads, size)
            normed = self.norm(apart, f"{prefix}self_attn.{part}_norm", f"{prefix}{part}_normed")
            x = self.reshape(normed, f"{prefix}{part}_joined", 0, 0, heads * size)
        if self.form == "grouped":
            return x
        return self.node("RotaryEmbedding", [x, self.whole(0), *self.angles(theta)], f"{prefix}{part}_turned", MICROSOFT)

    def for_each_head(self, x, name):
        shape = self.shape
        times = shape.heads // shape.key_heads
        if times == 1:
            return x
        x = self.reshape(x, name + "_apart", 0, 0, shape.key_heads, 1, shape.head_size)
        x = self.node("Expand", [x, self.whole(1, 1, 1, times, 1)], name + "_times")
        return self.reshape(x, name + "_all", 0, 0, shape.queries)

    def attention(self, x, layer, window):
        shape, prefix, local = self.shape, f"layers.{layer}.", self.shape.is_local(layer)
        theta = shape.local_theta if local else shape.theta
        if shape.model_type == "modernbert":
            parts = [prefix + part for part in "qkv"]
            joined = self.named(x, prefix + "attn.Wqkv")
            self.node("Split", [joined, self.whole(*[shape.queries] * 3)], parts, axis=-1)
            out = prefix + "attn.Wo"
        else:
            parts = [self.named(x, f"{prefix}self_attn.{part}_proj") for part in "qkv"]
            out = prefix + "self_attn.o_proj"
        q, k = (self.rotated(x, prefix, part, heads, theta)
                for x, part, heads in zip(parts, "qk", (shape.heads, shape.key_heads)))
        name, scale = prefix + "attended", shape.head_size ** -0.5
        if self.form == "grouped":
            inputs = [q, k, parts[2], self.past, self.past, self.lengths, self.total, *self.angles(theta)]
            outputs = [name, name + "_keys", name + "_values"]
            self.node("GroupQueryAttention", inputs, outputs, MICROSOFT, num_heads=shape.heads, kv_num_heads=shape.key_heads,
                      do_rotary=1, scale=scale)
            return self.named(name, out)
        k, v = self.for_each_head(k, prefix + "k"), self.for_each_head(parts[2], prefix + "v")
        inputs = [q, k, v] + (["", "", window] if local else [])
        causal = int(shape.model_type == "qwen3")
        self.node("MultiHeadAttention", inputs, name, MICROSOFT, num_heads=shape.heads, scale=scale, unidirectional=causal)
        return self.named(name, out)

    def activated(self, x, name):
        if self.shape.activation == "silu":
            return self.node("QuickGelu", [x], name, MICROSOFT, alpha=1.0)
        return self.node("Gelu" if self.shape.activation == "gelu" else "FastGelu", [x], name, MICROSOFT)

    def gated(self, x, layer):
        prefix = f"layers.{layer}.mlp."
        if self.shape.model_type == "modernbert":
            halves = [prefix + "first", prefix + "second"]
            self.node("Split", [self.named(x, prefix + "Wi"), self.whole(self.shape.inner, self.shape.inner)], halves, axis=-1)
            down = prefix + "Wo"
        else:
            halves = [self.named(x, prefix + "gate_proj"), self.named(x, prefix + "up_proj")]
            down = prefix + "down_proj"
        return self.named(self.node("Mul", [self.activated(halves[0], prefix + "active"), halves[1]], prefix + "product"), down)

    def prepare_grouped(self, ids):
        """What GroupQueryAttention wants to know: no keys before, and each text's last position."""
        shape = self.node("Shape", [ids], "shape")
        texts, length = (self.node("Slice", [shape, self.whole(n), self.whole(n + 1)], f"dimension{n}") for n in (0, 1))
        empty = self.whole(self.shape.key_heads), self.whole(0), self.whole(self.shape.head_size)
        past = self.node("Concat", [texts, *empty], "past_shape", axis=0)
        self.past = self.node("ConstantOfShape", [past], "past")
        last = self.node("Cast", [self.node("Sub", [length, self.whole(1)], "last"), ], "last32", to=6)
        self.lengths = self.node("Expand", [last, texts], "lengths")
        self.total = self.node("Cast", [length], "total32", to=6)

    def encoder(self, ids):
        shape = self.shape
        gemma, modern = shape.model_type == "gemma3_text", shape.model_type == "modernbert"
        window = self.window(ids) if shape.reach > 0 else None
        if self.form == "grouped":
            self.prepare_grouped(ids)
        x = self.words(ids, "embeddings.tok_embeddings.weight" if modern else "embed_tokens.weight")
        if modern:
            x = normed = self.norm(x, "embeddings.norm", "embedded")
        else:
            normed = self.norm(x, "layers.0.input_layernorm", "normed0")
        for i in range(shape.layers):
            prefix, last = f"layers.{i}.", i + 1 == shape.layers
            if gemma:
                before_ffn, final = "pre_feedforward_layernorm", "norm"
            else:
                before_ffn, final = ("mlp_norm", "final_norm") if modern else ("post_attention_layernorm", "norm")
            following = final if last else f"layers.{i + 1}." + ("attn_norm" if modern else "input_layernorm")
            result = self.attention(normed, i, window)
            if gemma:
                result = self.norm(result, prefix + "post_attention_layernorm", prefix + "attention_result")
            normed, x = self.sum_and_norm(x, result, prefix + before_ffn, prefix + "middle")
            result = self.gated(normed, i)
            if gemma:
                result = self.norm(result, prefix + "post_feedforward_layernorm", prefix + "ffn_result")
            normed, x = self.sum_and_norm(x, result, following, "y" if last else prefix + "out")


def write_onnx(path, shape, tensors, form, int8, made):
    """made: {} at first, then what the other forms of the same model and type have made."""
    graph = Builder(shape, tensors, form, int8, made)
    graph.encoder("x")
    graph.write(path, [value_info("x", "int64", ["texts", "length"])], [value_info("y", "float32", ["texts", "length", shape.d])])
