# SPDX-License-Identifier: Apache-2.0
"""The config.json of any family, with the same names for all families."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional

import torch
from torch import Tensor
from torch.nn import functional as F

from .config import FFN_KEYS, LOOKUP_KEYS, WORD_KEYS, check_keys, is_count, of_layer
from .layer import LookupFFN

PREFIXES = {"bert": "bert.", "roberta": "roberta.", "roberta-prelayernorm": "roberta_prelayernorm.",
            "distilbert": "distilbert.", "xlm-roberta": "roberta.", "camembert": "roberta.", "mpnet": "mpnet.",
            "electra": "electra.", "deberta-v2": "deberta."}
# Those of rotary.py, without heads.
ROTARY = {"modernbert": "model.", "qwen3": "model.", "gemma3_text": "model."}
ALL = {**PREFIXES, **ROTARY}
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu, "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
    "gelu_pytorch_tanh": lambda x: F.gelu(x, approximate="tanh"), "relu": F.relu,
    "silu": F.silu, "swish": F.silu}
# What DistilBERT calls otherwise.
_DISTILBERT_KEYS = {"hidden_size": "dim", "num_hidden_layers": "n_layers", "num_attention_heads": "n_heads",
                    "intermediate_size": "hidden_dim", "hidden_act": "activation"}
_NAMES = {"distilbert": _DISTILBERT_KEYS, "modernbert": {"hidden_act": "hidden_activation"},
          "qwen3": {"attention_head_size": "head_dim"},
          "gemma3_text": {"attention_head_size": "head_dim", "hidden_act": "hidden_activation"}}
_EPS = {"modernbert": ("norm_eps", 1e-5), "qwen3": ("rms_norm_eps", 1e-6), "gemma3_text": ("rms_norm_eps", 1e-6),
        "deberta-v2": ("layer_norm_eps", 1e-7)}


@dataclasses.dataclass
class FamilyConfig:
    """A config.json, with the same names for all families; `raw` is the file."""

    family: str
    raw: dict[str, Any]
    task: Optional[str] = None  # "masked_lm", "classes" or none
    num_classes: int = 0
    has_pooler: bool = False
    tied: bool = True
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.family not in ALL:
            raise ValueError(f'model_type is "{self.family}", expected one of {", ".join(ALL)}')
        if self.is_rotary:
            self._check_rotary()
        for key in ("vocab_size", "hidden_size", "num_hidden_layers", "max_position_embeddings"):
            if not is_count(self.get(key), 1):
                raise ValueError(f"config: {key} is {self.get(key)}, expected a number from 1")
        if len(self.ffn_kinds) != self.num_layers:
            raise ValueError(f"config: {len(self.ffn_kinds)} ffn_kinds for {self.num_layers} layers")
        if self.raw.get("position_embedding_type", "absolute") != "absolute":
            raise ValueError("config: only absolute positions are supported")
        check_keys({key: value for key, value in self.raw.items() if "ffn" in key or "projection" in key},
                   {*FFN_KEYS, *WORD_KEYS, "ffn_kinds"}, True)
        if self.raw.get("conv_kernel_size", 0):
            raise ValueError("config: conv_kernel_size is given, but a convolution is not supported")
        if self.family == "mpnet" and isinstance(self.get("num_attention_heads"), list):
            raise ValueError("config: num_attention_heads is a list, but mpnet's heads share their distances")
        for layer in range(self.num_layers):
            self._check_layer(layer)
        if "ffn_word_rows" in self.raw and not is_count(self.raw["ffn_word_rows"], 1):
            raise ValueError(f"config: ffn_word_rows is {self.raw['ffn_word_rows']}, expected a number from 1")

    def _check_rotary(self) -> None:
        if self.task:
            raise ValueError(f"{self.family}: models with heads are not supported, the encoder alone is")
        for key in ("norm_bias", "use_sliding_window", "attn_logit_softcapping"):
            if self.raw.get(key, False):
                raise ValueError(f"config: {key} is {self.raw[key]}, which is not supported")
        if isinstance(self.get("num_attention_heads"), list):
            raise ValueError(f"config: num_attention_heads is a list, but all layers of {self.family} have as many heads")

    @property
    def is_rotary(self) -> bool:
        return self.family in ROTARY

    def _check_layer(self, layer: int) -> None:
        heads, least = self.heads(layer), int(not isinstance(self.get("num_attention_heads"), list))
        if not is_count(heads, least):
            raise ValueError(f"config: num_attention_heads is {heads}, expected a number from {least}")
        if not is_count(self.head_size, 1):
            raise ValueError(f"config: attention_head_size is {self.head_size}, expected a number from 1")
        if self.ffn_kinds[layer] == "vanilla" and not is_count(self.neurons(layer), 1):
            raise ValueError(f"config: intermediate_size is {self.neurons(layer)} for layer {layer}, whose FFN is vanilla")
        if not isinstance(self.has_words(layer), bool):
            raise ValueError(f"config: ffn_words is {self.has_words(layer)}, expected true or false")

    def name_of(self, key: str) -> str:
        """Its name in this family's configs."""
        return _NAMES.get(self.family, {}).get(key, key)

    def get(self, key: str, default: Any = None) -> Any:
        return self.raw.get(self.name_of(key), default)

    def _of_layer(self, key: str, layer: int) -> Any:
        name = self.name_of(key)
        return of_layer({name: self.raw.get(name)}, layer, self.num_layers)[name]

    def heads(self, layer: int) -> int:
        return self._of_layer("num_attention_heads", layer)

    def neurons(self, layer: int) -> int:
        return self._of_layer("intermediate_size", layer)

    def has_words(self, layer: int) -> bool:
        return self._of_layer("ffn_words", layer) or False

    @property
    def word_rows(self) -> int:
        """The number of rows by word in each layer that has some."""
        return self.raw.get("ffn_word_rows", self.get("vocab_size"))

    @property
    def head_size(self) -> int:
        heads, d = self.get("num_attention_heads"), self.get("hidden_size")
        given = self.get("attention_head_size", {"qwen3": 128, "gemma3_text": 256}.get(self.family))
        if given is not None:
            return given
        if isinstance(heads, list):
            raise ValueError("config: attention_head_size is missing; a list of num_attention_heads needs it")
        if d % heads:
            raise ValueError(f"config: {heads} heads do not divide hidden_size {d}")
        return d // heads

    @property
    def num_layers(self) -> int:
        return self.get("num_hidden_layers")

    @property
    def ffn_kinds(self) -> list[str]:
        return self.raw.get("ffn_kinds") or ["vanilla"] * self.num_layers

    @property
    def eps(self) -> float:
        key, default = _EPS.get(self.family, ("layer_norm_eps", 1e-12))
        return default if self.family == "distilbert" else self.raw.get(key, default)

    @property
    def first_position(self) -> int:
        if self.family == "mpnet":  # whatever its config says
            return 2
        return self.raw.get("pad_token_id", 1) + 1 if self.like_roberta else 0

    @property
    def like_roberta(self) -> bool:
        return "roberta" in self.family or self.family == "camembert"

    @property
    def word_size(self) -> int:
        """The size of word vectors, which these families widen."""
        own = self.raw.get("embedding_size") if self.family in ("electra", "deberta-v2") else None
        return own or self.get("hidden_size")

    @property
    def num_types(self) -> int:
        if self.family in ("distilbert", "mpnet"):
            return 0
        return self.raw.get("type_vocab_size", 0 if self.family == "deberta-v2" else 2)

    @property
    def adds_positions(self) -> bool:
        return self.family != "deberta-v2" or self.raw.get("position_biased_input", True)

    def class_activation(self) -> Callable[[Tensor], Tensor]:
        """The activation between a classifier's two layers."""
        if self.family == "deberta-v2":
            return ACTIVATIONS[self.raw.get("pooler_hidden_act", "gelu")]
        return {"distilbert": F.relu, "electra": F.gelu}.get(self.family, torch.tanh)

    @property
    def longest(self) -> int:
        return self.get("max_position_embeddings") - self.first_position

    @property
    def norm_first(self) -> bool:
        return self.family == "roberta-prelayernorm" or self.is_rotary

    def activation(self) -> Callable[[Tensor], Tensor]:
        name = self.get("hidden_act", {"qwen3": "silu", "gemma3_text": "gelu_pytorch_tanh"}.get(self.family, "gelu"))
        if name not in ACTIVATIONS:
            raise ValueError(f'hidden_act is "{name}", expected one of {", ".join(ACTIVATIONS)}')
        return ACTIVATIONS[name]

    def lookup(self, layer: int) -> LookupFFN:
        """A new LookupFFN with this layer's config."""
        if self.raw.get("layer_norm", False):
            raise ValueError("config: layer_norm is true, but LookupFFNs of this family have no layer norm of their own")
        values = of_layer(self.raw, layer, self.num_layers)
        chosen = {key: values[key] for key in LOOKUP_KEYS if key in values}
        for key in ("ffn_num_table", "ffn_table_size"):
            if key not in chosen:
                raise ValueError(f"config: {key} is missing")
        linear = values.get("ffn_linear", False)
        if not isinstance(linear, bool):
            raise ValueError(f"config: ffn_linear is {linear}, expected true or false")
        if linear and self.norm_first:
            raise ValueError("config: ffn_linear is true, which only models that normalise after each part may have")
        ours = "" if self.family == "distilbert" else "activation"
        return LookupFFN.from_config({"hidden_size": self.get("hidden_size"), "layer_norm": False, **chosen,
                                      "linear": linear, "activation": values.get("ffn_activation") or values.get(ours) or "gelu"})
