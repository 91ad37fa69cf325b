# SPDX-License-Identifier: Apache-2.0
"""Modules of the structure, names and forward passes of transformers' objects, for where the real ones are not installed."""

from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional as F


class Norm(nn.Module):
    def __init__(self, size, norm_first, inner=None):
        super().__init__()
        if norm_first:
            self.LayerNorm = nn.LayerNorm(size, eps=1e-12)
        self.dense = nn.Linear(size, inner)

    def forward(self, x):
        return F.gelu(self.dense(self.LayerNorm(x) if hasattr(self, "LayerNorm") else x))


class Output(nn.Module):
    def __init__(self, inner, size, norm_first):
        super().__init__()
        self.dense = nn.Linear(inner, size)
        self.dropout = nn.Dropout(0.1)
        if not norm_first:
            self.LayerNorm = nn.LayerNorm(size, eps=1e-12)

    def forward(self, hidden, attended):
        y = self.dropout(self.dense(hidden)) + attended
        return self.LayerNorm(y) if hasattr(self, "LayerNorm") else y


class Mixing(nn.Module):
    """In attention's place: what matters here comes after it."""

    def __init__(self, size):
        super().__init__()
        self.dense = nn.Linear(size, size)

    def forward(self, x):
        return x + self.dense(x.mean(1, keepdim=True))


class BertLayer(nn.Module):
    def __init__(self, size, inner, norm_first):
        super().__init__()
        self.attention = Mixing(size)
        self.intermediate = Norm(size, norm_first, inner)
        self.output = Output(inner, size, norm_first)

    def forward(self, x):
        attended = self.attention(x)
        return self.output(self.intermediate(attended), attended)


class DistilFFN(nn.Module):
    def __init__(self, size, inner):
        super().__init__()
        self.dropout = nn.Dropout(0.1)
        self.lin1, self.lin2 = nn.Linear(size, inner), nn.Linear(inner, size)

    def forward(self, x):
        return self.dropout(self.lin2(F.gelu(self.lin1(x))))


class DistilLayer(nn.Module):
    def __init__(self, size, inner):
        super().__init__()
        self.attention = Mixing(size)
        self.ffn = DistilFFN(size, inner)
        self.output_layer_norm = nn.LayerNorm(size, eps=1e-12)

    def forward(self, x):
        attended = self.attention(x)
        return self.output_layer_norm(self.ffn(attended) + attended)


class Stack(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layer = nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layer:
            x = layer(x)
        return x


class Model(nn.Module):
    """family: bert (RoBERTa's layers are the same), prelayernorm, distilbert."""

    def __init__(self, family, size=16, inner=32, count=3):
        super().__init__()
        self.config = SimpleNamespace(hidden_size=size, num_hidden_layers=count, model_type=family)
        if family == "distilbert":
            self.transformer = Stack(DistilLayer(size, inner) for _ in range(count))
        else:
            self.encoder = Stack(BertLayer(size, inner, family == "prelayernorm") for _ in range(count))

    def forward(self, x):
        return (self.transformer if hasattr(self, "transformer") else self.encoder)(x)

    def layer(self, number):
        return (self.transformer if hasattr(self, "transformer") else self.encoder).layer[number]


def example(size=16):
    torch.manual_seed(1)
    return torch.randn(2, 5, size)
