#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a sentence-transformers folder from a BERT encoder in a .NET assembly's resources: an ONNX file with float32 weights,
and a vocabulary. The first token's state, scaled to length 1, is the embedding.

    folder_from_assembly.py ASSEMBLY OUT [--prompt NAME=TEXT]... [--longest N]
"""

import argparse
import importlib.util
import json
import re
import sys
from pathlib import Path

import numpy as np

_PACKAGE = Path(__file__).resolve().parent.parent / "lookupffn"


def _part(name):
    """Loads a module that needs only numpy, without the package, which needs PyTorch."""
    spec = importlib.util.spec_from_file_location(name, _PACKAGE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


assembly, onnx_weights, safetensors = map(_part, ("assembly", "onnx_weights", "safetensors"))


def bert_tensors(graph):
    """The tensors by Hugging Face's names. PyTorch's export names biases and norms, but the weight of a product only through
    the node that multiplies by it, and transposed."""
    tensors = {name: values for name, values in graph.weights.items() if re.match(r"(embeddings|encoder)\.", name)}
    for node in graph.nodes:
        weights = [name for name in node.inputs if name in graph.weights]
        if node.kind != "MatMul" or len(weights) != 1:
            continue
        path = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
        tensors[path + ".weight"] = np.ascontiguousarray(graph.weights[weights[0]].T)
    return tensors


def config_of(tensors):
    size = tensors["embeddings.LayerNorm.weight"].shape[0]
    layers = {int(match[1]) for match in (re.match(r"encoder\.layer\.(\d+)\.", name) for name in tensors) if match}
    return {"architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "hidden_size": size,
            "intermediate_size": tensors["encoder.layer.0.intermediate.dense.bias"].shape[0],
            "layer_norm_eps": 1e-12, "max_position_embeddings": len(tensors["embeddings.position_embeddings.weight"]),
            "num_attention_heads": size // 32, "num_hidden_layers": len(layers), "pad_token_id": 0,
            "type_vocab_size": len(tensors["embeddings.token_type_embeddings.weight"]),
            "vocab_size": len(tensors["embeddings.word_embeddings.weight"])}


def write(folder, tensors, vocabulary, prompts, longest):
    config = config_of(tensors)
    expected = 5 + 16 * config["num_hidden_layers"]
    if len(tensors) != expected:
        raise ValueError(f"the ONNX file holds {len(tensors)} tensors of a BERT encoder, expected {expected}")
    words = vocabulary.splitlines()
    if len(words) != config["vocab_size"]:
        raise ValueError(f"the vocabulary has {len(words)} lines for {config['vocab_size']} words")
    pooling = {"word_embedding_dimension": config["hidden_size"], "pooling_mode_cls_token": True,
               "pooling_mode_mean_tokens": False, "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False}
    parts = [("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")]
    texts = {
        "config.json": config,
        "modules.json": [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
                         for i, (kind, path) in enumerate(parts)],
        "1_Pooling/config.json": pooling,
        "sentence_bert_config.json": {"max_seq_length": longest, "do_lower_case": False},
        "config_sentence_transformers.json": {"prompts": prompts, "default_prompt_name": None},
        "tokenizer_config.json": {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "strip_accents": None,
                                  "tokenize_chinese_chars": True, "model_max_length": longest, "unk_token": "[UNK]",
                                  "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"},
    }
    (folder / "1_Pooling").mkdir(parents=True, exist_ok=True)
    for name, value in texts.items():
        safetensors.write_atomically(folder / name, (json.dumps(value, indent=2) + "\n").encode())
    safetensors.write_atomically(folder / "vocab.txt", "".join(word + "\n" for word in words).encode())
    safetensors.save(folder / "model.safetensors", tensors, {"format": "pt"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assembly", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--prompt", action="append", default=[], metavar="NAME=TEXT")
    parser.add_argument("--longest", type=int, default=512, help="most tokens of a text")
    arguments = parser.parse_args()
    graph = vocabulary = None
    for resource in assembly.resources(arguments.assembly.read_bytes()):
        if bytes(resource[:5]) == b"[PAD]":
            vocabulary = bytes(resource).decode("utf-8")
        elif len(resource) > 1 << 20:
            graph = onnx_weights.read(resource)
    if graph is None or vocabulary is None:
        raise ValueError(f"{arguments.assembly}: no ONNX file and vocabulary among its resources")
    prompts = dict(prompt.split("=", 1) for prompt in arguments.prompt)
    write(arguments.out, bert_tensors(graph), vocabulary, prompts, arguments.longest)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"folder_from_assembly.py: {error}")
