"""The model in examples/models: its size, its card, its ids and its numbers in PyTorch and in the library."""

import re
from pathlib import Path

import numpy as np
import torch

from lookupffn import bpe, files
from lookupffn.native_model import NativeModel

FOLDER = Path(__file__).parents[2] / "examples" / "models" / "kjv-small"
TEXTS = ["In the beginning God created the heaven and the earth.", "And the LORD spake unto Moses, saying,", "x² 日本",
         "  two blanks"]


def test_it_is_small_and_has_a_card():
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 8 << 20
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(word in card for word in ("Licence", "Data", "Steps", "log perplexity"))
    assert len(re.findall(r"\| (lookup|vanilla|none) \| [0-9.]+ \|", card)) == 3


def test_the_library_agrees():
    model, tokenizer = files.import_model(FOLDER), bpe.Tokenizer.load(FOLDER)
    assert set(model.config.ffn_kinds) == {"lookup"}
    with NativeModel(FOLDER) as native_model:
        for text in TEXTS:
            ids = native_model.tokenize(text)
            assert ids[1:-1] == tokenizer.encode(text)
            hidden = native_model.encode([ids], model.config.hidden_size)
            with torch.no_grad():
                expected = model(torch.tensor([ids]))[0].numpy()
            assert np.abs(hidden - expected).max() < 1e-3 * np.sqrt(np.mean(expected**2))
