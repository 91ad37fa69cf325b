# SPDX-License-Identifier: Apache-2.0
"""BERT, RoBERTa, RoBERTa-PreLayerNorm, DistilBERT, MPNet, ELECTRA and DeBERTa v2, with the parameters named as in Hugging Face's files.

A feed-forward block is a sum of parts, each of them optional: neurons (the two products), a LookupFFN without a layer norm
of its own (FFN.*), a linear map beside it (FFN.linear), rows by word (FFN.words); or only FFN.bias. Layers may also differ
in their numbers of neurons and heads.
"""

from __future__ import annotations

from typing import Optional, Union

import torch
from torch import Tensor, nn

from . import attention, distances
from .encoder import Bias, padding_bias
from .family_config import FamilyConfig
from .words import Words, first_rows


class Part(nn.Module):
    """A group of modules that has a name in the files."""

    def __init__(self, **parts: Optional[nn.Module]) -> None:
        super().__init__()
        for name, part in parts.items():
            if part is not None:
                setattr(self, name, part)


Output = Union[nn.Linear, Bias]


class Layer(nn.Module):
    """y = finish(a, feed(a)) with a = attend(x)."""

    keeps_heads = False  # all, with the weights that they have
    norms_results = False  # what attention and the feed-forward block give, before it is added

    @property
    def distances(self) -> Optional[nn.Module]:
        """The distances, which all layers share and the encoder owns."""
        return self.__dict__.get("shared")

    def share(self, encoder: nn.Module) -> None:
        self.__dict__["shared"] = encoder

    def __init__(self, config: FamilyConfig, number: int) -> None:
        super().__init__()
        self.dropout = nn.Dropout(config.dropout)
        self.activation, self.norm_first = config.activation(), config.norm_first
        self.hidden_size, self.head_size = config.get("hidden_size"), config.head_size
        self._make_norms(config.eps)
        self.set_heads(config.heads(number))
        self.set_ffn(other_ffn(config.ffn_kinds[number], config, number), config.neurons(number))
        self.set_words(config.word_rows if config.has_words(number) else 0)

    def _make_norms(self, eps: float) -> None:
        norm, after = (nn.LayerNorm(self.hidden_size, eps=eps) for _ in range(2))
        self.attention = Part(LayerNorm=norm if self.norm_first else None,
                              output=Part(LayerNorm=None if self.norm_first else norm))
        self.intermediate = Part(LayerNorm=after if self.norm_first else None)
        self.output = Part(LayerNorm=None if self.norm_first else after)

    def set_heads(self, count: int) -> None:
        """Makes this many new heads; with none, attention gives only a bias."""
        self.num_heads, d, inner = count, self.hidden_size, count * self.head_size
        self._put_heads(*(nn.Linear(d, inner) for _ in range(3 if count else 0)),
                        out=nn.Linear(inner, d) if count else Bias(d))

    def _put_heads(self, *products: nn.Linear, out: Output) -> None:
        setattr(self.attention, "self", Part(**dict(zip(("query", "key", "value"), products))))
        self.attention.output.dense = out

    def set_ffn(self, new: Optional[nn.Module], neurons: int = 0) -> None:
        """Replaces the FFN with a new one; None: with this many neurons."""
        self._drop_neurons()
        if hasattr(self, "FFN"):
            del self.FFN
        if new is None:
            self._put_neurons(nn.Linear(self.hidden_size, neurons), nn.Linear(neurons, self.hidden_size))
        else:
            self.FFN = new

    def _drop_neurons(self) -> None:
        for owner in (self.intermediate, self.output):
            if hasattr(owner, "dense"):
                del owner.dense

    def _put_neurons(self, up: nn.Linear, down: nn.Linear) -> None:
        self.intermediate.dense, self.output.dense = up, down

    def set_words(self, rows: int) -> None:
        """Makes new rows of zeros; 0: none."""
        if hasattr(self, "words"):
            del self.words
        if rows:
            self.words = Words(rows, self.hidden_size)

    def products(self) -> Optional[tuple[nn.Linear, nn.Linear]]:
        """The products into the neurons and out of them, if there are any."""
        return (self.intermediate.dense, self.output.dense) if hasattr(self.intermediate, "dense") else None

    def linear_parts(self) -> tuple[list[nn.Linear], list[nn.Linear]]:
        """All products of attention and of the neurons."""
        of_attention = [part for part in self.attention.modules() if isinstance(part, nn.Linear)]
        return of_attention, list(self.products() or ())

    def projections(self) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        """The products to queries, keys and values, for layers with heads."""
        inner = getattr(self.attention, "self")
        return inner.query, inner.key, inner.value

    def own_place_projections(self) -> tuple[nn.Linear, ...]:
        """The products for vectors of distances, if separate from those of queries and keys."""
        return ()

    def attention_output(self) -> Output:
        return self.attention.output.dense

    def values(self, x: Tensor, mask_bias: Optional[Tensor]) -> Tensor:
        """The heads' outputs side by side: [batch, length, heads * size]."""
        batch, length, _ = x.shape
        if self.norm_first:
            x = self.attention.LayerNorm(x)
        query, key, value = (linear(x).view(batch, length, self.num_heads, -1).transpose(1, 2)
                             for linear in self.projections())
        if self.distances is not None:
            query = query * self.distances.terms ** -0.5
            of_distance = self.distances.bias(self, query, key)
            mask_bias = of_distance if mask_bias is None else mask_bias + of_distance
        mixed = attention.attend(query, key, value, mask_bias, self.dropout.p if self.training else 0.0)
        return mixed.transpose(1, 2).reshape(batch, length, -1)

    def attend(self, x: Tensor, mask_bias: Optional[Tensor] = None) -> Tensor:
        return self.after_attention(x, self.attention_output()(self.values(x, mask_bias) if self.num_heads else x))

    def after_attention(self, x: Tensor, mixed: Tensor) -> Tensor:
        y = x + self.dropout(mixed)
        return y if self.norm_first else self.attention_norm()(y)

    def attention_norm(self) -> nn.LayerNorm:
        """The norm after attention, or before it in pre-norm layers."""
        return self.attention.LayerNorm if self.norm_first else self.attention.output.LayerNorm

    def fed(self, a: Tensor) -> Tensor:
        """The input of neurons and lookups, given a."""
        return self.intermediate.LayerNorm(a) if self.norm_first else a

    def feed(self, a: Tensor, rows: Optional[Tensor] = None) -> Tensor:
        """rows: each token's row, for layers with rows by word."""
        u, products = self.fed(a), self.products()
        f = self.FFN(u) if products is None else products[1](self.activation(products[0](u)))
        return f + self.words(rows) if hasattr(self, "words") else f

    def finish(self, a: Tensor, f: Tensor) -> Tensor:
        y = a + self.dropout(f)
        return y if self.norm_first else self.output.LayerNorm(y)

    def forward(self, x: Tensor, mask_bias: Optional[Tensor] = None, rows: Optional[Tensor] = None) -> Tensor:
        a = self.attend(x, mask_bias)
        return self.finish(a, self.feed(a, rows))


def other_ffn(kind: str, config: FamilyConfig, number: int) -> Optional[nn.Module]:
    """A new FFN; None for a vanilla one, whose two layers have different names in each family."""
    if kind == "vanilla":
        return None
    if kind == "lookup":
        return config.lookup(number)
    if kind == "none":
        return Bias(config.get("hidden_size"))
    raise ValueError(f'no FFN of kind "{kind}"; there are lookup, vanilla and none')


class DistilLayer(Layer):
    """DistilBERT's names for the same."""

    def _make_norms(self, eps: float) -> None:
        self.attention = Part()
        self.sa_layer_norm = nn.LayerNorm(self.hidden_size, eps=eps)
        self.output_layer_norm = nn.LayerNorm(self.hidden_size, eps=eps)

    def _put_heads(self, *products: nn.Linear, out: Output) -> None:
        self.attention = Part(**dict(zip(("q_lin", "k_lin", "v_lin"), products)), out_lin=out)

    def _drop_neurons(self) -> None:
        if hasattr(self, "ffn"):
            del self.ffn

    def _put_neurons(self, up: nn.Linear, down: nn.Linear) -> None:
        self.ffn = Part(lin1=up, lin2=down)

    def products(self) -> Optional[tuple[nn.Linear, nn.Linear]]:
        return (self.ffn.lin1, self.ffn.lin2) if hasattr(self, "ffn") else None

    def projections(self) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        return self.attention.q_lin, self.attention.k_lin, self.attention.v_lin

    def attention_output(self) -> Output:
        return self.attention.out_lin

    def attention_norm(self) -> nn.LayerNorm:
        return self.sa_layer_norm

    def finish(self, a: Tensor, f: Tensor) -> Tensor:
        return self.output_layer_norm(a + self.dropout(f))


class MpnetLayer(Layer):
    """MPNet's names for the same."""

    def _make_norms(self, eps: float) -> None:
        self.attention = Part(LayerNorm=nn.LayerNorm(self.hidden_size, eps=eps))
        self.intermediate = Part()
        self.output = Part(LayerNorm=nn.LayerNorm(self.hidden_size, eps=eps))

    def _put_heads(self, *products: nn.Linear, out: Output) -> None:
        self.attention.attn = Part(**dict(zip("qkv", products)), o=out)

    def projections(self) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        return self.attention.attn.q, self.attention.attn.k, self.attention.attn.v

    def attention_output(self) -> Output:
        return self.attention.attn.o

    def attention_norm(self) -> nn.LayerNorm:
        return self.attention.LayerNorm


class DebertaLayer(Layer):
    """DeBERTa's names, and linear layers for the vectors of distances unless those of queries and keys serve for them."""

    def __init__(self, config: FamilyConfig, number: int) -> None:
        self.__dict__["places"] = distances.Places(config.raw)
        super().__init__(config, number)

    def _put_heads(self, *products: nn.Linear, out: Output) -> None:
        inner = Part(**dict(zip(("query_proj", "key_proj", "value_proj"), products)))
        places = self.__dict__["places"]
        if products and places.relative and not places.shares_keys:
            width = products[0].out_features
            if places.of_queries:
                inner.pos_key_proj = nn.Linear(self.hidden_size, width)
            if places.of_keys:
                inner.pos_query_proj = nn.Linear(self.hidden_size, width)
        setattr(self.attention, "self", inner)
        self.attention.output.dense = out

    def projections(self) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        inner = getattr(self.attention, "self")
        return inner.query_proj, inner.key_proj, inner.value_proj

    def place_projections(self) -> tuple[Optional[nn.Linear], Optional[nn.Linear]]:
        """The products for the vectors that keys see, and for those that queries see."""
        inner = getattr(self.attention, "self")
        if self.__dict__["places"].shares_keys:
            return inner.query_proj, inner.key_proj
        return getattr(inner, "pos_query_proj", None), getattr(inner, "pos_key_proj", None)

    def own_place_projections(self) -> tuple[nn.Linear, ...]:
        shared = self.__dict__["places"].shares_keys
        return () if shared else tuple(linear for linear in self.place_projections() if linear is not None)


_LAYERS = {"distilbert": DistilLayer, "mpnet": MpnetLayer, "deberta-v2": DebertaLayer}


class Embeddings(nn.Module):
    def __init__(self, config: FamilyConfig) -> None:
        super().__init__()
        d, e = config.get("hidden_size"), config.word_size
        self.first_position = config.first_position
        self.word_embeddings = nn.Embedding(config.get("vocab_size"), e)
        if config.adds_positions:
            self.position_embeddings = nn.Embedding(config.get("max_position_embeddings"), e)
        if config.num_types:
            self.token_type_embeddings = nn.Embedding(config.num_types, e)
        if config.family == "deberta-v2" and e != d:
            self.embed_proj = nn.Linear(e, d, bias=False)
        self.LayerNorm = nn.LayerNorm(e if config.family == "electra" else d, eps=config.eps)
        self.dropout = nn.Dropout(config.dropout)
        self.first_rows(config)

    def first_rows(self, config: FamilyConfig) -> None:
        """Which row each word has, the same in all layers: its own, or if there are fewer rows, the last one for all later
        words."""
        if hasattr(self, "word_rows"):
            del self.word_rows
        if "ffn_word_rows" in config.raw:
            self.register_buffer("word_rows", first_rows(config.get("vocab_size"), config.word_rows))

    def rows_of(self, ids: Tensor) -> Tensor:
        return self.word_rows[ids].long() if hasattr(self, "word_rows") else ids

    def forward(self, ids: Tensor, types: Optional[Tensor] = None) -> Tensor:
        x = self.word_embeddings(ids)
        if hasattr(self, "position_embeddings"):
            x = x + self.position_embeddings(torch.arange(ids.shape[1], device=ids.device) + self.first_position)
        if hasattr(self, "token_type_embeddings"):
            x = x + (self.token_type_embeddings.weight[0] if types is None else self.token_type_embeddings(types))
        if hasattr(self, "embed_proj"):
            x = self.embed_proj(x)
        return self.dropout(self.LayerNorm(x))


class Base(nn.Module):
    """The model below the heads, under the family's prefix in the files."""

    def __init__(self, config: FamilyConfig) -> None:
        super().__init__()
        d = config.get("hidden_size")
        self.embeddings = Embeddings(config)
        if config.family == "electra" and config.word_size != d:
            self.embeddings_project = nn.Linear(config.word_size, d)
        stack = nn.ModuleList(_LAYERS.get(config.family, Layer)(config, i) for i in range(config.num_layers))
        if config.family == "distilbert":
            self.transformer = Part(layer=stack)
        else:
            self.encoder = distances.of(config) or Part()
            self.encoder.layer = stack
            if hasattr(self.encoder, "bias"):
                for layer in stack:
                    layer.share(self.encoder)
        if config.norm_first:
            self.LayerNorm = nn.LayerNorm(d, eps=config.eps)
        if config.has_pooler:
            self.pooler = Part(dense=nn.Linear(d, d))

    @property
    def layers(self) -> nn.ModuleList:
        return (self.transformer if hasattr(self, "transformer") else self.encoder).layer

    def embedded(self, ids: Tensor, types: Optional[Tensor] = None) -> Tensor:
        """The input of the first layer."""
        x = self.embeddings(ids, types)
        return self.embeddings_project(x) if hasattr(self, "embeddings_project") else x

    def forward(self, ids: Tensor, types: Optional[Tensor] = None, kept: Optional[Tensor] = None,
                states: Optional[list[tuple[Tensor, Tensor, Tensor]]] = None) -> Tensor:
        """kept: which positions are not padding. `states` receives each layer's attended a, fed f and output y."""
        x = self.embedded(ids, types)
        bias = None if kept is None else padding_bias(kept, x.dtype)
        rows = self.embeddings.rows_of(ids)
        for layer in self.layers:
            a = layer.attend(x, bias)
            f = layer.feed(a, rows)
            x = layer.finish(a, f)
            if states is not None:
                states.append((a, f, x))
        return self.LayerNorm(x) if hasattr(self, "LayerNorm") else x
