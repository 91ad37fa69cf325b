#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`lookupffn bench` and `lookupffn accuracy` on tiny layers."""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

COMMAND = os.environ["LOOKUPFFN_COMMAND"].split(";")
GOLDEN = archive.unpacked("golden/data.tar")
TINY = ("bench", "--hidden-size", "32", "--tables", "4", "--table-size", "16", "--block-size", "8",
        "--batch", "37", "--seconds", "0.05")
VANILLA = ("--intermediate-size", "100")


def run(*arguments):
    result = subprocess.run([*COMMAND, *arguments], capture_output=True, check=False, text=True)
    assert result.returncode == 0 and result.stderr == "", f"{arguments}: {result.returncode}: {result.stderr}"
    return result.stdout


class Bench(unittest.TestCase):
    def test_json(self):
        for table_dtype, hash_dtype in (("f32", "f32"), ("bf16", "f32"), ("int8", "int8")):
            figures = json.loads(run(*TINY, *VANILLA, "--json", "--table-dtype", table_dtype, "--hash-dtype",
                                     hash_dtype))
            expected = {"hidden_size": 32, "num_tables": 4, "table_size": 16, "projection": "bh4", "block_size": 8,
                        "table_dtype": table_dtype, "hash_dtype": hash_dtype, "batch": 37, "threads": 1}
            self.assertEqual({key: figures[key] for key in expected}, expected)
            self.assertGreaterEqual(figures["rounds"], 3)
            self.assertGreater(figures["layer"]["us_per_token"], 0)
            # Operations per token: 4 factors of 2 * 32 * 8 and two stages of 32; 4 rows of 32; 4 d t.
            hashed = figures["hash"]
            self.assertAlmostEqual(1e3 * hashed["gflops"] * hashed["us_per_token"], 4 * (2 * 32 * 8 + 2 * 32), 3)
            vanilla = figures["vanilla"]
            self.assertAlmostEqual(1e3 * vanilla["gflops"] * vanilla["us_per_token"], 4 * 32 * 100, 3)
            self.assertGreater(vanilla["times_layer"], 0)
            self.assertLessEqual({"us_per_token", "gflops", "gbytes", "share"}, figures["gather"].keys())

    def test_table(self):
        text = run(*TINY, *VANILLA)
        for words in ("us per token", "hash, score", "gather", "vanilla FFN", "not a tuned library"):
            self.assertIn(words, text)

    def test_without_vanilla(self):
        self.assertNotIn("vanilla", json.loads(run(*TINY, "--json", "--intermediate-size", "0")))

    def test_model(self):
        model = str(archive.unpacked("model/data.tar") / "model-mixed")
        arguments = ("bench", "--model", model, "--length", "9", "--sequences", "3", "--seconds", "0.05")
        figures = json.loads(run(*arguments, "--json"))
        self.assertEqual((figures["length"], figures["sequences"], figures["threads"]), (9, 3, 1))
        self.assertGreaterEqual(figures["calls"], 3)
        self.assertAlmostEqual(figures["tokens_per_second"] * figures["ms_per_sequence"], 9e3, delta=1)
        # Four linear layers of 48 x 48 in each of three layers; two products of 48 for each of 9 tokens.
        self.assertAlmostEqual(figures["kflop_per_token"]["linear"], 3 * 4 * 2 * 48 * 48 / 1e3, delta=1)
        self.assertAlmostEqual(figures["kflop_per_token"]["attention"], 3 * 4 * 48 * 9 / 1e3, delta=1)
        self.assertAlmostEqual(sum(figures["time_share"].values()), 1, places=6)
        self.assertGreater(min(figures["time_share"].values()), 0)
        for words in ("tokens per second", "% of the time: feed-forward layers"):
            self.assertIn(words, run(*arguments))
        result = subprocess.run([*COMMAND, "bench", "--model", model, "--length", "100000"], capture_output=True,
                                check=False, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("--length is 100000, the model can run at most", result.stderr)

    def test_random_model(self):
        sizes = ("--hidden-size", "32", "--layers", "3", "--head-size", "8", "--vocab-size", "50", "--neurons", "24,0,0",
                 "--heads", "4,1,0", "--word-rows", "20,0,20", "--word-dtype", "int4", "--tables", "4", "--table-size",
                 "16", "--block-size", "8", "--linear-map")
        arguments = ("bench", *sizes, "--linear-dtype", "int8", "--length", "5", "--sequences", "2", "--seconds", "0.05")
        figures = json.loads(run(*arguments, "--json"))
        layers = figures["layers"]
        self.assertEqual(len(layers), 3)
        for layer in layers:
            self.assertGreater(min(layer["attention_us"], layer["ffn_us"]), 0)
        parts = [layer["parts"] for layer in layers]
        self.assertEqual([part["num_heads"] for part in parts], [4, 1, 0])
        self.assertEqual([part["num_neurons"] for part in parts], [24, 0, 0])
        self.assertEqual([part.get("num_tables") for part in parts], [None, 4, 4])
        self.assertEqual([part["linear_map"] for part in parts], [False, True, True])
        self.assertEqual([part["num_word_rows"] for part in parts], [20, 0, 20])
        self.assertEqual(parts[2]["word_dtype"], "int4")
        self.assertEqual(parts[0]["linear_dtype"], "int8")
        self.assertAlmostEqual(sum(part["ffn_flop_per_token"] for part in parts) / 1e3,
                               figures["kflop_per_token"]["ffn"], places=3)
        self.assertEqual(parts[0]["attention_flop_per_token"], 2 * 4 * 32 * 32)
        text = run(*arguments)
        self.assertIn("4 heads of 8; 24 neurons, a row of 20 by word, int4", text)
        self.assertIn("no heads; 4 tables of 16 rows, bh4, a linear map, a row of 20 by word, int4", text)
        result = subprocess.run([*COMMAND, "bench", "--layers", "3", "--heads", "1,2"], capture_output=True, check=False,
                                text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("--heads has 2 numbers; give one, or one for each of the 3 layers", result.stderr)

    def test_costs(self):
        costs = json.loads(run("bench", "--costs", "--seconds", "0", "--hidden-size", "64"))["costs"]
        parts = {(cost["part"], cost["hidden_size"], cost["dtype"], cost["length"]) for cost in costs}
        for part, dtypes in (("neuron", ("f32", "int8")), ("head", ("f32", "int8")), ("linear map", ("f32", "int8")),
                             ("table", ("f32", "bf16", "int8")), ("row by word", ("f32", "bf16", "int8"))):
            for dtype in dtypes:
                for length in (16, 128):
                    self.assertIn((part, 64, dtype, length), parts)
        tables = [cost for cost in costs if cost["part"] == "table"]
        self.assertEqual({(cost["rows"], cost["projection"]) for cost in tables},
                         {(rows, kind) for rows in (16, 256) for kind in ("dense", "bh4", "bh1")})
        self.assertGreater(min(cost["us_per_token"] for cost in tables), 0)


class Accuracy(unittest.TestCase):
    def test_json(self):
        (row,) = json.loads(run("accuracy", "--json", str(GOLDEN / "bh4-small.model.safetensors")))
        self.assertEqual(row["layer"], "bh4-small")
        kinds = {(kind["table_dtype"], kind["hash_dtype"]): kind for kind in row["kinds"]}
        self.assertEqual(set(kinds), {("bf16", "f32"), ("int8", "f32"), ("f32", "int8"), ("int8", "int8")})
        # Rounding a number to 8 bits of mantissa is off by at most 2^-9 of it.
        self.assertTrue(0 < kinds["bf16", "f32"]["y_error"] < 2 ** -8)
        self.assertTrue(0 < kinds["int8", "f32"]["y_error"] < 0.03)
        for (_, hash_dtype), kind in kinds.items():
            if hash_dtype == "f32":
                self.assertEqual(kind["flipped_codes"], 0)
            self.assertLessEqual(kind["flipped_bits"], kind["flipped_codes"])
        self.assertEqual(kinds["f32", "int8"]["flipped_codes"], kinds["int8", "int8"]["flipped_codes"])

    def test_table_of_several_layers(self):
        names = ("dense", "probes", "one-token")
        lines = run("accuracy", *(str(GOLDEN / f"{name}.model.safetensors") for name in names)).splitlines()
        self.assertEqual(len(lines), 2 + len(names))
        self.assertEqual([line.split(" | ")[0] for line in lines[2:]], [f"| {name}" for name in names])


if __name__ == "__main__":
    unittest.main()
