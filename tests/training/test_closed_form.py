# SPDX-License-Identifier: Apache-2.0
"""Students without training: what least squares can give exactly it gives, and less only where there is less room. Parts
for a budget: errors are those of texts that were not fitted, choices the best that the budget allows."""

import itertools
import json

import numpy as np
import pytest
import torch
from test_distiller import SENTENCE, command, make_teacher, real_texts, texts, weights  # noqa: F401
from test_families import small_model

from lookupffn import closed_form, family_config, load_folder, load_sentence_encoder, narrow, replace_ffns
from lookupffn.closed_form import ClosedForm
from lookupffn.distiller import budget, state
from lookupffn.least_squares import RowPrior, Sums, best_heads, by_turns, heads_by_use

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


def test_errors_of_sums_are_those_of_numbers():
    draw = torch.Generator().manual_seed(1)
    sums = Sums(5, 3, 4)
    x, y = torch.randn(200, 5, generator=draw), torch.randn(200, 3, generator=draw) + 1
    weights, rows = torch.rand(200, generator=draw) + 0.1, torch.randint(4, (200,), generator=draw)
    for part in range(0, 200, 50):
        span = slice(part, part + 50)
        sums.add(x[span], y[span], weights[span], rows[span])
    chosen, table = torch.tensor([0, 3]), torch.randn(4, 3, generator=draw)
    solved = sums.solve(chosen).float()
    given = torch.cat([x[:, chosen], torch.ones(200, 1)], 1) @ solved
    variance = (weights[:, None] * (y - (weights[:, None] * y).sum(0) / weights.sum()).square()).sum()
    for added, names in ((0.0, None), (table[rows], table)):
        wanted = float((weights[:, None] * (y - given - added).square()).sum() / variance)
        assert abs(sums.error(solved, chosen, names) - wanted) < 1e-4
        assert abs(sums.part(chosen).error(solved, torch.arange(2), names) - wanted) < 1e-4


def test_heads_in_the_order_of_their_use():
    draw = torch.Generator().manual_seed(2)
    sums, x = Sums(8, 4), torch.randn(500, 8, generator=draw)
    wanted = torch.cat([x[:, :2] * 3, x[:, 4:6] * 2], 1) + 0.1 * torch.randn(500, 4, generator=draw)
    sums.add(x, wanted, torch.ones(500))
    order = heads_by_use(sums, 4, 2)
    assert order[:2] == [0, 2] and sorted(order) == [0, 1, 2, 3]


def errors(layers, seed):
    draw = torch.Generator().manual_seed(seed)
    number = iter(torch.rand(1000, generator=draw).tolist())
    return [budget.LayerErrors({count: (3 - count) * next(number) for count in range(4)},
                               {(neurons, words): next(number) / (1 + neurons + 16 * words)
                                for neurons in (0, 8, 32) for words in (False, True)}) for _ in range(layers)]


@pytest.mark.parametrize("seed", range(4))
def test_no_choice_within_the_budget_is_better(seed):
    costs, found = budget.Costs(1.0, 0.05, 0.3), errors(3, seed)
    for microseconds in (2.0, 5.0, 9.0):
        chosen = budget.choose(found, costs, microseconds)
        every = [layer.choices(costs) for layer in found]
        allowed = [sum(choice.error for choice in way) for way in itertools.product(*every)
                   if sum(choice.microseconds for choice in way) <= microseconds * 0.998]
        assert sum(choice.microseconds for choice in chosen) <= microseconds * (1 + 1e-9)
        assert sum(choice.error for choice in chosen) <= min(allowed) + 1e-9


def test_errors_of_a_model(tmp_path):
    teacher = lively()
    found = budget.Errors(teacher, batches(80), torch.arange(50), "float32").run()
    assert len(found) == len(teacher.layers)
    for layer in found:
        assert layer.error_of_heads[2] < 1e-3 < layer.error_of_heads[0]
        assert layer.error_of_feed[32, False] < 1e-3 < layer.error_of_feed[0, False]
        assert layer.error_of_feed[0, True] < layer.error_of_feed[0, False]


def entry(part, us, size=32, dtype="int8", **more):
    return {"part": part, "hidden_size": size, "dtype": dtype, "us_per_token": us, **more}


def test_costs_of_the_nearest_size():
    raw = {"costs": [entry(part, value * size * share, size, kind, sequences=share)
                     for kind in ("int8", "float32") for size in (384, 768) for share in (1, 3)
                     for part, value in (("head", 2.0), ("neuron", 1.0), ("row by word", 0.5), ("table", 9.0))]}
    assert budget.read_costs(raw, 300) == budget.Costs(4 * 384.0, 2 * 384.0, 384.0)
    with pytest.raises(ValueError, match="none in bf16"):
        budget.read_costs(raw, 300, "bf16")
    with pytest.raises(ValueError, match="what a head costs in int8"):
        budget.read_costs({"costs": [entry("neuron", 1.0)]}, 32)


def test_a_budget_chooses_the_students_parts(texts, tmp_path, capsys):  # noqa: F811
    teacher = make_teacher(tmp_path / "teacher", "bert", "classes")
    costs = tmp_path / "costs.json"
    costs.write_text(json.dumps({"costs": [entry("head", 0.1), entry("neuron", 0.01), entry("row by word", 0.02)]}))
    options = ["--budget", 0.5, "--costs", costs, "--fit-steps", 0, "--steps", 4, "--int8-steps", 0]
    command(teacher, texts, tmp_path / "student", *options)
    chosen = json.loads((tmp_path / "student" / "budget.json").read_text())
    assert sum(layer["microseconds"] for layer in chosen["layers"]) <= 0.5 * chosen["teacher"] + 1e-9
    config = json.loads((tmp_path / "student" / "config.json").read_text())
    for key, part in (("num_attention_heads", "heads"), ("intermediate_size", "neurons")):
        values = config[key] if isinstance(config[key], list) else [config[key]] * 2  # one where all are alike
        assert values == [layer[part] for layer in chosen["layers"]]
    line = [error for _, error in chosen["errors"]]
    assert len(line) > 1 and line == sorted(line, reverse=True) and line.count(line[-1]) == 1
    assert (tmp_path / "student" / "budget.svg").read_text().startswith("<svg")
    said = capsys.readouterr().out
    assert "budget: layer 0: " in said
    command(teacher, texts, tmp_path / "student", *options)  # goes on with what was chosen
    assert "looked at" not in capsys.readouterr().out
    with pytest.raises(SystemExit, match="--budget chooses"):
        command(teacher, texts, tmp_path / "other", *options, "--heads", 1)
