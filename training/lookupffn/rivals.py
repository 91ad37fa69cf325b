# SPDX-License-Identifier: Apache-2.0
"""Other ways to make a feed-forward layer cheaper, with LookupFFN's interface: tokens in, the vectors to add to them out.

Each begins with a layer norm, like all FFNs of the encoder. They are written to compare what is learned, not speed: parts
that a method skips are masked, and flop_per_token counts what an implementation would have to compute.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class SwitchFFN(nn.Module):
    """Switch Transformer: a router sends each token to one of several small FFNs and scales its result by the router's
    probability. auxiliary_loss rewards a balanced load."""

    def __init__(self, hidden_size: int, expert_size: int, num_experts: int = 4, layer_norm_eps: float = 1e-5,
                 balance: float = 0.01) -> None:
        super().__init__()
        self.balance = balance
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.router = nn.Linear(hidden_size, num_experts, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(hidden_size, expert_size), nn.GELU(), nn.Linear(expert_size, hidden_size))
            for _ in range(num_experts))
        self.auxiliary_loss = torch.zeros(())
        self._expert_size = expert_size

    def forward(self, x: Tensor) -> Tensor:
        u = self.LayerNorm(x).reshape(-1, x.shape[-1])
        probabilities = self.router(u).softmax(-1)
        weight, chosen = probabilities.max(-1)
        y = torch.zeros_like(u)
        for index, expert in enumerate(self.experts):
            tokens = (chosen == index).nonzero(as_tuple=True)[0]
            y = y.index_add(0, tokens, expert(u[tokens]) * weight[tokens, None])
        share = F.one_hot(chosen, len(self.experts)).to(u.dtype).mean(0)
        self.auxiliary_loss = self.balance * len(self.experts) * (share * probabilities.mean(0)).sum()
        return y.view(x.shape)

    def flop_per_token(self) -> int:
        return 4 * self.router.in_features * self._expert_size + 2 * self.router.in_features * len(self.experts)


def shuffle(x: Tensor, groups: int) -> Tensor:
    """Interleaves the channels of the groups, so that the next grouped product sees a part of each."""
    return x.unflatten(-1, (groups, -1)).transpose(-1, -2).flatten(-2)


class GroupedLinear(nn.Module):
    """A block diagonal matrix."""

    def __init__(self, input_size: int, output_size: int, groups: int) -> None:
        super().__init__()
        if input_size % groups or output_size % groups:
            raise ValueError(f"{groups} groups do not divide {input_size} and {output_size}")
        self.groups = groups
        self.weight = nn.Parameter(torch.empty(groups, output_size // groups, input_size // groups))
        self.bias = nn.Parameter(torch.zeros(output_size))
        nn.init.normal_(self.weight, std=0.55 * (input_size // groups) ** -0.5)

    def forward(self, x: Tensor) -> Tensor:
        parts = x.unflatten(-1, (self.groups, -1))
        return torch.einsum("...gi,goi->...go", parts, self.weight).flatten(-2) + self.bias


class ShuffleFFN(nn.Module):
    """ShuffleNet's idea: two grouped products with a shuffle of the channels between them."""

    def __init__(self, hidden_size: int, intermediate_size: int, groups: int = 4, layer_norm_eps: float = 1e-5) -> None:
        super().__init__()
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.up = GroupedLinear(hidden_size, intermediate_size, groups)
        self.down = GroupedLinear(intermediate_size, hidden_size, groups)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(shuffle(F.gelu(self.up(self.LayerNorm(x))), self.up.groups))

    def flop_per_token(self) -> int:
        return 2 * (self.up.weight.numel() + self.down.weight.numel())


def hyperplane_codes(x: Tensor, planes: Tensor) -> Tensor:
    """planes [hashes, bits, size] -> a code for each hash: [..., hashes]."""
    bits = torch.einsum("...i,hbi->...hb", x, planes) > 0
    return (bits.long() << torch.arange(planes.shape[1], device=x.device)).sum(-1)


class SlideFFN(nn.Module):
    """SLIDE: an inner neuron runs only if its weights share a bucket with the token in one of several hash tables. The
    tables are rebuilt after every `rehash_every` training steps; 1 is the method's definition, more saves time but leaves
    tables that no longer fit the weights."""

    def __init__(self, hidden_size: int, intermediate_size: int, num_hashes: int = 4, code_bits: int = 4,
                 rehash_every: int = 1, layer_norm_eps: float = 1e-5) -> None:
        super().__init__()
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.up = nn.Linear(hidden_size, intermediate_size)
        self.down = nn.Linear(intermediate_size, hidden_size)
        self.rehash_every = rehash_every
        self.register_buffer("planes", torch.randn(num_hashes, code_bits, hidden_size))
        self.register_buffer("neuron_codes", torch.zeros(intermediate_size, num_hashes, dtype=torch.long))
        self.register_buffer("step", torch.zeros((), dtype=torch.long))
        self.register_buffer("neurons_run", torch.zeros((), dtype=torch.double))
        self.register_buffer("neurons_seen", torch.zeros((), dtype=torch.double))
        self.rehash()

    @torch.no_grad()
    def rehash(self) -> None:
        self.neuron_codes.copy_(hyperplane_codes(self.up.weight, self.planes))

    @torch.no_grad()
    def active(self, u: Tensor) -> Tensor:
        """Which neurons run for which tokens."""
        return (hyperplane_codes(u, self.planes).unsqueeze(-2) == self.neuron_codes).any(-1)

    @torch.no_grad()
    def _count(self, active: Tensor) -> None:
        """In training only the last step counts, because its weights are gone; otherwise all steps since then."""
        if self.training:
            self.neurons_run.zero_()
            self.neurons_seen.zero_()
        self.neurons_run += active.sum()
        self.neurons_seen += active.numel()

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            if self.rehash_every == 1 or self.step % self.rehash_every == 0:
                self.rehash()
            self.step += 1
        u = self.LayerNorm(x)
        active = self.active(u)
        self._count(active)
        return self.down(F.gelu(self.up(u)) * active)

    def active_share(self) -> float:
        """The share of inner neurons that ran, counted in the last training step and all tokens since."""
        if float(self.neurons_seen) == 0:
            raise ValueError("no token has run through this layer yet, so no active neuron was counted")
        return float(self.neurons_run / self.neurons_seen)

    def flop_per_token(self) -> int:
        """With the share of neurons that ran, and the token's hashes."""
        return round(4 * self.planes.shape[2] * self.up.out_features * self.active_share()) + 2 * self.planes.numel()


class MongooseFFN(SlideFFN):
    """MONGOOSE: SLIDE with hyperplanes that are learned by a triplet loss, so that a token's codes come closer to those of
    its most active neurons than to those of its least active ones. The tables are rebuilt when the weights have moved
    by more than `rehash_after` of their norm since the last time, which is checked after every `rehash_every` steps, or
    when the planes themselves have."""

    def __init__(self, hidden_size: int, intermediate_size: int, num_hashes: int = 4, code_bits: int = 4,
                 rehash_every: int = 1, rehash_after: float = 0.05, triplets: int = 4, margin: float = 1.0,
                 balance: float = 0.01, layer_norm_eps: float = 1e-5) -> None:
        super().__init__(hidden_size, intermediate_size, num_hashes, code_bits, rehash_every, layer_norm_eps)
        self.planes = nn.Parameter(self._buffers.pop("planes"))
        self.register_buffer("hashed_weight", self.up.weight.detach().clone())
        self.register_buffer("hashed_planes", self.planes.detach().clone())
        self.rehash_after, self.triplets, self.margin, self.balance = rehash_after, triplets, margin, balance
        self.auxiliary_loss = torch.zeros(())

    @torch.no_grad()
    def rehash(self) -> None:
        if hasattr(self, "hashed_weight"):
            pairs = ((self.up.weight, self.hashed_weight), (self.planes, self.hashed_planes))
            moved = max(float((now - before).norm() / before.norm()) for now, before in pairs)
            if self.step > 0 and moved <= self.rehash_after:
                return
            for now, before in pairs:
                before.copy_(now)
        super().rehash()

    def triplet_loss(self, u: Tensor) -> Tensor:
        """A triplet loss over relaxed codes: the hyperbolic tangent of the distance from each plane instead of bits."""
        tokens = u.reshape(-1, u.shape[-1])
        with torch.no_grad():
            activity = self.up(tokens)
            near = activity.topk(self.triplets, dim=-1).indices
            far = activity.topk(self.triplets, dim=-1, largest=False).indices
        planes = self.planes.flatten(0, 1).t()
        token_bits = torch.tanh(tokens @ planes).unsqueeze(1)
        neuron_bits = torch.tanh(F.normalize(self.up.weight.detach(), dim=-1) * self.up.in_features**0.5 @ planes)

        def distance(neurons: Tensor) -> Tensor:
            return (token_bits - neuron_bits[neurons]).pow(2).mean(-1)

        return F.relu(distance(near) - distance(far) + self.margin).mean()

    def forward(self, x: Tensor) -> Tensor:
        y = super().forward(x)
        self.auxiliary_loss = self.balance * self.triplet_loss(self.LayerNorm(x).detach())
        return y


class _BucketSums(torch.autograd.Function):
    """Values of the keys in the query's bucket, the mean over all hashes. Gradients are those of the expectation's lower
    bound, as the authors of YOSO take them: of (1 - angle / pi)^bits by the cosine, bits / 2 (1 - angle / pi)^bits."""

    @staticmethod
    def forward(context: Any, queries: Tensor, keys: Tensor, values: Tensor, planes: Tensor) -> Tensor:
        same = (hyperplane_codes(queries, planes).unsqueeze(1) == hyperplane_codes(keys, planes)).to(values.dtype)
        weights = same.mean(-1)
        context.save_for_backward(queries, keys, values, weights)
        context.bits = planes.shape[1]
        return weights @ values

    @staticmethod
    def backward(context: Any, grad: Tensor) -> tuple[Any, ...]:
        queries, keys, values, weights = context.saved_tensors
        cosine_grads = (grad @ values.t()) * weights * (context.bits / 2)
        return cosine_grads @ keys, cosine_grads.t() @ queries, weights.t() @ grad, None


class YosoFFN(nn.Module):
    """YOSO: the inner neurons' outer weights are summed up in buckets by hyperplane hashes of their inner weights; a token
    reads one bucket of each hash, and the sum is scaled to length 1. In attention a product follows; here, gains do. New
    hyperplanes are drawn in every training step."""

    def __init__(self, hidden_size: int, intermediate_size: int, num_hashes: int = 16, code_bits: int = 6,
                 layer_norm_eps: float = 1e-5) -> None:
        super().__init__()
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.keys = nn.Parameter(torch.randn(intermediate_size, hidden_size))
        self.values = nn.Parameter(torch.randn(intermediate_size, hidden_size) * 0.02)
        self.gain = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))
        self.register_buffer("planes", torch.randn(num_hashes, code_bits, hidden_size))

    def _finish(self, sums: Tensor) -> Tensor:
        return F.normalize(sums, dim=-1) * self.gain + self.bias

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.planes.normal_()
        queries = F.normalize(self.LayerNorm(x).reshape(-1, x.shape[-1]), dim=-1)
        y = _BucketSums.apply(queries, F.normalize(self.keys, dim=-1), self.values, self.planes)
        return self._finish(y.view(x.shape))

    def expected(self, x: Tensor) -> Tensor:
        """The limit of forward with many hyperplanes."""
        cosine = F.normalize(self.LayerNorm(x), dim=-1) @ F.normalize(self.keys, dim=-1).t()
        angle = torch.acos(cosine.clamp(-1, 1))
        return self._finish((1 - angle / math.pi) ** self.planes.shape[1] @ self.values)

    def flop_per_token(self) -> int:
        return 2 * self.planes.numel() + 2 * self.planes.shape[0] * self.keys.shape[1]


KINDS = {"switch": SwitchFFN, "shuffle": ShuffleFFN, "slide": SlideFFN, "mongoose": MongooseFFN, "yoso": YosoFFN}


def make(kind: str, config: Any) -> nn.Module:
    if kind not in KINDS:
        raise ValueError(f'no FFN of kind "{kind}"; there are lookup, vanilla, none, {", ".join(KINDS)}')
    return KINDS[kind](config.hidden_size, config.intermediate_size, layer_norm_eps=config.layer_norm_eps)
