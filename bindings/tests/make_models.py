# SPDX-License-Identifier: Apache-2.0
"""Makes the models that the tests of the bindings need beside the golden one: make_models.py MODEL FOLDER

FOLDER/reranker: the golden model with one class. FOLDER/prompts: it as a sentence encoder that has prompts.
FOLDER/tokens, answers, entailment: small models that find entities and answers, and try labels.
FOLDER/sparse: one that gives sparse vectors. FOLDER/router, router-prompts: two that give queries others.
FOLDER/late: one of late interaction. FOLDER/rotary: one with
a local layer and a global one. FOLDER/adapters: one with adapters; FOLDER/adapters-separation: it with one of
them added to its weights.
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


def write_weights(folder, tensors):
    """tensors: by their names, shapes and numbers."""
    header, data = {}, b""
    for name, (shape, numbers) in tensors.items():
        part = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


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
    write_weights(folder / query, {"weight": ([vocabulary], [1 + i / 100 for i in range(vocabulary)])})
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
    weights = [(i * 7919 % 1000 - 500) / 2000 for i in range(size * numbers)]
    write_weights(folder / "1_Dense", {"linear.weight": ([numbers, size], weights)})
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
    config = {"model_type": "gemma3_text", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
              "num_key_value_heads": 1, "head_dim": 4, "intermediate_size": 16, "vocab_size": 13,
              "max_position_embeddings": 64, "use_bidirectional_attention": True, "sliding_window": 6,
              "sliding_window_pattern": 2, "rope_theta": 1000000.5, "rope_local_base_freq": 10000.0}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    write_weights(folder, {name + ".weight": (shape, [(i * 7919 % 1000 - 500) / 1000 for i in range(math.prod(shape))])
                           for name, shape in shapes.items()})


def make_adapters(folder, summed=None):
    """jina-embeddings-v3's shape with a tokenizer of BERT's; with a name, its adapter is in the weights instead. All
    numbers are small multiples of powers of 1/2, so that the sums are exact."""
    size, neurons, rank, alpha = 16, 24, 2, 1
    names = ["retrieval.query", "separation", "text-matching"]
    unpack("bert-mlm", folder)
    (folder / "tokenizer_config.json").unlink()
    words = json.loads((folder / "config.json").read_text())["vocab_size"]
    matrices = {"embeddings.word_embeddings": (words, size), "embeddings.token_type_embeddings": (1, size)}
    looked_up = list(matrices)
    layer = "encoder.layers.0."
    matrices |= {layer + "mixer.Wqkv": (3 * size, size), layer + "mixer.out_proj": (size, size),
                 layer + "mlp.fc1": (neurons, size), layer + "mlp.fc2": (size, neurons), "pooler.dense": (size, size)}

    def numbers(count, seed, bits):
        return [((i + seed) * 7919 % 251 - 125) / 2**bits for i in range(count)]

    tensors = {}
    for seed, (name, (rows, columns)) in enumerate(matrices.items()):
        name = f"roberta.{name}."
        weight = numbers(rows * columns, seed, 8)
        left, right = numbers(len(names) * rows * rank, seed + 1, 8), numbers(len(names) * rank * columns, seed + 2, 8)
        if summed is None:
            thin = {"A": ([len(names), rank, columns], right), "B": ([len(names), rows, rank], left)}
            if name[8:-1] in looked_up:
                thin = {"A": thin["B"], "B": thin["A"]}
            tensors[name + "parametrizations.weight.original"] = ([rows, columns], weight)
            tensors |= {name + "parametrizations.weight.0.lora_" + which: tensor for which, tensor in thin.items()}
        else:
            at = names.index(summed)
            tensors[name + "weight"] = ([rows, columns], [
                weight[row * columns + column] + alpha / rank * sum(
                    left[(at * rows + row) * rank + r] * right[(at * rank + r) * columns + column] for r in range(rank))
                for row in range(rows) for column in range(columns)])
        if name[8:-1] not in looked_up:
            tensors[name + "bias"] = ([rows], numbers(rows, seed + 3, 8))
    for norm in ("emb_ln", layer + "norm1", layer + "norm2"):
        tensors |= {f"roberta.{norm}.weight": ([size], [1] * size), f"roberta.{norm}.bias": ([size], [0] * size)}
    write_weights(folder, tensors)
    config = {"model_type": "xlm-roberta", "position_embedding_type": "rotary", "rotary_emb_base": 20000.0,
              "architectures": ["XLMRobertaModel"], "hidden_size": size, "num_hidden_layers": 1,
              "num_attention_heads": 2, "intermediate_size": neurons, "vocab_size": words, "type_vocab_size": 1,
              "max_position_embeddings": 512, "layer_norm_eps": 1e-05, "hidden_act": "gelu", "pad_token_id": 0}
    if summed is None:
        config |= {"lora_adaptations": names, "lora_alpha": alpha, "lora_rank": rank}
    (folder / "config.json").write_text(json.dumps(config))


def main(source, target):
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
    make_adapters(target / "adapters")
    make_adapters(target / "adapters-separation", "separation")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
