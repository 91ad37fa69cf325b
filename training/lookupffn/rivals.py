"""Other ways to make a feed-forward layer cheaper, with the interface of LookupFFN: tokens in, what is added to them out.

Each begins with a layer norm, as all FFNs of the encoder do. They are written for comparisons of what is learned, not for
speed: what a method leaves out is masked, and flop_per_token counts what an implementation would have to compute.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F


class SwitchFFN(nn.Module):
    """Switch Transformer: a router sends each token to one of several small FFNs and scales its result by the router's
    probability. auxiliary_loss rewards a balanced load."""

    def __init__(self, hidden_size, expert_size, num_experts=4, layer_norm_eps=1e-5, balance=0.01):
        super().__init__()
        self.balance = balance
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.router = nn.Linear(hidden_size, num_experts, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(hidden_size, expert_size), nn.GELU(), nn.Linear(expert_size, hidden_size))
            for _ in range(num_experts))
        self.auxiliary_loss = torch.zeros(())
        self._expert_size = expert_size

    def forward(self, x):
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

    def flop_per_token(self):
        return 4 * self.router.in_features * self._expert_size + 2 * self.router.in_features * len(self.experts)


def shuffle(x, groups):
    """Takes the channels of the groups in turn: the next grouped product sees a part of each."""
    return x.unflatten(-1, (groups, -1)).transpose(-1, -2).flatten(-2)


class GroupedLinear(nn.Module):
    """A block diagonal matrix."""

    def __init__(self, input_size, output_size, groups):
        super().__init__()
        if input_size % groups or output_size % groups:
            raise ValueError(f"{groups} groups do not divide {input_size} and {output_size}")
        self.groups = groups
        self.weight = nn.Parameter(torch.empty(groups, output_size // groups, input_size // groups))
        self.bias = nn.Parameter(torch.zeros(output_size))
        nn.init.normal_(self.weight, std=0.55 * (input_size // groups) ** -0.5)

    def forward(self, x):
        parts = x.unflatten(-1, (self.groups, -1))
        return torch.einsum("...gi,goi->...go", parts, self.weight).flatten(-2) + self.bias


class ShuffleFFN(nn.Module):
    """ShuffleNet's idea: two grouped products with a shuffle of the channels between them."""

    def __init__(self, hidden_size, intermediate_size, groups=4, layer_norm_eps=1e-5):
        super().__init__()
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.up = GroupedLinear(hidden_size, intermediate_size, groups)
        self.down = GroupedLinear(intermediate_size, hidden_size, groups)

    def forward(self, x):
        return self.down(shuffle(F.gelu(self.up(self.LayerNorm(x))), self.up.groups))

    def flop_per_token(self):
        return 2 * (self.up.weight.numel() + self.down.weight.numel())


def hyperplane_codes(x, planes):
    """planes [hashes, bits, size] -> a code for each hash: [..., hashes]."""
    bits = torch.einsum("...i,hbi->...hb", x, planes) > 0
    return (bits.long() << torch.arange(planes.shape[1], device=x.device)).sum(-1)


class SlideFFN(nn.Module):
    """SLIDE: of the inner neurons only those run whose weights share a bucket with the token in one of several hash
    tables. The tables are made anew after every `rehash_every` training steps."""

    def __init__(self, hidden_size, intermediate_size, num_hashes=4, code_bits=4, rehash_every=50, layer_norm_eps=1e-5):
        super().__init__()
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.up = nn.Linear(hidden_size, intermediate_size)
        self.down = nn.Linear(intermediate_size, hidden_size)
        self.rehash_every = rehash_every
        self.register_buffer("planes", torch.randn(num_hashes, code_bits, hidden_size))
        self.register_buffer("neuron_codes", torch.zeros(intermediate_size, num_hashes, dtype=torch.long))
        self.register_buffer("step", torch.zeros((), dtype=torch.long))
        self.rehash()

    @torch.no_grad()
    def rehash(self):
        self.neuron_codes.copy_(hyperplane_codes(self.up.weight, self.planes))

    def active(self, u):
        """Which neurons run for which tokens."""
        return (hyperplane_codes(u, self.planes).unsqueeze(-2) == self.neuron_codes).any(-1)

    def forward(self, x):
        if self.training:
            if self.step % self.rehash_every == 0:
                self.rehash()
            self.step += 1
        u = self.LayerNorm(x)
        return self.down(F.gelu(self.up(u)) * self.active(u))

    def flop_per_token(self):
        """With the share of neurons that random ones would have."""
        hashes, bits, size = self.planes.shape
        share = 1 - (1 - 2.0**-bits) ** hashes
        return round(4 * size * self.up.out_features * share) + 2 * self.planes.numel()


class MongooseFFN(SlideFFN):
    """MONGOOSE: SLIDE with hyperplanes that are learned by a triplet loss, so that a token's codes come closer to those of
    its most active neurons than to those of its least active ones. The tables are made anew when the weights have moved
    by more than `rehash_after` of their norm since the last time, which is looked at after every `rehash_every` steps."""

    def __init__(self, hidden_size, intermediate_size, num_hashes=4, code_bits=4, rehash_every=10, rehash_after=0.05,
                 triplets=4, margin=1.0, balance=0.01, layer_norm_eps=1e-5):
        super().__init__(hidden_size, intermediate_size, num_hashes, code_bits, rehash_every, layer_norm_eps)
        self.planes = nn.Parameter(self._buffers.pop("planes"))
        self.register_buffer("hashed_weight", self.up.weight.detach().clone())
        self.rehash_after, self.triplets, self.margin, self.balance = rehash_after, triplets, margin, balance
        self.auxiliary_loss = torch.zeros(())

    @torch.no_grad()
    def rehash(self):
        if hasattr(self, "hashed_weight"):
            moved = (self.up.weight - self.hashed_weight).norm() / self.hashed_weight.norm()
            if self.step > 0 and moved <= self.rehash_after:
                return
            self.hashed_weight.copy_(self.up.weight)
        super().rehash()

    def triplet_loss(self, u):
        """Over hashes in place of bits: the tangent hyperbolic of the distance from each plane."""
        tokens = u.reshape(-1, u.shape[-1])
        with torch.no_grad():
            activity = self.up(tokens)
            near = activity.topk(self.triplets, dim=-1).indices
            far = activity.topk(self.triplets, dim=-1, largest=False).indices
        planes = self.planes.flatten(0, 1).t()
        token_bits = torch.tanh(tokens @ planes).unsqueeze(1)
        neuron_bits = torch.tanh(F.normalize(self.up.weight.detach(), dim=-1) * self.up.in_features**0.5 @ planes)

        def distance(neurons):
            return (token_bits - neuron_bits[neurons]).pow(2).mean(-1)

        return F.relu(distance(near) - distance(far) + self.margin).mean()

    def forward(self, x):
        y = super().forward(x)
        self.auxiliary_loss = self.balance * self.triplet_loss(self.LayerNorm(x).detach())
        return y


class _BucketSums(torch.autograd.Function):
    """Values of the keys in the query's bucket, the mean over all hashes. Gradients are those of the expectation's lower
    bound, as the authors of YOSO take them: of (1 - angle / pi)^bits by the cosine, bits / 2 (1 - angle / pi)^bits."""

    @staticmethod
    def forward(context, queries, keys, values, planes):
        same = (hyperplane_codes(queries, planes).unsqueeze(1) == hyperplane_codes(keys, planes)).to(values.dtype)
        weights = same.mean(-1)
        context.save_for_backward(queries, keys, values, weights)
        context.bits = planes.shape[1]
        return weights @ values

    @staticmethod
    def backward(context, grad):
        queries, keys, values, weights = context.saved_tensors
        cosine_grads = (grad @ values.t()) * weights * (context.bits / 2)
        return cosine_grads @ keys, cosine_grads.t() @ queries, weights.t() @ grad, None


class YosoFFN(nn.Module):
    """YOSO: the inner neurons' outer weights are summed up in buckets by hyperplane hashes of their inner weights; a token
    reads one bucket of each hash. New hyperplanes are drawn in every training step."""

    def __init__(self, hidden_size, intermediate_size, num_hashes=16, code_bits=6, layer_norm_eps=1e-5):
        super().__init__()
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=layer_norm_eps)
        self.keys = nn.Parameter(torch.randn(intermediate_size, hidden_size))
        self.values = nn.Parameter(torch.randn(intermediate_size, hidden_size) * 0.02)
        self.bias = nn.Parameter(torch.zeros(hidden_size))
        self.register_buffer("planes", torch.randn(num_hashes, code_bits, hidden_size))

    def forward(self, x):
        if self.training:
            self.planes.normal_()
        queries = F.normalize(self.LayerNorm(x).reshape(-1, x.shape[-1]), dim=-1)
        y = _BucketSums.apply(queries, F.normalize(self.keys, dim=-1), self.values, self.planes)
        return y.view(x.shape) + self.bias

    def expected(self, x):
        """What forward gives on average over all hyperplanes."""
        cosine = F.normalize(self.LayerNorm(x), dim=-1) @ F.normalize(self.keys, dim=-1).t()
        angle = torch.acos(cosine.clamp(-1, 1))
        return (1 - angle / math.pi) ** self.planes.shape[1] @ self.values + self.bias

    def flop_per_token(self):
        return 2 * self.planes.numel() + 2 * self.planes.shape[0] * self.keys.shape[1]


KINDS = {"switch": SwitchFFN, "shuffle": ShuffleFFN, "slide": SlideFFN, "mongoose": MongooseFFN, "yoso": YosoFFN}


def make(kind, config):
    if kind not in KINDS:
        raise ValueError(f'no FFN of kind "{kind}"; there are lookup, vanilla, none, {", ".join(KINDS)}')
    return KINDS[kind](config.hidden_size, config.intermediate_size, layer_norm_eps=config.layer_norm_eps)
