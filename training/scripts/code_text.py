# SPDX-License-Identifier: Apache-2.0
"""Documents and held-out pairs of what fetch_text.py gets of code: functions with their documentation."""

import json
import re
import shutil
import sys

import functions
from downloads import fetch
from held_out import is_held_out, without_near_duplicates


def name_of(package):
    """Without its version, so that a new one changes nothing in what is held out."""
    return re.sub(r"(?<=[^:])@[^@/]*$", "", package)


def functions_of(packages, read, folder):
    """-> functions to learn from, those of held-out packages, licences."""
    parts, licences = ([], []), []
    for number, package in enumerate(packages):
        print(f"\r{number + 1} of {len(packages)} packages", end="" if number + 1 < len(packages) else "\n", file=sys.stderr, flush=True)
        place = folder / package.replace("/", "-")
        place.mkdir()
        root, notices = fetch((package,), place)
        parts[is_held_out(name_of(package))].extend(read(root))
        licences += notices
        shutil.rmtree(place)
    return *parts, licences


def documents_to_learn(learned, held):
    """Passages without near duplicates, found when they are read, for by then more may be held out. A function is left out whole
    if part of it is held out, for code without a part says something else; its words count, for most functions share eight
    tokens in a row if signs are among them. Every third whose code is long enough alone gives its question, too. Then its
    passage lacks the documentation, so that the question is not a copy of what it begins with; the others keep theirs, as code
    has it."""
    different = set(without_near_duplicates([function.passage for function in learned]))
    kept = [function for function in learned if function.passage in different
            and not any(held.has(text) for text in (function.question, function.passage, function.bare))]
    asking = [i for i, function in enumerate(kept) if functions.tokens(function.bare) >= functions.TOKENS[0]]
    asked = set(asking[::3])
    for i, function in enumerate(kept):
        yield from [function.question, function.bare] if i in asked else [function.passage]


def write_collection(folder, pairs):
    """Pairs of a question and its document as evaluate --retrieval reads them."""
    folder.mkdir(exist_ok=True)
    numbers = {}
    judged = [(numbers.setdefault(question, len(numbers)), place) for place, (question, _) in enumerate(pairs)]

    def write(name, prefix, texts):
        lines = (json.dumps({"_id": f"{prefix}{number}", "title": "", "text": text}) + "\n" for number, text in enumerate(texts))
        (folder / name).write_text("".join(lines), encoding="utf-8")

    write("corpus.jsonl", "d", (document for _, document in pairs))
    write("queries.jsonl", "q", numbers)
    lines = "".join(f"q{query}\td{place}\t1\n" for query, place in judged)
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + lines, encoding="utf-8")


def documents(name, source, folder, out, held):
    """-> documents, licences. Pairs of held-out packages are written to OUT and added to the held-out set."""
    learned, kept, licences = functions_of(source.packages, source.read, folder)
    pairs = [(function.question, function.bare) for function in kept if function.is_told]
    pairs_text = "".join(f"{question}\t{bare}\n" for question, bare in pairs)
    (out / f"{name}_pairs.tsv").write_text(pairs_text, encoding="utf-8")
    write_collection(out / f"{name}_pairs", pairs)
    held.add(pairs_text + "\n".join(function.passage for function in kept))
    print(f"{name}_pairs.tsv: {len(pairs)} pairs")
    return documents_to_learn(learned, held), licences
