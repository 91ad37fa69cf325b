# SPDX-License-Identifier: Apache-2.0
"""BERT's encoder on packed rows with several texts each, which do not see each other. Texts of all lengths have one shape, so
no product is spent on padding and torch.compile compiles once."""

from __future__ import annotations

import copy
from typing import Any, Callable, Optional, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .. import attention
from ..distiller.quantise import rounded_blocks
from ..family_model import FamilyModel
from ..layer import LookupFFN
from ..projections import BlockHadamard
from ..words import rounded_rows

States = dict[int, Tensor]


class Layers(nn.Module):
    """Only the layers; rows by word come from outside, because they are looked up all at once."""

    def __init__(self, model: FamilyModel, wanted: Sequence[int]) -> None:
        super().__init__()
        self.norm, self.layer, self.wanted = model.base.embeddings.LayerNorm, model.layers, tuple(wanted)

    def forward(self, x: Tensor, rows: Optional[Tensor], bias: Tensor) -> list[Tensor]:
        """x [rows, length, size], rows [rows, length, layers with rows, size]. -> the last states, then the wanted ones."""
        x = self.norm(x)
        states, place = [], 0
        for number, layer in enumerate(self.layer):
            if layer.num_heads:
                batch, length, _ = x.shape
                linears = layer.projections()
                joint = F.linear(x, torch.cat([linear.weight for linear in linears]), torch.cat([linear.bias for linear in linears]))
                query, key, value = joint.view(batch, length, 3, layer.num_heads, -1).permute(2, 0, 3, 1, 4)
                if attention.has_fused_attention():
                    mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
                else:
                    mixed = attention.attend(query, key, value, bias)
                mixed = layer.attention_output()(mixed.transpose(1, 2).reshape(batch, length, -1))
            else:
                mixed = layer.attention_output()(x)
            a = layer.attention_norm()(x + mixed)
            products = layer.products()
            f = layer.FFN(a) if products is None else products[1](layer.activation(products[0](a)))
            if hasattr(layer, "words"):
                f = f + rows[:, :, place]
                place += 1
            x = layer.output.LayerNorm(a + f)
            if number in self.wanted:
                states.append(x)
        return [x, *states]


def _as_the_library_rounds(whole: Tensor) -> Tensor:
    """Matrices and tables by row, the blocks of a BH hash as it folds them; vectors not."""
    if whole.dim() < 2:
        return whole
    return rounded_blocks(whole) if whole.dim() > 3 else rounded_rows(whole)


class Packed:
    """A model with float32 weights that computes in a shorter type, on request rounded as the library rounds them; the
    gradient ignores the rounding."""

    def __init__(self, model: FamilyModel, pooling: str, wanted: Sequence[int], device: torch.device, precision: torch.dtype,
                 compiled: bool = False, learns_words: bool = False) -> None:
        """pooling: "cls_token" or "mean_tokens"; wanted: the layers whose states are returned."""
        if model.config.family != "bert" or pooling not in ("cls_token", "mean_tokens"):
            raise ValueError("only BERT encoders with the first token's state or the tokens' mean can be trained on packed rows")
        self.model, self.pooling, self.device, self.precision = model.to(device), pooling, device, precision
        self.wanted = tuple(wanted)
        self.short = copy.deepcopy(model).to(device=device, dtype=precision)
        for module in self.short.modules():
            if isinstance(module, LookupFFN):  # in fewer bits the codes would change
                module.hash.float()
                module.tables.data, module.bias.data = module.tables.data.float(), module.bias.data.float()
                module.use_products, module.use_native = precision == torch.bfloat16, not compiled
        lookups = {id(p) for module in self.short.modules() if isinstance(module, LookupFFN)
                   for p in (*module.hash.parameters(), module.tables, module.bias)}
        factors = {id(module.weight) for module in self.short.modules() if isinstance(module, BlockHadamard)}
        embeddings = self.short.base.embeddings
        self.word_rows: Optional[Tensor] = getattr(model.base.embeddings, "word_rows", None)
        self.with_words = [layer for layer in model.layers if hasattr(layer, "words")]
        self.rows: Optional[Tensor] = None
        if self.with_words:
            self.rows = torch.stack([layer.words.weight.detach() for layer in self.with_words], 1).contiguous()  # [R, layers, d]
            for layer in [*model.layers, *self.short.layers]:
                if hasattr(layer, "words"):
                    layer.words.weight = nn.Parameter(torch.zeros(1, 1, device=device, dtype=precision), requires_grad=False)
        layers = Layers(self.short, wanted)
        self.plain = layers
        self.layers: Callable[..., list[Tensor]] = torch.compile(layers, dynamic=False) if compiled else layers
        self.words, self.positions = embeddings.word_embeddings, embeddings.position_embeddings
        self.types = embeddings.token_type_embeddings
        fixed = {"position_embeddings", "token_type_embeddings", *(() if learns_words else ("word_embeddings",))}
        self.pairs: dict[str, list[tuple[Tensor, Tensor]]] = {"rest": [], "lookups": [], "factors": [], "words": [], "rows": []}
        # Of each the whole, the short.
        for (name, whole), (_, mine) in zip(model.named_parameters(), self.short.named_parameters()):
            learns = not any(part in name for part in (*fixed, ".words.weight", ".pooler."))
            whole.requires_grad_(False)
            mine.requires_grad_(learns)
            if learns:
                kind = "factors" if id(mine) in factors else "lookups" if id(mine) in lookups else "rest"
                self.pairs["words" if "word_embeddings" in name else kind].append((whole, mine))
        if self.rows is not None:
            self.short_rows = self.rows.to(precision).requires_grad_(True)
            self.pairs["rows"].append((self.rows, self.short_rows))

    @torch.no_grad()
    def refresh(self, rounded: bool, word_bits: int = 4) -> None:
        """Recomputes the short weights from the float32 ones."""
        for kind in ("rest", "lookups", "factors", "words"):
            for whole, mine in self.pairs[kind]:
                mine.copy_(_as_the_library_rounds(whole) if rounded else whole)
        for whole, mine in self.pairs["rows"]:
            mine.copy_(rounded_rows(whole, word_bits) if rounded else whole)

    def hidden(self, ids: Tensor, places: Tensor, bias: Tensor) -> list[Tensor]:
        """-> the last states, then the wanted ones."""
        x = F.embedding(ids, self.words.weight) + F.embedding(places, self.positions.weight) + self.types.weight[0]
        rows = None
        if self.rows is not None:
            flat = F.embedding(self.word_rows[ids].long() if self.word_rows is not None else ids, self.short_rows.flatten(1))
            rows = flat.view(*ids.shape, *self.short_rows.shape[1:])
        return self.layers(x, rows, bias)

    def eager_hidden(self, ids: Tensor, places: Tensor, bias: Tensor) -> Tensor:
        """The last states, of any shape, without rows by word."""
        x = F.embedding(ids, self.words.weight) + F.embedding(places, self.positions.weight) + self.types.weight[0]
        return self.plain(x, None, bias)[0]

    def pool(self, hidden: Tensor, pieces: Tensor, count: int, first: Tensor) -> Tensor:
        """-> [count, size], of length 1. first: where each piece begins, in the flattened rows."""
        flat = hidden.flatten(0, 1)
        if self.pooling == "cls_token":
            return F.normalize(flat[first].float(), dim=-1)
        sums = torch.zeros(count + 1, flat.shape[1], device=flat.device, dtype=torch.float32)
        sums = sums.index_add(0, torch.where(pieces < 0, count, pieces).flatten(), flat.float())
        return F.normalize(sums[:count], dim=-1)

    @torch.no_grad()
    def whole(self, rounded: bool = True, word_bits: int = 4) -> dict[str, Tensor]:
        """The weights under their names in files, as the library will have them."""
        named = dict(self.model.file_tensors())
        if self.rows is not None:
            places = iter(range(len(self.with_words)))
            names = [name for name in named if name.endswith(".FFN.words")]
            for name in sorted(names, key=lambda name: int(name.split(".layer.")[1].split(".")[0])):
                named[name] = self.rows[:, next(places)]
        return {name: value.detach().clone() for name, value in named.items()}

    def file_config(self) -> dict[str, Any]:
        return self.model.file_config()


def mask_bias(pieces: Tensor, precision: torch.dtype) -> Tensor:
    """[rows, 1, length, length]: 0 within a piece, else so low that its weight is 0."""
    same = pieces[:, :, None] == pieces[:, None, :]
    return torch.zeros(same.shape, device=pieces.device, dtype=precision).masked_fill_(~same, -1e4 if precision != torch.float32 else -1e9)[:, None]
