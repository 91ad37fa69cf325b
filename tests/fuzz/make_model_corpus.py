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


def write(path, kinds, heads, tokenizer, dtype="F32", d=8, vocab=13, tables=3, rows=4, projection="bh2", layer_heads=None,
          words=None, word_rows=None):
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

    def add_bytes(name, kind, numbers, *shape):
        nonlocal data
        entries[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers

    def add_words(name):
        count = word_rows or vocab
        columns = d // 2 if words == "U8" else d
        numbers = [generator.randrange(256) for _ in range(count * columns)]
        kinds_of_bits = {"F32": "f", "F16": "e", "BF16": "f", "I8": "B", "U8": "B"}
        floating = words in ("F32", "F16", "BF16")
        packed = struct.pack(f"<{len(numbers)}{kinds_of_bits[words]}",
                             *(number / 256 - 0.5 if floating else number for number in numbers))
        if words == "BF16":
            packed = b"".join(packed[i + 2:i + 4] for i in range(0, len(packed), 4))
        add_bytes(name, words, packed, count, columns)
        if not floating:
            add_bytes(name + ".scale", "F32", struct.pack(f"<{count}f", *[0.01] * count), count)

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
    if word_rows:
        add_bytes("embeddings.word_rows", "I32", struct.pack(f"<{vocab}i", *(i % word_rows for i in range(vocab))), vocab)
    for i, kind in enumerate(kinds):
        prefix = f"encoder.layer.{i}."
        wide = d if layer_heads is None else 4 * layer_heads[i]
        norm(prefix + "attention.LayerNorm.")
        for name in ("query.", "key.", "value.") if wide > 0 else ():
            linear(prefix + "attention." + name, wide, d)
        if wide > 0:
            linear(prefix + "attention.dense.", d, wide)
        else:
            add(prefix + "attention.dense.bias", d)
        if words is not None:
            add_words(prefix + "FFN.words")
        if kind == "none":
            add(prefix + "FFN.bias", d)
        elif kind == "lookup":
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
    if layer_heads is not None:
        config["num_attention_heads"], config["attention_head_size"] = layer_heads, 4
        config["intermediate_size"] = [6 if kind == "vanilla" else 0 for kind in kinds]
    if words is not None:
        config["ffn_words"] = True
    if word_rows:
        config["ffn_word_rows"] = word_rows
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
    for kind in ("F32", "F16", "BF16", "I8", "U8"):
        write(folder / f"model-words-{kind.lower()}", ["vanilla", "none"], heads=False, tokenizer=False,
              layer_heads=[1, 0], words=kind, word_rows=5 if kind == "U8" else None)
    write(folder / "model-without-heads", ["none", "lookup"], heads=True, tokenizer=False, layer_heads=[0, 0])


if __name__ == "__main__":
    main(*sys.argv[1:])
