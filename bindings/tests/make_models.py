# SPDX-License-Identifier: Apache-2.0
"""Makes the models that the tests of the bindings need beside the golden one: make_models.py MODEL FOLDER

FOLDER/reranker: the golden model with one class. FOLDER/prompts: it as a sentence encoder that has prompts.
FOLDER/tokens, answers, entailment: small models that find entities and answers, and try labels.
FOLDER/sparse: one that gives sparse vectors. FOLDER/router, router-prompts: two that give queries others.
FOLDER/late: one of late interaction. FOLDER/rotary: one with
a local layer and a global one.
"""
import json
import math
import shutil
import struct
import sys
from pathlib import Path


ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import archive  # noqa: E402


def unpack(name, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in archive.unpack((ROOT / "tests" / "model" / "small-folders.tar").read_bytes()).items():
        if path.startswith(name + "/"):
            (folder / path[len(name) + 1:]).write_bytes(content)


def add_entailment(folder):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["label2id"] = {"contradiction": 0, "entailment": 1}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


def keep_first_class(folder):
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    size = struct.unpack("<Q", whole[:8])[0]
    header = json.loads(whole[8 : 8 + size])
    data = whole[8 + size :]
    kept, out = b"", {}
    for name, tensor in header.items():
        if name == "__metadata__":
            out[name] = tensor
            continue
        begin, end = tensor["data_offsets"]
        if name.startswith("classifier.out_proj."):
            end = begin + (end - begin) // tensor["shape"][0]
            tensor["shape"][0] = 1
        tensor["data_offsets"] = [len(kept), len(kept) + end - begin]
        kept += data[begin:end]
        out[name] = tensor
    text = json.dumps(out).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + kept)
    config = json.loads((folder / "config.json").read_text())
    config["num_classes"] = 1
    (folder / "config.json").write_text(json.dumps(config))


def add_prompts(folder):
    size = json.loads((folder / "config.json").read_text())["hidden_size"]
    kind = "sentence_transformers.models."
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": kind + "Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": kind + "Pooling"},
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    pooling = {"word_embedding_dimension": size, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    prompts = {"prompts": {"query": "query: ", "document": "passage: "}, "default_prompt_name": None}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 32, "do_lower_case": False}))


def add_splade(folder):
    kind = "sentence_transformers.sparse_encoder.models."
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": kind + "MLMTransformer"},
        {"idx": 1, "name": "1", "path": "1_SpladePooling", "type": kind + "SpladePooling"},
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_SpladePooling").mkdir(exist_ok=True)
    pooling = {"pooling_strategy": "max", "activation_function": "relu", "word_embedding_dimension": None}
    (folder / "1_SpladePooling" / "config.json").write_text(json.dumps(pooling))
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"model_type": "SparseEncoder"}))


def add_router(folder, prompts):
    """A router in OpenSearch's layout: the folder's own model for documents, a weight for each token for queries."""
    kind = "sentence_transformers.sparse_encoder.models."
    query, pooling = "query_0_SparseStaticEmbedding", "document_1_SpladePooling"
    (folder / "modules.json").write_text(json.dumps(
        [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Router"}]))
    (folder / "router_config.json").write_text(json.dumps({
        "types": {query: kind + "SparseStaticEmbedding", "": kind + "MLMTransformer", pooling: kind + "SpladePooling"},
        "structure": {"query": [query], "document": ["", pooling]},
        "parameters": {"default_route": "document", "allow_empty_key": True}}))
    for name in (query, pooling):
        (folder / name).mkdir(exist_ok=True)
    settings = {"pooling_strategy": "max", "activation_function": "log1p_relu", "word_embedding_dimension": None}
    (folder / pooling / "config.json").write_text(json.dumps(settings))
    shutil.copy(folder / "tokenizer.json", folder / query)
    vocabulary = json.loads((folder / "config.json").read_text())["vocab_size"]
    (folder / query / "config.json").write_text(json.dumps({"frozen": True}))
    weights = b"".join(struct.pack("<f", 1 + i / 100) for i in range(vocabulary))
    text = json.dumps({"weight": {"dtype": "F32", "shape": [vocabulary], "data_offsets": [0, len(weights)]}}).encode()
    (folder / query / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + weights)
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"model_type": "SparseEncoder", "prompts": prompts}))


def add_late(folder):
    size, numbers = json.loads((folder / "config.json").read_text())["hidden_size"], 16
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Dense", "type": "pylate.models.Dense.Dense"},
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Dense").mkdir(exist_ok=True)
    dense = {"in_features": size, "out_features": numbers, "bias": False,
             "activation_function": "torch.nn.modules.linear.Identity"}
    (folder / "1_Dense" / "config.json").write_text(json.dumps(dense))
    weights = b"".join(struct.pack("<f", (i * 7919 % 1000 - 500) / 2000) for i in range(size * numbers))
    header = {"linear.weight": {"dtype": "F32", "shape": [numbers, size], "data_offsets": [0, len(weights)]}}
    text = json.dumps(header).encode()
    (folder / "1_Dense" / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + weights)
    settings = {"model_type": "ColBERT", "prompts": {"query": "", "document": ""}, "query_prefix": "[UNK]",
                "document_prefix": "[SEP]", "query_length": 16, "document_length": 28,
                "attend_to_expansion_tokens": False, "skiplist_words": [".", ","], "do_query_expansion": True}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))


def make_rotary(folder):
    """Gemma 3's shape, without a tokenizer."""
    shapes = {"embed_tokens": [13, 8], "norm": [8]}
    for layer in range(2):
        parts = {name: [8] for name in ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                                        "post_feedforward_layernorm")}
        parts |= {f"self_attn.{name}_proj": shape for name, shape in (("q", [8, 8]), ("k", [4, 8]), ("v", [4, 8]), ("o", [8, 8]))}
        parts |= {f"self_attn.{name}_norm": [4] for name in "qk"}
        parts |= {"mlp.gate_proj": [16, 8], "mlp.up_proj": [16, 8], "mlp.down_proj": [8, 16]}
        shapes |= {f"layers.{layer}.{name}": shape for name, shape in parts.items()}
    header, data = {}, b""
    for name, shape in shapes.items():
        count = math.prod(shape)
        numbers = struct.pack(f"<{count}f", *((i * 7919 % 1000 - 500) / 1000 for i in range(count)))
        header[name + ".weight"] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    config = {"model_type": "gemma3_text", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
              "num_key_value_heads": 1, "head_dim": 4, "intermediate_size": 16, "vocab_size": 13,
              "max_position_embeddings": 64, "use_bidirectional_attention": True, "sliding_window": 6,
              "sliding_window_pattern": 2, "rope_theta": 1000000.5, "rope_local_base_freq": 10000.0}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    for name, change in (("reranker", keep_first_class), ("prompts", add_prompts)):
        shutil.rmtree(target / name, ignore_errors=True)
        shutil.copytree(source, target / name)
        change(target / name)
    for small, name in (("bert-tokens", "tokens"), ("bert-answers", "answers"), ("bert-classes", "entailment")):
        unpack(small, target / name)
    add_entailment(target / "entailment")
    unpack("bert-mlm", target / "sparse")
    add_splade(target / "sparse")
    for name, prompts in (("router", {"query": "", "document": ""}), ("router-prompts", {"query": "", "question": "ask "})):
        unpack("bert-mlm", target / name)
        add_router(target / name, prompts)
    unpack("bert-mlm", target / "late")
    add_late(target / "late")
    make_rotary(target / "rotary")


if __name__ == "__main__":
    main()
