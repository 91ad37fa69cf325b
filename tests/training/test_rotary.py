# SPDX-License-Identifier: Apache-2.0
"""ModernBERT, Qwen3 and Gemma 3: golden folders, saving, lookups and rows by word in the library, distilling."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from test_distiller import SENTENCE, command, texts  # noqa: F401
from test_families import IDS, error
from test_files import hidden_states_of_library

from lookupffn import (FamilyModel, family_config, family_model, load_folder, load_sentence_encoder, replace_ffns,
                       safetensors, save_folder)
from lookupffn.native_model import NativeModel

torch.set_num_threads(1)
SHARED = Path(__file__).resolve().parents[3] / "shared"
GOLDEN = [SHARED / name for name in ("golden-hf3/sentence-modernbert", "golden-hf8/sentence-long-modernbert",
                                     "golden-hf4/sentence-qwen3", "golden-hf8/sentence-long-qwen3", "golden-hf4/qwen3",
                                     "golden-hf4/gemma3-text", "golden-hf8/sentence-long-gemma3")]
FAMILIES = list(family_config.ROTARY)


def raw_config(family, **changes):
    own = {"modernbert": {"hidden_activation": "gelu", "local_attention": 4, "global_attn_every_n_layers": 3,
                          "global_rope_theta": 500.0, "local_rope_theta": 50.0},
           "qwen3": {"hidden_act": "silu", "num_key_value_heads": 2, "head_dim": 6, "rope_theta": 700.0},
           "gemma3_text": {"hidden_activation": "gelu_pytorch_tanh", "num_key_value_heads": 1, "head_dim": 6,
                           "query_pre_attn_scalar": 10, "rope_theta": 700.0, "rope_local_base_freq": 60.0,
                           "sliding_window": 6, "sliding_window_pattern": 2, "use_bidirectional_attention": True}}
    return {"model_type": family, "vocab_size": 50, "max_position_embeddings": 40, "hidden_size": 16,
            "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 32, "initializer_range": 0.2,
            **own[family], **changes}


def small_model(family, **changes):
    torch.manual_seed(0)
    model = FamilyModel(family_config.FamilyConfig(family, raw_config(family, **changes))).eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.dim() == 1:
                value.add_(torch.randn_like(value) * 0.1)
    return model


def expect_same_in_library(model, folder):
    save_folder(model, folder)
    sequences = [[2, 9, 8, 7, 3], [2, 3], [2, 30, 20, 41, 12, 13, 3, 7, 8, 9, 10, 11, 30, 31, 32, 33, 4]]
    found, offsets = hidden_states_of_library(folder, sequences, 16)
    for i, sequence in enumerate(sequences):
        with torch.no_grad():
            hidden = model(torch.tensor([sequence]))[0].numpy()
        assert error(torch.from_numpy(found[offsets[i] : offsets[i + 1]]), hidden) < 1e-4


@pytest.mark.parametrize("folder", GOLDEN, ids=lambda folder: folder.name)
@torch.no_grad()
def test_golden_folders(folder, tmp_path):
    if not folder.exists():
        pytest.skip("needs ../shared")
    model = load_folder(folder)
    io, _ = safetensors.load(folder / "io.safetensors")
    compared = 0
    if (folder / "long.json").exists():
        for number, text in enumerate(json.loads((folder / "long.json").read_text(encoding="utf-8"))[:-1]):
            hidden = model(torch.from_numpy(np.array(io[f"ids.{number}"])).long()[None])[0]
            assert error(hidden[text["positions"]], io[f"hidden.{number}"]) < 1e-4
            compared += 1
    elif (folder / "tokens.json").exists():
        for number, text in enumerate(json.loads((folder / "tokens.json").read_text(encoding="utf-8"))["texts"]):
            if f"hidden.{number}" in io and np.any(io[f"hidden.{number}"]):
                assert error(model(torch.tensor([text["ids"]]))[0], io[f"hidden.{number}"]) < 1e-4
                compared += 1
    assert compared > 0 or folder.name in ("sentence-modernbert", "sentence-qwen3")
    save_folder(model, tmp_path)
    before, after = (safetensors.load(path / "model.safetensors")[0] for path in (folder, tmp_path))
    assert set(before) == set(after) and all(np.array_equal(after[name], value) for name, value in before.items())
    sequences = [[5, 6, 7, 300, 301, 4], list(range(3, 60))]
    found, offsets = hidden_states_of_library(folder, sequences, model.config.get("hidden_size"))
    for i, sequence in enumerate(sequences):
        assert error(torch.from_numpy(found[offsets[i] : offsets[i + 1]]), model(torch.tensor([sequence]))[0].numpy()) < 1e-4


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("changes", [{}, {"attention_bias": True, "mlp_bias": True}, {"use_bidirectional_attention": False}],
                         ids=["plain", "biases", "one way"])
def test_the_library_runs_what_is_saved(family, changes, tmp_path):
    model = small_model(family, **changes)
    expect_same_in_library(model, tmp_path / "neurons")
    replace_ffns(model, layers=[0, 2], ffn_num_table=[6, 4], ffn_table_size=8, projection_type=["dense", "bh2"],
                 block_size=8)
    assert model.config.ffn_kinds == ["lookup", "vanilla", "lookup"]
    expect_same_in_library(model, tmp_path / "lookups")
    again = load_folder(tmp_path / "lookups")
    assert torch.equal(again(IDS), model(IDS))
    layer = model.layers[0]
    a = layer.attend(torch.ones(1, 2, 16))
    assert torch.allclose(layer(torch.ones(1, 2, 16)), layer.finish(a, layer.FFN(layer.fed(a))), atol=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_by_word(family, tmp_path):
    model = small_model(family)
    replace_ffns(model, layers=[1, 2], ffn_num_table=4, ffn_table_size=8, projection_type="dense", ffn_words=True,
                 ffn_word_rows=20)
    with torch.no_grad():
        for layer in (1, 2):
            model.layers[layer].words.weight.normal_()
    expect_same_in_library(model, tmp_path / "rows")
    assert torch.equal(load_folder(tmp_path / "rows")(IDS), model(IDS))
    replace_ffns(model, "none", layers=[0])
    expect_same_in_library(model, tmp_path / "none")


@pytest.mark.parametrize("family", FAMILIES)
def test_padding_says_nothing(family):
    model = small_model(family)
    padded = torch.cat([IDS, torch.zeros(2, 4, dtype=torch.long)], 1)
    with torch.no_grad():
        assert torch.allclose(model(padded, kept=padded != 0)[:, :5], model(IDS), atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_distilling_a_sentence_encoder(family, texts, tmp_path):  # noqa: F811
    config = family_config.FamilyConfig(family, raw_config(family, vocab_size=1500, max_position_embeddings=64,
                                                           hidden_size=32, num_hidden_layers=2))
    torch.manual_seed(3)
    save_folder(FamilyModel(config), tmp_path / "teacher", SENTENCE)
    command(tmp_path / "teacher", texts, tmp_path / "student", "--words")
    student, teacher = load_sentence_encoder(tmp_path / "student"), load_sentence_encoder(tmp_path / "teacher")
    assert student.model.config.ffn_kinds == ["lookup"] * 2 and hasattr(student.layers[0], "words")
    sentences = ["the quick brown fox", "a lazy dog", "civil service workers line"]
    cosines = (student.encode(sentences) * teacher.encode(sentences)).sum(1)
    assert float(cosines.detach().mean()) > 0.8
    with NativeModel(tmp_path / "student") as library:
        found = library.embed([student.ids_of(text) for text in sentences], 32)
    assert error(torch.from_numpy(found), student.encode(sentences).detach().numpy()) < 1e-4


def test_what_is_wrong_is_named():
    for family, changes, message in [("qwen3", {"use_sliding_window": True}, "use_sliding_window"),
                                     ("modernbert", {"norm_bias": True}, "norm_bias"),
                                     ("qwen3", {"rope_scaling": {"type": "linear", "factor": 2.0}}, "rope_scaling"),
                                     ("qwen3", {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e4}}, "yarn"),
                                     ("qwen3", {"num_key_value_heads": 3}, "num_key_value_heads"),
                                     ("modernbert", {"num_attention_heads": [4, 4, 4]}, "as many heads")]:
        with pytest.raises(ValueError, match=message):
            small_model(family, **changes)
    tensors = {name: value.numpy() for name, value in small_model("qwen3").file_tensors().items()}
    with pytest.raises(ValueError, match="encoder alone"):
        family_model.family_model(raw_config("qwen3"), {**tensors, "score.weight": np.zeros((2, 16), np.float32)})
