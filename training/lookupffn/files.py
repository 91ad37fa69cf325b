# SPDX-License-Identifier: Apache-2.0
"""To and from the library's files, and from the checkpoints of the paper's authors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
import torch
from torch import Tensor, nn

from . import safetensors, unpickle
from .bpe import Tokenizer
from .config import EncoderConfig, is_count, read_config
from .encoder import Encoder
from .layer import LookupFFN
from .words import check_word_rows, file_name, module_name, whole_rows

_PREFIXES = ("model.", "roberta.")
_DTYPES = ("f32", "bf16")


def tensors_of(model: nn.Module) -> dict[str, np.ndarray]:
    """The tensors that a file holds, by name. A tied decoder is left out."""
    return {file_name(name): (value.float() if value.is_floating_point() else value).detach().cpu().numpy()
            for name, value in model.state_dict().items()}


def stored(tensors: dict[str, np.ndarray], dtype: str) -> dict[str, Any]:
    if dtype not in _DTYPES:
        raise ValueError(f'dtype is "{dtype}", expected one of {", ".join(_DTYPES)}')
    return {name: safetensors.Bf16(value) if dtype == "bf16" and value.dtype.kind == "f" else value
            for name, value in tensors.items()}


def _config_of(model: Encoder) -> dict[str, Any]:
    config = model.config.to_dict()
    others = sorted(set(config["ffn_kinds"]) - {"lookup", "vanilla"})
    if others:
        raise ValueError(f'the library runs "lookup" and "vanilla" FFNs only, not "{others[0]}"')
    return config


def export_folder(model: Encoder, folder: Union[str, Path], tokenizer: Optional[Tokenizer] = None,
                  dtype: str = "f32") -> None:
    """config.json, model.safetensors and the tokenizer's files, as Hugging Face tools lay them out."""
    folder = Path(folder)
    config = json.dumps(_config_of(model), indent=1)
    folder.mkdir(parents=True, exist_ok=True)
    safetensors.write_atomically(folder / "config.json", config.encode())
    safetensors.save(folder / "model.safetensors", stored(tensors_of(model), dtype), {"format": "pt"})
    if tokenizer is not None:
        tokenizer.save(folder)


def export_layer(layer: LookupFFN, path: Union[str, Path], dtype: str = "f32") -> None:
    """One layer, for lffn_layer_load."""
    safetensors.save(path, stored(tensors_of(layer), dtype),
                     {"format": "lookupffn", "format_version": "1", "kind": "layer",
                      "config": json.dumps(layer.config())})


def _bare(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _guess_config(config: dict[str, Any], tensors: dict[str, Tensor]) -> EncoderConfig:
    """Guesses missing parts of a config from the tensors: the kinds of FFNs, the sizes of heads."""
    values = dict(config)
    sizes = [values.get(key) for key in ("hidden_size", "num_attention_heads")]
    if all(is_count(size, 1) for size in sizes):  # Otherwise the config says what is wrong.
        values.setdefault("attention_head_size", sizes[0] // sizes[1])
    if not values.get("ffn_kinds"):
        count = values.get("num_hidden_layers")
        values["ffn_kinds"] = ["lookup" if f"encoder.layer.{i}.FFN.tables" in tensors else "vanilla"
                               for i in range(count if isinstance(count, int) else 0)]
    classes = tensors.get("classifier.out_proj.weight")
    values["num_classes"] = 0 if classes is None else len(classes)
    values["masked_lm_head"] = any(name.startswith("lm_head.") for name in tensors)
    values["tie_word_embeddings"] = "lm_head.decoder.weight" not in tensors
    return EncoderConfig.from_dict(values, refuse_unknown=False)


def check_tensors(expected: dict[str, Tensor], tensors: dict[str, Tensor]) -> None:
    """Raises ValueError, which names tensors that are missing, unknown or of another shape."""
    missing, unknown = sorted(set(expected) - set(tensors)), sorted(set(tensors) - set(expected))
    if missing or unknown:
        raise ValueError("; ".join([f"{name}: this tensor is missing" for name in missing[:3]] +
                                   [f"{name}: a model with this config has no such tensor" for name in unknown[:3]]))
    for name, value in tensors.items():
        if value.shape != expected[name].shape:
            raise ValueError(f"{name}: shape {list(value.shape)}, expected {list(expected[name].shape)}")


def model_from_tensors(config: dict[str, Any], tensors: dict[str, Any]) -> Encoder:
    """An encoder from the config and state dict of this project or of the paper's authors.

    Names may carry the prefixes "model." and "roberta.". Without any tensor of lm_head the model has no such head.
    """
    tensors = {module_name(_bare(name)): value if torch.is_tensor(value) else torch.tensor(value)
               for name, value in whole_rows(tensors, config.get("hidden_size")).items()}
    tensors.pop("embeddings.position_ids", None)  # a buffer of older versions
    decoder = tensors.get("lm_head.decoder.weight")
    words = tensors.get("embeddings.word_embeddings.weight")
    if decoder is not None and words is not None and torch.equal(decoder, words):
        del tensors["lm_head.decoder.weight"]
    bias = tensors.pop("lm_head.decoder.bias", None)
    if bias is not None:
        if "lm_head.bias" in tensors and not torch.equal(bias, tensors["lm_head.bias"]):
            raise ValueError("lm_head.bias and lm_head.decoder.bias differ, but are two names of one vector")
        tensors["lm_head.bias"] = bias
    model = Encoder(_guess_config(config, tensors))
    check_tensors(model.state_dict(), tensors)
    if "embeddings.word_rows" in tensors:
        check_word_rows(tensors["embeddings.word_rows"], model.config.word_rows)
    model.load_state_dict(tensors)
    return model.eval()


def _read_tensors(path: Path) -> dict[str, Any]:
    if path.suffix == ".safetensors":
        return safetensors.load(path)[0]
    return unpickle.load_tensors(path)


def import_model(path: Union[str, Path], config: Optional[dict[str, Any]] = None) -> Encoder:
    """From a folder with config.json and weights, or from a checkpoint file together with the config as a dict."""
    path = Path(path)
    if not path.is_dir():
        if config is None:
            raise ValueError(f"{path}: a checkpoint does not contain its config; pass one")
        return model_from_tensors(config, _read_tensors(path))
    if config is None:
        config = read_config(path / "config.json")
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (path / name).exists():
            return model_from_tensors(config, _read_tensors(path / name))
    raise ValueError(f"{path}: has neither model.safetensors nor pytorch_model.bin")


def import_tokenizer(folder: Union[str, Path]) -> Optional[Tokenizer]:
    """The tokenizer beside a model, or None."""
    return Tokenizer.load(folder) if (Path(folder) / "vocab.json").exists() else None
