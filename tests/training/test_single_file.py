# SPDX-License-Identifier: Apache-2.0
"""Files that the library writes, read back into PyTorch: what was rounded is what the library rounds."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lookupffn import EncoderConfig, family_config, family_model, files, safetensors, single_file
from lookupffn.distiller import quantise
from lookupffn.encoder import Encoder
from lookupffn.native_model import INT8, NativeModel

torch.set_num_threads(1)
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

SENTENCE = archive.unpacked("training/data.tar") / "sentence-lookup-bh4"
INT8_EVERYWHERE = {"table_dtype": INT8, "hash_dtype": INT8, "linear_dtype": INT8, "embedding_dtype": INT8}


def bert(folder, task, **lookups):
    torch.manual_seed(5)
    raw = {"model_type": "bert", "vocab_size": 1500, "max_position_embeddings": 64, "hidden_size": 32, "pad_token_id": 0,
           "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64, "hidden_act": "gelu",
           "type_vocab_size": 2}
    config = family_config.FamilyConfig("bert", raw, task, 3, has_pooler=task == "classes")
    model = family_model.FamilyModel(config)
    model.replace_ffns("lookup", ffn_num_table=[8, 12], ffn_table_size=16, **lookups)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "linear" in name or name.endswith("bias"):
                parameter.normal_(std=0.1)
    family_model.save_folder(model, folder, SENTENCE)
    (folder / "modules.json").unlink()
    return model


def check(folder, model, path):
    """Saved in int8 and read back, the model is the one whose weights are rounded by quantise.py."""
    with NativeModel(folder, **INT8_EVERYWHERE) as native_model:
        native_model.save(path)
    read = single_file.load_model(path)
    with quantise.int8(model):
        wanted = {name: value.clone() for name, value in model.state_dict().items()}
    found = read.state_dict()
    assert set(wanted) - set(found) <= {name for name in wanted if ".pooler." in name} and set(found) <= set(wanted)
    for name, value in found.items():
        torch.testing.assert_close(value, wanted[name], rtol=1e-5, atol=1e-6, msg=name)
    # Not one tensor was left as it was before rounding, where the library rounds.
    changed = [name for name, value in found.items() if not torch.equal(value, model.state_dict()[name])]
    assert sum("FFN.tables" in name for name in changed) == sum("FFN.tables" in name for name in found) > 0


@pytest.mark.parametrize("task, lookups", [
    ("masked_lm", {"projection_type": "dense", "ffn_linear": [True, False]}), ("classes", {"projection_type": "dense"}),
    ("masked_lm", {"projection_type": ["bh4", "dense"], "block_size": 16, "decay_coeff": 0.6})])
def test_families(tmp_path, task, lookups):
    check(tmp_path, bert(tmp_path, task, **lookups), tmp_path / "model.one")


def test_sentence_encoder(tmp_path):
    check(SENTENCE, family_model.load_folder(SENTENCE), tmp_path / "model.one")


@pytest.mark.parametrize("kinds", [["lookup", "lookup"], ["vanilla", "lookup"]])
def test_the_papers_encoder(tmp_path, kinds):
    torch.manual_seed(6)
    model = Encoder(EncoderConfig(vocab_size=300, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                                  attention_head_size=8, intermediate_size=32, max_position_embeddings=20, block_size=8,
                                  ffn_num_table=6, ffn_table_size=8, ffn_kinds=kinds)).eval()
    files.export_folder(model, tmp_path)
    check(tmp_path, model, tmp_path / "model.one")


def test_floats_are_read_as_they_are(tmp_path):
    with NativeModel(SENTENCE) as native_model:
        native_model.save(tmp_path / "model.one")
    wanted = family_model.load_folder(SENTENCE).state_dict()
    for name, value in single_file.load_model(tmp_path / "model.one").state_dict().items():
        assert torch.equal(value, wanted[name]), name


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no model that the library wrote"):
        single_file.load_model(SENTENCE / "model.safetensors")
    safetensors.save(tmp_path / "layer", {"tables": np.zeros((1, 2, 4), np.float32)},
                     {"format": "lookupffn", "kind": "layer", "config": json.dumps({})})
    with pytest.raises(ValueError, match="no model that the library wrote"):
        single_file.load_model(tmp_path / "layer")
