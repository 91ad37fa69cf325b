# SPDX-License-Identifier: Apache-2.0
"""Distilling: what long runs add. The mean of the weights, a rate that stays and falls, twins, a bank of similarities; texts
in pieces, what the teacher said and the run's state in as many bits as the size allows; a teacher that the library runs in
int8 and that says what PyTorch's says, after every layer."""

import dataclasses
import shutil

import numpy as np
import pytest
import torch
from test_distiller import SENTENCE, command, make_teacher, texts, weights  # noqa: F401
from torch import nn

from lookupffn import load_folder
from lookupffn.distiller import average, native_teacher, pieces, state, subject, teacher_cache, training
from lookupffn.text_tokenizer import TextTokenizer

torch.set_num_threads(1)

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


def test_states_in_few_bits_are_close():
    random = np.random.default_rng(0)
    values = (random.standard_normal(1000) * 10.0 ** random.integers(-6, 3, 1000)).astype(np.float32)
    values[:3] = 0, np.finfo(np.float32).max, -np.finfo(np.float32).max
    assert np.array_equal(state._unpack_float(state._pack_float(values, 4)), values)
    assert np.allclose(state._unpack_float(state._pack_float(values, 3)), values, rtol=2**-16, atol=0)
    few = values[3:]
    largest = np.abs(few).max()
    assert np.abs(state._unpack_float(state._pack_float(few, 2)) - few).max() <= largest * 2**-11
    assert np.abs(state._unpack_first(state._pack_first(few))[: len(few)] - few).max() <= largest / 250
    second = state._unpack_second(state._pack_second(few**2))[: len(few)]
    kept = few**2 > (few**2).max() * 2**-30
    assert ((second >= few**2 * 0.999) & (second <= few**2 * 1.1))[kept].all()


def test_levels_keep_to_the_size(tmp_path):
    linear = torch.nn.Linear(1000, 1000)
    optimizer = torch.optim.AdamW(linear.parameters(), lr=1e-3)
    linear(torch.randn(3, 1000)).sum().backward()
    optimizer.step()
    for megabytes in (13, 7, 6, 5, 4, 3):
        kept = state.State(tmp_path / "x", linear, megabytes)
        kept.write(optimizer, {}, 1)
        assert (tmp_path / "x").stat().st_size <= megabytes * 1e6
        before = {name: value.clone() for name, value in linear.state_dict().items()}
        kept.read(optimizer)
        assert all(torch.equal(value, before[name]) for name, value in linear.state_dict().items())
    small = state.State(tmp_path / "x", linear, 1)
    with pytest.raises(ValueError, match="--state-megabytes 1 is too small .* takes 2.1 in 16 bits .*, 12.1 as it is"):
        small.level(100)
    assert state.describe(state.LEVELS[-1]) == "weights in 16 bits, Adam's means left out, its squares left out"


def test_a_state_is_read_at_another_size_than_it_was_written(tmp_path):
    linear = torch.nn.Linear(1000, 1000)
    optimizer = torch.optim.AdamW(linear.parameters(), lr=1e-3)
    linear(torch.randn(3, 1000)).sum().backward()
    optimizer.step()
    for written, read in ((13, 7), (7, 13), (4, 13)):
        state.State(tmp_path / "x", linear, written).write(optimizer, {}, 1)
        before = {key: value.clone() for key, value in optimizer.state[linear.weight].items()}
        state.State(tmp_path / "x", linear, read).read(optimizer)
        assert all(torch.equal(value, before[key]) for key, value in optimizer.state[linear.weight].items())


def test_a_long_note_takes_its_room(tmp_path):
    linear = torch.nn.Linear(1000, 1000)
    optimizer = torch.optim.AdamW(linear.parameters(), lr=1e-3)
    linear(torch.randn(3, 1000)).sum().backward()
    optimizer.step()
    note = {"log": ["x" * 1000] * 1500}
    state.State(tmp_path / "x", linear, 7).write(optimizer, note, 1)
    assert (tmp_path / "x").stat().st_size <= 7e6


def test_steps_are_counted_where_the_optimiser_reads_them():
    parameter = torch.empty(3, device="meta")
    assert state.step_device(parameter, {"fused": True}).type == "meta"
    assert state.step_device(parameter, {"capturable": True}).type == "meta"
    assert state.step_device(parameter, {"fused": None, "capturable": False}).type == "cpu"


def test_pieces_and_batches(texts, tmp_path):  # noqa: F811
    tokenizer = TextTokenizer.load(SENTENCE)
    corpus = pieces.Corpus.prepare(tmp_path / "text", [texts[0]], tokenizer, 60, 0)
    assert corpus.tokens == len(corpus.ids) and corpus.lengths.max() <= 60
    assert corpus.ids[0] == tokenizer.begin and corpus.ids[corpus.lengths[0] - 1] == tokenizer.end
    stamp = (tmp_path / "text" / "ids.npy").stat().st_mtime_ns
    pieces.Corpus.prepare(tmp_path / "text", [texts[0]], tokenizer, 60, 0)
    assert (tmp_path / "text" / "ids.npy").stat().st_mtime_ns == stamp
    batches = pieces.LengthBatches(corpus, 256, 1, tokenizer.mask_id, tokenizer.special_ids)
    assert sorted(i for batch in batches.batches for i in batch) == list(range(len(corpus.lengths)))
    for number, batch in enumerate(batches.batches):
        assert len({int(corpus.lengths[i]) for i in batch}) == 1
        ids = batches.ids(number)
        assert ids.size <= max(256, ids.shape[1]) and (ids[:, 0] == tokenizer.begin).all()
        assert np.array_equal(ids, batches.ids(number))
    shares = np.concatenate([(batches.ids(i) == tokenizer.mask_id).ravel() for i in range(len(batches))])
    assert 0.08 < shares.mean() < 0.16
    orders = [[batches.number(epoch * len(batches) + i) for i in range(len(batches))] for epoch in range(2)]
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1]) == list(range(len(batches)))


def test_the_teacher_is_asked_once(texts, tmp_path):  # noqa: F811
    teacher = subject.Subject.load(SENTENCE)
    corpus = pieces.Corpus.prepare(tmp_path / "text", [texts[0]], teacher.tokenizer, 60, 0)
    batches = pieces.LengthBatches(corpus, 256, 1)
    for gigabytes, asked in [(1, 1), (0, 2)]:
        folder = tmp_path / str(gigabytes)
        cache = teacher_cache.TeacherStates(folder, teacher, batches, gigabytes, "x")
        ids, calls = torch.from_numpy(batches.ids(0)), []
        hidden = teacher.hidden
        teacher.hidden = lambda *arguments: calls.append(1) or hidden(*arguments)
        first, again = cache.get(0, ids, True), cache.get(0, ids, True)
        teacher.hidden = hidden
        assert len(calls) == asked
        assert torch.allclose(first[0], again[0], atol=1e-3) and torch.allclose(first[1][2], again[1][2], atol=1e-2)
    cache = teacher_cache.TeacherStates(tmp_path / "1", teacher, batches, 1, "another teacher")
    assert cache.used == 0


@pytest.mark.parametrize("family", ["bert", "roberta", "mpnet"])
def test_states_and_answers_are_those_of_pytorch_but_for_int8(family, texts, tmp_path):  # noqa: F811
    teacher = subject.Subject.load(make_teacher(tmp_path / "teacher", family, "masked_lm"))
    corpus = pieces.Corpus.prepare(tmp_path / "text", [texts[0]], teacher.tokenizer, 32, 1)
    batches = pieces.LengthBatches(corpus, 256, 1, teacher.tokenizer.mask_id, teacher.tokenizer.special_ids)
    native = native_teacher.NativeTeacher(teacher, [0], tmp_path / "native")
    theirs, ours = (teacher_cache.TeacherStates(tmp_path / name, teacher, batches, 0, "x", layers=[1, 0], native=model)
                    for name, model in (("theirs", None), ("ours", native)))
    assert sorted(native.models) == [0, 1]
    for number in range(4):
        ids = torch.from_numpy(batches.ids(number))
        with torch.no_grad():
            answer, hidden = theirs.get(number, ids, True)
            answer_in_int8, hidden_in_int8 = ours.get(number, ids, True)
        assert len(hidden) == len(hidden_in_int8) == 2
        for wanted, found in zip(hidden, hidden_in_int8):
            assert found.shape == wanted.shape
            assert 0 < float(subject.relative_error(found, wanted)) < 5e-3
        if len(answer):
            assert torch.nn.functional.cosine_similarity(answer, answer_in_int8).mean() > 0.995
        assert torch.equal(ours.get(number, ids, False)[0], answer_in_int8)


def test_teachers_with_layers_of_their_own_sizes_can_be_cut(tmp_path):
    teacher = subject.Subject.load(SENTENCE)
    native = native_teacher.NativeTeacher(teacher, [1], tmp_path / "native")
    ids, states = torch.tensor([[5, 6, 7, 8]]), []
    with torch.no_grad():
        teacher.hidden(ids, states)
    _, (found,) = native.hidden(ids, [1])
    assert float(subject.relative_error(found, states[1][2])) < 0.05  # a hash value near 0 may turn


def test_models_that_cannot_be_cut_are_refused(tmp_path):
    teacher = subject.Subject.load(make_teacher(tmp_path / "teacher", "roberta-prelayernorm", "masked_lm"))
    with pytest.raises(ValueError, match="normalise after each part"):
        native_teacher.NativeTeacher(teacher, [0], tmp_path / "native")


def test_a_run_learns_from_it_and_may_change_to_it_on_its_way(texts, tmp_path, capsys):  # noqa: F811
    teacher = make_teacher(tmp_path / "teacher", "bert", "masked_lm")
    options = ["--ffn", "vanilla", "--neurons", 16, "--fit-steps", 0, "--closed-tokens", 2000]
    command(teacher, texts, tmp_path / "student", *options, "--stop-after", 7)
    command(teacher, texts, tmp_path / "student", *options, "--teacher-int8", "--hidden-layers", "0,1")
    capsys.readouterr()
    assert (tmp_path / "student.work" / "teacher" / "first-1-layers" / "config.json").exists()
    assert load_folder(tmp_path / "student").config.neurons(0) == 16
    report = (tmp_path / "student" / "report.md").read_text()
    assert "| teacher_int8 | True |" in report and "| hidden_layers | [0, 1] |" in report
    with pytest.raises(SystemExit, match="expected 0 to 1"):
        command(teacher, texts, tmp_path / "other", *options, "--hidden-layers", "2")
