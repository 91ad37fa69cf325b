"""A model of one of the families with its head, to and from Hugging Face's folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterable, Optional, Union

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from . import safetensors, unpickle
from .config import LOOKUP_DEFAULTS, check_changes, with_changes
from .encoder import IGNORED
from .families import PREFIXES, Base, FamilyConfig, Part, other_ffn

# The decoder's names by family: weight, bias, and the bias's other name.
_DECODERS = {"bert": ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias", "cls.predictions.bias"),
             "roberta": ("lm_head.decoder.weight", "lm_head.decoder.bias", "lm_head.bias"),
             "distilbert": ("vocab_projector.weight", "", "vocab_projector.bias")}
_DECODERS["roberta-prelayernorm"] = _DECODERS["roberta"]
_HEADS = {"masked_lm": ("cls.predictions.", "lm_head.", "vocab_"), "classes": ("classifier.", "pre_classifier.")}


class _Bias(nn.Module):
    """A vector of the vocabulary's size beside named parts, and the decoder's weight where it is not tied."""

    def __init__(self, config: FamilyConfig, weight_apart: bool, **parts: nn.Module) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(config.get("vocab_size")))
        for name, part in parts.items():
            setattr(self, name, part)
        if not config.tied:
            rows = nn.Linear(config.get("hidden_size"), config.get("vocab_size"), bias=False)
            if weight_apart:
                self.decoder = rows
            else:
                self.weight = rows.weight


class FamilyModel(nn.Module):
    """hidden = model(ids); model.logits(hidden) of masked language models, model.class_logits(hidden) of classifiers."""

    def __init__(self, config: FamilyConfig) -> None:
        super().__init__()
        self.config = config
        self.base = Base(config)
        d = config.get("hidden_size")

        def norm() -> nn.LayerNorm:
            return nn.LayerNorm(d, eps=config.eps)

        if config.task == "masked_lm":
            if config.family == "bert":
                transform = Part(dense=nn.Linear(d, d), LayerNorm=norm())
                self.cls = Part(predictions=_Bias(config, True, transform=transform))
            elif config.family == "distilbert":
                self.vocab_transform, self.vocab_layer_norm = nn.Linear(d, d), norm()
                self.vocab_projector = _Bias(config, False)
            else:
                self.lm_head = _Bias(config, True, dense=nn.Linear(d, d), layer_norm=norm())
        elif config.task == "classes":
            out = nn.Linear(d, config.num_classes)
            if config.family == "distilbert":
                self.pre_classifier = nn.Linear(d, d)
            self.classifier = Part(dense=nn.Linear(d, d), out_proj=out) if config.family.startswith("roberta") else out
        self.dropout = nn.Dropout(config.dropout)
        for module in self.modules():
            if isinstance(module, nn.Embedding) or \
                    isinstance(module, nn.Linear) and not hasattr(module, "keeps_initial_values"):
                nn.init.normal_(module.weight, std=config.get("initializer_range", 0.02))

    @property
    def device(self) -> torch.device:
        return self.base.embeddings.LayerNorm.weight.device

    @property
    def layers(self) -> nn.ModuleList:
        return self.base.layers

    def forward(self, ids: Tensor, types: Optional[Tensor] = None, kept: Optional[Tensor] = None,
                states: Optional[list[tuple[Tensor, Tensor, Tensor]]] = None) -> Tensor:
        return self.base(ids, types, kept, states)

    def logits(self, hidden: Tensor) -> Tensor:
        """Of a masked language model."""
        if self.config.task != "masked_lm":
            raise ValueError("this model has no head for masked language modelling")
        activation = self.config.activation()
        if self.config.family == "bert":
            head, dense, norm = self.cls.predictions, *self.cls.predictions.transform.children()
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
        first = hidden[:, 0]
        if self.config.family == "bert":
            return self.classifier(self.dropout(torch.tanh(self.base.pooler.dense(first))))
        if self.config.family == "distilbert":
            return self.classifier(self.dropout(torch.relu(self.pre_classifier(first))))
        return self.classifier.out_proj(self.dropout(torch.tanh(self.classifier.dense(self.dropout(first)))))

    def masked_lm_loss(self, ids: Tensor, labels: Tensor, kept: Optional[Tensor] = None) -> Tensor:
        wanted = labels != IGNORED
        hidden = self(ids, kept=kept)[wanted]
        return F.cross_entropy(self.logits(hidden), labels[wanted], reduction="sum") / wanted.sum().clamp(min=1)

    def replace_ffns(self, kind: str = "lookup", layers: Optional[Iterable[int]] = None, **changes: Any) -> None:
        """New FFNs for all layers or for some, in place; `changes` are config keys, lists for one value a layer."""
        count = self.config.num_layers
        chosen = list(range(count)) if layers is None else [range(count)[i] for i in layers]
        size_key = "hidden_dim" if self.config.family == "distilbert" else "intermediate_size"
        check_changes(changes, *([size_key] if kind == "vanilla" else []))
        if "activation" in changes:
            changes["ffn_activation"] = changes.pop("activation")
        raw = with_changes(self.config.raw, chosen, changes, count)
        raw["ffn_kinds"] = [kind if i in chosen else old for i, old in enumerate(self.config.ffn_kinds)]
        if "lookup" in raw["ffn_kinds"]:
            raw["layer_norm"] = False
            for key, value in LOOKUP_DEFAULTS.items():
                raw.setdefault(key, value)
        config = FamilyConfig(self.config.family, raw, self.config.task, self.config.num_classes, self.config.has_pooler,
                              self.config.tied, self.config.dropout)
        reference = self.base.embeddings.LayerNorm.weight
        new = {i: other_ffn(kind, config, i) for i in chosen}  # what is refused for one layer changes none
        for i, ffn in new.items():
            self.layers[i].set_ffn(config, ffn)
            self.layers[i].to(reference.device, reference.dtype)
        self.config = config

    def file_tensors(self) -> dict[str, Tensor]:
        """By the names that files have."""
        prefix = PREFIXES[self.config.family] if self.config.task else ""
        return {prefix + name[5:] if name.startswith("base.") else name: value.detach()
                for name, value in self.state_dict().items()}

    def file_config(self) -> dict[str, Any]:
        others = sorted(set(self.config.ffn_kinds) - {"lookup", "vanilla"})
        if others:
            raise ValueError(f'the library runs "lookup" and "vanilla" FFNs only, not "{others[0]}"')
        return self.config.raw


def _without_copies(family: str, tensors: dict[str, Tensor], ties: bool) -> None:
    """Takes out what older files hold beside the parameters, and a decoder where the config `ties` it to the words."""
    for name in [name for name in tensors if name.endswith(("position_ids", "token_type_ids"))]:
        del tensors[name]
    weight, bias, other_bias = _DECODERS[family]
    if bias in tensors:
        if other_bias in tensors and not torch.equal(tensors[bias], tensors[other_bias]):
            raise ValueError(f"{bias} and {other_bias} differ, but are two names of one vector")
        tensors[other_bias] = tensors.pop(bias)
    if ties:
        tensors.pop(weight, None)


def _old_names(name: str) -> str:
    """gamma and beta were the layer norms' names once."""
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


def family_model(raw: dict[str, Any], tensors: dict[str, Any]) -> FamilyModel:
    """From a config.json and the tensors of its file; the tensors tell which head there is."""
    from .files import check_tensors
    family = raw.get("model_type", "")
    if family not in PREFIXES:
        raise ValueError(f'model_type is "{family}", expected one of {", ".join(PREFIXES)}')
    prefix = PREFIXES[family]
    named = {_old_names(name): value if torch.is_tensor(value) else torch.from_numpy(np.array(value))
             for name, value in tensors.items()}
    tied = raw.get("tie_word_embeddings") is not False  # the library goes by this, too, whatever decoder there is
    _without_copies(family, named, tied)
    tasks = [task for task, starts in _HEADS.items() if any(name.startswith(starts) for name in named)]
    inner = {"base." + name[len(prefix):] if name.startswith(prefix) else
             name if name.startswith(_HEADS["masked_lm"] + _HEADS["classes"]) else "base." + name: value.float()
             for name, value in named.items() if not name.startswith("cls.seq_relationship.")}
    task = tasks[0] if tasks else None
    pooler = "base.pooler.dense.weight" in inner
    if pooler and task == "masked_lm":  # of pretraining's other task
        inner = {name: value for name, value in inner.items() if not name.startswith("base.pooler.")}
        pooler = False
    out = inner.get("classifier.out_proj.weight", inner.get("classifier.weight"))
    config = FamilyConfig(family, raw, task, 0 if out is None else len(out), pooler, tied or task != "masked_lm")
    model = FamilyModel(config)
    check_tensors(model.state_dict(), inner)
    model.load_state_dict(inner)
    return model.eval()


def load_folder(folder: Union[str, Path]) -> FamilyModel:
    """A folder with config.json and model.safetensors or pytorch_model.bin."""
    folder = Path(folder)
    raw = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if (folder / "model.safetensors").exists():
        return family_model(raw, safetensors.load(folder / "model.safetensors")[0])
    if (folder / "pytorch_model.bin").exists():
        return family_model(raw, unpickle.load_tensors(folder / "pytorch_model.bin"))
    raise ValueError(f"{folder}: neither model.safetensors nor pytorch_model.bin is there")


# Of a folder's own files and of its encoder's; what lies in the folders of further modules (1_Pooling, 2_Dense, ...) goes
# along whole. The encoder's weights and config never do: they are the old model's.
_KEPT = {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt",
         "vocab.json", "merges.txt", "modules.json", "sentence_bert_config.json", "config_sentence_transformers.json",
         "LICENSE", "LICENSE.txt", "NOTICE", "NOTICE.txt", "NOTICE.md"}
_IN_MODULES = (".json", ".safetensors", ".bin")


def module_folders(folder: Union[str, Path]) -> tuple[Path, set[Path]]:
    """Of a sentence encoder's folder: where its encoder lies, and where its other modules do, below the folder."""
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
                dtype: str = "f32") -> None:
    """config.json and model.safetensors; the tokenizer, the modules after the encoder and the licence are those of the
    folder `like`, and all lies where its modules.json says."""
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
    tensors = {name: value.cpu().float().numpy() for name, value in model.file_tensors().items()}
    safetensors.save(folder / encoder / "model.safetensors", stored(tensors, dtype), {"format": "pt"})
