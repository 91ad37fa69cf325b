#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what bf16 and int8 cost in log perplexity: liblookupffn runs a model in each element type, on the same masked tokens.

    element_types.py MODEL VALID_IDS [--batch 16] [--length 64] [--batches 16]

LOOKUPFFN_LIBRARY names the library. VALID_IDS comes from `lookupffn prepare`.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from lookupffn import bpe, data, files, native, pretrain, safetensors  # noqa: E402
from lookupffn.native_model import BF16, F32, INT8, NativeModel  # noqa: E402

COMBINATIONS = {  # tables, hash
    "float32": (F32, F32),
    "bf16 tables": (BF16, F32),
    "int8 tables": (INT8, F32),
    "int8 hash": (F32, INT8),
    "int8 tables and hash": (INT8, INT8),
}


def log_perplexity(path, types, batches, count, vocab_size):
    total = tokens = 0
    with NativeModel(path, num_threads=0, table_dtype=types[0], hash_dtype=types[1]) as model:
        for number in range(count):
            ids, labels = batches.get(number)
            places = np.flatnonzero(labels.reshape(-1) != data.IGNORED)
            logits = model.logits(ids.tolist(), places, vocab_size)
            wanted = labels.reshape(-1)[torch.from_numpy(places)]
            total += float(torch.nn.functional.cross_entropy(torch.from_numpy(logits).double(), wanted, reduction="sum"))
            tokens += len(places)
    return total / tokens


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("valid")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--batches", type=int, default=16)
    arguments = parser.parse_args()
    if native.library() is None:
        sys.exit("element_types.py: liblookupffn was not found; set LOOKUPFFN_LIBRARY")
    tokenizer = bpe.Tokenizer.load(arguments.model)
    ids = safetensors.load(arguments.valid)[0]["ids"].astype(np.uint16)
    batches = data.MaskedBatches(ids, tokenizer, batch=arguments.batch, length=arguments.length, seed=1000)
    print(f"| element types | log perplexity |\n|---|---|\n| PyTorch, float32 | "
          f"{pretrain.log_perplexity(files.import_model(arguments.model), batches, arguments.batches):.4f} |")
    for name, types in COMBINATIONS.items():
        value = log_perplexity(arguments.model, types, batches, arguments.batches, tokenizer.size)
        print(f"| {name} | {value:.4f} |", flush=True)


if __name__ == "__main__":
    main()
