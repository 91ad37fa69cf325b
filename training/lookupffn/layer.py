# SPDX-License-Identifier: Apache-2.0
"""The LookupFFN layer: hash each token, add up a few rows of learned tables."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from . import features, native, product
from .projections import make_projection


def codes_and_scores(z: Tensor, num_probes: int = 1, activation: str = "gelu") -> tuple[Tensor, Tensor]:
    """z [n, h, tau] -> codes and scores [n, h, num_probes], best first."""
    bits = z.shape[-1]
    magnitude = z.abs()
    s = magnitude.sum(-1, keepdim=True)
    p = F.logsigmoid(2 * magnitude).sum(-1, keepdim=True).exp()
    places = 1 << torch.arange(bits - 1, -1, -1, device=z.device)
    nearest = ((z > 0).long() * places).sum(-1, keepdim=True)
    if num_probes == 1:
        return nearest, p if activation == "sigmoid" else s * p
    # Every code, by what the bits flipped on the way to it cost; equal costs keep the order of the codes.
    all_codes = torch.arange(1 << bits, device=z.device)
    flipped = (nearest.unsqueeze(-1) ^ all_codes.view(1, 1, -1, 1)) // places % 2
    cost = (flipped * magnitude.unsqueeze(-2)).sum(-1)
    cost, codes = cost.sort(dim=-1, stable=True)
    cost, codes = cost[..., :num_probes], codes[..., :num_probes]
    weight = torch.exp(-2 * cost) * p
    return codes, weight if activation == "sigmoid" else weight * (s - 2 * cost)


class Hash(nn.Module):
    def __init__(self, projection: nn.Module) -> None:
        super().__init__()
        self.projection = projection

    def forward(self, u: Tensor) -> Tensor:
        return self.projection(u)


def _zero_linear(inputs: int, outputs: int) -> nn.Linear:
    linear = nn.Linear(inputs, outputs)
    nn.init.zeros_(linear.weight)
    nn.init.zeros_(linear.bias)
    linear.keeps_initial_values = True
    return linear


class LookupFFN(nn.Module):
    """Computes what the library computes, with the parameters named as in its files.

    On the CPU in float32 with one probe it runs through liblookupffn if that is found (see native.py); otherwise, or with
    use_native=False, in plain PyTorch. With use_products=True it learns by products in bfloat16 (see product.py).
    """

    def __init__(self, hidden_size: int, num_tables: int, table_size: int, *, output_size: Optional[int] = None,
                 projection_type: str = "bh4", block_size: int = 64, decay_coeff: float = 0.7, activation: str = "gelu",
                 num_probes: int = 1, layer_norm: bool = True, layer_norm_eps: float = 1e-5,
                 linear: bool = False, use_native: bool = True) -> None:
        """linear: adds a linear map of the input, which is not part of a layer's own file; see families.py."""
        super().__init__()
        if linear and layer_norm:
            raise ValueError("only a LookupFFN without a layer norm of its own may have a linear map beside its tables")
        self.code_bits = table_size.bit_length() - 1
        if table_size != 1 << self.code_bits or not 1 <= self.code_bits <= 16:
            raise ValueError(f"table_size is {table_size}, expected a power of two from 2 to 65536")
        if activation not in ("gelu", "sigmoid"):
            raise ValueError(f'activation is "{activation}", expected "gelu" or "sigmoid"')
        if not 1 <= num_probes <= table_size:
            raise ValueError(f"num_probes is {num_probes}, expected 1 to {table_size}")
        self.hidden_size = hidden_size
        self.output_size = output_size or hidden_size
        self.num_tables = num_tables
        self.table_size = table_size
        self.projection_type = projection_type
        self.block_size = block_size
        self.decay_coeff = decay_coeff
        self.activation = activation
        self.num_probes = num_probes
        self.use_native = use_native
        self.use_products = False
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=layer_norm_eps) if layer_norm else None
        self.layer_norm_eps = layer_norm_eps
        self.hash = Hash(make_projection(projection_type, hidden_size, num_tables * self.code_bits, block_size,
                                         decay_coeff))
        self.tables = nn.Parameter(torch.empty(num_tables, table_size, self.output_size))
        self.bias = nn.Parameter(torch.zeros(self.output_size))
        nn.init.normal_(self.tables, std=0.02)
        self.linear = _zero_linear(hidden_size, self.output_size) if linear else None

    def hash_values(self, x: Tensor) -> Tensor:
        u = self.LayerNorm(x) if self.LayerNorm is not None else x
        return self.hash(u).view(*x.shape[:-1], self.num_tables, self.code_bits)

    def plain_forward(self, x: Tensor) -> Tensor:
        z = self.hash_values(x.reshape(-1, self.hidden_size))
        codes, scores = codes_and_scores(z, self.num_probes, self.activation)
        first_rows = torch.arange(self.num_tables, device=x.device).view(1, -1, 1) * self.table_size
        y = F.embedding_bag((codes + first_rows).flatten(1), self.tables.flatten(0, 1), mode="sum",
                            per_sample_weights=scores.flatten(1))
        return (y + self.bias).view(*x.shape[:-1], self.output_size)

    def forward(self, x: Tensor) -> Tensor:
        y = self._lookups(x)
        return y if self.linear is None else y + self.linear(x)

    def _lookups(self, x: Tensor) -> Tensor:
        if x.dtype in (torch.bfloat16, torch.float16):  # under autocast: in fewer bits the codes would change
            with features.without_autocast(x.device):
                return self._forward(x.to(self.tables.dtype)).to(x.dtype)
        with features.without_autocast(x.device):
            return self._forward(x)

    def _forward(self, x: Tensor) -> Tensor:
        flat = x.reshape(-1, self.hidden_size)
        projection = self.hash.projection
        if self.use_products and torch.is_grad_enabled() and product.can_run(projection, self.table_size, self.num_probes):
            u = flat if self.LayerNorm is None else self.LayerNorm(flat)
            y = product.run(u, projection, self.tables, self.activation) + self.bias
        elif self.use_native and native.can_run([x, *self._weights()], self.num_probes):
            y = native.run(flat, self._weights(), self._sizes())
        else:
            return self.plain_forward(x)
        return y.view(*x.shape[:-1], self.output_size)

    def _weights(self) -> list[Optional[Tensor]]:
        """The weights in the library's order."""
        norm, projection = self.LayerNorm, self.hash.projection
        return [None if norm is None else norm.weight, None if norm is None else norm.bias, projection.weight,
                projection.bias, self.tables, self.bias]

    def config(self) -> dict[str, Any]:
        """The config in the library's files."""
        if self.linear is not None:
            raise ValueError("a layer's own file cannot hold the linear map beside its tables; a model's file can")
        return self._sizes()

    def _sizes(self) -> dict[str, Any]:
        return {
            "hidden_size": self.hidden_size, "output_size": self.output_size, "ffn_num_table": self.num_tables,
            "ffn_table_size": self.table_size, "projection_type": self.projection_type, "block_size": self.block_size,
            "decay_coeff": self.decay_coeff, "activation": self.activation, "num_probes": self.num_probes,
            "layer_norm": self.LayerNorm is not None, "layer_norm_eps": self.layer_norm_eps,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], **options: Any) -> LookupFFN:
        """Builds a layer from a file's config; keys that do not concern the layer are ignored."""
        known = ("output_size", "projection_type", "block_size", "decay_coeff", "activation", "num_probes",
                 "layer_norm", "layer_norm_eps", "linear")
        chosen = {key: config[key] for key in known if key in config}
        return cls(config["hidden_size"], config["ffn_num_table"], config["ffn_table_size"], **chosen, **options)

    def flop_per_token(self) -> int:
        """The paper's count."""
        linear = 0 if self.linear is None else 2 * self.hidden_size * self.output_size
        return self.hash.projection.flop_per_token() + 2 * self.num_tables * self.output_size + linear
