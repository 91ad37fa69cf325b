# SPDX-License-Identifier: Apache-2.0
"""What the pages on performance are made of: results by processor, tables, the generated part of a page."""
import json
import pathlib

import machine

DOCS = machine.RESULTS.parents[1] / "docs"
BEGIN, END = "<!-- generated: begin -->", "<!-- generated: end -->"


def results():
    """{folder name: {file name without .json: its values}}, processors with the most instructions first."""
    found = {}
    for folder in sorted(machine.RESULTS.iterdir(), key=lambda f: ("avx512" not in f.name, f.name)):
        if folder.is_dir():
            found[folder.name] = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    return found


def store(sources):
    """Copies raw numbers, {name: path}, to the folder of their processor, which the first of them tells."""
    files = {name: json.loads(pathlib.Path(path).read_text()) for name, path in sources.items()}
    commit = machine.commit()
    folder = machine.folder_of(next(iter(files.values()))["machine"])
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in files.items():
        for private in ("host_name", "executable"):
            values.get("context", {}).pop(private, None)
        values["commit"] = commit
        (folder / f"{name}.json").write_text(json.dumps(values, indent=1) + "\n")


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
