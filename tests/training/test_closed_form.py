# SPDX-License-Identifier: Apache-2.0
"""Students without training: what least squares can give exactly it gives, and less only where there is less room."""

import numpy as np
import pytest
import torch
from test_distiller import SENTENCE, command, make_teacher, real_texts, texts, weights  # noqa: F401
from test_families import small_model

from lookupffn import closed_form, family_config, load_folder, load_sentence_encoder, narrow, replace_ffns
from lookupffn.closed_form import ClosedForm
from lookupffn.distiller import state
from lookupffn.least_squares import RowPrior, Sums, best_heads, by_turns

torch.set_num_threads(1)


def batches(count=40, seed=0):
    torch.manual_seed(seed)
    return [torch.randint(50, (6, length)) for length in range(4, 4 + 12) for _ in range(count // 12 + 1)]


def lively(family="bert", **changes):
    """With weights large enough that layers differ."""
    model = small_model(family, None, **changes)
    torch.manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "Norm" not in name and "norm" not in name:
                parameter.normal_(std=0.4)
    return model


def student_of(teacher, **changes):
    torch.manual_seed(2)
    model = small_model(teacher.config.family, None)
    model.load_state_dict(teacher.state_dict())
    if changes:
        replace_ffns(model, **changes)
    return model


def run(student, teacher, tmp_path, layers=(0, 1, 2), **options):
    return ClosedForm(student, teacher, batches(**options), tmp_path / "states").run(layers)


@pytest.mark.parametrize("family", family_config.PREFIXES)
def test_with_room_for_all_the_student_is_the_teacher(family, tmp_path):
    teacher = lively(family)
    student = student_of(teacher)
    with torch.no_grad():  # least squares must find these again
        for layer in student.layers:
            layer.attention_output().weight.normal_()
            layer.products()[1].weight.normal_()
    found = run(student, teacher, tmp_path)
    assert [entry.heads for entry in found] == [[0, 1]] * 3 and [entry.neurons for entry in found] == [32] * 3
    assert max(entry.error for entry in found) < 1e-3
    assert not list((tmp_path / "states").iterdir())


def test_useless_heads_and_neurons_go_and_nothing_is_lost(tmp_path):
    teacher = lively()
    with torch.no_grad():
        for layer in teacher.layers:
            layer.attention_output().weight[:, :8].zero_()
            layer.products()[1].weight[:, ::2].zero_()
    student = student_of(teacher)
    for i in range(3):
        narrow.keep_heads(student, i, [0])
        narrow.keep_neurons(student, i, range(16))
    found = run(student, teacher, tmp_path)
    assert [entry.heads for entry in found] == [[1]] * 3 and max(entry.error for entry in found) < 1e-3
    assert torch.equal(student.layers[0].products()[0].weight, teacher.layers[0].products()[0].weight[1::2])


def test_rows_by_word_take_up_what_words_add(tmp_path):
    """The teacher's first layer adds a vector of the word; its neurons do nothing."""
    teacher = lively()
    replace_ffns(teacher, "none", layers=[0], ffn_words=True)
    torch.nn.init.normal_(teacher.layers[0].words.weight)
    student = student_of(lively(), kind="none", layers=[0], ffn_words=True)
    (found,) = run(student, teacher, tmp_path, layers=[0], count=600)
    assert found.error < 1e-3 and found.neurons == 0
    without = student_of(lively(), kind="none", layers=[0])
    assert run(without, teacher, tmp_path, layers=[0])[0].error > 0.1


@pytest.mark.parametrize("family", family_config.PREFIXES)
def test_more_room_means_less_error(family, tmp_path):
    teacher, errors = lively(family), []
    size = teacher.config.name_of("intermediate_size")
    for neurons, words in ((4, False), (16, False), (16, True), (32, True)):
        student = student_of(teacher, kind="vanilla", ffn_words=words, **{size: neurons})
        errors.append(sum(entry.error for entry in run(student, teacher, tmp_path)))
    assert errors == sorted(errors, reverse=True)


def test_fewer_rows_than_words_and_no_heads(tmp_path):
    teacher = lively()
    errors = []
    for rows, heads in ((None, [0, 1]), (None, []), (10, [])):
        student = student_of(teacher, kind="none", ffn_words=True, ffn_word_rows=rows)
        narrow.keep_heads(student, 1, heads)
        found = run(student, teacher, tmp_path)
        assert found[1].heads == heads
        errors.append(found[1].error)
    assert errors == sorted(errors)


def test_lookups_stay_and_the_rest_makes_up_for_them(tmp_path):
    teacher, errors = lively(), []
    for linear, words in ((False, False), (True, False), (True, True)):
        student = student_of(teacher, ffn_num_table=4, ffn_table_size=8, projection_type="dense", ffn_linear=linear,
                             ffn_words=words)
        tables = [layer.FFN.tables.clone() for layer in student.layers]
        errors.append(sum(entry.error for entry in run(student, teacher, tmp_path)))
        assert all(torch.equal(layer.FFN.tables, kept) for layer, kept in zip(student.layers, tables))
    assert errors == sorted(errors, reverse=True)


def test_layers_that_are_not_named_stay(tmp_path):
    teacher = lively()
    student = student_of(teacher, kind="vanilla", layers=[1], intermediate_size=8)
    before = {name: value.clone() for name, value in student.state_dict().items()}
    (found,) = run(student, teacher, tmp_path, layers=[1])
    assert found.layer == 1
    changed = {name for name, value in student.state_dict().items() if not torch.equal(value, before[name])}
    assert changed and all("layer.1." in name for name in changed)


def test_memory_holds_chunks_alone(tmp_path, monkeypatch):
    """The same student whatever the size of a chunk."""
    teacher, students = lively(), []
    for chunk in (64, 16384):
        monkeypatch.setattr(closed_form, "_CHUNK", chunk)
        student = student_of(teacher, kind="vanilla", intermediate_size=8, ffn_words=True)
        run(student, teacher, tmp_path)
        students.append(student)
    ids = batches(seed=5)[0]
    with torch.no_grad():
        torch.testing.assert_close(students[0](ids), students[1](ids), rtol=1e-2, atol=1e-2)


def test_least_squares_by_turns():
    torch.manual_seed(0)
    x, rows, weights = torch.randn(4000, 5), torch.randint(30, (4000,)), torch.rand(4000) + 0.5
    wanted_weights, wanted_rows = torch.randn(6, 3), torch.randn(30, 3)
    y = torch.cat([x, torch.ones(4000, 1)], 1) @ wanted_weights + wanted_rows[rows]
    sums = Sums(5, 3, 30)
    for part in torch.arange(4000).split(700):
        sums.add(x[part], y[part], weights[part], rows[part])
    found, found_rows = by_turns(sums, RowPrior(torch.randn(30, 4)), turns=30, shrink=1e-6)
    # A constant may stand in either.
    np.testing.assert_allclose(found[:-1], wanted_weights[:-1], atol=1e-2)
    np.testing.assert_allclose(found[-1] + found_rows, wanted_weights[-1] + wanted_rows, atol=1e-2)


def test_heads_that_say_the_same_count_once():
    torch.manual_seed(0)
    a, b, c = (torch.randn(500, 2) for _ in range(3))
    sums = Sums(8, 2)
    sums.add(torch.cat([a, b, a, 0.01 * c], 1), 3 * a + b, torch.ones(500))
    assert best_heads(sums, 4, 2, 4) == [0, 1, 2, 3]
    kept = best_heads(sums, 4, 2, 2)
    assert 1 in kept and (0 in kept) != (2 in kept)


def test_students_by_closed_form(texts, tmp_path):  # noqa: F811
    teacher = load_sentence_encoder(SENTENCE)
    heads = teacher.layers[0].num_heads
    out = tmp_path / "student"
    options = ["--layers", "1,2", "--ffn", "vanilla,lookup", "--neurons", "12", "--heads", f"{heads // 2},0", "--words", "yes,no",
               "--word-rows", 40, "--word-dtype", "int4", "--closed-tokens", 2000, "--row-rate", "1e-2"]
    command(SENTENCE, texts, out, *options)
    student = load_sentence_encoder(out)
    assert student.model.config.ffn_kinds == ["lookup", "vanilla", "lookup"]
    assert [layer.num_heads for layer in student.layers] == [heads, heads // 2, 0]
    assert student.layers[1].products()[0].out_features == 12 and not hasattr(student.layers[2], "words")
    stored = weights(out)
    assert stored["encoder.layer.1.FFN.words"].shape == (40, (student.model.config.get("hidden_size") + 1) // 2)
    rows = stored["embeddings.word_rows"]
    assert np.bincount(rows)[:39].tolist() == [1] * 39, "the most frequent words have their own"
    note = state.State(tmp_path / "student.work" / "state.safetensors", student).note()
    measured = {entry["label"]: entry["values"]["valid cosine"] for entry in note["measured"]}
    assert measured["24 steps"] > measured["the closed form"] > measured["the fit"]
    report = (out / "report.md").read_text()
    assert "## By closed form" in report and "narrow FFNs, LookupFFNs and rows by word" in report

    # A run that was stopped goes on as if nothing had been, rows and what Adam knows of them included.
    for steps in (7, 19, 9):
        command(SENTENCE, texts, tmp_path / "parts", *options, "--stop-after", steps)
    command(SENTENCE, texts, tmp_path / "parts", *options)
    again = weights(tmp_path / "parts")
    assert all(np.array_equal(value, again[name]) for name, value in stored.items())

    # An earlier student of the same shape goes on learning.
    command(SENTENCE, texts, tmp_path / "more", *options, "--start", out, "--fit-steps", 0, "--steps", 0, "--int8-steps", 0)
    for name, value in weights(tmp_path / "more").items():
        np.testing.assert_allclose(value, stored[name], rtol=1e-3, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("options, message", [
    (["--neurons", 5], "--neurons are of layers with --ffn vanilla"), (["--word-rows", 5], "--word-rows are of layers"),
    (["--ffn", "none,lookup"], "--ffn has 2 entries for 3 layers"), (["--heads", "1,1"], "--heads has 2 entries"),
    (["--heads", 99], "--heads is 99, but the teacher's layer 0 has")])
def test_parts_that_do_not_fit_are_named(texts, tmp_path, options, message):  # noqa: F811
    with pytest.raises(SystemExit, match=message):
        command(SENTENCE, texts, tmp_path / "student", *options)


@pytest.mark.parametrize("task", ["masked_lm", "classes"])
def test_students_of_other_teachers_by_closed_form(real_texts, tmp_path, task):  # noqa: F811
    teacher = make_teacher(tmp_path / "teacher", "bert", task)
    command(teacher, real_texts, tmp_path / "student", "--ffn", "vanilla", "--neurons", 16, "--heads", 1, "--words",
            "--closed-tokens", 3000)
    student = load_folder(tmp_path / "student")
    assert student.config.raw["ffn_words"] is True and student.layers[0].words.weight.abs().sum() > 0
    note = state.State(tmp_path / "student.work" / "state.safetensors", student).note()
    assert note["fit"] == [] and len(note["closed_form"]) == 2
    assert note["measured"][0]["label"] == "the closed form" and note["measured"][1]["values"]["correlation"] > 0.9
