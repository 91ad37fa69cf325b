# SPDX-License-Identifier: Apache-2.0
"""Functions with their documentation: what is found in sources, how it is cut, and what is held out."""

import json
import lzma
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "training" / "scripts"))

import code_text  # noqa: E402
import fetch_text  # noqa: E402
import functions  # noqa: E402
import held_out  # noqa: E402
import methods  # noqa: E402
import text_sources  # noqa: E402

BODY = "\n".join(f"    total_{word} = combine(first.{word}, second['{word}'])" for word in "abcdef")


def function(name, documentation, body=BODY):
    return f'def {name}(first, second):\n    """{documentation}"""\n{body}\n    return total_a\n'


def found(source):
    return list(functions.of_source(source.encode()))


def inside(source, head):
    return f"{head}\n" + "".join(f"    {line}\n" for line in source.splitlines())


def test_a_passage_has_signature_documentation_and_body():
    (one,) = found(function("add_all", "Adds what both have.\n\n    Nothing else is added, e.g. no names.\n    "))
    assert one.question == "Adds what both have." and one.is_told
    told = '"""Adds what both have. Nothing else is added, e.g. no names."""'
    assert one.passage.startswith(f"def add_all(first, second): {told} total_a = combine(first.a,")
    assert one.passage.endswith("total_f = combine(first.f, second['f']) return total_a")
    assert one.bare == one.passage.replace(f"{told} ", "")


def test_decorated_nested_async_functions_and_methods_are_found():
    inner = function("inner", "Says what is inside of it.")
    assert [one.question for one in found(inside(inner, "class Some:"))] == ["Says what is inside of it."]
    (late,) = found(f"@when(ready,\n      now=True)\nasync {function('late', 'Comes after all the others.')}")
    assert late.passage.startswith("@when(ready, now=True) async def late(first, second): ")
    nested = inside(inner, 'def outer():\n    """Makes the function inside of it."""') + "    return inner\n"
    assert [one.question for one in found(nested)] == ["Makes the function inside of it.", "Says what is inside of it."]


@pytest.mark.parametrize("source", [
    f"def plain(first, second):\n{BODY}\n",  # no documentation
    'def empty(first):\n    """Documented at length, ' + "and more " * 90 + '"""\n',  # no body
    'def short(first):\n    """Says little."""\n    return first\n',
    "def old(first):\n    'Says something of it.'\n    print first\n",
    function("broken", "Ends too early.") + "    if\n",
    function("zero", "Has a byte of zero.") + "\0",
    "x = " + "(" * 5000 + ")" * 5000 + "\n" + function("deep", "Comes behind deep brackets."),
])
def test_what_says_too_little_or_does_not_parse_is_left_out(source):
    assert found(source) == []


def test_other_sources_are_not_executed_and_odd_ones_do_not_stop_the_reading(tmp_path):
    root = tmp_path / "root"
    for name, source in [("a.py", "raise SystemExit\n" + function("one", "Reads the first of them.")), ("b.py", "def"),
                         ("tests/c.py", function("two", "Reads the second of them.")),
                         ("d.py", "# \u00e9\n" + function("three", "Reads the third of them, a caf\u00e9.")),
                         ("e.txt", function("four", "Reads the fourth of them."))]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(source, encoding="utf-8")
    (root / "f.py").write_bytes(b"# \xe9\n" + function("five", "Reads the fifth of them.").encode())
    (root / "g.py").symlink_to(root / "a.py")
    assert [one.question for one in functions.of_folder(root)] == \
        ["Reads the first of them.", "Reads the third of them, a caf\u00e9."]


def test_documentation_on_a_line_with_code():
    source = f"def one(first, second): 'Adds \u00e9 to it all.'; {'; '.join(line.strip() for line in BODY.splitlines())}\n"
    (one,) = found(source)
    assert one.question == "Adds \u00e9 to it all." and one.bare.startswith("def one(first, second): total_a = combine(")


def test_a_name_stands_for_documentation_that_says_too_little():
    (one,) = found(function("_readHTTPHeader_of2", "See foo."))
    assert one.question == "read http header of 2" and not one.is_told
    assert '"""See foo."""' in one.passage


def test_long_functions_are_cut_between_lines():
    most = functions.TOKENS[1]
    lines = [f"    value_{i} = compute(value_{i - 1}, {i})" for i in range(1, 200)]
    for documentation in ("Computes one value after another.", "Computes values. " + "Then it says more of it. " * 200):
        (one,) = found(function("long", documentation, "\n".join(lines)))
        assert most - 20 <= functions.tokens(one.passage) <= most and most - 20 <= functions.tokens(one.bare) <= most
        assert one.passage.endswith(")") and one.bare.count("compute(") >= one.passage.count("compute(") >= 5
    assert found(f'def wide({", ".join(f"argument_{i}" for i in range(100))}):\n    """Takes too many of them."""\n{BODY}\n') == []


def packages(count, package_of):
    """Made packages; the functions of each are unlike those of the others."""
    return {f"python3-{i}": package_of("".join("abcdefghij"[int(digit)] for digit in f"{i:03}")) for i in range(count)}


def unlike(word):
    body = "\n".join(f"    {word}{part} = {part}{word}(first.{word}x{part}, second.y{part}{word})" for part in "pqrstuvw")
    return function(f"make_{word}", f"Makes {word} of the {word}s that were given.", body)


def fetched(tmp_path, monkeypatch, made, *options, only=(), more=()):
    def fetch(wanted, folder):
        (name,) = wanted
        root = folder / "root"
        root.mkdir()
        (root / "module.py").write_text(made[name], encoding="utf-8")
        return root, [f"=== {name}"]

    monkeypatch.setattr(code_text, "fetch", fetch)
    monkeypatch.setitem(fetch_text.SOURCES, "code", text_sources.Source(only or tuple(made), "permissive", False, functions.of_folder))
    monkeypatch.setattr(sys, "argv", ["fetch_text.py", str(tmp_path / "out"), "code", *more, *map(str, options)])
    fetch_text.main()
    out = tmp_path / "out"
    return [text for name in ("train.txt", "valid.txt") for text in (out / name).read_text().split("\n\n") if text], out


def test_one_package_in_fifteen_is_held_out(tmp_path, monkeypatch):
    made = packages(60, unlike)
    kept = [name for name in made if held_out.is_held_out(name)]
    assert 2 <= len(kept) <= 8
    made["python3-other"] = made[kept[0]].replace("def make", "def made")  # a copy of held-out code in another package
    learned, out = fetched(tmp_path, monkeypatch, made)
    pairs = [line.split("\t") for line in (out / "code_pairs.tsv").read_text().splitlines()]
    assert len(pairs) == len(kept)
    for name, (question, bare) in zip(kept, pairs):
        (expected,) = found(made[name])
        assert (question, bare) == (expected.question, expected.bare) and question not in bare
    corpus, queries = ([json.loads(line) for line in (out / "code_pairs" / name).read_text().splitlines()] for name in ("corpus.jsonl", "queries.jsonl"))
    texts = {entry["_id"]: entry["text"] for entry in corpus + queries}
    judged = [line.split("\t") for line in (out / "code_pairs" / "qrels.tsv").read_text().splitlines()[1:]]
    assert [[texts[query], texts[document]] for query, document, _ in judged] == pairs and len(texts) == 2 * len(pairs)
    words = {question.split()[1] for question, _ in pairs}
    assert not [text for text in learned for word in words if word in text]
    assert (out / "licences.txt").read_text().count("===") == len(made)
    # Every third gives its question, and its passage then does not repeat it.
    questions = [text for text in learned if text.startswith("Makes ")]
    rest = [text for text in learned if text not in questions]
    assert len(rest) == 60 - len(kept) and len(questions) == -(-len(rest) // 3)
    for question in questions:
        (passage,) = [text for text in rest if f"make_{question.split()[1]}(" in text]
        assert question not in passage
    assert sum('"""' in text for text in rest) == len(rest) - len(questions)


@pytest.mark.parametrize("form", ["py", "jsonl", "jsonl.xz"])
def test_functions_that_judged_texts_share_are_left_out_whole(tmp_path, monkeypatch, form):
    made = {name: source for name, source in packages(30, unlike).items() if not held_out.is_held_out(name)}
    first, second, third, fourth, *_ = made
    # Two lines of the body, one sentence of the documentation, a signature with a line; a name alone is nothing.
    lines = made[first].splitlines()
    judged = f"def other(a):\n{lines[3]}\n{lines[4]}\n", f'{found(made[second])[0].question}\n', f"{made[third].split('(')[0]}\n", \
        f"{made[fourth].splitlines()[0]}\n{made[fourth].splitlines()[2].split(',')[0]}\n"
    data = "\n".join(judged if form == "py" else (json.dumps({"_id": str(i), "title": "", "text": text})
                                                  for i, text in enumerate(judged))).encode()
    apart = tmp_path / f"judged.{form}"
    apart.write_bytes(lzma.compress(data) if form.endswith("xz") else data)
    every, _ = fetched(tmp_path / "all", monkeypatch, made)
    learned, _ = fetched(tmp_path / "apart", monkeypatch, made, "--apart", apart)
    for name, is_learned in ((first, False), (second, False), (third, True), (fourth, False)):
        word = found(made[name])[0].question.split()[1]
        assert any(word in text for text in every)
        assert any(word in text for text in learned) == is_learned
    # A function is left out whole or not at all.
    assert {text for text in learned if text.startswith("def ")} <= \
        {text for source in made.values() for one in found(source) for text in (one.passage, one.bare)}


def test_what_a_later_source_holds_out_is_left_out_of_an_earlier_one(tmp_path, monkeypatch):
    made = packages(60, unlike)
    kept = next(name for name in made if held_out.is_held_out(name))
    learned = next(name for name in made if not held_out.is_held_out(name))
    copies = {learned: made[kept].replace("def make", "def made") + made[learned]}
    monkeypatch.setitem(fetch_text.SOURCES, "methods", text_sources.Source((kept,), "permissive", False, functions.of_folder))
    every, _ = fetched(tmp_path, monkeypatch, {**copies, kept: made[kept]}, only=(learned,), more=("methods",))
    word, other = (found(made[name])[0].question.split()[1] for name in (kept, learned))
    assert any(other in text for text in every) and not any(word in text for text in every)


def test_of_nearly_identical_functions_one_is_kept(tmp_path, monkeypatch):
    (name, source), *_ = packages(5, unlike).items()
    learned, _ = fetched(tmp_path, monkeypatch, {name: source + source.replace("def make", "async def begin")})
    assert len([text for text in learned if "def " in text]) == 1


@pytest.mark.parametrize("name, packages", [("code", functions.PACKAGES), ("methods", methods.PACKAGES)])
def test_every_package_has_a_permissive_licence(name, packages, capsys, monkeypatch):
    permissive = ("BSD-", "MIT", "Apache-", "HPND", "PostgreSQL", "matplotlib's (as PSF)")
    assert all(licence.startswith(permissive) for licence in packages.values())
    assert fetch_text.SOURCES[name].packages == tuple(packages) and fetch_text.CODE[name] is packages
    assert sum(held_out.is_held_out(code_text.name_of(package)) for package in packages) >= 3
    monkeypatch.setattr(sys, "argv", ["fetch_text.py", "--list"])
    fetch_text.main()
    listed = capsys.readouterr().out
    assert all(f"{package:40} {licence}\n" in listed for package, licence in packages.items())


def test_a_new_version_changes_nothing_in_what_is_held_out():
    for package, name in [("npm:@types/node@26.6.6", "npm:@types/node"), ("npm:@types/node", "npm:@types/node"), ("npm:three@0.187.0", "npm:three"),
                          ("nuget:Polly@8.9.1", "nuget:Polly"), ("libkryo-java-doc", "libkryo-java-doc")]:
        assert code_text.name_of(package) == name


def test_only_code_that_is_long_enough_alone_gives_its_question():
    long = [found(unlike("abcdefg"[i] * 4))[0] for i in range(7)]
    short = functions.Function("Says enough of it.", True, 'def f(): """Says enough of it."""', "def f(): pass")
    documents = list(code_text.documents_to_learn([short, *long], held_out.HeldOut()))
    assert documents == [short.passage, long[0].question, long[0].bare, long[1].passage, long[2].passage,
                         long[3].question, long[3].bare, long[4].passage, long[5].passage, long[6].question, long[6].bare]


def test_letters_of_scripts_without_blanks_count_one_by_one():
    assert functions.tokens("def f_2(x): caf\u00e9 \u6f22\u5b57\u6f22\u5b57") == 8 + 2 + 4
