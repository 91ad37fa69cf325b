# SPDX-License-Identifier: Apache-2.0
"""Cuts a tokenizer down to what some texts need: these have the same tokens as before, with smaller ids.

WordPiece takes the longest piece that the vocabulary has, so pieces that no text took are not missed. Byte-level BPE
joins the pair that was learned first, so pairs that were never joined are not missed either. Unigram takes the pieces
that are likeliest together, and what no text took was less likely; the least likely piece stays, as what is unknown is
worth less than it.
"""
import json


class CutTokenizer:
    """`used`: the ids of all tokens of all texts."""

    def __init__(self, folder, used):
        self.json = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        model = self.json["model"]
        self.is_unigram = model["type"] == "Unigram"
        self.old = ({piece: number for number, (piece, _) in enumerate(model["vocab"])}
                    if self.is_unigram else model["vocab"])
        self.token = {number: token for token, number in self.old.items()}
        kept = {token["id"] for token in self.json["added_tokens"]} | set(used)
        if self.is_unigram:
            kept |= {model["unk_id"], min(range(len(model["vocab"])), key=lambda number: model["vocab"][number][1])}
        self.is_bpe = model["type"] == "BPE"
        if self.is_bpe:
            kept |= {number for token, number in self.old.items() if len(token) == 1}
            model["merges"] = self.cut_merges([self.token[number] for number in kept], kept)
        self.kept = sorted(kept)
        self.new = {number: place for place, number in enumerate(self.kept)}
        # Nothing else names an id of these: those that begin and end a text are the first ones.
        for token in self.json["added_tokens"]:
            token["id"] = self.new[token["id"]]
        if self.is_unigram:
            model["vocab"] = [model["vocab"][number] for number in self.kept if number in self.token]  # others are added
        else:
            model["vocab"] = {self.token[number]: place for number, place in self.new.items()}

    def cut_merges(self, tokens, kept):
        """The merges that make these tokens; what comes between joins `kept`. Within the bounds of a token, a text's
        merges are those of the token alone."""
        merges = self.json["model"]["merges"]
        pairs = [tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge) for merge in merges]
        rank = {pair: place for place, pair in enumerate(pairs)}
        specials = {token["content"] for token in self.json["added_tokens"]}
        used = set()
        for token in tokens:
            parts = [] if token in specials else list(token)
            while len(parts) > 1:
                best = min(zip(parts, parts[1:]), key=lambda pair: rank.get(pair, len(rank)))
                used.add(rank[best])
                joined, i = [], 0
                while i < len(parts):
                    two = tuple(parts[i:i + 2]) == best
                    joined.append("".join(best) if two else parts[i])
                    i += 2 if two else 1
                parts = joined
                kept.update(self.old[part] for part in parts)
        return [merges[place] for place in sorted(used)]

    def ids(self, ids):
        return [self.new[number] for number in ids]

    def files(self, also_as_vocabulary):
        """Those of the folder: tokenizer.json, and the vocabulary in its older form if wanted."""
        def text(value):
            return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

        model = self.json["model"]
        result = {"tokenizer.json": text(self.json)}
        if also_as_vocabulary and self.is_bpe:
            merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
            result["vocab.json"] = text(model["vocab"])
            result["merges.txt"] = "".join(line + "\n" for line in ["#version: 0.2", *merges]).encode()
        elif also_as_vocabulary:
            result["vocab.txt"] = "".join(token + "\n" for token in model["vocab"]).encode()
        return result
