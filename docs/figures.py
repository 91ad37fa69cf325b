#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of measurements and the pictures of the front page and of docs/distilling.md, from docs/figures.json and
the results of benchmarks that it names.

usage: figures.py            writes them
       figures.py --check    fails where what is there differs, or where README has a measurement of its own
"""
import json
import re
import statistics
import sys
from decimal import ROUND_HALF_UP, Decimal
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIGURES = json.loads((ROOT / "docs" / "figures.json").read_text(encoding="utf-8"))
TEACHER = "all-MiniLM-L6-v2"
MODEL = "examples/models/all-minilm-l6-v2-"
COLOURS = {"ONNX Runtime": "#888888", TEACHER: "#1f77b4", "quality": "#d62728", "fast": "#2ca02c", "lookup": "#9467bd"}
BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- figures end -->)", re.DOTALL)
MEASURED = re.compile(r"\d (?:%|ms|us|MB|GB|times)|\bTREC|NFCorpus")
PLACES = {"README.md": "", "docs/distilling.md": "../"}


def measured():
    """What a run of benchmarks/compare-model wrote of this model."""
    return json.loads((ROOT / FIGURES["speed"]["results"]).read_text(encoding="utf-8"))["models"]["models"]["minilm"]


def compared():
    """Of ONNX Runtime and of this library, us a token at each shape; and how many times as fast the latter is, of each round."""
    cells = {f"{cell['texts']} x {cell['length']}": cell for cell in measured()["cells"] if cell["threads"] == 1}
    theirs, ours, times = [], [], []
    for shape in FIGURES["speed"]["shapes"]:
        cell = cells[shape]
        seconds = {name.split(":")[0]: values for name, values in cell["seconds"].items()}
        tokens = cell["texts"] * cell["length"]
        theirs.append(1e6 * statistics.median(seconds["onnxruntime-int8"]) / tokens)
        ours.append(1e6 * statistics.median(seconds["lookupffn-dense-int8"]) / tokens)
        times.append(statistics.median(a / b for a, b in zip(seconds["onnxruntime-int8"], seconds["lookupffn-dense-int8"])))
    return theirs, ours, times


def rounded(value):
    """To one place, halves upwards, as people round."""
    return str(Decimal(repr(value)).quantize(Decimal("0.1"), ROUND_HALF_UP))


def span(values):
    return f"{rounded(min(values))} to {rounded(max(values))}"


def numbers(values):
    return " | ".join(map(rounded, values))


def shares(student):
    search = FIGURES["students"]["search"]
    return {name: 100 * value / search["teacher"][name] for name, value in search[student].items()}


def worst(values):
    name = min(values, key=values.get)
    return name, values[name]


def speed(_):
    speeds = FIGURES["speed"]
    theirs, ours, times = compared()
    query = next(entry for entry in measured()["texts"] if (entry["texts"], entry["length"], entry["threads"]) == (1, 16, 1))
    lines = [f"| int8, one thread of an {speeds['processor']} | " + " | ".join(speeds["shapes"]) + " | times as fast |",
             "|---" * (len(speeds["shapes"]) + 2) + "|",
             f"| {TEACHER} in ONNX Runtime | {numbers(theirs)} | |",
             f"| the same here | {numbers(ours)} | {span(times)} |"]
    for name, found in speeds["students"].items():
        lines.append(f"| `{name}` | {numbers(found['us'])} | {span(found['times'])} |")
    lines.append("\nMicroseconds a token, for calls of so many texts x tokens. Times as fast: here as ONNX Runtime; students as the model "
                 f"here, in another run. A query of 16 tokens takes {rounded(1000 * query['text_seconds']['lookupffn-dense-int8'])} ms. "
                 "[All measurements, and where it is slower](docs/performance.md).")
    return "\n".join(lines)


def students(up):
    found = FIGURES["students"]
    lines = ["| | search: worst collection | sentence pairs: worst set | MB |", "|---|---|---|---|"]
    for name, about in found["about"].items():
        collection, share = worst(shares(name))
        pairs = {label: 100 * mine / teacher for label, (mine, teacher) in found["pairs"][name].items()}
        label, pair = worst(pairs)
        lines.append(f"| [`{name}`]({up}{MODEL}{name}/README.md): {about} | {share:.1f} %, {collection}, of {len(shares(name))} | "
                     f"{pair:.1f} %, {label} | {found['megabytes'][name]} |")
    return "\n".join(lines)


def svg(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" rx="6" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def text(x, y, words, colour="#222", anchor="start", size=12, extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" font-size="{size}"{extra}>{escape(words)}</text>'


def line(x1, y1, x2, y2, colour="#ddd", width=1):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def draw_speed():
    """Bars of microseconds a token, shape by shape."""
    theirs, ours, _ = compared()
    rows = {"ONNX Runtime": theirs, TEACHER: ours, **{name: found["us"] for name, found in FIGURES["speed"]["students"].items()}}
    left, top, bottom, wide, bar = 46, 62, 282, 164, 28
    most = 100
    parts = [text(16, 22, f"{TEACHER} and its students: microseconds a token, less is better", size=14),
             text(16, 40, f"int8, one thread of an {FIGURES['speed']['processor']}", "#555")]
    for tick in range(0, most + 1, 20):
        y = bottom - (bottom - top) * tick / most
        parts += [line(left, y, left + 4 * wide, y), text(left - 6, y + 4, str(tick), "#555", "end")]
    for group, shape in enumerate(FIGURES["speed"]["shapes"]):
        start = left + group * wide + 12
        for place, (name, values) in enumerate(rows.items()):
            high = (bottom - top) * values[group] / most
            x = start + place * bar
            parts.append(f'<rect x="{x:.1f}" y="{bottom - high:.1f}" width="{bar - 3}" height="{high:.1f}" fill="{COLOURS[name]}"/>')
            parts.append(text(x + bar / 2 - 1.5, bottom - high - 4, f"{values[group]:.0f}", "#222", "middle", 11))
        texts, length = shape.split(" x ")
        parts.append(text(start + 2.5 * bar, bottom + 17, f"{texts} text{'s' if texts != '1' else ''} of {length} tokens", "#222", "middle"))
    x = left
    for name, words in (("ONNX Runtime", f"{TEACHER} in ONNX Runtime"), (TEACHER, "the same here"), ("quality", "quality"),
                        ("fast", "fast"), ("lookup", "lookup")):
        parts += [f'<rect x="{x}" y="{bottom + 32}" width="11" height="11" fill="{COLOURS[name]}"/>', text(x + 16, bottom + 42, words)]
        x += 34 + 7 * len(words)
    return svg(left + 4 * wide + 10, bottom + 56, parts)


def draw_search():
    """Of each student all collections, the worst and the mean named, against its speed."""
    found = FIGURES["students"]
    left, right, top, bottom = 56, 600, 62, 318
    low, high, slow, quick = 90, 114, 0.8, 3.8

    def across(times):
        return left + (right - left) * (times - slow) / (quick - slow)

    def up(share):
        return bottom - (bottom - top) * (share - low) / (high - low)

    parts = [text(16, 22, f"Search: what students keep of {TEACHER}'s nDCG@10, collection by collection", size=14),
             text(16, 40, f"int8, one thread of an {found['speed_on']}, 32 texts of 128 tokens", "#555")]
    for share in range(low, high + 1, 5):
        parts += [line(left, up(share), right, up(share)), text(left - 6, up(share) + 4, f"{share} %", "#555", "end")]
    for times in (1, 2, 3):
        parts += [line(across(times), top, across(times), bottom), text(across(times), bottom + 17, str(times), "#555", "middle")]
    parts += [text((left + right) / 2, bottom + 36, f"times the speed of {TEACHER} in this library", "#222", "middle"),
              line(left, up(100), right, up(100), "#888", 1.5), text(right - 4, up(100) - 5, TEACHER, "#555", "end")]
    for name, times in found["speed"].items():
        of_name = {label: share for label, share in shares(name).items() if label in found["search"]["quality"]}
        x, colour, (label, least) = across(times), COLOURS[name], worst(of_name)
        mean = statistics.mean(of_name.values())
        parts += [line(x, up(least), x, up(max(of_name.values())), colour, 1.5)]
        parts += [f'<circle cx="{x:.1f}" cy="{up(share):.1f}" r="3" fill="{colour}"/>' for share in of_name.values()]
        parts += [line(x - 9, up(mean), x + 9, up(mean), colour, 3), text(x + 13, up(mean) + 4, f"mean {mean:.1f} %", colour, size=11),
                  text(x, up(max(of_name.values())) - 8, name, colour, "middle", 13, ' font-weight="bold"'),
                  text(x, up(least) + 16, f"worst: {label}, {least:.1f} %", colour, "middle", 11)]
    return svg(right + 30, bottom + 50, parts)


def outputs():
    made = {"docs/images/speed.svg": draw_speed(), "docs/images/search.svg": draw_search()}
    tables = {"speed": speed, "students": students}
    for page, way in PLACES.items():
        before = (ROOT / page).read_text(encoding="utf-8")
        made[page] = BLOCK.sub(lambda block: block[1] + tables[block[2]](way) + "\n" + block[3], before)
    return made


def main():
    made = outputs()
    if "--check" not in sys.argv:
        for name, content in made.items():
            (ROOT / name).write_text(content, encoding="utf-8")
        return 0
    bad = [f"{name} is not what docs/figures.py writes" for name, content in made.items()
           if (ROOT / name).read_text(encoding="utf-8") != content]
    bad += [f"README.md has a measurement outside of what docs/figures.py writes: {found}"
            for found in BLOCK.sub("", made["README.md"]).splitlines() if MEASURED.search(found)]
    if not BLOCK.search(made["README.md"]):
        bad.append("README.md has no figures")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
