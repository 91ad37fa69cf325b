# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's families and sentence encoders: golden folders, saving, swapping FFNs."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from test_files import hidden_states_of_library

from lookupffn import (FamilyModel, LookupFFN, TextTokenizer, family_config, family_model, load_folder,
                       load_sentence_encoder, replace_ffns, safetensors, save_folder)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

torch.set_num_threads(1)
HERE = Path(__file__).parent
SHARED = HERE.parents[2] / "shared"
SMALL = sorted(archive.unpacked("model/small-folders.tar").glob("*"))
SENTENCE = archive.unpacked("training/data.tar") / "sentence-lookup-bh4"
GOLDEN = [*SMALL, *sorted((SHARED / "golden-hf").glob("*"))]
GOLDEN += [path for name in ("golden-hf3", "golden-hf4") for path in sorted((SHARED / name).glob("*"))]


def is_supported(folder):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    other_head = config["architectures"][0].endswith(("ForTokenClassification", "ForQuestionAnswering"))
    other_head |= config.get("legacy") is False  # DeBERTa's newer one of a masked language model
    return config["model_type"] in family_config.PREFIXES and not other_head


def has_tokenizer(folder):
    """Whether the package has it."""
    try:
        TextTokenizer.load(folder)
    except ValueError:
        return False
    return True


MODELS = [folder for folder in GOLDEN if (folder / "tokens.json").exists() and is_supported(folder)]
SENTENCES = [SENTENCE,
             *(folder for folder in GOLDEN
               if (folder / "texts.json").exists() and is_supported(folder) and has_tokenizer(folder))]
MINILM = SHARED / "models" / "all-MiniLM-L6-v2"


def named(folders):
    return pytest.mark.parametrize("folder", folders, ids=lambda folder: folder.name + "-small" * (folder in SMALL))


def error(found, expected):
    return float(np.abs(found.numpy() - expected).max() / np.sqrt(np.mean(expected**2)))


def outputs(model, hidden):
    return model.logits(hidden) if model.config.task == "masked_lm" else model.class_logits(hidden)


@named(MODELS)
@torch.no_grad()
def test_golden_models(folder):
    model, tokenizer = load_folder(folder), TextTokenizer.load(folder) if has_tokenizer(folder) else None
    io, _ = safetensors.load(folder / "io.safetensors")
    content = json.loads((folder / "tokens.json").read_text(encoding="utf-8"))
    compared = 0

    def compare(name, ids, types=None):
        nonlocal compared
        hidden = model(torch.tensor([ids]), types)
        if name in io:
            assert error(hidden[0], io[name]) < 1e-4
        logits = name.replace("hidden", "logits")
        if logits in io:
            result = outputs(model, hidden)[0]
            assert error(result, io[logits].reshape(result.shape)) < 1e-4
            compared += 1

    for number, text in enumerate(content["texts"]):
        if tokenizer is not None:
            assert tokenizer.encode(text["text"]) == text["full_ids"]
            assert tokenizer.encode(text["text"], 60) == text["ids"]
        compare(f"hidden.{number}", text["ids"])
    for number, pair in enumerate(content["pairs"]):
        ids, types = pair["ids"], pair["types"] or [0] * len(pair["ids"])
        if tokenizer is not None:
            assert (ids, types) == tokenizer.encode_pair(pair["a"], pair["b"], 60)
        if f"pair_hidden.{number}" in io:
            compare(f"pair_hidden.{number}", ids, torch.tensor([types]))
    assert compared == sum("logits." in name for name in io) and compared >= 1


@named(MODELS)
@torch.no_grad()
def test_saved_models_are_the_same(folder, tmp_path):
    model = load_folder(folder)
    save_folder(model, tmp_path, folder)
    before, after = (safetensors.load(path / "model.safetensors")[0] for path in (folder, tmp_path))
    assert set(before) == set(after) and all(np.array_equal(after[name], value) for name, value in before.items())
    assert json.loads((tmp_path / "config.json").read_text()) == json.loads((folder / "config.json").read_text())
    if has_tokenizer(folder):
        assert TextTokenizer.load(tmp_path).encode("Hello, world!") == TextTokenizer.load(folder).encode("Hello, world!")


@named(SENTENCES)
def test_golden_sentence_encoders(folder, tmp_path):
    encoder = load_sentence_encoder(folder)
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    expected = safetensors.load(folder / "io.safetensors")[0]["embeddings"]
    assert error(encoder.encode(texts), expected) < 1e-4
    save_folder(encoder.model, tmp_path, folder)
    assert not (tmp_path / "io.safetensors").exists()
    assert error(load_sentence_encoder(tmp_path).encode(texts[:5]), expected[:5]) < 1e-4


def test_an_encoder_in_a_folder_of_its_own_is_saved_there(tmp_path):
    source, old, new = SENTENCE, tmp_path / "old", tmp_path / "new"
    shutil.copytree(source, old)
    (old / "0_Transformer").mkdir()
    for name in ("config.json", "model.safetensors", "sentence_bert_config.json", "tokenizer.json", "vocab.txt"):
        (old / name).rename(old / "0_Transformer" / name)
    modules = json.loads((old / "modules.json").read_text())
    modules[0]["path"] = "0_Transformer"
    (old / "modules.json").write_text(json.dumps(modules))
    encoder = load_sentence_encoder(old)
    with torch.no_grad():
        encoder.layers[0].FFN.tables.mul_(2)
    save_folder(encoder.model, new, old)
    texts = ["the quick brown fox", "hello"]
    assert torch.equal(load_sentence_encoder(new).encode(texts), encoder.encode(texts))
    assert not torch.equal(encoder.encode(texts), load_sentence_encoder(source).encode(texts))
    found = sorted(str(path.relative_to(new)) for path in new.rglob("*") if path.is_file())
    assert found == ["0_Transformer/config.json", "0_Transformer/model.safetensors",
                     "0_Transformer/sentence_bert_config.json", "0_Transformer/tokenizer.json", "0_Transformer/vocab.txt",
                     "1_Pooling/config.json", "config_sentence_transformers.json", "modules.json"]
    modules[0]["path"] = "../0_Transformer"
    (old / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ValueError, match="leads out of the folder"):
        save_folder(encoder.model, new, old)


@pytest.mark.skipif(not MINILM.exists(), reason="needs ../shared")
def test_the_real_model():
    texts = [entry["text"] for entry in json.loads((MINILM / "reference.json").read_text(encoding="utf-8"))][::6]
    expected = torch.from_numpy(np.array(safetensors.load(MINILM / "reference.safetensors")[0]["embeddings"]))[::6]
    cosines = (load_sentence_encoder(MINILM).encode(texts) * expected).sum(1)
    assert float(cosines.min()) > 0.9999


OWN_SETTINGS = {"electra": {"embedding_size": 6},
                "deberta-v2": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 4,
                               "position_biased_input": False, "norm_rel_ebd": "layer_norm", "type_vocab_size": 0}}


def raw_config(family="bert", **changes):
    padded = {"pad_token_id": 1} if "roberta" in family or family in ("camembert", "mpnet") else {}
    values = {"model_type": family, "vocab_size": 50, "max_position_embeddings": 20, "hidden_size": 16,
              "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32, "hidden_act": "gelu",
              "type_vocab_size": 2, **padded, **OWN_SETTINGS.get(family, {})}
    if family == "distilbert":
        values = {family_config._DISTILBERT_KEYS.get(key, key): value for key, value in values.items()}
    return {**values, **changes}


def small_model(family="bert", task="masked_lm", **changes):
    torch.manual_seed(0)
    config = family_config.FamilyConfig(family, raw_config(family, **changes), task, 3,
                                        has_pooler=task == "classes" and family in ("bert", "deberta-v2"))
    return FamilyModel(config).eval()


IDS = torch.tensor([[2, 9, 8, 7, 3], [2, 30, 20, 41, 3]])


@pytest.mark.parametrize("family", family_config.PREFIXES)
@pytest.mark.parametrize("task", ["masked_lm", "classes", None])
def test_swapped_ffns_survive_the_files(family, task, tmp_path):
    model = small_model(family, task)
    kept = model.layers[1].feed(torch.ones(1, 1, 16)).detach()
    replace_ffns(model, layers=[0, 2], ffn_num_table=[6, 4], ffn_table_size=8, projection_type="dense")
    assert model.config.ffn_kinds == ["lookup", "vanilla", "lookup"]
    assert torch.equal(model.layers[1].feed(torch.ones(1, 1, 16)), kept)
    assert isinstance(model.layers[2].FFN, LookupFFN) and model.layers[2].FFN.num_tables == 4
    with pytest.raises(ValueError, match="layers"):
        replace_ffns(model, layers=[0, 2], ffn_num_table=[6, 4, 3])
    save_folder(model, tmp_path)
    names = set(safetensors.load(tmp_path / "model.safetensors")[0])
    prefix = family_config.PREFIXES[family] if task else ""
    where = "transformer" if family == "distilbert" else "encoder"
    assert f"{prefix}{where}.layer.0.FFN.hash.projection.weight" in names
    assert not [name for name in names if "layer.0.intermediate.dense" in name or "layer.0.ffn.lin1" in name]
    again = load_folder(tmp_path)
    states, others = [], []
    assert torch.equal(again(IDS, states=states), model(IDS, states=others))
    assert len(states) == 3 and all(torch.equal(a, b) for s, o in zip(states, others) for a, b in zip(s, o))
    if task:
        assert torch.equal(outputs(again, again(IDS)), outputs(model, model(IDS)))
    layer = model.layers[0]
    a = layer.attend(torch.ones(1, 2, 16))
    y = a + layer.FFN(layer.intermediate.LayerNorm(a) if family == "roberta-prelayernorm" else a)
    norm = None if family == "roberta-prelayernorm" else \
        layer.output_layer_norm if family == "distilbert" else layer.output.LayerNorm
    assert torch.allclose(layer(torch.ones(1, 2, 16)), y if norm is None else norm(y), atol=1e-6)


@pytest.mark.parametrize("family", family_config.PREFIXES)
@pytest.mark.parametrize("task, projection", [("masked_lm", "dense"), ("classes", "bh4"), (None, ["bh2", "dense"])])
def test_the_library_runs_what_is_saved(family, task, projection, tmp_path):
    model = small_model(family, task)
    replace_ffns(model, layers=[0, 2], ffn_num_table=[6, 4], ffn_table_size=8, projection_type=projection, block_size=8)
    save_folder(model, tmp_path)
    sequences = [[2, 9, 8, 7, 3], [2, 3], [2, 30, 20, 41, 12, 13, 3]]
    found, offsets = hidden_states_of_library(tmp_path, sequences, 16)
    for i, sequence in enumerate(sequences):
        states = []
        with torch.no_grad():
            hidden = model(torch.tensor([sequence]), states=states)
        part = torch.from_numpy(found[offsets[i] : offsets[i + 1]])
        assert error(part, hidden[0].numpy()) < 1e-4
        # The stream after the last layer: in one family a layer norm stands above it.
        assert torch.equal(states[-1][2], hidden) == (family != "roberta-prelayernorm")


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
def test_a_linear_map_beside_the_tables(family, tmp_path):
    model = small_model(family, None)
    replace_ffns(model, layers=[0, 2], ffn_num_table=[6, 4], ffn_table_size=8, projection_type="dense",
                 ffn_linear=[False, True])
    assert model.config.raw["ffn_linear"] == [False, False, True]
    assert model.layers[0].FFN.linear is None
    ffn, x = model.layers[2].FFN, torch.randn(5, 16)
    before = ffn(x)
    torch.nn.init.normal_(ffn.linear.weight, std=0.5)
    torch.nn.init.normal_(ffn.linear.bias)
    assert torch.allclose(ffn(x), before + ffn.linear(x), atol=1e-6)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.allclose(ffn(x).float(), before + ffn.linear(x), atol=0.1)
    save_folder(model, tmp_path)
    assert torch.equal(load_folder(tmp_path)(IDS), model(IDS))
    found, _ = hidden_states_of_library(tmp_path, IDS.tolist(), 16)
    assert error(torch.from_numpy(found), model(IDS).detach().flatten(0, 1).numpy()) < 1e-4
    with pytest.raises(ValueError, match="own file"):
        ffn.config()
    with pytest.raises(ValueError, match="ffn_linear"):
        replace_ffns(small_model(family), ffn_num_table=4, ffn_table_size=8, projection_type="dense", ffn_linear=3)


@pytest.mark.parametrize("name", family_config.ACTIVATIONS)
def test_the_library_has_the_same_activations(name, tmp_path):
    model = small_model(hidden_act=name)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(8)  # far from where all activations are straight
        expected = model(IDS[:1])[0].numpy()
    save_folder(model, tmp_path)
    found, _ = hidden_states_of_library(tmp_path, IDS[:1].tolist(), 16)
    assert error(torch.from_numpy(found), expected) < 1e-4


def test_padding_and_lengths():
    model = small_model()
    padded = torch.cat([IDS, torch.zeros(2, 4, dtype=torch.long)], 1)
    with torch.no_grad():
        assert torch.allclose(model(padded, kept=padded != 0)[:, :5], model(IDS), atol=1e-5)


def test_what_is_wrong_is_named():
    model = small_model()
    tensors = {name: value.numpy() for name, value in model.file_tensors().items()}
    for raw, changed, message in [
            (raw_config(model_type="gpt2"), {}, "model_type"),
            (raw_config(hidden_size="x"), {}, "hidden_size"),
            (raw_config(hidden_act="quick_gelu"), {}, "hidden_act"),
            (raw_config(ffn_num_tables=8), {}, "ffn_num_tables"),
            (raw_config(ffn_kinds=["lookup"]), {}, "ffn_kinds"),
            (raw_config(), {"bert.encoder.layer.1.output.dense.bias": None}, "missing"),
            (raw_config(), {"bert.other": np.zeros(1, np.float32)}, "no such tensor"),
            (raw_config(), {"cls.predictions.bias": np.zeros(3, np.float32)}, "shape")]:
        named_tensors = {name: value for name, value in {**tensors, **changed}.items() if value is not None}
        with pytest.raises(ValueError, match=message):
            family_model.family_model(raw, named_tensors)
    with pytest.raises(ValueError, match="ffn_linear"):
        replace_ffns(small_model("roberta-prelayernorm"), ffn_num_table=4, ffn_table_size=8, ffn_linear=True)


@pytest.mark.parametrize("family", ["bert", "distilbert"])
@torch.no_grad()
def test_new_ffns_by_their_sizes_alone(family, tmp_path):
    """What LookupFFN takes by default is written out, as the library wants it said."""
    model = small_model(family, "classes")
    replace_ffns(model, ffn_num_table=4, ffn_table_size=8, block_size=8)
    save_folder(model, tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["projection_type"] == "bh4"
    found, _ = hidden_states_of_library(tmp_path, IDS.tolist(), 16)
    assert error(model(IDS).flatten(0, 1), found) < 1e-4


@pytest.mark.parametrize("family", ["bert", "distilbert"])
@torch.no_grad()
def test_what_is_refused_changes_no_layer(family):
    model = small_model(family)
    before = model(IDS)
    with pytest.raises(ValueError):
        replace_ffns(model, "lokup", ffn_num_table=4, ffn_table_size=8)
    with pytest.raises(ValueError):
        replace_ffns(model, ffn_num_table=4, ffn_table_size=[8, 100, 8], projection_type="dense")
    assert torch.equal(model(IDS), before)


@torch.no_grad()
def test_a_decoder_counts_where_the_config_says_so():
    model = small_model("bert")
    tensors = {name: value.clone() for name, value in model.file_tensors().items()}
    weight = "cls.predictions.decoder.weight"
    words = tensors["bert.embeddings.word_embeddings.weight"]
    tensors[weight] = words + 1
    raw = dict(model.file_config())
    assert not hasattr(family_model.family_model(raw, tensors).cls.predictions, "decoder"), "it is tied"
    raw["tie_word_embeddings"] = False
    tensors[weight] = words.clone()
    assert family_model.family_model(raw, tensors).file_tensors()[weight].equal(words), "the library wants it there"
