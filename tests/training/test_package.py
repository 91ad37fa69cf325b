# SPDX-License-Identifier: Apache-2.0
"""The package as it is installed, its command line, and what it takes from newer PyTorch versions."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from lookupffn import (Encoder, EncoderConfig, LookupFFN, __main__, attention, bpe, features, files, native,
                       safetensors)

ROOT = Path(__file__).parents[2] / "training"


def test_pip_installs_it_with_the_library_inside(tmp_path):
    """With what Debian has: pip takes nothing from elsewhere."""
    source = tmp_path / "training"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "bindings").mkdir()
    for name in ("LICENSE", "bindings/THIRD-PARTY-NOTICES.txt"):
        shutil.copyfile(ROOT.parent / name, tmp_path / name)
    environment = {**os.environ, "LOOKUPFFN_LIBRARY": os.environ["LOOKUPFFN_LIBRARY"], "PIP_NO_INDEX": "1"}
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    # It sees what the system's Python has, not what a virtual environment around these tests has.
    for needed in ("pip", "setuptools", "wheel", "torch", "numpy", "regex"):
        if subprocess.run([python, "-c", f"import {needed}"], capture_output=True, check=False, cwd=tmp_path).returncode:
            pytest.skip(f"needs {needed} in the Python that makes the virtual environment, {sys.base_prefix}")
    made = subprocess.run([python, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--quiet", source],
                          capture_output=True, text=True, env=environment, check=False, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    outside = {key: value for key, value in os.environ.items() if key not in ("LOOKUPFFN_LIBRARY", "PYTHONPATH")}
    shown = subprocess.run([python, "-m", "lookupffn", "library"], capture_output=True, text=True, env=outside, check=True,
                           cwd=tmp_path).stdout
    assert "liblookupffn 1." in shown and str(tmp_path / "venv") in shown
    (package,) = (tmp_path / "venv").glob("lib/python*/site-packages/lookupffn")
    assert "Apache License" in (package / "LICENSE").read_text(encoding="utf-8")
    notices = (package / "lib" / "THIRD-PARTY-NOTICES.txt").read_text(encoding="utf-8")
    assert all(name in notices for name in ("xsimd", "nlohmann-json", "Unicode", "GCC Runtime", "LLVM"))
    subprocess.run([python, "-m", "lookupffn", "--help"], capture_output=True, env=outside, check=True, cwd=tmp_path)


def test_a_library_that_is_not_there_is_named(tmp_path):
    """A path from where pip was called leads nowhere from training/, where pip runs setup.py."""
    pytest.importorskip("setuptools")
    source = tmp_path / "training"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("__pycache__"))
    made = subprocess.run([sys.executable, "setup.py", "-q", "build_py"], cwd=source, capture_output=True, text=True,
                          env={**os.environ, "LOOKUPFFN_LIBRARY": "build/liblookupffn.so"}, check=False)
    assert made.returncode == 1 and "Traceback" not in made.stderr
    assert "no file build/liblookupffn.so" in made.stderr and "absolute path" in made.stderr


def test_help_names_the_commands(capsys):
    with pytest.raises(SystemExit) as ended:
        __main__.main(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in ("tokenizer", "prepare", "train", "distill", "finetune", "export"))


CONFIG = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "attention_head_size": 8,
          "intermediate_size": 32, "max_position_embeddings": 20, "ffn_kinds": ["vanilla"]}


def without(key):
    return {name: value for name, value in CONFIG.items() if name != key}


def test_errors_of_users_are_no_tracebacks(tmp_path):
    def refused(message, *arguments):
        with pytest.raises(SystemExit, match=f"lookupffn: .*{message}"):
            __main__.main([*map(str, arguments)])

    bpe.Tokenizer(*bpe.train(["ab cd ef gh"], 262)).save(tmp_path / "bpe")
    for name, tensors in {"ids": {"ids": np.arange(4, 260)}, "others": {"x": np.arange(9)},
                          "large": {"ids": np.full(300, 9999)}}.items():
        safetensors.save(tmp_path / name, {key: value.astype(np.int32) for key, value in tensors.items()})
    config = tmp_path / "config.json"
    common = ["--tokenizer", tmp_path / "bpe", "--valid", tmp_path / "ids", "--batch", 2]

    def train(message, text, ids="ids", *more):
        config.write_text(text if isinstance(text, str) else json.dumps(text))
        refused(message, "train", tmp_path / "run", "--config", config, "--train", tmp_path / ids, "--steps", 1, *common,
                *(more or ["--length", 12]))

    train("hidden_size, num_attention_heads are missing", {name: CONFIG[name] for name in CONFIG if name not in (
        "hidden_size", "num_attention_heads")})
    train("attention_head_size is missing", without("attention_head_size"))
    train("hidden_size is '16', expected a number", {**CONFIG, "hidden_size": "16"})
    train("config.json: expected an object", [1])
    train("config.json: no JSON", "{")
    train("others: holds no ids", CONFIG, "others")
    train("id 9999", CONFIG, "large")
    train("sequences of 40 tokens; the model has places for 20", CONFIG, "ids", "--length", 40)
    if not hasattr(torch, "compile"):
        train("has no torch.compile", CONFIG, "ids", "--length", 12, "--compile")
    train("device none", CONFIG, "ids", "--length", 12, "--device", "none")
    (tmp_path / "run" / "checkpoint.pt").write_bytes(b"no checkpoint")
    refused("checkpoint.pt: no checkpoint", "evaluate", tmp_path / "run", *common, "--length", 12)
    # Fine-tuning, also where only the texts to measure on are bad, and import.
    config.write_text(json.dumps(CONFIG))
    model = Encoder(EncoderConfig(**CONFIG, vocab_size=262))
    files.export_folder(model, tmp_path / "model", bpe.Tokenizer.load(tmp_path / "bpe"))
    (tmp_path / "none.tsv").write_text("")
    (tmp_path / "some.tsv").write_text("0\tab\n1\tcd\n")
    for examples in (["none.tsv"], ["some.tsv", "--valid", tmp_path / "none.tsv"]):
        refused("none.tsv: holds no examples", "finetune", tmp_path / "model", tmp_path / "out", tmp_path / examples[0],
                *examples[1:])
    (tmp_path / "bpe" / "vocab.json").write_text("{}")
    refused("vocab.json: no vocabulary", "prepare", tmp_path / "out", tmp_path / "some.tsv", "--tokenizer", tmp_path / "bpe")
    for missing in ("hidden_size", "num_hidden_layers"):
        (tmp_path / "model" / "config.json").write_text(json.dumps({**without(missing), "vocab_size": 262}))
        refused(f"{missing} is missing", "import", tmp_path / "model", tmp_path / "out")


def test_every_function_says_its_types():
    for path in sorted((ROOT / "lookupffn").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                arguments = [*node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
                bare = [a.arg for a in arguments if a and not a.annotation and a.arg not in ("self", "cls")]
                assert not bare and node.returns is not None, f"{path.name}:{node.lineno} {node.name}"


def imports_of(path, modules):
    """The package's own modules that a file imports, wherever in it; names as in `modules`."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = ".".join((*package[: len(package) - node.level + 1], *filter(None, [node.module])))
            yield from (name for name in (base, *(f"{base}.{alias.name}" for alias in node.names)) if name in modules)


def test_no_module_imports_one_that_imports_it():
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in (ROOT / "lookupffn").rglob("*.py")
               if path.name != "__init__.py"}
    left = {name: set(imports_of(path, modules)) for name, path in modules.items()}
    assert left["lookupffn.layer"] >= {"lookupffn.native", "lookupffn.product"}
    while left:
        free = {name for name, needed in left.items() if not needed & set(left)}
        assert free, f"a circle among {sorted(left)}"
        left = {name: needed for name, needed in left.items() if name not in free}


def test_a_library_that_is_named_must_load(monkeypatch):
    monkeypatch.setenv("LOOKUPFFN_LIBRARY", "/nowhere/liblookupffn.so.1")
    native.library.cache_clear()
    try:
        with pytest.raises(OSError):
            native.library()
    finally:
        native.library.cache_clear()


class StandIn:
    """Of PyTorch 2's fused attention."""

    def __init__(self):
        self.calls = 0

    def __call__(self, query, key, value, attn_mask=None, dropout_p=0.0):
        self.calls += 1
        scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
        return F.dropout((scores if attn_mask is None else scores + attn_mask).softmax(-1), dropout_p) @ value


def test_fused_attention_runs_where_it_is_faster(monkeypatch):
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 5, 8)
    bias = torch.randn(2, 1, 1, 5)
    monkeypatch.delattr(F, "scaled_dot_product_attention", raising=False)
    plain = attention.attend(q, k, v, bias)
    stand_in = StandIn()
    monkeypatch.setattr(F, "scaled_dot_product_attention", stand_in, raising=False)
    assert torch.allclose(attention.attend(q, k, v, bias), plain, atol=1e-6) and stand_in.calls == 1
    # On the CPU its backward pass is slow.
    attention.attend(q.requires_grad_(), k, v, bias).sum().backward()
    assert stand_in.calls == 1
    with torch.no_grad():
        attention.attend(q, k, v, bias)
    assert stand_in.calls == 2


def test_fused_adamw_where_there_is_one(monkeypatch):
    made = []

    class Fused(torch.optim.AdamW):
        def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, *, fused=False):
            made.append(fused)
            super().__init__(params, lr, betas, eps, weight_decay)
            for group in self.param_groups:
                group["fused"] = fused  # newer ones have None there by now
            if fused and not self.supported:  # As in PyTorch 2.0 to 2.3: when the groups are filled in already.
                raise RuntimeError("`fused=True` requires all the params to be on other devices")

    parameter = torch.nn.Parameter(torch.zeros(2))
    monkeypatch.setattr(torch.optim, "AdamW", Fused)
    for Fused.supported, expected in [(True, [True]), (False, [True, False])]:
        made.clear()
        groups = [{"params": [parameter], "scale": 1.0}]
        optimizer = features.adamw(groups, lr=0.1)
        assert made == expected and [set(group) for group in groups] == [{"params", "scale"}]
        assert optimizer.param_groups[0]["fused"] == Fused.supported and optimizer.param_groups[0]["scale"] == 1.0


def test_compile_where_there_is_one(monkeypatch):
    layer = LookupFFN(16, 4, 8, block_size=8)
    x = torch.randn(3, 16)
    expected = layer(x)
    monkeypatch.delattr(torch, "compile", raising=False)
    with pytest.raises(ValueError, match="has no torch.compile"):
        features.compiled(layer)
    assert layer.use_native
    monkeypatch.setattr(torch, "compile", lambda module: torch.nn.Sequential(module), raising=False)
    compiled = features.compiled(layer)
    assert compiled[0] is layer and not layer.use_native
    assert torch.allclose(compiled(x), expected, atol=1e-5)


def test_lookups_keep_float32_under_autocast():
    torch.manual_seed(0)
    layer, linear = LookupFFN(16, 4, 8, block_size=8), torch.nn.Linear(16, 16)
    x = torch.randn(5, 16)
    with features.autocast(x.device, "bfloat16"):
        u = linear(x)
        y = layer(u)
        assert u.dtype == y.dtype == torch.bfloat16
        assert torch.equal(layer(x), layer(x)) and layer(x).dtype == torch.float32
    assert torch.allclose(y.float(), layer(u.float()), atol=1e-2)
    y.float().sum().backward()
    assert linear.weight.grad.dtype == torch.float32 and layer.tables.grad is not None
    with pytest.raises(ValueError, match="float16|CPUs"):
        features.autocast(x.device, "float16")
    with pytest.raises(ValueError, match="precision"):
        features.autocast(x.device, "half")
