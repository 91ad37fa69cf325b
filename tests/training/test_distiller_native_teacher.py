# SPDX-License-Identifier: Apache-2.0
"""A teacher that the library runs in int8 says what PyTorch's says, after every layer."""

import pytest
import torch
from test_distiller import SENTENCE, command, make_teacher, texts  # noqa: F401

from lookupffn import load_folder
from lookupffn.distiller import native_teacher, pieces, subject, teacher_cache

torch.set_num_threads(1)


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
