# SPDX-License-Identifier: Apache-2.0
"""What a run keeps: its texts in pieces, what the teacher said, and its state (what learns and what its optimiser
remembers) in as many bits as the size allows."""

import numpy as np
import pytest
import torch
from test_distiller import SENTENCE, texts  # noqa: F401

from lookupffn.distiller import pieces, state, subject, teacher_cache
from lookupffn.text_tokenizer import TextTokenizer


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
