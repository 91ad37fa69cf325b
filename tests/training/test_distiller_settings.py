"""Distilling: what settings mean and which are refused, what may change on the way, what is kept in --work."""

import shutil

import numpy as np
import pytest
import torch
from test_distiller import SENTENCE, command, texts, weights, write_text  # noqa: F401

from lookupffn.distiller import pieces, subject, teacher_cache

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
