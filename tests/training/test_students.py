# SPDX-License-Identifier: Apache-2.0
"""Layers that are not all alike: fewer heads, fewer neurons, rows by word; their files in every type."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from test_families import IDS, error, named, outputs, small_model
from test_files import hidden_states_of_library

from lookupffn import (TextTokenizer, family_config, family_model, load_folder, load_sentence_encoder, narrow,
                       replace_ffns, safetensors, save_folder, single_file, words)
from lookupffn.native_model import NativeModel
from lookupffn.optimiser import make_optimizer, set_rate
from lookupffn.sparse import clip

torch.set_num_threads(1)
SHARED = Path(__file__).parents[3] / "shared" / "golden-hf5"
GOLDEN = sorted(SHARED.glob("*")) if SHARED.exists() else []
# In MPNet the heads of all layers share what they know of distances, so that all layers have as many.
WITH_OWN_HEADS = [family for family in family_config.PREFIXES if family != "mpnet"]
MODELS = [folder for folder in GOLDEN if (folder / "tokens.json").exists()]
SENTENCES = [folder for folder in GOLDEN if (folder / "texts.json").exists()]


@named(MODELS)
@torch.no_grad()
def test_golden_models(folder):
    model, tokenizer = load_folder(folder), TextTokenizer.load(folder)
    io, _ = safetensors.load(folder / "io.safetensors")
    content = json.loads((folder / "tokens.json").read_text(encoding="utf-8"))
    for number, text in enumerate(content["texts"]):
        assert tokenizer.encode(text["text"], 60) == text["ids"]
        assert error(model(torch.tensor([text["ids"]]))[0], io[f"hidden.{number}"]) < 1e-4
    compared = 0
    for number, pair in enumerate(content["pairs"]):
        if f"pair_hidden.{number}" in io:
            types = torch.tensor([pair["types"] or [0] * len(pair["ids"])])
            assert error(model(torch.tensor([pair["ids"]]), types)[0], io[f"pair_hidden.{number}"]) < 1e-4
            compared += 1
    assert compared


@named(SENTENCES)
def test_golden_sentence_encoders(folder, tmp_path):
    encoder = load_sentence_encoder(folder)
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    expected = safetensors.load(folder / "io.safetensors")[0]["embeddings"]
    assert error(encoder.encode(texts), expected) < 1e-4
    save_folder(encoder.model, tmp_path, folder)
    assert error(load_sentence_encoder(tmp_path).encode(texts[:5]), expected[:5]) < 1e-4


def student(family="bert", task="masked_lm", rows=None):
    """Of three layers: 2, 1 and 0 heads; lookups, 5 neurons and neither; rows by word in the first and the last."""
    model = small_model(family, task)
    replace_ffns(model, ["lookup", "vanilla", "none"], ffn_num_table=4, ffn_table_size=8, projection_type="dense",
                 ffn_words=[True, False, True], ffn_word_rows=rows, **{model.config.name_of("intermediate_size"): 5})
    narrow.keep_heads(model, 1, [1])
    narrow.keep_heads(model, 2, [])
    with torch.no_grad():
        for layer in model.layers:
            if hasattr(layer, "words"):
                layer.words.weight.normal_()
            if hasattr(layer, "FFN"):
                layer.FFN.bias.normal_()
        if rows is not None:
            model.base.embeddings.word_rows.copy_(torch.randint(rows, (50,)))
    return model


@pytest.mark.parametrize("rows", [None, 7])
@pytest.mark.parametrize("task", ["masked_lm", "classes", None])
@pytest.mark.parametrize("family", WITH_OWN_HEADS)
@torch.no_grad()
def test_students_survive_the_files(family, task, rows, tmp_path):
    model = student(family, task, rows)
    save_folder(model, tmp_path)
    raw = json.loads((tmp_path / "config.json").read_text())
    distilbert = family == "distilbert"
    assert raw["n_heads" if distilbert else "num_attention_heads"] == [2, 1, 0] and raw["attention_head_size"] == 8
    assert raw["hidden_dim" if distilbert else "intermediate_size"] == [5, 5, 0]
    assert raw["ffn_kinds"] == ["lookup", "vanilla", "none"] and raw["ffn_words"] == [True, False, True]
    assert raw.get("ffn_word_rows") == rows
    tensors = safetensors.load(tmp_path / "model.safetensors")[0]
    prefix = (family_config.PREFIXES[family] if task else "")
    layers = prefix + ("transformer" if distilbert else "encoder") + ".layer."
    norms = ("LayerNorm.weight", "LayerNorm.bias", "layer_norm.weight", "layer_norm.bias")
    assert {name[len(layers) + 2:] for name in tensors if name.startswith(f"{layers}2.") and not name.endswith(norms)} == \
        {"FFN.bias", "FFN.words", "attention.out_lin.bias" if distilbert else "attention.output.dense.bias"}
    assert tensors[f"{layers}0.FFN.words"].shape == (rows or 50, 16)
    assert (f"{prefix}embeddings.word_rows" in tensors) == (rows is not None)
    again = load_folder(tmp_path)
    assert torch.equal(again(IDS), model(IDS))
    if task:
        assert torch.equal(outputs(again, again(IDS)), outputs(model, model(IDS)))


@pytest.mark.parametrize("dtype", words.DTYPES)
@torch.no_grad()
def test_rows_in_every_type(dtype, tmp_path):
    model = student(rows=20)
    row = model.layers[0].words.weight
    row[3].zero_()
    save_folder(model, tmp_path, word_dtype=dtype)
    tensors = safetensors.load(tmp_path / "model.safetensors")[0]
    name = "bert.encoder.layer.0.FFN.words"
    assert (name + ".scale" in tensors) == (dtype in words.BITS)
    assert dtype != "int4" or tensors[name].shape == (20, 8) and tensors[name].dtype == np.uint8
    found = load_folder(tmp_path).layers[0].words.weight
    if dtype in words.BITS:
        assert torch.allclose(found, words.rounded_rows(row, words.BITS[dtype]), rtol=1e-6, atol=0)
    tolerance = {"f32": 0, "f16": 2**-11, "bf16": 2**-8, "int8": 1 / 254, "int4": 1 / 14}[dtype]
    assert bool(((found - row).abs() <= row.abs().amax(1, keepdim=True) * tolerance * 1.0001).all())
    assert dtype == "f32" or not torch.equal(found, row)


def test_two_numbers_a_byte():
    values = np.array([[-7, 7, 3], [0, 0, 0]], np.float32) * np.float32(0.5)
    tensors = words.packed("x", values, "int4")
    assert tensors["x"].tolist() == [[1 | 15 << 4, 11 | 8 << 4], [8 | 8 << 4] * 2] and tensors["x.scale"].tolist() == [0.5, 0]
    assert np.array_equal(words.unpacked("x", tensors["x"], tensors["x.scale"], 3), values)
    lowest = np.zeros((1, 2), np.uint8)  # other writers may use the eighth step down
    assert np.array_equal(words.unpacked("x", lowest, np.ones(1, np.float32), 4), np.full((1, 4), -8, np.float32))


@torch.no_grad()
def test_the_sum_has_all_its_parts():
    model = student(rows=7)
    layer, rows = model.layers[0], model.base.embeddings.rows_of(IDS)
    a = torch.randn(2, 5, 16)
    assert torch.allclose(layer.feed(a, rows), layer.FFN(a) + layer.words.weight[rows], atol=1e-6)
    last = model.layers[2]
    assert torch.allclose(last.feed(a, rows), last.FFN.bias + last.words.weight[rows])
    assert torch.allclose(last.attend(a), last.attention_norm()(a + last.attention_output().bias), atol=1e-6)


@pytest.mark.parametrize("family", WITH_OWN_HEADS)
@torch.no_grad()
def test_what_is_kept_keeps_its_weights(family):
    """Heads and neurons that add nothing may go, and their order says nothing."""
    model = small_model(family)
    for layer in model.layers:
        layer.attention_output().weight[:, :8].zero_()
        layer.products()[1].weight[:, ::2].zero_()
    before = model(IDS)
    for i in range(3):
        narrow.keep_heads(model, i, [1])
        narrow.keep_neurons(model, i, list(range(31, 0, -2)))
    assert model.layers[0].products()[0].out_features == 16 and model.layers[0].num_heads == 1
    assert torch.allclose(model(IDS), before, atol=1e-5)
    for heads in ([0, 0], [1], [-1]):
        with pytest.raises(ValueError, match="heads"):
            narrow.keep_heads(model, 0, heads)
    with pytest.raises(ValueError, match="no neurons are left"):
        narrow.keep_neurons(model, 0, [])


def test_what_is_wrong_is_named():
    model = student(rows=7)
    raw, tensors = model.file_config(), {name: value.numpy() for name, value in model.file_tensors().items()}
    rows, first = "bert.embeddings.word_rows", "bert.encoder.layer.0.FFN.words"
    bytes_of = np.zeros((7, 16), np.int8)
    for changes, changed, message in [
            ({"attention_head_size": None}, {}, "attention_head_size is missing"),
            ({"num_attention_heads": [2, 1]}, {}, "num_attention_heads has 2 entries for 3 layers"),
            ({"num_attention_heads": [2, -1, 0]}, {}, "num_attention_heads is -1"),
            ({"num_attention_heads": 0}, {}, "num_attention_heads is 0"),
            ({"attention_head_size": 0}, {}, "attention_head_size is 0"),
            ({"intermediate_size": [5, 0, 0]}, {}, "intermediate_size is 0 for layer 1"),
            ({"ffn_words": [True, 1, False]}, {}, "ffn_words is 1"),
            ({"ffn_word_rows": 0}, {}, "ffn_word_rows is 0"),
            ({"ffn_word_rows": 8}, {}, "FFN.words|words.weight"),
            ({}, {rows: np.full(50, 7, np.int32)}, "word_rows: from 7 to 7, expected 0 to 6"),
            ({}, {rows: np.full(50, -1, np.int32)}, "word_rows: from -1 to -1"),
            ({}, {rows: np.zeros(50, np.float32)}, "word_rows: numbers of type"),
            ({}, {rows: None}, "word_rows: this tensor is missing"),
            ({}, {first: bytes_of}, "FFN.words.scale: this tensor is missing"),
            ({}, {first + ".scale": np.ones(7, np.float32)}, "only rows of whole numbers"),
            ({}, {first: bytes_of, first + ".scale": np.ones(6, np.float32)}, "FFN.words.scale: shape"),
            ({}, {first: bytes_of, first + ".scale": np.full(7, np.nan, np.float32)}, "not finite"),
            ({}, {first: bytes_of.view(np.uint8), first + ".scale": np.ones(7, np.float32)}, r"expected \[7, 8\]")]:
        named_tensors = {name: value for name, value in {**tensors, **changed}.items() if value is not None}
        with pytest.raises(ValueError, match=message):
            family_model.family_model({key: value for key, value in {**raw, **changes}.items() if value is not None},
                                      named_tensors)
    for bad, message in [({"kind": ["none"]}, "1 kinds"), ({"kind": "none", "ffn_words": [True]}, "entries for 3 layers"),
                         ({"kind": "none", "layers": [1], "ffn_word_rows": 9}, "holds for all layers; layer 0")]:
        with pytest.raises(ValueError, match=message):
            replace_ffns(model, **bad)
    with pytest.raises(ValueError, match='the type of rows is "int2"'):
        words.packed("x", np.zeros((1, 2), np.float32), "int2")


def test_gradients_are_sparse_and_rows_learn():
    model = student()
    optimizer = make_optimizer(model, weight_decay=0.1)
    set_rate(optimizer, 0.1)
    rows = model.layers[0].words.weight
    before, others = rows.detach().clone(), model.layers[1].products()[0].weight.detach().clone()
    loss = model.masked_lm_loss(IDS, IDS)
    loss.backward()
    assert rows.grad.is_sparse and rows.grad.coalesce().indices().shape[1] == len(IDS.unique())
    optimizer.step()
    moved = (rows.detach() != before).any(1)
    assert torch.equal(moved.nonzero().flatten(), IDS.unique())
    # The first step of Adam: the rate, in the direction of the gradient.
    size = (rows.detach() - before)[IDS.unique()].abs()
    assert float(size.max()) <= 0.1001 and float(size.median()) > 0.09
    assert not torch.equal(model.layers[1].products()[0].weight, others)
    first = float(loss.detach())
    for _ in range(5):
        optimizer.zero_grad(set_to_none=True)
        model.masked_lm_loss(IDS, IDS).backward()
        optimizer.step()
    assert float(model.masked_lm_loss(IDS, IDS).detach()) < first


def test_rows_learn_as_pytorchs_sparse_adam_teaches():
    torch.manual_seed(0)
    one, other = words.Words(30, 4), words.Words(30, 4)
    theirs = torch.optim.SparseAdam(list(other.parameters()), lr=0.01, betas=(0.9, 0.98), eps=1e-6)
    ours = make_optimizer(one)
    set_rate(ours, 0.01)
    for _ in range(20):
        ids, wanted = torch.randint(30, (9,)), torch.randn(9, 4)
        for module, optimizer in ((one, ours), (other, theirs)):
            optimizer.zero_grad(set_to_none=True)
            ((module(ids) - wanted) ** 2).sum().backward()
            optimizer.step()
    torch.testing.assert_close(one.weight, other.weight, rtol=1e-4, atol=1e-6)


def test_clipping_knows_sparse_gradients():
    torch.manual_seed(0)
    ids = torch.tensor([1, 4, 4, 4])  # whose parts of the gradient must be added up before it is measured
    sparse, dense = words.Words(6, 3), torch.nn.Linear(3, 2)
    whole = torch.nn.Parameter(sparse.weight.detach().clone())
    for rows in (sparse(ids), whole[ids]):
        (dense(rows + 1).square().sum()).backward()
    dense.weight.grad, dense.bias.grad = dense.weight.grad / 2, dense.bias.grad / 2
    wanted = torch.nn.utils.clip_grad_norm_([whole, *dense.parameters()], 1e9)
    found = clip([sparse.weight, *dense.parameters()], 0.5)
    assert float(found) == pytest.approx(float(wanted), rel=1e-5)
    torch.testing.assert_close(sparse.weight.grad.to_dense(), whole.grad * (0.5 / wanted), rtol=1e-4, atol=1e-7)
    assert float(clip([sparse.weight, *dense.parameters()], 0.5)) == pytest.approx(0.5, rel=1e-4)


@pytest.mark.parametrize("bits", [4, 8])
def test_rows_are_rounded_as_they_are_read(bits):
    rows = words.Words(10, 6)
    torch.nn.init.normal_(rows.weight)
    ids = torch.tensor([3, 3, 7])
    rows.bits = bits
    y = rows(ids)
    assert torch.allclose(y, words.rounded_rows(rows.weight, bits)[ids], atol=1e-7) and not torch.equal(y, rows.weight[ids])
    y.sum().backward()
    assert torch.equal(rows.weight.grad.to_dense()[3], torch.full((6,), 2.0)), "straight-through"


def test_a_row_for_several_words_learns_from_all():
    model = student(rows=7)
    hidden = model(IDS)
    hidden.square().sum().backward()
    touched = model.layers[0].words.weight.grad.coalesce().indices().flatten()
    assert torch.equal(touched, model.base.embeddings.word_rows[IDS].long().unique())


@pytest.mark.parametrize("dtype", words.DTYPES)
@pytest.mark.parametrize("rows", [None, 7])
@pytest.mark.parametrize("family", WITH_OWN_HEADS)
@torch.no_grad()
def test_the_library_runs_what_is_saved(family, rows, dtype, tmp_path):
    save_folder(student(family, "masked_lm", rows), tmp_path, word_dtype=dtype)
    model = load_folder(tmp_path)  # with rows rounded as they are in the file
    found, _ = hidden_states_of_library(tmp_path, IDS.tolist(), 16)
    assert error(model(IDS).flatten(0, 1), found) < 1e-4
    with NativeModel(tmp_path) as native_model:
        native_model.save(tmp_path / "one")
    assert torch.allclose(single_file.load_model(tmp_path / "one")(IDS), model(IDS), atol=1e-5)
