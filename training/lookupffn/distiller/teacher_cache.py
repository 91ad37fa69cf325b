"""What the teacher answers, kept on disk: inputs and outputs of its FFNs for the fit, its states batch by batch later."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .. import features
from ..progress import Progress
from .pieces import LengthBatches
from .subject import Subject


class FFNExamples:
    """For each layer the FFN's inputs a and outputs f, of as many tokens as asked for, in float16."""

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
        if note.exists() and json.loads(note.read_text()) == wanted:
            return cls(folder, layers, tokens, size)
        folder.mkdir(parents=True, exist_ok=True)
        arrays = {(i, part): np.lib.format.open_memmap(folder / f"{part}{i}.npy", "w+", np.float16, (tokens, size))
                  for i in layers for part in "af"}
        done = step = 0
        progress = Progress(0, tokens)
        while done < tokens:
            states: list[tuple[Tensor, Tensor, Tensor]] = []
            teacher.hidden(torch.from_numpy(batches.ids(batches.number(step))).to(teacher.model.device), states)
            count = min(tokens - done, states[0][0].shape[0] * states[0][0].shape[1])
            for i in layers:
                for part, value in zip("af", states[i][:2]):
                    flat = value.reshape(-1, size)[:count].clamp(-65000, 65000)
                    arrays[i, part][done : done + count] = flat.cpu().numpy().astype(np.float16)
            done, step = done + count, step + 1
            progress.show(done, "tokens through the teacher")
        for array in arrays.values():
            array.flush()
        note.write_text(json.dumps(wanted))
        return cls(folder, layers, tokens, size)

    def get(self, layer: int, first: int, count: int, device: torch.device) -> tuple[Tensor, Tensor]:
        return tuple(torch.from_numpy(self.arrays[layer, part][first : first + count].astype(np.float32)).to(device)
                     for part in "af")


class TeacherStates:
    """The teacher's hidden states and answers for each batch; as many as fit the room on disk are kept."""

    def __init__(self, folder: Path, teacher: Subject, batches: LengthBatches, gigabytes: float, identity: str,
                 precision: str = "float32") -> None:
        self.folder, self.teacher, self.batches, self.precision = folder, teacher, batches, precision
        self.room = int(gigabytes * 1e9)
        note = folder / "states.json"
        folder.mkdir(parents=True, exist_ok=True)
        if not note.exists() or json.loads(note.read_text()) != {"identity": identity}:
            for old in folder.glob("batch*.npy"):
                old.unlink()
            note.write_text(json.dumps({"identity": identity}))
        self.used = sum(path.stat().st_size for path in folder.glob("batch*.npy"))

    def _paths(self, number: int) -> tuple[Path, Path]:
        return self.folder / f"batch{number}-answer.npy", self.folder / f"batch{number}-hidden.npy"

    def _keep(self, path: Path, value: Tensor) -> None:
        size = value.numel() * 2
        if self.used + size > self.room:
            return
        part = path.with_suffix(".part")
        with open(part, "wb") as file:
            np.save(file, value.clamp(-65000, 65000).cpu().numpy().astype(np.float16))
        part.replace(path)
        self.used += size

    @torch.no_grad()
    def get(self, number: int, ids: Tensor, with_hidden: bool) -> tuple[Tensor, list[Tensor]]:
        """-> the answer, and the states after all layers if asked for."""
        answer_path, hidden_path = self._paths(number)
        if answer_path.exists() and (not with_hidden or hidden_path.exists()):
            answer = torch.from_numpy(np.load(answer_path).astype(np.float32)).to(ids.device)
            hidden = torch.from_numpy(np.load(hidden_path).astype(np.float32)).to(ids.device) if with_hidden else []
            return answer, list(hidden)
        states: list[tuple[Tensor, Tensor, Tensor]] = []
        with features.autocast(ids.device, self.precision):
            answer = self.teacher.answer(self.teacher.hidden(ids, states), ids).float()
        outputs = [state[2].float() for state in states]
        if not answer_path.exists():
            self._keep(answer_path, answer)
        if with_hidden and not hidden_path.exists():
            self._keep(hidden_path, torch.stack(outputs))
        return answer, outputs if with_hidden else []
