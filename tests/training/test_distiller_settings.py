"""Distilling: what settings mean and which are refused, what may change on the way, what is kept in --work."""

import numpy as np
from test_distiller import SENTENCE, command, texts, weights  # noqa: F401

SHORT = ["--fit-steps", 2, "--steps", 6, "--int8-steps", 0]


def test_no_clip_is_no_limit(texts, tmp_path):  # noqa: F811
    for name, clip in (("none", 0), ("far", 1e9)):
        command(SENTENCE, texts, tmp_path / name, *SHORT, "--clip", clip)
    none, far = weights(tmp_path / "none"), weights(tmp_path / "far")
    assert all(np.array_equal(value, far[name]) for name, value in none.items())
