# SPDX-License-Identifier: Apache-2.0
"""Entities of scored tokens and answers of scored pairs, as transformers' pipelines count them: simple and slow.

make_small_folders.py compares it with what transformers found before it trusts it.
"""
import numpy as np
from reference_model import softmax

AGGREGATIONS = ("none", "simple", "first", "average", "max")


def kind_of(label):
    """Whether a label begins an entity, and of which kind."""
    return (label[0] == "B", label[2:]) if label[:2] in ("B-", "I-") else (False, label)


def words_of(entry, unknown):
    """The tokens between the special ones at both ends, as lists of those of a word: in a vocabulary of word pieces a
    token goes on where it is not written as the text is."""
    words = []
    for i in range(1, len(entry["tokens"]) - 1):
        begin, end = entry["offsets"][i]
        token = entry["tokens"][i]
        goes_on = token != unknown and len(token) != end - begin
        if words and goes_on:
            words[-1].append(i)
        else:
            words.append([i])
    return words


def entities_of(entry, logits, labels, aggregation, unknown="[UNK]"):
    """[{"label", "score", "start", "end"}], places in characters."""
    scores = softmax(logits)
    tokens = range(1, len(entry["tokens"]) - 1)
    words = [[i] for i in tokens] if aggregation in ("none", "simple") else words_of(entry, unknown)
    found = []
    for word in words:
        if aggregation == "average":
            mean = scores[word].mean(0)
            best = mean.argmax()
            score = mean[best]
        else:
            chosen = max(word, key=lambda i: scores[i].max()) if aggregation == "max" else word[0]
            best = scores[chosen].argmax()
            score = scores[chosen][best]
        found.append((labels[best], score, entry["offsets"][word[0]][0], entry["offsets"][word[-1]][1]))
    if aggregation == "none":
        groups = [[one] for one in found]
    else:
        groups = []
        for one in found:
            begins, kind = kind_of(one[0])
            if groups and not begins and kind == kind_of(groups[-1][-1][0])[1]:
                groups[-1].append(one)
            else:
                groups.append([one])
    result = []
    for group in groups:
        label = group[0][0] if aggregation == "none" else group[0][0].split("-", 1)[-1]
        if label != "O":
            result.append({"label": label, "score": float(np.mean([one[1] for one in group])), "start": group[0][2],
                           "end": group[-1][3]})
    return result


def windows_of(question, context, most, stride):
    """(first, last) of the context's tokens for each; both counted without special tokens, of which a pair has 3."""
    room = most - 3 - question
    if context <= room:
        return [(0, context)]
    result, first = [], 0
    while not result or result[-1][1] < context:
        result.append((first, min(first + room, context)))
        first += room - stride
    return result


def answers_of(question, context, logits_of, most, stride, longest, top_k):
    """question, context: entries of texts with word pieces. logits_of(ids, types) gives [tokens, 2]."""
    ids, types = question["ids"], context["ids"][1:-1]
    tokens, offsets = context["tokens"][1:-1], context["offsets"][1:-1]
    words = [0]
    for i in range(1, len(tokens)):
        words.append(words[-1] + (not tokens[i].startswith("##")))
    answers = {}
    for first, last in windows_of(len(ids) - 2, len(types), most, stride):
        window = ids + types[first:last] + context["ids"][-1:]
        logits = logits_of(window, [0] * len(ids) + [1] * (last - first + 1))
        counted = [0, *range(len(ids), len(window) - 1)]
        begins, ends = (dict(zip(counted, softmax(logits[counted, column]))) for column in (0, 1))
        spans = [(begins[i] * ends[j], i - len(ids) + first, j - len(ids) + first) for i in counted[1:]
                 for j in counted[1:] if i <= j < i + longest]
        for score, i, j in sorted(spans, key=lambda span: -span[0])[:2 * top_k + 10]:
            while i > first and words[i - 1] == words[i]:
                i -= 1
            while j + 1 < last and words[j + 1] == words[j]:
                j += 1
            start, end = offsets[i][0], offsets[j][1]
            key = context["text"][start:end].lower()
            answer = answers.setdefault(key, {"score": 0.0, "start": start, "end": end})
            answer["score"] += float(score)
    return sorted(answers.values(), key=lambda answer: -answer["score"])[:top_k]
