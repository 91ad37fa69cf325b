#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`lookupffn search` keeps vectors beside the texts: when they are used, extended, made anew or refused."""
import array
import json
import os
import stat
import struct
import subprocess
import sys
import unittest
from pathlib import Path

from test_models import COMMAND, Case, run, run_lines

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import archive  # noqa: E402
from folders import make_prompted, make_sparse  # noqa: E402

SMALL = archive.unpacked("model/small-folders.tar")
MODEL = str(SMALL / "sentence-mean")
TEXTS = ["the cat eats", "a river runs", "the house of the dog", "song", "the dog runs the river", "cat"]
QUERY = "the dog eats"
HEAD = struct.Struct("<8sIiqqqq16sQQ48x")
FIELDS = ("magic", "version", "kind", "size", "count", "left_out", "text_bytes", "fingerprint", "text_hash", "reading")
KINDS = {1: ("f", 4), 3: ("b", 1)}


def hash_of(data):
    """As tools/README.md says."""
    value = 14695981039346656037
    for at in range(0, len(data), 8):
        value = (value ^ int.from_bytes(data[at:at + 8], "little")) * 1099511628211 & (1 << 64) - 1
        value ^= value >> 32
    return value


class Kept(Case):
    def setUp(self):
        super().setUp()
        self.lines = self.write("lines.txt", "".join(text + "\n" for text in TEXTS))
        self.file = self.folder / "lines.txt.vectors"

    def search(self, *options, model=MODEL, query=QUERY, status=0):
        """What is found, and what standard error says."""
        stdout, stderr = self.told(*options, model=model, query=query, status=status)
        return [(line["index"], line["score"]) for line in map(json.loads, stdout.splitlines())], stderr

    def told(self, *options, model=MODEL, query=QUERY, status=0, stdin=b""):
        result = subprocess.run([*COMMAND, "search", "--json", model, self.lines, "--query", query, "--top", "100", *options],
                                input=stdin, capture_output=True, check=False)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout, result.stderr.decode()

    def head(self):
        return dict(zip(FIELDS, HEAD.unpack(self.file.read_bytes()[:HEAD.size])))

    def set_head(self, **values):
        content = self.file.read_bytes()
        head = {**self.head(), **values}
        self.file.write_bytes(HEAD.pack(*(head[name] for name in FIELDS)) + content[HEAD.size:])

    def rows(self):
        head = self.head()
        code, width = KINDS[head["kind"]]
        numbers = array.array(code)
        numbers.frombytes(self.file.read_bytes()[HEAD.size:HEAD.size + head["count"] * head["size"] * width])
        return [list(numbers[i:i + head["size"]]) for i in range(0, len(numbers), head["size"])]

    def identity(self):
        status = self.file.stat()
        return status.st_ino, status.st_mtime_ns

    def fresh(self, *options, **how):
        return self.search("--no-vectors", *options, **how)

    def test_the_file_is_what_the_page_says(self):
        self.search()
        head, texts = self.head(), Path(self.lines).read_bytes()
        self.assertEqual((head["magic"], head["version"], head["kind"], head["count"], head["left_out"], head["reading"]),
                         (b"lffnvecs", 1, 1, len(TEXTS), 0, 0))
        self.assertEqual((head["text_bytes"], head["text_hash"]), (len(texts), hash_of(texts)))
        embedded = run_lines("embed", "--document", MODEL, self.lines)
        self.assertEqual(self.rows(), [[struct.unpack("f", struct.pack("f", number))[0] for number in line["embedding"]]
                                       for line in embedded])
        self.assertEqual(self.file.stat().st_size, HEAD.size + head["count"] * head["size"] * 4)

    def test_bytes(self):
        found, _ = self.search("--type", "int8")
        self.assertEqual(self.rows(), [line["embedding"]
                                       for line in run_lines("embed", "--document", "--type", "int8", MODEL, self.lines)])
        exact = dict(self.fresh()[0])
        for index, score in found:
            self.assertAlmostEqual(score, exact[index], delta=0.01)
        # The type is that of the file until another one is asked for.
        self.assertEqual(self.search(), (found, ""))
        self.assertIn("numbers of another type", self.search("--type", "float32")[1])
        self.assertEqual(self.search(), self.fresh())

    def test_it_is_used_while_nothing_has_changed(self):
        expected = self.fresh()
        self.assertFalse(self.file.exists())
        self.assertEqual(self.search(), expected)
        made = self.identity()
        self.assertEqual(self.search(), expected)
        self.assertEqual(self.identity(), made)
        # It is what is searched: the first line's vector becomes the last one's.
        content, width = self.file.read_bytes(), self.head()["size"] * 4
        self.file.write_bytes(content[:HEAD.size] + content[-width:] + content[HEAD.size + width:])
        scores = dict(self.search()[0])
        self.assertEqual(scores[0], scores[len(TEXTS) - 1])

    def test_lines_that_were_added(self):
        for before, after in (("", "\n"), ("\n", ""), ("\r\n", "\n"), ("", "\r\n")):
            with self.subTest(before=before, after=after):
                Path(self.lines).write_bytes(("\n".join(TEXTS) + before).encode())
                if self.file.exists():
                    self.file.unlink()
                self.search()
                # What was there is not made again.
                content = bytearray(self.file.read_bytes())
                content[HEAD.size:HEAD.size + 4] = struct.pack("f", 0.123)
                self.file.write_bytes(content)
                with open(self.lines, "ab") as file:
                    file.write((("" if before else after) + "a new song\nthe river\n").encode())
                found, told = self.search()
                self.assertEqual((len(found), told), (len(TEXTS) + 2, ""))
                self.assertEqual(self.head()["count"], len(TEXTS) + 2)
                self.assertEqual(self.rows()[0][0], struct.unpack("f", struct.pack("f", 0.123))[0])
                self.assertEqual(dict(found)[len(TEXTS)], dict(self.fresh()[0])[len(TEXTS)])
                self.assertEqual(self.search(), (found, ""))

    def test_what_makes_it_anew(self):
        other = make_prompted(SMALL / "sentence-mean", self.folder / "other", document="the river: ")
        cases = {
            "another model made it": lambda: None,
            "read with other options": lambda: None,
            "the texts have changed": lambda: self.write("lines.txt", "another\n" + "\n".join(TEXTS)),
            "size is not what its head says": lambda: self.file.write_bytes(self.file.read_bytes()[:-1]),
        }
        for why, change in cases.items():
            with self.subTest(why=why):
                self.search()
                change()
                model = other if "model" in why else MODEL
                options = ("--prompt-text", "the ") if "options" in why else ()
                found, told = self.search(*options, model=model)
                self.assertEqual(told, f"lookupffn: {self.file} is made anew: "
                                 f"{told.split('anew: ')[1]}")
                self.assertIn(why, told)
                self.assertEqual((found, ""), self.fresh(*options, model=model))
                self.assertEqual(self.search(*options, model=model), (found, ""))
                self.file.unlink()

    def test_a_line_that_went_on(self):
        Path(self.lines).write_text("the cat eats\nthe dog", encoding="utf-8")
        self.search()
        with open(self.lines, "a", encoding="utf-8") as file:
            file.write(" runs\n")
        self.assertIn("the texts have changed", self.search()[1])
        self.assertEqual(self.search(), self.fresh())

    def test_heads_that_lie(self):
        most = (1 << 63) - 1
        for values in ({"count": most}, {"count": -1}, {"count": 0}, {"count": 7}, {"size": 0}, {"size": most},
                       {"size": -1}, {"kind": 0}, {"kind": 8}, {"kind": 3}, {"left_out": 1}, {"left_out": most},
                       {"left_out": -1}, {"text_bytes": most}, {"text_bytes": -1}, {"text_bytes": 0},
                       {"count": most // 4, "size": 4}, {"count": 1 << 44, "size": 65536}, {"text_hash": 1}):
            with self.subTest(values=values):
                self.search()
                self.set_head(**values)
                found, told = self.search()
                self.assertIn("is made anew", told)
                self.assertEqual((found, ""), self.fresh("--type", "int8" if values.get("kind") == 3 else "float32"))
                self.file.unlink()

    def test_every_length(self):
        self.search()
        content = self.file.read_bytes()
        for size in [*range(0, HEAD.size + 2, 9), HEAD.size, len(content) - 1, len(content) + 1]:
            with self.subTest(size=size):
                self.file.write_bytes((content + b"\0")[:size])
                found, told = self.search(status=1 if 0 < size < 8 else 0)
                self.assertEqual(told == "", size == 0)
                self.assertEqual(bool(found), not 0 < size < 8)

    def test_other_files_are_left_alone(self):
        for content in (b"my notes\n" * 40, b"x"):
            self.file.write_bytes(content)
            found, told = self.search(status=1)
            self.assertIn("is no file of vectors", told)
            self.assertEqual((found, self.file.read_bytes()), ([], content))
        self.file.unlink()
        self.search()
        self.set_head(version=2)
        self.assertIn("has version 2", self.search(status=1)[1])
        self.file.unlink()
        os.mkfifo(self.file)
        self.assertIn("is no file of vectors", self.search(status=1)[1])

    def test_lines_that_are_no_text(self):
        Path(self.lines).write_bytes(b"the cat\n\xff\nthe dog\n\xfe\n")
        found, told = self.search(status=1)
        self.assertEqual(sorted(index for index, _ in found), [0, 2])
        self.assertIn("lines.txt, line 2: ", told)
        self.assertIn("lines.txt, line 4: ", told)
        self.assertEqual(self.file.read_bytes()[-16:], struct.pack("<qq", 1, 3))
        again, told = self.search(status=1)
        self.assertEqual(again, found)
        self.assertIn("line 2: has no vector, as it could not be read; so have 1 others", told)
        with open(self.lines, "ab") as file:
            file.write(b"song\n\xfd\n")
        self.assertEqual(sorted(index for index, _ in self.search(status=1)[0]), [0, 2, 4])
        self.assertEqual(self.file.read_bytes()[-24:], struct.pack("<qqq", 1, 3, 5))
        for lines in ((3, 1, 5), (1, 1, 5), (1, 3, 6), (-1, 3, 5)):
            self.file.write_bytes(self.file.read_bytes()[:-24] + struct.pack("<qqq", *lines))
            self.assertIn("it is damaged: it names lines", self.search(status=1)[1])

    def test_where_nothing_can_be_kept(self):
        found, told = self.search("--vectors", str(self.folder / "no" / "such"))
        self.assertIn("the vectors are not kept: ", told)
        self.assertEqual(found, self.fresh()[0])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["lines.txt"])

    def test_nobody_else_may_read_them(self):
        os.chmod(self.lines, 0o600)
        self.search()
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["lines.txt", "lines.txt.vectors"])

    def test_another_place(self):
        place = self.folder / "elsewhere"
        self.search("--vectors", str(place))
        self.assertTrue(place.exists())
        self.assertFalse(self.file.exists())

    def test_no_lines(self):
        Path(self.lines).write_bytes(b"")
        self.assertEqual(self.search(), ([], ""))
        self.assertEqual(self.search("--no-vectors"), ([], ""))
        self.assertEqual(self.search(), ([], ""))

    def test_lines_from_a_pipe(self):
        stdin = Path(self.lines).read_bytes()
        found = run_lines("search", "--json", MODEL, "--query", QUERY, "--top", "100", stdin=stdin)
        self.assertEqual([(line["index"], line["score"]) for line in found], self.fresh()[0])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["lines.txt"])

    def test_many_queries(self):
        queries = [QUERY, "song", "", QUERY]
        stdin = "".join(query + "\n" for query in queries).encode() + b"\xff\ncat"
        stdout, told = self.told(query="-", stdin=stdin, status=1)
        answers = [json.loads(line) for line in stdout.splitlines()]
        self.assertEqual([answer["query"] for answer in answers], [*queries, "\ufffd", "cat"])
        self.assertEqual(answers[0], answers[3])
        for answer in answers:
            found = [(hit["index"], hit["score"]) for hit in answer["found"]]
            self.assertEqual(found, [] if answer["query"] == "\ufffd" else self.search(query=answer["query"])[0])
        self.assertIn("standard input, line 5: ", told)
        text = run("search", MODEL, self.lines, "--query", "-", "--top", "2", stdin="song\ncat\n")[0].decode()
        self.assertEqual(text.split("\n\n")[0], run("search", MODEL, self.lines, "--query", "song", "--top", "2")[0].decode().rstrip("\n"))
        self.assertIn("cannot both come from standard input", run("search", MODEL, "--query", "-", status=1)[1])

    def test_a_second_stage(self):
        reranker = str(SMALL / "bert-reranker")
        first = [index for index, _ in self.search()[0]][:4]
        expected = run_lines("rerank", reranker, self.lines, "--query", QUERY)
        found = run_lines("search", "--json", MODEL, self.lines, "--query", QUERY, "--rerank", reranker, "--candidates", "4",
                          "--top", "3")
        self.assertEqual([(line["index"], line["score"]) for line in found],
                         [(line["index"], line["score"]) for line in expected if line["index"] in first][:3])
        self.assertIn("is no model to rerank with", self.search("--rerank", MODEL, status=1)[1])

    def test_models_without_a_vector_for_each_line(self):
        late = str(archive.unpacked("model/late-folders.tar") / "late-pylate")
        sparse = make_sparse(SMALL / "bert-mlm", self.folder / "sparse")
        for model in (late, sparse, str(SMALL / "bert-reranker")):
            for options in (("--vectors", str(self.file)), ("--type", "int8")):
                self.assertIn("no vector for each line", self.search(*options, model=model, status=1)[1])
            self.assertIn("no vector for each line", self.search(model=model, query="-", status=1)[1])
            self.assertEqual(len(self.search(model=model)[0]), len(TEXTS))
            self.assertFalse(self.file.exists())

    def test_lines_of_json(self):
        Path(self.lines).write_text('"the cat"\n{"text": "the dog"}\n', encoding="utf-8")
        found = json.loads(self.told("--json-lines", query="the dog")[0].splitlines()[0])
        self.assertEqual((found["index"], found["text"]), (1, "the dog"))
        self.assertEqual(self.told("--json-lines", query="the dog")[1], "")
        self.assertIn("other options", self.search()[1])


if __name__ == "__main__":
    unittest.main()
