"""From a trained encoder with ordinary FFNs to one with LookupFFNs: fit each new FFN to what the old one does, then go on
training the whole."""

from __future__ import annotations

import copy
from typing import Any, Iterable, Optional

import torch

from .data import MaskedBatches
from .encoder import Encoder
from .swap import replace_ffns
from .optimiser import make_optimizer, set_rate
from .progress import Progress


def fit_ffns(teacher: Encoder, batches: MaskedBatches, steps: int, *, learning_rate: float = 3e-3,
             layers: Optional[Iterable[int]] = None, **changes: Any) -> tuple[Encoder, list[float]]:
    """A copy of the teacher whose FFNs are replaced and fitted to the old ones' inputs and outputs.

    `changes` are config keys, such as ffn_num_table=32 and ffn_table_size=256. Nothing else of the copy is trained.
    Returns the copy and each layer's last error: mean square of the difference over that of the old output.
    """
    layers = list(range(teacher.config.num_hidden_layers)) if layers is None else list(layers)
    student = replace_ffns(copy.deepcopy(teacher), layers=layers, **changes)
    old = [teacher.encoder.layer[i].FFN for i in layers]
    new = [student.encoder.layer[i].FFN for i in layers]
    optimizers = [make_optimizer(ffn) for ffn in new]
    seen = {}
    hooks = [ffn.register_forward_hook(lambda _, inputs, output, ffn=ffn: seen.__setitem__(ffn, (inputs[0], output)))
             for ffn in old]
    device = teacher.device
    progress = Progress(0, steps)
    errors = []
    try:
        for step in range(steps):
            with torch.no_grad():
                teacher(batches.get(step)[0].to(device))
            errors = []
            for before, after, optimizer in zip(old, new, optimizers):
                x, y = seen[before]
                error = (after(x) - y).pow(2).mean() / y.pow(2).mean()
                set_rate(optimizer, learning_rate * (1 - step / steps))
                optimizer.zero_grad(set_to_none=True)
                error.backward()
                optimizer.step()
                errors.append(float(error))
            progress.show(step + 1, "errors " + " ".join(f"{error:.3f}" for error in errors))
    finally:
        for hook in hooks:
            hook.remove()
    return student, errors


def train_on(model: Encoder, batches: MaskedBatches, steps: int, *, learning_rate: float = 3e-4,
             first_batch: int = 0) -> Encoder:
    """Trains the whole model on masked language modelling, with a linear decay."""
    device = model.device
    optimizer = make_optimizer(model)
    progress = Progress(0, steps)
    model.train()
    for step in range(steps):
        set_rate(optimizer, learning_rate * (1 - step / steps))
        ids, labels = batches.get(first_batch + step)
        loss = model.masked_lm_loss(ids.to(device), labels.to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        progress.show(step + 1, f"log perplexity {float(loss):.3f}")
    return model
