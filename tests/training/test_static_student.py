# SPDX-License-Identifier: Apache-2.0
"""Static vectors distilled from a sentence encoder: tiny, seconds."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lookupffn import __main__, native_model, static_student

torch.set_num_threads(1)
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

TEACHER = archive.unpacked("training/data.tar") / "sentence-lookup-bh4"
SIZE = json.loads((TEACHER / "config.json").read_text())["hidden_size"]
WORDS = "the quick brown fox jumps over a lazy dog civil service workers line users type port seed base hit text".split()


@pytest.fixture(scope="module")
def lines():
    random = np.random.default_rng(1)
    return [". ".join(" ".join(random.choice(WORDS, random.integers(4, 12))) for _ in range(random.integers(1, 4))) + "."
            for _ in range(300)]


@pytest.fixture(scope="module")
def text(lines, tmp_path_factory):
    path = tmp_path_factory.mktemp("static") / "text.txt"
    path.write_text("\n".join(lines))
    return path


def run(text, out, *options):
    __main__.main(["distill", str(TEACHER), "--text", str(text), "--out", str(out), "--work", str(out) + ".work", "--static",
                   "--threads", "1", *map(str, options)])


def cosine_with_teacher(folder, texts):
    found = []
    for path in (folder, TEACHER):
        with native_model.NativeModel(path) as model:
            ids = [model.tokenize(line) for line in texts]
            vectors = model.embed(ids, SIZE)
            found.append(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    return float((found[0] * found[1]).sum(1).mean())


def test_the_library_runs_it_and_it_comes_near_its_teacher(text, lines, tmp_path, capsys):
    run(text, tmp_path / "one", "--static-dtype", "f32", "--static-passes", 1)
    run(text, tmp_path / "many", "--static-dtype", "f32", "--static-passes", 60)
    said = [float(line.rsplit(" ", 1)[1]) for line in capsys.readouterr().out.splitlines() if line.startswith("done")]
    assert 0 < said[0] < said[1] <= 1 and said[1] > 0.5
    nearer = [cosine_with_teacher(tmp_path / name, lines[:50]) for name in ("one", "many")]
    assert nearer[0] < nearer[1] and nearer[1] > 0.5
    config = json.loads((tmp_path / "many" / "config.json").read_text())
    assert config["model_type"] == "model2vec" and config["hidden_dim"] == SIZE and config["normalize"]


def test_int8_and_float16_give_nearly_the_same_vectors(text, lines, tmp_path):
    found = {}
    for dtype in static_student.DTYPES:
        run(text, tmp_path / dtype, "--static-dtype", dtype, "--static-passes", 2)
        with native_model.NativeModel(tmp_path / dtype) as model:
            found[dtype] = model.embed([model.tokenize(line) for line in lines[:20]], SIZE)
    assert np.abs(found["f16"] - found["f32"]).max() < 2e-3
    assert (found["int8"] * found["f32"]).sum(1).min() > 0.999
    sizes = [(tmp_path / dtype / "model.safetensors").stat().st_size for dtype in ("int8", "f16", "f32")]
    assert sizes[0] < 0.6 * sizes[1] < 0.36 * sizes[2]


def test_fewer_numbers_are_the_principal_directions(text, lines, tmp_path):
    size = SIZE // 2
    run(text, tmp_path / "short", "--static-size", size, "--static-passes", 2)
    with native_model.NativeModel(tmp_path / "short") as model:
        found = model.embed([model.tokenize(line) for line in lines[:5]], size)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    directions = static_student.principal(np.diag(np.arange(1.0, SIZE + 1)), 2)
    assert np.abs(directions[SIZE - 1, 0]) == pytest.approx(1) and np.abs(directions[SIZE - 2, 1]) == pytest.approx(1)


def test_a_stopped_run_reads_the_teacher_no_more(text, tmp_path, monkeypatch):
    run(text, tmp_path / "first", "--static-passes", 1)
    monkeypatch.setattr(static_student, "_by_length", lambda *_: pytest.fail("the teacher ran again"))
    run(text, tmp_path / "again", "--static-passes", 1, "--work", str(tmp_path / "first") + ".work")
    files = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("first", "again")]
    assert files[0] == files[1]
    with pytest.raises(pytest.fail.Exception):  # other texts are other work
        run(text, tmp_path / "other", "--seed", 1, "--work", str(tmp_path / "first") + ".work")


@pytest.mark.parametrize("options, told", [
    (["--static-dtype", "int4"], "int4"), (["--static-size", SIZE + 1], "cannot be"), (["--static-passes", 0], "more than 0"),
])
def test_what_cannot_be_is_told(text, tmp_path, options, told):
    with pytest.raises(SystemExit) as error:
        run(text, tmp_path / "out", *options)
    assert told in str(error.value) and not (tmp_path / "out").exists()


def test_texts_that_hold_nothing_are_told(tmp_path):
    (tmp_path / "empty.txt").write_text("\n\n")
    with pytest.raises(SystemExit, match="nothing to learn from"):
        run(tmp_path / "empty.txt", tmp_path / "out")
