# SPDX-License-Identifier: Apache-2.0
"""Each rival against its own definition, token by token, and the structured matrices against dense ones."""

import math

import pytest
import torch
from torch.nn import functional as F

from lookupffn import Encoder, EncoderConfig, LookupFFN, hadamard, rivals, structured
from lookupffn.hadamard import hadamard_matrix, hadamard_transform

torch.manual_seed(0)
X = torch.randn(3, 5, 16, dtype=torch.double)


def test_switch():
    layer = rivals.SwitchFFN(16, 8, num_experts=3, balance=0.5).double()
    y = layer(X)
    loads, probabilities = torch.zeros(3).double(), torch.zeros(3).double()
    for token, expected in zip(X.view(-1, 16), y.view(-1, 16)):
        u = layer.LayerNorm(token)
        p = layer.router(u).softmax(-1)
        best = int(p.argmax())
        assert torch.allclose(layer.experts[best](u) * p[best], expected)
        loads[best] += 1 / 15
        probabilities += p / 15
    assert torch.allclose(layer.auxiliary_loss, 0.5 * 3 * (loads * probabilities).sum())
    (y.sum() + layer.auxiliary_loss).backward()
    assert layer.router.weight.grad.abs().sum() > 0


def test_shuffle():
    layer = rivals.ShuffleFFN(16, 32, groups=4).double()

    def dense(grouped):
        return torch.block_diag(*grouped.weight)

    order = [group * 8 + channel for channel in range(8) for group in range(4)]
    inner = F.gelu(layer.LayerNorm(X) @ dense(layer.up).t() + layer.up.bias)[..., order]
    assert torch.allclose(layer(X), inner @ dense(layer.down).t() + layer.down.bias)
    assert layer.flop_per_token() == 2 * 2 * 16 * 32 // 4


def test_slide():
    layer = rivals.SlideFFN(16, 24, num_hashes=2, code_bits=2, rehash_every=3).double()
    layer.rehash()
    layer.eval()
    y = layer(X).view(-1, 16)
    skipped = 0
    for token, expected in zip(X.view(-1, 16), y):
        u = layer.LayerNorm(token)
        out = layer.down.bias.clone()
        for j, weight in enumerate(layer.up.weight):
            if any(torch.equal(planes @ u > 0, planes @ weight > 0) for planes in layer.planes):
                out = out + F.gelu(weight @ u + layer.up.bias[j]) * layer.down.weight[:, j]
            else:
                skipped += 1
        assert torch.allclose(out, expected)
    assert 0 < skipped < 15 * 24
    assert layer.active_share() == pytest.approx(1 - skipped / (15 * 24))
    assert layer.flop_per_token() == round(4 * 16 * (24 - skipped / 15)) + 2 * 2 * 2 * 16
    layer(X[:1])  # the share is that of all tokens since the weights changed
    alone = layer.active(layer.LayerNorm(X[:1])).double().mean()
    assert layer.active_share() == pytest.approx((3 * (1 - skipped / 360) + float(alone)) / 4)
    layer.train()
    codes = layer.neuron_codes.clone()
    with torch.no_grad():
        layer.up.weight.neg_()
    changed = []
    for _ in range(4):
        layer(X)
        changed.append(not torch.equal(codes, layer.neuron_codes))
        codes = layer.neuron_codes.clone()
        with torch.no_grad():
            layer.up.weight.neg_()
    assert changed == [True, False, False, True]
    layer = rivals.SlideFFN(16, 24).double().train()
    with pytest.raises(ValueError, match="no token"):
        layer.flop_per_token()
    for _ in range(3):  # by default the tables always fit the weights
        with torch.no_grad():
            layer.up.weight.normal_()
        layer(X)
        assert torch.equal(layer.neuron_codes, rivals.hyperplane_codes(layer.up.weight, layer.planes))


def test_mongoose():
    layer = rivals.MongooseFFN(16, 24, num_hashes=2, code_bits=3, triplets=2, margin=0.5, rehash_every=1,
                               rehash_after=0.1).double()
    u = layer.LayerNorm(X).view(-1, 16).detach()
    expected = 0
    for token in u:
        order = layer.up(token).argsort(descending=True)

        def bits(vector):
            return torch.tanh(layer.planes.view(6, 16) @ vector)

        def distance(j):
            weight = layer.up.weight[j]
            return (bits(token) - bits(weight / weight.norm() * 4)).pow(2).mean()

        for near, far in zip(order[:2], order.flip(0)[:2]):
            expected = expected + F.relu(distance(near) - distance(far) + 0.5) / (2 * len(u))
    assert torch.allclose(layer.triplet_loss(u), expected)
    assert rivals.MongooseFFN(16, 24).rehash_every == rivals.SlideFFN(16, 24).rehash_every == 1  # as the methods have it
    layer(X)
    assert torch.allclose(layer.auxiliary_loss, layer.balance * expected)
    # The same neurons as SLIDE with the same planes; learned are the planes through the loss alone.
    slide = rivals.SlideFFN(16, 24, num_hashes=2, code_bits=3).double()
    slide.load_state_dict({name: value for name, value in layer.state_dict().items() if "hashed" not in name})
    assert torch.allclose(layer.eval()(X), slide.eval()(X))
    layer.auxiliary_loss.backward()
    assert layer.planes.grad.any() and layer.up.weight.grad is None
    # Small moves change no table, large ones do.
    layer.train()
    codes = layer.neuron_codes.clone()
    with torch.no_grad():
        layer.up.weight.mul_(-1)
        layer.hashed_weight.copy_(layer.up.weight * 1.05)
    layer(X)
    assert torch.equal(codes, layer.neuron_codes)
    with torch.no_grad():
        layer.hashed_weight.mul_(-1)
    layer(X)
    assert not torch.equal(codes, layer.neuron_codes)
    codes = layer.neuron_codes.clone()
    with torch.no_grad():
        layer.planes.neg_()
    layer(X)
    assert not torch.equal(codes, layer.neuron_codes)


def test_yoso():
    layer = rivals.YosoFFN(16, 20, num_hashes=3, code_bits=2).double().eval()
    y = layer(X).view(-1, 16)
    for token, expected in zip(X.view(-1, 16), y):
        u = layer.LayerNorm(token)
        out = torch.zeros(16).double()
        for planes in layer.planes:
            buckets = {}
            for key, value in zip(layer.keys, layer.values):
                code = tuple((planes @ key > 0).tolist())
                buckets[code] = buckets.get(code, 0) + value / 3
            out = out + buckets.get(tuple((planes @ u > 0).tolist()), 0)
        assert torch.allclose(out / out.norm() * layer.gain + layer.bias, expected)
    with torch.no_grad():
        layer.gain.mul_(3)
    assert torch.allclose((layer(X) - layer.bias).norm(dim=-1), torch.full((3, 5), 3.0).double())


def test_yoso_comes_close_to_its_expectation():
    layer = rivals.YosoFFN(16, 20, num_hashes=4000, code_bits=3).double().eval()
    layer.planes.normal_()
    found, expected = layer(X), layer.expected(X)
    assert (found - expected).abs().max() < 0.1 * expected.abs().max()
    found.sum().backward()
    gradient = layer.values.grad.clone()
    layer.zero_grad()
    layer.expected(X).sum().backward()
    assert torch.allclose(gradient, layer.values.grad, atol=0.05 * float(gradient.abs().max()))


@pytest.mark.parametrize("kind", [*rivals.KINDS])
def test_an_encoder_trains_with_it(kind):
    config = EncoderConfig(vocab_size=40, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                           attention_head_size=8, intermediate_size=32, ffn_kinds=[kind])
    torch.manual_seed(0)
    model = Encoder(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    ids = torch.randint(4, 40, (8, 6))
    losses = []
    for _ in range(30):
        loss = model.masked_lm_loss(ids, ids)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    assert losses[-1] < 0.7 * losses[0]
    assert model.ffn_flop_per_token() > 0


def test_an_unknown_kind_is_named():
    with pytest.raises(ValueError, match="no FFN of kind"):
        rivals.make("other", None)


def test_hadamard_transform():
    for size in (1, 2, 8, 32):
        x = torch.randn(3, size, dtype=torch.double)
        assert torch.allclose(hadamard_transform(x), x @ hadamard_matrix(size, x))
    with pytest.raises(ValueError):
        hadamard_matrix(12, X)


@pytest.mark.parametrize("kind", ["HadamardDiagonals", "ACDC", "HadamardACDC"])
def test_structured_matrices(kind):
    layer = getattr(structured, kind)(16, factors=2).double()
    transform = hadamard_matrix(16, X) / 4
    n, k = torch.arange(16.0).double(), torch.arange(16.0).double()
    cosines = torch.cos(math.pi / 16 * (n[None] + 0.5) * k[:, None])
    cosines = cosines / cosines.norm(dim=1, keepdim=True)
    expected = torch.eye(16).double()
    for diagonals in layer.diagonals:
        matrices = [torch.diag(diagonal) for diagonal in diagonals]
        if kind == "HadamardDiagonals":
            expected = expected @ matrices[0] @ transform
        elif kind == "ACDC":
            expected = expected @ matrices[0] @ cosines.t() @ matrices[1] @ cosines
        else:
            expected = expected @ matrices[0] @ transform @ matrices[1] @ transform
    assert torch.allclose(layer(X), X @ expected)


def test_what_inference_mode_made_can_be_trained_with():
    hadamard._matrix.cache_clear()
    layer = LookupFFN(16, 4, 8, block_size=8, use_native=False)
    with torch.inference_mode():
        layer(torch.randn(3, 16))
    layer(torch.randn(3, 16)).sum().backward()
    assert layer.hash.projection.weight.grad is not None
