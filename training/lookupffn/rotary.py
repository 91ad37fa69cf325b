# SPDX-License-Identifier: Apache-2.0
"""Layers with rotary positions, norms before each part and gated neurons: ModernBERT's, Qwen3's, Gemma 3's, without heads.

A row of ROWS distinguishes the families. Unlike in families.py, queries may share keys, layers may see only nearby tokens,
norms may divide by the root of the mean square, and a part's output may have a norm of its own.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from . import attention
from .families import Base, Bias, Embeddings, Layer
from .family_config import FamilyConfig


@dataclasses.dataclass(frozen=True)
class Row:
    """One family. Names are those in files, below a layer's own."""

    is_rms: bool
    projections: tuple[str, ...]  # one with all three, or one for each
    attention_out: str
    attention_norm: str
    up: tuple[str, ...]  # one with both halves, the first for the activation, or one for each
    down: str
    ffn_norm: str
    theta: float
    local_theta: Optional[float] = None  # none: there are no local layers
    head_norms: tuple[str, ...] = ()
    first_is_bare: bool = False  # the first layer's attention reads what the embeddings' norm gives
    is_causal: bool = False
    adds_one: bool = False  # norms multiply by 1 + weight
    result_norms: tuple[str, ...] = ()  # of what attention gives, and of what the feed-forward block gives
    usual_scale: Optional[int] = None  # query_pre_attn_scalar; none: the size of a head
    window: tuple[str, int] = ("local_attention", 128)
    global_every: tuple[str, int] = ("global_attn_every_n_layers", 3)
    global_place: int = 0  # of so many layers: 0 the first, -1 the last


_PROJECTIONS = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
_HEAD_NORMS = ("self_attn.q_norm", "self_attn.k_norm")
ROWS = {"modernbert": Row(False, ("attn.Wqkv",), "attn.Wo", "attn_norm", ("mlp.Wi",), "mlp.Wo", "mlp_norm", 160000.0,
                          10000.0, first_is_bare=True),
        "qwen3": Row(True, _PROJECTIONS, "self_attn.o_proj", "input_layernorm", ("mlp.gate_proj", "mlp.up_proj"),
                     "mlp.down_proj", "post_attention_layernorm", 1e6, head_norms=_HEAD_NORMS, is_causal=True),
        "gemma3_text": Row(True, _PROJECTIONS, "self_attn.o_proj", "input_layernorm", ("mlp.gate_proj", "mlp.up_proj"),
                           "mlp.down_proj", "pre_feedforward_layernorm", 1e6, 10000.0, head_norms=_HEAD_NORMS,
                           is_causal=True, adds_one=True, usual_scale=256, window=("sliding_window", 4096),
                           result_norms=("post_attention_layernorm", "post_feedforward_layernorm"),
                           global_every=("sliding_window_pattern", 6), global_place=-1)}


class Norm(nn.Module):
    """Without a shift."""

    def __init__(self, size: int, eps: float, row: Row) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(size) if row.adds_one else torch.ones(size))
        self.eps, self.row = eps, row

    def forward(self, x: Tensor) -> Tensor:
        weight = 1 + self.weight if self.row.adds_one else self.weight
        if not self.row.is_rms:
            return F.layer_norm(x, weight.shape, weight, None, self.eps)
        return weight * (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps))


def _put(owner: nn.Module, name: str, part: Optional[nn.Module]) -> None:
    """Sets a module by its dotted name; None removes it."""
    first, _, rest = name.partition(".")
    if rest:
        if not hasattr(owner, first):
            setattr(owner, first, nn.Module())
        return _put(getattr(owner, first), rest, part)
    if hasattr(owner, first):
        delattr(owner, first)
    if part is not None:
        setattr(owner, first, part)
    return None


def _take(owner: nn.Module, name: str) -> Any:
    for part in name.split("."):
        owner = getattr(owner, part)
    return owner


def is_local(config: FamilyConfig, number: int) -> bool:
    row = ROWS[config.family]
    if row.local_theta is None:
        return False
    types = config.raw.get("layer_types")
    if types is not None:
        return types[number] == "sliding_attention"
    key, usual = row.global_every
    every = config.raw.get(key, config.raw.get("_" + key, usual))
    return number % every != row.global_place % every


def is_causal(config: FamilyConfig) -> bool:
    return ROWS[config.family].is_causal and not config.raw.get("use_bidirectional_attention", False)


def reach(config: FamilyConfig, number: int) -> Optional[int]:
    """How far a layer sees to each side, of a causal model before; none: to all."""
    if not is_local(config, number):
        return None
    key, usual = ROWS[config.family].window
    window = config.raw.get(key) or usual
    return window - 1 if is_causal(config) else window // 2


def theta_of(config: FamilyConfig, number: int) -> float:
    """Theta as transformers 5 writes it, or as 4 does."""
    row, raw, local = ROWS[config.family], config.raw, is_local(config, number)
    if raw.get("rope_scaling"):
        raise ValueError("config: rope_scaling is given, but scaled positions are not supported")
    given = raw.get("rope_parameters") or {}
    given = given.get("sliding_attention" if local else "full_attention", given)
    if given.get("rope_type", "default") != "default":
        raise ValueError(f'config: positions are scaled by "{given["rope_type"]}", which is not supported')
    older = raw.get("local_rope_theta", raw.get("rope_local_base_freq")) if local else \
        raw.get("global_rope_theta", raw.get("rope_theta"))
    return float(given.get("rope_theta") or older or (row.local_theta if local else row.theta))


def turned(x: Tensor, theta: float) -> Tensor:
    """[..., length, head size]: rotates the halves by an angle that grows with the position."""
    length, size = x.shape[-2:]
    frequency = 1.0 / theta ** (torch.arange(0, size, 2, device=x.device, dtype=torch.float32) / size)
    angle = torch.arange(length, device=x.device, dtype=torch.float32)[:, None] * frequency
    cosine, sine = (part.to(x.dtype) for part in (angle.cos(), angle.sin()))
    a, b = x.chunk(2, -1)
    return torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1)


class RotaryLayer(Layer):
    """Its neurons are gated, so products() returns none."""

    keeps_heads = True
    row: Row
    number: int
    theta: float
    bias: bool
    ffn_bias: bool
    key_heads: int
    window: Optional[int]
    is_causal: bool
    scale: float
    norms_results: bool
    eps: float

    def __init__(self, config: FamilyConfig, number: int) -> None:
        row = ROWS[config.family]
        self.__dict__.update(row=row, number=number, theta=theta_of(config, number),
                             bias=bool(config.raw.get("attention_bias", False)),
                             ffn_bias=bool(config.raw.get("mlp_bias", False)),
                             key_heads=config.raw.get("num_key_value_heads") or config.heads(number),
                             window=reach(config, number), is_causal=is_causal(config),
                             norms_results=bool(row.result_norms),
                             scale=(config.raw.get("query_pre_attn_scalar", row.usual_scale) or config.head_size) ** -0.5)
        super().__init__(config, number)

    def _make_norms(self, eps: float) -> None:
        row, size = self.row, self.hidden_size
        self.eps = eps
        if not (row.first_is_bare and self.number == 0):
            _put(self, row.attention_norm, Norm(size, eps, row))
        for name in (row.ffn_norm, *row.result_norms):
            _put(self, name, Norm(size, eps, row))
        for name in row.head_norms:
            _put(self, name, Norm(self.head_size, eps, row))

    def set_heads(self, count: int) -> None:
        if hasattr(self, "num_heads") and count != self.num_heads:
            raise ValueError("heads can be dropped only in models without rotary positions")
        self.num_heads, d = count, self.hidden_size
        if count % self.key_heads:
            raise ValueError(f"config: num_key_value_heads is {self.key_heads}, which does not divide {count} heads")
        widths = [count * self.head_size, *(self.key_heads * self.head_size,) * 2]
        if len(self.row.projections) == 1:
            widths = [sum(widths)]
        for name, width in zip(self.row.projections, widths):
            _put(self, name, nn.Linear(d, width, bias=self.bias))
        _put(self, self.row.attention_out, nn.Linear(count * self.head_size, d, bias=self.bias))

    def set_ffn(self, new: Optional[nn.Module], neurons: int = 0) -> None:
        if hasattr(self, "FFN"):
            del self.FFN
        names = self.row.up
        for name in (*names, self.row.down):
            _put(self, name, None)
        if isinstance(new, Bias):  # which is added as it is
            for name in self.row.result_norms[1:]:
                _put(self, name, None)
        elif self.row.result_norms and not hasattr(self, self.row.result_norms[1]):
            _put(self, self.row.result_norms[1], Norm(self.hidden_size, self.eps, self.row))
        if new is not None:
            self.FFN = new
            return
        for name in names:
            _put(self, name, nn.Linear(self.hidden_size, neurons * (2 // len(names)), bias=self.ffn_bias))
        _put(self, self.row.down, nn.Linear(neurons, self.hidden_size, bias=self.ffn_bias))

    def products(self) -> Optional[tuple[nn.Linear, nn.Linear]]:
        return None

    def linear_parts(self) -> tuple[list[nn.Linear], list[nn.Linear]]:
        of_attention = [_take(self, name) for name in (*self.row.projections, self.row.attention_out)]
        of_neurons = [] if hasattr(self, "FFN") else [_take(self, name) for name in (*self.row.up, self.row.down)]
        return of_attention, of_neurons

    def attention_output(self) -> nn.Linear:
        return _take(self, self.row.attention_out)

    def attention_norm(self) -> Any:
        return getattr(self, self.row.attention_norm, None)

    def values(self, x: Tensor, mask_bias: Optional[Tensor]) -> Tensor:
        batch, length, _ = x.shape
        norm = self.attention_norm()
        if norm is not None:
            x = norm(x)
        wide = torch.cat([_take(self, name)(x) for name in self.row.projections], -1)
        heads = wide.view(batch, length, -1, self.head_size).transpose(1, 2)
        parts = heads.split([self.num_heads, self.key_heads, self.key_heads], 1)
        query, key = (_take(self, name)(part) for name, part in zip(self.row.head_norms, parts)) \
            if self.row.head_norms else parts[:2]
        query, key = turned(query, self.theta), turned(key, self.theta)
        if self.row.usual_scale is not None:  # else what attention does by itself
            query = query * (self.scale * self.head_size ** 0.5)
        key, value = (part.repeat_interleave(self.num_heads // self.key_heads, 1) for part in (key, parts[2]))
        mixed = attention.attend(query, key, value, self._with_reach(mask_bias, length, query),
                                 self.dropout.p if self.training else 0.0)
        return mixed.transpose(1, 2).reshape(batch, length, -1)

    def _with_reach(self, mask_bias: Optional[Tensor], length: int, like: Tensor) -> Optional[Tensor]:
        if self.window is None and not self.is_causal:
            return mask_bias
        place = torch.arange(length, device=like.device)
        ahead = place[None, :] - place[:, None]
        unseen = ahead.new_zeros(length, length, dtype=torch.bool) if self.window is None else ahead.abs() > self.window
        if self.is_causal:
            unseen = unseen | (ahead > 0)
        seen = torch.zeros(length, length, device=like.device, dtype=like.dtype).masked_fill(unseen, -1e4)
        return seen if mask_bias is None else mask_bias + seen

    def _normed(self, which: int, result: Tensor) -> Tensor:
        """What a part gives, as it is added."""
        norm = getattr(self, self.row.result_norms[which], None) if self.row.result_norms else None
        return result if norm is None else norm(result)

    def after_attention(self, x: Tensor, mixed: Tensor) -> Tensor:
        return x + self.dropout(self._normed(0, mixed))

    def finish(self, a: Tensor, f: Tensor) -> Tensor:
        return a + self.dropout(self._normed(1, f))

    def fed(self, a: Tensor) -> Tensor:
        return _take(self, self.row.ffn_norm)(a)

    def feed(self, a: Tensor, rows: Optional[Tensor] = None) -> Tensor:
        u = self.fed(a)
        if hasattr(self, "FFN"):
            f = self.FFN(u)
        else:
            gate, up = torch.cat([_take(self, name)(u) for name in self.row.up], -1).chunk(2, -1)
            f = _take(self, self.row.down)(self.activation(gate) * up)
        return f + self.words(rows) if hasattr(self, "words") else f


class RotaryEmbeddings(Embeddings):
    """Only word embeddings, in ModernBERT with a norm."""

    def __init__(self, config: FamilyConfig) -> None:
        nn.Module.__init__(self)
        self.word_embeddings = nn.Embedding(config.get("vocab_size"), config.get("hidden_size"))
        if config.family == "modernbert":
            self.LayerNorm = Norm(config.get("hidden_size"), config.eps, ROWS[config.family])
        # Rounded, as the models' own code rounds it.
        self.factor = float(torch.tensor(config.get("hidden_size") ** 0.5)) if config.family == "gemma3_text" else 1.0
        self.dropout = nn.Dropout(config.dropout)
        self.first_rows(config)

    def forward(self, ids: Tensor, types: Optional[Tensor] = None) -> Tensor:
        x = self.word_embeddings(ids) * self.factor
        return self.dropout(self.LayerNorm(x) if hasattr(self, "LayerNorm") else x)


class RotaryBase(Base):
    def __init__(self, config: FamilyConfig) -> None:
        nn.Module.__init__(self)
        self.embeddings = RotaryEmbeddings(config)
        self.stack = nn.ModuleList(RotaryLayer(config, i) for i in range(config.num_layers))
        self.LayerNorm = Norm(config.get("hidden_size"), config.eps, ROWS[config.family])

    @property
    def layers(self) -> nn.ModuleList:
        return self.stack


# Below the encoder: names here, and names in files.
_NAMES = {"modernbert": {"embeddings.word_embeddings.": "embeddings.tok_embeddings.", "embeddings.LayerNorm.": "embeddings.norm.",
                         "LayerNorm.": "final_norm.", "stack.": "layers."},
          **dict.fromkeys(("qwen3", "gemma3_text"),
                          {"embeddings.word_embeddings.": "embed_tokens.", "LayerNorm.": "norm.", "stack.": "layers."})}


def _renamed(name: str, starts: dict[str, str]) -> str:
    for old, new in starts.items():
        if name.startswith(old):
            return new + name[len(old):]
    return name


def name_in_file(family: str, name: str) -> str:
    return _renamed(name, _NAMES.get(family, {}))


def name_in_module(family: str, name: str) -> str:
    """The module's name of a tensor without the family's prefix. Raises ValueError for tensors of heads, which these lack."""
    if family in ROWS and name.startswith(("head.", "decoder.", "classifier.", "lm_head.", "score.")):
        raise ValueError(f"{name}: of {family} the encoder alone is supported, without a head")
    return _renamed(name, {new: old for old, new in _NAMES.get(family, {}).items()})
