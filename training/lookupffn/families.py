"""BERT, RoBERTa, RoBERTa-PreLayerNorm and DistilBERT, with the parameters named as in Hugging Face's files.

Any layer's dense FFN may be a LookupFFN instead: FFN.* in place of the two products, without a layer norm of its own.
With "ffn_linear" in the config a linear map of the layer's input, FFN.linear, is added to what the tables give.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from . import attention
from .config import FFN_KEYS, LOOKUP_KEYS, check_keys, of_layer
from .encoder import padding_bias
from .layer import LookupFFN

PREFIXES = {"bert": "bert.", "roberta": "roberta.", "roberta-prelayernorm": "roberta_prelayernorm.",
            "distilbert": "distilbert."}
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu, "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
    "gelu_pytorch_tanh": lambda x: F.gelu(x, approximate="tanh"), "relu": F.relu,
    "silu": F.silu, "swish": F.silu}
# What DistilBERT calls otherwise.
_DISTILBERT_KEYS = {"hidden_size": "dim", "num_hidden_layers": "n_layers", "num_attention_heads": "n_heads",
                    "intermediate_size": "hidden_dim", "hidden_act": "activation"}


@dataclasses.dataclass
class FamilyConfig:
    """What a config.json says, under one name in all families; `raw` is the file."""

    family: str
    raw: dict[str, Any]
    task: Optional[str] = None  # "masked_lm", "classes" or none
    num_classes: int = 0
    has_pooler: bool = False
    tied: bool = True
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.family not in PREFIXES:
            raise ValueError(f'model_type is "{self.family}", expected one of {", ".join(PREFIXES)}')
        for key in ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "max_position_embeddings"):
            if not isinstance(self.get(key), int) or self.get(key) < 1:
                raise ValueError(f"config: {key} is {self.get(key)}, expected a number from 1")
        if len(self.ffn_kinds) != self.num_layers:
            raise ValueError(f"config: {len(self.ffn_kinds)} ffn_kinds for {self.num_layers} layers")
        if self.raw.get("position_embedding_type", "absolute") != "absolute":
            raise ValueError("config: only absolute positions are supported")
        check_keys({key: value for key, value in self.raw.items() if "ffn" in key or "projection" in key},
                   {*FFN_KEYS, "ffn_kinds"}, True)

    def get(self, key: str, default: Any = None) -> Any:
        name = _DISTILBERT_KEYS.get(key, key) if self.family == "distilbert" else key
        return self.raw.get(name, default)

    @property
    def num_layers(self) -> int:
        return self.get("num_hidden_layers")

    @property
    def ffn_kinds(self) -> list[str]:
        return self.raw.get("ffn_kinds") or ["vanilla"] * self.num_layers

    @property
    def eps(self) -> float:
        return 1e-12 if self.family == "distilbert" else self.raw.get("layer_norm_eps", 1e-12)

    @property
    def first_position(self) -> int:
        return self.raw.get("pad_token_id", 1) + 1 if self.family.startswith("roberta") else 0

    @property
    def longest(self) -> int:
        return self.get("max_position_embeddings") - self.first_position

    @property
    def norm_first(self) -> bool:
        return self.family == "roberta-prelayernorm"

    def activation(self) -> Callable[[Tensor], Tensor]:
        name = self.get("hidden_act", "gelu")
        if name not in ACTIVATIONS:
            raise ValueError(f'hidden_act is "{name}", expected one of {", ".join(ACTIVATIONS)}')
        return ACTIVATIONS[name]

    def lookup(self, layer: int) -> LookupFFN:
        """A new LookupFFN as this layer's config has it."""
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


class NoFFN(nn.Module):
    """Nothing but a learned bias: what a layer is without its FFN."""

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x: Tensor) -> Tensor:
        return self.bias.expand_as(x)


class Part(nn.Module):
    """A group of modules that has a name in the files."""

    def __init__(self, **parts: Optional[nn.Module]) -> None:
        super().__init__()
        for name, part in parts.items():
            if part is not None:
                setattr(self, name, part)


class Layer(nn.Module):
    """y = finish(a, feed(a)) with a = attend(x)."""

    def __init__(self, config: FamilyConfig, number: int) -> None:
        super().__init__()
        self.num_heads = config.get("num_attention_heads")
        self.dropout = nn.Dropout(config.dropout)
        self.activation, self.norm_first = config.activation(), config.norm_first
        if config.get("hidden_size") % self.num_heads:
            raise ValueError(f"config: {self.num_heads} heads do not divide hidden_size {config.get('hidden_size')}")
        self._make_parts(config)
        self.set_ffn(config, other_ffn(config.ffn_kinds[number], config, number))

    def _make_parts(self, config: FamilyConfig) -> None:
        d = config.get("hidden_size")
        norm = nn.LayerNorm(d, eps=config.eps)
        inner = Part(query=nn.Linear(d, d), key=nn.Linear(d, d), value=nn.Linear(d, d))
        self.attention = Part(LayerNorm=norm if self.norm_first else None,
                              output=Part(dense=nn.Linear(d, d), LayerNorm=None if self.norm_first else norm))
        setattr(self.attention, "self", inner)
        after = nn.LayerNorm(d, eps=config.eps)
        self.intermediate = Part(LayerNorm=after if self.norm_first else None)
        self.output = Part(LayerNorm=None if self.norm_first else after)

    def set_ffn(self, config: FamilyConfig, new: Optional[nn.Module]) -> None:
        """Puts a new FFN in the place of the old one; None: a vanilla one."""
        for owner, name in ((self.intermediate, "dense"), (self.output, "dense"), (self, "FFN")):
            if hasattr(owner, name):
                delattr(owner, name)
        if new is None:
            d, inner = config.get("hidden_size"), config.get("intermediate_size")
            self.intermediate.dense, self.output.dense = nn.Linear(d, inner), nn.Linear(inner, d)
        else:
            self.FFN = new

    def _products(self) -> tuple[nn.Linear, nn.Linear]:
        return self.intermediate.dense, self.output.dense

    def _projections(self) -> tuple[nn.Linear, nn.Linear, nn.Linear, nn.Linear]:
        inner = getattr(self.attention, "self")
        return inner.query, inner.key, inner.value, self.attention.output.dense

    def _mix(self, x: Tensor, mask_bias: Optional[Tensor]) -> Tensor:
        batch, length, _ = x.shape
        query, key, value, out = self._projections()

        def heads(linear: nn.Linear) -> Tensor:
            return linear(x).view(batch, length, self.num_heads, -1).transpose(1, 2)

        mixed = attention.attend(heads(query), heads(key), heads(value), mask_bias,
                                 self.dropout.p if self.training else 0.0)
        return self.dropout(out(mixed.transpose(1, 2).reshape(batch, length, -1)))

    def attend(self, x: Tensor, mask_bias: Optional[Tensor] = None) -> Tensor:
        if self.norm_first:
            return x + self._mix(self.attention.LayerNorm(x), mask_bias)
        return self.attention.output.LayerNorm(x + self._mix(x, mask_bias))

    def feed(self, a: Tensor) -> Tensor:
        u = self.intermediate.LayerNorm(a) if self.norm_first else a
        if hasattr(self, "FFN"):
            return self.FFN(u)
        up, down = self._products()
        return down(self.activation(up(u)))

    def finish(self, a: Tensor, f: Tensor) -> Tensor:
        y = a + self.dropout(f)
        return y if self.norm_first else self.output.LayerNorm(y)

    def forward(self, x: Tensor, mask_bias: Optional[Tensor] = None) -> Tensor:
        a = self.attend(x, mask_bias)
        return self.finish(a, self.feed(a))


def other_ffn(kind: str, config: FamilyConfig, number: int) -> Optional[nn.Module]:
    """A new one; None: a vanilla one, whose two layers each family has under names of its own."""
    if kind == "vanilla":
        return None
    if kind == "lookup":
        return config.lookup(number)
    if kind == "none":
        return NoFFN(config.get("hidden_size"))
    raise ValueError(f'no FFN of kind "{kind}"; there are lookup, vanilla and none')


class DistilLayer(Layer):
    """DistilBERT's names for the same."""

    def _make_parts(self, config: FamilyConfig) -> None:
        d = config.get("hidden_size")
        self.attention = Part(q_lin=nn.Linear(d, d), k_lin=nn.Linear(d, d), v_lin=nn.Linear(d, d),
                              out_lin=nn.Linear(d, d))
        self.sa_layer_norm = nn.LayerNorm(d, eps=config.eps)
        self.output_layer_norm = nn.LayerNorm(d, eps=config.eps)

    def set_ffn(self, config: FamilyConfig, new: Optional[nn.Module]) -> None:
        for name in ("ffn", "FFN"):
            if hasattr(self, name):
                delattr(self, name)
        if new is None:
            d, inner = config.get("hidden_size"), config.get("intermediate_size")
            self.ffn = Part(lin1=nn.Linear(d, inner), lin2=nn.Linear(inner, d))
        else:
            self.FFN = new

    def _products(self) -> tuple[nn.Linear, nn.Linear]:
        return self.ffn.lin1, self.ffn.lin2

    def _projections(self) -> tuple[nn.Linear, nn.Linear, nn.Linear, nn.Linear]:
        return self.attention.q_lin, self.attention.k_lin, self.attention.v_lin, self.attention.out_lin

    def attend(self, x: Tensor, mask_bias: Optional[Tensor] = None) -> Tensor:
        return self.sa_layer_norm(x + self._mix(x, mask_bias))

    def finish(self, a: Tensor, f: Tensor) -> Tensor:
        return self.output_layer_norm(a + self.dropout(f))


class Embeddings(nn.Module):
    def __init__(self, config: FamilyConfig) -> None:
        super().__init__()
        d = config.get("hidden_size")
        self.first_position = config.first_position
        self.word_embeddings = nn.Embedding(config.get("vocab_size"), d)
        self.position_embeddings = nn.Embedding(config.get("max_position_embeddings"), d)
        if config.family != "distilbert":
            self.token_type_embeddings = nn.Embedding(config.get("type_vocab_size", 2), d)
        self.LayerNorm = nn.LayerNorm(d, eps=config.eps)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, types: Optional[Tensor] = None) -> Tensor:
        positions = torch.arange(ids.shape[1], device=ids.device) + self.first_position
        x = self.word_embeddings(ids) + self.position_embeddings(positions)
        if hasattr(self, "token_type_embeddings"):
            x = x + (self.token_type_embeddings.weight[0] if types is None else self.token_type_embeddings(types))
        return self.dropout(self.LayerNorm(x))


class Base(nn.Module):
    """What stands below the heads, under the family's prefix in the files."""

    def __init__(self, config: FamilyConfig) -> None:
        super().__init__()
        d = config.get("hidden_size")
        self.embeddings = Embeddings(config)
        kind = DistilLayer if config.family == "distilbert" else Layer
        layers = Part(layer=nn.ModuleList(kind(config, i) for i in range(config.num_layers)))
        if config.family == "distilbert":
            self.transformer = layers
        else:
            self.encoder = layers
        if config.norm_first:
            self.LayerNorm = nn.LayerNorm(d, eps=config.eps)
        if config.has_pooler:
            self.pooler = Part(dense=nn.Linear(d, d))

    @property
    def layers(self) -> nn.ModuleList:
        return (self.transformer if hasattr(self, "transformer") else self.encoder).layer

    def forward(self, ids: Tensor, types: Optional[Tensor] = None, kept: Optional[Tensor] = None,
                states: Optional[list[tuple[Tensor, Tensor, Tensor]]] = None) -> Tensor:
        """kept: which positions are no padding. `states` receives each layer's attended a, fed f and output y."""
        x = self.embeddings(ids, types)
        bias = None if kept is None else padding_bias(kept, x.dtype)
        for layer in self.layers:
            a = layer.attend(x, bias)
            f = layer.feed(a)
            x = layer.finish(a, f)
            if states is not None:
                states.append((a, f, x))
        return self.LayerNorm(x) if hasattr(self, "LayerNorm") else x
