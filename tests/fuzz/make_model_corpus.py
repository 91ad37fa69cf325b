#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of corpus/model.tar: make_model_corpus.py FOLDER. Small whole models, the same files every time."""
import json
import random
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import archive  # noqa: E402

TOKENIZER = archive.unpack((HERE / "corpus" / "tokenizer.tar").read_bytes())["seed-json"].partition(b"\0")[0]


def write(path, kinds, heads, tokenizer, dtype="F32", d=8, vocab=13, tables=3, rows=4, projection="bh2"):
    generator = random.Random(path.name)
    entries, data = {}, b""

    def add(name, *shape):
        nonlocal data
        count = 1
        for size in shape:
            count *= size
        numbers = struct.pack(f"<{count}f", *(generator.uniform(-1, 1) for _ in range(count)))
        if dtype == "BF16":
            numbers = b"".join(numbers[i + 2:i + 4] for i in range(0, len(numbers), 4))
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers

    def norm(name):
        add(name + "weight", d)
        add(name + "bias", d)

    def linear(name, outputs, inputs):
        add(name + "weight", outputs, inputs)
        add(name + "bias", outputs)

    add("embeddings.word_embeddings.weight", vocab, d)
    add("embeddings.position_embeddings.weight", 12, d)
    add("embeddings.token_type_embeddings.weight", 1, d)
    norm("embeddings.LayerNorm.")
    for i, kind in enumerate(kinds):
        prefix = f"encoder.layer.{i}."
        norm(prefix + "attention.LayerNorm.")
        for name in ("query.", "key.", "value.", "dense."):
            linear(prefix + "attention." + name, d, d)
        if kind == "lookup":
            bits = rows.bit_length() - 1
            norm(prefix + "FFN.LayerNorm.")
            add(prefix + "FFN.hash.projection.weight", *((1, 2, d // 4, 4, 4) if projection == "bh2" else (tables * bits, d)))
            add(prefix + "FFN.hash.projection.bias", tables * bits)
            add(prefix + "FFN.tables", tables, rows, d)
            add(prefix + "FFN.bias", d)
        else:
            norm(prefix + "FFN.0.")
            linear(prefix + "FFN.1.", 6, d)
            linear(prefix + "FFN.3.", d, 6)
    norm("encoder.LayerNorm.")
    if heads:
        linear("lm_head.dense.", d, d)
        norm("lm_head.layer_norm.")
        add("lm_head.bias", vocab)
        linear("classifier.dense.", d, d)
        linear("classifier.out_proj.", 2, d)
    if tokenizer:
        entries["tokenizer.json"] = {"dtype": "U8", "shape": [len(TOKENIZER)],
                                     "data_offsets": [len(data), len(data) + len(TOKENIZER)]}
        data += TOKENIZER
    config = {"hidden_size": d, "num_hidden_layers": len(kinds), "num_attention_heads": 2, "vocab_size": vocab,
              "max_position_embeddings": 10, "intermediate_size": 6, "ffn_num_table": tables, "ffn_table_size": rows,
              "block_size": 4, "projection_type": projection, "ffn_kinds": kinds}
    metadata = {"format": "lookupffn", "format_version": "1", "kind": "model", "config": json.dumps(config)}
    header = json.dumps({"__metadata__": metadata, **entries}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)


def main(folder):
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    write(folder / "model-lookup", ["lookup"], heads=False, tokenizer=False)
    write(folder / "model-vanilla", ["vanilla"], heads=True, tokenizer=False)
    write(folder / "model-text", ["lookup", "vanilla"], heads=True, tokenizer=True)
    write(folder / "model-dense-bf16", ["lookup", "lookup"], heads=False, tokenizer=True, dtype="BF16",
          projection="dense")
    write(folder / "model-no-layers", [], heads=True, tokenizer=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
