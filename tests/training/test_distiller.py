# SPDX-License-Identifier: Apache-2.0
"""Distilling: tiny teachers, seconds. A run that is stopped does what it would have done; int8 is what the library does."""

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from test_families import OWN_SETTINGS

from lookupffn import __main__, bpe, family_config, family_model, files, load_folder, load_sentence_encoder, safetensors
from lookupffn.config import EncoderConfig
from lookupffn.distiller import grow, measure, plot, quantise, run, state, training
from lookupffn.encoder import Encoder
from lookupffn.layer import LookupFFN
from lookupffn.native_model import NativeModel
from lookupffn.projections import BlockHadamard

torch.set_num_threads(1)
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

DATA = archive.unpacked("training/data.tar")
SENTENCE = DATA / "sentence-lookup-bh4"
WORDS = "the quick brown fox jumps over a lazy dog civil service workers line user types port seed base hit text".split()


def write_text(path, seed, documents):
    random = np.random.default_rng(seed)
    path.write_text("\n\n".join(". ".join(" ".join(random.choice(WORDS, random.integers(4, 12)))
                                          for _ in range(random.integers(1, 4))) for _ in range(documents)) + "\n")
    return path


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    (folder / "pairs.tsv").write_text("".join(f"{a} {b}\t{a} {b} and {a}\n" for a in WORDS for b in WORDS[:5]))
    return write_text(folder / "train.txt", 1, 160), write_text(folder / "valid.txt", 2, 30), folder / "pairs.tsv"


def make_teacher(folder, family, task):
    """Random weights on the tokenizer of a golden folder."""
    torch.manual_seed(3)
    raw = {"model_type": family, "vocab_size": 1500, "max_position_embeddings": 64, "hidden_size": 32, "pad_token_id": 0,
           "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64, "hidden_act": "gelu",
           "type_vocab_size": 2, "initializer_range": 0.12, **OWN_SETTINGS.get(family, {})}
    config = family_config.FamilyConfig(family, raw, task, 3, has_pooler=task == "classes")
    family_model.save_folder(family_model.FamilyModel(config), folder, SENTENCE)
    (folder / "modules.json").unlink()
    return folder


def command(teacher, texts, out, *options):
    train, valid, pairs = texts
    __main__.main(["distill", *map(str, [
        teacher, "--text", train, "--valid", valid, pairs, "--out", out, "--work", f"{out}.work", "--tables", 16,
        "--tokens", 256, "--fit-steps", 20, "--fit-tokens", 3000, "--steps", 24, "--int8-steps", 8, "--warm-up", 4,
        "--save-every", 5, "--measure-every", 50, *options])])


def weights(folder):
    return safetensors.load(folder / "model.safetensors")[0]


def test_a_sentence_encoder_from_command_to_folder(texts, tmp_path):
    teacher = load_sentence_encoder(SENTENCE)
    command(SENTENCE, texts, tmp_path / "student")
    student = load_sentence_encoder(tmp_path / "student")
    assert student.model.config.ffn_kinds == ["lookup"] * 3 and student.layers[1].FFN.num_tables == 16
    note = state.State(tmp_path / "student.work" / "state.safetensors", student).note()
    measured = {entry["label"]: entry["values"] for entry in note["measured"]}
    assert measured["24 steps"]["valid cosine"] > max(0.95, measured["the fit"]["valid cosine"])
    sentences = measure.HeldOut.read([texts[1]]).texts["valid"]
    cosines = (student.encode(sentences) * teacher.encode(sentences)).sum(1)
    assert float(cosines.mean()) == pytest.approx(measured["8 steps with int8, in float32"]["valid cosine"], abs=1e-3)
    report = (tmp_path / "student" / "report.md").read_text()
    assert "8 steps with int8, rounded" in report and "retrieval" in report
    for name in re.findall(r"!\[\]\((.*?)\)", report):
        assert (tmp_path / "student" / name).read_text().startswith("<svg")
    assert not (tmp_path / "student" / "texts.json").exists()


@pytest.fixture(scope="module")
def real_texts(tmp_path_factory, texts):
    """The project's own documentation."""
    folder = tmp_path_factory.mktemp("documentation")
    pages = sorted((Path(__file__).parents[2] / "docs").rglob("*.md"))
    for name, part in (("train", pages[1:]), ("valid", pages[:1])):
        (folder / f"{name}.txt").write_text("\n\n".join(page.read_text(encoding="utf-8") for page in part))
    return folder / "train.txt", folder / "valid.txt", texts[2]


@pytest.mark.parametrize("task", ["masked_lm", "classes"])
def test_other_teachers_learn_too(real_texts, tmp_path, task):
    teacher = make_teacher(tmp_path / "teacher", "bert", task)
    command(teacher, real_texts, tmp_path / "student", "--layers", "1", "--projection", "bh4", "--steps", "40")
    student = load_folder(tmp_path / "student")
    assert student.config.ffn_kinds == ["vanilla", "lookup"] and student.config.task == task
    note = state.State(tmp_path / "student.work" / "state.safetensors", student).note()
    fitted, trained = note["measured"][0]["values"], note["measured"][1]["values"]
    assert trained["divergence"] < fitted["divergence"] and trained["correlation"] > 0.9
    assert note["whole"][-1]["hidden"] < note["whole"][0]["hidden"]


@pytest.mark.parametrize("family", ["xlm-roberta", "mpnet", "electra", "deberta-v2"])
def test_every_family_is_a_teacher(real_texts, tmp_path, family):
    teacher = make_teacher(tmp_path / "teacher", family, "masked_lm")
    command(teacher, real_texts, tmp_path / "student", "--layers", "1", "--projection", "bh4", "--steps", "30")
    student = load_folder(tmp_path / "student")
    assert student.config.family == family and student.config.ffn_kinds == ["vanilla", "lookup"]
    note = state.State(tmp_path / "student.work" / "state.safetensors", student).note()
    assert note["measured"][1]["values"]["divergence"] < note["measured"][0]["values"]["divergence"]


def test_the_papers_encoder_is_a_teacher_too(texts, tmp_path):
    torch.manual_seed(0)
    tokenizer = bpe.Tokenizer(*bpe.train(texts[0].read_text().split("\n\n"), 300))
    config = EncoderConfig(vocab_size=tokenizer.size, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                           attention_head_size=8, intermediate_size=32, max_position_embeddings=62,
                           ffn_kinds=["vanilla"] * 2)
    files.export_folder(Encoder(config), tmp_path / "teacher", tokenizer)
    command(tmp_path / "teacher", texts, tmp_path / "student", "--layers", "0", "--block-size", "8")
    student = files.import_model(tmp_path / "student")
    assert student.config.ffn_kinds == ["lookup", "vanilla"] and student.config.ffn_table_size == 16


@pytest.mark.parametrize("megabytes, whole_numbers", [(60, True), (0.6, False)])
def test_a_stopped_run_goes_on_as_if_nothing_had_been(texts, tmp_path, megabytes, whole_numbers):
    size = ["--state-megabytes", megabytes, "--fade", "0.3,0.6"]
    command(SENTENCE, texts, tmp_path / "whole", *size)
    for steps in (7, 9, 17, 12):  # in the fit, into the whole, into int8
        command(SENTENCE, texts, tmp_path / "parts", *size, "--stop-after", steps)
        shutil.rmtree(tmp_path / "parts.work" / "examples", ignore_errors=True)  # as on another machine
        shutil.rmtree(tmp_path / "parts.work" / "states", ignore_errors=True)
    command(SENTENCE, texts, tmp_path / "parts", *size)
    one, other = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(np.array_equal(value, other[name]) for name, value in one.items())
    saved = tmp_path / "parts.work" / "state.safetensors"
    assert saved.stat().st_size <= megabytes * 1e6
    stored = safetensors.load(saved)[0]
    sizes = [stored[f"{part}.base.encoder.layer.0.FFN.tables"].dtype.itemsize for part in ("weight", "exp_avg_sq")]
    assert (sizes == [4, 4]) == whole_numbers
    with pytest.raises(SystemExit, match="another tables"):
        command(SENTENCE, texts, tmp_path / "parts", *size, "--tables", 8)


def test_a_run_may_be_made_shorter_and_longer_on_its_way(texts, tmp_path):
    out = tmp_path / "student"
    command(SENTENCE, texts, out, "--stop-after", 30)  # 20 of the fit, 10 of 24
    command(SENTENCE, texts, out, "--steps", 40, "--precision", "bfloat16", "--stop-after", 5)
    command(SENTENCE, texts, out, "--steps", 18, "--int8-steps", 4, "--stop-after", 5)
    with pytest.raises(SystemExit, match="has made 20 steps of 18 and 4 with int8; it cannot end after 30"):
        command(SENTENCE, texts, out, "--steps", 30, "--int8-steps", 4)
    command(SENTENCE, texts, out, "--steps", 18, "--int8-steps", 4)
    note = state.State(tmp_path / "student.work" / "state.safetensors", load_sentence_encoder(out)).note()
    assert note["step"] == 22 and note["options"]["steps"] == 18
    assert "18 steps" in (out / "report.md").read_text()


def test_a_student_begins_where_another_ended(texts, tmp_path):
    command(SENTENCE, texts, tmp_path / "first", "--projection", "dense")
    again = ["--projection", "dense", "--start", tmp_path / "first", "--fit-steps", 0, "--int8-steps", 0]
    command(SENTENCE, texts, tmp_path / "same", *again, "--steps", 0)
    first, same = weights(tmp_path / "first"), weights(tmp_path / "same")
    assert first.keys() == same.keys()
    for name, value in first.items():
        np.testing.assert_allclose(same[name], value, rtol=1e-4, atol=1e-6, err_msg=name)

    with NativeModel(tmp_path / "first") as native_model:  # the same in one file
        native_model.save(tmp_path / "first.one")
    command(SENTENCE, texts, tmp_path / "of-one-file", *again, "--start", tmp_path / "first.one", "--steps", 0)
    for name, value in weights(tmp_path / "of-one-file").items():
        np.testing.assert_array_equal(value, same[name], err_msg=name)

    count = len(load_sentence_encoder(SENTENCE).model.layers)
    more = ",".join(["24", "32", "16"][i % 3] for i in range(count))
    command(SENTENCE, texts, tmp_path / "more", *again, "--tables", more, "--steps", 0)
    texts_of_one = ["The quick brown fox.", "A lazy dog."]
    was = load_sentence_encoder(tmp_path / "first").encode(texts_of_one)
    torch.testing.assert_close(load_sentence_encoder(tmp_path / "more").encode(texts_of_one), was, rtol=1e-3, atol=1e-4)

    command(SENTENCE, texts, tmp_path / "grown", *again, "--tables", more, "--precision", "bfloat16")
    grown = weights(tmp_path / "grown")
    changed = [name for name in grown if name.endswith("FFN.tables")]
    assert changed and all(np.abs(grown[name][len(first[name]):]).sum() > 0 or len(grown[name]) == len(first[name])
                           for name in changed)
    assert "earlier student" in (tmp_path / "grown" / "report.md").read_text()
    assert "earlier student" not in (tmp_path / "first" / "report.md").read_text()
    with pytest.raises(SystemExit, match="fewer with --linear"):
        command(SENTENCE, texts, tmp_path / "fewer", *again, "--tables", 8)


def test_lookups_take_the_place_of_an_earlier_students_neurons(texts, tmp_path):
    teacher = make_teacher(tmp_path / "teacher", "bert", "masked_lm")
    narrow = ["--heads", 1, "--words", "--word-rows", 40, "--int8-steps", 0]
    command(teacher, texts, tmp_path / "first", *narrow, "--ffn", "vanilla", "--neurons", 48)
    again = [*narrow, "--start", tmp_path / "first", "--projection", "dense", "--steps", 0]
    first = load_folder(tmp_path / "first")
    for layer in first.layers:  # so large that lookups which learned them, too, would be far off
        torch.nn.init.normal_(layer.words.weight, std=2)
    family_model.save_folder(first, tmp_path / "first", tmp_path / "first")
    ids = torch.randint(5, 1400, (8, 24), generator=torch.Generator().manual_seed(1))
    errors = []
    for steps in (1, 150):
        command(teacher, texts, tmp_path / f"after-{steps}", *again, "--fit-steps", steps)
        then = load_folder(tmp_path / f"after-{steps}")
        for name, value in first.file_tensors().items():  # rows by word and heads included
            if name in then.file_tensors():
                torch.testing.assert_close(then.file_tensors()[name], value, rtol=0, atol=1e-6, msg=name)
        with torch.no_grad():
            wanted = first(ids)
            errors.append(float((then(ids) - wanted).square().mean() / wanted.var()))
    assert errors[1] < 0.5 * errors[0] and errors[1] < 0.1, errors
    for layer in (0, 1):
        assert any(name.endswith(f"layer.{layer}.FFN.words") for name in then.file_tensors())


def test_linear_maps_beside_the_tables(texts, tmp_path):
    options = ["--projection", "dense", "--int8-steps", 0]
    values = {}
    for name, more in (("tables", []), ("linear", ["--linear"])):
        command(SENTENCE, texts, tmp_path / name, *options, "--steps", 0, *more)
        note = state.State(tmp_path / f"{name}.work" / "state.safetensors", load_sentence_encoder(tmp_path / name)).note()
        values[name] = note["fit"][-1][1]
    # A layer with more to learn with comes closer to what it is fitted to.
    assert sum(values["linear"]) < sum(values["tables"])

    # Where tables go, linear maps stand for them as well as they can; a map that was there stays part of it.
    again = [*options, "--fit-steps", 0, "--steps", 0, "--tables", 8]
    short = ["The quick brown fox.", "A lazy dog."]
    for start in ("tables", "linear"):
        out = tmp_path / f"fewer-{start}"
        command(SENTENCE, texts, out, *again, "--start", tmp_path / start, "--linear")
        fewer = load_sentence_encoder(out)
        assert fewer.layers[0].FFN.num_tables == 8 and fewer.layers[0].FFN.linear.weight.abs().sum() > 0
        was = load_sentence_encoder(tmp_path / start).encode(short)
        whole = (fewer.encode(short) * was).sum(1).min()
        with torch.no_grad():
            for layer in fewer.layers:
                layer.FFN.linear.weight.zero_()
        assert whole > (fewer.encode(short) * was).sum(1).min()
    with pytest.raises(SystemExit, match="does not fit"):
        command(SENTENCE, texts, tmp_path / "none", *again, "--start", tmp_path / "linear", "--tables", 16)


@pytest.mark.parametrize("activation, num_probes", [("gelu", 1), ("sigmoid", 1), ("gelu", 3)])
def test_what_a_linear_map_stands_for_is_fitted(activation, num_probes):
    torch.manual_seed(0)
    options = {"projection_type": "dense", "layer_norm": False, "activation": activation, "num_probes": num_probes}
    earlier, fewer = LookupFFN(8, 12, 4, **options), LookupFFN(8, 5, 4, linear=True, **options)
    x = torch.randn(500, 8)
    grow.take_over_ffn(fewer, earlier, 0, x)
    with torch.no_grad():
        rest = earlier(x) - fewer(x)
        # Least squares: what is left has nothing to do with the inputs any more.
        assert (x.t() @ rest).abs().max() < 1e-3 * (x.t() @ earlier(x)).abs().max()
        assert rest.square().mean() < earlier(x).square().mean()


def test_words_learn_when_told_to(texts, tmp_path):
    short = ["--fit-steps", 2, "--steps", 6, "--int8-steps", 0]
    command(SENTENCE, texts, tmp_path / "keep", *short)
    command(SENTENCE, texts, tmp_path / "learn", *short, "--words-rate", 1e-5)
    teacher, keep, learn = (load_sentence_encoder(folder).model.state_dict()
                            for folder in (SENTENCE, tmp_path / "keep", tmp_path / "learn"))
    names = [name for name in teacher if name.endswith("word_embeddings.weight")]
    assert names
    for name in names:
        assert torch.equal(keep[name], teacher[name])
        moved = (learn[name] - teacher[name]).abs()
        assert 0 < float(moved.max()) <= 6 * 1.5e-5  # of their own rate, not of the lookups'


def test_without_ffns_only_a_report(texts, tmp_path):
    command(SENTENCE, texts, tmp_path / "none", "--ffn", "none", "--int8-steps", 0)
    assert sorted(path.suffix for path in (tmp_path / "none").iterdir()) == [".md", ".svg", ".svg", ".svg"]
    assert "FFNs left out" in (tmp_path / "none" / "report.md").read_text()


@pytest.mark.parametrize("projection", ["dense", "bh2"])
def test_rounding_is_what_the_library_stores(projection):
    """By the rule of the file format: a scale for each row, 127 steps; BH rows with the Hadamard matrix multiplied in."""
    torch.manual_seed(0)
    layer = LookupFFN(12, 3, 8, projection_type=projection, block_size=4, layer_norm=False)
    holder = torch.nn.Module()
    holder.base, holder.word_embeddings = torch.nn.Module(), torch.nn.Embedding(5, 12)
    holder.base.FFN = layer
    before = {name: value.clone() for name, value in holder.state_dict().items()}
    with quantise.int8(holder):
        for table, whole in zip(layer.tables.view(-1, 12), before["base.FFN.tables"].view(-1, 12)):
            scale = whole.abs().max() / 127
            assert torch.allclose(table, (whole / scale).round() * scale, atol=1e-7)
        weight = layer.hash.projection.weight
        if projection == "dense":
            for row, whole in zip(weight, before["base.FFN.hash.projection.weight"]):
                scale = whole.abs().max() / 127
                assert torch.allclose(row, (whole / scale).round() * scale, atol=1e-7)
        else:
            sylvester = torch.tensor([[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
            for block, whole in zip(weight.view(-1, 4, 4), before["base.FFN.hash.projection.weight"].view(-1, 4, 4)):
                folded = sylvester @ whole
                scale = folded.abs().amax(1, keepdim=True) / 127
                assert torch.allclose(sylvester @ block, (folded / scale).round() * scale, atol=1e-5)
        once = {name: value.clone() for name, value in holder.state_dict().items()}
        with quantise.int8(holder):  # rounding again changes nothing
            assert all(torch.allclose(value, once[name], atol=1e-6) for name, value in holder.state_dict().items())
        layer(torch.randn(5, 12)).sum().backward()
    assert all(torch.equal(value, before[name]) for name, value in holder.state_dict().items())
    assert layer.tables.grad.any() and layer.hash.projection.weight.grad is not None


def test_measures():
    torch.manual_seed(0)
    a, b = torch.randn(50), torch.randn(50)
    a[:10] = a[10:20]
    assert measure.correlation(a, b) == pytest.approx(float(np.corrcoef(a, b)[0, 1]), abs=1e-6)
    by_hand = [(sum(x < y for x in a.tolist()) + sum(x <= y for x in a.tolist()) - 1) / 2 for y in a.tolist()]
    assert measure.ranks(a).tolist() == by_hand
    short, long = torch.eye(4), torch.eye(4)[[0, 1, 3, 2]]
    assert measure.found_first(short, long) == (0.5, pytest.approx((1 + 1 + 0.5 + 0.5) / 4))
    assert measure.similarities(torch.tensor([[1.0, 0], [2, 0], [0, 3]])).tolist() == [1, 0, 0]


def test_begin_balances_the_codes():
    torch.manual_seed(0)
    a, f = torch.randn(500, 16) * 3 + 1, torch.randn(500, 16) + 2
    for projection in ("dense", "bh4"):
        layer = LookupFFN(16, 8, 8, projection_type=projection, block_size=8, layer_norm=False)
        training.begin(layer, a, f)
        shares = (layer.hash_values(a) > 0).double().mean(0)
        assert float((shares - 0.5).abs().max()) < 0.01
        assert torch.allclose(layer.bias, f.mean(0))
        if not isinstance(layer.hash.projection, BlockHadamard):
            assert float(layer.hash_values(a).flatten(1).std(0).mean()) == pytest.approx(0.7, rel=1e-3)


def test_plots_are_whole():
    import xml.etree.ElementTree as tree
    for options in ({}, {"dots": True}, {"log_x": True, "log_y": True}):
        drawn = tree.fromstring(plot.svg({"a & b": [(1, 2.0), (10, 0.5), (100, 1e-3)], "c": [(5, float("nan"))]}, "t", "x",
                                         "y", **options))
        assert len(drawn) > 10
    tree.fromstring(plot.svg({}, "nothing", "x", "y"))
    assert run.Places(Path("x")).megabytes == 60


def test_what_cannot_be_distilled_is_named(texts, tmp_path):
    teacher = make_teacher(tmp_path / "teacher", "bert", None)
    with pytest.raises(SystemExit, match="nothing to learn from"):
        command(teacher, texts, tmp_path / "student")
    with pytest.raises(SystemExit, match="no such file"):
        command(SENTENCE, (tmp_path / "missing.txt", *texts[1:]), tmp_path / "student")
    assert json.loads((teacher / "config.json").read_text())["model_type"] == "bert"
