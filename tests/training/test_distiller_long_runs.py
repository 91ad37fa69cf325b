# SPDX-License-Identifier: Apache-2.0
"""Distilling: what long runs add. The mean of the weights, a rate that stays and falls, twins, a bank of similarities."""

import dataclasses
import shutil

import numpy as np
import torch
from test_distiller import SENTENCE, command, texts, weights  # noqa: F401
from torch import nn

from lookupffn.distiller import average, pieces, subject, teacher_cache, training

SHORT = ["--fit-steps", 2, "--steps", 24, "--int8-steps", 4, "--average", 0.9, "--twins", 0.3, "--bank", 24, "--fall", 0.25]


def test_a_stopped_run_keeps_its_mean(texts, tmp_path):  # noqa: F811
    command(SENTENCE, texts, tmp_path / "whole", *SHORT)
    command(SENTENCE, texts, tmp_path / "parts", *SHORT, "--stop-after", 18)
    shutil.rmtree(tmp_path / "parts.work" / "states")
    command(SENTENCE, texts, tmp_path / "parts", *SHORT)
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(np.array_equal(value, parts[name]) for name, value in whole.items())
    command(SENTENCE, texts, tmp_path / "last", *SHORT, "--average", 0)
    assert any(not np.array_equal(value, whole[name]) for name, value in weights(tmp_path / "last").items())


def test_the_mean_of_the_weights():
    model = nn.Linear(1, 1, bias=False)
    mean = average.Average(model, 0.9)
    expected = float(model.weight)
    for step in range(1, 400):
        with torch.no_grad():
            model.weight.fill_(step)
        mean.add(step)
        if step % 8 == 0:
            kept = min(0.9**8, step / (step + 72))
            expected = kept * expected + (1 - kept) * step
    assert abs(float(mean.named()["weight"]) - expected) < 1e-3 and 380 < expected < 399
    with mean.in_place():
        assert abs(float(model.weight) - expected) < 1e-3
    assert float(model.weight) == 399
    mean.begin_again()
    assert abs(float(model.weight) - expected) < 1e-3


def test_the_rate_stays_and_falls():
    whole = object.__new__(training.Whole)
    whole.options = training.Options(steps=100, warm_up=10, fall=0.2, rate=1.0, last_rate=0.1, int8_steps=10)
    rates = [whole.rate(step) for step in range(100)]
    assert rates[0] == 0.1 and all(abs(rate - 1) < 1e-9 for rate in rates[9:81]) and abs(rates[90] - 0.5) < 1e-9
    assert abs(rates[99] - 0.1) < 1e-9
    whole.options = dataclasses.replace(whole.options, fall=1.0)
    assert abs(whole.rate(50) - 0.5) < 1e-9


def test_twins_differ_in_a_word(texts, tmp_path):  # noqa: F811
    teacher = subject.Subject.load(SENTENCE)
    tokenizer = teacher.tokenizer
    corpus = pieces.Corpus.prepare(tmp_path / "text", [texts[0]], tokenizer, 60, 0)
    negation = 7
    plain = pieces.LengthBatches(corpus, 256, 1, special=tokenizer.special_ids)
    changed = pieces.LengthBatches(corpus, 256, 1, special=tokenizer.special_ids, twins=0.5, negation=negation)
    kinds = set()
    for number in range(len(plain)):
        before, after = plain.ids(number), changed.ids(number)
        assert np.array_equal(after, changed.ids(number))
        count = len(before) // 2
        assert np.array_equal(before[: len(before) - count], after[: len(before) - count])
        for place in range(count):
            first, twin = before[place], after[len(before) - count + place]
            special = np.isin(first, sorted(tokenizer.special_ids))
            assert np.array_equal(first[special], twin[special])
            others = int((first != twin).sum())
            if others == 2 and sorted(first) == sorted(twin):
                kinds.add("swapped")
            elif negation in twin and negation not in first:
                kinds.add("negated")
            elif others == 1:
                kinds.add("replaced")
    assert kinds == {"swapped", "negated", "replaced"}


def test_similarities_to_a_bank():
    draw = torch.Generator().manual_seed(1)
    wanted, bank = (nn.functional.normalize(torch.randn(count, 8, generator=draw), dim=-1) for count in (6, 40))
    assert float(subject.answer_loss("sentence", wanted, wanted, bank)) < 1e-5
    mine = nn.functional.normalize(wanted + 0.3 * torch.randn(6, 8, generator=draw), dim=-1)
    together, alone = (float(subject.answer_loss("sentence", mine, wanted, given)) for given in (bank, None))
    of_bank = (mine @ bank.t() - wanted @ bank.t()).square()
    every = torch.cat([(mine @ mine.t() - wanted @ wanted.t()).square(), of_bank], 1)
    likeness = torch.cat([wanted @ wanted.t() - 4 * torch.eye(6), wanted @ bank.t()], 1)
    nearest = torch.stack([row[order[:16]] for row, order in zip(every, likeness.argsort(1, descending=True))])
    assert abs(together - alone - 20 * float(of_bank.mean()) - 20 * float(nearest.mean())) < 1e-4


def test_a_bank_is_the_teachers(texts, tmp_path):  # noqa: F811
    teacher = subject.Subject.load(SENTENCE)
    corpus = pieces.Corpus.prepare(tmp_path / "text", [texts[0]], teacher.tokenizer, 60, 0)
    states = teacher_cache.TeacherStates(tmp_path / "states", teacher, pieces.LengthBatches(corpus, 256, 1), 1, "x")
    bank = states.bank(50)
    assert len(bank) == 50 and torch.allclose(bank.norm(dim=1), torch.ones(50), atol=1e-3)
    assert torch.equal(bank, states.bank(50)) and len(bank.unique(dim=0)) > 40
