# SPDX-License-Identifier: Apache-2.0
"""Training runs: what is learned, how a stopped run goes on, the command line."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch

from lookupffn import (Encoder, EncoderConfig, LookupFFN, __main__, bpe, data, files, initial, optimiser, pretrain,
                       replace_ffns)

TOKENIZER = bpe.Tokenizer(*bpe.train(["ab cd ef gh"], 262))
torch.set_num_threads(1)


def config(kinds=("lookup", "vanilla")):
    return EncoderConfig(vocab_size=TOKENIZER.size, hidden_size=16, num_hidden_layers=len(kinds), num_attention_heads=2,
                         attention_head_size=8, intermediate_size=32, max_position_embeddings=20, block_size=8,
                         ffn_num_table=6, ffn_table_size=8, ffn_kinds=list(kinds))


def batches(seed=1):
    """Text that a model can learn: each token is followed by the next one."""
    ids = (np.arange(4000) % 40 + 10).astype(np.uint16)
    return data.MaskedBatches(ids, TOKENIZER, batch=8, length=18, seed=seed)


def losses(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def schedule(steps=30, **changes):
    return pretrain.Schedule(**{**dict(steps=steps, learning_rate=5e-3, warm_up=5, evaluate_every=10, save_every=10),
                                **changes})


def run(folder, **options):
    return pretrain.train(folder, config(), schedule(), batches(), batches(2), evaluation_batches=2, **options)


def test_a_stopped_run_goes_on_as_if_nothing_had_been(tmp_path):
    whole = run(tmp_path / "whole").state_dict()
    run(tmp_path / "stopped", stop_after=17)  # the last checkpoint is of step 10
    assert len(losses(tmp_path / "stopped")) == 17
    parts = run(tmp_path / "stopped").state_dict()
    assert losses(tmp_path / "whole") == losses(tmp_path / "stopped")
    assert all(torch.equal(value, parts[name]) for name, value in whole.items())


class Compiled(torch.nn.Module):
    """Stands for what torch.compile makes of a module."""

    def __init__(self, module):
        super().__init__()
        self._orig_mod, self.calls = module, 0

    def forward(self, *arguments):
        self.calls += 1
        return self._orig_mod(*arguments)


def test_steps_through_torch_compile(tmp_path, monkeypatch):
    run(tmp_path / "plain")
    made = []
    monkeypatch.setattr(torch, "compile", lambda module: made.append(Compiled(module)) or made[-1], raising=False)
    model = run(tmp_path / "compiled", compiled=True)
    assert made[0]._orig_mod is model and made[0].calls == 30
    assert not model.encoder.layer[0].FFN.use_native
    for entry, expected in zip(losses(tmp_path / "compiled"), losses(tmp_path / "plain")):
        assert entry["loss"] == pytest.approx(expected["loss"], abs=1e-3)
    state = pretrain.read_checkpoint(tmp_path / "compiled" / "checkpoint.pt", "cpu")
    assert set(state["model"]) == set(model.state_dict()) and not any("_orig_mod" in name for name in state["model"])
    with pytest.raises(ValueError, match="its compiled is True, not False"):
        run(tmp_path / "compiled")
    monkeypatch.delattr(torch, "compile")
    with pytest.raises(ValueError, match="has no torch.compile"):
        run(tmp_path / "none", compiled=True)


def test_the_rate_warms_up_and_decays():
    rates = [schedule(steps=25).rate(step) for step in range(25)]
    assert rates[:5] == pytest.approx([1e-3, 2e-3, 3e-3, 4e-3, 5e-3])
    assert rates[5:] == pytest.approx([5e-3 * (25 - step) / 20 for step in range(5, 25)])


@pytest.mark.parametrize("kind", ["lookup", "vanilla", "none"])
def test_something_is_learned(tmp_path, kind):
    pretrain.train(tmp_path, config([kind]), schedule(steps=60), batches(), batches(2), evaluation_batches=2)
    entries = losses(tmp_path)
    assert entries[0]["loss"] > 3.6  # ln 40 = 3.69: the decoder's bias knows how frequent the tokens are
    assert entries[-1]["valid_log_perplexity"] < 3.4


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    run(tmp_path, stop_after=11)
    with pytest.raises(ValueError, match="another run: its schedule"):
        pretrain.train(tmp_path, config(), schedule(learning_rate=1e-3), batches(), batches(2))
    with pytest.raises(ValueError, match="another run: its data_seed"):
        pretrain.train(tmp_path, config(), schedule(), batches(3), batches(2))
    with pytest.raises(ValueError, match="another model"):
        pretrain.train(tmp_path, config(["lookup"]), schedule(), batches(), batches(2))


def test_padding_changes_nothing():
    torch.manual_seed(0)
    model = Encoder(config()).double()
    for block in model.encoder.layer:
        if isinstance(block.FFN, LookupFFN):
            block.FFN.use_native = False
    ids = torch.randint(4, 200, (1, 9))
    padded = torch.cat([ids, torch.ones(1, 5, dtype=torch.long)], 1)
    assert torch.allclose(model(ids)[0], model(padded)[0, :9], atol=1e-12)


def test_ffns_are_swapped():
    torch.manual_seed(0)
    model = Encoder(config(["vanilla", "vanilla"]))
    attention = model.encoder.layer[0].attention.query.weight
    replace_ffns(model, layers=[1], ffn_num_table=4)
    assert model.config.ffn_kinds == ["vanilla", "lookup"]
    assert isinstance(model.encoder.layer[1].FFN, LookupFFN) and model.encoder.layer[1].FFN.num_tables == 4
    assert model.encoder.layer[0].attention.query.weight is attention
    replace_ffns(model)
    assert all(isinstance(block.FFN, LookupFFN) for block in model.encoder.layer)
    assert model(torch.randint(4, 200, (2, 9))).shape == (2, 9, 16)


def test_swapping_some_ffns_leaves_the_others_config():
    torch.manual_seed(0)
    model = Encoder(config(["lookup", "lookup", "vanilla"])).eval()
    replace_ffns(model, layers=[-1], ffn_num_table=4, projection_type="dense")
    assert model.config.ffn_num_table == [6, 6, 4] and model.config.ffn_table_size == 8
    assert [block.FFN.num_tables for block in model.encoder.layer] == [6, 6, 4]
    again = files.model_from_tensors(model.config.to_dict(), model.state_dict())
    ids = torch.randint(4, 200, (2, 9))
    assert torch.equal(again(ids), model(ids))
    replace_ffns(model, "vanilla", layers=[0], intermediate_size=64)
    assert model.config.intermediate_size[0] == 64 and model.encoder.layer[0].FFN[1].out_features == 64
    replace_ffns(model, ffn_num_table=5, projection_type="bh4")
    assert model.config.ffn_num_table == 5 and model.config.projection_type == "bh4"
    replace_ffns(model, layers=[0, 2], ffn_num_table=[3, 2])
    assert [block.FFN.num_tables for block in model.encoder.layer] == [3, 5, 2]


def test_a_batch_without_masked_tokens_has_no_loss():
    model = Encoder(config()).train()
    ids = torch.randint(4, 200, (2, 9))
    loss = model(ids, torch.full_like(ids, data.IGNORED))
    loss.backward()
    assert float(loss) == 0 and all(p.grad is None or not p.grad.any() for p in model.parameters())
    with pytest.raises(ValueError, match="no token"):
        pretrain.log_perplexity(model, data.MaskedBatches(np.full(100, 9), TOKENIZER, batch=2, length=12, seed=0,
                                                          masked_share=0.0), 2)


def test_dropout_acts_in_training_alone_and_in_both_places():
    for key in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
        torch.manual_seed(0)
        model = Encoder(EncoderConfig.from_dict({**config().to_dict(), key: 0.5}))
        ids = torch.randint(4, 200, (2, 9))
        assert not torch.equal(model.train()(ids), model(ids))
        assert torch.equal(model.eval()(ids), model(ids))


def test_flops():
    model = Encoder(config(["lookup", "vanilla", "none"]))
    # BH4: one chain for 18 hashes would need 16 columns, so two; N 16, blocks of 8.
    assert model.ffn_flop_per_token() == 2 * 4 * (2 * 16 * 8 + 16 * 4) + 2 * 6 * 16 + 4 * 16 * 32


# A kill from outside comes when it may, or after the end.
KILLED_IN_STEP_13 = """
import os, signal
from lookupffn import __main__, pretrain
step = pretrain._Run.step
def step_or_die(run, number):
    loss = step(run, number)
    if number == 12:
        os.kill(os.getpid(), signal.SIGKILL)
    return loss
pretrain._Run.step = step_or_die
__main__.main()
"""


def test_from_text_to_a_model_by_command_and_through_a_kill(tmp_path, monkeypatch):
    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["lookupffn", *map(str, arguments)])
        __main__.main()

    text = tmp_path / "text.txt"
    text.write_text("\n\n".join("one two three four five six seven eight nine ten".split()[i % 10] + " is a number"
                                for i in range(400)))
    values = {**config().to_dict()}
    del values["vocab_size"]
    (tmp_path / "config.json").write_text(json.dumps(values))
    command("tokenizer", tmp_path / "bpe", text, "--vocab-size", 300)
    command("prepare", tmp_path / "ids", text, "--tokenizer", tmp_path / "bpe")
    common = ["--config", tmp_path / "config.json", "--train", tmp_path / "ids", "--valid", tmp_path / "ids", "--tokenizer",
              tmp_path / "bpe", "--batch", 4, "--length", 16, "--steps", 60, "--save-every", 5, "--evaluate-every", 30,
              "--threads", 1]
    killed = subprocess.run([sys.executable, "-c", KILLED_IN_STEP_13, "train", str(tmp_path / "killed"), *map(str, common)],
                            stderr=subprocess.DEVNULL, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert pretrain.read_checkpoint(tmp_path / "killed" / "checkpoint.pt", "cpu")["step"] == 10
    command("train", tmp_path / "killed", *common)
    command("train", tmp_path / "whole", *common)
    assert losses(tmp_path / "killed") == losses(tmp_path / "whole")
    command("export", tmp_path / "killed", tmp_path / "model", "--tokenizer", tmp_path / "bpe", "--dtype", "bf16")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [
        "config.json", "merges.txt", "model.safetensors", "vocab.json"]


def test_factors_of_the_hash_learn_slowly():
    model = Encoder(config(["lookup"]))
    optimizer = optimiser.make_optimizer(model, weight_decay=0.1)
    optimiser.set_rate(optimizer, 1.0)
    rates = {id(p): (group["lr"], group["weight_decay"]) for group in optimizer.param_groups for p in group["params"]}
    assert len(rates) == len(list(model.parameters()))
    ffn = model.encoder.layer[0].FFN
    assert rates[id(ffn.hash.projection.weight)] == (0.1, 0.1)
    assert rates[id(ffn.tables)] == (1.0, 0.1)
    assert rates[id(ffn.bias)] == (1.0, 0.0)


def test_heads_begin_by_looking_at_neighbours():
    torch.manual_seed(0)
    values = {**config(["none"]).to_dict(), "hidden_size": 64, "attention_head_size": 32}
    model = Encoder(EncoderConfig.from_dict(values))
    initial.initialise(model, batches().token_counts())
    attention = model.encoder.layer[0].attention
    with torch.no_grad():
        u = attention.LayerNorm(model.embeddings(torch.randint(4, 200, (50, 18))))
        query, key = (linear(u).view(50, 18, 2, 32).transpose(1, 2) for linear in (attention.query, attention.key))
        shares = (query @ key.transpose(-1, -2) * 32**-0.5).softmax(-1).mean(0)
    for head, offset in enumerate((-1, 1)):
        places = torch.arange(2, 16)
        assert shares[head, places, places + offset].mean() > 4 / 18
    bias = model.lm_head.bias.detach()
    assert float(bias[10] - bias[5]) == pytest.approx(np.log(101), abs=0.1)
