#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The subcommands on models as their users see them: output, errors, exit status, streams."""
import array
import json
import math
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

COMMAND = os.environ["LOOKUPFFN_COMMAND"].split(";")
DATA = archive.unpacked("model/data.tar")
MODEL = str(DATA / "model-lookup")
WIDTH = 64
SUBCOMMANDS = ("fill-mask", "embed", "encode", "classify", "rerank", "search", "tokenize", "convert", "evaluate",
               "entities", "answer", "zero-shot")
LINES = "The quick brown fox.\nnaïve café\n\nx <mask>\n"


def run(*arguments, status=0, stdin=b""):
    """Runs the command, checks its exit status, returns standard output as bytes and standard error as text."""
    stdin = stdin.encode() if isinstance(stdin, str) else stdin
    result = subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, check=False)
    stderr = result.stderr.decode()
    assert result.returncode == status, f"{arguments}: status {result.returncode}, not {status}: {stderr}"
    if status == 0:
        assert stderr == "", f"{arguments}: {stderr}"
    return result.stdout, stderr


def run_lines(*arguments, **options):
    return [json.loads(line) for line in run(*arguments, **options)[0].decode().splitlines()]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)


class ModelUsage(Case):
    def test_help_teaches_by_example(self):
        overview = run("--help")[0].decode()
        for name in SUBCOMMANDS:
            self.assertIn(name, overview)
            text = run(name, "--help")[0].decode()
            self.assertIn("Examples:\n  ", text)
            self.assertIn("lookupffn " + name, text)

    def test_usage_errors_have_status_2(self):
        for arguments in (("fill-mask",), ("fill-mask", "--top-k", "0", MODEL, "<mask>"), ("embed",),
                          ("embed", "--pooling", "median", MODEL), ("tokenize", "--frobnicate", MODEL),
                          ("convert", MODEL), ("convert", "--linear-dtype", "f16", MODEL, "x"),
                          ("classify", MODEL, "a", "b")):
            stdout, stderr = run(*arguments, status=2)
            self.assertEqual(stdout, b"", arguments)
            self.assertNotEqual(stderr, "", arguments)

    def test_errors_name_what_is_wrong(self):
        for name in ("fill-mask", "embed", "classify", "tokenize"):
            stdout, stderr = run(name, "no/such", status=1)
            self.assertEqual(stdout, b"")
            self.assertTrue(stderr.startswith("lookupffn: "), stderr)
            self.assertIn("no/such", stderr)
            self.assertEqual(stderr.count("\n"), 1, stderr)
        for name in ("embed", "classify", "tokenize"):
            self.assertIn("no/text", run(name, MODEL, "no/text", status=1)[1])
            self.assertIn("standard input, line 3: byte 1 of the text is not valid UTF-8",
                          run(name, MODEL, stdin=b"a\nb\na\xff\nc\n", status=1)[1])

    def test_long_lines(self):
        text = "z" * 1000
        for name in ("embed", "classify"):
            lines = run_lines(name, MODEL, stdin="a\n" + text)
            self.assertEqual(len(lines), 2, "cut as the model means it")
            self.assertEqual(run_lines(name, "--truncate", MODEL, stdin="a\n" + text), lines)
            stdout, stderr = run(name, "--no-truncate", MODEL, stdin="a\n" + text + "\nb\n", status=1)
            self.assertIn("standard input, line 2: the text has 1002 tokens, the model can run at most", stderr)
            self.assertEqual([json.loads(line)["text"] for line in stdout.splitlines()], ["a", "b"])
        raw = run("embed", "--raw", "--no-truncate", MODEL, stdin="a\n" + text + "\nb\n", status=1)[0]
        self.assertEqual(len(raw), 3 * 64 * 4)
        self.assertEqual(raw[64 * 4:2 * 64 * 4], bytes(64 * 4))
        stdout, stderr = run("search", "--no-truncate", "--json", MODEL, "--query", "b", stdin="a\n" + text + "\nb\n",
                             status=1)
        self.assertIn("standard input, line 2: ", stderr)
        self.assertEqual([json.loads(line)["index"] for line in stdout.splitlines()], [2, 0])
        stdout, stderr = run("encode", MODEL, stdin=text + "\nb\n", status=1)
        self.assertIn("standard input, line 1: ", stderr)
        self.assertEqual(len(stdout.splitlines()), 1)
        self.assertIn("the model can run at most", run("fill-mask", MODEL, text + "<mask>", status=1)[1])

    def test_without_heads(self):
        folder = self.folder / "model"
        shutil.copytree(MODEL, folder)
        for name in ("vocab.json", "merges.txt"):
            (folder / name).unlink()
        self.assertIn("there is no tokenizer.json", run("tokenize", str(folder), stdin="a\n", status=1)[1])
        self.assertIn("this model has no tokenizer", run("embed", str(folder), stdin="a\n", status=1)[1])


class Tokenize(Case):
    def test_golden_tokens(self):
        cases = [case for case in json.loads((DATA / "model-lookup" / "tokens.json").read_text(encoding="utf-8"))
                 if "\n" not in case["text"]]
        text = "".join(case["text"] + "\n" for case in cases)
        self.assertEqual([line["ids"] for line in run_lines("tokenize", MODEL, stdin=text)],
                         [case["ids_with_special"] for case in cases])
        self.assertEqual([line["ids"] for line in run_lines("tokenize", "--plain", MODEL, self.write("t", text))],
                         [case["ids"] for case in cases])

    def test_spans(self):
        line = run_lines("tokenize", MODEL, stdin="fox <mask>")[0]
        self.assertEqual(line["tokens"][0], "<s>")
        self.assertEqual(line["tokens"][-2:], ["<mask>", "</s>"])
        self.assertEqual(line["spans"][0], [0, 0])
        self.assertEqual(line["spans"][-2:], [[4, 10], [0, 0]])

    def test_decode(self):
        texts = ["The quick fox", "naïve café", "日本語 😀"]
        ids = "".join(" ".join(map(str, line["ids"])) + "\n"
                      for line in run_lines("tokenize", "--plain", MODEL, stdin="\n".join(texts)))
        self.assertEqual(run("tokenize", "--decode", MODEL, stdin=ids)[0].decode().splitlines(), texts)
        self.assertIn("line 1: '7x' is not an id", run("tokenize", "--decode", MODEL, stdin="5 7x", status=1)[1])
        self.assertIn("line 2: ids[0] is 461, which is not in the vocabulary",
                      run("tokenize", "--decode", MODEL, stdin="5\n461", status=1)[1])

    def test_line_ends(self):
        self.assertEqual(len(run_lines("tokenize", MODEL, stdin="")), 0)
        expected = run_lines("tokenize", MODEL, stdin="a\n\nb\n")
        self.assertEqual(len(expected), 3)
        self.assertEqual(run_lines("tokenize", MODEL, stdin="a\r\n\r\nb"), expected)


class Embed(Case):
    def test_lines_and_raw_agree(self):
        path = self.write("lines.txt", LINES)
        lines = run_lines("embed", MODEL, path)
        self.assertEqual([line["text"] for line in lines], LINES.splitlines())
        floats = array.array("f", run("embed", "--raw", MODEL, path)[0])
        self.assertEqual(floats.tolist(), [array.array("f", [number])[0] for line in lines
                                           for number in line["embedding"]])
        self.assertEqual(len(floats), 4 * WIDTH)
        for line in lines:
            self.assertAlmostEqual(sum(number * number for number in line["embedding"]), 1, places=5)

    def test_poolings_differ(self):
        vectors = [run("embed", "--raw", *options, MODEL, stdin=LINES)[0]
                   for options in ((), ("--pooling", "first"), ("--pooling", "max"), ("--keep-length",))]
        self.assertEqual(len(set(vectors)), 4)
        self.assertEqual(vectors[0], run("embed", "--raw", "--pooling", "mean", "--threads", "2", MODEL, "-",
                                         stdin=LINES)[0])

    def test_more_lines_than_fit_at_once(self):
        text = "".join(f"line {number}\n" for number in range(700))
        lines = run_lines("embed", MODEL, self.write("lines.txt", text))
        self.assertEqual([line["text"] for line in lines], text.splitlines())
        self.assertEqual(lines[500]["embedding"], run_lines("embed", MODEL, stdin="line 500")[0]["embedding"])

    def test_answers_each_line_at_once(self):
        with subprocess.Popen([*COMMAND, "embed", MODEL], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for text in ("one", "two"):
                process.stdin.write(text.encode() + b"\n")
                process.stdin.flush()
                self.assertTrue(select.select([process.stdout], [], [], 120)[0])
                self.assertEqual(json.loads(process.stdout.readline())["text"], text)
            process.stdin.close()
            self.assertEqual(process.wait(), 0)

    def test_raw_floats_do_not_go_to_a_terminal(self):
        leader, follower = pty.openpty()
        result = subprocess.run([*COMMAND, "embed", "--raw", MODEL], input=b"a\n", stdout=follower,
                                stderr=subprocess.PIPE, check=False)
        os.close(leader)
        os.close(follower)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"redirect the output", result.stderr)

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([*COMMAND, "embed", MODEL], input=b"a\n", stdout=full, stderr=subprocess.PIPE,
                                    check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"standard output", result.stderr)


class Classify(Case):
    def test_lines(self):
        lines = run_lines("classify", MODEL, stdin=LINES)
        self.assertEqual([line["text"] for line in lines], LINES.splitlines())
        for line in lines:
            self.assertEqual(len(line["probabilities"]), 3)
            self.assertAlmostEqual(sum(line["probabilities"]), 1, places=5)
            self.assertEqual(line["class"], line["probabilities"].index(max(line["probabilities"])))
            self.assertEqual(line["class"], line["scores"].index(max(line["scores"])))
            self.assertEqual(line["label"], f"LABEL_{line['class']}")


class FillMask(Case):
    TEXT = "Freedom is <mask> word that <mask> uses."

    def test_json(self):
        line = run_lines("fill-mask", "--json", "--top-k", "7", MODEL, self.TEXT)[0]
        self.assertEqual(line["text"], self.TEXT)
        self.assertEqual([len(mask) for mask in line["masks"]], [7, 7])
        for mask in line["masks"]:
            shares = [filling["probability"] for filling in mask]
            self.assertEqual(shares, sorted(shares, reverse=True))
            self.assertTrue(all(0 < share < 1 for share in shares))
        self.assertEqual(run_lines("fill-mask", "--json", "--top-k", "7", MODEL, stdin=self.TEXT + "\n"), [line])

    def test_table(self):
        text = run("fill-mask", MODEL, self.TEXT, "one <mask>")[0].decode()
        self.assertTrue(text.startswith(self.TEXT + "\n  <mask> 1\n"), text)
        self.assertEqual(text.count(" %  '"), 15)
        self.assertIn("\none <mask>\n  ", text)

    def test_shares_of_all_tokens_add_up(self):
        mask, = run_lines("fill-mask", "--json", "--top-k", "461", MODEL, "<mask>")[0]["masks"]
        self.assertAlmostEqual(math.fsum(filling["probability"] for filling in mask), 1, places=5)
        self.assertEqual(len({filling["id"] for filling in mask}), 461)

    def test_errors(self):
        self.assertIn("the text has no <mask>", run("fill-mask", MODEL, "none", status=1)[1])
        self.assertIn("standard input, line 2: the text has no <mask>",
                      run("fill-mask", MODEL, stdin="<mask>\nnone\n", status=1)[1])
        self.assertIn("top_k is 462", run("fill-mask", "--top-k", "462", MODEL, "<mask>", status=1)[1])


class Convert(Case):
    def test_a_single_file_gives_the_same(self):
        path = str(self.folder / "model.safetensors")
        self.assertIn("reads back to the same bits", run("convert", MODEL, path)[0].decode())
        for arguments in (("embed", "--raw"), ("tokenize",), ("classify",)):
            self.assertEqual(run(*arguments, path, stdin=LINES)[0], run(*arguments, MODEL, stdin=LINES)[0])
        self.assertIn("exists; --force replaces it", run("convert", MODEL, path, status=1)[1])
        run("convert", "--force", MODEL, path)

    def test_static_vectors(self):
        for name in ("model2vec-weights-mapping-int8", "static-st-model2vec"):
            model = str(archive.unpacked("model/static-folders.tar") / name)
            path = str(self.folder / f"{name}.safetensors")
            self.assertIn("reads back to the same bits", run("convert", model, path)[0].decode())
            self.assertEqual(*(run("embed", "--raw", one, stdin=LINES)[0] for one in (model, path)))

    def test_bfloat16_linear_layers(self):
        path = str(self.folder / "bf16.safetensors")
        run("convert", "--linear-dtype", "bf16", MODEL, path)
        found = [run("embed", "--raw", *options, path, stdin=LINES * 20)[0]
                 for options in (("--threads", "1"), ("--threads", "2"), ("--threads", "1", "--linear-dtype", "f32"))]
        self.assertEqual(found[1:], found[:1] * 2)
        self.assertNotEqual(found[0], run("embed", "--raw", MODEL, stdin=LINES * 20)[0])

    def test_smaller_element_types(self):
        sizes = []
        for name, options in (("f32", ()), ("bf16", ("--table-dtype", "bf16")),
                              ("int8", ("--table-dtype", "int8", "--hash-dtype", "int8"))):
            path = self.folder / name
            run("convert", *options, MODEL, str(path))
            sizes.append(path.stat().st_size)
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(len(set(sizes)), 3)

    def test_errors(self):
        self.assertIn("no/such", run("convert", "no/such", str(self.folder / "x"), status=1)[1])
        self.assertIn("no/folder", run("convert", MODEL, str(self.folder / "no/folder/x"), status=1)[1])


if __name__ == "__main__":
    unittest.main()
