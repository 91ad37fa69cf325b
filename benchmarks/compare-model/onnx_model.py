"""Writes the vanilla model as an ONNX file (a protobuf message) by hand, so that no ONNX package is needed.

The graph is what ONNX Runtime's own tools make of an exported model: fused attention, and in int8 dynamic quantisation
with a scale for each output on 7 bits, so that AVX2's saturating products cannot saturate ("reduce_range").
"""
import struct

import numpy

import weights as sizes

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
        graph = b"".join(message(1, node) for node in self.nodes) + message(2, "roberta")
        graph += b"".join(message(5, tensor) for tensor in self.tensors.values())
        graph += b"".join(message(11, i) for i in inputs) + b"".join(message(12, o) for o in outputs)
        versions = [message(8, message(1, domain) + integer(2, version)) for domain, version in (("", 17), (MICROSOFT, 1))]
        with open(path, "wb") as file:
            file.write(integer(1, 8) + message(7, graph) + b"".join(versions))


def quantised(weight):
    """int8 on 7 bits, with a scale for each column."""
    scale = (numpy.abs(weight).max(axis=0) / 64).astype(numpy.float32)
    return numpy.rint(weight / scale).astype(numpy.int8), scale


class Builder(Graph):
    def __init__(self, tensors, int8):
        super().__init__()
        self.weights, self.int8 = tensors, int8

    def linear(self, x, weight, bias, name):
        if not self.int8:
            product = self.node("MatMul", [x, self.tensor(name + "_w", weight)], name + "_product")
            return self.node("Add", [product, self.tensor(name + "_b", bias)], name)
        return self.node("DynamicQuantizeMatMul", [x] + self.int8_weight(weight, name) + [self.tensor(name + "_b", bias)],
                         name, MICROSOFT)

    def int8_weight(self, weight, name):
        integers, scale = quantised(weight)
        return [self.tensor(name + "_w", integers), self.tensor(name + "_scale", scale),
                self.tensor(name + "_zero", numpy.zeros_like(scale, numpy.int8))]

    def named_linear(self, x, prefix):
        return self.linear(x, self.weights[prefix + ".weight"].T, self.weights[prefix + ".bias"], prefix)

    def norm(self, x, prefix, name):
        parts = [self.tensor(prefix + "." + part, self.weights[prefix + "." + part]) for part in ("weight", "bias")]
        return self.node("LayerNormalization", [x] + parts, name, axis=-1, epsilon=1e-5)

    def gelu(self, x, name):
        """As PyTorch's exporter writes it; ONNX Runtime makes one operation of it."""
        scaled = self.node("Div", [x, self.scalar("sqrt2", 2 ** 0.5)], name + "_scaled")
        total = self.node("Add", [self.node("Erf", [scaled], name + "_erf"), self.scalar("one", 1)], name + "_sum")
        return self.node("Mul", [self.node("Mul", [x, total], name + "_product"), self.scalar("half", 0.5)], name)

    def embeddings(self, ids):
        words = self.tensor("words", self.weights["embeddings.word_embeddings.weight"])
        table = self.weights["embeddings.position_embeddings.weight"][2:] + self.weights["embeddings.token_type_embeddings.weight"]
        zero, one = (self.tensor(f"index{n}", numpy.array([n], numpy.int64)) for n in (0, 1))
        length = self.node("Slice", [self.node("Shape", [ids], "shape"), one, self.tensor("index2", numpy.array([2], numpy.int64))],
                           "length")
        positions = self.node("Slice", [self.tensor("position_table", table), zero, length], "positions")
        total = self.node("Add", [self.node("Gather", [words, ids], "gathered"), positions], "embedded")
        return self.norm(total, "embeddings.LayerNorm", "hidden0")

    def attention(self, x, prefix):
        parts = [prefix + part for part in ("query", "key", "value")]
        weight = numpy.concatenate([self.weights[part + ".weight"].T for part in parts], axis=1)
        bias = numpy.concatenate([self.weights[part + ".bias"] for part in parts])
        name = prefix + "attended"
        if not self.int8:
            inputs = [x, self.tensor(name + "_w", weight), self.tensor(name + "_b", bias)]
            return self.node("Attention", inputs, name, MICROSOFT, num_heads=sizes.HEADS)
        integers, scale, zero = [name + end for end in ("_x", "_x_scale", "_x_zero")]
        self.node("DynamicQuantizeLinear", [x], [integers, scale, zero])
        weights, weight_scale, weight_zero = self.int8_weight(weight, name)
        inputs = [integers, weights, self.tensor(name + "_b", bias), scale, weight_scale, "", zero, weight_zero]
        return self.node("QAttention", inputs, name, MICROSOFT, num_heads=sizes.HEADS)

    def layer(self, x, i):
        prefix = f"encoder.layer.{i}."
        normed = self.norm(x, prefix + "attention.LayerNorm", prefix + "normed")
        out = self.named_linear(self.attention(normed, prefix + "attention."), prefix + "attention.dense")
        x = self.node("Add", [x, out], prefix + "attention_sum")
        inside = self.named_linear(self.norm(x, prefix + "FFN.0", prefix + "FFN_normed"), prefix + "FFN.1")
        out = self.named_linear(self.gelu(inside, prefix + "gelu"), prefix + "FFN.3")
        return self.node("Add", [x, out], f"hidden{i + 1}")


def write_onnx(path, tensors, int8):
    graph = Builder(tensors, int8)
    x = graph.embeddings("ids")
    for i in range(sizes.LAYERS):
        x = graph.layer(x, i)
    graph.norm(x, "encoder.LayerNorm", "hidden")
    graph.write(path, [value_info("ids", "int64", ["texts", "length"])],
                [value_info("hidden", "float32", ["texts", "length", sizes.D])])
