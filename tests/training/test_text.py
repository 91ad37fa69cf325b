# SPDX-License-Identifier: Apache-2.0
"""The tokenizer and the batches."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lookupffn import __main__, bpe, data, safetensors

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

GOLDEN = archive.unpacked("model/data.tar")
TEXT = ["the cat sat on the mat; the cat's hat is the cat's", "a naïve café — 日本語 😀", "  two  blanks\tand\na line "] * 5


def test_golden_ids():
    for folder in GOLDEN.iterdir():
        tokenizer = bpe.Tokenizer.load(folder)
        cases = [case for case in json.loads((folder / "tokens.json").read_text()) if "<mask>" not in case["text"]]
        assert len(cases) >= 5
        for case in cases:
            assert tokenizer.encode(case["text"]) == case["ids"]


def plain_train(texts, vocab_size):
    """The definition: count all pairs, merge the most frequent one, and again."""
    words = [list(word) for text in texts for word in bpe.words_of(text)]
    merges = []
    while len(bpe.SPECIAL) + 257 + len(merges) < vocab_size:
        counts = {}
        for word in words:
            for pair in zip(word, word[1:]):
                counts[pair] = counts.get(pair, 0) + 1
        best = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if best is None or counts[best] < 2:
            break
        merges.append(best)
        for word in words:
            i = 0
            while i + 1 < len(word):
                if (word[i], word[i + 1]) == best:
                    word[i : i + 2] = ["".join(best)]
                i += 1
    return merges


@pytest.mark.parametrize("vocab_size", [262, 300, 1000])
def test_training_follows_the_definition(vocab_size):
    texts = [*TEXT, "aaaa aaa aaaaa abab ababab"]
    vocab, merges = bpe.train(texts, vocab_size)
    assert merges == plain_train(texts, vocab_size)
    assert [vocab[token] for token in ("<s>", "<pad>", "</s>", "<unk>")] == [0, 1, 2, 3]
    assert vocab["<mask>"] == len(vocab) - 1 <= vocab_size - 1
    assert sorted(vocab.values()) == list(range(len(vocab)))


def test_ids_spell_the_text_and_survive_the_files(tmp_path):
    tokenizer = bpe.Tokenizer(*bpe.train(TEXT, 320))
    tokenizer.save(tmp_path)
    again = bpe.Tokenizer.load(tmp_path)
    letters = {letter: byte for byte, letter in enumerate(bpe._byte_letters())}
    spelling = {index: token for token, index in tokenizer.vocab.items()}
    for text in TEXT:
        ids = tokenizer.encode(text)
        assert ids == again.encode(text)
        assert bytes(letters[letter] for i in ids for letter in spelling[i]).decode() == text


def test_documents(tmp_path):
    (tmp_path / "x.txt").write_text("one\ntwo\n\n\n three \n", encoding="utf-8")
    assert list(data.documents_of(tmp_path / "x.txt")) == ["one two", "three"]
    tokenizer = bpe.Tokenizer(*bpe.train(TEXT, 270))
    ids = data.ids_of_documents(["ab", "c"], tokenizer)
    assert ids.tolist() == [*tokenizer.encode("ab"), 2, *tokenizer.encode("c"), 2]


def test_masking():
    tokenizer = bpe.Tokenizer(*bpe.train(TEXT, 262))
    source = np.random.default_rng(0).integers(4, tokenizer.size - 1, 20000).astype(np.uint16)
    source[::7] = 2
    batches = data.MaskedBatches(source, tokenizer, batch=20, length=102, seed=3)
    assert batches.batches_per_epoch() == 10
    ids, labels = (np.concatenate(parts) for parts in zip(*((i.numpy(), l.numpy()) for i, l in
                                                            map(batches.get, range(10)))))
    assert (ids[:, 0] == 0).all() and (ids[:, -1] == 2).all()
    # Each sequence once in an epoch; labels hold what was there.
    whole = np.where(labels == data.IGNORED, ids, labels)[:, 1:-1]
    assert sorted(map(tuple, whole)) == sorted(map(tuple, source.reshape(200, 100)))
    masked = labels != data.IGNORED
    assert not masked[whole_is_special(ids, labels)].any()
    assert abs(masked.sum() / (whole >= 4).sum() - 0.15) < 0.01
    became_mask = (ids == tokenizer.mask_id)[masked].mean()
    stayed = (ids == labels)[masked].mean()
    assert abs(became_mask - 0.8) < 0.03 and abs(stayed - 0.1) < 0.03
    # Again the same; in the next epoch another order and other masks.
    assert all((a == b).all() for a, b in zip(batches.get(4), batches.get(4)))
    assert (batches.get(4)[0] != batches.get(14)[0]).any()


def whole_is_special(ids, labels):
    return np.where(labels == data.IGNORED, ids, labels) < 4


def test_an_epoch_is_shuffled_once(monkeypatch):
    tokenizer = bpe.Tokenizer(*bpe.train(TEXT, 262))
    batches = data.MaskedBatches(np.arange(4, 204), tokenizer, batch=2, length=12, seed=3)
    expected = [batches.get(i)[0] for i in range(20)]
    made, order = [], np.random.default_rng
    monkeypatch.setattr(np.random, "default_rng", lambda seed: made.append(seed) or order(seed))
    batches = data.MaskedBatches(np.arange(4, 204), tokenizer, batch=2, length=12, seed=3)
    assert all((batches.get(i)[0] == ids).all() for i, ids in enumerate(expected))
    assert [seed for seed in made if seed[1] == 0] == [(3, 0, 0), (3, 0, 1)]
    assert (batches.get(3)[0] == expected[3]).all()  # back in an earlier epoch


class ManyTokens:
    """A vocabulary of more than 65536 tokens."""

    size, mask_id = 70_000, 69_999

    def encode(self, text):
        return [ord(letter) + 69_000 for letter in text]


def test_large_ids_survive(tmp_path):
    ids = data.ids_of_documents(["abc"] * 40, ManyTokens())
    assert ids[:4].tolist() == [69_097, 69_098, 69_099, 2]
    safetensors.save(tmp_path / "ids", {"ids": ids})
    batches = data.MaskedBatches(__main__.read_ids(tmp_path / "ids"), ManyTokens(), batch=2, length=10, seed=0)
    ids, labels = batches.get(0)
    assert int(torch.where(labels == data.IGNORED, ids, labels).max()) == 69_099


def test_too_little_text_is_refused():
    tokenizer = bpe.Tokenizer(*bpe.train(TEXT, 262))
    with pytest.raises(ValueError, match="too few"):
        data.MaskedBatches(np.zeros(50, dtype=np.uint16), tokenizer, batch=2, length=40, seed=0)
    with pytest.raises(ValueError, match="vocab_size"):
        bpe.train(TEXT, 200)
