"""The pre-norm RoBERTa encoder of the paper, with the parameters named as in its authors' checkpoints."""

import dataclasses

import torch
from torch import nn
from torch.nn import functional as F

from . import rivals
from .layer import LookupFFN


@dataclasses.dataclass
class EncoderConfig:
    """The keys of a model's config.json."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    attention_head_size: int
    intermediate_size: int = 0
    max_position_embeddings: int = 512
    type_vocab_size: int = 1
    pad_token_id: int = 1
    layer_norm_eps: float = 1e-5
    num_classes: int = 0
    projection_type: str = "bh4"
    block_size: int = 64
    ffn_num_table: int = 0
    ffn_table_size: int = 0
    decay_coeff: float = 0.7
    activation: str = "gelu"
    num_probes: int = 1
    ffn_kinds: list = None  # of each layer: "lookup", "vanilla", "none" or of rivals.py; None: all lookup

    def __post_init__(self):
        if self.ffn_kinds is None:
            self.ffn_kinds = ["lookup"] * self.num_hidden_layers
        if len(self.ffn_kinds) != self.num_hidden_layers:
            raise ValueError(f"{len(self.ffn_kinds)} ffn_kinds for {self.num_hidden_layers} layers")

    @classmethod
    def from_dict(cls, values):
        known = {field.name for field in dataclasses.fields(cls)}
        return cls(**{key: value for key, value in values.items() if key in known})

    def to_dict(self):
        return dataclasses.asdict(self)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        inner = config.num_attention_heads * config.attention_head_size
        self.num_heads = config.num_attention_heads
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.query = nn.Linear(config.hidden_size, inner)
        self.key = nn.Linear(config.hidden_size, inner)
        self.value = nn.Linear(config.hidden_size, inner)
        self.dense = nn.Linear(inner, config.hidden_size)

    def forward(self, x, mask_bias):
        batch, length, _ = x.shape
        u = self.LayerNorm(x)

        def heads(linear):
            return linear(u).view(batch, length, self.num_heads, -1).transpose(1, 2)

        query, key, value = heads(self.query), heads(self.key), heads(self.value)
        scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
        if mask_bias is not None:
            scores = scores + mask_bias
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, length, -1)
        return self.dense(mixed)


class NoFFN(nn.Module):
    """A block without a feed-forward layer."""

    def forward(self, x):
        return torch.zeros_like(x)


def vanilla_ffn(config):
    return nn.Sequential(
        nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps),
        nn.Linear(config.hidden_size, config.intermediate_size),
        nn.GELU(),
        nn.Linear(config.intermediate_size, config.hidden_size),
    )


def make_ffn(kind, config):
    if kind == "lookup":
        return LookupFFN.from_config(config.to_dict())
    if kind == "vanilla":
        return vanilla_ffn(config)
    if kind == "none":
        return NoFFN()
    return rivals.make(kind, config)


class Block(nn.Module):
    def __init__(self, config, kind):
        super().__init__()
        self.attention = Attention(config)
        self.FFN = make_ffn(kind, config)

    def forward(self, x, mask_bias):
        x = x + self.attention(x, mask_bias)
        return x + self.FFN(x)


class Embeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.first_position = config.pad_token_id + 1
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings + 2, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, ids):
        positions = torch.arange(ids.shape[1], device=ids.device) + self.first_position
        x = self.word_embeddings(ids) + self.position_embeddings(positions) + self.token_type_embeddings.weight[0]
        return self.LayerNorm(x)


class Layers(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layer = nn.ModuleList(Block(config, kind) for kind in config.ffn_kinds)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, x, mask_bias):
        for block in self.layer:
            x = block(x, mask_bias)
        return self.LayerNorm(x)


class MaskedLMHead(nn.Module):
    """Its decoder is tied to the word embeddings."""

    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.layer_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden, embeddings):
        return F.linear(self.layer_norm(F.gelu(self.dense(hidden))), embeddings, self.bias)


class Classifier(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.out_proj = nn.Linear(config.hidden_size, config.num_classes)

    def forward(self, hidden):
        return self.out_proj(torch.tanh(self.dense(hidden[:, 0])))


class Encoder(nn.Module):
    """Embeddings, blocks and heads. Sequences of one batch may be padded with pad_token_id."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.encoder = Layers(config)
        self.lm_head = MaskedLMHead(config)
        self.classifier = Classifier(config) if config.num_classes else None
        for module in self.modules():
            if isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)
            elif isinstance(module, nn.Linear) and not hasattr(module, "keeps_initial_values"):
                # As RoBERTa's 0.02 at its width of 768: narrow encoders learn next to nothing from 0.02.
                nn.init.normal_(module.weight, std=0.55 * module.in_features**-0.5)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def forward(self, ids):
        """-> hidden states [batch, length, hidden_size]."""
        padding = ids == self.config.pad_token_id
        mask_bias = None
        if padding.any():
            mask_bias = (padding.to(self.lm_head.bias.dtype) * -1000.0)[:, None, None, :]
        return self.encoder(self.embeddings(ids), mask_bias)

    def logits(self, hidden):
        return self.lm_head(hidden, self.embeddings.word_embeddings.weight)

    def masked_lm_loss(self, ids, labels):
        """The mean cross-entropy at the positions whose label is not -100."""
        wanted = labels != -100
        loss = F.cross_entropy(self.logits(self(ids)[wanted]), labels[wanted])
        if self.training:
            for block in self.encoder.layer:
                loss = loss + getattr(block.FFN, "auxiliary_loss", 0.0)
        return loss

    def ffn_flop_per_token(self):
        """The paper's count, of all layers together."""
        total = 0
        for block, kind in zip(self.encoder.layer, self.config.ffn_kinds):
            if kind == "vanilla":
                total += 4 * self.config.hidden_size * self.config.intermediate_size
            elif kind != "none":
                total += block.FFN.flop_per_token()
        return total


def replace_ffns(encoder, kind="lookup", layers=None, **changes):
    """Swaps the FFNs of an encoder (all, or those of the layers named) for new ones, in place.

    `changes` are config keys, such as ffn_num_table=32 and ffn_table_size=256.
    """
    config = dataclasses.replace(encoder.config, **changes)
    config.ffn_kinds = list(encoder.config.ffn_kinds)
    reference = encoder.lm_head.bias
    for i in range(config.num_hidden_layers) if layers is None else layers:
        config.ffn_kinds[i] = kind
        encoder.encoder.layer[i].FFN = make_ffn(kind, config).to(reference.device, reference.dtype)
    encoder.config = config
    return encoder
