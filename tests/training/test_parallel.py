# SPDX-License-Identifier: Apache-2.0
"""Two processes on the CPU, as torchrun starts them, and gradients gathered over several batches."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from test_distiller import texts  # noqa: F401

from lookupffn import EncoderConfig, bpe, data, load_sentence_encoder, parallel, pretrain
from lookupffn.distiller import pieces, state

TOKENIZER = bpe.Tokenizer(*bpe.train(["ab cd ef gh"], 262))
torch.set_num_threads(1)


def run(folder, accumulate, steps=8, **options):
    config = EncoderConfig(vocab_size=TOKENIZER.size, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                           attention_head_size=8, intermediate_size=32, max_position_embeddings=20, block_size=8,
                           ffn_num_table=6, ffn_table_size=8, ffn_kinds=["lookup", "vanilla"])
    ids = (np.arange(4000) % 40 + 10).astype(np.int32)
    batches = [data.MaskedBatches(ids, TOKENIZER, batch=4, length=18, seed=seed) for seed in (1, 2)]
    schedule = pretrain.Schedule(steps, 5e-3, 2, evaluate_every=4, save_every=4, accumulate=accumulate)
    return pretrain.train(folder, config, schedule, *batches, evaluation_batches=2, **options)


def needs_loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        try:
            socket.create_connection(server.getsockname(), timeout=5).close()
        except OSError as error:
            pytest.skip(f"processes cannot reach each other through 127.0.0.1: {error}")


def two_processes(folder, **options):
    needs_loopback()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    code = f"import test_parallel; test_parallel.run({str(folder)!r}, 1, **{options!r})"
    shared = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": "1"}
    processes = [subprocess.Popen([sys.executable, "-c", code], cwd=os.path.dirname(__file__), stderr=subprocess.PIPE,
                                  env={**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)}) for rank in range(2)]
    for process in processes:
        _, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors.decode()[-2000:]


def losses(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


@pytest.mark.skipif(not torch.distributed.is_available() or not torch.distributed.is_gloo_available(),
                    reason="this PyTorch has no gloo")
def test_two_processes_learn_what_one_learns(tmp_path):
    alone = run(tmp_path / "alone", 2).state_dict()
    two_processes(tmp_path / "two", stop_after=6)  # the last checkpoint is of step 4
    assert len(losses(tmp_path / "two")) == 6
    two_processes(tmp_path / "two")
    for mine, theirs in zip(losses(tmp_path / "alone"), losses(tmp_path / "two")):
        assert mine["step"] == theirs["step"] and mine["loss"] == pytest.approx(theirs["loss"], rel=1e-4)
    trained = torch.load(tmp_path / "two" / "checkpoint.pt")["model"]
    for name, value in alone.items():
        assert torch.allclose(value, trained[name], atol=1e-4), name
    # One process with half the batches of a step would do something else, and says so.
    with pytest.raises(ValueError, match="batches_per_step"):
        run(tmp_path / "two", 1)


def test_batches_are_shared_out(monkeypatch):
    monkeypatch.setattr(torch.distributed, "init_process_group", lambda backend: None)
    seen = []
    for rank in range(3):
        monkeypatch.setenv("WORLD_SIZE", "3")
        monkeypatch.setenv("RANK", str(rank))
        processes = parallel.Processes()
        assert processes.first == (rank == 0)
        seen += processes.batch_numbers(5, 2)
    monkeypatch.delenv("WORLD_SIZE")
    monkeypatch.delenv("RANK")
    assert sorted(seen) == list(range(30, 36)) == parallel.Processes().batch_numbers(5, 6)


@pytest.mark.parametrize("options", [[], ["--layers", "1", "--ffn", "vanilla", "--words", "--closed-tokens", "2000"]])
def test_two_processes_share_a_run(texts, tmp_path, options):  # noqa: F811
    needs_loopback()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    code = f"""import test_distiller as t; from pathlib import Path
t.command(t.SENTENCE, [Path(p) for p in {list(map(str, texts))!r}], Path({str(tmp_path / 'student')!r}), '--steps', 6,
          '--fit-steps', 4, '--int8-steps', 0, *{options!r})"""
    shared = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": "1"}
    both = [subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parent, stderr=subprocess.PIPE,
                             env={**shared, "RANK": str(rank)}) for rank in range(2)]
    for process in both:
        _, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors.decode()[-2000:]
    note = state.State(tmp_path / "student.work" / "state.safetensors", torch.nn.Linear(1, 1)).note()
    work = tmp_path / "student.work" / "text"
    batches = pieces.LengthBatches(pieces.Corpus(np.load(work / "ids.npy"), np.load(work / "lengths.npy")), 256, 0)
    assert note["step"] == 6
    assert note["tokens_seen"] == sum(batches.ids(batches.number(step)).size for step in range(12))
    load_sentence_encoder(tmp_path / "student")


def test_rows_of_two_processes_become_their_mean(monkeypatch):
    """As one process that had both gradients."""
    def sparse(rows, values):
        return torch.sparse_coo_tensor(torch.tensor([rows]), torch.tensor(values), (5, 2))

    mine, other = sparse([1, 3], [[2.0, 4.0], [6.0, 8.0]]), sparse([3], [[1.0, 1.0]])
    processes = parallel.Processes()
    processes.count = 2
    parts = iter([[torch.tensor([2]), torch.tensor([1])], [torch.tensor([1, 3]), torch.tensor([3, 0])],
                  [mine._values(), torch.tensor([[1.0, 1.0], [0.0, 0.0]])]])

    def all_gather(into, given):
        for place, part in zip(into, next(parts)):
            place.copy_(part)
        assert torch.equal(into[0], given)

    monkeypatch.setattr(parallel.distributed, "all_gather", all_gather)
    assert torch.equal(processes.mean_rows(mine).to_dense(), (mine + other).to_dense() / 2)
