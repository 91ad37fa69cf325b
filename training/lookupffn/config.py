# SPDX-License-Identifier: Apache-2.0
"""The keys of a model's config.json, checked: misspelt keys are reported, not dropped."""

from __future__ import annotations

import dataclasses
import difflib
import json
import warnings
from pathlib import Path
from typing import Any, Optional, Union

# Keys that may be a list with an entry for every layer.
PER_LAYER = ("projection_type", "block_size", "ffn_num_table", "ffn_table_size", "activation", "ffn_activation",
             "ffn_linear", "ffn_words", "intermediate_size", "hidden_dim", "num_attention_heads", "n_heads")
# Of these a layer that has no value has not the part,
_FLAGS = ("ffn_linear", "ffn_words")
# and of these 0 is a number as others are.
_COUNTS = ("intermediate_size", "hidden_dim", "num_attention_heads", "n_heads")

# Keys of other programs' files that say nothing of what is computed here, or what the tensors say themselves.
_FOREIGN = {
    "_name_or_path", "architectures", "attn_implementation", "bos_token_id", "chunk_size_feed_forward",
    "classifier_dropout", "dtype", "eos_token_id", "gradient_checkpointing", "hidden_act", "id2label",
    "initializer_range", "is_decoder", "label2id", "layer_norm", "model_type", "name", "num_labels", "output_attentions",
    "output_hidden_states", "output_size", "position_embedding_type", "problem_type", "torch_dtype",
    "transformers_version", "use_cache", "name_or_path", "sep_token_id", "cls_token_id", "unk_token_id", "mask_token_id",
    "torchscript", "pruned_heads", "finetuning_task", "tokenizer_class", "seed",
}


def is_count(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def check_keys(values: dict[str, Any], known: set[str], refuse: bool) -> None:
    """Raises ValueError for unknown keys, or warns about them in other programs' files.

    A key close to a known one is taken for a misspelling and always refused.
    """
    for key in sorted(set(values) - known - _FOREIGN):
        close = difflib.get_close_matches(key, known - set(values), 1, 0.8)
        hint = f'; did you mean "{close[0]}"?' if close else ""
        if refuse or close:
            raise ValueError(f'config: there is no key "{key}"{hint}')
        warnings.warn(f'config: the key "{key}" is not known and says nothing here', stacklevel=3)


# What one may say of new FFNs; `activation` stands for ffn_activation, which models of the families have beside their own.
LOOKUP_KEYS = ("projection_type", "block_size", "ffn_num_table", "ffn_table_size", "decay_coeff", "num_probes")
# What LookupFFN takes where a config does not say; the library wants it said.
LOOKUP_DEFAULTS = {"projection_type": "bh4", "block_size": 64}
FFN_KEYS = (*LOOKUP_KEYS, "ffn_activation", "ffn_linear")
WORD_KEYS = ("ffn_words", "ffn_word_rows")


def check_changes(changes: dict[str, Any], *more: str) -> None:
    """Raises ValueError for unknown keys of new FFNs, which no other program writes."""
    known = [*FFN_KEYS, "activation", *more]
    for key in changes:
        if key not in known:
            close = difflib.get_close_matches(key, known, 1, 0.8)
            hint = f'did you mean "{close[0]}"?' if close else f"expected some of {', '.join(known)}"
            raise ValueError(f'FFNs have no key "{key}"; {hint}')


def read_config(path: Union[str, Path]) -> dict[str, Any]:
    """Reads a config.json. Raises ValueError with the file's name if it holds something else."""
    try:
        values = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: no JSON: {error}") from error
    if not isinstance(values, dict):
        raise ValueError(f"{path}: expected an object with the keys of a config")
    return values


def of_layer(values: dict[str, Any], layer: int, num_layers: int) -> dict[str, Any]:
    """The config of one layer: lists with an entry per layer give that layer's."""
    chosen = dict(values)
    for key in PER_LAYER:
        if isinstance(values.get(key), (list, tuple)):
            if len(values[key]) != num_layers:
                raise ValueError(f"config: {key} has {len(values[key])} entries for {num_layers} layers")
            chosen[key] = values[key][layer]
    return chosen


def with_changes(values: dict[str, Any], layers: list[int], changes: dict[str, Any], num_layers: int) -> dict[str, Any]:
    """`values` with other values at some layers; a key becomes a list if the layers then differ.

    A change may itself be a list with an entry for each of `layers`.
    """
    changed = dict(values)
    for key, new in changes.items():
        if key not in PER_LAYER:
            if sorted(layers) != list(range(num_layers)) and values.get(key) != new:
                raise ValueError(f"{key} applies to all layers; it cannot be changed for only some of them")
            changed[key] = new
            continue
        old = values.get(key)
        each = list(old) if isinstance(old, (list, tuple)) else [old] * num_layers
        if isinstance(new, (list, tuple)) and len(new) != len(layers):
            raise ValueError(f"{key} has {len(new)} entries for {len(layers)} layers")
        for place, layer in enumerate(layers):
            each[layer] = new[place] if isinstance(new, (list, tuple)) else new
        # Layers that never had a value have other FFNs; what stands there says nothing.
        some = False if key in _FLAGS else next((value for value in each if value), None)
        each = [value if value or value == 0 and key in _COUNTS else some for value in each]
        one = all(value == each[0] for value in each) and not (key in _COUNTS and each[0] == 0)  # 0 is for lists alone
        changed[key] = each[0] if one else each
    return changed


@dataclasses.dataclass
class EncoderConfig:
    """The config of the paper's pre-norm encoder."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: Union[int, list]
    attention_head_size: int
    intermediate_size: Union[int, list] = 0
    max_position_embeddings: int = 512
    type_vocab_size: int = 1
    pad_token_id: int = 1
    layer_norm_eps: float = 1e-5
    num_classes: int = 0
    projection_type: Union[str, list] = "bh4"
    block_size: Union[int, list] = 64
    ffn_num_table: Union[int, list] = 0
    ffn_table_size: Union[int, list] = 0
    decay_coeff: float = 0.7
    activation: Union[str, list] = "gelu"
    num_probes: int = 1
    ffn_kinds: Optional[list] = None  # of each layer: "lookup", "vanilla", "none" or of rivals.py; None: all lookup
    hidden_dropout_prob: float = 0.0
    attention_probs_dropout_prob: float = 0.0
    tie_word_embeddings: bool = True
    masked_lm_head: bool = True  # false: hidden states and class scores only
    ffn_words: Union[bool, list] = False
    ffn_word_rows: Optional[int] = None  # None: each word has a row of its own

    def __post_init__(self) -> None:
        for key in ("vocab_size", "hidden_size", "num_hidden_layers", "attention_head_size", "max_position_embeddings"):
            value = getattr(self, key)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"config: {key} is {value!r}, expected a number from 1")
        if self.ffn_kinds is None:
            self.ffn_kinds = ["lookup"] * self.num_hidden_layers
        if len(self.ffn_kinds) != self.num_hidden_layers:
            raise ValueError(f"{len(self.ffn_kinds)} ffn_kinds for {self.num_hidden_layers} layers")
        least = int(not isinstance(self.num_attention_heads, list))
        for layer, kind in enumerate(self.ffn_kinds):
            values = self.of_layer(layer)
            if not is_count(values["num_attention_heads"], least):
                raise ValueError(f"config: num_attention_heads is {values['num_attention_heads']}, expected a number from "
                                 f"{least}")
            if not isinstance(values["ffn_words"], bool):
                raise ValueError(f"config: ffn_words is {values['ffn_words']}, expected true or false")
            if kind == "vanilla" and not is_count(values["intermediate_size"], 1):
                raise ValueError(f"config: intermediate_size is {values['intermediate_size']} for layer {layer}, whose FFN "
                                 "is vanilla")
        if self.ffn_word_rows is not None and not is_count(self.ffn_word_rows, 1):
            raise ValueError(f"config: ffn_word_rows is {self.ffn_word_rows}, expected a number from 1")

    @property
    def word_rows(self) -> int:
        """The number of rows by word in each layer that has some."""
        return self.vocab_size if self.ffn_word_rows is None else self.ffn_word_rows

    @classmethod
    def from_dict(cls, values: dict[str, Any], refuse_unknown: bool = True) -> EncoderConfig:
        known = {field.name for field in dataclasses.fields(cls)}
        check_keys(values, known, refuse_unknown)
        missing = [field.name for field in dataclasses.fields(cls)
                   if field.default is dataclasses.MISSING and field.name not in values]
        if missing:
            raise ValueError(f"config: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
        return cls(**{key: value for key, value in values.items() if key in known})

    def to_dict(self) -> dict[str, Any]:
        """Omits the keys of parts that this model lacks."""
        absent = {"ffn_words": False, "ffn_word_rows": None}
        return {key: value for key, value in dataclasses.asdict(self).items()
                if key not in absent or value != absent[key]}

    def of_layer(self, layer: int) -> dict[str, Any]:
        return of_layer(dataclasses.asdict(self), layer, self.num_hidden_layers)
