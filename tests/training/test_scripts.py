# SPDX-License-Identifier: Apache-2.0
"""The scripts beside the package."""

import argparse
import gzip
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lookupffn import Encoder, bpe, native, safetensors

SCRIPTS = Path(__file__).parents[2] / "training" / "scripts"
torch.set_num_threads(1)


def script(name):
    sys.path[:] = dict.fromkeys([str(SCRIPTS), *sys.path])  # For what they import from beside them.
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_results_of_other_options_are_not_reused(tmp_path, monkeypatch):
    compare = script("compare_ffns")
    monkeypatch.setattr(compare, "draw", lambda rows, path: None)
    bpe.Tokenizer(*bpe.train(["ab cd ef gh"], 262)).save(tmp_path / "bpe")
    safetensors.save(tmp_path / "ids", {"ids": (np.arange(8000) % 40 + 10).astype(np.int32)})

    def command(*options):
        common = ["compare_ffns.py", tmp_path / "out", "--train", tmp_path / "ids", "--valid", tmp_path / "ids",
                  "--tokenizer", tmp_path / "bpe", "--rows", "none", "--seeds", "1", "--batch", "4", "--length", "18"]
        monkeypatch.setattr(sys, "argv", list(map(str, [*common, *options])))
        compare.main()

    command("--steps", "2")
    result = tmp_path / "out" / "none-seed1" / "result.json"
    before = result.stat().st_mtime_ns
    runs = json.loads((tmp_path / "out" / "results.json").read_text())["none"]
    (tmp_path / "earlier.json").write_text(json.dumps({"none": [{**runs[0], "log_perplexity": 9, "seed": seed} for seed in (2, 1)],
                                                       "slide": [runs[0]]}))
    found = compare.gather(tmp_path / "out", tmp_path / "earlier.json")
    assert [run["log_perplexity"] for run in found["none"]] == [runs[0]["log_perplexity"], 9] and found["slide"] == runs
    command("--steps", "2")
    assert result.stat().st_mtime_ns == before
    for options, name in [(["--steps", "3"], "steps"), (["--steps", "2", "--batch", "5"], "batch")]:
        with pytest.raises(SystemExit, match=f"another {name}"):
            command(*options)
    safetensors.save(tmp_path / "ids", {"ids": (np.arange(8000) % 30 + 10).astype(np.int32)})
    with pytest.raises(SystemExit, match="another data"):
        command("--steps", "2")


def test_narrow_rows_and_rows_by_word_are_rows_like_others():
    compare = script("compare_ffns")
    narrow = compare.config_of("vanilla-110+words", 262, 18)
    assert narrow.intermediate_size == 110 and narrow.ffn_words and narrow.ffn_kinds == ["vanilla"] * 2
    plain, words = (Encoder(compare.config_of(row, 262, 18)) for row in ("lookup-small", "lookup-small+words"))
    assert words.ffn_flop_per_token() - plain.ffn_flop_per_token() == 2 * 128
    names = ["lookup-small", "none", "vanilla-20", "vanilla", "lookup-small+words", "vanilla-110", "none+words"]
    assert sorted(names, key=compare.place_of) == ["none", "none+words", "vanilla", "vanilla-110", "vanilla-20",
                                                   "lookup-small", "lookup-small+words"]
    tables = compare.config_of("lookup-24x8+words", 262, 18, 64)
    assert (tables.ffn_num_table, tables.ffn_table_size, tables.ffn_kinds) == (24, 8, ["lookup"] * 2) and tables.ffn_words
    assert compare.row_name("lookup-24x8") == "lookup-24x8" and compare.place_of("lookup-24x8") > compare.place_of("lookup-large")
    for name in ("vanilla-0", "vanilla-", "wide", "+words", "lookup-24", "lookup-24x0"):
        with pytest.raises(argparse.ArgumentTypeError, match="there is no row"):
            compare.row_name(name)


LIST = """Package: {name}
Description-md5: 0
Description-en: a {name} that is long enough
 First line of {name} in the
 long text.
 .
 Second paragraph, of {name} as well.
"""


def test_package_descriptions_are_parted_by_their_names():
    fetch = script("fetch_text")
    names = [f"package{i}" for i in range(90)]
    expected = [name for name in names if int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little") % 15 == 0]
    assert 2 <= len(expected) <= 12
    lists = ["\n".join(LIST.format(name=name) for name in names[:50]), "\n".join(LIST.format(name=name) for name in names[40:])]
    # One that learns nothing new: its short text is that of a kept package.
    lists.append("Package: other\nDescription-en: a {0} that is long enough\n Its own text, long enough too.\n".format(expected[0]))
    documents, pairs = fetch.package_descriptions(lists)
    assert len(pairs) == len(expected)
    assert pairs[0] == (f"a {expected[0]} that is long enough",
                        f"First line of {expected[0]} in the long text. Second paragraph, of {expected[0]} as well.")
    assert len(documents) == 2 * (len(names) - len(expected)) + 1
    assert not [document for document in documents for name in expected if f" {name} " in document]


def test_texts_for_measuring_are_not_learned(tmp_path, monkeypatch):
    fetch = script("fetch_text")
    folder = tmp_path / "root" / "usr" / "share" / "dictd"
    folder.mkdir(parents=True)
    with gzip.open(folder / "jargon.dict.dz", "wt") as file:
        file.write("".join(f"word{i}\n   means something long enough number {i}\n" for i in range(5)))
    monkeypatch.setattr(fetch, "fetch", lambda packages, where: (tmp_path / "root", ["a licence"]))
    assert all(fetch.SOURCES[name].for_measuring for name in ("jargon", "devil"))
    documents, licences = fetch.documents_of("jargon", tmp_path, tmp_path)
    assert documents == [] and licences == ["a licence"]
    assert (tmp_path / "jargon.txt").read_text().count("means something") == 5


def test_manual_pages_are_read_as_text(tmp_path):
    fetch = script("fetch_text")
    folder = tmp_path / "usr" / "share" / "man" / "man1"
    folder.mkdir(parents=True)
    with gzip.open(folder / "x.1.gz", "wt") as file:
        file.write('.TH X 1\n.SH NAME\nx \\- does \\fIit\\fP\n.PP\nThe option\n.B \\-v\nsays more.\n.nf\ncode\n.fi\n.\\" no\n')
    assert fetch.clean("".join(fetch.roff(tmp_path))) == "x - does it The option -v says more."


def test_students_are_measured_beside_baselines(tmp_path, monkeypatch):
    import test_distiller
    evaluate = script("evaluate_sentences")
    train = test_distiller.write_text(tmp_path / "train.txt", 1, 120)
    valid = test_distiller.write_text(tmp_path / "valid.txt", 2, 40)
    words = test_distiller.WORDS
    (tmp_path / "pairs.tsv").write_text("".join(f"{a} {b}\t{a} {b} and {a}\n" for a in words for b in words[:5]))
    texts = (train, valid, tmp_path / "pairs.tsv")
    test_distiller.command(test_distiller.SENTENCE, texts, tmp_path / "student")
    test_distiller.command(test_distiller.SENTENCE, texts, tmp_path / "none", "--ffn", "none", "--int8-steps", 0)
    (tmp_path / "speed.json").write_text('{"teacher": 10, "lookups": 3}')
    # What people would say if a text were like itself and not like others.
    (tmp_path / "same.tsv").write_text("".join(f"{int(a == b)}\t{a}\t{b}\n" for a in words[:6] for b in words[:6]))
    monkeypatch.setattr(sys, "argv", list(map(str, [
        "evaluate_sentences.py", test_distiller.SENTENCE, "--valid", valid, texts[2], "--text", train, "--out",
        tmp_path / "out", "--student", f"lookups={tmp_path / 'student'}", "--student",
        f"none={tmp_path / 'none.work' / 'state.safetensors'}", "--model", f"run={tmp_path / 'student'}", "--speed",
        tmp_path / "speed.json", "--judged", tmp_path / "same.tsv"])))
    evaluate.main()
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    names = list(results)
    assert names[0] == "teacher" and names[1].startswith("static") and names[2:] == ["lookups", "lookups, int8", "none",
                                                                                     "none, int8", "run"]
    assert results["teacher"]["values"]["valid r"] == 1.0
    report = (tmp_path / "student" / "report.md").read_text()
    (row,) = [line for line in report.splitlines() if "8 steps with int8, in float32" in line]
    assert abs(results["lookups"]["values"]["valid cosine"] - float(row.split("|")[4])) < 2e-4  # the last digit printed
    (row,) = [line for line in (tmp_path / "none" / "report.md").read_text().splitlines() if "24 steps |" in line]
    assert abs(results["none"]["values"]["valid cosine"] - float(row.split("|")[4])) < 2e-3
    assert all(0.55 < row["values"]["same Spearman"] <= 1 for row in results.values())  # ties of 30 and 6: at most 0.65
    assert abs(results["run"]["values"]["valid cosine"] - results["lookups"]["values"]["valid cosine"]) < 2e-4
    assert (tmp_path / "out" / "quality.svg").read_text().count("<circle") == 2


@pytest.mark.parametrize("student", ["lookups=nowhere", "nowhere"])
def test_a_missing_student_is_named(tmp_path, monkeypatch, student):
    monkeypatch.setattr(sys, "argv", ["evaluate_sentences.py", "nobody", "--valid", __file__, "--student", student, "--out",
                                      str(tmp_path / "out")])
    with pytest.raises(SystemExit, match="nowhere.*NAME=PATH"):
        script("evaluate_sentences").main()
    assert not (tmp_path / "out").exists()


def test_scripts_that_docs_name_can_be_run():
    root = SCRIPTS.parents[1]
    for path in SCRIPTS.glob("*.py"):
        assert os.access(path, os.X_OK) == path.read_text(encoding="utf-8").startswith("#!"), path.name
    makes = sorted((root / "examples" / "models").glob("*/make"))
    assert len(makes) > 1
    for make in makes:
        asked = subprocess.run([make, "--help"], capture_output=True, text=True, check=False)
        assert asked.returncode == 0 and "TEACHER" in asked.stdout
        assert subprocess.run([make], capture_output=True, check=False).returncode == 2


def test_embedding_accuracy_compares_each_form_with_the_wanted(tmp_path, monkeypatch, capsys):
    accuracy = script("embedding_accuracy")
    stand_in = tmp_path / "command"
    stand_in.write_text(f"""#!{sys.executable}
import array, json, sys
texts = [json.loads(line) for line in sys.stdin]
vectors = {{"a": [1, 0], "b": [1, 1], "c": [0, 2]}}
rounded = {{"a": [1, 0], "b": [1, 0], "c": [0, 1]}} if "--linear-dtype" in sys.argv else vectors
sys.stdout.buffer.write(array.array("f", [x for text in texts for x in rounded[text]]).tobytes())
""")
    stand_in.chmod(0o755)
    (tmp_path / "texts.json").write_text(json.dumps(["a", {"text": "b"}, "c"]))
    monkeypatch.setattr(sys, "argv", ["embedding_accuracy.py", "model", str(tmp_path / "texts.json"), "--command",
                                      str(stand_in)])
    accuracy.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "| float32 | 1.00000 | 1.00000 | 1.00000 |"
    assert lines[3].startswith("| int8 linear layers | 0.90237 | 0.70711 |")
    safetensors.save(tmp_path / "wanted", {"embeddings": np.ones((2, 2), np.float32)})
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--reference", str(tmp_path / "wanted")])
    with pytest.raises(SystemExit):
        accuracy.main()


def test_perplexity_is_put_beside_the_median_time(tmp_path, monkeypatch):
    beside = script("perplexity_time")
    runs = {row: [{"log_perplexity": 2.0 + seed} for seed in range(seeds)]
            for row, seeds in (("vanilla", 3), ("slide", 3), ("rows-8", 1))}
    (tmp_path / "in.json").write_text(json.dumps(runs))
    made, rounds = [], iter([5, 7, 6])

    def make_models(rows, folder, command):
        made.extend(rows)
        return {(row, name): f"{row} {name}" for row in rows for name in beside.TYPES}

    def measure(model, arguments):
        row, name = model.split()
        time = next(rounds) if (row, name) == ("vanilla", "float32") else 1
        return time, time / 2

    monkeypatch.setattr(beside, "make_models", make_models)
    monkeypatch.setattr(beside, "measure", measure)
    monkeypatch.setattr(beside, "draw", lambda results, path: None)
    monkeypatch.setattr(sys, "argv", ["perplexity_time.py", str(tmp_path / "in.json"), str(tmp_path / "out"), "--command",
                                      "none", "--rounds", "3"])
    beside.main()
    assert made == ["vanilla", "rows-8"]  # what the library cannot run has no time
    lines = (tmp_path / "out" / "results.md").read_text().splitlines()
    assert lines[2:] == ["| vanilla | 3.000 (2.000 to 4.000) | 3.00, 6.00 | 0.50, 1.00 |", "| rows-8 | 2.000 | 0.50, 1.00 | 0.50, 1.00 |"]


def test_neurons_that_take_no_longer_than_lookups(tmp_path, monkeypatch):
    equal = script("equal_time")
    times = {64: 1.0, 128: 2.0, 512: 10.0}
    assert [equal.neurons_within(times, us) for us in (1.5, 2.0, 6.0, 12.0, 0.5)] == [96, 128, 320, 608, 32]
    assert equal.plan("vanilla-64", 128, "many tokens", 4, 96) == (equal.FEW_LAYERS, 1)
    layers, models = equal.plan("vanilla-64", 128, "one token", 1, 96)
    assert layers <= equal.MOST_LAYERS and layers * models * equal.bytes_of_layer("vanilla-64", 128, 1) >= 96e6

    class Subject:
        def __init__(self, out, row, hidden_size, call, kind, megabytes, load):
            self.us = iter([99.0, *(8.0 if row == "lookup-small" else float(row.removeprefix("vanilla-")),) * 4])

        def microseconds(self, draw):
            return next(self.us)

        def close(self):
            pass

    monkeypatch.setattr(equal, "Subject", Subject)
    for call in equal.CALLS:  # the second adds to what the first kept
        monkeypatch.setattr(sys, "argv", ["equal_time.py", str(tmp_path), "--rows", "lookup-small", "--neurons", "4", "12",
                                          "--types", "int8", "--calls", call, "--rounds", "4"])
        equal.main()
    lines = (tmp_path / "results-128.md").read_text().splitlines()
    assert len(lines) == 8 and lines[2] == "| lookup-small | int8 | one token | 8.00 | 8 neurons |"
    assert lines[5] == "| lookup-small | int8 | many tokens | 8.00 | 8 neurons |"
    times = {("lookup-small", "int8", "one token"): 8.0, ("vanilla-4", "int8", "one token"): 4.0,
             ("vanilla-256", "int8", "one token"): 256.0}
    rows = ("lookup-small", "vanilla-6", "vanilla", "slide", "vanilla-257")
    assert [equal.time_of(row, times, "int8", "one token", 64) for row in rows] == [8.0, 6.0, 256.0, None, None]
    pytest.importorskip("matplotlib")
    (tmp_path / "runs.json").write_text(json.dumps({"lookup-small": [{"log_perplexity": 2.5}]}))
    monkeypatch.setattr(sys, "argv", ["equal_time.py", str(tmp_path), "--perplexity", str(tmp_path / "runs.json")])
    equal.main()
    assert (tmp_path / "results-128.png").stat().st_size > 1000


def test_the_time_of_feed_forward_blocks(tmp_path):
    if native.library() is None:
        pytest.skip("needs liblookupffn")
    equal = script("equal_time")
    for row in ("vanilla-20", "lookup-16x4"):
        subject = equal.Subject(tmp_path, row, 32, "one token", "int8", 0.01, True)
        assert subject.layers > 1 and subject.microseconds(np.random.default_rng(1)) > 0
        subject.close()


def test_the_frontier_leaves_out_what_another_student_beats(tmp_path):
    frontier = script("frontier")
    times = {"teacher": 40, "wide": 20, "slow": 21, "narrow": 10, "worse": 10}
    kept = {"teacher": 0.8, "wide": 0.76, "slow": 0.75, "narrow": 0.7, "worse": 0.6}
    results = {name: {"bytes": 2000000, "spearman": {"a": kept[name], "b": kept[name] / 2},
                      "us": {"1 x 16": us, "32 x 128": us + 1}} for name, us in times.items()}
    for entry in results.values():
        entry["quality"] = frontier.quality(entry, results["teacher"])
    assert results["narrow"]["quality"] == pytest.approx(0.875)
    assert frontier.best(results, "1 x 16") == ["narrow", "wide", "teacher"]
    lines = frontier.table(results).splitlines()
    assert lines[0].count("|") == lines[1].count("|") == lines[2].count("|")
    assert "| wide | 2.0 | 76.00 | 38.00 | 95.0 % | 20.0 (2.00) | 21.0 (1.95) |" in lines
    assert len({frontier.file_name(point) for point in frontier.POINTS}) == len(frontier.POINTS)
    told = argparse.Namespace(rest=["--steps", "9"], word_rows=50, word_dtype="int8")
    assert frontier.options_of("256", told) == ["--steps", "9", "--ffn=vanilla", "--neurons=256", "--fit-steps=0"]
    assert frontier.options_of("256 + rows", told)[-3:] == ["--words", "--word-rows=50", "--word-dtype=int8"]
    told.rest = ["--fit-steps", "7"]
    assert "--fit-steps=0" not in frontier.options_of("256", told)
    pytest.importorskip("matplotlib")
    counts = []
    for groups in ({"one": results}, {"one": results, "other": results}):
        frontier.draw(groups, tmp_path / "frontier.svg")
        counts.append((tmp_path / "frontier.svg").read_text().count("<path"))
    assert 10 < counts[0] < counts[1]


def test_descriptions_of_pairs_that_others_quote_are_not_tried():
    find = script("find_descriptions")
    quoted = "this package has the files that all others of its kind need"
    pairs = [("a short one", "a longer text that stands nowhere else at all, truly"), ("another", "Indeed: " + quoted.upper()),
             (quoted, "long")]
    assert find.clean_pairs(["It says that " + quoted + ".", "a short one"], pairs) == pairs[:1]
    long = np.eye(3, dtype=np.float32)
    assert find.places(long, long).tolist() == [0, 0, 0]
    assert find.places(long[[0, 1, 1]] + 0.1 * long, long).tolist() == [0, 0, 1]
    assert find.with_interval(np.ones(5)) == "100.0 % (100.0 to 100.0)"


def test_long_descriptions_keep_their_last_token():
    find, seen = script("find_descriptions"), []

    class Model:
        def tokenize(self, text):
            return [1, *range(10, 10 + len(text)), 2]

        def embed(self, rows, size):
            seen.extend(rows)
            return np.zeros((len(rows), size), np.float32)

    assert find.embeddings(Model(), 4, [" abc ", "x" * 300] * 40).shape == (80, 4)
    assert seen[0].tolist() == [1, 10, 11, 12, 2]
    assert len(seen[1]) == find.LONGEST and seen[1][-1] == 2 and seen[1][-2] != 2


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


def students_plan_and_call(settings, tmp_path):
    """What training/scripts/students, run without anything to compute, writes as its plan and calls distill-many with."""
    write_program(tmp_path / "training/scripts/students", (SCRIPTS / "students").read_text())
    write_program(tmp_path / "build/release/tools/lookupffn", "")
    write_program(tmp_path / "training/scripts/fetch_text.py", 'mkdir -p "$1" && touch "$1/train.txt"')
    write_program(tmp_path / "python", 'echo "$@" >> calls; case $3 in texts) touch "$4" ;; start) touch "$5" ;; esac')
    (tmp_path / "teacher").mkdir()
    (tmp_path / "passages.txt").touch()
    command = [tmp_path / "training/scripts/students", tmp_path / "teacher", tmp_path / "work", tmp_path / "passages.txt"]
    subprocess.run(command, check=True, env={"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHON": str(tmp_path / "python"), **settings})
    (call,) = [line for line in (tmp_path / "calls").read_text().splitlines() if " distill-many " in line]
    return json.loads((tmp_path / "work/plan.json").read_text()), call


@pytest.mark.parametrize("settings, rows, rates", [
    ({}, 256, {"quality": 1, "fast": 1, "tiny": 1.5}), ({"ROWS": "8", "STUDENTS": "lookup tiny"}, 8, {"lookup": 0.177, "tiny": 0.265}),
    ({"LENGTH": "128"}, 512, {"quality": 1, "fast": 1, "tiny": 1.5}), ({"LENGTH": "128", "ROWS": "128", "STUDENTS": "mixed"}, 128, {"mixed": 0.5})])
def test_students_learn_more_slowly_in_smaller_steps(settings, rows, rates, tmp_path):
    plan, call = students_plan_and_call(settings, tmp_path)
    assert {student["name"]: student["rate"] for student in plan["students"]} == rates
    assert f"--rows {rows}" in call


@pytest.mark.parametrize("settings, ends", [({}, "--seconds 265 "), ({"SECONDS_OF_RUN": "60"}, "--seconds 60 "),
                                            ({"STEPS_OF_RUN": "1235", "SECONDS_OF_RUN": "60"}, "--seconds 1e9 --most-steps 1235 ")])
def test_students_end_by_the_clock_or_by_their_steps(settings, ends, tmp_path):
    call = students_plan_and_call(settings, tmp_path)[1]
    assert ends in call and call.count("--seconds") == 1 and ("--most-steps" in call) == ("--most-steps" in ends)


@pytest.mark.parametrize("steps", ["0", "-3", "1e3", "many"])
def test_students_do_not_begin_without_a_number_of_steps(steps, tmp_path):
    """None would mean that the clock decides, which is off."""
    with pytest.raises(subprocess.CalledProcessError) as failed:
        students_plan_and_call({"STEPS_OF_RUN": steps}, tmp_path)
    assert failed.value.returncode == 2 and not (tmp_path / "work").exists()
