#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lookupffn command as its users see it: output, errors, exit status, streams."""
import array
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import archive  # noqa: E402

COMMAND = os.environ["LOOKUPFFN_COMMAND"].split(";")
GOLDEN = archive.unpacked("golden/data.tar")
SMALL = str(GOLDEN / "bh4-small.model.safetensors")
SMALL_IO = str(GOLDEN / "bh4-small.io.safetensors")
SMALL_SIZE = 64  # floats in and out
SUBCOMMANDS = ("info", "run", "verify", "create", "isa")


def run(*arguments, status=0, stdin=b"", env=None):
    """Runs the command, checks its exit status, returns standard output as bytes and standard error as text."""
    result = subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, check=False,
                            env={**os.environ, **(env or {})})
    stderr = result.stderr.decode()
    assert result.returncode == status, f"{arguments}: status {result.returncode}, not {status}: {stderr}"
    if status == 0:
        assert stderr == "", f"{arguments}: {stderr}"
    return result.stdout, stderr


def run_text(*arguments, **options):
    return run(*arguments, **options)[0].decode()


def tensors(path):
    data = Path(path).read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    return {name: data[start + entry["data_offsets"][0]:start + entry["data_offsets"][1]]
            for name, entry in header.items() if name != "__metadata__"}


def floats(data):
    return array.array("f", data)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def create(self, name="layer.safetensors", *options):
        path = self.path(name)
        run("create", "--hidden-size", "32", "--tables", "4", "--table-size", "16", "--block-size", "8", *options, path)
        return path


class Usage(Case):
    def test_help_teaches_by_example(self):
        for arguments in [(), *((name,) for name in SUBCOMMANDS)]:
            text = run_text(*arguments, "--help")
            self.assertIn("Examples:\n  ", text)
            self.assertIn("lookupffn " + "".join(arguments), text)

    def test_help_names_every_subcommand(self):
        text = run_text("--help")
        for name in SUBCOMMANDS:
            self.assertIn(name, text)

    def test_version(self):
        self.assertRegex(run_text("--version"), r"^lookupffn \d+\.\d+\.\d+(-[a-z]+)?\n$")

    def test_usage_errors_have_status_2(self):
        for arguments in ((), ("frobnicate",), ("info",), ("info", "--frobnicate", SMALL), ("info", SMALL, "more"),
                          ("info", "--threads", "many", SMALL), ("info", "--threads", "-1", SMALL),
                          ("info", "--table-dtype", "f64", SMALL), ("create", "--projection", "bh0", "x")):
            stdout, stderr = run(*arguments, status=2)
            self.assertEqual(stdout, b"", arguments)
            self.assertNotEqual(stderr, "", arguments)


class Info(Case):
    def test_table(self):
        text = run_text("info", SMALL)
        self.assertIn("bh4, block size 16", text)
        self.assertIn("12 of 32 rows", text)
        self.assertIn("5 bits, gelu", text)

    def test_json(self):
        info = json.loads(run_text("info", "--json", SMALL))
        expected = {"hidden_size": 64, "output_size": 64, "num_tables": 12, "table_size": 32, "code_bits": 5,
                    "projection": "bh4", "block_size": 16, "num_chains": 1, "activation": "gelu", "num_probes": 1,
                    "layer_norm": True, "table_dtype": "f32", "hash_dtype": "f32"}
        self.assertEqual({key: info[key] for key in expected}, expected)
        # The paper's count: R m (2 N bs + N log2 N) + 2 h d_out.
        self.assertEqual(info["flop_per_token"], 4 * (2 * 64 * 16 + 64 * 6) + 2 * 12 * 64)
        # Four factors of 4 blocks of 16 x 16, their bias, the tables, the bias, the layer norm.
        self.assertEqual(info["num_parameters"], 4 * 4 * 16 * 16 + 60 + 12 * 32 * 64 + 64 + 2 * 64)

    def test_threads_option_is_passed_on(self):
        self.assertEqual(json.loads(run_text("info", "--json", "--threads", "3", SMALL))["num_threads"], 3)

    def test_missing_file(self):
        stdout, stderr = run("info", "no/such.safetensors", status=1)
        self.assertEqual(stdout, b"")
        self.assertTrue(stderr.startswith("lookupffn: "), stderr)
        self.assertIn("no/such.safetensors", stderr)
        self.assertEqual(stderr.count("\n"), 1, stderr)

    def test_damaged_file(self):
        path = self.path("cut.safetensors")
        Path(path).write_bytes(Path(SMALL).read_bytes()[:-1])
        self.assertIn("cut.safetensors", run("info", path, status=1)[1])


class Verify(Case):
    def test_every_golden_case_agrees(self):
        models = sorted(GOLDEN.glob("*.model.safetensors"))
        self.assertGreaterEqual(len(models), 10)
        for model in models:
            text = run_text("verify", str(model), str(model).replace(".model.", ".io."))
            self.assertIn("codes   0 of ", text)
            self.assertTrue(text.endswith("\nagrees\n"), text)

    def test_json(self):
        figures = json.loads(run_text("verify", "--json", SMALL, SMALL_IO))
        self.assertTrue(figures["agrees"])
        self.assertEqual(figures["tokens"], 67)
        self.assertEqual(figures["codes"], 67 * 12)
        self.assertLess(figures["y_error"], figures["y_limit"])

    def changed(self, tensor, index, change):
        """A copy of the recorded case with one number changed."""
        data = bytearray(Path(SMALL_IO).read_bytes())
        start = 8 + struct.unpack("<Q", data[:8])[0]
        entry = json.loads(data[8:start])[tensor]
        at = start + entry["data_offsets"][0] + 4 * index
        form = "<i" if entry["dtype"] == "I32" else "<f"
        data[at:at + 4] = struct.pack(form, change(struct.unpack(form, data[at:at + 4])[0]))
        path = self.path(tensor + ".safetensors")
        Path(path).write_bytes(data)
        return path

    def test_differences_are_found(self):
        for path, line in ((self.changed("codes", 67 * 12 - 1, lambda code: code ^ 1), "codes   1 of 804 differ"),
                           (self.changed("scores", 5, lambda score: score * 1.001), "scores  off by up to 0.001 "),
                           (self.changed("y", 7, lambda _: math.nan), "y       off by up to inf ")):
            text = run("verify", SMALL, path, status=1)[0].decode()
            self.assertIn(line, text)
            self.assertTrue(text.endswith("\nDIFFERS\n"), text)

    def test_limits_can_be_widened(self):
        path = self.changed("scores", 5, lambda score: score * 1.001)
        self.assertIn("agrees", run_text("verify", "--score-limit", "0.01", SMALL, path))

    def test_case_of_another_layer(self):
        other = str(GOLDEN / "dense.io.safetensors")
        self.assertRegex(run("verify", SMALL, other, status=1)[1], r"lookupffn: (x|codes): .* expected .*\n")

    def test_no_case_at_all(self):
        self.assertIn("x: no such tensor", run("verify", SMALL, SMALL, status=1)[1])


class Create(Case):
    def test_model(self):
        path = str(self.folder / "student.safetensors")
        sizes = ("--hidden-size", "32", "--layers", "2", "--head-size", "8", "--vocab-size", "50", "--neurons", "24",
                 "--word-rows", "50")
        run("create", *sizes, "--word-dtype", "int8", path)
        for held, size in (("int8", 32), ("int4", 16), ("bf16", 64), ("float32", 128)):
            info = json.loads(run("info", "--json", "--word-dtype", held, path)[0])
            layer = info["layers"][1]
            self.assertEqual((layer["num_heads"], layer["num_neurons"], layer["num_word_rows"]), (4, 24, 50))
            self.assertEqual(layer["word_dtype"], {"float32": "f32"}.get(held, held))
            self.assertEqual(layer["word_bytes"], 50 * (size + (4 if "int" in held else 0)))
            small = str(self.folder / held)
            run("convert", "--word-dtype", held, path, small)
            self.assertEqual(json.loads(run("info", "--json", small)[0])["layers"], info["layers"])
        self.assertIn("0 to 1: 4 heads of 8; 24 neurons, a row of 50 by word, int8", run("info", path)[0].decode())
        run("create", "--hidden-size", "32", path + "x", status=2)
        stderr = run("create", *sizes[:-2], "--word-rows", "7,9", "--force", path, status=1)[1]
        self.assertIn("--word-rows has 7 and 9; all layers with rows have as many", stderr)

    def test_what_is_asked_for_is_made(self):
        path = self.create("a.safetensors", "--output-size", "20", "--projection", "bh2", "--probes", "3",
                           "--activation", "sigmoid", "--no-layer-norm", "--decay", "0.5")
        info = json.loads(run_text("info", "--json", path))
        expected = {"hidden_size": 32, "output_size": 20, "num_tables": 4, "table_size": 16, "projection": "bh2",
                    "block_size": 8, "num_probes": 3, "activation": "sigmoid", "layer_norm": False, "decay_coeff": 0.5}
        self.assertEqual({key: info[key] for key in expected}, expected)

    def test_dense(self):
        path = self.create("dense.safetensors", "--projection", "dense")
        self.assertEqual(json.loads(run_text("info", "--json", path))["projection"], "dense")

    def test_seed_decides_the_bytes(self):
        files = [self.create(f"{i}.safetensors", "--seed", seed) for i, seed in enumerate(("5", "5", "6"))]
        same, again, other = (Path(file).read_bytes() for file in files)
        self.assertEqual(same, again)
        self.assertNotEqual(same, other)

    def test_a_file_is_not_replaced_unless_told(self):
        path = self.create()
        before = Path(path).read_bytes()
        sizes = ("--hidden-size", "32", "--tables", "4", "--table-size", "8", "--block-size", "8")
        self.assertIn("--force", run("create", *sizes, path, status=1)[1])
        self.assertEqual(Path(path).read_bytes(), before)
        run("create", "--force", *sizes, path)
        self.assertNotEqual(Path(path).read_bytes(), before)

    def test_impossible_sizes(self):
        path = self.path("bad.safetensors")
        stderr = run("create", "--hidden-size", "32", "--tables", "4", "--table-size", "17", path, status=1)[1]
        self.assertIn("17", stderr)
        self.assertFalse(os.path.exists(path))


class Run(Case):
    def test_golden_case(self):
        case = tensors(SMALL_IO)
        result = floats(run("run", SMALL, stdin=case["x"])[0])
        expected = floats(case["y"])
        self.assertEqual(len(result), len(expected))
        rms = math.sqrt(sum(value * value for value in expected) / len(expected))
        self.assertLessEqual(max(abs(a - b) for a, b in zip(result, expected)), 2e-5 * rms)

    def test_more_than_one_batch_gives_the_same_bits(self):
        case = tensors(SMALL_IO)
        once = run("run", SMALL, stdin=case["x"])[0]
        self.assertEqual(run("run", SMALL, stdin=case["x"] * 100)[0], once * 100)

    def test_add(self):
        x = tensors(SMALL_IO)["x"]
        plain = floats(run("run", SMALL, stdin=x)[0])
        added = floats(run("run", "--add", SMALL, stdin=x)[0])
        for a, b, c in zip(floats(x), plain, added):
            self.assertAlmostEqual(a + b, c, places=4)

    def test_add_needs_equal_sizes(self):
        wide = str(GOLDEN / "wide-out.model.safetensors")
        self.assertIn("--add", run("run", "--add", wide, status=1)[1])

    def test_no_input(self):
        self.assertEqual(run("run", SMALL)[0], b"")

    def test_input_that_ends_inside_a_token(self):
        stdout, stderr = run("run", SMALL, stdin=bytes(4 * SMALL_SIZE + 6), status=1)
        self.assertEqual(len(stdout), 4 * SMALL_SIZE, "the whole token is answered")
        self.assertIn("6 bytes of a token that takes 256 (64 floats)", stderr)

    def test_each_token_is_answered_at_once(self):
        x = tensors(SMALL_IO)["x"]
        size = 4 * SMALL_SIZE
        expected = run("run", SMALL, stdin=x[:2 * size])[0]
        with subprocess.Popen([*COMMAND, "run", SMALL], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for token in range(2):
                part = x[token * size:(token + 1) * size]
                for piece in (part[:10], part[10:]):
                    process.stdin.write(piece)
                    process.stdin.flush()
                self.assertEqual(process.stdout.read(size), expected[token * size:(token + 1) * size])
            process.stdin.close()
            self.assertEqual(process.wait(), 0)


class Isa(Case):
    def test_table_and_json(self):
        self.assertIn("kernels in use", run_text("isa"))
        machine = json.loads(run_text("isa", "--json"))
        self.assertIn(machine["in_use"], machine["usable"])
        self.assertIn("generic", machine["usable"])
        self.assertLessEqual(set(machine["usable"]), set(machine["built"]))
        self.assertIn("kernels built    " + ", ".join(machine["built"]), run_text("isa"))
        self.assertGreaterEqual(machine["threads"], 1)
        self.assertGreater(machine["l1_bytes"], 0)

    def test_each_usable_one_can_be_chosen(self):
        for name in json.loads(run_text("isa", "--json"))["usable"]:
            self.assertEqual(json.loads(run_text("isa", "--json", env={"LOOKUPFFN_ISA": name}))["in_use"], name)

    def test_number_of_threads(self):
        self.assertEqual(json.loads(run_text("isa", "--json", env={"LOOKUPFFN_NUM_THREADS": "5"}))["threads"], 5)

    def test_bad_values_are_errors(self):
        for name, value in (("LOOKUPFFN_ISA", "mmx"), ("LOOKUPFFN_NUM_THREADS", "0"), ("LOOKUPFFN_NUM_THREADS", "2x")):
            for arguments in (("isa",), ("info", SMALL)):
                self.assertIn(name, run(*arguments, status=1, env={name: value})[1])


if __name__ == "__main__":
    unittest.main()
