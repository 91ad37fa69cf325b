# SPDX-License-Identifier: Apache-2.0
"""The layer in PyTorch and through the library: golden cases, random shapes, threads, misuse."""

import ctypes
import json
import sys
from pathlib import Path

import pytest
import torch

from lookupffn import LookupFFN, abi, native, safetensors
from lookupffn.layer import codes_and_scores

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

GOLDEN = archive.unpacked("golden/data.tar")
CASES = sorted(path.name.split(".")[0] for path in GOLDEN.glob("*.io.safetensors"))

torch.manual_seed(0)


def difference(a, b):
    """The largest, over the root mean square of what is not zero: rows that no token used have no gradient."""
    b = b.double()
    scale = b[b != 0].pow(2).mean().sqrt() if b.any() else 1.0
    return float((a.double() - b).abs().max() / scale)


def runs_natively(layer, x):
    return native.can_run([x, *layer.parameters()], layer.num_probes)


def golden_layer(case, dtype):
    io, _ = safetensors.load(GOLDEN / f"{case}.io.safetensors")
    weights, metadata = safetensors.load(GOLDEN / f"{case}.model.safetensors")
    layer = LookupFFN.from_config(json.loads(metadata["config"])).to(dtype)
    layer.load_state_dict({name: torch.tensor(value).to(dtype) for name, value in weights.items()})
    return layer, {name: torch.tensor(value) for name, value in io.items()}


def test_there_are_golden_cases():
    assert len(CASES) >= 10


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("path", ["plain64", "plain32", "default"])
def test_golden(case, path):
    dtype = torch.float64 if path == "plain64" else torch.float32
    layer, io = golden_layer(case, dtype)
    x = io["x"].to(dtype).requires_grad_()
    z = layer.hash_values(x)
    assert difference(z, io["z"]) < 1e-4
    codes, scores = codes_and_scores(z, layer.num_probes, layer.activation)
    assert torch.equal(codes, io["codes"].long())
    assert difference(scores, io["scores"]) < 1e-4
    assert runs_natively(layer, x) == (dtype == torch.float32 and layer.num_probes == 1)
    y = layer(x) if path == "default" else layer.plain_forward(x)
    assert difference(y, io["y"]) < 2e-5
    if "grad_y" not in io:
        return
    y.backward(io["grad_y"].to(dtype))
    assert difference(x.grad, io["grad.x"]) < 1e-4
    for name, parameter in layer.named_parameters():
        if name == "tables" and "grad.tables" not in io:  # left out of the largest cases
            continue
        assert difference(parameter.grad, io["grad." + name]) < 1e-4, name


@pytest.mark.parametrize("projection", ["dense", "bh3"])
@pytest.mark.parametrize("activation", ["gelu", "sigmoid"])
@pytest.mark.parametrize("probes", [1, 3, 8])
def test_gradcheck(projection, activation, probes):
    layer = LookupFFN(6, 3, 8, output_size=5, projection_type=projection, block_size=4, activation=activation,
                      num_probes=probes).double()
    parameters = dict(layer.named_parameters())
    x = torch.randn(4, 6, dtype=torch.double, requires_grad=True)

    def run(x, *values):
        return torch.nn.utils.stateless.functional_call(layer, dict(zip(parameters, values)), (x,))

    assert torch.autograd.gradcheck(run, (x, *parameters.values()), eps=1e-7, atol=1e-5)


SHAPES = [
    # hidden, tables, rows, output, projection, block, activation, layer norm, tokens
    (5, 3, 4, 7, "bh2", 2, "gelu", True, 9),
    (8, 1, 2, 1, "bh1", 1, "sigmoid", True, 1),
    (16, 9, 8, 64, "bh9", 16, "gelu", False, 50),
    (33, 40, 16, 80, "bh4", 8, "gelu", True, 97),
    (64, 3, 1024, 48, "bh4", 64, "gelu", True, 200),
    (100, 12, 32, 130, "dense", 64, "sigmoid", True, 61),
    (1, 2, 4, 3, "bh4", 1, "gelu", False, 3),
    (48, 2, 65536, 16, "dense", 64, "gelu", True, 30),
    (32, 20, 16, 32, "bh4", 16, "gelu", True, 2100),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_native_agrees_with_double(shape):
    hidden, tables, rows, output, projection, block, activation, norm, tokens = shape
    layer = LookupFFN(hidden, tables, rows, output_size=output, projection_type=projection, block_size=block,
                      activation=activation, layer_norm=norm)
    torch.nn.init.normal_(layer.hash.projection.bias, std=0.1)
    reference = LookupFFN.from_config(layer.config(), use_native=False).double()
    reference.load_state_dict(layer.state_dict())
    x = torch.randn(tokens, hidden)
    # Close to zero a hash value's sign, and with it the row, may depend on the rounding.
    x = x[reference.hash_values(x.double()).abs().flatten(1).amin(1) > 1e-5].clone().requires_grad_()
    assert len(x) > 0.5 * tokens
    precise_x = x.detach().double().requires_grad_()
    grad = torch.randn(len(x), output)
    y, precise_y = layer(x), reference(precise_x)
    assert difference(y, precise_y) < 2e-5
    y.backward(grad)
    precise_y.backward(grad.double())
    assert difference(x.grad, precise_x.grad) < 1e-4
    for (name, ours), theirs in zip(layer.named_parameters(), reference.parameters()):
        assert difference(ours.grad, theirs.grad) < 1e-4, name


@pytest.mark.parametrize("activation", ["gelu", "sigmoid"])
@pytest.mark.parametrize("tables, rows, norm", [(10, 8, True), (5, 16, False), (3, 2, True)])
def test_products_learn_as_rows_do(tables, rows, norm, activation):
    """To bfloat16's eight bits."""
    torch.manual_seed(4)
    layer = LookupFFN(24, tables, rows, output_size=20, projection_type="dense", activation=activation, layer_norm=norm)
    x, wanted = torch.randn(6, 7, 24, requires_grad=True), torch.randn(6, 7, 20)

    def learn():
        layer.zero_grad()
        x.grad = None
        y = layer(x)
        y.backward(wanted)
        return [y.detach(), x.grad, *(parameter.grad.clone() for parameter in layer.parameters())]

    rowwise = learn()
    layer.use_products = True
    found = learn()
    with torch.no_grad():
        assert torch.equal(layer(x), rowwise[0])  # what does not learn is computed as in the library
    assert not torch.equal(found[0], rowwise[0])
    for mine, other in zip(found, rowwise):
        assert (mine - other).norm() <= 0.01 * other.norm()


def test_more_dimensions_and_no_gradient():
    layer = LookupFFN(16, 4, 8, block_size=8)
    x = torch.randn(2, 3, 16)
    with torch.no_grad():
        y = layer(x)
    assert y.shape == (2, 3, 16)
    assert torch.equal(y[1, 2], layer(x[1, 2]).detach())
    assert layer(x[:0]).shape == (0, 3, 16)
    layer(x[:0].requires_grad_()).sum().backward()
    assert all(not parameter.grad.any() for parameter in layer.parameters())


def test_frozen_weights():
    layer = LookupFFN(16, 4, 8, block_size=8)
    layer.tables.requires_grad_(False)
    layer(torch.randn(5, 16)).sum().backward()
    assert layer.tables.grad is None
    assert layer.hash.projection.weight.grad is not None


def test_wrong_shapes_are_refused():
    for arguments in [(16, 4, 12), (16, 4, 1), (16, 4, 1 << 17)]:
        with pytest.raises(ValueError):
            LookupFFN(*arguments)
    for options in [{"block_size": 3}, {"block_size": 32}, {"projection_type": "bh0"}, {"activation": "relu"},
                    {"num_probes": 9}, {"num_probes": 0}]:
        with pytest.raises(ValueError):
            LookupFFN(16, 4, 8, **{"block_size": 8, **options})


@pytest.mark.parametrize("part", ["LayerNorm", "hash", "tables", "bias"])
def test_the_library_runs_float32_only(part):
    layer, x = LookupFFN(16, 4, 8, block_size=8), torch.randn(2, 16)
    assert runs_natively(layer, x)
    narrow = getattr(layer, part)
    if isinstance(narrow, torch.nn.Module):
        narrow.bfloat16()
    else:
        narrow.data = narrow.data.bfloat16()
    assert not runs_natively(layer, x), "its addresses would be read as float32"


def test_the_library_explains_its_refusals():
    layer = LookupFFN(16, 4, 8, block_size=8)
    config = native._config_of(layer.config())
    parts = (layer.LayerNorm.weight, layer.LayerNorm.bias, layer.hash.projection.weight, layer.hash.projection.bias,
             layer.tables, layer.bias)
    weights = native._pointers(abi.TrainWeights, [part.detach() for part in parts])
    x = torch.randn(2, 16)
    y = torch.full((2, 16), 5.0)

    def forward(config=config, weights=weights, x=x.data_ptr(), count=2, threads=1):
        return native.library().lffn_train_forward(config and ctypes.byref(config), weights and ctypes.byref(weights),
                                                   x, count, threads, y.data_ptr(), None)

    def reason():
        return native.library().lffn_last_error().decode()

    assert forward(config=None) == 1 and "config is NULL" in reason()
    assert forward(weights=None) == 1 and "weights is NULL" in reason()
    assert forward(x=None) == 1 and "x is NULL" in reason()
    assert forward(count=-1) == 1 and "n_tokens is -1" in reason()
    assert forward(count=1 << 62) == 1 and "n_tokens" in reason()
    assert forward(threads=-1) == 1 and "num_threads is -1" in reason()
    config.num_probes = 2
    assert forward() == 5 and "num_probes is 2" in reason()
    config.num_probes = 1
    weights.tables = None
    assert forward() == 1 and "weights.tables is NULL" in reason()
    assert (y == 5.0).all()
