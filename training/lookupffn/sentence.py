# SPDX-License-Identifier: Apache-2.0
"""Sentence encoders: a model of one of the families, pooling, products after it, scaling to length 1; texts in, vectors out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from . import safetensors, unpickle
from .family_model import FamilyModel, load_folder
from .text_tokenizer import TextTokenizer

POOLINGS = ("cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken")
# What newer files call them instead of a flag for each.
_NEW_NAMES = {"cls": "cls_token", "max": "max_tokens", "mean": "mean_tokens", "mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
              "weightedmean": "weightedmean_tokens", "lasttoken": "lasttoken"}
_DENSE_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"Tanh": torch.tanh, "Identity": lambda x: x,
                                                             "ReLU": F.relu, "GELU": F.gelu, "Sigmoid": torch.sigmoid}


def pool(hidden: Tensor, kept: Tensor, modes: Sequence[str]) -> Tensor:
    """hidden [n, length, d], kept [n, length] -> [n, d * modes]."""
    mask = kept.to(hidden.dtype).unsqueeze(-1)
    count = mask.sum(1).clamp(min=1e-9)
    parts = []
    for mode in modes:
        if mode == "cls_token":
            parts.append(hidden[:, 0])
        elif mode == "max_tokens":
            parts.append(hidden.masked_fill(mask == 0, -1e9).amax(1))
        elif mode == "mean_tokens":
            parts.append((hidden * mask).sum(1) / count)
        elif mode == "mean_sqrt_len_tokens":
            parts.append((hidden * mask).sum(1) / count.sqrt())
        elif mode == "weightedmean_tokens":
            weights = mask * torch.arange(1, hidden.shape[1] + 1, device=hidden.device, dtype=hidden.dtype)[:, None]
            parts.append((hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9))
        else:
            last = (kept.long() * torch.arange(1, hidden.shape[1] + 1, device=hidden.device)).argmax(1)
            parts.append(hidden[torch.arange(len(hidden), device=hidden.device), last])
    return torch.cat(parts, 1)


class SentenceEncoder(nn.Module):
    """`steps` follow the pooling: (weight, bias, activation) of a product, or None for scaling to length 1."""

    def __init__(self, model: FamilyModel, tokenizer: TextTokenizer, *, modes: Sequence[str], steps: list[Any],
                 longest: int, prompts: Optional[dict[str, str]] = None, default_prompt: Optional[str] = None,
                 lowercase: bool = False) -> None:
        super().__init__()
        self.model, self.tokenizer, self.modes, self.steps = model, tokenizer, tuple(modes), steps
        self.longest = min(longest, model.config.longest)
        self.prompts, self.default_prompt, self.lowercase = prompts or {}, default_prompt, lowercase

    @property
    def device(self) -> torch.device:
        return self.model.device

    @property
    def layers(self) -> nn.ModuleList:
        return self.model.layers

    def finish(self, hidden: Tensor, kept: Optional[Tensor] = None) -> Tensor:
        """Hidden states -> embeddings."""
        if kept is None:
            kept = torch.ones(hidden.shape[:2], dtype=torch.bool, device=hidden.device)
        x = pool(hidden.float(), kept, self.modes)
        for step in self.steps:
            if step is None:
                x = F.normalize(x, dim=-1)
            else:
                weight, bias, activation = step
                x = _DENSE_ACTIVATIONS[activation](F.linear(x, weight.to(x.device), None if bias is None else bias.to(x.device)))
        return x

    def forward(self, ids: Tensor, kept: Optional[Tensor] = None,
                states: Optional[list[tuple[Tensor, Tensor, Tensor]]] = None) -> Tensor:
        return self.finish(self.model(ids, kept=kept, states=states), kept)

    def ids_of(self, text: str, prompt: Optional[str] = None) -> list[int]:
        if prompt is None and self.default_prompt is not None:
            prompt = self.prompts[self.default_prompt]
        text = ((prompt or "") + text).strip()
        return self.tokenizer.encode(text.lower() if self.lowercase else text, self.longest)

    @torch.no_grad()
    def encode(self, texts: Sequence[str], prompt: Optional[str] = None, tokens: int = 4096) -> Tensor:
        """-> [texts, size]. Texts of one length run together, so none is padded."""
        was_training = self.training
        self.eval()
        sequences = [self.ids_of(text, prompt) for text in texts]
        by_length: dict[int, list[int]] = {}
        for place, sequence in enumerate(sequences):
            by_length.setdefault(len(sequence), []).append(place)
        out: list[Optional[Tensor]] = [None] * len(texts)
        for length, places in by_length.items():
            step = max(1, tokens // length)
            for first in range(0, len(places), step):
                chosen = places[first : first + step]
                ids = torch.tensor([sequences[i] for i in chosen], device=self.device)
                for place, vector in zip(chosen, self(ids).cpu()):
                    out[place] = vector
        self.train(was_training)
        return torch.stack(out)


def _dense_step(folder: Path, config: dict[str, Any]) -> Any:
    activation = config.get("activation_function", "torch.nn.modules.activation.Tanh").rsplit(".", 1)[-1]
    if activation not in _DENSE_ACTIVATIONS:
        raise ValueError(f'{folder}: activation_function is "{activation}", expected one of {", ".join(_DENSE_ACTIVATIONS)}')
    path = folder / "model.safetensors"
    tensors = safetensors.load(path)[0] if path.exists() else unpickle.load_tensors(folder / "pytorch_model.bin")
    values = {name: torch.from_numpy(np.array(value, dtype=np.float32)) if isinstance(value, np.ndarray) else value.float()
              for name, value in tensors.items()}
    return values["linear.weight"], values.get("linear.bias"), activation


def _json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def is_sentence_encoder(folder: Union[str, Path]) -> bool:
    return (Path(folder) / "modules.json").exists()


def load_sentence_encoder(folder: Union[str, Path]) -> SentenceEncoder:
    folder = Path(folder)
    modes: Sequence[str] = ()
    steps: list[Any] = []
    encoder_folder = folder
    for module in json.loads((folder / "modules.json").read_text(encoding="utf-8")):
        kind, where = module["type"].rsplit(".", 1)[-1], folder / module["path"]
        if kind == "Transformer":
            encoder_folder = where
        elif kind == "Pooling":
            config = _json(where / "config.json")
            modes = [mode for mode in POOLINGS if config.get("pooling_mode_" + mode)]
            if not modes and config.get("pooling_mode") in _NEW_NAMES:
                modes = [_NEW_NAMES[config["pooling_mode"]]]
            if config.get("include_prompt", True) is False:
                raise ValueError(f"{where}: pooling without the prompt is not supported")
        elif kind == "Dense":
            steps.append(_dense_step(where, _json(where / "config.json")))
        elif kind == "Normalize":
            steps.append(None)
        else:
            raise ValueError(f'modules.json: a module of type "{kind}" is not supported')
    if not modes:
        raise ValueError(f"{folder}: names no pooling")
    settings = _json(encoder_folder / "sentence_bert_config.json")
    prompts = _json(folder / "config_sentence_transformers.json")
    model = load_folder(encoder_folder)
    longest = settings.get("max_seq_length") or _json(encoder_folder / "tokenizer_config.json").get("model_max_length") or 512
    return SentenceEncoder(model, TextTokenizer.load(encoder_folder), modes=modes, steps=steps, longest=int(longest),
                           prompts=prompts.get("prompts"), default_prompt=prompts.get("default_prompt_name"),
                           lowercase=settings.get("do_lower_case", False)).eval()
