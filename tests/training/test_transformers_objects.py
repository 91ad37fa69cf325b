# SPDX-License-Identifier: Apache-2.0
"""New FFNs in transformers' objects: modules of the same structure, names and forward passes, as the real ones may not be
installed."""

import copy
from types import SimpleNamespace

import pytest
import torch
from test_families import SENTENCE, small_model
from torch import nn
from torch.nn import functional as F

from lookupffn import load_sentence_encoder, replace_ffns


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


def test_misspelt_keys_of_new_ffns_are_refused():
    sizes = {"ffn_num_table": 4, "ffn_table_size": 8, "projection_type": "bh4"}
    for model in (small_model(), load_sentence_encoder(SENTENCE), Model("bert")):
        before = set(model.state_dict())
        for key, message in [("blok_size", 'did you mean "block_size"'), ("num_probe", 'did you mean "num_probes"'),
                             ("tables", "expected some of .*ffn_num_table"), ("seed", "expected some of")]:
            with pytest.raises(ValueError, match=f'no key "{key}"; {message}'):
                replace_ffns(model, **sizes, **{key: 8})
        assert set(model.state_dict()) == before
    for family, key in [("bert", "intermediate_size"), ("distilbert", "hidden_dim")]:
        model = replace_ffns(small_model(family), "vanilla", **{key: 48})
        assert model.layers[0].products()[0].out_features == 48


def test_a_second_swap_of_transformers_objects_keeps_the_probes():
    model = Model("bert", count=2)
    replace_ffns(model, layers=[0, 1], ffn_num_table=4, ffn_table_size=8, projection_type="dense", num_probes=2)
    replace_ffns(model, layers=[0], ffn_num_table=5)
    assert [model.layer(i).FFN.num_probes for i in range(2)] == [2, 2] and model.config.num_probes == 2


@pytest.mark.parametrize("family", ["bert", "prelayernorm", "distilbert"])
def test_transformers_objects(family):
    torch.manual_seed(0)
    model = Model(family).eval()
    x = example()
    replace_ffns(model, layers=[0, -1], ffn_num_table=4, ffn_table_size=8, projection_type="dense")
    assert model.config.ffn_kinds == ["lookup", "vanilla", "lookup"] and model.config.ffn_num_table == 4
    names = [name.split("layer.0.")[1] for name in model.state_dict() if "layer.0." in name]
    assert {"FFN.tables", "FFN.bias", "FFN.hash.projection.weight", "FFN.hash.projection.bias"} <= set(names)
    expected_norm = {"bert": "output.LayerNorm.weight", "prelayernorm": "intermediate.LayerNorm.weight",
                     "distilbert": "output_layer_norm.weight"}[family]
    assert expected_norm in names and len(names) == 4 + 2 + 2  # and attention's
    layer = model.layer(0)
    a = layer.attention(x)
    if family == "prelayernorm":
        expected = a + layer.FFN(layer.intermediate.LayerNorm(a))
    else:
        norm = layer.output_layer_norm if family == "distilbert" else layer.output.LayerNorm
        expected = norm(a + layer.FFN(a))
    assert torch.allclose(layer(x), expected, atol=1e-6)
    # Copies call their own tables.
    twin = copy.deepcopy(model)
    with torch.no_grad():
        twin.layer(0).FFN.tables.zero_()
        assert not torch.equal(twin(x), model(x)) and torch.allclose(layer(x), expected, atol=1e-6)
    model.train()(x).sum().backward()
    assert layer.FFN.tables.grad is not None
    # Again, with other sizes, and with nothing at all.
    replace_ffns(model, layers=[0], ffn_num_table=5)
    assert model.layer(0).FFN.num_tables == 5 and model.config.ffn_num_table == [5, 4, 4]
    if family == "prelayernorm":
        with pytest.raises(ValueError, match="ffn_linear"):
            replace_ffns(model, ffn_linear=True)
    else:
        replace_ffns(model, layers=[0], ffn_linear=True)
        assert {"linear.weight", "linear.bias"} <= set(model.layer(0).FFN.state_dict())
        assert model.config.ffn_linear == [True, False, False] and model.layer(2).FFN.linear is None
    assert torch.allclose(replace_ffns(model.eval(), "none")(x).mean(), model(x).mean())
    with pytest.raises(ValueError, match="no layer"):
        replace_ffns(torch.nn.Linear(2, 2))
