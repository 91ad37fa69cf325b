# SPDX-License-Identifier: Apache-2.0
"""LookupFFNs in place of a trained model's FFNs, in the package's own encoders and in transformers' models."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence, Union

from torch import Tensor, nn

from .config import FFN_KEYS, LOOKUP_DEFAULTS, check_changes, with_changes
from .encoder import Encoder, replace_paper_ffns
from .families import Bias
from .family_model import FamilyModel
from .layer import LookupFFN
from .sentence import SentenceEncoder


class _Output(nn.Module):
    """Stands for transformers' BertOutput: the lookups, then what followed the old product.

    The LookupFFN belongs to the layer, under the name that files have; here it is only called.
    """

    def __init__(self, ffn: nn.Module, old: nn.Module) -> None:
        super().__init__()
        self._ffn = (ffn,)  # in a tuple, so that it is no part of this module
        self.dropout = getattr(old, "dropout", nn.Identity())
        if hasattr(old, "LayerNorm"):
            self.LayerNorm = old.LayerNorm

    def forward(self, hidden: Tensor, attended: Tensor) -> Tensor:
        y = self.dropout(self._ffn[0](hidden)) + attended
        return self.LayerNorm(y) if hasattr(self, "LayerNorm") else y


class _Before(nn.Module):
    """Stands for transformers' BertIntermediate: at most a layer norm."""

    def __init__(self, old: nn.Module) -> None:
        super().__init__()
        if hasattr(old, "LayerNorm"):
            self.LayerNorm = old.LayerNorm

    def forward(self, attended: Tensor) -> Tensor:
        return self.LayerNorm(attended) if hasattr(self, "LayerNorm") else attended


class _Call(nn.Module):
    """Stands for transformers' FFN of DistilBERT."""

    def __init__(self, ffn: nn.Module, old: nn.Module) -> None:
        super().__init__()
        self._ffn = (ffn,)
        self.dropout = getattr(old, "dropout", nn.Identity())

    def forward(self, attended: Tensor) -> Tensor:
        return self.dropout(self._ffn[0](attended))


def _is_bert_layer(module: nn.Module) -> bool:
    parts = (getattr(module, "intermediate", None), getattr(module, "output", None))
    return all(isinstance(part, nn.Module) for part in parts) and \
        (isinstance(getattr(parts[0], "dense", None), nn.Linear) or isinstance(parts[0], _Before))


def _is_distilbert_layer(module: nn.Module) -> bool:
    ffn = getattr(module, "ffn", None)
    return isinstance(ffn, nn.Module) and (isinstance(getattr(ffn, "lin1", None), nn.Linear) or isinstance(ffn, _Call))


def foreign_layers(model: nn.Module) -> list[nn.Module]:
    """The layers of a transformers model, recognised by their modules."""
    return [module for module in model.modules() if _is_bert_layer(module) or _is_distilbert_layer(module)]


def _size_of(layer: nn.Module) -> int:
    if hasattr(layer, "FFN"):
        return layer.FFN.hidden_size if isinstance(layer.FFN, LookupFFN) else len(layer.FFN.bias)
    return (layer.ffn.lin1 if _is_distilbert_layer(layer) else layer.intermediate.dense).in_features


def _replace_foreign(model: nn.Module, kind: str, layers: Optional[Iterable[int]], changes: dict[str, Any]) -> nn.Module:
    found = foreign_layers(model)
    if not found:
        raise ValueError(f"{type(model).__name__}: no layers like BERT's, RoBERTa's or DistilBERT's were found")
    if kind not in ("lookup", "none"):
        raise ValueError(f'FFNs of kind "{kind}" cannot be put into {type(model).__name__}; lookup and none can')
    chosen = list(range(len(found))) if layers is None else [range(len(found))[i] for i in layers]
    check_changes(changes)
    if "activation" in changes:
        changes["ffn_activation"] = changes.pop("activation")
    config = getattr(model, "config", None)
    old = {key: getattr(config, key) for key in FFN_KEYS if getattr(config, key, None) is not None}
    values = with_changes(old, chosen, changes, len(found))
    if kind == "lookup":
        values = {**LOOKUP_DEFAULTS, **values}
    new = {}
    for i in chosen:
        layer, size = found[i], _size_of(found[i])
        own = {key: value[i] if isinstance(value, list) else value for key, value in values.items()}
        if own.get("ffn_linear") and hasattr(getattr(layer, "intermediate", None), "LayerNorm"):
            raise ValueError("ffn_linear is for models that normalise after each part")
        reference = next(layer.parameters())
        ffn = Bias(size) if kind == "none" else LookupFFN.from_config(
            {**own, "hidden_size": size, "layer_norm": False, "activation": own.get("ffn_activation", "gelu"),
             "linear": own.get("ffn_linear", False)})
        new[i] = ffn.to(reference.device, reference.dtype)
    for i, ffn in new.items():  # what is refused for one layer changes none
        layer = found[i]
        layer.FFN = ffn
        if _is_distilbert_layer(layer):
            layer.ffn = _Call(layer.FFN, layer.ffn)
        else:
            layer.output, layer.intermediate = _Output(layer.FFN, layer.output), _Before(layer.intermediate)
    if config is not None:
        kinds = list(getattr(config, "ffn_kinds", None) or ["vanilla"] * len(found))
        for i in chosen:
            kinds[i] = kind
        for key, value in {**values, "ffn_kinds": kinds, "layer_norm": False}.items():
            setattr(config, key, value)
    return model


def replace_ffns(model: nn.Module, kind: Union[str, Sequence[str]] = "lookup", layers: Optional[Iterable[int]] = None,
                 **changes: Any) -> nn.Module:
    """Replaces the FFNs of a model (all, or those of the named layers) with new ones, in place, and returns it.

    `model` is an encoder of this package or one of transformers' BERT, RoBERTa and DistilBERT models, whose config and
    state dict then match the library's folders. `changes` are config keys, such as ffn_num_table=128 and
    ffn_table_size=16; a list gives each layer its own value; other layers stay unchanged. In models of the families the
    kinds may be a list, too, and ffn_words=True gives layers rows by word, ffn_word_rows of them.
    """
    if not isinstance(kind, str) and not isinstance(model, (SentenceEncoder, FamilyModel)):
        raise ValueError(f"{type(model).__name__}: its layers take FFNs of one kind at a time")
    if isinstance(model, Encoder):
        return replace_paper_ffns(model, kind, layers, **changes)
    if isinstance(model, SentenceEncoder):
        model.model.replace_ffns(kind, layers, **changes)
        return model
    if isinstance(model, FamilyModel):
        model.replace_ffns(kind, layers, **changes)
        return model
    return _replace_foreign(model, kind, layers, changes)
