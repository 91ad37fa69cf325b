# SPDX-License-Identifier: Apache-2.0
"""A small folder in which the lines and programs of the pages find the files and models that they name.

Models with a name of the hub, and those that the pages' readers are to have, are the shipped ones or small ones with random
weights: what a page prints of them is not compared, but what it prints of the shipped ones is.
"""
import json
import re
import shutil
import sys
from pathlib import Path

from pages import ROOT, all_blocks

sys.path.insert(0, str(ROOT / "bindings" / "tests"))
import make_models  # noqa: E402

SHIPPED = "examples/models/all-minilm-l6-v2-"
TEACHER = ROOT.parent / "shared" / "models" / "all-MiniLM-L6-v2"
TEXTS = {
    "questions.txt": "How old is the sun?\nWho sleeps at night?\n",
    "queries.txt": "old ships\n",
    "reviews.txt": "A fine film.\nNobody should see it.\n",
    "letters.txt": "Ada Lovelace was born in London.\n",
    "complaints.txt": "My phone is broken!\n",
    "text.txt": "A sentence.\n",
    "lines.txt": "One line.\nAnother line.\n",
    "texts.txt": "One text.\nAnother text.\n",
    "manual.txt": "The sun is a star. It is 4.6 billion years old.\n",
    "notes.txt": "Cats sleep a lot. Ships leave harbours.\n",
    "corpus.txt": "A text.\nAnother one.\n",
    "questions.jsonl": json.dumps({"question": "Where was she born?", "context": "Ada Lovelace was born in London."}) + "\n",
}
# score, text, text; label, text; query, label, text
PAIRS = "".join(f"{score}\t{a}\t{b}\n" for score, a, b in (
    (5, "A man eats.", "Someone has a meal."), (1, "A man eats.", "The ship left."), (4, "Cats sleep.", "Kittens nap."),
    (0, "Cats sleep.", "The sun is a star."), (2, "Ships sail.", "A boat is mended.")))
LABELS = "".join(f"{label}\t{text}\n" for label, text in (
    ("sky", "The sun is a star."), ("sea", "Ships sail."), ("sky", "The moon is round."), ("sea", "A boat left the harbour.")))
RANKING = "".join(f"Who sleeps?\t{right}\t{text}\n" for right, text in ((1, "Cats sleep."), (0, "Ships sail."), (0, "A star.")))
COLLECTION = {
    "corpus.jsonl": "".join(json.dumps({"_id": f"d{i}", "title": "", "text": text}) + "\n" for i, text in enumerate(
        ("The sun is a star.", "Cats sleep a lot.", "Ships leave the harbour."))),
    "queries.jsonl": "".join(json.dumps({"_id": f"q{i}", "text": text}) + "\n" for i, text in enumerate(
        ("What is the sun?", "Who sleeps?"))),
    "qrels.tsv": "q0\td0\t1\nq1\td1\t1\n",
}


class Tree:
    """folder: where it is made anew; data: LFFN_TEST_DATA."""

    def __init__(self, folder, data):
        self.folder, self.data = Path(folder), Path(data)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.made = self.folder / "made-models"
        make_models.main(self.data / "models" / "model-lookup", self.made)
        jina = self.made / "adapters"
        make_models.add_prompts(jina)
        (jina / "config_sentence_transformers.json").write_text(
            json.dumps({"prompts": {"retrieval.query": "ask ", "retrieval.passage": ""}}), encoding="utf-8")
        config = (jina / "config.json").read_text(encoding="utf-8")
        (jina / "config.json").write_text(config.replace('"separation"', '"retrieval.passage"'), encoding="utf-8")

    def place(self, name):
        """A folder for one block."""
        place = self.folder / re.sub(r"\W", "_", name)
        place.mkdir()
        for entry in ("examples", "scripts", "training", "benchmarks", "bindings", "tests", "docs"):
            (place / entry).symlink_to(ROOT / entry)
        (place / "build").mkdir()
        (place / "build" / "data").symlink_to(self.data)
        quality, fast, lookup = (ROOT / (SHIPPED + kind) for kind in ("quality", "fast", "lookup"))
        links = {"quality": quality, "fast": fast, "lookup": lookup, "small": fast, "large": quality, "student": fast, "mine": fast,
                 "all-MiniLM-L6-v2": TEACHER if TEACHER.exists() else quality, "distilled": fast, "teacher": quality,
                 "TEACHER": quality, "my-reranker": self.made / "reranker", "my-late-model": self.made / "late",
                 "jina-embeddings-v3": self.made / "adapters", "static": self.data / "static-folders" / "static-st-model2vec"}
        for link, target in links.items():
            (place / link).symlink_to(target)
        for file, text in TEXTS.items():
            (place / file).write_text(text, encoding="utf-8")
        for file in ("sentences.txt", "documents.txt"):
            shutil.copy(ROOT / "examples" / "c" / "sentences.txt", place / file)
        for file in ("judged.tsv", "my-judged-texts.tsv", "stsb-dev.tsv", "sts12.tsv", "sts13.tsv", "sts14.tsv", "sick-trial.tsv"):
            (place / file).write_text(PAIRS, encoding="utf-8")
        for file in ("train.tsv", "test.tsv", "banking77-train.tsv", "banking77-test.tsv"):
            (place / file).write_text(LABELS, encoding="utf-8")
        (place / "answers.tsv").write_text(RANKING, encoding="utf-8")
        for folder in ("nfcorpus", "scifact", "my-collection", "stackfaq", "npl-vaswani", "cacm", "trec-dl19", "text/code_pairs"):
            (place / folder).mkdir(parents=True)
            for file, text in COLLECTION.items():
                (place / folder / file).write_text(text, encoding="utf-8")
        for language, file in (("c", "program.c"), ("cpp", "program.cc")):
            program = next(block for block in all_blocks(language) if "int main(" in block.code)
            (place / file).write_text(program.code, encoding="utf-8")
        return place

    def model_for(self, text):
        """What my-model stands for, by what is done with it."""
        kinds = ((r"fill-mask|fill_mask|fillMask|FillMask|-table-dtype", ROOT / "examples" / "models" / "kjv-small"),
                 (r"\bclassify\b|zero-shot|entailing", self.made / "entailment"), (r"\bentities\b", self.made / "tokens"),
                 (r"\banswer\b|answering", self.made / "answers"), (r"--sparse|embed_sparse|LFFN_OUT_SPARSE", self.made / "sparse"),
                 (r"late", self.made / "late"), (r"\brerank\b", self.made / "reranker"),
                 (r"prompt|--query [^'\"]|LFFN_PROMPT_NAMED", self.made / "prompts"))
        return next((model for pattern, model in kinds if re.search(pattern, text)), ROOT / (SHIPPED + "quality"))

    def link(self, place, text):
        link = place / "my-model"
        if link.is_symlink():
            link.unlink()
        link.symlink_to(self.model_for(text))
