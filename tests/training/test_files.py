# SPDX-License-Identifier: Apache-2.0
"""safetensors, checkpoints of others, and models through the library."""

import ctypes
import json
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lookupffn import Encoder, EncoderConfig, LookupFFN, files, native, rivals, safetensors, unpickle
from lookupffn.native_model import NativeModel

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

GOLDEN = archive.unpacked("model/data.tar")


def small_config(kinds, **changes):
    return EncoderConfig(**{**dict(vocab_size=50, hidden_size=16, num_hidden_layers=len(kinds), num_attention_heads=2,
                                   attention_head_size=8, intermediate_size=32, max_position_embeddings=20, block_size=8,
                                   ffn_num_table=6, ffn_table_size=8, ffn_kinds=kinds), **changes})


def hidden_states_of_library(path, sequences, size):
    offsets = np.cumsum([0, *map(len, sequences)]).astype(np.int64)
    with NativeModel(path) as model:
        return model.encode(sequences, size), offsets


def check_against_library(model, folder):
    torch.manual_seed(1)
    sequences = [torch.randint(4, 50, (length,)).tolist() for length in (7, 1, 12)]
    hidden, offsets = hidden_states_of_library(folder, sequences, model.config.hidden_size)
    with torch.no_grad():
        for i, sequence in enumerate(sequences):
            expected = model(torch.tensor([sequence]))[0].numpy()
            assert np.abs(hidden[offsets[i] : offsets[i + 1]] - expected).max() < 1e-4 * np.sqrt(np.mean(expected**2))


def test_safetensors_round_trip(tmp_path):
    tensors = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array(3, dtype=np.int32),
               "c": np.zeros((0, 4), dtype=np.float16), "d": np.array([-1, 2], dtype=np.int8)}
    safetensors.save(tmp_path / "x", tensors, {"k": "v"})
    loaded, metadata = safetensors.load(tmp_path / "x")
    assert metadata == {"k": "v"} and list(loaded) == list(tensors)
    for name, value in tensors.items():
        assert loaded[name].dtype == value.dtype and np.array_equal(loaded[name], value)
    data = (tmp_path / "x").read_bytes()
    assert (8 + int.from_bytes(data[:8], "little")) % 64 == 0


def test_bf16_rounds_to_nearest_even():
    values = np.array([1.0, 1 + 2**-8, 1 + 3 * 2**-8, -1 - 2**-7, 3.4e38, 1e-40], dtype=np.float32)
    loaded, _ = safetensors.load_bytes(safetensors.save_bytes({"x": safetensors.Bf16(values)}))
    assert np.array_equal(loaded["x"], torch.from_numpy(values).bfloat16().float().numpy())


@pytest.mark.parametrize("broken", [b"", b"1234567", b"\xff" * 8, b"\2" + b"\0" * 7 + b"{", b"\2" + b"\0" * 7 + b"[]"])
def test_broken_safetensors_are_refused(broken):
    with pytest.raises(ValueError):
        safetensors.load_bytes(broken)


def test_wrong_lengths_are_refused():
    data = safetensors.save_bytes({"x": np.zeros(4, dtype=np.float32)})
    with pytest.raises(ValueError, match="x"):
        safetensors.load_bytes(data[:-1])


@pytest.mark.parametrize("projection", ["bh4", "dense"])
def test_an_exported_model_runs_in_the_library(tmp_path, projection):
    torch.manual_seed(0)
    model = Encoder(small_config(["lookup", "vanilla", "lookup"], projection_type=projection)).eval()
    files.export_folder(model, tmp_path / "model")
    check_against_library(model, tmp_path / "model")
    again = files.import_model(tmp_path / "model")
    assert all(torch.equal(value, again.state_dict()[name]) for name, value in model.state_dict().items())


@pytest.mark.parametrize("rows", [None, 9])
def test_layers_that_are_not_all_alike_run_in_the_library(tmp_path, rows):
    torch.manual_seed(0)
    model = Encoder(small_config(["lookup", "vanilla", "vanilla"], num_attention_heads=[2, 1, 0], ffn_word_rows=rows,
                                 intermediate_size=[0, 3, 5], ffn_words=[True, False, True])).eval()
    with torch.no_grad():
        for block in model.layers:
            if block.words is not None:
                block.words.weight.normal_()
        model.layers[2].attention.dense.bias.normal_()
        if rows is not None:
            model.embeddings.word_rows.copy_(torch.randint(rows, (50,)))
    files.export_folder(model, tmp_path / "model")
    check_against_library(model, tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    assert config["ffn_words"] == [True, False, True] and config.get("ffn_word_rows") == rows
    again = files.import_model(tmp_path / "model")
    assert all(torch.equal(value, again.state_dict()[name]) for name, value in model.state_dict().items())


@pytest.mark.parametrize("changes, message", [
    ({"num_attention_heads": 0}, "num_attention_heads is 0, expected a number from 1"),
    ({"num_attention_heads": [1, -1]}, "num_attention_heads is -1, expected a number from 0"),
    ({"intermediate_size": [4, 0]}, "intermediate_size is 0 for layer 1, whose FFN is vanilla"),
    ({"ffn_words": [True, 2]}, "ffn_words is 2, expected true or false"),
    ({"ffn_words": [True]}, "ffn_words has 1 entries for 2 layers"),
    ({"ffn_words": True, "ffn_word_rows": 0}, "ffn_word_rows is 0, expected a number from 1")])
def test_configs_of_layers_are_checked(changes, message):
    with pytest.raises(ValueError, match=message):
        small_config(["lookup", "vanilla"], **changes)


def test_words_without_a_row_are_named():
    model = Encoder(small_config(["lookup"], ffn_words=True, ffn_word_rows=3))
    tensors = dict(files.tensors_of(model))
    tensors["embeddings.word_rows"] = np.full(50, 3, dtype=np.int32)
    with pytest.raises(ValueError, match="embeddings.word_rows: from 3 to 3, expected 0 to 2"):
        files.model_from_tensors(model.config.to_dict(), tensors)


def test_an_exported_layer_runs_in_the_library(tmp_path):
    layer = LookupFFN(16, 4, 8, block_size=8)
    files.export_layer(layer, tmp_path / "layer.safetensors")
    library, handle = native.library(), ctypes.c_void_p()
    native._check(library.lffn_layer_load(str(tmp_path / "layer.safetensors").encode(), None, ctypes.byref(handle)))
    x = torch.randn(5, 16)
    y = torch.empty(5, 16)
    library.lffn_layer_forward.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
    native._check(library.lffn_layer_forward(handle, x.data_ptr(), 5, y.data_ptr()))
    library.lffn_layer_free(handle)
    assert torch.allclose(y, layer(x), atol=1e-6)


@pytest.mark.parametrize("kind", ["none", *rivals.KINDS])
def test_what_the_library_does_not_run_is_not_exported(tmp_path, kind):
    with pytest.raises(ValueError, match=f'not "{kind}"'):
        files.export_folder(Encoder(small_config(["lookup", kind])), tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_decoder_of_its_own_is_kept(tmp_path):
    torch.manual_seed(0)
    model = Encoder(small_config(["lookup"])).eval()
    state = {**model.state_dict(), "lm_head.decoder.weight": torch.randn(50, 16)}
    untied = files.model_from_tensors(model.config.to_dict(), state)
    hidden = torch.randn(3, 16)
    with torch.no_grad():
        inner = untied.lm_head.layer_norm(torch.nn.functional.gelu(untied.lm_head.dense(hidden)))
        expected = inner @ state["lm_head.decoder.weight"].t() + untied.lm_head.bias
        assert torch.allclose(untied.logits(hidden), expected)
    files.export_folder(untied, tmp_path)
    assert torch.equal(files.import_model(tmp_path).lm_head.decoder.weight, state["lm_head.decoder.weight"])
    check_against_library(untied, tmp_path)
    # Only what learns on its own is untied.
    state["lm_head.decoder.weight"] = state["embeddings.word_embeddings.weight"].clone()
    assert files.model_from_tensors(model.config.to_dict(), state).lm_head.decoder is None


def test_a_headless_model_stays_headless(tmp_path):
    model = Encoder(small_config(["lookup"]))
    state = {name: value for name, value in model.state_dict().items() if not name.startswith("lm_head.")}
    config = {key: value for key, value in model.config.to_dict().items() if key != "masked_lm_head"}
    headless = files.model_from_tensors(config, state)
    files.export_folder(headless, tmp_path)
    assert not [name for name in safetensors.load(tmp_path / "model.safetensors")[0] if "lm_head" in name]
    check_against_library(headless, tmp_path)
    with pytest.raises(ValueError, match="no head"):
        files.import_model(tmp_path).logits(torch.zeros(1, 16))


@pytest.mark.parametrize("key, hint", [("ffn_num_tables", "ffn_num_table"), ("projection_typ", "projection_type")])
def test_misspelt_keys_are_named(key, hint):
    values = {name: value for name, value in small_config(["lookup"]).to_dict().items() if name != hint}
    for refuse in (True, False):
        with pytest.raises(ValueError, match=f'no key "{key}"; did you mean "{hint}"'):
            EncoderConfig.from_dict({**values, key: 1}, refuse_unknown=refuse)


def test_other_programs_keys_are_left_aside():
    values = small_config(["lookup"]).to_dict()
    EncoderConfig.from_dict({**values, "model_type": "roberta", "hidden_act": "gelu", "transformers_version": "4"})
    with pytest.raises(ValueError, match='no key "colour"'):
        EncoderConfig.from_dict({**values, "colour": "red"})
    with pytest.warns(UserWarning, match="colour"):
        EncoderConfig.from_dict({**values, "colour": "red"}, refuse_unknown=False)


@pytest.mark.parametrize("kinds", [["lookup"] * 2, ["vanilla"] * 2])
@pytest.mark.parametrize("projection", ["bh4", "dense"])
def test_checkpoints_with_the_authors_names(tmp_path, kinds, projection):
    """Their RobertaForMLM: a prefix, the decoder beside the word embeddings, and its bias under two names."""
    torch.manual_seed(0)
    model = Encoder(small_config(kinds, projection_type=projection)).eval()
    state = {("model." if name.startswith("lm_head") else "model.roberta.") + name: value
             for name, value in model.state_dict().items()}
    state["model.lm_head.decoder.weight"] = state["model.roberta.embeddings.word_embeddings.weight"]
    state["model.lm_head.decoder.bias"] = state["model.lm_head.bias"]
    state["model.roberta.embeddings.position_ids"] = torch.arange(22)[None]
    config = model.config.to_dict()
    del config["ffn_kinds"]
    torch.save({"state_dict": state, "epoch": 3, "hyper_parameters": {"lr": 0.1}}, tmp_path / "x.ckpt")
    imported = files.import_model(tmp_path / "x.ckpt", config)
    assert imported.config.ffn_kinds == kinds
    files.export_folder(imported, tmp_path / "model")
    check_against_library(model, tmp_path / "model")
    folder = tmp_path / "hugging"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    torch.save(state, folder / "pytorch_model.bin")
    again = files.import_model(folder)
    assert all(torch.equal(value, again.state_dict()[name]) for name, value in model.state_dict().items())


def test_what_does_not_fit_is_named():
    model = Encoder(small_config(["lookup"]))
    state = model.state_dict()
    config = model.config.to_dict()
    for change, message in [({"encoder.layer.0.FFN.bias": None}, "FFN.bias: this tensor is missing"),
                            ({"other": torch.zeros(1)}, "other: a model with this config has no such tensor"),
                            ({"encoder.layer.0.FFN.bias": torch.zeros(3)}, r"FFN.bias: shape \[3\], expected \[16\]"),
                            ({"lm_head.decoder.weight": torch.ones(50, 15)}, r"decoder.weight: shape \[50, 15\]"),
                            ({"lm_head.dense.bias": None}, "lm_head.dense.bias: this tensor is missing")]:
        changed = {name: value for name, value in {**state, **change}.items() if value is not None}
        with pytest.raises(ValueError, match=message):
            files.model_from_tensors(config, changed)


class Trap:
    touched = False

    def __reduce__(self):
        return (setattr, (Trap, "touched", True))


def test_a_checkpoint_runs_no_code(tmp_path):
    base = torch.arange(12.0).view(3, 4)
    content = {"trap": Trap(), "transposed": base.t(), "part": base[1:, 2:], "half": base.half(),
               "bf16": base.bfloat16(), "parameter": torch.nn.Parameter(base), "whole": torch.arange(3),
               "empty": torch.zeros(0, 2), "scalar": torch.tensor(2.5), "module": torch.nn.Linear(1, 1)}
    torch.save(content, tmp_path / "x.pt")
    loaded = unpickle.load_tensors(tmp_path / "x.pt")
    assert not Trap.touched
    assert set(loaded) == set(content) - {"trap", "module"}
    for name, value in loaded.items():
        assert torch.equal(value.float(), content[name].detach().float()), name


@pytest.mark.parametrize("content", [b"", b"PK", pickle.dumps({"a": 1})])
def test_what_is_no_checkpoint_is_refused(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ValueError):
        unpickle.load_tensors(tmp_path / "x")


@pytest.mark.parametrize("name", ["model-lookup", "model-mixed"])
def test_golden_models(name):
    model = files.import_model(GOLDEN / name)
    io, _ = safetensors.load(GOLDEN / name / "io.safetensors")

    def close(found, expected):
        return np.abs(found.numpy() - expected).max() < 1e-3 * np.sqrt(np.mean(expected**2))

    compared = [key[4:] for key in io if key.startswith("ids.")]
    assert compared
    for case in compared:
        with torch.no_grad():
            hidden = model(torch.from_numpy(io[f"ids.{case}"].astype(np.int64))[None])
            assert close(hidden[0], io[f"hidden.{case}"])
            assert close(model.classifier(hidden)[0], io[f"class.{case}"])
            if f"logits.{case}" in io:
                assert close(model.logits(hidden)[0], io[f"logits.{case}"])
