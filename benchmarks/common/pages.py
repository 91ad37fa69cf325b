# SPDX-License-Identifier: Apache-2.0
"""What the pages on performance are made of: results by processor, tables, the generated part of a page."""
import json
import pathlib

import machine

DOCS = machine.RESULTS.parents[1] / "docs"
BEGIN, END = "<!-- generated: begin -->", "<!-- generated: end -->"


def results():
    """{processor and instruction set: {measurement: its values}}, processors with the most instructions first."""
    files = sorted(machine.RESULTS.glob("*.json"), key=lambda file: ("avx512" not in file.name, file.name))
    return {file.stem: json.loads(file.read_text()) for file in files}


def store(sources):
    """Puts raw numbers, {measurement: path}, into the file of their processor, which the first of them tells."""
    new = {name: json.loads(pathlib.Path(path).read_text()) for name, path in sources.items()}
    commit = machine.commit()
    file = machine.file_of(next(iter(new.values()))["machine"])
    for values in new.values():
        for private in ("host_name", "executable"):
            values.get("context", {}).pop(private, None)
        values["commit"] = commit
    all_values = {**(json.loads(file.read_text()) if file.exists() else {}), **new}
    file.write_text(json.dumps(dict(sorted(all_values.items())), indent=1) + "\n")


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def short(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def spread(median, p10, p90):
    return f"**{median:.2f}** ({p10:.2f} to {p90:.2f})"


def count(n, word):
    return f"{n} {word}" + ("" if n == 1 else "s")


def span(values):
    """The least and the most of some numbers."""
    values = list(values)
    if not values:
        return "-"
    low, high = short(min(values)), short(max(values))
    return low if low == high else f"{low} to {high}"


def commit_of(values):
    return f"Commit: {values.get('commit', 'not recorded')}."


def title_of(m):
    return f"{m['cpu']} ({m['processor']}), {m['isa']}"


def sections(parts, level):
    return "\n\n".join(f"{'#' * level} {title}\n\n{text}" for title, text in parts if text)


def write_page(name, generated):
    page = machine.RESULTS / name
    before, _, rest = page.read_text().partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n\n{generated}\n\n{END}{rest.partition(END)[2]}")
