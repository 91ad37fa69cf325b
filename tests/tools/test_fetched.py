#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a download leaves in place of a model, and what is misspelt: the sentences that tell so."""
import shutil
import unittest
from pathlib import Path

from test_models import MODEL, Case, run

import archive

SMALL = archive.unpacked("model/small-folders.tar")
POINTER = ("version https://git-lfs.github.com/spec/v1\n"
           "oid sha256:53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db\nsize 90868376\n")
PAGE = "\n  <!DOCTYPE html>\n<html lang=\"en\"><head><title>model.safetensors</title></head></html>\n"


class Fetched(Case):
    def copy(self, name):
        folder = self.folder / f"copy-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SMALL / name, folder)
        return folder

    def refused(self, path, *parts, command="info"):
        stderr = run(command, str(path), status=1)[1]
        self.assertEqual(stderr.count("\n"), 1, stderr)
        for part in parts:
            self.assertIn(part, stderr)

    def test_in_place_of_files(self):
        for content, sentence in ((POINTER, "it is a pointer of Git LFS to a file of 90868376 bytes, which was not fetched; "
                                            "run `git lfs pull` in its folder, or fetch the folder by `hf download"),
                                  (POINTER.split("size")[0], "it is a pointer of Git LFS to a file, which"),
                                  (PAGE, "it is an HTML page, saved in place of the file"),
                                  ("Entry not found", "it is a server's refusal, saved in place of the file: 'Entry not")):
            for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
                         "special_tokens_map.json"):
                folder = self.copy("bert-mlm")
                self.assertTrue((folder / name).exists(), name)
                (folder / name).write_text(content)
                self.refused(folder, f"{folder}/{name}: {sentence}")
            folder = self.copy("bert-mlm")
            (folder / "tokenizer.json").unlink()
            (folder / "vocab.txt").write_text(content)
            self.refused(folder, f"{folder}/vocab.txt: {sentence}")
            self.refused(folder, f"{folder}/vocab.txt: {sentence}", command="tokenize")
            (folder / "vocab.txt").unlink()
            (folder / "tokenizer.model").write_text(content)
            self.refused(folder, f"{folder}/tokenizer.model: {sentence}")
            folder = self.copy("bert-mlm")
            (folder / "model.safetensors").unlink()
            (folder / "pytorch_model.bin").write_text(content)
            self.refused(folder, f"{folder}/pytorch_model.bin: {sentence}")
            folder = self.copy("sentence-dense")
            for name in ("modules.json", "1_Pooling/config.json", "2_Dense/config.json", "2_Dense/model.safetensors"):
                before = (folder / name).read_bytes()
                (folder / name).write_text(content)
                self.refused(folder, f"{folder}/{name}: {sentence}")
                (folder / name).write_bytes(before)
            alone = self.write("alone", content)  # a single file
            self.refused(alone, f"{alone}: {sentence}")
            self.refused(alone, f"{alone}: {sentence}", command="tokenize")

    def test_what_is_empty_or_cut_short(self):
        for name, why in (("config.json", "config: byte 0 is not valid JSON: it is empty"),
                          ("tokenizer.json", "tokenizer.json: byte 0 is not valid JSON: it is empty"),
                          ("model.safetensors", "model.safetensors: the file is empty: it ends at byte 0")):
            folder = self.copy("bert-mlm")
            (folder / name).write_bytes(b"")
            self.refused(folder, why)
        size = len((SMALL / "bert-mlm" / "model.safetensors").read_bytes())
        for kept, why in ((5, "inside the 8 bytes of the header's length"), (100, "inside its header of"),
                          (size - 1, "end after the file's"), (size // 2, "end after the file's")):
            folder = self.copy("bert-mlm")
            path = folder / "model.safetensors"
            path.write_bytes(path.read_bytes()[:kept])
            self.refused(folder, why, "it was cut short, so fetch or write it again")
        for name in ("config.json", "tokenizer.json"):
            folder = self.copy("bert-mlm")
            text = (folder / name).read_text()
            (folder / name).write_text(text[:len(text) // 2].rstrip())
            self.refused(folder, name.split(".")[0], "is not valid JSON: it ends there")

    def test_a_name_of_the_hub(self):
        for name, fetched in (("sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"),
                              ("bert-base-uncased", "OWNER/bert-base-uncased")):
            for command in ("info", "tokenize"):
                self.refused(name, f"No such file or directory; a model of the Hugging Face hub is fetched first: "
                                   f"`hf download {fetched} --local-dir {name.split('/')[-1]}`", command=command)
        for path in ("model.safetensors", "./model", "/none/model", "../a/b", "a/b/c", "a/", "/", "", "vocab.txt", "a b"):
            self.assertNotIn("hf download", run("info", path, status=1)[1])
        self.assertNotIn("hf download", run("info", str(self.folder), status=1)[1])


class Misspelt(Case):
    def test_subcommands(self):
        for given, meant in (("emded", "embed"), ("serach", "search"), ("tokenise", "tokenize"), ("inf", "info"),
                             ("fillmask", "fill-mask"), ("fill_mask", "fill-mask"), ("zero", "zero-shot"),
                             ("rerankk", "rerank"), ("evalute", "evaluate"), ("EMBED", None), ("frobnicate", None),
                             ("x", None), ("no", None), ("z" * 1000, None), ("\x1b[31m", None)):
            stdout, stderr = run(given, MODEL, status=2)
            self.assertEqual(stdout, b"")
            self.assertIn("there is no subcommand '", stderr)
            self.assertNotIn("\x1b", stderr)
            if meant is None:
                self.assertNotIn("did you mean", stderr)
            else:
                self.assertIn(f"'{given}'; did you mean '{meant}'?", stderr)

    def test_numbers(self):
        model = str(SMALL / "sentence-mean")
        some = ("0", "-1", "1.5", "abc", "99999999999999999999")
        for command, option, bad in (
                (("search", model, "--query", "a"), "--top", some), (("rerank", model, "--query", "a"), "--top", some),
                (("embed", model), "--max-tokens", some), (("embed", model), "--dimensions", some),
                (("embed", model, "--windows", "mean"), "--stride", some[1:]), (("embed", model), "--threads", some[1:]),
                (("embed", model, "--sparse"), "--most", some), (("fill-mask", model, "x"), "--top-k", some),
                (("answer", model), "--top-k", some), (("answer", model), "--max-tokens", some),
                (("answer", model), "--stride", some[1:]), (("answer", model), "--max-answer-tokens", some),
                (("evaluate", model), "--rerank-depth", some), (("evaluate", model), "--resamples", some[1:]),
                (("accuracy",), "--tokens", some), (("bench",), "--batch", some), (("bench",), "--tables", some),
                (("bench",), "--length", some), (("bench",), "--sequences", some), (("bench",), "--layers", some),
                (("bench",), "--heads", some[1:]), (("bench",), "--vocab-size", some),
                (("create", "x"), "--hidden-size", some), (("create", "x"), "--output-size", some[1:]),
                (("create", "x"), "--probes", some), (("create", "x"), "--block-size", some)):
            for number in bad:
                stderr = run(*command, f"{option}={number}", status=2)[1]
                self.assertIn(f"{option}: expected a whole number from ", stderr)
                self.assertNotIn("e+", stderr)
                self.assertLess(len(stderr), 200)
        for command, option, bad in ((("evaluate", model), "--strength", ("0", "nan", "x", "1e300")),
                                     (("evaluate", model), "--right-from", ("0", "inf")),
                                     (("bench",), "--seconds", ("-1", "1e9", "nan")),
                                     (("verify", "a", "b"), "--y-limit", ("-1", "nan")),
                                     (("create", "x"), "--decay", ("nan", "inf", "x"))):
            for number in bad:
                self.assertIn(f"{option}: expected a number ", run(*command, f"{option}={number}", status=2)[1])


if __name__ == "__main__":
    unittest.main()
