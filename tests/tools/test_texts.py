#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The formats of the subcommands on texts, which scripts rely on; and Hugging Face folders through them."""
import array
import json
import struct
import sys
import unittest
from pathlib import Path

from test_models import LINES, MODEL, Case, run, run_lines

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import archive  # noqa: E402

SMALL = archive.unpack((ROOT / "tests" / "model" / "small-folders.tar").read_bytes())
# Folders written by transformers and sentence-transformers, with what these compute. The large ones are not in the
# repository.
DATA_HF = archive.unpacked("model/data-hf.tar")
GOLDEN = [folder for folder in (ROOT.parent / "shared" / "golden-hf", DATA_HF) if folder.is_dir()]


def read_safetensors(path):
    """Names to (shape, floats)."""
    data = Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    result = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        result[name] = (entry["shape"], array.array("f", data[8 + size + begin:8 + size + end]))
    return result


def rows(shape, numbers):
    width = shape[-1]
    return [numbers[i:i + width].tolist() for i in range(0, len(numbers), width)]


def as_json_lines(values):
    return "".join(json.dumps(value) + "\n" for value in values)


class JsonLines(Case):
    def test_a_string_and_an_object_are_the_same(self):
        texts = ["a line\nbreak", "naïve", ""]
        plain = run_lines("embed", "--json-lines", MODEL, stdin=as_json_lines(texts))
        self.assertEqual([line["text"] for line in plain], texts)
        objects = run_lines("embed", "--json-lines", MODEL, stdin=as_json_lines([{"text": text} for text in texts]))
        self.assertEqual(plain, objects)

    def test_pairs(self):
        line, = run_lines("tokenize", "--json-lines", MODEL, stdin='{"text": "a", "pair": "b"}\n')
        alone, = run_lines("tokenize", MODEL, stdin="a\n")
        self.assertGreater(len(line["ids"]), len(alone["ids"]))
        self.assertEqual(len(line["types"]), len(line["ids"]))
        line, = run_lines("classify", "--json-lines", MODEL, stdin='{"text": "a", "pair": "b"}\n')
        self.assertEqual((line["text"], line["pair"]), ("a", "b"))

    def test_what_is_no_text(self):
        for line in ("{", "17", "[]", '{"pair": "b"}', '{"text": 5}', '{"text": "a", "pair": 5}', ""):
            self.assertIn("standard input, line 2: ",
                          run("embed", "--json-lines", MODEL, stdin='"fine"\n' + line + "\n\n", status=1)[1])

    def test_cutting(self):
        long = "z" * 1000
        for command in ("embed", "classify", "encode"):
            run(command, "--max-tokens", "9", MODEL, stdin=long)
        ids = run_lines("encode", "--max-tokens", "9", MODEL, stdin=long)[0]["ids"]
        self.assertEqual(len(ids), 9)
        self.assertEqual(run_lines("tokenize", "--max-tokens", "9", MODEL, stdin=long)[0]["ids"], ids)
        own = json.loads(run("info", "--json", MODEL)[0])["own_max_tokens"]
        self.assertEqual(len(run_lines("tokenize", "--truncate", MODEL, stdin=long)[0]["ids"]), own)
        self.assertEqual(len(run_lines("tokenize", MODEL, stdin=long)[0]["ids"]), 1002)

    def test_a_prompt_by_its_text(self):
        prompted = run("embed", "--prompt-text", "unto ", MODEL, stdin="them")[0]
        self.assertEqual(json.loads(prompted)["embedding"],
                         json.loads(run("embed", MODEL, stdin="unto them")[0])["embedding"])
        self.assertNotEqual(json.loads(prompted)["embedding"], json.loads(run("embed", MODEL, stdin="them")[0])["embedding"])
        lines = run("search", MODEL, "--query", "them", "--query-prompt-text", "unto ", stdin="unto them\nthem")[0]
        self.assertEqual(lines.splitlines()[0], b" 1.0000  unto them")
        self.assertIn("excludes", run("embed", "--prompt-text", "a", "--prompt", "b", MODEL, stdin="a", status=2)[1])

    def test_an_unknown_prompt(self):
        self.assertIn("prompt", run("embed", "--prompt", "query", MODEL, stdin="a", status=1)[1])


class Encode(Case):
    def test_hidden_states(self):
        for line in run_lines("encode", MODEL, stdin=LINES):
            self.assertEqual(list(line), ["ids", "hidden"])
            self.assertEqual(len(line["hidden"]), len(line["ids"]))
            self.assertEqual({len(row) for row in line["hidden"]}, {64})

    def test_logits(self):
        line = run_lines("encode", "--logits", MODEL, stdin="x <mask>")[0]
        self.assertEqual(list(line), ["ids", "logits"])
        self.assertEqual({len(row) for row in line["logits"]}, {461})
        row = line["logits"][line["ids"].index(4)]
        best = run_lines("fill-mask", "--json", "--top-k", "1", MODEL, "x <mask>")[0]["masks"][0][0]["id"]
        self.assertEqual(best, row.index(max(row)))


class Search(Case):
    def test_finds_the_same_line(self):
        path = self.write("lines.txt", "The quick fox\nLazy dogs\nx\n")
        lines = run_lines("search", "--json", "--top", "2", MODEL, path, "--query", "Lazy dogs")
        self.assertEqual(len(lines), 2)
        self.assertEqual((lines[0]["index"], lines[0]["text"]), (1, "Lazy dogs"))
        self.assertAlmostEqual(lines[0]["score"], 1, places=5)
        self.assertGreaterEqual(lines[0]["score"], lines[1]["score"])
        text = run("search", MODEL, path, "--query", "x")[0].decode()
        self.assertTrue(text.splitlines()[0].endswith("  x"), text)

    def test_a_reranker_is_needed_to_rerank(self):
        self.assertIn("this model has 3", run("rerank", MODEL, "--query", "a", stdin="b\n", status=1)[1])


class Npy(Case):
    def test_numpy_reads_it(self):
        path = str(self.folder / "vectors.npy")
        raw, _ = run("embed", "--raw", MODEL, stdin=LINES)
        self.assertEqual(run("embed", "--npy", path, MODEL, stdin=LINES)[0], b"")
        data = Path(path).read_bytes()
        self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
        size, = struct.unpack("<H", data[8:10])
        self.assertEqual((10 + size) % 64, 0)
        head = data[10:10 + size].decode("latin1")
        self.assertTrue(head.endswith("\n"))
        self.assertEqual(eval(head), {"descr": "<f4", "fortran_order": False, "shape": (4, 64)})  # as numpy does
        self.assertEqual(data[10 + size:], raw)


class ModelInfo(Case):
    def test_table_and_json(self):
        info = json.loads(run("info", "--json", MODEL)[0])
        self.assertEqual(info["hidden_size"], 64)
        self.assertEqual(info["tokenizer"], "byte-level BPE")
        self.assertEqual(info["labels"], ["LABEL_0", "LABEL_1", "LABEL_2"])
        text = run("info", MODEL)[0].decode()
        for part in ("family", "tokenizer", "pooling mean", "classifier of 3", "in memory"):
            self.assertIn(part, text)

    def test_poolings_have_names(self):
        keys = {"cls_token": "first", "mean_tokens": "mean", "weightedmean_tokens": "weighted-mean", "lasttoken": "last"}
        for path, content in SMALL.items():
            if path.startswith("sentence-mean/"):
                target = self.folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        model = self.folder / "sentence-mean"
        path = model / "1_Pooling" / "config.json"
        config = json.loads(path.read_text(encoding="utf-8"))
        for key, name in keys.items():
            modes = {f"pooling_mode_{other}": other == key for other in (*keys, "max_tokens", "mean_sqrt_len_tokens")}
            path.write_text(json.dumps({**config, **modes}), encoding="utf-8")
            self.assertEqual(json.loads(run("info", "--json", str(model))[0])["pooling"], name)
            self.assertEqual(run("embed", str(model), stdin="a b c\n"),
                             run("embed", "--pooling", name, str(model), stdin="a b c\n"))

    def test_what_a_reranker_makes_of_its_scores(self):
        small = DATA_HF / "roberta-classes"
        for keys, expected in [({}, "identity"),
                               ({"sbert_ce_default_activation_function": "torch.nn.modules.activation.Sigmoid"}, "sigmoid"),
                               ({"sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Tanh"},
                                 "sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"}, "tanh")]:
            for file in small.iterdir():
                (self.folder / file.name).write_bytes(file.read_bytes())
            config = json.loads((small / "config.json").read_text(encoding="utf-8"))
            (self.folder / "config.json").write_text(json.dumps({**config, **keys}), encoding="utf-8")
            info = json.loads(run("info", "--json", str(self.folder))[0])
            self.assertEqual(info["score_activation"], expected, keys)
            self.assertIn(f"{expected} of the raw ones", run("info", str(self.folder))[0].decode())

    def test_errors_speak_of_the_model(self):
        (self.folder / "config.json").write_text("{}", encoding="utf-8")
        self.assertIn("config", run("info", str(self.folder), status=1)[1] + "config.json")


class Tasks(Case):
    """Entities, answers and labels, with small models."""

    def model(self, name):
        for path, content in SMALL.items():
            if path.startswith(name + "/"):
                target = self.folder / path
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(content)
        return str(self.folder / name)

    def expected(self, name):
        return json.loads(SMALL[name + "/tokens.json"])

    def test_kinds_of_tokenizers(self):
        for name, kind in (("bert-mlm", "WordPiece"), ("roberta-mlm", "byte-level BPE"), ("deberta-v2-classes", "Unigram")):
            self.assertEqual(json.loads(run("info", "--json", self.model(name))[0])["tokenizer"], kind)

    def test_a_reranker_speaks_of_documents(self):
        stdout, stderr = run("rerank", self.model("bert-reranker"), "--query", "the sun",
                             stdin=b"cats\n\xff\nold sun\n", status=1)
        self.assertIn("standard input, line 2: byte 0 of the document is not valid UTF-8", stderr)
        self.assertEqual(sorted(json.loads(line)["index"] for line in stdout.splitlines()), [0, 2])

    def test_entities(self):
        model = self.model("bert-tokens")
        for aggregation in ("none", "simple", "first", "average", "max"):
            cases = self.expected("bert-tokens")["entities_" + aggregation]
            lines = run_lines("entities", "--json-lines", "--aggregation", aggregation, "--max-tokens", "60", model,
                              stdin=as_json_lines([case["text"] for case in cases]))
            self.assertEqual(len(lines), len(cases))
            for case, line in zip(cases, lines):
                utf8 = case["text"].encode()
                found = [(one["label"], one["text"], one["begin"]) for one in line["entities"]]
                self.assertEqual(found, [(one["label"], case["text"][one["start"]:one["end"]],
                                          len(case["text"][:one["start"]].encode())) for one in case["entities"]])
                for one in line["entities"]:
                    self.assertEqual(utf8[one["begin"]:one["end"]].decode(), one["text"])

    def test_answers(self):
        model = self.model("bert-answers")
        for case in self.expected("bert-answers")["answers"]:
            line, = run_lines("answer", "--json-lines", "--top-k", "3", "--max-tokens", str(case["max_tokens"]), "--stride",
                              str(case["stride"]), "--max-answer-tokens", str(case["max_answer_tokens"]), model,
                              stdin=as_json_lines([{"question": case["question"], "context": case["context"]}]))
            self.assertEqual([one["text"] for one in line["answers"]],
                             [case["context"][one["start"]:one["end"]] for one in case["answers"]])
        self.assertIn("line 1: expected an object like", run("answer", model, stdin='{"question": "a"}\n', status=1)[1])
        self.assertIn("line 1: the question has", run("answer", "--max-tokens", "4", "--stride", "0", model, status=1,
                                                      stdin='{"question": "a", "context": "b c d"}\n')[1])

    def test_labels(self):
        model = Path(self.model("bert-classes"))
        config = json.loads((model / "config.json").read_text(encoding="utf-8"))
        config["label2id"] = {"contradiction": 0, "entailment": 1}
        (model / "config.json").write_text(json.dumps(config), encoding="utf-8")
        options = ("zero-shot", "--json-lines", "--labels", " red,, green ,blue", str(model))
        line, = run_lines(*options, stdin=as_json_lines(["Hello, world!"]))
        self.assertEqual(sorted(line["labels"]), ["blue", "green", "red"])
        self.assertEqual(line["scores"], sorted(line["scores"], reverse=True))
        self.assertAlmostEqual(sum(line["scores"]), 1, 5)
        several, = run_lines(*options, "--several", "--template", "{}!", stdin=as_json_lines(["Hello, world!"]))
        self.assertNotAlmostEqual(sum(several["scores"]), 1, 5)
        self.assertIn("must have one {}", run(*options, "--template", "x", stdin='"a"\n', status=1)[1])
        self.assertIn("--labels", run("zero-shot", "--labels", " , ", str(model), stdin="a\n", status=1)[1])

    def test_other_models(self):
        for name in ("entities", "answer"):
            self.assertIn("this model has no", run(name, MODEL, stdin="a\n", status=1)[1])
        self.assertIn("a class of entailment", run("zero-shot", "--labels", "a", MODEL, stdin="a\n", status=1)[1])


class HuggingFace(Case):
    """Each folder's golden numbers, through the formats that scripts see."""

    def folders(self, pattern):
        found = [folder for golden in GOLDEN for folder in sorted(golden.glob(pattern))]
        if not found:
            self.skipTest("no folders of Hugging Face's here")
        return found

    def close(self, found, expected, what):
        """The largest difference over the rms of what is expected."""
        rms = (sum(x * x for row in expected for x in row) / sum(len(row) for row in expected)) ** 0.5
        worst = max(abs(a - b) for x, y in zip(found, expected) for a, b in zip(x, y))
        self.assertLessEqual(worst, 1e-4 * rms, what)

    def test_tokens(self):
        for folder in self.folders("*"):
            if not (folder / "tokens.json").exists():
                continue
            cases = json.loads((folder / "tokens.json").read_text(encoding="utf-8"))
            texts = [case.get("text") for case in cases["texts"]]
            lines = run_lines("tokenize", "--json-lines", str(folder), stdin=as_json_lines(texts))
            for case, line in zip(cases["texts"], lines):
                self.assertEqual(line["ids"], case["full_ids"], (folder.name, case["text"]))
            lines = run_lines("tokenize", "--json-lines", "--max-tokens", "60", str(folder), stdin=as_json_lines(texts))
            for case, line in zip(cases["texts"], lines):
                self.assertEqual(line["ids"], case["ids"], (folder.name, case["text"]))
                self.assertEqual(line["tokens"], case["tokens"], (folder.name, case["text"]))
                utf8 = case["text"].encode()
                spans = [[len(utf8[:b].decode(errors="ignore")), len(utf8[:e].decode(errors="ignore"))]
                         for b, e in line["spans"]]
                self.assertEqual(spans, [list(span) for span in case["offsets"]], (folder.name, case["text"]))
            pairs = [{"text": case["a"], "pair": case["b"]} for case in cases["pairs"]]
            lines = run_lines("tokenize", "--json-lines", "--max-tokens", "60", str(folder), stdin=as_json_lines(pairs))
            for case, line in zip(cases["pairs"], lines):
                self.assertEqual(line["ids"], case["ids"], (folder.name, case))
                self.assertEqual(line["types"], case["types"] or [0] * len(case["ids"]), (folder.name, case))

    def test_hidden_states_and_logits(self):
        for folder in self.folders("*"):
            if not (folder / "tokens.json").exists():
                continue
            cases = json.loads((folder / "tokens.json").read_text(encoding="utf-8"))
            golden = read_safetensors(folder / "io.safetensors")
            texts = [case["text"] for case in cases["texts"]]
            options = ("--json-lines", "--max-tokens", "60", str(folder))
            for i, line in enumerate(run_lines("encode", *options, stdin=as_json_lines(texts))):
                if f"hidden.{i}" in golden:
                    self.close(line["hidden"], rows(*golden[f"hidden.{i}"]), (folder.name, i))
            wanted = [i for i in range(len(texts)) if f"logits.{i}" in golden]
            if not wanted:
                continue
            chosen = as_json_lines([texts[i] for i in wanted])
            info = json.loads(run("info", "--json", str(folder))[0])
            classes = info["num_classes"] > 0
            command = ("classify",) if classes else ("encode", "--logits")
            for i, line in zip(wanted, run_lines(*command, *options, stdin=chosen)):
                found = [line["scores"]] if classes else line["logits"]
                self.close(found, rows(*golden[f"logits.{i}"]), (folder.name, "logits", i))
            if not classes:
                continue
            pairs = [{"text": case["a"], "pair": case["b"]} for case in cases["pairs"]]
            for i, line in enumerate(run_lines("classify", *options, stdin=as_json_lines(pairs))):
                if f"pair_logits.{i}" in golden:
                    self.close([line["scores"]], rows(*golden[f"pair_logits.{i}"]), (folder.name, "pair", i))

    def test_sentence_encoders(self):
        for folder in self.folders("sentence-*"):
            texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
            shape, numbers = read_safetensors(folder / "io.safetensors")["embeddings"]
            lines = run_lines("embed", "--json-lines", "--truncate", str(folder), stdin=as_json_lines(texts))
            self.assertEqual([line["text"] for line in lines], texts)
            for line, expected in zip(lines, rows(shape, numbers)):
                self.close([line["embedding"]], [expected], (folder.name, line["text"]))

    def test_reranking(self):
        for folder in self.folders("*reranker*"):
            documents = ["The sun is 4.6 billion years old.", "Cats sleep a lot.", "Sun."]
            lines = run_lines("rerank", str(folder), "--query", "How old is the sun?", stdin="\n".join(documents))
            self.assertEqual(sorted(line["index"] for line in lines), [0, 1, 2])
            scores = [line["score"] for line in lines]
            self.assertEqual(scores, sorted(scores, reverse=True))
            for line in lines:
                self.assertEqual(line["text"], documents[line["index"]])
                pair = json.dumps({"text": "How old is the sun?", "pair": line["text"]})
                alone, = run_lines("classify", "--json-lines", str(folder), stdin=pair)
                self.assertEqual(alone["scores"], [line["score"]])


if __name__ == "__main__":
    if not GOLDEN and "HuggingFace" in sys.argv:
        print("skipped: no folders of Hugging Face's here")
        sys.exit(77)
    unittest.main()
