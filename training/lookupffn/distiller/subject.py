# SPDX-License-Identifier: Apache-2.0
"""A model to be distilled, or its student: one interface for sentence encoders, masked language models, classifiers."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any, Optional, Union

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .. import files, narrow, single_file
from ..config import FFN_KEYS, WORD_KEYS
from ..encoder import Encoder
from ..family_config import ALL, FamilyConfig
from ..family_model import FamilyModel, load_folder, save_folder
from ..sentence import SentenceEncoder, is_sentence_encoder, load_sentence_encoder
from ..swap import replace_ffns
from ..text_tokenizer import TextTokenizer

States = list[tuple[Tensor, Tensor, Tensor]]


class Subject:
    """kind is "sentence" (its answers are embeddings), "masked_lm" (logits of tokens) or "classes" (logits of classes)."""

    def __init__(self, model: Union[FamilyModel, Encoder], kind: str, tokenizer: TextTokenizer,
                 sentence: Optional[SentenceEncoder], folder: Path) -> None:
        self.model, self.kind, self.tokenizer, self.sentence, self.folder = model, kind, tokenizer, sentence, folder

    @classmethod
    def load(cls, folder: Union[str, Path]) -> Subject:
        folder = Path(folder)
        if is_sentence_encoder(folder):
            sentence = load_sentence_encoder(folder)
            return cls(sentence.model, "sentence", sentence.tokenizer, sentence, folder)
        if not (folder / "config.json").exists():
            raise ValueError(f"{folder}: no config.json; a teacher is a folder as Hugging Face or sentence-transformers "
                             "have it")
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config.get("model_type") in ALL:
            model: Union[FamilyModel, Encoder] = load_folder(folder)
            kind = model.config.task
        else:
            model = files.import_model(folder)
            kind = "masked_lm" if model.lm_head is not None else "classes" if model.classifier is not None else None
        if kind is None:
            raise ValueError(f"{folder}: neither a sentence encoder nor a model with a head; nothing to learn from")
        return cls(model, kind, TextTokenizer.load(folder), None, folder)

    @classmethod
    def load_student(cls, path: Union[str, Path], teacher: Subject) -> Subject:
        """Loads a folder, or the weights of one file that the library wrote."""
        path = Path(path)
        if path.is_dir():
            return cls.load(path)
        return cls(single_file.load_model(path), teacher.kind, teacher.tokenizer, None, path)

    def copy(self) -> Subject:
        """A copy with its own weights."""
        sentence = copy.deepcopy(self.sentence)
        model = copy.deepcopy(self.model) if sentence is None else sentence.model
        return Subject(model, self.kind, self.tokenizer, sentence, self.folder)

    def first(self, count: int) -> Subject:
        """A copy of only the first layers, so that its last states are this one's after them."""
        if isinstance(self.model, Encoder) or self.model.config.norm_first:
            raise ValueError(f"{self.folder}: only models that normalise after each part can be cut after a layer")
        part = self.copy()
        del part.layers[count:]
        config = part.model.config
        per_layer = {*FFN_KEYS, *WORD_KEYS, "ffn_kinds", *map(config.name_of, ("intermediate_size", "num_attention_heads"))}
        for key in per_layer & set(config.raw):
            if isinstance(config.raw[key], list):
                config.raw[key] = config.raw[key][:count]
        config.raw[config.name_of("num_hidden_layers")] = count
        return part

    @property
    def layers(self) -> nn.ModuleList:
        return self.model.layers

    @property
    def hidden_size(self) -> int:
        config = self.model.config
        return config.hidden_size if isinstance(config, files.EncoderConfig) else config.get("hidden_size")

    @property
    def longest(self) -> int:
        if self.sentence is not None:
            return self.sentence.longest
        config = self.model.config
        if isinstance(config, files.EncoderConfig):
            return config.max_position_embeddings + 1 - config.pad_token_id
        return config.longest

    @property
    def embeddings(self) -> nn.Module:
        return self.model.embeddings if isinstance(self.model, Encoder) else self.model.base.embeddings

    def hidden(self, ids: Tensor, states: Optional[States] = None) -> Tensor:
        return self.model(ids, states=states)

    def answer(self, hidden: Tensor, ids: Tensor) -> Tensor:
        """Embeddings, logits of classes, or logits at the masked positions."""
        if self.sentence is not None:
            return self.sentence.finish(hidden)
        if self.kind == "classes":
            return self.model.class_logits(hidden)
        return self.model.logits(hidden[ids == self.tokenizer.mask_id])

    def shape(self, options: Any, layers: list[int]) -> list[str]:
        """Gives these layers new FFNs and fewer heads, as the Options of a run say. Returns the kinds."""
        kinds, heads, config = options.kinds(len(layers)), options.heads, self.model.config
        changes = options.changes(config.name_of("intermediate_size") if isinstance(config, FamilyConfig)
                                  else "intermediate_size")
        if isinstance(self.model, Encoder):
            if len(set(kinds)) > 1 or heads is not None or "ffn_words" in changes:
                raise ValueError(f"{self.folder}: the paper's encoder has FFNs of one kind, all heads and no rows by word")
            replace_ffns(self.model, kinds[0], layers, **changes)
            return kinds
        replace_ffns(self.model, kinds, layers, **changes)
        if heads is None:
            return kinds
        each = heads if isinstance(heads, list) else [heads] * len(layers)
        if len(each) != len(layers):
            raise ValueError(f"--heads has {len(each)} entries for {len(layers)} layers")
        for i, count in zip(layers, each):
            if count > self.layers[i].num_heads:
                raise ValueError(f"--heads is {count}, but the teacher's layer {i} has {self.layers[i].num_heads}")
            narrow.keep_heads(self.model, i, range(count))
        return kinds

    def set_word_rows(self, counts: Tensor) -> None:
        """Gives the most frequent words rows of their own; all others share the last."""
        shared = getattr(self.embeddings, "word_rows", None)
        if shared is None:
            return
        order = counts.argsort(descending=True, stable=True)
        last = self.model.config.word_rows - 1
        shared[order.to(shared.device)] = torch.arange(len(counts), dtype=torch.int32, device=shared.device).clamp(max=last)

    def save(self, folder: Union[str, Path], dtype: str = "f32", word_dtype: Optional[str] = None) -> None:
        if isinstance(self.model, Encoder):
            files.export_folder(self.model, folder, files.import_tokenizer(self.folder), dtype)
        else:
            save_folder(self.model, folder, self.folder, dtype, word_dtype)

    def digest(self) -> str:
        """The digest of the weights, in float32."""
        total = hashlib.sha256()
        for name, value in sorted(self.model.state_dict().items()):
            total.update(name.encode() + value.detach().cpu().float().numpy().tobytes())
        return total.hexdigest()


_NEAR = 16


def answer_loss(kind: str, mine: Tensor, wanted: Tensor, bank: Optional[Tensor] = None) -> Tensor:
    """How far answers are from the teacher's. bank: embeddings of the teacher, of length 1; the student learns the teacher's
    similarities to them. Of these and the batch, each text's nearest count as much as all together."""
    if kind == "sentence":
        mine, wanted = F.normalize(mine, dim=-1), F.normalize(wanted, dim=-1)
        loss = 10 * (1 - (mine * wanted).sum(-1)).mean()
        count = len(mine)
        likeness, differences = wanted @ wanted.t(), mine @ mine.t() - wanted @ wanted.t()
        if count > 1:
            loss = loss + 20 * differences.pow(2).sum() / (count * (count - 1))
        if bank is not None:
            of_bank = wanted @ bank.t()
            differences_of_bank = mine @ bank.t() - of_bank
            near = torch.cat([likeness.fill_diagonal_(-2), of_bank], 1).topk(min(_NEAR, count - 1 + len(bank)), dim=1).indices
            nearest = torch.cat([differences, differences_of_bank], 1).gather(1, near)
            loss = loss + 20 * differences_of_bank.pow(2).mean() + 20 * nearest.pow(2).mean()
        return loss
    if len(mine) == 0:
        return mine.sum()
    if mine.shape[-1] == 1:
        return F.mse_loss(mine, wanted)
    return F.kl_div(mine.log_softmax(-1), wanted.log_softmax(-1), log_target=True, reduction="batchmean")


def relative_error(mine: Tensor, wanted: Tensor) -> Tensor:
    """Squared error over the variance of the target."""
    wanted = wanted.flatten(0, -2)
    return (mine.flatten(0, -2) - wanted).pow(2).sum() / (wanted - wanted.mean(0)).pow(2).sum().clamp(min=1e-12)
