# SPDX-License-Identifier: Apache-2.0
"""Narrow parts of a model's weights, and models of other settings and heads with such weights."""
import math

import numpy as np

# Sizes that fill no register: the remainders are computed too.
WIDTH, HEADS, INNER, LAYERS, DENSE_WIDTH = 12, 3, 20, 2, 5
NARROW_WORDS = 7  # where words' vectors are narrower than the model
TABLES, ROWS, BLOCK, PADDED = 7, 16, 4, 16


def narrow(name, value, words):
    """A part of a weight for a model of the sizes above; what is summed over fewer numbers is scaled up."""
    def grown(part, of):
        return part * math.sqrt(of / part.shape[-1])

    if name.endswith(("cls.predictions.bias", "lm_head.bias", "vocab_projector.bias")):
        return value[words]
    if name.startswith("electra.embeddings"):
        value = value[..., :NARROW_WORDS] if not name.endswith("project.bias") else value
        return value[words] if "word_embeddings" in name else value[:WIDTH] if "project" in name else value
    if name.endswith("word_embeddings.weight"):
        return value[words, :WIDTH]
    if name.endswith("relative_attention_bias.weight"):
        return value[:, :HEADS]
    if name.endswith(("position_embeddings.weight", "token_type_embeddings.weight", "rel_embeddings.weight")):
        return value[:, :WIDTH]
    if name.endswith("FFN.tables"):
        return value[:TABLES, :ROWS, :WIDTH]
    if name.endswith("FFN.hash.projection.bias"):
        return value[:TABLES * (ROWS.bit_length() - 1)]
    if name.endswith("FFN.hash.projection.weight"):
        if value.ndim == 2:
            return grown(value[:TABLES * (ROWS.bit_length() - 1), :WIDTH], value.shape[-1])
        before = value.shape[2] * value.shape[3]
        return grown(value[:, :, :PADDED // BLOCK, :BLOCK, :BLOCK], value.shape[-1]) * math.sqrt(before / PADDED)
    if name.endswith(("intermediate.dense.weight", "ffn.lin1.weight")):
        return grown(value[:INNER, :WIDTH], value.shape[1])
    if name.endswith(("intermediate.dense.bias", "ffn.lin1.bias")):
        return value[:INNER]
    if name.endswith(("output.dense.weight", "ffn.lin2.weight")) and ".attention." not in name:
        return grown(value[:WIDTH, :INNER], value.shape[1])
    if name in ("classifier.weight", "classifier.out_proj.weight", "qa_outputs.weight"):
        return grown(value[:, :WIDTH], value.shape[1])
    if name in ("classifier.bias", "classifier.out_proj.bias", "qa_outputs.bias"):
        return value
    if value.ndim == 1:
        return value[:WIDTH]
    return grown(value[:WIDTH, :WIDTH], value.shape[1])


def narrow_model(config, tensors, words):
    small = {name: narrow(name, value, words).astype("<f4").astype(np.float64)
             for name, value in tensors.items() if f".layer.{LAYERS}." not in name}
    config = dict(config, vocab_size=len(words))
    distil = config["model_type"] == "distilbert"
    keys = (("dim", "hidden_dim", "n_heads", "n_layers") if distil else
            ("hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers"))
    config.update(zip(keys, (WIDTH, INNER, HEADS, LAYERS)))
    if config.get("embedding_size", 0) != 0:
        config["embedding_size"] = NARROW_WORDS
    if "pooler_hidden_size" in config:
        config["pooler_hidden_size"] = WIDTH
    if "ffn_kinds" in config:
        config.update(ffn_kinds=config["ffn_kinds"][:LAYERS], ffn_num_table=TABLES, ffn_table_size=ROWS)
        if "block_size" in config:
            config["block_size"] = BLOCK
    return config, small


def drawn(generator, *shape):
    return generator.normal(0, 0.3, shape).astype("<f4").astype(np.float64)


def debertas(config, tensors, generator):
    """Other settings of DeBERTa's than the golden folders have: {name: (config, tensors)}."""
    def with_rows(rows):
        return dict(tensors, **{"deberta.encoder.rel_embeddings.weight": drawn(generator, rows, WIDTH)})

    def with_layers(kinds):
        return {f"deberta.encoder.layer.{i}.attention.self.{kind}_proj.{end}": drawn(generator, *shape)
                for i in range(LAYERS) for kind in kinds for end, shape in (("weight", (WIDTH, WIDTH)), ("bias", (WIDTH,)))}

    plain = {name: value for name, value in tensors.items() if not name.startswith("deberta.encoder.LayerNorm.")}
    embeddings = {name: value for name, value in plain.items() if "rel_embeddings" not in name}
    embeddings["deberta.embeddings.word_embeddings.weight"] = drawn(generator, config["vocab_size"], NARROW_WORDS)
    embeddings["deberta.embeddings.embed_proj.weight"] = drawn(generator, WIDTH, NARROW_WORDS)
    embeddings["deberta.embeddings.position_embeddings.weight"] = drawn(generator, 64, NARROW_WORDS)
    embeddings["deberta.embeddings.token_type_embeddings.weight"] = drawn(generator, 2, NARROW_WORDS)
    return {
        "deberta-v2-each-distance": (
            dict(config, position_buckets=-1, max_relative_positions=20, pos_att_type=["c2p"], share_att_key=False),
            dict(with_rows(40), **with_layers(["pos_key"]))),
        "deberta-v2-keys-alone": (
            dict(config, position_buckets=7, max_relative_positions=40, pos_att_type="p2c"), with_rows(14)),
        "deberta-v2-own-keys": (
            dict(config, position_buckets=8, share_att_key=False, norm_rel_ebd="none"),
            {**plain, **with_layers(["pos_key", "pos_query"]),
             "deberta.encoder.rel_embeddings.weight": drawn(generator, 16, WIDTH)}),
        "deberta-v2-absolute": (
            dict(config, relative_attention=False, norm_rel_ebd="none", position_biased_input=True, type_vocab_size=2,
                 embedding_size=NARROW_WORDS), embeddings)}


def language_models(config, tensors, generator):
    """Heads that no golden folder of these families has."""
    encoder = {name: value for name, value in tensors.items() if not name.startswith(("classifier.", "pooler."))}

    def head(dense, norm, bias, size):
        return {dense + ".weight": drawn(generator, size, WIDTH), dense + ".bias": drawn(generator, size),
                norm + ".weight": 1 + drawn(generator, size), norm + ".bias": drawn(generator, size),
                bias: drawn(generator, config["vocab_size"])}

    if config["model_type"] == "electra":
        names = "generator_predictions.dense", "generator_predictions.LayerNorm", "generator_lm_head.bias"
        return {"electra-mlm": (dict(config, architectures=["ElectraForMaskedLM"]),
                                {**encoder, **head(*names, NARROW_WORDS)})}
    config = dict(config, architectures=["DebertaV2ForMaskedLM"])
    old = [f"cls.predictions.{part}" for part in ("transform.dense", "transform.LayerNorm", "bias")]
    new = [f"lm_predictions.lm_head.{part}" for part in ("dense", "LayerNorm", "bias")]
    return {"deberta-v2-mlm": (config, {**encoder, **head(*old, WIDTH)}),
            "deberta-v2-new-mlm": (dict(config, legacy=False), {**encoder, **head(*new, WIDTH)})}


def other_xl(config, tensors):
    """XLM-RoBERTa XL of a pre-norm RoBERTa."""
    names = {"roberta_prelayernorm.LayerNorm.": "roberta.encoder.LayerNorm.", "roberta_prelayernorm.": "roberta.",
             "attention.LayerNorm": "attention.self_attn_layer_norm", "intermediate.LayerNorm": "LayerNorm"}
    result = {}
    for name, value in tensors.items():
        if ".embeddings.LayerNorm." in name:
            continue
        for old, new in names.items():
            name = name.replace(old, new)
        result[name] = value
    return {"xlm-roberta-xl-mlm": (
        dict(config, model_type="xlm-roberta-xl", architectures=["XLMRobertaXLForMaskedLM"]), result)}
