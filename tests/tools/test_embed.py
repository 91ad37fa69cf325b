#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `lookupffn embed` makes of lines besides the model's own vector: windows, dimensions, types."""
import array
import json
import math
import sys
import unittest
from pathlib import Path

from test_models import LINES, MODEL, WIDTH, Case, run, run_lines

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402


class EmbedForms(Case):
    def test_windows(self):
        text = " ".join(f"word{number}" for number in range(40))
        document = self.write("document.txt", "fox\n" + text + "\n")
        options = ("--max-tokens", "24", "--stride", "5", MODEL, document)
        lines = run_lines("embed", "--windows", "each", *options)
        self.assertEqual((lines[0]["text"], lines[0]["begin"], lines[0]["end"]), ("fox", 0, 3))
        windows = lines[1:]
        self.assertGreater(len(windows), 3)
        self.assertEqual({line["text"] for line in windows}, {text})
        self.assertEqual((windows[0]["begin"], windows[-1]["end"]), (0, len(text)))
        for one, following in zip(windows, windows[1:]):
            self.assertLess(one["begin"], following["begin"])
            self.assertLess(following["begin"], one["end"], "tokens are repeated")
        cut = run_lines("embed", "--max-tokens", "24", MODEL, document)
        self.assertEqual(lines[0]["embedding"], cut[0]["embedding"])
        self.assertEqual(windows[0]["embedding"], cut[1]["embedding"])
        short, mean = run_lines("embed", "--windows", "mean", *options)
        self.assertEqual(list(mean), ["text", "embedding"])
        self.assertEqual(short["embedding"], cut[0]["embedding"])
        sums = [math.fsum(numbers) for numbers in zip(*(line["embedding"] for line in windows))]
        length = math.sqrt(math.fsum(number * number for number in sums))
        for number, expected in zip(mean["embedding"], sums):
            self.assertAlmostEqual(number, expected / length, places=5)
        raw = array.array("f", run("embed", "--raw", "--windows", "mean", *options)[0])
        self.assertEqual(raw[WIDTH:].tolist(), [array.array("f", [number])[0] for number in mean["embedding"]])
        fewer = run_lines("embed", "--windows", "each", "--max-tokens", "24", "--stride", "0", MODEL, document)
        self.assertLess(len(fewer), len(lines))
        pair = json.dumps({"text": "fox", "pair": text}) + "\n"
        parts = run_lines("embed", "--json-lines", "--windows", "each", "--max-tokens", "24", MODEL, stdin=pair)
        self.assertGreater(len(parts), 3)
        self.assertEqual((parts[0]["begin"], parts[-1]["end"]), (0, len(text)))
        for form in (("--raw",), ("--npy", str(self.folder / "vectors.npy"))):
            self.assertIn("use JSON or --windows mean",
                          run("embed", "--windows", "each", *form, *options, status=1)[1])
        self.assertIn("--windows", run("embed", "--stride", "5", MODEL, document, status=2)[1])
        self.assertIn("stride", run("embed", "--windows", "each", "--max-tokens", "9", "--stride", "9", MODEL, document,
                                    status=1)[1])

    def test_dimensions_and_types(self):
        whole = [line["embedding"] for line in run_lines("embed", MODEL, stdin=LINES)]
        few = [line["embedding"] for line in run_lines("embed", "--dimensions", "20", MODEL, stdin=LINES)]
        for one, all_of_it in zip(few, whole):
            length = math.sqrt(math.fsum(number * number for number in all_of_it[:20]))
            self.assertEqual(len(one), 20)
            for number, expected in zip(one, all_of_it):
                self.assertAlmostEqual(number, expected / length, places=5)
        self.assertEqual(len(run("embed", "--raw", "--dimensions", "20", MODEL, stdin=LINES)[0]), 4 * 20 * 4)
        npy = self.folder / "few.npy"
        run("embed", "--npy", str(npy), "--dimensions", "20", MODEL, stdin=LINES)
        self.assertIn(b"(4, 20)", npy.read_bytes())
        for options, floats in ((("--dimensions", "20"), few), ((), whole)):
            for line, numbers in zip(run_lines("embed", "--type", "int8", *options, MODEL, stdin=LINES), floats):
                self.assertEqual(list(line), ["text", "scale", "embedding"])
                self.assertEqual(max(map(abs, line["embedding"])), 127)
                self.assertEqual(len(line["embedding"]), len(numbers))
                for byte, number in zip(line["embedding"], numbers):
                    self.assertLessEqual(abs(byte * line["scale"] - number), 0.51 * line["scale"])
            for line, numbers in zip(run_lines("embed", "--type", "bits", *options, MODEL, stdin=LINES), floats):
                bits = "".join(f"{byte:08b}" for byte in line["embedding"])
                expected = "".join("1" if number > 0 else "0" for number in numbers)
                self.assertEqual(bits, expected.ljust((len(numbers) + 7) // 8 * 8, "0"))
        self.assertEqual(run("embed", "--type", "float32", MODEL, stdin=LINES), run("embed", MODEL, stdin=LINES))
        self.assertIn("dimensions", run("embed", "--dimensions", "65", MODEL, stdin="a\n", status=1)[1])
        for arguments in (("--type", "bits", "--raw"), ("--dimensions", "0"), ("--type", "bf16")):
            run("embed", *arguments, MODEL, stdin="a\n", status=2)

    def test_late_vectors(self):
        folder = str(archive.unpacked("model/late-folders.tar") / "late-pylate")
        golden = json.loads((Path(folder) / "io.json").read_text(encoding="utf-8"))
        sides = []
        for option, texts in (("--query", golden["queries"][:3]), ("--document", golden["documents"])):
            stdin = "".join(json.dumps(text) + "\n" for text in texts)
            lines = run_lines("embed", "--late", option, "--json-lines", folder, stdin=stdin)
            self.assertTrue(all(list(line) == ["vectors"] for line in lines))
            sides.append([line["vectors"] for line in lines])
            stored = run_lines("embed", "--late", option, "--json-lines", "--type", "int8", folder, stdin=stdin)
            for one, whole in zip(stored, sides[-1]):
                for numbers, scale, vector in zip(one["vectors"], one["scales"], whole):
                    for byte, number in zip(numbers, vector):
                        self.assertLessEqual(abs(byte * scale - number), 0.51 * scale)
        for query, expected in zip(sides[0], golden["scores"]):
            for document, score in zip(sides[1], expected):
                found = sum(max(math.fsum(a * b for a, b in zip(row, other)) for other in document) for row in query)
                self.assertAlmostEqual(found, score, places=3)
        stdin = "".join(json.dumps(text) + "\n" for text in golden["documents"])
        ranked = run_lines("rerank", "--json-lines", "--query", golden["queries"][0], folder, stdin=stdin)
        for line in ranked:
            self.assertAlmostEqual(line["score"], golden["scores"][0][line["index"]], places=3)
        self.assertEqual(sorted(ranked, key=lambda line: -line["score"]), ranked)
        late = json.loads(run("info", "--json", folder)[0])["late"]
        self.assertEqual((late["query_prefix"], late["document_prefix"], late["filler"]), ("[Q] ", "[D] ", "[MASK]"))
        self.assertEqual((late["query_tokens"], late["attends_to_filler"]), (16, False))
        self.assertIn('cut at 16 tokens, behind "[Q] ", filled with "[MASK]", which no', run("info", folder)[0].decode())
        self.assertIsNone(json.loads(run("info", "--json", MODEL)[0])["late"])
        self.assertIn("makes no vectors of late interaction", run("embed", "--late", MODEL, stdin="a\n", status=1)[1])
        self.assertIn("--type int8", run("embed", "--late", "--type", "bits", folder, stdin="a\n", status=1)[1])
        for other in ("--sparse", "--raw"):
            run("embed", "--late", other, folder, stdin="a\n", status=2)

    def test_broken_text_is_repaired_if_asked_for(self):
        lines = run_lines("embed", "--repair", MODEL, stdin=b"fox \xff a\nfox\n")
        expected = run_lines("embed", MODEL, stdin="fox \ufffd a\nfox\n")
        self.assertEqual(lines, expected)
        self.assertIn("excludes", run("embed", "--repair", "--json-lines", MODEL, stdin='"a"\n', status=2)[1])

    def test_the_type_of_attention(self):
        exact = run("embed", "--attention-dtype", "f32", "--linear-dtype", "int8", MODEL, stdin=LINES)[0]
        whole = run("embed", "--attention-dtype", "int8", "--linear-dtype", "int8", MODEL, stdin=LINES)[0]
        self.assertNotEqual(exact, whole)
        self.assertEqual(run("embed", "--linear-dtype", "int8", MODEL, stdin=LINES)[0], whole)
        for name, options in (("search", ("--query", "fox", "--json")), ("classify", ()), ("encode", ())):
            types = [run(name, *options, "--attention-dtype", dtype, MODEL, stdin=LINES)[0] for dtype in ("f32", "int8")]
            self.assertEqual(run(name, *options, MODEL, stdin=LINES)[0], types[0])
            self.assertNotEqual(types[0], types[1])
        for dtype in ("f32", "int8"):
            info = json.loads(run("info", "--json", "--attention-dtype", dtype, MODEL)[0])
            self.assertEqual(info["attention_dtype"], dtype)
            timed = json.loads(run("bench", "--json", "--model", MODEL, "--length", "8", "--sequences", "1", "--seconds",
                                   "0.01", "--attention-dtype", dtype)[0])
            self.assertEqual(timed["attention_dtype"], dtype)
        run("embed", "--attention-dtype", "bf16", MODEL, status=2)
        run("convert", "--attention-dtype", "int8", MODEL, str(self.folder / "x"), status=2)

    def test_inputs_of_seven_bits(self):
        for options, differs in ((("--linear-dtype", "int8"), True), ((), False)):
            outputs, numbers = [], []
            for more in ((), ("--seven-bit-inputs",)):
                outputs.append(run("embed", *options, *more, MODEL, stdin=LINES)[0])
                numbers.append(json.loads(run("info", "--json", *options, *more, MODEL)[0])["arithmetic"])
                run("bench", "--model", MODEL, "--length", "8", "--sequences", "1", "--seconds", "0.01", *options, *more)
            self.assertEqual(outputs[0] != outputs[1], differs)
            self.assertEqual(numbers[1] - numbers[0], 1000 if differs else 0)
        run("convert", "--seven-bit-inputs", MODEL, str(self.folder / "x"), status=2)


if __name__ == "__main__":
    unittest.main()
