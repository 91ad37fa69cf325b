#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of measurements and the pictures of the front page, the models' pages, docs/distilling.md, its notes and
docs/keeping-vectors.md, from docs/figures.json and the results of benchmarks that it names. training/scripts/measure_students.py
fills the part "students" of docs/figures.json.

usage: figures.py            writes them
       figures.py --check    fails where what is there differs, or where README has a measurement of its own
"""
import json
import math
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
REFERENCE = "onnxruntime-int8"
COLOURS = {"llama.cpp, Q8_0": "#bbbbbb", "ONNX Runtime, int8": "#777777", "liblookupffn, int8": "#1f77b4", "quality": "#d62728", "fast": "#2ca02c", "lookup": "#9467bd"}
SCAN_COLOURS = {"float32": "#1f77b4", "int8": "#d62728", "bits": "#2ca02c"}
BLOCK = re.compile(r"(<!-- figures: ([\w ]+) -->\n).*?(<!-- figures end -->)", re.DOTALL)
MEASURED = re.compile(r"\d (?:%|ms|us|MB|GB|times)|\bTREC|NFCorpus")
STUDENTS = ("quality", "fast", "lookup")
PLACES = {"README.md": "", "docs/distilling.md": "../", "docs/research/distilling-notes.md": "../../",
          **{f"{MODEL}{name}/README.md": "../../../" for name in STUDENTS}}


def speeds(reference=REFERENCE):
    """Of each program, thousands of tokens a second at each shape; and how many times as fast as the reference, round by round."""
    cells = json.loads((ROOT / FIGURES["speed"]["results"]).read_text(encoding="utf-8"))["cells"]
    rates, times = {}, {}
    for cell in cells:
        seconds = {name.split(":")[0]: values for name, values in cell["seconds"].items()}
        for name in FIGURES["speed"]["engines"]:
            rates.setdefault(name, []).append(cell["texts"] * cell["length"] / statistics.median(seconds[name]) / 1000)
            times.setdefault(name, []).append(statistics.median(a / b for a, b in zip(seconds[reference], seconds[name])))
    return [(cell["texts"], cell["length"]) for cell in cells], rates, times


def rounded(value):
    """To one place, halves upwards, as people round."""
    return str(Decimal(repr(value)).quantize(Decimal("0.1"), ROUND_HALF_UP))


def span(values):
    return f"{rounded(min(values))} to {rounded(max(values))}"


def numbers(values):
    return " | ".join(map(rounded, values))


def shares(student):
    """What it keeps of its teacher's nDCG@10, in per cent."""
    found = FIGURES["students"]["search"]
    return {name: 100 * value / found["teacher"][name] for name, value in found[student].items()}


def worst(values):
    name = min(values, key=values.get)
    return name, values[name]


def speed(_):
    shapes, rates, times = speeds()
    lines = [f"| one thread of an {FIGURES['speed']['processor']} | " + " | ".join(f"{texts} x {length}" for texts, length in shapes)
             + " | times ONNX Runtime |", "|---" * (len(shapes) + 2) + "|"]
    for name, label in FIGURES["speed"]["engines"].items():
        label = f"`{label}`" if label == name.split("-")[0] else f"{TEACHER}: {label}"
        lines.append(f"| {label} | {numbers(rates[name])} | {span(times[name]) if name != REFERENCE else ''} |")
    lines.append("\nThousands of tokens a second, for calls of so many texts x tokens; llama.cpp by its package for Node.js, text by text. [All measurements, and where it is slower](docs/performance.md).")
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


def kept(mine, teacher):
    return f"{mine:.2f} ({100 * mine / teacher:.1f} %)"


def pair_share(name):
    """The mean over the sets of sentence pairs."""
    return statistics.mean(100 * mine / teacher for mine, teacher in FIGURES["students"]["pairs"][name].values())


def search(_):
    found = FIGURES["students"]
    teacher, (_, _, times) = found["search"]["teacher"], speeds("teacher-int8")
    lines = ["| collection | teacher | " + " | ".join(f"`{name}`" for name in STUDENTS) + " |", "|---|---|" + "---|" * len(STUDENTS)]
    for collection, about in found["collections"].items():
        of_students = " | ".join(kept(found["search"][name][collection], teacher[collection]) for name in STUDENTS)
        lines.append(f"| {collection}: {about} | {teacher[collection]:.2f} | {of_students} |")
    lines.append("| sentence pairs, mean share | | " + " | ".join(f"{pair_share(name):.1f} %" for name in STUDENTS) + " |")
    lines.append(f"| MB | {found['teacher megabytes, int8']} (int8) | " + " | ".join(str(found["megabytes"][name]) for name in STUDENTS) + " |")
    lines.append(f"| speed, as a multiple of the teacher's in int8, [{FIGURES['speed']['processor']}](research/performance-notes.md#teacher-students-and-other-engines-in-one-run) | 1 | "
                 + " | ".join(span(times[f"{name}-int8"]) for name in STUDENTS) + " |")
    return "\n".join(lines)


def changed(values):
    """A difference with its interval, bold if it can be told from zero."""
    _, difference, low, high = (value or 0.0 for value in values)  # no -0.00
    sure = "**" if low > 0 or high < 0 else ""
    return f"{sure}{difference:+.2f}{sure} ({low:.2f} to {high:.2f})"


def mixed(kind):
    def table(_):
        found = FIGURES["students"]
        lines = ["| queries by | documents by | " + " | ".join(found["collections"]) + " |", "|---|---|" + "---|" * len(found["collections"])]
        for row, cells in found["mixed"].items():
            asks, holds, of_kind = row.split(", ")
            if of_kind != kind:
                continue
            is_reference = (asks, holds, kind) == ("teacher", "teacher", "float32")
            models = " | ".join(name if name == "teacher" else f"`{name}`" for name in (asks, holds))
            lines.append(f"| {models} | " + " | ".join(f"{cells[name][0]:.2f}" if is_reference else changed(cells[name])
                                                       for name in found["collections"]) + " |")
        return "\n".join(lines)
    return table


def near(_):
    found = FIGURES["students"]
    lines = ["| | " + " | ".join(found["collections"]) + " |", "|---|" + "---|" * len(found["collections"])]
    for name in STUDENTS:
        lines.append(f"| `{name}` | " + " | ".join("{:.3f}, {:.3f}".format(*found["near"][name][collection]) for collection in found["collections"]) + " |")
    return "\n".join(lines)


def card(name):
    def tables(_):
        found = FIGURES["students"]
        lines = ["| | teacher | this model | of the teacher's |", "|---|---|---|---|"]
        for collection, about in found["collections"].items():
            mine, teacher = found["search"][name][collection], found["search"]["teacher"][collection]
            lines.append(f"| {collection}: {about} | {teacher:.2f} | {mine:.2f} | {100 * mine / teacher:.1f} % |")
        pairs = found["pairs"][name]
        lines += ["", "Sentence pairs: Spearman's correlation of the cosine with people's scores, times 100 (`lookupffn evaluate --pairs`; STS12 "
                  "without MSRvid):", "", "| | " + " | ".join(pairs) + " |", "|---|" + "---|" * len(pairs)]
        for label, cell in (("teacher, float32", lambda mine, teacher: f"{teacher:.2f}"), ("this model, int8", lambda mine, teacher: f"{mine:.2f}"),
                            ("of the teacher's", lambda mine, teacher: f"{100 * mine / teacher:.1f} %")):
            lines.append(f"| {label} | " + " | ".join(cell(*both) for both in pairs.values()) + " |")
        return "\n".join(lines)
    return tables


def svg(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" rx="6" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def text(x, y, words, colour="#222", anchor="start", size=12, extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" font-size="{size}"{extra}>{escape(words)}</text>'


def line(x1, y1, x2, y2, colour="#ddd", width=1):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def draw_speed():
    """Bars of tokens a second, shape by shape."""
    shapes, rates, _ = speeds()
    engines = FIGURES["speed"]["engines"]
    left, top, bottom, bar = 46, 62, 272, 26
    wide, most, step = (len(engines) + 1) * bar, 80, 20
    parts = [text(16, 22, f"{TEACHER} and its students: thousands of tokens a second, more is better", size=14),
             text(16, 40, f"one thread of an {FIGURES['speed']['processor']}, one run", "#555")]
    for tick in range(0, most + 1, step):
        y = bottom - (bottom - top) * tick / most
        parts += [line(left, y, left + len(shapes) * wide, y), text(left - 6, y + 4, str(tick), "#555", "end")]
    for group, (texts, length) in enumerate(shapes):
        start = left + group * wide + bar / 2
        for place, (name, label) in enumerate(engines.items()):
            high = (bottom - top) * rates[name][group] / most
            x = start + place * bar
            parts.append(f'<rect x="{x:.1f}" y="{bottom - high:.1f}" width="{bar - 3}" height="{high:.1f}" fill="{COLOURS[label]}"/>')
            parts.append(text(x + bar / 2 - 1.5, bottom - high - 4, f"{rates[name][group]:.0f}", "#222", "middle", 11))
        parts.append(text(start + len(engines) * bar / 2, bottom + 17, f"{texts} text{'s' if texts > 1 else ''} of {length} tokens", "#222", "middle"))
    x = left
    for label in engines.values():
        parts += [f'<rect x="{x}" y="{bottom + 32}" width="11" height="11" fill="{COLOURS[label]}"/>', text(x + 16, bottom + 42, label)]
        x += 34 + 7 * len(label)
    return svg(left + len(shapes) * wide + 16, bottom + 56, parts)


def spread(places, gap):
    """Moves labels apart, downwards, so that none is nearer than the gap to the one above it."""
    moved = {}
    for name in sorted(places, key=places.get):
        moved[name] = max([places[name], *(y + gap for y in moved.values())])
    return moved


def draw_search():
    """A column of dots for each student, one for each collection."""
    left, right, top, bottom = 60, 740, 56, 330
    low, high, named = 86, 114, 3
    column = (right - left) / len(STUDENTS)
    _, _, times = speeds("teacher-int8")

    def up(share):
        return bottom - (bottom - top) * (share - low) / (high - low)

    parts = [text(16, 22, f"Search: what students keep of {TEACHER}'s nDCG@10, collection by collection", size=14),
             text(16, 40, "int8 as they ship; the three worst collections and the best have names", "#555")]
    for share in range(low + 4, high + 1, 5):
        parts += [line(left, up(share), right, up(share)), text(left - 6, up(share) + 4, f"{share} %", "#555", "end")]
    parts += [line(left, up(100), right, up(100), "#888", 1.5), text(right, up(100) - 5, TEACHER, "#555", "end", 11)]
    for place, name in enumerate(STUDENTS):
        of_name, x, colour = shares(name), left + column * (place + 0.25), COLOURS[name]
        parts += [f'<circle cx="{x:.1f}" cy="{up(share):.1f}" r="4" fill="{colour}" fill-opacity="0.75"/>' for share in of_name.values()]
        ranked = sorted(of_name, key=of_name.get)
        for label, y in spread({label: up(of_name[label]) for label in (*ranked[:named], ranked[-1])}, 14).items():
            parts.append(text(x + 10, y + 4, f"{label}, {of_name[label]:.1f} %", colour, size=11))
        parts += [text(x, bottom + 18, name, colour, "middle", 13, ' font-weight="bold"'),
                  text(x, bottom + 34, f"{span(times[f'{name}-int8'])} times as fast", "#555", "middle", 11)]
    return svg(right + 20, bottom + 48, parts)


def plain(number):
    """1,000, 100,000, 10 million: as people say it."""
    return f"{number:,.0f}" if number < 1e6 else f"{number / 1e6:g} million"


def draw_scan():
    """Milliseconds of a search by the number of vectors, a line for each measured rate."""
    found = FIGURES["scan"]
    left, right, top, bottom = 76, 560, 62, 322
    few, many, short, long = 3, 7, -3, 3  # powers of ten

    def across(vectors):
        return left + (right - left) * (math.log10(vectors) - few) / (many - few)

    def up(milliseconds):
        return bottom - (bottom - top) * (math.log10(milliseconds) - short) / (long - short)

    parts = [text(16, 22, f"An exact search among vectors of {found['numbers']} numbers, by one thread", size=14),
             text(16, 40, f"{found['processor']}; circles were measured, the lines have the same rates", "#555")]
    for power in range(short, long + 1):
        label = f"{10 ** power:g} ms" if power < 3 else f"{10 ** (power - 3):g} s"
        parts += [line(left, up(10 ** power), right, up(10 ** power)), text(left - 6, up(10 ** power) + 4, label, "#555", "end")]
    for power in range(few, many + 1):
        x = across(10 ** power)
        parts += [line(x, top, x, bottom), text(x, bottom + 17, plain(10 ** power), "#555", "middle")]
    parts.append(text((left + right) / 2, bottom + 36, "vectors", "#222", "middle"))
    for name, way in found["ways"].items():
        rate, colour, measured_with = 1e3 * way["million_a_second"], SCAN_COLOURS[name], 1e6 * way["measured_with_millions"]
        ends = [10 ** few, 10 ** many]
        parts += [line(across(ends[0]), up(ends[0] / rate), across(ends[1]), up(ends[1] / rate), colour, 2),
                  f'<circle cx="{across(measured_with):.1f}" cy="{up(measured_with / rate):.1f}" r="4" fill="{colour}"/>',
                  text(right + 8, up(ends[1] / rate) + 4, f"{name}: {ends[1] / rate:.0f} ms", colour)]
    return svg(right + 112, bottom + 50, parts)


def outputs():
    made = {"docs/images/speed.svg": draw_speed(), "docs/images/search.svg": draw_search(), "docs/images/scan.svg": draw_scan()}
    tables = {"speed": speed, "students": students, "search": search, "near": near,
              **{f"mixed {kind}": mixed(kind) for kind in ("float32", "int8", "bits")}, **{f"of {name}": card(name) for name in STUDENTS}}
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
