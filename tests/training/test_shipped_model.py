"""The model in examples/models: its size, its card, its ids and its numbers in PyTorch and in the library."""

import ctypes
import re
from pathlib import Path

import numpy as np
import torch

from lookupffn import bpe, files, native

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
    library, handle = native.library(), ctypes.c_void_p()
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    library.lffn_model_load.argtypes = [ctypes.c_char_p, pointer, pointer]
    library.lffn_model_tokenize.argtypes = [pointer, ctypes.c_char_p, size, ctypes.c_uint32, pointer, size, pointer]
    library.lffn_model_encode.argtypes = [pointer, pointer, pointer, ctypes.c_int64, pointer]
    library.lffn_model_free.argtypes = [pointer]
    native._check(library.lffn_model_load(str(FOLDER).encode(), None, ctypes.byref(handle)))
    for text in TEXTS:
        data, ids, count = text.encode(), np.zeros(100, dtype=np.int32), size()
        native._check(library.lffn_model_tokenize(handle, data, len(data), 0, ids.ctypes.data, 100, ctypes.byref(count)))
        ids = ids[: count.value].copy()
        assert ids.tolist() == tokenizer.encode(text)
        offsets, hidden = np.array([0, len(ids)], dtype=np.int64), np.empty((len(ids), model.config.hidden_size), np.float32)
        native._check(library.lffn_model_encode(handle, ids.ctypes.data, offsets.ctypes.data, 1, hidden.ctypes.data))
        with torch.no_grad():
            expected = model(torch.from_numpy(ids).long()[None])[0].numpy()
        assert np.abs(hidden - expected).max() < 1e-3 * np.sqrt(np.mean(expected**2))
    library.lffn_model_free(handle)
