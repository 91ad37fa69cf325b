# SPDX-License-Identifier: Apache-2.0
"""Runs the Python of the pages, each block as a program beside a sentence encoder and a BERT of random weights."""
import json
import os
import shutil
import subprocess

import make_models  # found by tree
from not_run import block_reason
from pages import ROOT, all_blocks

GIVEN = [("x", "import torch\nx = torch.zeros(3, 512)\n")]


def make_bert(folder, layers=4, size=24, heads=6, neurons=48, words=9000):
    """Four layers and thousands of words, as the pages say of theirs."""
    def matrix(name, *shape):
        count = 1
        for length in shape:
            count *= length
        return {name: (list(shape), [(i * 7919 % 1000 - 500) / 2000 for i in range(count)])}

    def linear(name, rows, columns):
        return matrix(name + ".weight", rows, columns) | matrix(name + ".bias", rows)

    def norm(name):
        return {name + ".weight": ([size], [1.0] * size), name + ".bias": ([size], [0.0] * size)}

    tensors = norm("embeddings.LayerNorm")
    for name, rows in (("word", words), ("position", 64), ("token_type", 2)):
        tensors |= matrix(f"embeddings.{name}_embeddings.weight", rows, size)
    for i in range(layers):
        layer = f"encoder.layer.{i}."
        for name in ("query", "key", "value"):
            tensors |= linear(layer + "attention.self." + name, size, size)
        tensors |= linear(layer + "attention.output.dense", size, size) | norm(layer + "attention.output.LayerNorm")
        tensors |= linear(layer + "intermediate.dense", neurons, size) | linear(layer + "output.dense", size, neurons)
        tensors |= norm(layer + "output.LayerNorm")
    folder.mkdir()
    make_models.write_weights(folder, tensors)
    (folder / "config.json").write_text(json.dumps({
        "model_type": "bert", "architectures": ["BertModel"], "vocab_size": words, "hidden_size": size, "num_hidden_layers": layers,
        "num_attention_heads": heads, "intermediate_size": neurons, "hidden_act": "gelu", "max_position_embeddings": 64,
        "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0}), encoding="utf-8")


def run_blocks(folder, data, python, library):
    bad, run = [], 0
    environment = os.environ | {"PYTHONPATH": str(ROOT / "training"), "LOOKUPFFN_LIBRARY": str(library)}
    for block in all_blocks("python"):
        if block_reason(block):
            continue
        run += 1
        place = folder / str(run)
        place.mkdir()
        shutil.copytree(data / "small-folders" / "sentence-mean", place / "all-MiniLM-L6-v2")
        make_bert(place / "bert")
        before = "".join(made for name, made in GIVEN if name + ")" in block.code)
        (place / "block.py").write_text(before + block.code, encoding="utf-8")
        done = subprocess.run([python, "block.py"], cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=300, check=False)
        if done.returncode != 0:
            bad.append(f"{block.place}:\n{done.stdout}")
    print(f"{run} blocks run")
    return bad if run else ["the pages have no Python"]
