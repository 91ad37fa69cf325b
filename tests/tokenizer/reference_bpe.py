# SPDX-License-Identifier: Apache-2.0
"""Byte-level BPE as plainly as it can be written, and a trainer: what the library's tokenizer is compared with."""
import collections
import heapq
import json

import regex

PIECES = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def byte_alphabet():
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {**{byte: chr(byte) for byte in printable}, **{byte: chr(256 + i) for i, byte in enumerate(others)}}


ALPHABET = byte_alphabet()


def in_alphabet(piece):
    return "".join(ALPHABET[byte] for byte in piece.encode())


class Reference:
    def __init__(self, vocab, merges):
        self.vocab = vocab
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.known = {}
        special = "|".join(regex.escape(token) for token in SPECIAL if token != "<mask>")
        # White space before a mask begins where no other comes before it: else a long run takes the square of its length.
        self.special = regex.compile(rf"({special}|(?<!\s)\s*<mask>)")

    def merged(self, piece):
        """The symbols of one piece: always the pair of the lowest rank becomes one, the first among equals."""
        symbols = list(in_alphabet(piece))
        after = list(range(1, len(symbols) + 1))  # the next symbol that is left
        before = list(range(-1, len(symbols) - 1))

        def pair(at):
            return symbols[at], symbols[after[at]]

        queue = [(self.ranks[pair(at)], at) for at in range(len(symbols) - 1) if pair(at) in self.ranks]
        heapq.heapify(queue)
        while queue:
            rank, at = heapq.heappop(queue)
            gone = symbols[at] is None or after[at] >= len(symbols) or self.ranks.get(pair(at)) != rank
            if gone:
                continue
            second = after[at]
            symbols[at] += symbols[second]
            symbols[second] = None
            after[at] = after[second]
            if after[at] < len(symbols):
                before[after[at]] = at
            for left in (before[at], at):
                if left >= 0 and after[left] < len(symbols) and pair(left) in self.ranks:
                    heapq.heappush(queue, (self.ranks[pair(left)], left))
        return [symbol for symbol in symbols if symbol is not None]

    def encode(self, text):
        """The ids, and how many bytes of the text each stands for."""
        result = []
        for number, part in enumerate(self.special.split(text)):
            if number % 2 == 1:
                result.append((self.vocab[part.lstrip() if part.endswith("<mask>") else part], len(part.encode())))
                continue
            for piece in PIECES.findall(part):
                if piece not in self.known:
                    self.known[piece] = [(self.vocab.get(symbol, self.vocab["<unk>"]), len(symbol))
                                         for symbol in self.merged(piece)]
                result += self.known[piece]
        return result

    def spans(self, text, tokens):
        """The bytes of whole characters that each token has a part of, without the blanks at its ends."""
        data = text.encode()
        mask, unknown, blank = self.vocab["<mask>"], self.vocab["<unk>"], ord(" ")
        result, at = [], 0
        for token, size in tokens:
            begin, end = at, at + size
            at = end
            while begin > 0 and data[begin] & 0xC0 == 0x80:
                begin -= 1
            while end < len(data) and data[end] & 0xC0 == 0x80:
                end += 1
            if token == mask:
                begin = end - len(data[begin:end].decode().lstrip().encode())
            elif token != unknown:
                while begin < end and data[begin] == blank:
                    begin += 1
                while begin < end and data[end - 1] == blank:
                    end -= 1
            result.append((begin, end))
        return result


def train(texts, num_merges):
    """A vocabulary and merges: the most frequent pair first, again and again."""
    words = collections.Counter(in_alphabet(piece) for text in texts for piece in PIECES.findall(text))
    words = [[list(word), count] for word, count in words.items()]
    counts = collections.Counter()
    places = collections.defaultdict(set)
    for number, (symbols, count) in enumerate(words):
        for pair in zip(symbols, symbols[1:]):
            counts[pair] += count
            places[pair].add(number)
    merges = []
    # The most frequent first. A pair whose count changed is in it again; what says an old count is passed over.
    queue = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(queue)
    while len(merges) < num_merges and queue:
        count, best = heapq.heappop(queue)
        if counts.get(best) != -count:
            continue
        merges.append(best)
        changed = set()
        for number in places[best]:
            symbols, count = words[number]
            for pair in zip(symbols, symbols[1:]):
                counts[pair] -= count
                changed.add(pair)
            at = 0
            while at + 1 < len(symbols):
                if (symbols[at], symbols[at + 1]) == best:
                    symbols[at:at + 2] = ["".join(best)]
                at += 1
            for pair in zip(symbols, symbols[1:]):
                counts[pair] += count
                places[pair].add(number)
                changed.add(pair)
        del counts[best], places[best]
        for pair in changed - {best}:
            heapq.heappush(queue, (-counts[pair], pair))
    tokens = [*SPECIAL, *ALPHABET.values(), *dict.fromkeys("".join(pair) for pair in merges)]
    return {token: i for i, token in enumerate(tokens)}, merges


def write(folder, vocab, merges):
    """Writes vocab.json and merges.txt, and returns their paths."""
    paths = [folder / "vocab.json", folder / "merges.txt"]
    paths[0].write_text(json.dumps(vocab, ensure_ascii=False), encoding="utf-8")
    paths[1].write_text("#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in merges), encoding="utf-8")
    return paths


def read(folder):
    vocab = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    lines = (folder / "merges.txt").read_text(encoding="utf-8").split("\n")[1:]
    return vocab, [tuple(line.split(" ")) for line in lines if line]
