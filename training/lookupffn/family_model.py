# SPDX-License-Identifier: Apache-2.0
"""A model of one of the families with its head, to and from Hugging Face's folders."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Iterable, Optional, Sequence, Union

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from . import safetensors, unpickle
from .config import LOOKUP_DEFAULTS, WORD_KEYS, check_changes, with_changes
from .encoder import IGNORED
from .families import Base, Part, other_ffn
from .family_config import ALL, ROTARY, FamilyConfig
from .rotary import RotaryBase, name_in_file, name_in_module
from .words import FILE_NAME, check_word_rows, file_name, module_name, packed, whole_rows

# The decoder's names by family: weight, bias, and the bias's other name.
_DECODERS = {"bert": ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias", "cls.predictions.bias"),
             "roberta": ("lm_head.decoder.weight", "lm_head.decoder.bias", "lm_head.bias"),
             "distilbert": ("vocab_projector.weight", "", "vocab_projector.bias")}
_DECODERS["electra"] = ("generator_lm_head.weight", "", "generator_lm_head.bias")
_DECODERS["deberta-v2"] = _DECODERS["bert"]
for _family in ("roberta-prelayernorm", "xlm-roberta", "camembert", "mpnet"):
    _DECODERS[_family] = _DECODERS["roberta"]
_HEADS = {"masked_lm": ("cls.predictions.", "lm_head.", "vocab_", "generator_"), "classes": ("classifier.", "pre_classifier.")}
_IGNORED = ("cls.seq_relationship.", "discriminator_predictions.", "mask_predictions.")


class _Bias(nn.Module):
    """A vector of the vocabulary's size beside named parts, and the decoder's weight if it is not tied."""

    def __init__(self, config: FamilyConfig, weight_apart: bool, **parts: nn.Module) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(config.get("vocab_size")))
        for name, part in parts.items():
            setattr(self, name, part)
        if not config.tied:
            rows = nn.Linear(config.word_size, config.get("vocab_size"), bias=False)
            if weight_apart:
                self.decoder = rows
            else:
                self.weight = rows.weight


class FamilyModel(nn.Module):
    """hidden = model(ids); model.logits(hidden) of masked language models, model.class_logits(hidden) of classifiers."""

    def __init__(self, config: FamilyConfig) -> None:
        super().__init__()
        self.config = config
        self.base = RotaryBase(config) if config.is_rotary else Base(config)
        d = config.get("hidden_size")

        def norm() -> nn.LayerNorm:
            return nn.LayerNorm(config.word_size, eps=config.eps)

        if config.task == "masked_lm":
            if config.family in ("bert", "deberta-v2"):
                transform = Part(dense=nn.Linear(d, config.word_size), LayerNorm=norm())
                self.cls = Part(predictions=_Bias(config, True, transform=transform))
            elif config.family == "electra":
                self.generator_predictions = Part(LayerNorm=norm(), dense=nn.Linear(d, config.word_size))
                self.generator_lm_head = _Bias(config, False)
            elif config.family == "distilbert":
                self.vocab_transform, self.vocab_layer_norm = nn.Linear(d, d), norm()
                self.vocab_projector = _Bias(config, False)
            else:
                self.lm_head = _Bias(config, True, dense=nn.Linear(d, d), layer_norm=norm())
        elif config.task == "classes":
            out = nn.Linear(d, config.num_classes)
            if config.family == "distilbert":
                self.pre_classifier = nn.Linear(d, d)
            in_parts = config.like_roberta or config.family in ("mpnet", "electra")
            self.classifier = Part(dense=nn.Linear(d, d), out_proj=out) if in_parts else out
        self.dropout = nn.Dropout(config.dropout)
        for module in self.modules():
            if isinstance(module, (nn.Embedding, nn.Linear)) and not hasattr(module, "keeps_initial_values"):
                nn.init.normal_(module.weight, std=config.get("initializer_range", 0.02))

    @property
    def device(self) -> torch.device:
        return self.base.embeddings.word_embeddings.weight.device

    @property
    def layers(self) -> nn.ModuleList:
        return self.base.layers

    def forward(self, ids: Tensor, types: Optional[Tensor] = None, kept: Optional[Tensor] = None,
                states: Optional[list[tuple[Tensor, Tensor, Tensor]]] = None) -> Tensor:
        return self.base(ids, types, kept, states)

    def logits(self, hidden: Tensor) -> Tensor:
        """The logits of a masked language model."""
        if self.config.task != "masked_lm":
            raise ValueError("this model has no head for masked language modelling")
        activation = self.config.activation()
        if self.config.family in ("bert", "deberta-v2"):
            head, dense, norm = self.cls.predictions, *self.cls.predictions.transform.children()
        elif self.config.family == "electra":
            head, activation = self.generator_lm_head, F.gelu
            dense, norm = self.generator_predictions.dense, self.generator_predictions.LayerNorm
        elif self.config.family == "distilbert":
            head, dense, norm = self.vocab_projector, self.vocab_transform, self.vocab_layer_norm
        else:
            head, dense, norm, activation = self.lm_head, self.lm_head.dense, self.lm_head.layer_norm, F.gelu
        own = head.decoder.weight if hasattr(head, "decoder") else getattr(head, "weight", None)
        return F.linear(norm(activation(dense(hidden))),
                        self.base.embeddings.word_embeddings.weight if own is None else own, head.bias)

    def class_logits(self, hidden: Tensor) -> Tensor:
        if self.config.task != "classes":
            raise ValueError("this model has no classifier")
        first, activation = hidden[:, 0], self.config.class_activation()
        if self.config.family in ("bert", "deberta-v2"):
            return self.classifier(self.dropout(activation(self.base.pooler.dense(first))))
        if self.config.family == "distilbert":
            return self.classifier(self.dropout(activation(self.pre_classifier(first))))
        return self.classifier.out_proj(self.dropout(activation(self.classifier.dense(self.dropout(first)))))

    def masked_lm_loss(self, ids: Tensor, labels: Tensor, kept: Optional[Tensor] = None) -> Tensor:
        wanted = labels != IGNORED
        hidden = self(ids, kept=kept)[wanted]
        return F.cross_entropy(self.logits(hidden), labels[wanted], reduction="sum") / wanted.sum().clamp(min=1)

    def replace_ffns(self, kind: Union[str, Sequence[str]] = "lookup", layers: Optional[Iterable[int]] = None,
                     **changes: Any) -> None:
        """New FFNs for all layers or for some, in place; `changes` are config keys, lists for one value a layer.

        Rows by word stay unchanged unless a change names them; then they start as zeros."""
        count = self.config.num_layers
        chosen = list(range(count)) if layers is None else [range(count)[i] for i in layers]
        kinds = [kind] * len(chosen) if isinstance(kind, str) else list(kind)
        if len(kinds) != len(chosen):
            raise ValueError(f"{len(kinds)} kinds of FFNs for {len(chosen)} layers")
        size_key = self.config.name_of("intermediate_size")
        check_changes(changes, *WORD_KEYS, *([size_key] if "vanilla" in kinds else []))
        if "activation" in changes:
            changes["ffn_activation"] = changes.pop("activation")
        shared = {key: changes.pop(key) for key in ("ffn_word_rows",) if key in changes}
        raw = with_changes(self.config.raw, chosen, changes, count)
        raw = with_changes(raw, [i for i, new in zip(chosen, kinds) if new == "none"], {size_key: 0}, count)
        raw["ffn_kinds"] = list(self.config.ffn_kinds)
        for i, new_kind in zip(chosen, kinds):
            raw["ffn_kinds"][i] = new_kind
        if "lookup" in raw["ffn_kinds"]:
            raw["layer_norm"] = False
            for key, value in LOOKUP_DEFAULTS.items():
                raw.setdefault(key, value)
        if shared:
            self._check_word_rows(chosen, shared["ffn_word_rows"])
            raw = {**{key: value for key, value in raw.items() if key not in shared},
                   **{key: value for key, value in shared.items() if value is not None}}
        config = dataclasses.replace(self.config, raw=raw)
        reference = self.base.embeddings.word_embeddings.weight
        # What is refused for one layer changes none.
        new = {i: other_ffn(new_kind, config, i) for i, new_kind in zip(chosen, kinds)}
        for i, ffn in new.items():
            layer = self.layers[i]
            layer.set_ffn(ffn, config.neurons(i))
            if "ffn_words" in changes or shared:
                layer.set_words(config.word_rows if config.has_words(i) else 0)
            layer.to(reference.device, reference.dtype)
        self.config = config
        if shared:
            words = self.base.embeddings
            words.first_rows(config)
            words.to(reference.device)

    def _check_word_rows(self, chosen: list[int], rows: Optional[int]) -> None:
        others = [i for i in range(self.config.num_layers) if i not in chosen and self.config.has_words(i)]
        if others and rows != self.config.raw.get("ffn_word_rows"):
            raise ValueError(f"ffn_word_rows holds for all layers; layer {others[0]} has rows by word and is not among those "
                             "to be changed")

    def file_tensors(self) -> dict[str, Tensor]:
        """The tensors under their names in files."""
        prefix = ALL[self.config.family] if self.config.task else ""
        def named(name: str) -> str:
            if not name.startswith("base."):
                return name
            beside = self.config.family == "deberta-v2" and name.startswith("base.pooler.")
            return name[5:] if beside else prefix + name_in_file(self.config.family, name[5:])

        return {file_name(named(name)): value.detach() for name, value in self.state_dict().items()}

    def file_config(self) -> dict[str, Any]:
        return self.config.raw


def _without_copies(family: str, tensors: dict[str, Tensor], ties: bool) -> None:
    """Removes tensors of older files that are not parameters, and a decoder that the config `ties` to the words."""
    for name in [name for name in tensors if name.endswith(("position_ids", "token_type_ids"))]:
        del tensors[name]
    if family not in _DECODERS:
        return
    weight, bias, other_bias = _DECODERS[family]
    if bias in tensors:
        if other_bias in tensors and not torch.equal(tensors[bias], tensors[other_bias]):
            raise ValueError(f"{bias} and {other_bias} differ, but are two names of one vector")
        tensors[other_bias] = tensors.pop(bias)
    if ties:
        tensors.pop(weight, None)


def _old_names(name: str) -> str:
    """Renames gamma and beta, former names of the layer norms' parameters."""
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


def family_model(raw: dict[str, Any], tensors: dict[str, Any]) -> FamilyModel:
    """Builds a model from a config.json and its tensors; the tensors determine the head."""
    from .files import check_tensors
    family = raw.get("model_type", "")
    if family not in ALL:
        raise ValueError(f'model_type is "{family}", expected one of {", ".join(ALL)}')
    prefix = ALL[family]
    tensors = whole_rows(tensors, raw.get("dim" if family == "distilbert" else "hidden_size"))
    named = {module_name(_old_names(name)): value if torch.is_tensor(value) else torch.from_numpy(np.array(value))
             for name, value in tensors.items()}
    tied = raw.get("tie_word_embeddings") is not False  # the library goes by this, too, whatever decoder there is
    _without_copies(family, named, tied)
    if family in ROTARY:
        named = {name_in_module(family, name[len(prefix):] if name.startswith(prefix) else name): value
                 for name, value in named.items()}
    tasks = [task for task, starts in _HEADS.items() if any(name.startswith(starts) for name in named)]
    inner = {"base." + name[len(prefix):] if name.startswith(prefix) else
             name if name.startswith(_HEADS["masked_lm"] + _HEADS["classes"]) else "base." + name:
             value if name.endswith("word_rows") else value.float()
             for name, value in named.items() if not name.startswith(_IGNORED)}
    task = tasks[0] if tasks else None
    pooler = "base.pooler.dense.weight" in inner
    if pooler and task == "masked_lm":  # of pretraining's other task
        inner = {name: value for name, value in inner.items() if not name.startswith("base.pooler.")}
        pooler = False
    out = inner.get("classifier.out_proj.weight", inner.get("classifier.weight"))
    config = FamilyConfig(family, raw, task, 0 if out is None else len(out), pooler, tied or task != "masked_lm")
    model = FamilyModel(config)
    check_tensors(model.state_dict(), inner)
    if "base.embeddings.word_rows" in inner:
        check_word_rows(inner["base.embeddings.word_rows"], config.word_rows)
    model.load_state_dict(inner)
    return model.eval()


def load_folder(folder: Union[str, Path]) -> FamilyModel:
    """Loads a folder with config.json and model.safetensors or pytorch_model.bin."""
    folder = Path(folder)
    raw = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if (folder / "model.safetensors").exists():
        return family_model(raw, safetensors.load(folder / "model.safetensors")[0])
    if (folder / "pytorch_model.bin").exists():
        return family_model(raw, unpickle.load_tensors(folder / "pytorch_model.bin"))
    raise ValueError(f"{folder}: has neither model.safetensors nor pytorch_model.bin")


# Of a folder's own files and of its encoder's; what lies in the folders of further modules (1_Pooling, 2_Dense, ...) goes
# along whole. The encoder's weights and config never do: they are the old model's.
_KEPT = {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt",
         "vocab.json", "merges.txt", "modules.json", "sentence_bert_config.json", "config_sentence_transformers.json",
         "LICENSE", "LICENSE.txt", "NOTICE", "NOTICE.txt", "NOTICE.md"}
_IN_MODULES = (".json", ".safetensors", ".bin")


def module_folders(folder: Union[str, Path]) -> tuple[Path, set[Path]]:
    """For a sentence encoder's folder: where its encoder and its other modules are, below the folder."""
    encoder, others = Path(), set()
    listed = Path(folder) / "modules.json"
    for module in json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else ():
        path = Path(module.get("path") or "")
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{listed}: the path {path} leads out of the folder")
        if module["type"].rsplit(".", 1)[-1] == "Transformer":
            encoder = path
        else:
            others.add(path)
    return encoder, others - {encoder, Path()}


def save_folder(model: FamilyModel, folder: Union[str, Path], like: Optional[Union[str, Path]] = None,
                dtype: str = "f32", word_dtype: Optional[str] = None) -> None:
    """Writes config.json and model.safetensors; the tokenizer, the modules after the encoder and the licence come from the
    folder `like`, and everything is placed as its modules.json says. word_dtype: the type of rows by word, one of
    words.DTYPES; `dtype` by default."""
    from .files import stored
    folder, config = Path(folder), json.dumps(model.file_config(), indent=2)
    encoder, others = module_folders(like) if like is not None else (Path(), set())
    (folder / encoder).mkdir(parents=True, exist_ok=True)
    for source in sorted(Path(like).rglob("*")) if like is not None else ():
        name = source.relative_to(like)
        kept = name.parent in (Path(), encoder) and name.name in _KEPT
        if source.is_file() and (kept or name.parent in others and source.suffix in _IN_MODULES):
            (folder / name.parent).mkdir(parents=True, exist_ok=True)
            safetensors.write_atomically(folder / name, source.read_bytes())
    safetensors.write_atomically(folder / encoder / "config.json", config.encode())
    tensors = {name: (value.float() if value.is_floating_point() else value).cpu().numpy()
               for name, value in model.file_tensors().items()}
    rows = {name: tensors.pop(name) for name in list(tensors) if name.endswith(FILE_NAME)}
    kept = stored(tensors, dtype)
    for name, values in rows.items():
        kept.update(packed(name, values, word_dtype or dtype))
    safetensors.save(folder / encoder / "model.safetensors", kept, {"format": "pt"})
