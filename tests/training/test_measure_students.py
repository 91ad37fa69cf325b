# SPDX-License-Identifier: Apache-2.0
"""The scores of students, alone, mixed with their teacher and rounded, from a stand-in for the command."""

import json
import sys

import numpy as np
import pytest

from test_scripts import script

VECTORS = {"q1": [1, 0.4], "q2": [-0.3, 1], "d1": [1, 0.5], "d2": [0.9, -0.1], "d3": [-1, 1], "title d4": [-0.2, -1]}


def test_students_are_measured_alone_mixed_and_rounded(tmp_path, monkeypatch, capsys):
    measure = script("measure_students")
    stand_in = tmp_path / "command"
    stand_in.write_text(f"""#!/usr/bin/python3
import json, sys
import numpy as np
if sys.argv[1] == "evaluate":
    models = sys.argv[2:sys.argv.index("--json")]
    print(json.dumps({{"models": [{{"pairs": [{{"spearman": {{"value": 0.5 + 0.01 * len(model)}}}}]}} for model in models]}}))
    sys.exit()
vectors = {VECTORS!r}
turn = 1 if open(sys.argv[2]).read() == "teacher" else -1
texts = [json.loads(line) for line in sys.stdin]
with open({str(tmp_path / "asked")!r}, "a") as file:
    file.write(f"{{len(texts)}} ")
np.save(sys.argv[sys.argv.index("--npy") + 1], np.array([[vectors[text][0], turn * vectors[text][1]] for text in texts], np.float32))
""")
    stand_in.chmod(0o755)
    for name in ("teacher", "small"):
        (tmp_path / name).write_text(name)
    folder = tmp_path / "some-folder"
    folder.mkdir()
    documents = [{"_id": "d1", "text": "d1"}, {"_id": "d2", "text": "d2"}, {"_id": "d3", "text": "d3"}, {"_id": "d4", "title": "title", "text": "d4"}]
    queries = [{"_id": name, "text": name} for name in ("q1", "q2", "q3")]
    for name, lines in (("corpus", documents), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t2\nq2\td2\t1\nq3\td1\t0\n")
    (tmp_path / "results.json").write_text(json.dumps({"speed": [1, 2], "students": {"labels": {"some-folder": "Some"}}}))
    (tmp_path / "pairs.tsv").write_text("1\ta\tb\n")

    def run(*students):
        given = ["measure_students.py", "results.json", "teacher", *students, "--retrieval", folder, "--pairs", tmp_path / "pairs.tsv",
                 "--work", tmp_path / "work", "--command", stand_in]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", list(map(str, given)))
        measure.main()
        return json.loads((tmp_path / "results.json").read_text())

    found = run("small=small")
    assert found["speed"] == [1, 2] and found["students"]["measured"]["queries"] == {"Some": 2}
    students = found["students"]
    # The teacher ranks d1 first for q1, and d3, d1, d2 for q2.
    best = 2 + 1 / np.log2(3)
    whole = 100 * (1 + (2 + 1 / np.log2(4)) / best) / 2
    assert students["search"]["teacher"]["Some"] == round(whole, 2) == students["search"]["small"]["Some"]
    assert students["mixed"]["teacher, teacher, float32"]["Some"][1:] == [0, 0, 0]
    # The second numbers have the other sign: q1 finds d2, d1; q2 finds d4, d2, d3, d1.
    mixed = 100 * (1 / np.log2(3) + (1 / np.log2(3) + 2 / np.log2(4)) / best) / 2
    value, difference, low, high = students["mixed"]["small, teacher, float32"]["Some"]
    assert value == round(mixed, 2) and abs(difference - (mixed - whole)) < 0.02 and low <= difference <= high < 0
    # By signs q2 finds d3, then d1 and d4, which are equally like it, then d2.
    assert students["mixed"]["teacher, teacher, bits"]["Some"][0] == round(100 * (1 + (2 + 1 / np.log2(5)) / best) / 2, 2)
    assert students["near"]["small"]["Some"][0] == pytest.approx(np.mean([a * a - b * b for a, b in list(VECTORS.values())[2:]]), abs=1e-3)
    assert students["pairs"] == {"small": {"pairs": [55.0, 57.0]}} and students["megabytes"] == {"small": 0.0}
    assert (tmp_path / "asked").read_text() == "2 4 2 4 "
    (tmp_path / "small").write_text("other")
    assert run("small=small") == found and (tmp_path / "asked").read_text() == "2 4 2 4 2 4 "
    with pytest.raises(SystemExit):
        run("small=none")
    assert "no such file: none" in capsys.readouterr().err


def test_vectors_are_rounded_as_the_library_rounds_them():
    measure = script("measure_students")
    draw = np.random.default_rng(3)
    queries, documents = (draw.normal(size=(count, 384)).astype(np.float32) for count in (4, 9))
    exact = queries @ documents.T
    assert np.allclose(measure.similarities("int8", queries, documents), exact, atol=1.0) and \
        not np.array_equal(measure.similarities("int8", queries, documents), exact)
    bits = measure.similarities("bits", queries, documents)
    assert np.array_equal(384 - 2 * ((queries[:, None] > 0) != (documents[None] > 0)).sum(-1), bits)
