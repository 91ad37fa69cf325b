"""Which parameters learn at which rate."""

import torch

from .projections import BlockHadamard

# The factors of a BH projection are small, since the Hadamard transforms between them are not normalised, and multiply
# each other: at the rate of the other weights the hash values soon drown everything.
_BLOCK_HADAMARD_SCALE = 0.1


def parameter_groups(model, weight_decay=0.0):
    """Groups for an optimiser, each with a `scale` to multiply its rate with; vectors do not decay."""
    careful = {id(module.weight) for module in model.modules() if isinstance(module, BlockHadamard)}
    groups = {}
    for parameter in model.parameters():
        if parameter.requires_grad:
            key = (_BLOCK_HADAMARD_SCALE if id(parameter) in careful else 1.0,
                   weight_decay if parameter.dim() > 1 else 0.0)
            groups.setdefault(key, []).append(parameter)
    return [{"params": parameters, "scale": scale, "weight_decay": decay}
            for (scale, decay), parameters in sorted(groups.items())]


def set_rate(optimizer, rate):
    for group in optimizer.param_groups:
        group["lr"] = rate * group["scale"]


def make_optimizer(model, weight_decay=0.0):
    """Adam, with the decay apart from the gradient. The rate is to be set before each step."""
    return torch.optim.AdamW(parameter_groups(model, weight_decay), lr=0.0, betas=(0.9, 0.98), eps=1e-6)
