# SPDX-License-Identifier: Apache-2.0
"""The pre-norm RoBERTa encoder of the paper, with the parameters named as in its authors' checkpoints."""

from __future__ import annotations

from typing import Any, Iterable, Optional

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from . import attention, rivals
from .config import EncoderConfig, with_changes
from .layer import LookupFFN
from .words import Words, first_rows

IGNORED = -100  # the label of positions that do not count
States = list[tuple[Tensor, Tensor, Tensor]]


class Bias(nn.Module):
    """A vector that does not depend on the input: the remainder of a layer without a product."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, x: Tensor) -> Tensor:
        return self.bias.expand_as(x)


class Attention(nn.Module):
    def __init__(self, config: EncoderConfig, num_heads: int) -> None:
        super().__init__()
        inner = num_heads * config.attention_head_size
        self.num_heads = num_heads
        self.dropout = config.attention_probs_dropout_prob
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        if num_heads == 0:
            self.dense = Bias(config.hidden_size)
            return
        self.query = nn.Linear(config.hidden_size, inner)
        self.key = nn.Linear(config.hidden_size, inner)
        self.value = nn.Linear(config.hidden_size, inner)
        self.dense = nn.Linear(inner, config.hidden_size)

    def forward(self, x: Tensor, mask_bias: Optional[Tensor]) -> Tensor:
        if self.num_heads == 0:
            return self.dense(x)
        batch, length, _ = x.shape
        u = self.LayerNorm(x)

        def heads(linear: nn.Linear) -> Tensor:
            return linear(u).view(batch, length, self.num_heads, -1).transpose(1, 2)

        mixed = attention.attend(heads(self.query), heads(self.key), heads(self.value), mask_bias,
                                 self.dropout if self.training else 0.0)
        return self.dense(mixed.transpose(1, 2).reshape(batch, length, -1))


class NoFFN(nn.Module):
    """A block without a feed-forward layer."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


def vanilla_ffn(config: EncoderConfig, neurons: int) -> nn.Sequential:
    return nn.Sequential(
        nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps),
        nn.Linear(config.hidden_size, neurons),
        nn.GELU(),
        nn.Linear(neurons, config.hidden_size),
    )


def make_ffn(kind: str, config: EncoderConfig, layer: int = 0) -> nn.Module:
    if kind == "lookup":
        return LookupFFN.from_config(config.of_layer(layer))
    if kind == "vanilla":
        return vanilla_ffn(config, config.of_layer(layer)["intermediate_size"])
    if kind == "none":
        return NoFFN()
    return rivals.make(kind, config)


class Block(nn.Module):
    def __init__(self, config: EncoderConfig, layer: int) -> None:
        super().__init__()
        own = config.of_layer(layer)
        self.attention = Attention(config, own["num_attention_heads"])
        self.FFN = make_ffn(config.ffn_kinds[layer], config, layer)
        self.words = Words(config.word_rows, config.hidden_size) if own["ffn_words"] else None
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def attend(self, x: Tensor, mask_bias: Optional[Tensor] = None) -> Tensor:
        return x + self.dropout(self.attention(x, mask_bias))

    def feed(self, a: Tensor, rows: Optional[Tensor] = None) -> Tensor:
        """rows: each token's row, for blocks with rows by word."""
        f = self.FFN(a)
        return f if self.words is None else f + self.words(rows)

    def finish(self, a: Tensor, f: Tensor) -> Tensor:
        return a + self.dropout(f)

    def forward(self, x: Tensor, mask_bias: Optional[Tensor], states: Optional[States] = None,
                rows: Optional[Tensor] = None) -> Tensor:
        a = self.attend(x, mask_bias)
        f = self.feed(a, rows)
        y = self.finish(a, f)
        if states is not None:
            states.append((a, f, y))
        return y


class Embeddings(nn.Module):
    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.first_position = config.pad_token_id + 1
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings + 2, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        if config.ffn_word_rows is not None:
            self.register_buffer("word_rows", first_rows(config.vocab_size, config.word_rows))

    def rows_of(self, ids: Tensor) -> Tensor:
        return self.word_rows[ids].long() if hasattr(self, "word_rows") else ids

    def forward(self, ids: Tensor) -> Tensor:
        positions = torch.arange(ids.shape[1], device=ids.device) + self.first_position
        x = self.word_embeddings(ids) + self.position_embeddings(positions) + self.token_type_embeddings.weight[0]
        return self.dropout(self.LayerNorm(x))


class Layers(nn.Module):
    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.layer = nn.ModuleList(Block(config, i) for i in range(config.num_hidden_layers))
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, x: Tensor, mask_bias: Optional[Tensor], states: Optional[States] = None,
                rows: Optional[Tensor] = None) -> Tensor:
        for block in self.layer:
            x = block(x, mask_bias, states, rows)
        return self.LayerNorm(x)


class MaskedLMHead(nn.Module):
    """Its decoder is tied to the word embeddings, unless the config says otherwise."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.layer_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.decoder = None if config.tie_word_embeddings else nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    def forward(self, hidden: Tensor, embeddings: Tensor) -> Tensor:
        weight = embeddings if self.decoder is None else self.decoder.weight
        return F.linear(self.layer_norm(F.gelu(self.dense(hidden))), weight, self.bias)


class Classifier(nn.Module):
    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.out_proj = nn.Linear(config.hidden_size, config.num_classes)

    def forward(self, hidden: Tensor) -> Tensor:
        return self.out_proj(self.dropout(torch.tanh(self.dense(self.dropout(hidden[:, 0])))))


def padding_bias(kept: Tensor, dtype: torch.dtype) -> Optional[Tensor]:
    """The bias of attention scores for padding; None if the CPU sees that there is none.

    On other devices a look would make the CPU wait for them.
    """
    if kept.device.type == "cpu" and bool(kept.all()):
        return None
    return ((~kept).to(dtype) * -1000.0)[:, None, None, :]


class Encoder(nn.Module):
    """Embeddings, blocks and heads. Sequences of one batch may be padded with pad_token_id."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.encoder = Layers(config)
        self.lm_head = MaskedLMHead(config) if config.masked_lm_head else None
        self.classifier = Classifier(config) if config.num_classes else None
        for module in self.modules():
            if hasattr(module, "keeps_initial_values"):
                continue
            if isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)
            elif isinstance(module, nn.Linear):
                # As RoBERTa's 0.02 at its width of 768: narrow encoders learn next to nothing from 0.02.
                nn.init.normal_(module.weight, std=0.55 * module.in_features**-0.5)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    @property
    def device(self) -> torch.device:
        return self.embeddings.word_embeddings.weight.device

    @property
    def layers(self) -> nn.ModuleList:
        return self.encoder.layer

    def class_logits(self, hidden: Tensor) -> Tensor:
        if self.classifier is None:
            raise ValueError("this model has no classifier")
        return self.classifier(hidden)

    def forward(self, ids: Tensor, labels: Optional[Tensor] = None, states: Optional[States] = None) -> Tensor:
        """-> hidden states [batch, length, hidden_size], or with labels the loss of masked language modelling.

        `states` receives each layer's a (after attention), f (of the FFN) and output.
        Training goes through here, so that wrappers of a module, such as data parallel training, see it.
        """
        if labels is not None:
            return self.masked_lm_loss(ids, labels)
        mask_bias = padding_bias(ids != self.config.pad_token_id, self.embeddings.LayerNorm.weight.dtype)
        return self.encoder(self.embeddings(ids), mask_bias, states, self.embeddings.rows_of(ids))

    def logits(self, hidden: Tensor) -> Tensor:
        if self.lm_head is None:
            raise ValueError("this model has no head for masked language modelling")
        return self.lm_head(hidden, self.embeddings.word_embeddings.weight)

    def masked_lm_loss(self, ids: Tensor, labels: Tensor) -> Tensor:
        """The mean cross-entropy at the positions whose label is not -100; 0 if there are none."""
        hidden = self(ids)
        wanted = labels != IGNORED
        sum_of_losses = F.cross_entropy(self.logits(hidden[wanted]), labels[wanted], reduction="sum")
        loss = sum_of_losses / wanted.sum().clamp(min=1)
        if self.training:
            for block in self.encoder.layer:
                loss = loss + getattr(block.FFN, "auxiliary_loss", 0.0)
        return loss

    def ffn_flop_per_token(self) -> int:
        """The paper's count, of all layers together; a row by word is added once."""
        total = 0
        for block, kind in zip(self.encoder.layer, self.config.ffn_kinds):
            if block.words is not None:
                total += self.config.hidden_size
            if kind == "vanilla":
                total += 4 * self.config.hidden_size * block.FFN[1].out_features
            elif kind != "none":
                total += block.FFN.flop_per_token()
        return total


def replace_paper_ffns(encoder: Encoder, kind: str = "lookup", layers: Optional[Iterable[int]] = None,
                       **changes: Any) -> Encoder:
    """Replaces the FFNs of the paper's encoder (all, or those of the named layers) with new ones, in place.

    `changes` are config keys, such as ffn_num_table=32 and ffn_table_size=256; other layers keep theirs.
    """
    count = encoder.config.num_hidden_layers
    chosen = list(range(count)) if layers is None else [range(count)[i] for i in layers]
    values = with_changes(encoder.config.to_dict(), chosen, changes, count)
    values["ffn_kinds"] = [kind if i in chosen else old for i, old in enumerate(encoder.config.ffn_kinds)]
    config = EncoderConfig.from_dict(values)
    reference = encoder.embeddings.LayerNorm.weight
    new = {i: make_ffn(kind, config, i).to(reference.device, reference.dtype) for i in chosen}  # all or none
    for i, ffn in new.items():
        encoder.encoder.layer[i].FFN = ffn
    encoder.config = config
    return encoder
