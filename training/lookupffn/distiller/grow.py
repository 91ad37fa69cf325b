# SPDX-License-Identifier: Apache-2.0
"""A student that continues an earlier one, perhaps with other numbers of tables and with linear maps beside them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..layer import LookupFFN, codes_and_scores
from .subject import Subject


def has_neurons(subject: Subject, layer: int) -> bool:
    return not hasattr(subject.layers[layer], "FFN")


@torch.no_grad()
def take_over(student: Subject, earlier: Subject, fitted: list[int]) -> None:
    """Takes over all weights except those of these layers' FFNs, which are refitted or taken over one by one."""
    apart = tuple(f".layer.{i}.FFN." for i in fitted)
    neurons = {id(p) for i in fitted if has_neurons(earlier, i) for linear in earlier.layers[i].products() or ()
               for p in linear.parameters()}
    own = dict(student.model.named_parameters())
    for name, value in earlier.model.named_parameters():
        if any(part in name for part in apart) or id(value) in neurons:
            continue
        if name not in own or own[name].shape != value.shape:
            raise ValueError(f"{earlier.folder} is not a student of this teacher: {name} does not fit")
        own[name].copy_(value)
    rows = dict(student.model.named_buffers())
    for name, value in earlier.model.named_buffers():
        if name.endswith("word_rows") and name in rows:
            rows[name].copy_(value)


@torch.no_grad()
def fit_linear(linear: nn.Linear, x: Tensor, y: Tensor) -> None:
    """The least squares of y by x, a little towards 0."""
    inputs = torch.cat([x, torch.ones_like(x[:, :1])], 1).double()
    square = inputs.t() @ inputs
    square.diagonal().add_(1e-6 * square.diagonal().mean())
    solved = torch.linalg.solve(square, inputs.t() @ y.double())
    linear.weight.copy_(solved[:-1].t())
    linear.bias.copy_(solved[-1])


def _of_one_table(ffn: LookupFFN, codes: Tensor, scores: Tensor, table: int) -> Tensor:
    """The output of one table for each token."""
    return (ffn.tables[table][codes[:, table]] * scores[:, table].unsqueeze(-1)).sum(1)


def _beyond_linear(ffn: LookupFFN, x: Tensor, codes: Tensor, scores: Tensor) -> Tensor:
    """For each table: how much of its output no linear map of the input can give."""
    basis = torch.linalg.qr(torch.cat([x, torch.ones_like(x[:, :1])], 1)).Q
    adds = (_of_one_table(ffn, codes, scores, table) for table in range(ffn.num_tables))
    return torch.stack([added.square().sum() - (basis.t() @ added).square().sum() for added in adds])


@torch.no_grad()
def take_over_ffn(ffn: nn.Module, earlier: nn.Module, layer: int, x: Tensor) -> None:
    """Takes over the earlier tables with their hashes; additional tables keep their hashes and start with rows of zeros.

    If there is room for fewer, it drops the tables that a linear map reproduces best, on the inputs x, and starts the map so.
    """
    same = ("hidden_size", "output_size", "table_size", "projection_type", "activation", "num_probes")
    fits = isinstance(ffn, LookupFFN) and isinstance(earlier, LookupFFN) \
        and all(getattr(ffn, name) == getattr(earlier, name) for name in same)
    fewer = fits and ffn.num_tables < earlier.num_tables
    if not fits or ffn.projection_type != "dense" and ffn.num_tables != earlier.num_tables or \
            (fewer or earlier.linear is not None) and ffn.linear is None:
        raise ValueError(f"layer {layer}: the earlier student's FFN does not fit into this one's; more tables behind a "
                         "dense hash would, or fewer with --linear")
    if ffn.linear is not None:
        ffn.linear.weight.zero_()
        ffn.linear.bias.zero_()
    kept = torch.arange(earlier.num_tables)
    if fewer:
        x = x.to(earlier.tables.device)  # which may be another than the student's
        codes, scores = codes_and_scores(earlier.hash_values(x), earlier.num_probes, earlier.activation)
        order = _beyond_linear(earlier, x, codes, scores).argsort(descending=True)
        kept = order[: ffn.num_tables].sort().values
        gone = sum(_of_one_table(earlier, codes, scores, int(table)) for table in order[ffn.num_tables:])
        fit_linear(ffn.linear, x, gone)
    if ffn.linear is not None and earlier.linear is not None:
        ffn.linear.weight += earlier.linear.weight.to(ffn.linear.weight.device)
        ffn.linear.bias += earlier.linear.bias.to(ffn.linear.bias.device)
    ffn.tables.zero_()
    ffn.tables[: len(kept)] = earlier.tables[kept]
    ffn.bias.copy_(earlier.bias)
    mine, other = ffn.hash.projection, earlier.hash.projection
    if ffn.projection_type == "dense":
        bits = (kept.cpu()[:, None] * ffn.code_bits + torch.arange(ffn.code_bits)).flatten()
        mine.weight[: len(bits)] = other.weight[bits]
        mine.bias[: len(bits)] = other.bias[bits]
    else:
        mine.weight.copy_(other.weight)
        mine.bias.copy_(other.bias)
