# SPDX-License-Identifier: Apache-2.0
"""The teacher's answers on disk: inputs and outputs of its FFNs for the fit, later its states batch by batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Optional

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from .. import features, safetensors
from ..progress import Progress
from .native_teacher import NativeTeacher
from .pieces import LengthBatches, read_note
from .subject import Subject


def _as_kept(value: Tensor) -> Tensor:
    """As it comes back from disk."""
    return value.clamp(-65000, 65000).half()


class FFNExamples:
    """For each layer the FFN's inputs a and outputs f, without rows by word, for the given number of tokens, in float16."""

    def __init__(self, folder: Path, layers: list[int], tokens: int, size: int) -> None:
        self.arrays = {(i, part): np.load(folder / f"{part}{i}.npy", mmap_mode="r") for i in layers for part in "af"}
        self.tokens, self.size = tokens, size

    @classmethod
    @torch.no_grad()
    def prepare(cls, folder: Path, teacher: Subject, batches: LengthBatches, layers: list[int], tokens: int,
                identity: str) -> FFNExamples:
        tokens = min(tokens, batches.corpus.tokens)
        note, size = folder / "examples.json", teacher.hidden_size
        wanted = {"identity": identity, "layers": layers, "tokens": tokens}
        if read_note(note) == wanted:
            return cls(folder, layers, tokens, size)
        folder.mkdir(parents=True, exist_ok=True)
        note.unlink(missing_ok=True)  # before what it is about, for this may be stopped
        for old in folder.glob("[af]*.npy"):
            old.unlink()
        parts = {(i, part): folder / f"{part}{i}.part" for i in layers for part in "af"}
        arrays = {key: np.lib.format.open_memmap(path, "w+", np.float16, (tokens, size)) for key, path in parts.items()}
        done = step = 0
        progress = Progress(0, tokens)
        while done < tokens:
            states: list[tuple[Tensor, Tensor, Tensor]] = []
            ids = torch.from_numpy(batches.ids(batches.number(step))).to(teacher.model.device)
            teacher.hidden(ids, states)
            count = min(tokens - done, ids.numel())
            for i in layers:
                a, f, _ = states[i]
                words = getattr(teacher.layers[i], "words", None)
                if words is not None:
                    f = f - words(teacher.embeddings.rows_of(ids))
                for part, value in zip("af", (a, f)):
                    flat = value.reshape(-1, size)[:count].clamp(-65000, 65000)
                    arrays[i, part][done : done + count] = flat.cpu().numpy().astype(np.float16)
            done, step = done + count, step + 1
            progress.show(done, "tokens through the teacher")
        for key, array in arrays.items():
            array.flush()
            parts[key].replace(parts[key].with_suffix(".npy"))
        safetensors.write_atomically(note, json.dumps(wanted).encode())
        return cls(folder, layers, tokens, size)

    def get(self, layer: int, first: int, count: int, device: torch.device) -> tuple[Tensor, Tensor]:
        return tuple(torch.from_numpy(self.arrays[layer, part][first : first + count].astype(np.float32)).to(device)
                     for part in "af")


class TeacherStates:
    """The teacher's hidden states, after all layers or the named ones, and answers for each batch; as many as fit on disk
    are kept. `native`: the teacher as run by the library."""

    def __init__(self, folder: Path, teacher: Subject, batches: LengthBatches, gigabytes: float, identity: str,
                 precision: str = "float32", layers: Optional[list[int]] = None,
                 native: Optional[NativeTeacher] = None) -> None:
        self.folder, self.teacher, self.batches, self.precision = folder, teacher, batches, precision
        self.layers, self.native = list(range(len(teacher.layers))) if layers is None else layers, native
        self.room = int(gigabytes * 1e9)
        note = folder / "states.json"
        folder.mkdir(parents=True, exist_ok=True)
        wanted = {"identity": identity, "precision": precision, "layers": self.layers, "native": native is not None}
        if read_note(note) != wanted:
            note.unlink(missing_ok=True)
            for old in folder.glob("batch*.npy"):
                old.unlink()
            safetensors.write_atomically(note, json.dumps(wanted).encode())
        self.used = sum(path.stat().st_size for path in folder.glob("batch*.npy"))

    def _paths(self, number: int) -> tuple[Path, Path]:
        return self.folder / f"batch{number}-answer.npy", self.folder / f"batch{number}-hidden.npy"

    def _keep(self, path: Path, value: Tensor) -> None:
        size = value.numel() * 2
        if self.used + size > self.room:
            return
        part = path.with_suffix(".part")
        with open(part, "wb") as file:
            np.save(file, value.cpu().numpy())
        part.replace(path)
        self.used += size

    def bank(self, count: int) -> Tensor:
        """The teacher's answers to this many pieces of text, of length 1, from batches spread over all."""
        answers: list[Tensor] = []
        step = max(1, len(self.batches) * int(self.batches.batches[0].size) // max(1, count) // 4)
        for number in range(0, len(self.batches), step):
            ids = torch.from_numpy(self.batches.ids(number)).to(self.teacher.model.device)
            answers.append(F.normalize(self.get(number, ids, False)[0], dim=-1)[:64])
            if sum(map(len, answers)) >= count:
                break
        return torch.cat(answers)[:count]

    def _asked(self, ids: Tensor, with_hidden: bool) -> tuple[Tensor, list[Tensor]]:
        if self.native is not None:
            last, found = self.native.hidden(ids, self.layers if with_hidden else [])
            return self.teacher.answer(last, ids), found
        states: list[tuple[Tensor, Tensor, Tensor]] = []
        with features.autocast(ids.device, self.precision):
            answer = self.teacher.answer(self.teacher.hidden(ids, states), ids)
        return answer, [states[i][2] for i in self.layers]

    @torch.no_grad()
    def get(self, number: int, ids: Tensor, with_hidden: bool) -> tuple[Tensor, list[Tensor]]:
        """-> the answer, and the states after the layers if asked for; the same whether or not they were kept."""
        answer_path, hidden_path = self._paths(number)
        if answer_path.exists() and (not with_hidden or hidden_path.exists()):
            answer = torch.from_numpy(np.load(answer_path).astype(np.float32)).to(ids.device)
            hidden = torch.from_numpy(np.load(hidden_path).astype(np.float32)).to(ids.device) if with_hidden else []
            return answer, list(hidden)
        answer, states = self._asked(ids, with_hidden)
        answer = _as_kept(answer)
        if not answer_path.exists():
            self._keep(answer_path, answer)
        if not with_hidden:
            return answer.float(), []
        hidden = torch.stack([_as_kept(state) for state in states])
        if not hidden_path.exists():
            self._keep(hidden_path, hidden)
        return answer.float(), list(hidden.float())
