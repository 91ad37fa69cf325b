# SPDX-License-Identifier: Apache-2.0
"""Distilling: what settings mean and which are refused, what may change on the way, what is kept in --work."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from test_distiller import SENTENCE, command, texts, weights, write_text  # noqa: F401

from lookupffn import load_sentence_encoder, safetensors
from lookupffn.distiller import pieces, subject, teacher_cache, training
from lookupffn.text_tokenizer import TextTokenizer

SHORT = ["--fit-steps", 2, "--steps", 6, "--int8-steps", 0]


def test_no_clip_is_no_limit(texts, tmp_path):  # noqa: F811
    for name, clip in (("none", 0), ("far", 1e9)):
        command(SENTENCE, texts, tmp_path / name, *SHORT, "--clip", clip)
    none, far = weights(tmp_path / "none"), weights(tmp_path / "far")
    assert all(np.array_equal(value, far[name]) for name, value in none.items())


@pytest.mark.parametrize("gigabytes", [1, 0])
def test_a_stopped_run_is_the_same_beyond_an_epoch(texts, tmp_path, gigabytes):  # noqa: F811
    few = (write_text(tmp_path / "few.txt", 1, 5), *texts[1:])
    options = ["--fit-steps", 2, "--steps", 24, "--int8-steps", 0, "--cache-gigabytes", gigabytes]
    command(SENTENCE, few, tmp_path / "whole", *SHORT, *options)
    command(SENTENCE, few, tmp_path / "parts", *SHORT, *options, "--stop-after", 17)
    assert len(np.load(tmp_path / "parts.work" / "text" / "lengths.npy")) < 12  # pieces, so batches of an epoch
    shutil.rmtree(tmp_path / "parts.work" / "states")  # as on another machine
    command(SENTENCE, few, tmp_path / "parts", *SHORT, *options)
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(np.array_equal(value, parts[name]) for name, value in whole.items())


def test_kept_answers_are_of_one_precision(texts, tmp_path):  # noqa: F811
    teacher = subject.Subject.load(SENTENCE)
    corpus = pieces.Corpus.prepare(tmp_path / "text", [texts[0]], teacher.tokenizer, 60, 0)
    batches = pieces.LengthBatches(corpus, 256, 1)
    ids = torch.from_numpy(batches.ids(0))

    def cache(gigabytes, precision):
        return teacher_cache.TeacherStates(tmp_path / "states", teacher, batches, gigabytes, "x", precision)

    first, again = cache(1, "float32").get(0, ids, True), cache(1, "float32").get(0, ids, True)
    assert torch.equal(first[0], again[0]) and all(map(torch.equal, first[1], again[1]))
    assert cache(1, "float32").used > 0 and cache(1, "bfloat16").used == 0
    (tmp_path / "states" / "states.json").write_text('{"ident')  # as an interrupted copy
    assert cache(1, "bfloat16").used == 0


def change_note(path, change):
    tensors, metadata = safetensors.load(path)
    note = json.loads(metadata["note"])
    change(note)
    safetensors.save(path, tensors, {"note": json.dumps(note)})


def test_the_size_of_the_state_is_checked_first_and_may_change(texts, tmp_path, capsys):  # noqa: F811
    out = tmp_path / "student"
    with pytest.raises(SystemExit, match=r"--state-megabytes 0.05 is too small .* takes \d\.\d in 16 bits"):
        command(SENTENCE, texts, out, "--state-megabytes", 0.05)
    assert not (tmp_path / "student.work").exists()
    command(SENTENCE, texts, out, "--stop-after", 26)
    assert "weights in 32 bits, Adam's means whole" in capsys.readouterr().out
    command(SENTENCE, texts, out, "--state-megabytes", 0.6)
    assert "Adam's means in 8 bits" in capsys.readouterr().out
    assert (tmp_path / "student.work" / "state.safetensors").stat().st_size <= 0.6e6


def test_a_mistaken_command_leaves_work_alone(texts, tmp_path):  # noqa: F811
    out, work = tmp_path / "student", tmp_path / "student.work"
    command(SENTENCE, texts, out, "--stop-after", 6)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in work.rglob("*")}
    for options, what in ((["--seed", 1], "corpus"), (["--tables", 8], "tables")):
        with pytest.raises(SystemExit, match=f"another {what}"):
            command(SENTENCE, texts, out, *options)
    assert before == {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in work.rglob("*")}


def test_two_runs_in_one_folder_are_refused(texts, tmp_path):  # noqa: F811
    out, work = tmp_path / "student", tmp_path / "student.work"
    command(SENTENCE, texts, out, *SHORT, "--stop-after", 3)  # leaves the folder free
    before = (work / "state.safetensors").read_bytes()
    holds = "import sys; from pathlib import Path; from lookupffn.distiller.lock import lock\n" \
            "kept = lock(Path(sys.argv[1])); print('kept', flush=True); sys.stdin.read()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", holds, work], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=environment) as other:
        assert other.stdout.readline() == b"kept\n"
        with pytest.raises(SystemExit, match="another run is at work in .*student.work; wait"):
            command(SENTENCE, texts, out, *SHORT)
        assert (work / "state.safetensors").read_bytes() == before
        other.kill()  # which is how machines that are taken away end it
    command(SENTENCE, texts, out, *SHORT)
    assert (out / "model.safetensors").exists()


def test_a_run_keeps_its_number_of_processes(texts, tmp_path):  # noqa: F811
    out, path = tmp_path / "student", tmp_path / "student.work" / "state.safetensors"
    command(SENTENCE, texts, out, *SHORT, "--stop-after", 3)
    change_note(path, lambda note: note.update(processes=2))
    with pytest.raises(SystemExit, match="another number of processes"):
        command(SENTENCE, texts, out, *SHORT)

    def older(note):
        del note["processes"], note["options"]["linear"], note["corpus"]["tokenizer"], note["start"]

    change_note(path, older)
    with pytest.raises(SystemExit, match="another linear"):
        command(SENTENCE, texts, out, *SHORT, "--linear")
    command(SENTENCE, texts, out, *SHORT)


def test_a_cache_that_was_being_written_is_made_again(texts, tmp_path, monkeypatch):  # noqa: F811
    teacher = subject.Subject.load(SENTENCE)

    def corpus(seed):
        return pieces.Corpus.prepare(tmp_path / "text", [texts[0]], teacher.tokenizer, 60, seed)

    def examples(identity):
        return teacher_cache.FFNExamples.prepare(tmp_path / "examples", teacher, batches, [0, 1], 500, identity)

    def stop(*_):
        raise KeyboardInterrupt

    first = corpus(0)
    ids, batches = np.array(first.ids), pieces.LengthBatches(first, 256, 1)
    kept = examples("x")
    a = np.array(kept.arrays[0, "a"])
    with monkeypatch.context() as stopped:
        stopped.setattr(teacher_cache.Progress, "show", stop)
        stopped.setattr(pieces.Progress, "show", stop)
        for again in (lambda: corpus(5), lambda: examples("y")):
            with pytest.raises(KeyboardInterrupt):
                again()
    assert not list(tmp_path.rglob("*.json"))
    assert np.array_equal(first.ids, ids) and np.array_equal(kept.arrays[0, "a"], a)  # of those who read on
    assert np.array_equal(corpus(0).ids, ids) and np.array_equal(examples("x").arrays[0, "a"], a)
    assert not np.array_equal(corpus(5).ids, ids) and np.array_equal(first.ids, ids)


def test_another_vocabulary_of_the_same_size_is_noticed():
    one, other = TextTokenizer.load(SENTENCE), TextTokenizer.load(SENTENCE)
    one.encode("the quick brown fox")
    assert pieces.digest_of_tokenizer(one) == pieces.digest_of_tokenizer(other)
    first, second = list(other.pieces.vocab)[-2:]
    other.pieces.vocab[first], other.pieces.vocab[second] = other.pieces.vocab[second], other.pieces.vocab[first]
    assert pieces.digest_of_tokenizer(one) != pieces.digest_of_tokenizer(other) and one.size == other.size
    other = TextTokenizer.load(SENTENCE)
    other.pieces.lowercase = not other.pieces.lowercase
    assert pieces.digest_of_tokenizer(one) != pieces.digest_of_tokenizer(other)


@pytest.mark.parametrize("option, value, message", [
    ("--rate", 0, "--rate is 0.0, expected more than 0"), ("--rate", "nan", "--rate is nan, expected more than 0"),
    ("--warm-up", -1, "--warm-up is -1, expected 0 or more"), ("--tokens", 0, "--tokens is 0, expected 1 or more"),
    ("--save-every", -1, "--save-every is -1, expected 0 or more"), ("--tables", "16,0,16", "--tables is 0, expected 1"),
    ("--last-rate", 2, "--last-rate is 2.0, expected from 0 to 1"), ("--layers", 9, "--layers are 9, expected 0 to 2"),
    ("--state-megabytes", 0, "--state-megabytes is 0.0, expected more than 0")])
def test_values_out_of_range_are_named_at_once(texts, tmp_path, option, value, message):  # noqa: F811
    with pytest.raises(SystemExit, match=message):
        command(SENTENCE, texts, tmp_path / "student", option, value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option, value, message", [
    ("--layers", "0,0", "list of different layers"), ("--layers", "0,x", "list of different layers"),
    ("--fade", "0.6", "pair of shares from 0 to 1"), ("--fade", "0.8,0.6", "pair of shares from 0 to 1"),
    ("--precision", "float16", "choose from 'float32', 'bfloat16'")])
def test_values_of_another_form_are_named(texts, tmp_path, capsys, option, value, message):  # noqa: F811
    with pytest.raises(SystemExit):
        command(SENTENCE, texts, tmp_path / "student", option, value)
    assert message in capsys.readouterr().err


def test_nothing_between_the_ends_of_phases(texts, tmp_path):  # noqa: F811
    command(SENTENCE, texts, tmp_path / "student", *SHORT, "--warm-up", 0, "--save-every", 0, "--measure-every", 0)
    note = json.loads(safetensors.load(tmp_path / "student.work" / "state.safetensors")[1]["note"])
    assert note["step"] == 6 and [entry["label"] for entry in note["measured"]] == ["the fit", "6 steps"]


def test_a_beginning_that_is_none(texts, tmp_path):  # noqa: F811
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit, match="empty: no config.json"):
        command(SENTENCE, texts, tmp_path / "student", "--start", tmp_path / "empty")
    with pytest.raises(SystemExit, match="no model that the library wrote"):
        command(SENTENCE, texts, tmp_path / "student", "--start", SENTENCE / "model.safetensors")
    with pytest.raises(SystemExit, match="No such file"):
        command(SENTENCE, texts, tmp_path / "student", "--start", tmp_path / "nothing")


def test_lookups_of_the_teacher_may_stay(texts, tmp_path):  # noqa: F811
    command(SENTENCE, texts, tmp_path / "student", *SHORT, "--layers", "0,1")
    tables = [layer.FFN.num_tables for layer in load_sentence_encoder(tmp_path / "student").layers]
    assert tables[:2] == [16, 16] and tables[2] == load_sentence_encoder(SENTENCE).layers[2].FFN.num_tables


def test_gradients_travel_together():
    class Two:
        count, calls = 2, 0

        def mean(self, value):
            self.calls += 1
            return value.clone() / 2

    whole = training.Whole.__new__(training.Whole)
    whole.processes, whole.learns = Two(), [torch.nn.Parameter(torch.ones(shape)) for shape in ((2, 3), (4,), (1, 5))]
    for parameter in whole.learns[:2]:
        parameter.grad = torch.arange(float(parameter.numel())).view_as(parameter)
    whole._share_gradients()
    assert whole.processes.calls == 1 and not whole.learns[2].grad.any()
    assert all(torch.equal(p.grad, torch.arange(float(p.numel())).view_as(p) / 2) for p in whole.learns[:2])


def test_a_step_reads_its_losses_at_once(texts, tmp_path, monkeypatch):  # noqa: F811
    reads, within = [], []
    for kind in (training.Fit, training.Whole):
        step = kind.step

        def counted(self, number, step=step):
            reads.clear()
            values = step(self, number)
            within.append(len(reads))
            return values

        monkeypatch.setattr(kind, "step", counted)
    for name in ("__float__", "tolist"):  # the optimiser uses item()
        known = getattr(torch.Tensor, name)
        monkeypatch.setattr(torch.Tensor, name, lambda self, known=known: reads.append(1) or known(self))
    command(SENTENCE, texts, tmp_path / "student", *SHORT)
    assert within == [1] * 8
