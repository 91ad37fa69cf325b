"""The scripts beside the package."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lookupffn import bpe, safetensors

SCRIPTS = Path(__file__).parents[2] / "training" / "scripts"
torch.set_num_threads(1)


def script(name):
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_results_of_other_options_are_not_reused(tmp_path, monkeypatch):
    compare = script("compare_ffns")
    monkeypatch.setattr(compare, "draw", lambda rows, path: None)
    bpe.Tokenizer(*bpe.train(["ab cd ef gh"], 262)).save(tmp_path / "bpe")
    safetensors.save(tmp_path / "ids", {"ids": (np.arange(8000) % 40 + 10).astype(np.int32)})

    def command(*options):
        common = ["compare_ffns.py", tmp_path / "out", "--train", tmp_path / "ids", "--valid", tmp_path / "ids",
                  "--tokenizer", tmp_path / "bpe", "--rows", "none", "--seeds", "1", "--batch", "4", "--length", "18"]
        monkeypatch.setattr(sys, "argv", list(map(str, [*common, *options])))
        compare.main()

    command("--steps", "2")
    result = tmp_path / "out" / "none-seed1" / "result.json"
    before = result.stat().st_mtime_ns
    command("--steps", "2")
    assert result.stat().st_mtime_ns == before
    for options, name in [(["--steps", "3"], "steps"), (["--steps", "2", "--batch", "5"], "batch")]:
        with pytest.raises(SystemExit, match=f"another {name}"):
            command(*options)
    safetensors.save(tmp_path / "ids", {"ids": (np.arange(8000) % 30 + 10).astype(np.int32)})
    with pytest.raises(SystemExit, match="another data"):
        command("--steps", "2")
