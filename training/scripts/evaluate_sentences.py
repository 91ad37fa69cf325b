#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares students of a sentence encoder with it and with cheap baselines, on texts that none was trained on.

    evaluate_sentences.py TEACHER --valid jargon.txt devil.txt pairs.tsv --text train.txt --out OUT
                          [--student NAME=FOLDER|STATE ...] [--model NAME=MODEL ...] [--judged FILE.tsv ...]
                          [--speed speed.json]

A student is a folder, or the state of a distilling run, such as one without FFNs, which has no folder. Each is measured
unchanged, and with its weights rounded to int8 as the library does. A --model is a file or a folder that liblookupffn runs; it
needs LOOKUPFFN_LIBRARY. "static" means vectors of tokens: the main directions of the teacher's output for each token alone,
weighted by the token's rarity in the text. The number of directions and the weight are chosen on --text. --judged files have
lines of a score, a text and a text, as for `lookupffn evaluate --pairs`, and give Spearman's correlation with the cosines.
--speed holds {name: microseconds a token}, measured elsewhere.
OUT receives results.json, results.md and, with --speed, quality.svg.
"""

import argparse
import json
import random
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).parents[1]))

from lookupffn import data, features, safetensors  # noqa: E402
from lookupffn.distiller import measure, pieces, plot, quantise  # noqa: E402
from lookupffn.distiller.report import sizes  # noqa: E402
from lookupffn.distiller.state import State  # noqa: E402
from lookupffn.distiller.subject import Subject  # noqa: E402
from lookupffn.distiller.training import Options, Whole  # noqa: E402
from lookupffn.native_model import NativeModel  # noqa: E402
from find_descriptions import embeddings  # noqa: E402


class Static:
    """A vector per token without context: the baseline for everything that looks at context."""

    def __init__(self, teacher, text, most=20_000):
        tokenizer, size = teacher.tokenizer, teacher.tokenizer.size
        self.ids_of = teacher.sentence.ids_of
        draw = random.Random(0)
        documents = [document for document in data.documents_of(text) if draw.random() < 0.2][:most]
        sample = [piece for document in documents for piece in pieces.pieces_of(document, draw)]
        counts = np.bincount(np.concatenate([self.ids_of(piece) for piece in sample]), minlength=size)
        self.shares = torch.from_numpy((counts + 1) / (counts + 1).sum())
        words = torch.arange(size)
        ids = torch.stack((torch.full_like(words, tokenizer.begin), words, torch.full_like(words, tokenizer.end)), 1)
        with torch.no_grad():
            self.alone = torch.cat([teacher.sentence(part) for part in ids.split(1024)])
        self._choose(teacher, draw.sample(sample, min(500, len(sample))))

    def _choose(self, teacher, sample):
        wanted, best = measure.similarities(teacher.sentence.encode(sample)), -2.0
        weighted = self.alone - (self.alone * self.shares[:, None].float()).sum(0)
        _, _, directions = torch.linalg.svd(weighted * self.shares.sqrt().float()[:, None], full_matrices=False)
        for count in (64, 128, 256, self.alone.shape[1]):
            for rare in (1e-4, 3e-4, 1e-3, 3e-3, 1e-2):
                weights = (rare / (rare + self.shares)).float()
                vectors = weighted @ directions[:count].t() * weights[:, None]
                found = measure.correlation(measure.similarities(self._encode(vectors, sample)), wanted)
                if found > best:
                    best, self.vectors, self.chosen = found, vectors, (count, rare)

    def _encode(self, vectors, texts):
        return F.normalize(torch.stack([vectors[self.ids_of(text)[1:-1] or [0]].mean(0) for text in texts]), dim=-1)

    def encode(self, texts):
        return self._encode(self.vectors, texts)


def halves_of(paths, most=1000, seed=13):
    """The beginnings and ends of texts of four or more sentences: harder to match than two descriptions of a thing."""
    draw, found = random.Random(seed), []
    for path in paths:
        for document in data.documents_of(path):
            sentences = [s for s in document.replace("! ", ". ").replace("? ", ". ").split(". ") if len(s) > 15]
            if len(sentences) >= 4:
                middle = len(sentences) // 2
                found.append((". ".join(sentences[:middle])[-500:], ". ".join(sentences[middle:])[:500]))
    return draw.sample(found, min(most, len(found)))


def student_of(teacher_folder, path):
    """From a folder, or from a run's state and its teacher."""
    if path.is_dir():
        return Subject.load(path)
    student = Subject.load(teacher_folder)
    note = json.loads(safetensors.load(path)[1]["note"])
    options = Options(**{**note["options"], "fade": tuple(note["options"]["fade"])})
    if note["teacher"] != student.digest():
        sys.exit(f"evaluate_sentences.py: {path} has another teacher")
    if note["phase"] != "whole":
        sys.exit(f"evaluate_sentences.py: {path} has only begun")
    student.shape(options, note["layers"])
    Whole.choose_what_learns(student, options)
    learns = [parameter for parameter in student.model.parameters() if parameter.requires_grad]
    State(path, student.model, note["megabytes"]).read(torch.optim.AdamW(learns))
    student.model.eval()
    return student


class Bench:
    def __init__(self, arguments, teacher):
        held_out = measure.HeldOut.read(arguments.valid, most_pairs=arguments.pairs)
        texts = [path for path in arguments.valid if path.suffix != ".tsv"]
        self.all = measure.SentenceMeasure(held_out, teacher.sentence.encode)
        self.halves = halves_of(texts)
        self.judged = {path.stem: judged_pairs(path) for path in arguments.judged}
        everything = measure.HeldOut.read([path for path in arguments.valid if path.suffix == ".tsv"], most_pairs=1 << 30)
        self.many = everything.pairs

    def __call__(self, encode):
        values = {name: value for name, value in self.all(encode).items() if "of the teacher" not in name}
        for name, pairs in (("all pairs", self.many), ("halves", self.halves)):
            if pairs:
                first, reciprocal = measure.found_first(encode([a for a, _ in pairs]), encode([b for _, b in pairs]))
                values.update({f"{name} found": first, f"{name} mrr": reciprocal})
        for name, (scores, *texts) in self.judged.items():
            first, second = map(encode, texts)
            values[f"{name} Spearman"] = measure.rank_correlation((first * second).sum(1), scores)
        return {name: round(value, 4) for name, value in values.items()}


def judged_pairs(path):
    """-> scores, first texts, second texts."""
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
    if not lines or any(len(line) != 3 for line in lines):
        sys.exit(f"evaluate_sentences.py: {path}: expected lines of a score, a text and a text, with tabs between")
    scores, *texts = zip(*lines)
    return torch.tensor([float(score) for score in scores]), *map(list, texts)


def table(results):
    names = list(dict.fromkeys(name for values in results.values() for name in values["values"]))
    lines = ["| | " + " | ".join(names) + " | bytes, int8 |", "|---" * (len(names) + 2) + "|"]
    for row, result in results.items():
        cells = [f"{result['values'][name]:.4f}" if name in result["values"] else "" for name in names]
        lines.append(f"| {row} | " + " | ".join(cells) + f" | {result.get('bytes') or ''} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("--valid", type=Path, nargs="+", required=True)
    parser.add_argument("--text", type=Path, help="training text, for the static vectors")
    parser.add_argument("--student", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--model", action="append", default=[], metavar="NAME=MODEL")
    parser.add_argument("--pairs", type=int, default=1000, help="number of long descriptions to search for each short one's own")
    parser.add_argument("--judged", type=Path, nargs="+", default=[])
    parser.add_argument("--speed", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    # Before the teacher is measured, which takes minutes.
    students, models = ([given.partition("=")[::2] for given in named] for named in (arguments.student, arguments.model))
    for name, path in [*students, *models]:
        if not path or not Path(path).exists():
            sys.exit(f"evaluate_sentences.py: {name}={path}: expected NAME=PATH of what is there")
    for path in [*arguments.valid, *arguments.judged, *filter(None, (arguments.text, arguments.speed))]:
        if not path.is_file():
            sys.exit(f"evaluate_sentences.py: {path}: no such file")
    features.set_threads(arguments.threads)
    teacher = Subject.load(arguments.teacher)
    if teacher.sentence is None:
        sys.exit(f"evaluate_sentences.py: {arguments.teacher} is no sentence encoder")
    bench, results = Bench(arguments, teacher), {}

    def add(name, encode, size=None):
        results[name] = {"values": bench(encode), "bytes": size}
        print(name, results[name]["values"], flush=True)

    add("teacher", teacher.sentence.encode, sizes(teacher)[2])
    if arguments.text:
        static = Static(teacher, arguments.text)
        count, rare = static.chosen
        add(f"static, {count} directions, weight {rare:g}", static.encode, static.vectors.numel())
    for name, path in students:
        student = student_of(arguments.teacher, Path(path))
        add(name, student.sentence.encode, sizes(student)[2])
        with quantise.int8(student.model):
            add(f"{name}, int8", student.sentence.encode, sizes(student)[2])
    width = teacher.sentence.encode(["one"]).shape[1]
    for name, path in models:
        with NativeModel(path, arguments.threads) as model:
            add(name, lambda texts: torch.from_numpy(embeddings(model, width, texts)))
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (arguments.out / "results.md").write_text(table(results))
    if arguments.speed:
        speed = json.loads(arguments.speed.read_text())
        quality = next(name for name in next(iter(results.values()))["values"] if name.endswith(" r"))
        points = {name: [(speed[name], result["values"][quality])] for name, result in results.items() if name in speed}
        (arguments.out / "quality.svg").write_text(plot.svg(points, "Quality against time", "microseconds a token", quality,
                                                            dots=True, log_x=True))
    print(table(results), end="")


if __name__ == "__main__":
    main()
