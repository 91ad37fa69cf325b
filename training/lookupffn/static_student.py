# SPDX-License-Identifier: Apache-2.0
"""A student without layers: one vector per token, whose mean is a text's embedding, as a folder in Model2Vec's form."""

from __future__ import annotations

import dataclasses
import functools
import json
import random
import re
import shutil
from pathlib import Path
from typing import Callable, Iterable, Iterator, Sequence, Union

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from . import native_model, safetensors
from .many.texts import passages
from .progress import Progress

DTYPES = ("f32", "f16", "int8")
_FREQUENT = 1e-4  # a token this frequent counts half at the start
_LONGEST = 256  # tokens that the teacher reads of a text
_TEXTS = 512  # whose embeddings are computed, and kept, at once
_HELD = 2048  # texts to measure on, at most a tenth of all
_TEMPERATURE = 0.05


@dataclasses.dataclass
class Options:
    size: int = 0  # numbers of a vector, the teacher's principal directions; 0: the teacher's own space
    dtype: str = "int8"
    tokens: int = 8_000_000  # to learn from
    passes: int = 6
    batch: int = 1024
    rate: float = 3e-3
    rank: float = 0.1  # what the order of the teacher's neighbours weighs beside the cosine
    seed: int = 0

    def check(self) -> None:
        if self.dtype not in DTYPES:
            raise ValueError(f'dtype is "{self.dtype}", expected one of {", ".join(DTYPES)}')
        if self.size < 0 or min(self.tokens, self.passes, self.batch) < 1 or self.rate <= 0 or self.rank < 0:
            raise ValueError("size and rank must be 0 or more; tokens, passes, batch and rate more than 0")


@dataclasses.dataclass
class Pieces:
    """Texts as ids without special tokens, one after another, and the teacher's embeddings of them."""

    ids: np.ndarray
    starts: np.ndarray
    vectors: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def batch(self, chosen: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
        ids = np.concatenate([self.ids[self.starts[i] : self.starts[i + 1]] for i in chosen]).astype(np.int64)
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        begins = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        return torch.from_numpy(ids), torch.from_numpy(begins), torch.from_numpy(self.vectors[chosen].astype(np.float32))


def texts_of(files: Sequence[Path], seed: int) -> list[str]:
    """Passages, and one sentence of each as a query, in a random order."""
    draw = random.Random(seed)
    texts: list[str] = []
    for file in files:
        for passage in passages(file):
            texts.append(passage)
            sentences = re.split(r"(?<=[.!?;])\s+", passage)
            if len(sentences) > 1:
                texts.append(draw.choice(sentences))
    draw.shuffle(texts)
    return texts


class _Kept:
    """The teacher's embeddings in a folder, so that a stopped run resumes where it was."""

    def __init__(self, work: Path, key: str) -> None:
        self.work = work
        work.mkdir(parents=True, exist_ok=True)
        mark = work / "static.json"
        if not mark.exists() or mark.read_text(encoding="utf-8") != key:
            for file in work.glob("static-*.npy"):
                file.unlink()
            mark.write_text(key, encoding="utf-8")

    def get(self, number: int, make: Callable[[], np.ndarray]) -> np.ndarray:
        path = self.work / f"static-{number}.npy"
        if not path.exists():
            part = self.work / "static.part.npy"
            np.save(part, make())
            part.rename(path)
        found: np.ndarray = np.load(path)
        return found


def _by_length(model: native_model.NativeModel, sequences: list[list[int]], size: int, at_once: int = 64) -> np.ndarray:
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
    found = np.zeros((len(sequences), size), np.float16)
    for first in range(0, len(order), at_once):
        part = order[first : first + at_once]
        found[part] = model.embed([sequences[i] for i in part], size)
    return found


def read_teacher(model: native_model.NativeModel, texts: Iterable[str], size: int, longest: int, tokens: int,
                 kept: _Kept) -> Pieces:
    ids: list[np.ndarray] = []
    starts: list[int] = [0]
    vectors: list[np.ndarray] = []
    progress = Progress(0, tokens)

    def groups() -> Iterator[list[list[int]]]:
        group: list[list[int]] = []
        for text in texts:
            read = model.tokenize(text)
            if len(read) > 3:
                group.append(read if len(read) <= longest else [*read[: longest - 1], read[-1]])
            if len(group) == _TEXTS:
                yield group
                group = []
        if group:
            yield group

    for number, group in enumerate(groups()):
        vectors.append(kept.get(number, functools.partial(_by_length, model, group, size)))
        for read in group:
            ids.append(np.array(read[1:-1], np.int32))
            starts.append(starts[-1] + len(read) - 2)
        progress.show(min(starts[-1], tokens), "tokens read by the teacher")
        if starts[-1] >= tokens:
            break
    if not ids:
        raise ValueError("the texts contain nothing to learn from")
    found = np.concatenate(vectors).astype(np.float32)
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
    return Pieces(np.concatenate(ids), np.array(starts, np.int64), found)


def first_rows(model: native_model.NativeModel, vocabulary: int, size: int, share: np.ndarray) -> np.ndarray:
    """The teacher's embeddings of single tokens, less their mean, shorter for frequent tokens."""
    begin, *_, end = model.tokenize("")
    rows = np.concatenate([model.embed([[begin, i, end] for i in range(first, min(vocabulary, first + 512))], size)
                           for first in range(0, vocabulary, 512)]).astype(np.float64)
    rows = (rows - share @ rows) * (_FREQUENT / (_FREQUENT + share))[:, None]
    rows[[begin, end]] = 0
    return (rows / max(np.sqrt((rows**2).sum(1).mean()), 1e-12)).astype(np.float32)


def principal(vectors: np.ndarray, size: int) -> np.ndarray:
    """[the teacher's size, size]: the directions in which its embeddings are longest."""
    _, directions = np.linalg.eigh(vectors.astype(np.float64).T @ vectors)
    return np.ascontiguousarray(directions[:, ::-1][:, :size].astype(np.float32))


def _cosine(rows: Tensor, pieces: Pieces, chosen: np.ndarray) -> float:
    with torch.no_grad():
        ids, begins, wanted = pieces.batch(chosen)
        return float((F.normalize(F.embedding_bag(ids, rows, begins, mode="mean"), dim=1) * F.normalize(wanted, dim=1)).sum(1).mean())


def _order(vectors: Tensor, wanted: Tensor) -> Tensor:
    """How far the similarities of a batch's texts are from the teacher's, compared as distributions."""
    itself = torch.eye(len(wanted), dtype=torch.bool)
    def spread(found: Tensor) -> Tensor:
        return (found @ wanted.T / _TEMPERATURE).masked_fill(itself, -1e4).log_softmax(1)
    return F.kl_div(spread(vectors), spread(wanted), log_target=True, reduction="batchmean")


def train(rows: np.ndarray, pieces: Pieces, options: Options) -> tuple[np.ndarray, float]:
    """-> rows, and the mean cosine with the teacher on held-out texts."""
    random_order = np.random.default_rng(options.seed)
    held = min(_HELD, len(pieces) // 10)
    learned = len(pieces) - held
    apart = np.arange(learned, len(pieces)) if held else np.arange(learned)
    weights = torch.from_numpy(rows.copy()).requires_grad_(True)
    steps_of_pass = max(1, learned // options.batch)
    steps = options.passes * steps_of_pass
    optimiser = torch.optim.Adam([weights], options.rate, betas=(0.9, 0.98))
    progress = Progress(0, steps)
    done, cosine = 0, _cosine(weights, pieces, apart)
    for _ in range(options.passes):
        for chosen in np.array_split(random_order.permutation(learned), steps_of_pass):
            for group in optimiser.param_groups:
                group["lr"] = options.rate * min(1.0, (done + 1) / 50) * max(0.02, 1 - done / steps)
            ids, begins, wanted = pieces.batch(chosen)
            wanted = F.normalize(wanted, dim=1)
            found = F.normalize(F.embedding_bag(ids, weights, begins, mode="mean"), dim=1)
            loss = 1 - (found * wanted).sum(1).mean()
            if options.rank:
                loss = loss + options.rank * _order(found, wanted)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            done += 1
            progress.show(done, f"cosine {cosine:.4f}")
        cosine = _cosine(weights, pieces, apart)
    return weights.detach().numpy(), cosine


def save(rows: np.ndarray, folder: Union[str, Path], teacher: Union[str, Path], dtype: str) -> None:
    """Writes a folder that Model2Vec and the library load."""
    folder, teacher = Path(folder), Path(teacher)
    if not (teacher / "tokenizer.json").exists():
        raise FileNotFoundError(f"{teacher / 'tokenizer.json'}: no such file; a folder of static vectors needs it")
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {"embeddings": rows.astype(np.float16 if dtype == "f16" else np.float32)}
    if dtype == "int8":  # a token's weight is the scale of its row
        scales = np.maximum(np.abs(rows).max(1), 1e-30) / 127
        tensors = {"embeddings": np.rint(rows / scales[:, None]).astype(np.int8), "weights": scales.astype(np.float32)}
    safetensors.save(folder / "model.safetensors", tensors, {"format": "pt"})
    config = {"model_type": "model2vec", "architectures": ["StaticModel"], "hidden_dim": rows.shape[1], "normalize": True,
              "max_length": None, "embedding_dtype": {"f32": "float32", "f16": "float16"}.get(dtype, dtype)}
    safetensors.write_atomically(folder / "config.json", json.dumps(config, indent=1).encode())
    shutil.copyfile(teacher / "tokenizer.json", folder / "tokenizer.json")


def distill(teacher: Union[str, Path], files: Sequence[Path], out: Union[str, Path], work: Union[str, Path],
            options: Options, threads: int = 0) -> float:
    """-> the mean cosine with the teacher on held-out texts."""
    options.check()
    teacher = Path(teacher)
    config = json.loads((teacher / "config.json").read_text(encoding="utf-8"))
    width, vocabulary = int(config["hidden_size"]), int(config["vocab_size"])
    if options.size > width:
        raise ValueError(f"the teacher's embeddings have {width} numbers, so size cannot be {options.size}")
    texts = texts_of(files, options.seed)
    key = json.dumps([str(teacher.resolve()), [str(file.resolve()) for file in files], options.seed])
    kept = _Kept(Path(work), key)
    with native_model.NativeModel(teacher, threads or torch.get_num_threads(), linear_dtype=native_model.INT8,
                                  embedding_dtype=native_model.INT8) as model:
        if len(model.tokenize("")) < 2:
            raise ValueError("static vectors need a teacher whose tokenizer puts a special token at both ends of a text")
        longest = min(_LONGEST, int(config.get("max_position_embeddings", _LONGEST)) - 2)
        pieces = read_teacher(model, texts, width, longest, options.tokens, kept)
        share = np.bincount(pieces.ids, minlength=vocabulary) / len(pieces.ids)
        rows = first_rows(model, vocabulary, width, share)
    if 0 < options.size < width:
        directions = principal(pieces.vectors, options.size)
        rows, pieces.vectors = rows @ directions, pieces.vectors @ directions
    rows, cosine = train(rows, pieces, options)
    save(rows, out, teacher, options.dtype)
    return cosine
