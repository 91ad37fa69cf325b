# SPDX-License-Identifier: Apache-2.0
"""Parts for a budget: errors are those of texts that were not fitted, choices the best that the budget allows."""

import itertools
import json

import pytest
import torch
from test_closed_form import batches, lively
from test_distiller import SENTENCE, command, make_teacher, texts  # noqa: F401

from lookupffn.distiller import budget
from lookupffn.least_squares import Sums, heads_by_use

torch.set_num_threads(1)


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
