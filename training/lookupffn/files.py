"""To and from the library's files, and from the checkpoints of the paper's authors."""

import json
from pathlib import Path

import torch

from . import safetensors, unpickle
from .bpe import Tokenizer
from .encoder import Encoder, EncoderConfig

_PREFIXES = ("model.", "roberta.")
_DTYPES = ("f32", "bf16")


def tensors_of(model):
    """The tensors that a file holds, by name. The decoder is tied, so it is left out."""
    return {name: value.detach().cpu().float().numpy() for name, value in model.state_dict().items()}


def _stored(tensors, dtype):
    if dtype not in _DTYPES:
        raise ValueError(f'dtype is "{dtype}", expected one of {", ".join(_DTYPES)}')
    return {name: safetensors.Bf16(value) if dtype == "bf16" else value for name, value in tensors.items()}


def _config_of(model):
    config = model.config.to_dict()
    if "none" in config["ffn_kinds"]:
        raise ValueError('the library runs "lookup" and "vanilla" FFNs only')
    return config


def export_folder(model, folder, tokenizer=None, dtype="f32"):
    """config.json, model.safetensors and the tokenizer's files, as Hugging Face tools lay them out."""
    folder = Path(folder)
    config = json.dumps(_config_of(model), indent=1)
    folder.mkdir(parents=True, exist_ok=True)
    safetensors.write_atomically(folder / "config.json", config.encode())
    safetensors.save(folder / "model.safetensors", _stored(tensors_of(model), dtype), {"format": "pt"})
    if tokenizer is not None:
        tokenizer.save(folder)


def export_layer(layer, path, dtype="f32"):
    """One layer, for lffn_layer_load."""
    safetensors.save(path, _stored(tensors_of(layer), dtype),
                     {"format": "lookupffn", "format_version": "1", "kind": "layer",
                      "config": json.dumps(layer.config())})


def _bare(name):
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _guess_config(config, tensors):
    """What the tensors say of a config that leaves it open: the kinds of the FFNs, the sizes of the heads."""
    values = dict(config)
    values.setdefault("attention_head_size", values["hidden_size"] // values["num_attention_heads"])
    if not values.get("ffn_kinds"):
        values["ffn_kinds"] = ["lookup" if f"encoder.layer.{i}.FFN.tables" in tensors else "vanilla"
                               for i in range(values["num_hidden_layers"])]
    if "classifier.out_proj.weight" in tensors:
        values["num_classes"] = len(tensors["classifier.out_proj.weight"])
    else:
        values["num_classes"] = 0
    return EncoderConfig.from_dict(values)


def model_from_tensors(config, tensors):
    """An encoder from the config and state dict of this project or of the paper's authors.

    Names may carry the prefixes "model." and "roberta."; the decoder must be tied to the word embeddings.
    """
    tensors = {_bare(name): torch.tensor(value) if not torch.is_tensor(value) else value for name, value in tensors.items()}
    tensors.pop("embeddings.position_ids", None)  # a buffer of older versions
    decoder = tensors.pop("lm_head.decoder.weight", None)
    if decoder is not None and not torch.equal(decoder, tensors["embeddings.word_embeddings.weight"]):
        raise ValueError("lm_head.decoder.weight differs from the word embeddings; an untied decoder is not supported")
    bias = tensors.pop("lm_head.decoder.bias", None)
    if bias is not None:
        if "lm_head.bias" in tensors and not torch.equal(bias, tensors["lm_head.bias"]):
            raise ValueError("lm_head.bias and lm_head.decoder.bias differ, but are two names of one vector")
        tensors["lm_head.bias"] = bias
    model = Encoder(_guess_config(config, tensors))
    expected = model.state_dict()
    missing = sorted(name for name in set(expected) - set(tensors) if not name.startswith("lm_head."))
    unknown = sorted(set(tensors) - set(expected))
    if missing or unknown:
        raise ValueError("; ".join([f"{name}: this tensor is missing" for name in missing[:3]] +
                                   [f"{name}: a model with this config has no such tensor" for name in unknown[:3]]))
    for name, value in tensors.items():
        if value.shape != expected[name].shape:
            raise ValueError(f"{name}: shape {list(value.shape)}, expected {list(expected[name].shape)}")
    model.load_state_dict(tensors, strict=False)
    return model.eval()


def _read_tensors(path):
    if path.suffix == ".safetensors":
        return safetensors.load(path)[0]
    return unpickle.load_tensors(path)


def import_model(path, config=None):
    """From a folder with config.json and weights, or from a checkpoint file together with the config as a dict."""
    path = Path(path)
    if not path.is_dir():
        if config is None:
            raise ValueError(f"{path}: a checkpoint does not say its config; pass one")
        return model_from_tensors(config, _read_tensors(path))
    if config is None:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (path / name).exists():
            return model_from_tensors(config, _read_tensors(path / name))
    raise ValueError(f"{path}: neither model.safetensors nor pytorch_model.bin is there")


def import_tokenizer(folder):
    """The tokenizer beside a model, or None."""
    return Tokenizer.load(folder) if (Path(folder) / "vocab.json").exists() else None
