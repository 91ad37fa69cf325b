# SPDX-License-Identifier: Apache-2.0
"""Several students beside one teacher on packed rows: tiny models, seconds."""

import json
import lzma
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lookupffn import __main__, assembly, family_config, family_model, load_sentence_encoder, onnx_weights, safetensors
from lookupffn.distiller import quantise
from lookupffn.layer import LookupFFN
from lookupffn.many import command, draw, encoder, losses, packs, start, texts
from lookupffn.many.run import Run
from lookupffn.swap import replace_ffns
from lookupffn.text_tokenizer import TextTokenizer

torch.set_num_threads(1)
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

SENTENCE = archive.unpacked("training/data.tar") / "sentence-lookup-bh4"
WORDS = "the quick brown fox jumps over a lazy dog civil service workers line users type port seed base hit text".split()
STUDENT = {"num_attention_heads": [1, 2], "attention_head_size": 16, "intermediate_size": 24, "ffn_words": True, "ffn_word_rows": 40}


def model_of(**changes):
    torch.manual_seed(3)
    raw = {"model_type": "bert", "vocab_size": 1500, "max_position_embeddings": 64, "hidden_size": 32, "pad_token_id": 0,
           "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64, "hidden_act": "gelu",
           "type_vocab_size": 2, "initializer_range": 0.12, **changes}
    return family_model.FamilyModel(family_config.FamilyConfig("bert", raw)).eval()


def with_lookups(projection="dense"):
    """Few heads, lookups in place of neurons, rows by word."""
    model = model_of(**{key: value for key, value in STUDENT.items() if not key.startswith("ffn_")})
    replace_ffns(model, "lookup", ffn_num_table=[6, 8], ffn_table_size=8, projection_type=projection, block_size=16,
                 ffn_words=True, ffn_word_rows=40, **({"ffn_linear": [True, False]} if projection == "dense" else {}))
    with torch.no_grad():
        for layer in model.layers:
            layer.FFN.tables.normal_(std=0.2)
            layer.words.weight.normal_(std=0.3)
    return model.eval()


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A teacher, a student that begins anew, texts."""
    folder = tmp_path_factory.mktemp("many")
    family_model.save_folder(model_of(), folder / "teacher", SENTENCE)
    family_model.save_folder(model_of(**STUDENT), folder / "student", SENTENCE)
    family_model.save_folder(with_lookups(), folder / "lookups", SENTENCE)
    random = np.random.default_rng(1)
    lines = [". ".join(" ".join(random.choice(WORDS, random.integers(4, 12))) for _ in range(random.integers(1, 6))) + "."
             for _ in range(300)]
    with lzma.open(folder / "long.txt.xz", "wt") as file:
        file.write("\n".join(lines))
    (folder / "scenes.txt").write_text("\n\n".join(" ".join(random.choice(WORDS, 6)) for _ in range(60)))
    __main__.main(["texts", str(folder / "all.texts"), str(folder / "long.txt.xz"), str(folder / "scenes.txt"), "--tokenizer",
                   str(folder / "teacher")])
    return folder


def test_texts_come_back_and_count_their_words(places):
    tokenizer, found = TextTokenizer.load(places / "teacher"), texts.load(places / "all.texts")
    again = texts.prepare([places / "long.txt.xz", places / "scenes.txt"], tokenizer)
    assert found.names == ["long", "scenes"] and np.array_equal(found.ids, again.ids) and np.array_equal(found.starts, again.starts)
    first = lzma.open(places / "long.txt.xz", "rt").readline().strip()
    assert found.passage(0).tolist() == tokenizer.pieces.encode(first)[:250]
    assert found.counts.sum() == pytest.approx(1)
    spelled = {tuple(found.word(i).tolist()) for i in range(len(found.word_size))}
    assert spelled == {tuple(ids) for ids in map(tokenizer.pieces.encode, WORDS) if len(ids) <= 4}


def test_a_batch_holds_whole_pieces_that_do_not_overlap(places):
    make = command.draws(places / "teacher", texts.load(places / "all.texts"), draw.Shares(noisy=0.5, twins=0.8, joined=0.5))
    tokenizer = TextTokenizer.load(places / "teacher")
    batch, same, other = make(5).batch(8, 64), make(5).batch(8, 64), make(6).batch(8, 64)
    assert np.array_equal(batch.ids, same.ids) and not np.array_equal(batch.ids, other.ids)
    assert (batch.pieces >= 0).mean() > 0.8 and set(batch.kinds) == {draw.PASSAGE, draw.QUERY, draw.SHORT}
    for number in range(len(batch.kinds)):
        rows, columns = np.nonzero(batch.pieces == number)
        assert len(set(rows)) == 1 and np.array_equal(np.diff(columns), np.ones(len(columns) - 1))
        ids = batch.ids[rows, columns]
        assert ids[0] == tokenizer.begin and ids[-1] == tokenizer.end
        assert np.array_equal(batch.places[rows, columns], np.arange(len(ids)))


def test_only_the_sources_asked_for_are_drawn_from(places):
    found = texts.load(places / "all.texts")
    make = command.draws(places / "teacher", found, draw.Shares(noisy=0, twins=0, queries=0, shorts=1, lists=1), ["scenes"])
    batch = make(1).batch(4, 64)
    scenes = {tuple(found.passage(i).tolist()) for i in np.flatnonzero(found.source == 1)}
    whole = [tuple(batch.ids[batch.pieces == n][1:-1].tolist()) for n in np.flatnonzero(batch.kinds == draw.SHORT)]
    assert whole and set(whole) <= scenes
    with pytest.raises(ValueError, match="no passage of these sources"):
        command.draws(places / "teacher", found, draw.Shares(), ["news"])(1)


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token"])
@pytest.mark.parametrize("changes", [{}, STUDENT, "lookups"])
def test_packed_rows_give_what_texts_alone_give(places, pooling, changes):
    model = with_lookups() if changes == "lookups" else model_of(**changes)
    if changes == STUDENT:
        for layer in model.layers:
            torch.nn.init.normal_(layer.words.weight, std=0.3)
    batch = command.draws(places / "teacher", texts.load(places / "all.texts"), draw.Shares())(2).batch(3, 48)
    ids, pieces, spots = (torch.from_numpy(part).long() for part in (batch.ids, batch.pieces, batch.places))
    expected = []
    with torch.no_grad():
        for number in range(len(batch.kinds)):
            hidden = model(ids[pieces == number][None])[0]
            expected.append(torch.nn.functional.normalize(hidden[0] if pooling == "cls_token" else hidden.mean(0), dim=0))
    mine = encoder.Packed(model_of(**changes) if not changes else model, pooling, [0], torch.device("cpu"), torch.float32)
    mine.refresh(False)
    first = torch.tensor([int(((pieces == n).flatten()).nonzero()[0]) for n in range(len(batch.kinds))])
    with torch.no_grad():
        last, state = mine.hidden(ids, spots, encoder.mask_bias(pieces, torch.float32))
        got = mine.pool(last, pieces, len(batch.kinds), first)
    assert torch.allclose(got, torch.stack(expected), atol=2e-5) and state.shape == last.shape


def test_ranking_has_no_loss_where_all_is_as_the_teacher_has_it():
    wanted = torch.nn.functional.normalize(torch.randn(6, 8, generator=torch.Generator().manual_seed(1)), dim=-1)
    bank = losses.Bank(5, 8, torch.device("cpu"))
    bank.add(wanted[:3])
    bank.add(wanted[1:5])
    assert torch.equal(bank.all(), wanted[[3, 4, 2, 1, 2]])
    loss, cosine, rank = losses.embedding_loss(wanted, losses.Wanted.of(wanted, bank), losses.Weights())
    assert float(loss) == pytest.approx(0, abs=1e-4) and float(cosine) == pytest.approx(1) and float(rank) == pytest.approx(0, abs=1e-4)
    loss, _, rank = losses.embedding_loss(wanted.flip(0), losses.Wanted.of(wanted, bank), losses.Weights())
    assert float(rank) > 1 and float(loss) > float(rank)


@pytest.mark.parametrize("projection", ["dense", "bh4"])
def test_lookups_are_rounded_as_the_library_rounds_them(projection):
    model = with_lookups(projection)
    wanted = quantise.int8_weights(model)
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    wanted = {names[id(parameter)]: value.clone() for parameter, value in wanted.items() if ".FFN." in names[id(parameter)]}
    packed = encoder.Packed(model, "mean_tokens", [], torch.device("cpu"), torch.float32)
    packed.refresh(True)
    found = dict(packed.short.named_parameters())
    assert len(wanted) >= 4
    for name, value in wanted.items():
        torch.testing.assert_close(found[name], value, msg=name)
    kinds = {kind: len(pairs) for kind, pairs in packed.pairs.items()}
    assert (kinds["lookups"], kinds["factors"]) == ((8, 0) if projection == "dense" else (6, 2))


def test_codes_are_those_of_float32_in_a_shorter_type_too():
    model = with_lookups()
    packed = encoder.Packed(model, "mean_tokens", [], torch.device("cpu"), torch.bfloat16)
    packed.refresh(False)
    for whole, short in zip(model.layers, packed.short.layers):
        assert torch.equal(whole.FFN.hash.projection.weight, short.FFN.hash.projection.weight)
        assert short.FFN.tables.dtype == torch.float32 and short.output.LayerNorm.weight.dtype == torch.bfloat16
    ids = torch.randint(5, 1500, (2, 12))
    pieces = torch.zeros_like(ids)
    last, = packed.hidden(ids, torch.arange(12).expand(2, 12), encoder.mask_bias(pieces, torch.bfloat16))
    last.float().square().sum().backward()
    assert all(mine.grad is not None and bool(mine.grad.isfinite().all()) for mine in
               [p for module in packed.short.modules() if isinstance(module, LookupFFN) for p in module.parameters()])


def test_lookups_learn_as_neurons_do(places, tmp_path):
    """On the same texts, from the same losses; what comes out are int8 tables that the library loads."""
    log = run(places, tmp_path / "out", "--most-steps", "100", "--rate", "3e-3", "--lookup-rate", "1e-2", lookups=True)
    gained = {name: log[-1][name]["cosine"] - log[0][name]["cosine"] for name in ("narrow", "lookups")}
    assert gained["narrow"] > 0.1 and gained["lookups"] > 0.1, gained
    tensors = packs.read_tensors(tmp_path / "out" / "lookups.pack")[1]
    tables = next(value for name, value in tensors.items() if name.endswith("layer.0.FFN.tables"))
    steps = tables / (np.abs(tables).max(-1, keepdims=True) / 127)
    assert tables.shape == (6, 8, 32) and np.abs(steps - np.rint(steps)).max() < 1e-3
    __main__.main(["unpack", str(tmp_path / "out" / "lookups.pack"), str(tmp_path / "folder"), "--like", str(places / "teacher")])
    student = load_sentence_encoder(tmp_path / "folder")
    assert student.layers[1].FFN.num_tables == 8 and student.layers[0].FFN.linear is not None


def run(places, out, *options, lookups=False):
    plan = places / "plan.json"
    more = [{"name": "lookups", "start": "lookups", "states": {"1": [1, 1.0]}}] if lookups else []
    plan.write_text(json.dumps({"students": [{"name": "narrow", "start": "student", "states": {"1": [1, 1.0]}}, {"name": "static"}, *more]}))
    __main__.main(["distill-many", str(places / "teacher"), "--texts", str(places / "all.texts"), "--plan", str(plan), "--out",
                   str(out), "--rows", "4", "--length", "48", "--seconds", "1e9", "--warm-up", "5", "--bank", "64", *options])
    return json.loads((out / "log.json").read_text()) if (out / "log.json").exists() else None


def test_students_learn_and_come_out_as_folders(places, tmp_path):
    log = run(places, tmp_path / "out", "--most-steps", "80", "--rate", "3e-3")
    assert log[-1]["step"] == 80 and log[-1]["narrow"]["cosine"] > log[0]["narrow"]["cosine"] + 0.1
    assert log[-1]["static"]["cosine"] > log[0]["static"]["cosine"]
    __main__.main(["unpack", str(tmp_path / "out" / "narrow.pack"), str(tmp_path / "folder"), "--like", str(places / "teacher")])
    teacher, student = load_sentence_encoder(places / "teacher"), load_sentence_encoder(tmp_path / "folder")
    wanted = [" ".join(WORDS[i : i + 6]) for i in range(10)]
    assert float((student.encode(wanted) * teacher.encode(wanted)).sum(1).mean()) > log[0]["narrow"]["cosine"]
    assert student.model.config.word_rows == 40 and student.model.config.heads(0) == 1


def test_students_read_the_same_texts_together_and_apart(places, tmp_path):
    together = run(places, tmp_path / "together", "--most-steps", "12", lookups=True)
    apart = run(places, tmp_path / "apart", "--most-steps", "12")
    assert [entry["narrow"] for entry in (together[0], together[-1])] == [entry["narrow"] for entry in (apart[0], apart[-1])]
    assert (tmp_path / "together" / "narrow.pack").read_bytes() == (tmp_path / "apart" / "narrow.pack").read_bytes()


def test_a_run_goes_on_where_it_stopped(places, tmp_path):
    state = tmp_path / "state.pt"
    assert run(places, tmp_path / "out", "--most-steps", "20", "--state", str(state), "--stop-after", "0.01", lookups=True) is None
    kept = torch.load(state)
    before = json.loads(kept["note"])[1]
    assert any(whole.dim() == 3 for whole in kept["whole"][2]), "tables are kept"
    log = run(places, tmp_path / "out", "--most-steps", "20", "--state", str(state), lookups=True)
    assert 0 < before < 20 and log[-1]["step"] == 20


def test_a_killed_run_goes_on_from_the_state_that_was_kept_last(places, tmp_path, monkeypatch):
    state, step = tmp_path / "state.pt", Run._step

    def killed_at_seven(self, batch, done):
        if self.steps == 7:
            raise KeyboardInterrupt
        step(self, batch, done)

    monkeypatch.setattr(Run, "_step", killed_at_seven)
    with pytest.raises(KeyboardInterrupt):
        run(places, tmp_path / "out", "--most-steps", "20", "--state", str(state), "--save-every", "0")
    assert json.loads(torch.load(state)["note"])[1] == 7
    monkeypatch.setattr(Run, "_step", step)
    log = run(places, tmp_path / "out", "--most-steps", "20", "--state", str(state))
    assert log[-1]["step"] == 20 and log[-1]["tokens"] == 20 * log[0]["tokens"]


def test_packs_and_starts_keep_what_they_should(places, tmp_path):
    model = model_of(**STUDENT)
    for layer in model.layers:
        torch.nn.init.normal_(layer.words.weight)
    packs.write(tmp_path / "a.pack", model.file_config(), model.file_tensors(), matrices="f16")
    again = packs.read(tmp_path / "a.pack")
    for (name, mine), (_, other) in zip(model.named_parameters(), again.named_parameters()):
        bound = mine.abs().max() * (0.08 if "words" in name else 0.005)
        assert (mine - other).abs().max() <= bound, name
    one = start.with_layers(model, [1])
    assert one.config.num_layers == 1 and torch.equal(one.layers[0].words.weight, model.layers[1].words.weight)
    assert one.config.heads(0) == 2
    counts = np.zeros(1500)
    counts[[700, 3, 30]] = 3, 2, 1
    rows = start.with_rows(model, counts, 3)
    of = rows.base.embeddings.word_rows
    assert of[[700, 3, 30]].tolist() == [0, 1, 2] and rows.layers[0].words.weight.shape == (3, 32)
    assert torch.equal(rows.layers[0].words.weight[1], model.layers[0].words.weight[3])
    assert torch.equal(rows.layers[0].words.weight[0], model.layers[0].words.weight[39])
    packs.write(tmp_path / "b.pack", model.file_config(), model.file_tensors(), without_words=True)
    assert torch.equal(packs.read(tmp_path / "b.pack", model).base.embeddings.word_embeddings.weight,
                       model.base.embeddings.word_embeddings.weight)


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value


def onnx_of(tensors, products):
    graph = b"".join(field(5, b"".join(varint(1 << 3) + varint(n) for n in values.shape) + varint(2 << 3) + varint(1)
                           + field(8, name.encode()) + field(9, values.astype("<f4").tobytes())) for name, values in tensors.items())
    graph += b"".join(field(1, field(1, b"x") + field(1, weight.encode()) + field(2, b"y") + field(3, name.encode()) + field(4, b"MatMul"))
                      for name, weight in products.items())
    return field(7, graph)


def assembly_of(parts):
    """A PE file with a CLI header and resources, and nothing else."""
    body = b""
    for part in parts:
        body += struct.pack("<I", len(part)) + part
        body += bytes(-len(body) % 8)
    cli, address = 72, 0x2000
    data = bytearray(512 + cli + len(body))
    data[:2], data[0x3C:0x40], data[0x80:0x84] = b"MZ", struct.pack("<I", 0x80), b"PE\0\0"
    struct.pack_into("<HH12xH", data, 0x84, 0, 1, 224)
    struct.pack_into("<H", data, 0x98, 0x10B)
    struct.pack_into("<II", data, 0x98 + 96 + 8 * 14, address, cli)
    struct.pack_into("<IIII", data, 0x98 + 224 + 8, cli + len(body), address, cli + len(body), 512)
    struct.pack_into("<II", data, 512 + 24, address + cli, len(body))
    data[512 + cli :] = body
    return bytes(data)


def test_a_folder_comes_from_an_assembly(tmp_path):
    tensors, products = {}, {}
    for name, value in model_of(hidden_size=64).file_tensors().items():
        name = name.removeprefix("bert.")
        if name.endswith("weight") and "embeddings" not in name and value.dim() == 2:
            products["/" + name.removesuffix(".weight").replace(".", "/").replace("layer/", "layer.") + "/MatMul"] = f"w{len(products)}"
            tensors[f"w{len(products) - 1}"] = value.numpy().T
        else:
            tensors[name] = value.numpy()
    big = {"unused": np.zeros(300_000, np.float32)}
    words = b"[PAD]\r\n" + b"".join(b"w%d\r\n" % i for i in range(1499))
    data = assembly_of([onnx_of({**tensors, **big}, products), words])
    (tmp_path / "a.dll").write_bytes(data)
    script = Path(__file__).resolve().parents[2] / "training" / "scripts" / "folder_from_assembly.py"
    subprocess.run([sys.executable, script, tmp_path / "a.dll", tmp_path / "out", "--prompt", "query=find: "], check=True)
    found = safetensors.load(tmp_path / "out" / "model.safetensors")[0]
    for name, value in model_of(hidden_size=64).file_tensors().items():
        assert np.array_equal(found[name.removeprefix("bert.")], value.numpy()), name
    assert json.loads((tmp_path / "out" / "config_sentence_transformers.json").read_text())["prompts"] == {"query": "find: "}
    for cut in (1, 0x90, 600, len(data) - 9):
        with pytest.raises(ValueError):
            list(map(onnx_weights.read, assembly.resources(data[:cut])))
