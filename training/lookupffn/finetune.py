# SPDX-License-Identifier: Apache-2.0
"""Fine-tuning an encoder for the classification of texts or of pairs of texts."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Sequence, Union

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from . import sparse
from .bpe import BOS_ID, EOS_ID, Tokenizer
from .config import EncoderConfig
from .encoder import Encoder
from .optimiser import make_optimizer, set_rate
from .progress import Progress
from .text_tokenizer import cut_pair

Text = Union[str, tuple[str, str]]


def read_examples(path: Union[str, Path]) -> tuple[list[Text], list[int]]:
    """Lines of a label, a tab and a text, or two texts with a tab between -> texts, labels as numbers from 0."""
    texts: list[Text] = []
    labels = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            label, *parts = line.rstrip("\n").split("\t")
            if len(parts) not in (1, 2) or not label.isdigit():
                raise ValueError(f"{path}:{number}: expected a number from 0, a tab and a text, or two texts with a tab")
            texts.append(parts[0] if len(parts) == 1 else (parts[0], parts[1]))
            labels.append(int(label))
    if not texts:
        raise ValueError(f"{path}: holds no examples")
    return texts, labels


def with_classifier(model: Encoder, num_classes: int, dropout: float = 0.0) -> Encoder:
    """The same encoder with a new classifier."""
    config = dataclasses.replace(model.config, num_classes=num_classes, hidden_dropout_prob=dropout,
                                 attention_probs_dropout_prob=dropout)
    renewed = Encoder(config)
    kept = {name: value for name, value in model.state_dict().items() if not name.startswith("classifier.")}
    renewed.load_state_dict(kept, strict=False)
    return renewed.to(model.device)


def padded_batch(sequences: Sequence[Sequence[int]], pad_id: int) -> Tensor:
    ids = torch.full((len(sequences), max(map(len, sequences))), pad_id)
    for row, sequence in zip(ids, sequences):
        row[: len(sequence)] = torch.tensor(sequence)
    return ids


def encode_texts(texts: Sequence[Text], tokenizer: Tokenizer, config: EncoderConfig) -> list[list[int]]:
    """<s> text </s>, or <s> first </s></s> second </s>, cut to the model's number of positions."""
    longest = config.max_position_embeddings + 1 - config.pad_token_id
    sequences = []
    for text in texts:
        if isinstance(text, str):
            sequences.append([BOS_ID, *tokenizer.encode(text)[: longest - 2], EOS_ID])
        else:
            a, b = cut_pair(tokenizer.encode(text[0]), tokenizer.encode(text[1]), longest - 4)
            sequences.append([BOS_ID, *a, EOS_ID, EOS_ID, *b, EOS_ID])
    return sequences


def finetune(model: Encoder, tokenizer: Tokenizer, texts: Sequence[Text], labels: Sequence[int], *, epochs: int = 3,
             batch: int = 16, learning_rate: float = 5e-4, seed: int = 0, dropout: float = 0.0, clip: float = 1.0,
             warm_up: float = 0.06) -> Encoder:
    """Trains a classifier and the encoder below it; returns a new model.

    `dropout` is the share of activations and attention weights dropped in training, `clip` the longest gradient (0: any),
    `warm_up` the share of all steps in which the rate rises.
    """
    if not 0 <= warm_up < 1:
        raise ValueError(f"warm_up is {warm_up}, expected a share of the steps from 0, below 1")
    torch.manual_seed(seed)
    model = with_classifier(model, max(labels) + 1, dropout).train()
    sequences = encode_texts(texts, tokenizer, model.config)
    optimizer = make_optimizer(model, weight_decay=0.01)
    random = np.random.default_rng(seed)
    steps = epochs * -(-len(texts) // batch)
    rising = int(warm_up * steps)
    progress = Progress(0, steps)
    step = 0
    for _ in range(epochs):
        order = random.permutation(len(texts))
        for first in range(0, len(texts), batch):
            chosen = order[first : first + batch]
            ids = padded_batch([sequences[i] for i in chosen], model.config.pad_token_id).to(model.device)
            wanted = torch.tensor([labels[i] for i in chosen], device=model.device)
            loss = F.cross_entropy(model.classifier(model(ids)), wanted)
            set_rate(optimizer, learning_rate * min((step + 1) / (rising + 1), (steps - step) / (steps - rising)))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            if clip > 0:
                sparse.clip(model.parameters(), clip)
            optimizer.step()
            step += 1
            progress.show(step, f"loss {float(loss):.3f}")
    # What is trained on from here begins without dropout again.
    return with_dropout(model, 0.0).eval()


def with_dropout(model: Encoder, dropout: float) -> Encoder:
    config = dataclasses.replace(model.config, hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout)
    renewed = Encoder(config).to(model.device)
    renewed.load_state_dict(model.state_dict())
    return renewed


@torch.no_grad()
def classify(model: Encoder, tokenizer: Tokenizer, texts: Sequence[Text], batch: int = 64) -> list[int]:
    """-> the number of the best class for each text."""
    sequences = encode_texts(texts, tokenizer, model.config)
    best: list[int] = []
    for first in range(0, len(texts), batch):
        ids = padded_batch(sequences[first : first + batch], model.config.pad_token_id).to(model.device)
        best += model.classifier(model(ids)).argmax(-1).tolist()
    return best
