# SPDX-License-Identifier: Apache-2.0
"""A student fitted to one's own texts: its agreement with the teacher rises, and the file is what was trained."""

import json
import lzma
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lookupffn import LookupFFN, __main__, load_sentence_encoder, native, safetensors
from lookupffn.adapt import find, passages, run
from lookupffn.distiller import quantise
from lookupffn.distiller.subject import Subject
from lookupffn.family_model import save_folder
from lookupffn.native_model import INT8, NativeModel
from lookupffn.swap import replace_ffns
from lookupffn.words import rounded_rows

torch.set_num_threads(1)
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

INT8_EVERYWHERE = {"table_dtype": INT8, "hash_dtype": INT8, "linear_dtype": INT8, "embedding_dtype": INT8}
TEACHER = archive.unpacked("training/data.tar") / "sentence-lookup-bh4"
WORDS = "the quick brown fox jumps over a lazy dog civil service workers line users type port seed base hit text".split()
needs_library = pytest.mark.skipif(native.library() is None, reason="needs liblookupffn_train")


def sentences(seed, count):
    draw = random.Random(seed)
    return [" ".join(draw.choice(WORDS) for _ in range(draw.randint(5, 14))) + "." for _ in range(count)]


def write_lines(path, seed, count=400):
    listed = sentences(seed, 3 * count)
    path.write_text("".join(" ".join(listed[3 * i: 3 * i + 3]) + "\n" for i in range(count)))
    return path


def make_student(folder, spread=0.02, with_rows=False):
    """The teacher with noise in its weights, perhaps with rows by word, in one int8 file with a card."""
    torch.manual_seed(4)
    model = load_sentence_encoder(TEACHER).model
    with torch.no_grad():
        if with_rows:
            replace_ffns(model, "vanilla", ffn_words=True, ffn_word_rows=200)
            model.base.embeddings.word_rows.copy_(torch.arange(model.config.get("vocab_size"), dtype=torch.int32).clamp(max=199))
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * spread * float(parameter.std(unbiased=False)))
    save_folder(model, folder / "float", TEACHER, word_dtype="int4" if with_rows else None)
    (folder / "student").mkdir()
    with NativeModel(folder / "float", **INT8_EVERYWHERE) as native_model:
        native_model.save(folder / "student" / "model.safetensors")
    (folder / "student" / "README.md").write_text("# student\n\nA small model. It was distilled from tiny-teacher, and is fast.\n")
    shutil.copytree(TEACHER, folder / "tiny-teacher")
    return folder / "student"


def adapt(*options):
    __main__.main(["adapt", *map(str, options)])


# The student is the teacher with noise, so it learns at a rate that would spoil one that was trained for long.
QUICK = ("--tokens", 256, "--steps", 90, "--threads", 1, "--rate", 10)


@needs_library
@pytest.mark.parametrize("with_rows", [False, True])
def test_the_agreement_rises_and_the_file_is_what_was_trained(tmp_path, capsys, monkeypatch, with_rows):
    student = make_student(tmp_path, 0.1, with_rows)
    written = []
    monkeypatch.setattr("lookupffn.adapt.command.save_folder", lambda model, *rest, **named: (written.append(model), save_folder(model, *rest, **named)))
    adapt(student, write_lines(tmp_path / "own.txt", 1), "--general", write_lines(tmp_path / "general.txt", 2), "--out", tmp_path / "mine", *QUICK)
    said = capsys.readouterr().out.splitlines()[-1].split()
    before, after = (float(said[i - 1]) for i, word in enumerate(said) if word.rstrip(",") in ("before", "after"))
    assert after > before + 0.001
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["README.md", "model.safetensors"]
    card = (tmp_path / "mine" / "README.md").read_text()
    assert "base_model: tiny-teacher\n" in card and "general texts, vectors" in card
    assert find.named_teacher(tmp_path / "mine") == "tiny-teacher", "so that it can be fitted again"
    # Texts that neither run has seen.
    texts, teacher = sentences(9, 60), load_sentence_encoder(TEACHER)
    wanted = teacher.encode(texts).numpy()
    cosines = {}
    for name in ("student", "mine"):
        with NativeModel(tmp_path / name / "model.safetensors") as native_model:
            found = native_model.embed([native_model.tokenize(text) for text in texts], wanted.shape[1])
        cosines[name] = float((found * wanted).sum(1).mean())
    assert cosines["mine"] > cosines["student"]
    # The same vectors as the trained weights, when the library rounds them, and nearly those of PyTorch with rounded weights.
    save_folder(written[0], tmp_path / "again", TEACHER, word_dtype="int4" if with_rows else None)
    with NativeModel(tmp_path / "again", **INT8_EVERYWHERE) as native_model:
        np.testing.assert_array_equal(native_model.embed([native_model.tokenize(text) for text in texts], wanted.shape[1]), found)
    subject = find.taught(find.load_student(tmp_path / "mine"), Subject.load(TEACHER))
    assert float((subject.sentence.encode(texts) * torch.from_numpy(found)).sum(1).min()) > 0.98
    kinds = {name: value.dtype for name, value in safetensors.load(tmp_path / "mine" / "model.safetensors")[0].items()}
    assert all(value == np.uint8 for name, value in kinds.items() if name.endswith("FFN.words")) and \
        any(name.endswith("FFN.words") for name in kinds) == with_rows


@needs_library
def test_what_is_kept_lies_between_the_weights_before_and_those_learned(tmp_path, monkeypatch):
    student, own = make_student(tmp_path, 0.1), write_lines(tmp_path / "own.txt", 1)
    weights = {0: find.load_student(student).model.state_dict()}

    def saved(model, *rest, **named):
        weights[len(weights)] = model.state_dict()
        return save_folder(model, *rest, **named)

    monkeypatch.setattr("lookupffn.adapt.command.save_folder", saved)
    for number, keep in enumerate((0, 0.75)):
        adapt(student, own, "--general", "--out", tmp_path / f"mine{number}", "--keep", keep, *QUICK)
    assert "0.75 of the weights before" in (tmp_path / "mine1" / "README.md").read_text()

    def far(number):
        return sum(float((weights[number][name] - before).square().sum()) for name, before in weights[0].items() if before.is_floating_point()) ** 0.5

    assert 0.05 * far(1) < far(2) < 0.6 * far(1), "a quarter of the way, and the steps with rounded weights"
    for wrong in (("--keep", 1), ("--rate", 0), ("--rate", "nan"), ("--rate", "inf")):
        with pytest.raises(SystemExit):
            adapt(student, own, *wrong, "--out", tmp_path / "none")


@needs_library
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_leaves_nothing(tmp_path, stop):
    student, text = make_student(tmp_path), write_lines(tmp_path / "own.txt", 1)
    (tmp_path / "temporary").mkdir()
    before = sorted(tmp_path.iterdir())
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "training"), "TMPDIR": str(tmp_path / "temporary")}
    with subprocess.Popen([sys.executable, "-m", "lookupffn", "adapt", student, text, "--general", "--out", tmp_path / "mine", "--tokens", "256",
                           "--steps", "100000", "--threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment) as process:
        for line in process.stdout:
            if line.startswith("agreement"):
                break
        process.send_signal(stop)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 130 and errors.splitlines()[-1] == "lookupffn: stopped; nothing was written"
    assert sorted(tmp_path.iterdir()) == before and not any((tmp_path / "temporary").iterdir())


@needs_library
def test_what_cannot_be_adapted_is_told_in_a_sentence(tmp_path):
    student, text = make_student(tmp_path), write_lines(tmp_path / "own.txt", 1)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\0\0")
    (tmp_path / "zeros").write_bytes(bytes(100))
    (tmp_path / "bad.jsonl").write_text('{"title": "no text"}\n')
    (tmp_path / "broken.txt.xz").write_bytes(b"no archive")
    (tmp_path / "few.txt").write_text("\n".join(sentences(1, 10)))
    shutil.copytree(student, tmp_path / "without card")
    (tmp_path / "without card" / "README.md").unlink()
    shutil.copytree(student, tmp_path / "another")
    (tmp_path / "another" / "README.md").write_text("---\nbase_model:\n- some-one/not-here\n---\n")
    shutil.copytree(TEACHER, tmp_path / "wide")
    wide = load_sentence_encoder(TEACHER).model.file_config()
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "config.json").write_text('{"model_type": "model2vec"}')
    other = {**wide, "vocab_size": wide["vocab_size"] + 1}
    tensors = safetensors.load(TEACHER / "model.safetensors")[0]
    place = next(name for name in tensors if name.endswith("word_embeddings.weight"))
    tensors[place] = np.concatenate([tensors[place], tensors[place][:1]])
    safetensors.save(tmp_path / "wide" / "model.safetensors", tensors, {"format": "pt"})
    (tmp_path / "wide" / "config.json").write_text(json.dumps(other))
    cases = [([student, text, "--out", tmp_path / "full"], "exists already"),
             ([student, tmp_path / "missing", "--out", tmp_path / "o"], "missing: no such file or folder"),
             ([tmp_path / "missing", text, "--out", tmp_path / "o"], "missing: no such file or folder"),
             ([student, tmp_path / "empty", "--out", tmp_path / "o"], "no file with text"),
             ([student, tmp_path / "picture.png", "--out", tmp_path / "o"], "not a text in UTF-8"),
             ([student, tmp_path / "zeros", "--out", tmp_path / "o"], "not a text"),
             ([student, tmp_path / "bad.jsonl", "--out", tmp_path / "o"], 'line 1: expected a JSON object with "text"'),
             ([student, tmp_path / "broken.txt.xz", "--out", tmp_path / "o"], "broken.txt.xz: "),
             ([student, tmp_path / "few.txt", "--out", tmp_path / "o"], "10 different passages of 20 letters or more, expected 40"),
             ([tmp_path / "without card", text, "--out", tmp_path / "o"], "give the teacher's folder with --teacher"),
             ([tmp_path / "another", text, "--out", tmp_path / "o"], "is some-one/not-here, which is neither here"),
             ([student, text, "--out", tmp_path / "o", "--teacher", tmp_path / "wide"], "tokens in its vocabulary"),
             ([student, text, "--out", tmp_path / "o", "--teacher", tmp_path / "nowhere"], "nowhere: no such folder"),
             ([tmp_path / "static", text, "--out", tmp_path / "o"], "static vectors have no layers"),
             ([tmp_path / "float" / "tokenizer.json", text, "--out", tmp_path / "o"], "does not fit")]
    for given, message in cases:
        with pytest.raises(SystemExit) as stopped:
            adapt(*given, "--general", *QUICK)
        assert str(stopped.value).startswith("lookupffn: ") and message in str(stopped.value), (given, stopped.value)
        assert not (tmp_path / "o").exists()


@needs_library
def test_a_student_that_knows_such_texts_is_not_written(tmp_path):
    """The teacher itself has nothing to gain."""
    make_student(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        adapt(TEACHER, write_lines(tmp_path / "own.txt", 1), "--teacher", TEACHER, "--general", "--out", tmp_path / "mine", "--tokens", 256,
              "--steps", 6, "--threads", 1)
    assert "did not rise" in str(stopped.value) and not (tmp_path / "mine").exists()


def test_passages_of_lines_paragraphs_and_folders(tmp_path):
    lines, other = sentences(3, 30), sentences(4, 30)
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / ".hidden").write_text("never read, although it is a text of its own\n")
    (folder / "lines.txt").write_text("\n".join(lines))
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\0")
    with lzma.open(folder / "inner" / "paragraphs.txt.xz", "wt") as file:
        file.write("\n\n".join(f"{a}\n{b}" for a, b in zip(other[::2], other[1::2])))
    (folder / "documents.jsonl").write_text('{"_id": "1", "title": "A title", "text": "and what it is about"}\n\n{"text": "another document without"}\n')
    wanted = {*lines, *(f"{a} {b}" for a, b in zip(other[::2], other[1::2])), "A title and what it is about", "another document without"}
    assert set(passages.sample([folder], 1000, 0)) == wanted
    few = passages.sample([folder], 7, 0)
    assert len(few) == 7 and set(few) <= wanted and few != passages.sample([folder], 7, 1) and few == passages.sample([folder], 7, 0)


@pytest.mark.parametrize("text", [" ".join(sentences(5, 200)), "word " * 3000, "x" * 9000])
def test_long_lines_are_cut_and_nothing_is_lost(text):
    parts = list(passages.cut(text.strip(), random.Random(1)))
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert max(map(len, parts)) <= passages.LETTERS[1] and len(parts) > 3
    assert sum(len(part) >= passages.LETTERS[0] / 2 for part in parts) >= len(parts) - 1


def test_a_line_of_many_megabytes_is_read_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(passages, "_LINE", 4096)
    (tmp_path / "one").write_text(" ".join(sentences(6, 2000)))
    found = passages.sample([tmp_path / "one"], 50, 0)
    assert len(found) == 50 and max(map(len, found)) <= passages.LETTERS[1]


def test_half_is_general_and_held_out_texts_are_not_learned():
    own, general = [f"own {i}. It goes on." for i in range(300)], [f"general {i}. It goes on." for i in range(5000)]
    mixture = passages.mix(own, general, {"query": "ask: ", "passage": "text: "})
    assert mixture.passages == 270 and mixture.questions == 90 and mixture.general == 360
    assert len(mixture.held) == 30 + 10 and len(mixture.held_general) == 200
    assert not set(mixture.learned) & {*mixture.held, *mixture.held_general}
    assert sum(text.startswith("ask: own") for text in mixture.learned) == 90
    assert all(text.startswith(("ask: ", "text: ")) for text in [*mixture.learned, *mixture.held])
    assert passages.mix(own, [], {}).held_general == []


def test_the_rate_falls_once_the_agreement_no_longer_rises():
    options = run.options_for(*[type("S", (), {"layers": [0] * 6})()] * 2, 640, 2048, 0, "int4")
    learner = object.__new__(run.Adaptation)
    learner.options = options
    learner._fall_or_end(100)
    assert options.steps == 200
    learner._fall_or_end(160)
    assert options.steps == 161
    assert options.hidden_layers == [2, 5]


def test_what_the_first_steps_lose_does_not_end_the_run():
    rise = run.Rise(53)
    values = [0.931, 0.931, 0.929, 0.926, 0.928, 0.931, 0.933, 0.933, 0.933, 0.934, 0.934, 0.934]
    assert [step for step, value in enumerate(values) if rise.is_over(13 * step, value)] == [8, 11]


def test_small_changes_of_rounded_weights_survive_rounding_in_the_mean():
    torch.manual_seed(2)
    model = torch.nn.Sequential(torch.nn.Linear(64, 400), LookupFFN(64, 64, 16, projection_type="dense", output_size=32),
                                LookupFFN(64, 64, 16, projection_type="bh2", block_size=32))
    weights = [model[0].weight, model[1].tables, model[1].hash.projection.weight, model[2].tables, model[2].hash.projection.weight]
    forms = [(lambda weight: weight, rounded_rows)] * 4 + [(quantise._across, lambda weight: quantise._across(quantise.rounded_blocks(weight)))]
    with torch.no_grad():
        for weight, round_ in zip(weights, [rounded_rows] * 4 + [quantise.rounded_blocks]):
            weight.copy_(round_(weight))
        before = [turn(weight).clone() for weight, (turn, _) in zip(weights, forms)]
        steps = [whole.abs().amax(-1, keepdim=True) / 127 for whole in before]
        smaller = [whole.abs() < 126.5 * step for whole, step in zip(before, steps)]  # the largest of a row set its step

        def gains():
            """The mean change, in steps, that rounding leaves of a fifth of a step."""
            for weight, whole, step, some, (turn, rounded) in zip(weights, before, steps, smaller, forms):
                change = 0.2 * step * some
                added = change if turn is not quantise._across else quantise._across(change) / weight.shape[-1]
                yield float(((rounded(weight + added) - whole) / step)[some].mean())

        assert max(map(abs, gains())) < 1e-3
        head = torch.nn.Linear(8, 8)
        head_before = head.weight.clone()
        quantise.off_the_steps(torch.nn.ModuleDict({"encoder": model, "head": head}), 5)
        assert torch.equal(head.weight, head_before), "heads are not rounded"
        assert all(abs(gain - 0.2) < 0.05 for gain in gains()), list(gains())
        for weight, whole, step, (turn, _) in zip(weights, before, steps, forms):
            assert 0.45 < float(((turn(weight) - whole) / step).abs().max()) < 0.51
