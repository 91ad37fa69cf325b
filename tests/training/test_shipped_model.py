# SPDX-License-Identifier: Apache-2.0
"""The models in examples/models: their size, their cards, what they know, and their numbers in PyTorch and in the library."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from lookupffn import bpe, files, safetensors
from lookupffn.native_model import NativeModel

MODELS = Path(__file__).parents[2] / "examples" / "models"
TEACHER = MODELS.parents[2] / "shared" / "models" / "all-MiniLM-L6-v2"
FOLDER = MODELS / "kjv-small"
# The most bytes, how many of 24 sentences find one of their group, the least correlation and cosine with the teacher.
ENCODERS = {"all-minilm-l6-v2-lookup": (26_000_000, 22, 0.92, 0.9), "all-minilm-l6-v2-fast": (35_000_000, 22, 0.85, 0.85),
            "all-minilm-l6-v2-quality": (45_000_000, 22, 0.89, 0.89)}
each_encoder = pytest.mark.parametrize("name", ENCODERS)
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


# Three sentences that say alike things, without sharing the words that matter.
GROUPS = [
    ("The rocket reached orbit after nine minutes.", "A spacecraft was launched this morning.", "Astronauts live aboard the station."),
    ("Simmer the onions in butter until they are soft.", "This soup needs more salt.", "He fried two eggs for breakfast."),
    ("The striker scored in the last minute.", "Our team lost the match on penalties.", "The goalkeeper was sent off."),
    ("The court found him guilty of fraud.", "Her lawyer will appeal the verdict.", "A judge sentenced the thief to prison."),
    ("Interest rates rose again in June.", "The bank refused him a loan.", "Investors sold their shares in panic."),
    ("The program crashed with a segmentation fault.", "Somebody fixed the bug in the compiler.", "This function leaks memory."),
    ("Heavy rain flooded the valley.", "A thunderstorm is coming from the west.", "It snowed all night in the mountains."),
    ("The pianist played a sonata.", "Her choir rehearses on Thursdays.", "He tuned his violin before the concert."),
]


def embeddings_of(name, texts):
    with NativeModel(MODELS / name) as model:
        return model.embed([model.tokenize(text)[:255] for text in texts], 384)


@each_encoder
def test_the_encoder_is_small_and_has_a_card(name):
    assert (MODELS / name / "model.safetensors").stat().st_size <= ENCODERS[name][0]
    card = (MODELS / name / "README.md").read_text(encoding="utf-8")
    assert all(word in card for word in ("Licence", "Data", "Quality", "Shape")) and "@" not in card
    assert "Apache" in (MODELS / name / "NOTICE").read_text(encoding="utf-8")


@each_encoder
def test_the_encoder_knows_what_sentences_say(name):
    texts = [text for group in GROUPS for text in group]
    vectors = embeddings_of(name, texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    near = vectors @ vectors.T - 2 * np.eye(len(texts))
    right = sum(int(near[i].argmax()) // 3 == i // 3 for i in range(len(texts)))
    wrong = [(texts[i], texts[near[i].argmax()]) for i in range(len(texts)) if near[i].argmax() // 3 != i // 3]
    assert right >= ENCODERS[name][1], wrong


@pytest.mark.skipif(not TEACHER.exists(), reason="needs ../shared")
@each_encoder
def test_the_encoder_is_near_its_teacher(name):
    texts = [entry["text"] for entry in json.loads((TEACHER / "reference.json").read_text(encoding="utf-8"))]
    teacher = np.array(safetensors.load(TEACHER / "reference.safetensors")[0]["embeddings"])
    mine = embeddings_of(name, texts)
    above = np.triu_indices(len(texts), 1)
    assert np.corrcoef((mine @ mine.T)[above], (teacher @ teacher.T)[above])[0, 1] > ENCODERS[name][2]
    assert (mine * teacher).sum(1).mean() > ENCODERS[name][3]
