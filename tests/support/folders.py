# SPDX-License-Identifier: Apache-2.0
"""Folders of models, made of those that the tests have."""
import json
import shutil
from pathlib import Path


def make_sparse(of, folder):
    """Copies the folder of a masked language model, and adds the modules that make sparse vectors of its logits."""
    folder = Path(folder)
    shutil.copytree(of, folder)
    modules = "sentence_transformers.sparse_encoder.models."
    (folder / "modules.json").write_text(json.dumps([
        {"idx": 0, "name": "0", "path": "", "type": modules + "MLMTransformer"},
        {"idx": 1, "name": "1", "path": "1_SpladePooling", "type": modules + "SpladePooling"}]))
    (folder / "1_SpladePooling").mkdir()
    size = json.loads((folder / "config.json").read_text())["vocab_size"]
    (folder / "1_SpladePooling" / "config.json").write_text(json.dumps(
        {"pooling_strategy": "max", "activation_function": "relu", "word_embedding_dimension": size}))
    return str(folder)


def make_prompted(of, folder, **prompts):
    """Copies the folder of a sentence encoder, with these prompts and no default one."""
    folder = Path(folder)
    shutil.copytree(of, folder)
    settings = {"model_type": "SentenceTransformer", "prompts": prompts, "default_prompt_name": None}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    return str(folder)
