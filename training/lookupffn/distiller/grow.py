"""A student that begins where an earlier one ended, perhaps with more tables."""

from __future__ import annotations

import torch
from torch import nn

from ..layer import LookupFFN
from .subject import Subject


@torch.no_grad()
def take_over(student: Subject, earlier: Subject) -> None:
    """All weights outside the FFNs that learn."""
    own = dict(student.model.named_parameters())
    for name, value in earlier.model.named_parameters():
        if ".FFN." in name:
            continue
        if name not in own or own[name].shape != value.shape:
            raise ValueError(f"{earlier.folder} is no student of this teacher: {name} does not fit")
        own[name].copy_(value)


@torch.no_grad()
def take_over_ffn(ffn: nn.Module, earlier: nn.Module, layer: int) -> None:
    """The earlier tables with their hashes; further tables keep their hashes and begin with rows of zeros."""
    same = ("hidden_size", "output_size", "table_size", "projection_type", "activation", "num_probes")
    fits = isinstance(ffn, LookupFFN) and isinstance(earlier, LookupFFN) and ffn.num_tables >= earlier.num_tables \
        and all(getattr(ffn, name) == getattr(earlier, name) for name in same)
    if not fits or ffn.projection_type != "dense" and ffn.num_tables != earlier.num_tables:
        raise ValueError(f"layer {layer}: the earlier student's FFN does not fit into this one's; more tables behind a "
                         "dense hash would")
    ffn.tables.zero_()
    ffn.tables[: earlier.num_tables] = earlier.tables
    ffn.bias.copy_(earlier.bias)
    mine, other = ffn.hash.projection, earlier.hash.projection
    if ffn.projection_type == "dense":
        mine.weight[: len(other.weight)] = other.weight
        mine.bias[: len(other.bias)] = other.bias
    else:
        mine.weight.copy_(other.weight)
        mine.bias.copy_(other.bias)
