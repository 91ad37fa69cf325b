# SPDX-License-Identifier: Apache-2.0
"""Writes the vanilla model as an ONNX file (a protobuf message) by hand, so that no ONNX package is needed.

The graph is what ONNX Runtime's own tools make of an exported model: fused attention, layer norms that take the sum
before them along, and in int8 dynamic quantisation with a scale for each output on 7 bits, so that AVX2's saturating
products cannot saturate ("reduce_range"). Attention comes in two forms: "attention" is one operation with the weights of
queries, keys and values inside (Attention, QAttention); "multihead" has them before it (MultiHeadAttention).
"""
import struct

import numpy

MICROSOFT = "com.microsoft"
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def integer(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def attribute(name, value):
    if isinstance(value, float):
        return message(5, message(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + integer(20, 1))
    return message(5, message(1, name) + integer(3, value & (1 << 64) - 1) + integer(20, 2))


def value_info(name, kind, dimensions):
    shape = b"".join(message(1, message(2, n) if isinstance(n, str) else integer(1, n)) for n in dimensions)
    return message(1, name) + message(2, message(1, integer(1, TYPES[kind]) + message(2, shape)))


class Graph:
    def __init__(self):
        self.nodes, self.tensors = [], {}

    def node(self, op, inputs, output, domain="", **attributes):
        outputs = [output] if isinstance(output, str) else output
        parts = [message(1, name) for name in inputs] + [message(2, name) for name in outputs]
        parts += [message(3, outputs[0] + "_node"), message(4, op), message(7, domain)]
        self.nodes.append(b"".join(parts + [attribute(name, value) for name, value in attributes.items()]))
        return output

    def tensor(self, name, values):
        values = numpy.ascontiguousarray(values)
        parts = [integer(1, n) for n in values.shape] + [integer(2, TYPES[str(values.dtype)]), message(8, name)]
        self.tensors[name] = b"".join(parts) + message(9, values.tobytes())
        return name

    def scalar(self, name, value):
        return self.tensor(name, numpy.array(value, numpy.float32))

    def write(self, path, inputs, outputs):
        """A graph's weights go into the file one by one: they may take most of the memory."""
        parts = [message(1, node) for node in self.nodes] + [message(2, "encoder")]
        parts += [message(11, i) for i in inputs] + [message(12, o) for o in outputs]
        heads = {name: varint(5 << 3 | 2) + varint(len(tensor)) for name, tensor in self.tensors.items()}
        size = sum(map(len, parts)) + sum(len(heads[name]) + len(tensor) for name, tensor in self.tensors.items())
        versions = [message(8, message(1, domain) + integer(2, version)) for domain, version in (("", 17), (MICROSOFT, 1))]
        with open(path, "wb") as file:
            file.write(integer(1, 8) + varint(7 << 3 | 2) + varint(size) + b"".join(parts))
            for name, tensor in self.tensors.items():
                file.write(heads[name])
                file.write(tensor)
            file.write(b"".join(versions))


def quantised(weight):
    """int8 on 7 bits, with a scale for each column: with a single one a real model's outputs are off by half their size."""
    scale = (numpy.abs(weight).max(axis=0) / 64).astype(numpy.float32)
    return numpy.rint(weight / scale).astype(numpy.int8), scale


class Builder(Graph):
    def __init__(self, sizes, tensors, form, int8):
        super().__init__()
        self.sizes, self.weights, self.form, self.int8 = sizes, tensors, form, int8

    def int8_weight(self, weight, name):
        integers, scale = quantised(weight)
        zero = numpy.zeros(scale.shape, numpy.int8)
        return self.tensor(name + "_w", integers), self.tensor(name + "_w_scale", scale), self.tensor(name + "_w_zero", zero)

    def linear(self, x, weight, bias, name):
        if not self.int8:
            product = self.node("MatMul", [x, self.tensor(name + "_w", weight)], name + "_product")
            return self.node("Add", [product, self.tensor(name + "_b", bias)], name)
        inputs = [x, *self.int8_weight(weight, name), self.tensor(name + "_b", bias)]
        return self.node("DynamicQuantizeMatMul", inputs, name, MICROSOFT)

    def named_linear(self, x, prefix):
        return self.linear(x, self.weights[prefix + ".weight"].T, self.weights[prefix + ".bias"], prefix)

    def norm_weights(self, prefix):
        return [self.tensor(f"{prefix}.{part}", self.weights[f"{prefix}.{part}"]) for part in ("weight", "bias")]

    def norm(self, x, prefix, name):
        return self.node("LayerNormalization", [x] + self.norm_weights(prefix), name, axis=-1, epsilon=self.sizes.eps)

    def sum_and_norm(self, a, b, prefix, name):
        """The layer norm of a + b, and the sum itself."""
        outputs = [name, "", "", name + "_sum"]
        self.node("SkipLayerNormalization", [a, b] + self.norm_weights(prefix), outputs, MICROSOFT, epsilon=self.sizes.eps)
        return name, name + "_sum"

    def gelu(self, x, name):
        """As PyTorch's exporter writes it; ONNX Runtime makes one operation of it."""
        scaled = self.node("Div", [x, self.scalar("sqrt2", 2 ** 0.5)], name + "_scaled")
        total = self.node("Add", [self.node("Erf", [scaled], name + "_erf"), self.scalar("one", 1)], name + "_sum")
        return self.node("Mul", [self.node("Mul", [x, total], name + "_product"), self.scalar("half", 0.5)], name)

    def embeddings(self, ids):
        words = self.tensor("words", self.weights["embeddings.word_embeddings.weight"])
        table = (self.weights["embeddings.position_embeddings.weight"][self.sizes.first_position:]
                 + self.weights["embeddings.token_type_embeddings.weight"][0])
        zero, one = (self.tensor(f"index{n}", numpy.array([n], numpy.int64)) for n in (0, 1))
        length = self.node("Slice", [self.node("Shape", [ids], "shape"), one, self.tensor("index2", numpy.array([2], numpy.int64))],
                           "length")
        positions = self.node("Slice", [self.tensor("position_table", table), zero, length], "positions")
        total = self.node("Add", [self.node("Gather", [words, ids], "gathered"), positions], "embedded")
        return self.norm(total, "embeddings.LayerNorm", "hidden0")

    def attention(self, x, prefix):
        parts = [prefix + part for part in ("query", "key", "value")]
        name, heads = prefix + "attended", {"num_heads": self.sizes.heads}
        if self.form == "multihead":
            return self.node("MultiHeadAttention", [self.named_linear(x, part) for part in parts], name, MICROSOFT, **heads)
        weight = numpy.concatenate([self.weights[part + ".weight"].T for part in parts], axis=1)
        bias = numpy.concatenate([self.weights[part + ".bias"] for part in parts])
        if not self.int8:
            inputs = [x, self.tensor(name + "_w", weight), self.tensor(name + "_b", bias)]
            return self.node("Attention", inputs, name, MICROSOFT, **heads)
        integers, scale, zero = [name + end for end in ("_x", "_x_scale", "_x_zero")]
        self.node("DynamicQuantizeLinear", [x], [integers, scale, zero])
        weights, weight_scale, weight_zero = self.int8_weight(weight, name)
        inputs = [integers, weights, self.tensor(name + "_b", bias), scale, weight_scale, "", zero, weight_zero]
        return self.node("QAttention", inputs, name, MICROSOFT, **heads)

    def attention_out(self, x, prefix):
        return self.named_linear(self.attention(x, prefix + "attention."), prefix + "attention.dense")

    def ffn(self, x, prefix):
        return self.named_linear(self.gelu(self.named_linear(x, prefix + "FFN.1"), prefix + "gelu"), prefix + "FFN.3")

    def post_norm_encoder(self, x):
        for i in range(self.sizes.layers):
            prefix = f"encoder.layer.{i}."
            out = "y" if i + 1 == self.sizes.layers else prefix + "out"
            x, _ = self.sum_and_norm(x, self.attention_out(x, prefix), prefix + "attention.LayerNorm", prefix + "middle")
            x, _ = self.sum_and_norm(x, self.ffn(x, prefix), prefix + "FFN.0", out)

    def pre_norm_encoder(self, x):
        normed = self.norm(x, "encoder.layer.0.attention.LayerNorm", "normed")
        for i in range(self.sizes.layers):
            prefix, last = f"encoder.layer.{i}.", i + 1 == self.sizes.layers
            after, name = ("encoder.LayerNorm", "y") if last else (f"encoder.layer.{i + 1}.attention.LayerNorm", prefix + "out")
            normed, x = self.sum_and_norm(x, self.attention_out(normed, prefix), prefix + "FFN.0", prefix + "middle")
            normed, x = self.sum_and_norm(x, self.ffn(normed, prefix), after, name)


def write_onnx(path, sizes, tensors, form, int8):
    graph = Builder(sizes, tensors, form, int8)
    x = graph.embeddings("x")
    if sizes.post_norm:
        graph.post_norm_encoder(x)
    else:
        graph.pre_norm_encoder(x)
    graph.write(path, [value_info("x", "int64", ["texts", "length"])], [value_info("y", "float32", ["texts", "length", sizes.d])])
