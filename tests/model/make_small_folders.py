#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts folders that transformers and sentence-transformers wrote down to a few kB each.

make_small_folders.py GOLDEN ARCHIVE   needs numpy; GOLDEN has the folders named below, GOLDEN3 beside it those of TOKENS

Of every folder it first computes in float64 what transformers computed from it, for all texts, and stops where that
differs. Then it cuts the tokenizer down to what a few texts need, takes narrow parts of the weights, and has the same
program compute what these give. Ids, tokens and offsets stay those of Hugging Face's tokenizers.
"""
import json
import math
import sys
import tempfile
from pathlib import Path

import numpy as np
from cut_tokenizer import CutTokenizer
from narrow_models import DENSE_WIDTH, WIDTH, debertas, language_models, narrow_model, other_xl
from reference_model import Encoder, SentenceEncoder, read_tensors, tensor_bytes
from reference_tasks import AGGREGATIONS, answers_of, entities_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

# Of the golden texts and pairs, what is hard: signs, accents, scripts, control characters, a word that is too long,
# special tokens, blanks, nothing, a long sentence; a pair of texts of these, and one that is cut on both sides.
TEXTS = (0, 2, 4, 5, 6, 7, 9, 12, 15, 19, 22, 25, 26, 27, 29, 30)
PAIRS = (0, 6, 9, 10)
FEW_TEXTS, FEW_PAIRS = (0, 4, 9, 22, 25, 30), (0, 10)
LONG = 32  # for sentence encoders, of which two cut it
# Where True, the folder is the first with its tokenizer: all those texts, and its vocabulary also as older versions of
# transformers write it.
MODELS = {"bert-mlm": True, "bert-classes": True, "bert-reranker": False, "roberta-mlm": True,
          "roberta-prelayernorm-mlm": False, "distilbert": False, "../golden-hf3/mpnet-mlm": False,
          "../golden-hf4/electra-classes": False, "../golden-hf4/deberta-v2-classes": False}
# With a head of tokens, from the folder beside GOLDEN that has 3 at its end.
TOKENS = {"bert-tokens": True, "distilbert-tokens": False, "bert-answers": True}
# Of a question and a context among the texts: tokens of a window, shared by two, of an answer; answers.
ANSWERS = ({"max_tokens": 20, "stride": 4, "max_answer_tokens": 5},
           {"max_tokens": 60, "stride": 16, "max_answer_tokens": 12})
TOP_K = 3
SENTENCES = ["sentence-mean", "sentence-cls", "sentence-max", "sentence-dense", "sentence-prompt",
             "sentence-lookup-bh4", "sentence-lookup-dense"]
WITH_LOGITS = ("Hello, world!", "")  # those of a masked language model are large

def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def json_bytes(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def require_close(got, expected, what):
    error = np.abs(got - expected).max() / math.sqrt((expected**2).mean())
    if not error < 2e-5:
        sys.exit(f"{what}: the reference differs by {error:.1e}")


def copied(folder, names):
    return {name: json_bytes(read_json(folder / name)) for name in names if (folder / name).exists()}


def require_what_transformers_computed(folder, encoder, tokens):
    io = read_tensors(folder / "io.safetensors")
    for prefix, kind in (("", "texts"), ("pair_", "pairs")):
        for i, entry in enumerate(tokens[kind]):
            if f"{prefix}hidden.{i}" not in io:
                continue
            hidden = encoder.hidden(entry["ids"], entry.get("types"))
            require_close(hidden, io[f"{prefix}hidden.{i}"], f"{folder.name} {kind} {i}")
            if f"{prefix}start.{i}" in io:
                expected = np.stack([io[f"{prefix}start.{i}"], io[f"{prefix}end.{i}"]], -1).reshape(-1, 2)
                require_close(encoder.logits(hidden), expected, f"{folder.name} {kind} {i}")
            if f"{prefix}logits.{i}" in io:
                expected = io[f"{prefix}logits.{i}"]
                logits = encoder.logits(hidden).reshape(expected.shape)
                require_close(logits, expected, f"{folder.name} logits {kind} {i}")


def labels_of(config, count):
    return [config.get("id2label", {}).get(str(i), f"LABEL_{i}") for i in range(count)]


def require_what_the_pipeline_found(folder, config, tokens):
    """Entities that transformers joined, of its own scores."""
    io = read_tensors(folder / "io.safetensors")
    places = {entry["text"]: i for i, entry in enumerate(tokens["texts"])}
    for aggregation in AGGREGATIONS:
        for entry in tokens.get(f"entities_{aggregation}", []):
            i = places[entry["text"]]
            logits = io[f"logits.{i}"]
            found = entities_of(tokens["texts"][i], logits, labels_of(config, logits.shape[1]), aggregation)
            wanted = [(one.get("entity", one.get("entity_group")), one["start"], one["end"]) for one in entry["entities"]]
            assert [(one["label"], one["start"], one["end"]) for one in found] == wanted, (aggregation, entry["text"])
            for one, other in zip(found, entry["entities"]):
                assert abs(one["score"] - other["score"]) < 1e-5, (aggregation, entry["text"])


def tasks_of(encoder, config, texts, io):
    """What is made of the scores of these texts' tokens."""
    if config["architectures"][0].endswith("ForTokenClassification"):
        count = io["logits.0"].shape[1]
        return {f"entities_{aggregation}": [
            {"text": entry["text"],
             "entities": entities_of(entry, io[f"logits.{i}"], labels_of(config, count), aggregation)}
            for i, entry in enumerate(texts) if len(entry["ids"]) == len(entry["full_ids"])]
                for aggregation in AGGREGATIONS}
    whole = [entry for entry in texts if len(entry["ids"]) == len(entry["full_ids"]) and len(entry["ids"]) > 10]
    question = min(whole, key=lambda entry: len(entry["ids"]))
    answers = []
    for context in whole:
        for how in ANSWERS:
            if len(question["ids"]) + how["stride"] + 1 >= how["max_tokens"]:
                continue
            found = answers_of(question, context, lambda ids, types: encoder.logits(encoder.hidden(ids, types)),
                               how["max_tokens"], how["stride"], how["max_answer_tokens"], TOP_K)
            answers.append({"question": question["text"], "context": context["text"], **how, "answers": found})
    assert answers
    return {"answers": answers}


def small_model(folder, first_with_tokenizer):
    tokens, config = read_json(folder / "tokens.json"), read_json(folder / "config.json")
    tensors = read_tensors(folder / "model.safetensors")
    require_what_transformers_computed(folder, Encoder(config, tensors), tokens)
    require_what_the_pipeline_found(folder, config, tokens)
    texts = [dict(tokens["texts"][i]) for i in (TEXTS if first_with_tokenizer else FEW_TEXTS)]
    pairs = [dict(tokens["pairs"][i]) for i in (PAIRS if first_with_tokenizer else FEW_PAIRS)]
    used = {number for entry in texts + pairs for number in entry.get("full_ids", entry["ids"])}
    tokenizer = CutTokenizer(folder, used)
    for entry in texts + pairs:
        for key in ("ids", "full_ids"):
            if key in entry:
                entry[key] = tokenizer.ids(entry[key])
    config, tensors = narrow_model(config, tensors, tokenizer.kept)
    encoder, io = Encoder(config, tensors), {}
    for prefix, entries in (("", texts), ("pair_", pairs)):
        for i, entry in enumerate(entries):
            hidden = encoder.hidden(entry["ids"], entry.get("types"))
            io[f"{prefix}hidden.{i}"] = hidden
            logits = encoder.logits(hidden)
            if folder.name.endswith("-answers"):
                io[f"{prefix}start.{i}"], io[f"{prefix}end.{i}"] = logits.T
            elif logits.ndim == 1 or entry.get("text") in WITH_LOGITS or folder.name.endswith("-tokens"):
                io[f"{prefix}logits.{i}"] = logits
    others = copied(folder, ("tokenizer_config.json", "special_tokens_map.json"))
    settings = json.loads(others["tokenizer_config.json"])
    if "added_tokens_decoder" in settings:
        settings["added_tokens_decoder"] = {str(tokenizer.new[int(number)]): token
                                            for number, token in settings["added_tokens_decoder"].items()}
        others["tokenizer_config.json"] = json_bytes(settings)
    tasks = tasks_of(encoder, config, texts, io) if folder.name in TOKENS else {}
    return {"config.json": json_bytes(config), "model.safetensors": tensor_bytes(tensors, {"format": "pt"}),
            "tokens.json": json_bytes({"texts": texts, "pairs": pairs, **tasks}), "io.safetensors": tensor_bytes(io),
            **tokenizer.files(first_with_tokenizer), **others}


def variants(files, folders):
    """More folders of the weights of one, without a tokenizer: {name: files} of {name: (config, tensors)}."""
    tokens = json.loads(files["tokens.json"])
    tokens = {"texts": tokens["texts"][:4], "pairs": tokens["pairs"][:2]}
    result = {}
    for name, (config, tensors) in folders.items():
        encoder, io = Encoder(config, tensors), {}
        for prefix, kind in (("", "texts"), ("pair_", "pairs")):
            for i, entry in enumerate(tokens[kind]):
                io[f"{prefix}hidden.{i}"] = hidden = encoder.hidden(entry["ids"], entry.get("types"))
                logits = encoder.logits(hidden)
                if logits.ndim == 1 or entry.get("text") in WITH_LOGITS:
                    io[f"{prefix}logits.{i}"] = logits
        result[name] = {"config.json": json_bytes(config), "tokens.json": json_bytes(tokens),
                        "model.safetensors": tensor_bytes(tensors, {"format": "pt"}),
                        "io.safetensors": tensor_bytes(io)}
    return result


def weights_of(files):
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "model.safetensors"
        path.write_bytes(files["model.safetensors"])
        return json.loads(files["config.json"]), read_tensors(path)


def prompt_ids(text, vocabulary):
    """Of a prompt of small letters and signs."""
    ids = []
    for word in text.replace(":", " :").split():
        begin = 0
        while begin < len(word):
            end = next(end for end in range(len(word), begin, -1) if "##" * (begin > 0) + word[begin:end] in vocabulary)
            ids.append(vocabulary["##" * (begin > 0) + word[begin:end]])
            begin = end
    return ids


def small_sentence_encoder(folder, golden):
    """The ids of a text are those of another folder, with the same vocabulary."""
    config, tensors = read_json(folder / "config.json"), read_tensors(folder / "model.safetensors")
    assert (folder / "vocab.txt").read_bytes() == (golden / "bert-mlm" / "vocab.txt").read_bytes()
    all_texts = read_json(folder / "texts.json")
    entries = read_json(golden / "bert-mlm" / "tokens.json")["texts"]
    full_ids = {entry["text"]: entry["full_ids"] for entry in entries}
    settings = read_json(folder / "config_sentence_transformers.json")
    prompt = settings["prompts"].get(settings["default_prompt_name"] or "", "")
    before = prompt_ids(prompt, read_json(folder / "tokenizer.json")["model"]["vocab"])
    longest = read_json(folder / "sentence_bert_config.json")["max_seq_length"]
    modules = read_json(folder / "modules.json")
    parts = {path.parent.name: read_json(path) for path in folder.glob("*_*/config.json")}
    dense = read_tensors(folder / "2_Dense" / "model.safetensors") if "2_Dense" in parts else None

    def cut(ids):
        ids = ids[:1] + before + ids[1:]
        return ids if len(ids) <= longest else ids[:longest - 1] + ids[-1:]

    model = SentenceEncoder(Encoder(config, tensors), modules, parts, dense)
    expected = read_tensors(folder / "io.safetensors")["embeddings"]
    for text, row in zip(all_texts, expected):
        require_close(model.embedding(cut(full_ids[text])), row, f"{folder.name} {text}")

    texts = [entries[i]["text"] for i in (*FEW_TEXTS, LONG) if entries[i]["text"] in all_texts]
    tokenizer = CutTokenizer(folder, {number for text in texts for number in full_ids[text]} | set(before))
    config, tensors = narrow_model(config, tensors, tokenizer.kept)
    parts["1_Pooling"]["word_embedding_dimension"] = WIDTH
    files = {}
    if dense:
        dense = {"linear.weight": dense["linear.weight"][:DENSE_WIDTH, :WIDTH],
                 "linear.bias": dense["linear.bias"][:DENSE_WIDTH]}
        parts["2_Dense"].update(in_features=WIDTH, out_features=DENSE_WIDTH)
        files["2_Dense/model.safetensors"] = tensor_bytes(dense)
    model = SentenceEncoder(Encoder(config, tensors), modules, parts, dense)
    embeddings = np.stack([model.embedding(tokenizer.ids(cut(full_ids[text]))) for text in texts])
    # As for the golden layers: no code hangs on how a sum was rounded.
    nearest = model.encoder.smallest_z
    assert nearest > 2e-5, f"{folder.name}: a code is only {nearest:.1e} from another"
    files.update({f"{path}/config.json": json_bytes(part) for path, part in parts.items()})
    return {"config.json": json_bytes(config), "model.safetensors": tensor_bytes(tensors, {"format": "pt"}),
            "texts.json": json_bytes(texts), "io.safetensors": tensor_bytes({"embeddings": embeddings}), **files,
            **tokenizer.files(False),
            **copied(folder, ("modules.json", "config_sentence_transformers.json", "sentence_bert_config.json",
                              "tokenizer_config.json", "special_tokens_map.json"))}


def make(golden):
    """{path: bytes} of all folders."""
    golden = Path(golden)
    folders = {Path(name).name: small_model(golden / name, first_with_tokenizer)
               for name, first_with_tokenizer in MODELS.items()}
    of_deberta, pre_norm = folders["deberta-v2-classes"], folders["roberta-prelayernorm-mlm"]
    folders.update(variants(of_deberta, debertas(*weights_of(of_deberta), np.random.default_rng(1))))
    folders.update(variants(pre_norm, other_xl(*weights_of(pre_norm))))
    for name in ("electra-classes", "deberta-v2-classes"):
        made = language_models(*weights_of(folders[name]), np.random.default_rng(2))
        folders.update(variants(folders[name], made))
    beside = golden.with_name(golden.name + "3")
    folders.update({name: small_model(beside / name, first) for name, first in TOKENS.items()})
    folders.update({name: small_sentence_encoder(golden / name, golden) for name in SENTENCES})
    return {f"{name}/{file}": content for name, files in folders.items() for file, content in files.items()}


def main(golden, target):
    files = make(golden)
    Path(target).write_bytes(archive.pack(files))
    print(f"{target}: {len(files)} files, {sum(map(len, files.values()))} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
