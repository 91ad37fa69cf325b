# SPDX-License-Identifier: Apache-2.0
"""python3 -m lookupffn COMMAND: tokenizer, prepare, train, evaluate, distill, adapt, finetune, export, import."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import typing
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Optional, Sequence

import numpy as np
import torch

from . import bpe, data, features, files, finetune, native, pretrain, safetensors
from .config import EncoderConfig, read_config
from .adapt import command as adapt_command
from .distiller import command as distil_command
from .many import command as many_command
from .encoder import Encoder


def make_tokenizer(arguments: Namespace) -> None:
    documents = (document for path in arguments.texts for document in data.documents_of(path))
    vocab, merges = bpe.train(documents, arguments.vocab_size)
    bpe.Tokenizer(vocab, merges).save(arguments.out)
    print(f"{len(vocab)} tokens")


def prepare(arguments: Namespace) -> None:
    tokenizer = bpe.Tokenizer.load(arguments.tokenizer)
    documents = (document for path in arguments.texts for document in data.documents_of(path))
    ids = data.ids_of_documents(documents, tokenizer)
    safetensors.save(arguments.out, {"ids": ids.astype(np.int32)})
    print(f"{len(ids)} tokens")


def read_ids(path: str) -> np.ndarray:
    ids = safetensors.load(path)[0].get("ids")
    if ids is None:
        raise ValueError(f"{path}: holds no ids; prepare writes such files")
    return ids


def valid_batches(arguments: Namespace, tokenizer: bpe.Tokenizer) -> data.MaskedBatches:
    return data.MaskedBatches(read_ids(arguments.valid), tokenizer, batch=arguments.batch, length=arguments.length,
                              seed=1000)


def train(arguments: Namespace) -> None:
    tokenizer = bpe.Tokenizer.load(arguments.tokenizer)
    config = EncoderConfig.from_dict({**read_config(arguments.config), "vocab_size": tokenizer.size})
    if arguments.ffn:
        config.ffn_kinds = [arguments.ffn] * config.num_hidden_layers
    features.set_threads(arguments.threads)
    schedule = pretrain.Schedule(**{field.name: getattr(arguments, field.name)
                                    for field in dataclasses.fields(pretrain.Schedule)})
    batches = data.MaskedBatches(read_ids(arguments.train), tokenizer, batch=arguments.batch, length=arguments.length,
                                 seed=arguments.seed, masked_share=arguments.masked_share)
    pretrain.train(arguments.out, config, schedule, batches, valid_batches(arguments, tokenizer),
                   device=arguments.device, precision=arguments.precision, compiled=arguments.compile)


def load_checkpoint(path: Path) -> Encoder:
    state = pretrain.read_checkpoint(path, "cpu")
    model = Encoder(EncoderConfig.from_dict(state["config"]))
    model.load_state_dict(state["model"])
    return model.eval()


def evaluate(arguments: Namespace) -> None:
    tokenizer = bpe.Tokenizer.load(arguments.tokenizer)
    model = load_checkpoint(Path(arguments.run) / "checkpoint.pt")
    print(f"log perplexity {pretrain.log_perplexity(model, valid_batches(arguments, tokenizer), arguments.batches):.4f}")


def run_finetune(arguments: Namespace) -> None:
    tokenizer = bpe.Tokenizer.load(arguments.model)
    texts, labels = finetune.read_examples(arguments.examples)
    valid = finetune.read_examples(arguments.valid) if arguments.valid else None
    model = finetune.finetune(files.import_model(arguments.model), tokenizer, texts, labels, epochs=arguments.epochs,
                              batch=arguments.batch, learning_rate=arguments.learning_rate, seed=arguments.seed,
                              dropout=arguments.dropout, clip=arguments.clip, warm_up=arguments.warm_up)
    files.export_folder(model, arguments.out, tokenizer)
    if valid is not None:
        texts, labels = valid
        right = sum(a == b for a, b in zip(finetune.classify(model, tokenizer, texts), labels))
        print(f"{right} of {len(labels)} right")


def export(arguments: Namespace) -> None:
    model = load_checkpoint(Path(arguments.run) / "checkpoint.pt")
    files.export_folder(model, arguments.out, bpe.Tokenizer.load(arguments.tokenizer), arguments.dtype)


def import_model(arguments: Namespace) -> None:
    config = read_config(arguments.config) if arguments.config else None
    tokenizer = bpe.Tokenizer.load(arguments.tokenizer) if arguments.tokenizer else None
    if tokenizer is None and Path(arguments.model).is_dir():
        tokenizer = files.import_tokenizer(arguments.model)
    files.export_folder(files.import_model(arguments.model, config), arguments.out, tokenizer, arguments.dtype)


def add_batch_options(parser: ArgumentParser) -> None:
    parser.add_argument("--tokenizer", required=True, help="folder with vocab.json and merges.txt")
    parser.add_argument("--valid", required=True, help="ids to measure on, written by prepare")
    parser.add_argument("--batch", type=int, default=16, help="sequences per batch")
    parser.add_argument("--length", type=int, default=128, help="tokens per sequence")


def show_library(_: Namespace) -> None:
    found = native.library()
    print("liblookupffn was not found; layers run in plain PyTorch" if found is None else native.version())


def main(argv: Optional[Sequence[str]] = None) -> None:
    parser = ArgumentParser(prog="python3 -m lookupffn", description="Trains LookupFFN encoders; see docs/training.md.")
    commands = parser.add_subparsers(dest="command", required=True)

    command = commands.add_parser("tokenizer", help="train a byte-level BPE vocabulary")
    command.add_argument("out")
    command.add_argument("texts", nargs="+")
    command.add_argument("--vocab-size", type=int, default=8192)
    command.set_defaults(run_command=make_tokenizer)

    command = commands.add_parser("prepare", help="turn texts into ids")
    command.add_argument("out")
    command.add_argument("texts", nargs="+")
    command.add_argument("--tokenizer", required=True)
    command.set_defaults(run_command=prepare)

    command = commands.add_parser("train", help="pretrain, or resume a stopped run in the same folder")
    command.add_argument("out", help="folder of the run")
    command.add_argument("--config", required=True, help="a model's config.json")
    command.add_argument("--train", required=True, help="ids to learn from, written by prepare")
    command.add_argument("--ffn", help="the kind of all FFNs instead of the config's: lookup, vanilla, none, ...")
    command.add_argument("--device", default="cpu")
    command.add_argument("--masked-share", type=float, default=0.15,
                         help="share of training tokens to mask; for measuring, 15 in 100 are masked")
    command.add_argument("--precision", choices=list(features.PRECISIONS), default="float32",
                         help="of products; bfloat16 pays off if the processor has it, float16 only on GPUs")
    command.add_argument("--compile", action="store_true",
                         help="run the steps through torch.compile, in plain PyTorch; needs PyTorch 2")
    command.add_argument("--threads", type=int, default=0)
    add_batch_options(command)
    types = typing.get_type_hints(pretrain.Schedule)
    for field in dataclasses.fields(pretrain.Schedule):
        default = None if field.default is dataclasses.MISSING else field.default
        command.add_argument("--" + field.name.replace("_", "-"), type=types[field.name], default=default,
                             required=default is None)
    command.set_defaults(run_command=train)

    command = commands.add_parser("evaluate", help="print the log perplexity of a run's last checkpoint")
    command.add_argument("run")
    command.add_argument("--batches", type=int, default=16)
    add_batch_options(command)
    command.set_defaults(run_command=evaluate)

    distil_command.add(commands)
    adapt_command.add(commands)
    many_command.add(commands)

    command = commands.add_parser("finetune", help="train a classifier on lines of a class number, a tab and one or two texts")
    command.add_argument("model", help="folder with a model and its tokenizer")
    command.add_argument("out")
    command.add_argument("examples")
    command.add_argument("--valid", help="examples to measure on")
    command.add_argument("--epochs", type=int, default=3)
    command.add_argument("--batch", type=int, default=16)
    command.add_argument("--learning-rate", type=float, default=5e-4)
    command.add_argument("--dropout", type=float, default=0.1, help="share of activations and attention weights to drop")
    command.add_argument("--clip", type=float, default=1.0, help="largest length of the gradient; 0: no limit")
    command.add_argument("--warm-up", type=float, default=0.06, help="share of the steps in which the rate rises")
    command.add_argument("--seed", type=int, default=0)
    command.set_defaults(run_command=run_finetune)

    command = commands.add_parser("export", help="write a run's model as a folder that the library loads")
    command.add_argument("run")
    command.add_argument("out")
    command.add_argument("--tokenizer", required=True, help="folder with vocab.json and merges.txt")
    command.add_argument("--dtype", choices=("f32", "bf16"), default="f32")
    command.set_defaults(run_command=export)

    command = commands.add_parser("import", help="turn a checkpoint of the paper's authors into a folder that the library loads")
    command.add_argument("model", help="a folder with config.json, or a .ckpt, .pt, .bin or .safetensors file")
    command.add_argument("out")
    command.add_argument("--config", help="the model's config.json, if the folder has none")
    command.add_argument("--tokenizer", help="folder with vocab.json and merges.txt")
    command.add_argument("--dtype", choices=("f32", "bf16"), default="f32")
    command.set_defaults(run_command=import_model)

    command = commands.add_parser("library", help="say which liblookupffn was found, if any")
    command.set_defaults(run_command=show_library)

    arguments = parser.parse_args(argv)
    try:
        arguments.run_command(arguments)
    except (OSError, ValueError, ArithmeticError) as error:
        sys.exit(f"lookupffn: {error}")


if __name__ == "__main__":
    main()
