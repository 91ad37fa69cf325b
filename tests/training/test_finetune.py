# SPDX-License-Identifier: Apache-2.0
"""Fine-tuning."""

import numpy as np
import pytest
import torch

from lookupffn import Encoder, EncoderConfig, bpe, finetune

TOKENIZER = bpe.Tokenizer(*bpe.train(["good bad fine poor"] * 2, 270))
torch.set_num_threads(1)


def config(**changes):
    return EncoderConfig(**{**dict(vocab_size=TOKENIZER.size, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                                   attention_head_size=8, intermediate_size=64, max_position_embeddings=20,
                                   ffn_kinds=["vanilla"]), **changes})


def test_finetuning_learns_and_keeps_to_its_seed(tmp_path):
    random = np.random.default_rng(0)
    lines = []
    for _ in range(120):
        label = int(random.integers(2))
        words = [["bad", "poor"], ["good", "fine"]][label]
        lines.append(f"{label}\t{' '.join(random.choice(words, random.integers(1, 5)))}")
    (tmp_path / "x.tsv").write_text("\n".join(lines) + "\n")
    texts, labels = finetune.read_examples(tmp_path / "x.tsv")
    assert len(texts) == 120 and set(labels) == {0, 1}
    torch.manual_seed(0)
    base = Encoder(config(ffn_kinds=["lookup"], ffn_num_table=4, ffn_table_size=8, block_size=8))
    models = [finetune.finetune(base, TOKENIZER, texts[:90], labels[:90], epochs=4, learning_rate=5e-3)
              for _ in range(2)]
    assert base.classifier is None
    assert finetune.classify(models[0], TOKENIZER, texts[90:]) == labels[90:]
    assert all(torch.equal(value, models[1].state_dict()[name]) for name, value in models[0].state_dict().items())


def test_pairs_are_learned_and_cut(tmp_path):
    random = np.random.default_rng(1)
    words = ["good", "bad", "fine", "poor"]
    lines = []
    for _ in range(160):
        a, b = random.choice(words, 2)
        lines.append(f"{int(a == words[0])}\t{b}\t{a}")  # the second text decides
    (tmp_path / "x.tsv").write_text("\n".join(lines) + "\n")
    texts, labels = finetune.read_examples(tmp_path / "x.tsv")
    assert texts[0] == tuple(lines[0].split("\t")[1:])
    sequence = finetune.encode_texts([("bad", "good")], TOKENIZER, config())[0]
    assert sequence == [0, *TOKENIZER.encode("bad"), 2, 2, *TOKENIZER.encode("good"), 2]
    (cut,) = finetune.encode_texts([("bad " * 30, "good")], TOKENIZER, config())
    assert len(cut) == 20 and cut[-len(TOKENIZER.encode("good")) - 1 : -1] == TOKENIZER.encode("good")
    torch.manual_seed(0)
    model = finetune.finetune(Encoder(config()), TOKENIZER, texts[:120], labels[:120], epochs=8, learning_rate=1e-2)
    assert finetune.classify(model, TOKENIZER, texts[120:]) == labels[120:]


def test_rates_clipping_and_dropout_in_finetuning(monkeypatch):
    rates, clipped, active = [], [], []
    set_rate, clip = finetune.set_rate, finetune.sparse.clip
    monkeypatch.setattr(finetune, "set_rate", lambda optimizer, rate: rates.append(rate) or set_rate(optimizer, rate))
    monkeypatch.setattr(finetune.sparse, "clip", lambda p, n: clipped.append(n) or clip(p, n))
    make = finetune.with_classifier
    monkeypatch.setattr(finetune, "with_classifier", lambda *a: active.append(a[2]) or make(*a))
    model = finetune.finetune(Encoder(config()), TOKENIZER, ["good", "bad"] * 20, [0, 1] * 20, epochs=2, batch=4,
                              learning_rate=1.0, clip=0.7, warm_up=0.25, dropout=0.2)
    assert active == [0.2] and model.config.hidden_dropout_prob == 0.0
    assert clipped == [0.7] * 20
    assert rates[:6] == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1.0]) and rates[-1] == pytest.approx(1 / 15)


def test_long_texts_are_cut():
    sequences = finetune.encode_texts(["good " * 100], TOKENIZER, config())
    assert len(sequences[0]) == 20 and sequences[0][0] == 0 and sequences[0][-1] == 2


def test_bad_examples_are_named(tmp_path):
    (tmp_path / "x.tsv").write_text("1\tgood\nbad\n")
    with pytest.raises(ValueError, match="x.tsv:2"):
        finetune.read_examples(tmp_path / "x.tsv")
