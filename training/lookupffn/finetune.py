"""Fine-tuning an encoder for the classification of texts."""

import dataclasses

import numpy as np
import torch
from torch.nn import functional as F

from .bpe import BOS_ID, EOS_ID
from .encoder import Encoder
from .optimiser import make_optimizer, set_rate
from .progress import Progress


def read_examples(path):
    """Lines of a label, a tab and a text -> texts, labels as numbers from 0."""
    texts, labels = [], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            label, tab, text = line.rstrip("\n").partition("\t")
            if not tab or not label.isdigit():
                raise ValueError(f"{path}:{number}: expected a number from 0, a tab and a text")
            texts.append(text)
            labels.append(int(label))
    return texts, labels


def with_classifier(model, num_classes):
    """The same encoder with a new classifier."""
    renewed = Encoder(dataclasses.replace(model.config, num_classes=num_classes))
    kept = {name: value for name, value in model.state_dict().items() if not name.startswith("classifier.")}
    renewed.load_state_dict(kept, strict=False)
    return renewed.to(model.lm_head.bias.device)


def padded_batch(sequences, pad_id):
    ids = torch.full((len(sequences), max(map(len, sequences))), pad_id)
    for row, sequence in zip(ids, sequences):
        row[: len(sequence)] = torch.tensor(sequence)
    return ids


def encode_texts(texts, tokenizer, config):
    longest = config.max_position_embeddings + 1 - config.pad_token_id
    return [[BOS_ID, *tokenizer.encode(text)[: longest - 2], EOS_ID] for text in texts]


def finetune(model, tokenizer, texts, labels, *, epochs=3, batch=16, learning_rate=5e-4, seed=0):
    """Trains a classifier and the encoder below it; returns a new model."""
    torch.manual_seed(seed)
    model = with_classifier(model, max(labels) + 1).train()
    device = model.lm_head.bias.device
    sequences = encode_texts(texts, tokenizer, model.config)
    optimizer = make_optimizer(model, weight_decay=0.01)
    random = np.random.default_rng(seed)
    steps = epochs * -(-len(texts) // batch)
    progress = Progress(0, steps)
    step = 0
    for _ in range(epochs):
        order = random.permutation(len(texts))
        for first in range(0, len(texts), batch):
            chosen = order[first : first + batch]
            ids = padded_batch([sequences[i] for i in chosen], model.config.pad_token_id).to(device)
            wanted = torch.tensor([labels[i] for i in chosen], device=device)
            loss = F.cross_entropy(model.classifier(model(ids)), wanted)
            set_rate(optimizer, learning_rate * (1 - step / steps))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            step += 1
            progress.show(step, f"loss {float(loss):.3f}")
    return model.eval()


@torch.no_grad()
def classify(model, tokenizer, texts, batch=64):
    """-> the number of the best class for each text."""
    sequences = encode_texts(texts, tokenizer, model.config)
    best = []
    for first in range(0, len(texts), batch):
        ids = padded_batch(sequences[first : first + batch], model.config.pad_token_id).to(model.lm_head.bias.device)
        best += model.classifier(model(ids)).argmax(-1).tolist()
    return best
