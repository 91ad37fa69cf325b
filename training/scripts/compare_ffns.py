#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the same small encoder with different FFNs, on the same data, and reports what each learned: the paper's Table 1 in
small, and its ablations.

    compare_ffns.py OUT --train train.ids --valid valid.ids --tokenizer bpe [--rows vanilla none ...] [--seeds 1 2 3]

The same command resumes a stopped run; several commands may share OUT if their rows differ. Runs made with other options or
data are refused, not reused. Each command ends by writing OUT/results.json, OUT/results.md and OUT/results.png from all
finished runs there.

"vanilla-110" is a vanilla FFN of 110 neurons, "lookup-192x16" has 192 tables of 16 rows, and "+words" after any row adds rows by
word (a learned vector per token id) to each layer: "lookup-small+words".
"""

import argparse
import hashlib
import json
import re
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from lookupffn import bpe, data, native, pretrain  # noqa: E402
from lookupffn.__main__ import read_ids  # noqa: E402
from lookupffn.config import EncoderConfig  # noqa: E402


def lookup(tables, rows, projection="bh4", block=16):
    return {"ffn_num_table": tables, "ffn_table_size": rows, "projection_type": projection, "block_size": block}


ROWS = {
    "none": {}, "vanilla": {}, "lookup-small": lookup(64, 16), "lookup-large": lookup(128, 64),
    "switch": {"intermediate_size": 256}, "shuffle": {}, "slide": {}, "mongoose": {}, "yoso": {},
    # The hash: dense or block diagonal, 512 bits.
    "dense-hash": lookup(128, 16, "dense"), "block-64": lookup(128, 16, block=64), "block-32": lookup(128, 16, block=32),
    "block-16": lookup(128, 16),
    # More tables of 64 rows.
    "tables-32": lookup(32, 64), "tables-64": lookup(64, 64),
    # Larger tables for the same 384 bits: 64 tables of 64 rows stand between these.
    "rows-8": lookup(128, 8), "rows-16": lookup(96, 16), "rows-256": lookup(48, 256),
}
KINDS = ("none", "vanilla", "switch", "shuffle", "slide", "mongoose", "yoso")
NARROW = re.compile(r"vanilla-([1-9][0-9]{0,4})")
TABLES = re.compile(r"lookup-([1-9][0-9]{0,3})x([1-9][0-9]{0,4})")
WORDS = "+words"


def row_name(text):
    """For argparse: a row of the table above, a narrow vanilla FFN or other tables, each perhaps with rows by word."""
    name = text.removesuffix(WORDS)
    if name not in ROWS and not NARROW.fullmatch(name) and not TABLES.fullmatch(name):
        raise argparse.ArgumentTypeError(f'there is no row "{name}"; expected vanilla-N, lookup-NxROWS, {", ".join(ROWS)}')
    return text


def kind_of(row):
    name = row.removesuffix(WORDS)
    return "vanilla" if NARROW.fullmatch(name) else name if name in KINDS else "lookup"


def place_of(row):
    """Its position in tables: beside the row of which it is a variant."""
    name = row.removesuffix(WORDS)
    narrow, tables = NARROW.fullmatch(name), TABLES.fullmatch(name)
    if tables:
        return (list(ROWS).index("lookup-large"), int(tables[1]) * int(tables[2]), row)
    return (list(ROWS).index("vanilla" if narrow else name), -int(narrow[1]) if narrow else -1 << 20, row)


def ffn_of(name):
    """The keys of a config for this row."""
    narrow, tables = NARROW.fullmatch(name), TABLES.fullmatch(name)
    return {"intermediate_size": int(narrow[1])} if narrow else lookup(*map(int, tables.groups())) if tables else ROWS[name]


def config_of(row, vocab_size, length, hidden_size=128):
    values = {"hidden_size": hidden_size, "num_hidden_layers": 2, "num_attention_heads": hidden_size // 32,
              "attention_head_size": 32, "intermediate_size": 4 * hidden_size, "max_position_embeddings": length,
              "vocab_size": vocab_size, **ffn_of(row.removesuffix(WORDS))}
    values["ffn_kinds"] = [kind_of(row)] * values["num_hidden_layers"]
    return EncoderConfig.from_dict({**values, "ffn_words": True} if row.endswith(WORDS) else values)


def options_of(arguments, config):
    """Everything that a result depends on, except the seed."""
    files = [Path(arguments.train), Path(arguments.valid), *sorted(Path(arguments.tokenizer).glob("*.*"))]
    names = ("steps", "batch", "length", "masked_share", "learning_rate", "warm_up")
    elsewhere = {} if arguments.device == "cpu" else {"device": arguments.device}
    return {"config": config.to_dict(), **{name: getattr(arguments, name) for name in names}, **elsewhere,
            "data": [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]}


def name_of(device):
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def train_row(folder, row, seed, arguments, tokenizer):
    result, used = folder / "result.json", folder / "options.json"
    config = config_of(row, tokenizer.size, arguments.length, arguments.hidden_size)
    options = options_of(arguments, config)
    if used.exists() or result.exists():
        before = json.loads(used.read_text()) if used.exists() else {}
        other = [name for name in options if before.get(name) != options[name]]
        if other:
            sys.exit(f"compare_ffns.py: {folder} was made with another {', '.join(other)}; give another OUT or remove it")
    folder.mkdir(parents=True, exist_ok=True)
    used.write_text(json.dumps(options) + "\n")
    if result.exists():
        return
    schedule = pretrain.Schedule(arguments.steps, arguments.learning_rate, arguments.warm_up, seed=seed,
                                 evaluate_every=arguments.evaluate_every, save_every=arguments.save_every)
    batches = data.MaskedBatches(read_ids(arguments.train), tokenizer, batch=arguments.batch, length=arguments.length,
                                 seed=seed, masked_share=arguments.masked_share)
    valid = data.MaskedBatches(read_ids(arguments.valid), tokenizer, batch=64, length=arguments.length, seed=1000)
    begin = time.process_time()
    model = pretrain.train(folder, config, schedule, batches, valid, device=arguments.device, evaluation_batches=4)
    measured = {"row": row, "seed": seed, "log_perplexity": round(pretrain.log_perplexity(model, valid, 32), 4),
                "ffn_flop_per_token": model.ffn_flop_per_token(),
                "parameters": sum(parameter.numel() for parameter in model.parameters()),
                "cpu_seconds": round(time.process_time() - begin), "steps": arguments.steps,
                "tokens_per_step": arguments.batch * arguments.length,
                "learning_rate": arguments.learning_rate, "device": name_of(model.device)}
    result.write_text(json.dumps(measured) + "\n")


def curve_of(folder):
    entries = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [(entry["step"], entry["valid_log_perplexity"]) for entry in entries if "valid_log_perplexity" in entry]


def gather(out, beside=None):
    """beside: a results.json of an earlier OUT, for the runs that this one lacks."""
    rows = {}
    for path in sorted(out.glob("*-seed*/result.json")):
        run = json.loads(path.read_text()) | {"curve": curve_of(path.parent)}
        rows.setdefault(run["row"], []).append(run)
    for row, runs in (json.loads(beside.read_text()) if beside else {}).items():
        there = rows.setdefault(row, [])
        there += [run for run in runs if run["seed"] not in {other["seed"] for other in there}]
        there.sort(key=lambda run: run["seed"])
    return {row: rows[row] for row in sorted(rows, key=place_of)}


def table(rows):
    lines = ["| FFN | MFLOP per token | parameters | log perplexity | of seeds 1, 2, ... |", "|---|---|---|---|---|"]
    for row, runs in rows.items():
        values = torch.tensor([run["log_perplexity"] for run in runs])
        spread = f" ({float(values.min()):.3f} to {float(values.max()):.3f})" if len(runs) > 1 else ""
        lines.append(f"| {row} | {runs[0]['ffn_flop_per_token'] / 1e6:.3f} | {runs[0]['parameters']:,} | "
                     f"{float(values.mean()):.3f}{spread} | {', '.join(f'{value:.3f}' for value in values.tolist())} |")
    return "\n".join(lines) + "\n"


def label(axes, points, gap=0.045):
    """Names beside points, (name, x, y, colour), moved apart upwards where they would cover each other."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    placed = []
    for name, x, y, colour in sorted(points, key=lambda point: point[2]):
        begin = (x - left) / (right - left) + 0.02
        end, height = begin + 0.017 * len(name), (y - bottom) / (top - bottom)
        for other_begin, other_end, other_height in placed:
            if begin < other_end and other_begin < end and height < other_height + gap:
                height = other_height + gap
        placed.append((begin, end, height))
        axes.annotate(name, (x, y), textcoords="axes fraction", xytext=(begin, height), fontsize=8, va="center",
                      color=colour)


def dots(axes, rows, cost, colours):
    """Rows {name: their log perplexities} against what each costs, {name: number}."""
    points = []
    for index, (row, values) in enumerate(rows.items()):
        axes.plot([cost[row]] * len(values), values, "o", color=colours(index), markersize=5)
        points.append((row, cost[row], sum(values) / len(values), colours(index)))
    axes.set(ylabel="log perplexity (nats), each dot a seed")
    axes.margins(x=0.3, y=0.1)
    label(axes, points)


def draw(rows, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, 4.5))
    colours = pyplot.get_cmap("tab10" if len(rows) <= 10 else "tab20")
    dots(left, {row: [run["log_perplexity"] for run in runs] for row, runs in rows.items()},
         {row: runs[0]["ffn_flop_per_token"] / 1e6 for row, runs in rows.items()}, colours)
    left.set(xlabel="MFLOP per token in the FFNs")
    for index, (row, runs) in enumerate(rows.items()):
        for number, run in enumerate(runs):
            right.plot(*zip(*run["curve"]), color=colours(index), linewidth=1, label=row if number == 0 else None)
    right.set(xlabel="step", ylabel="log perplexity while training, each line a seed")
    right.legend(fontsize=8, ncol=2)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--train")
    parser.add_argument("--valid")
    parser.add_argument("--tokenizer")
    parser.add_argument("--rows", nargs="*", default=[], type=row_name, help="rows to train; none: only gather results")
    parser.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    parser.add_argument("--beside", type=Path,
                        help="a results.json of runs made elsewhere with the same data and options, for the table and plot")
    parser.add_argument("--draw", nargs="*", type=row_name, help="the rows of the table and plot; all by default")
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--hidden-size", type=int, default=128, help="a multiple of 32")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--masked-share", type=float, default=0.3)
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--warm-up", type=int, default=100)
    parser.add_argument("--evaluate-every", type=int, default=100)
    parser.add_argument("--save-every", type=int, default=250, help="steps between two checkpoints")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="where to train: cpu, or cuda, where sums differ from run to run")
    arguments = parser.parse_args()
    if arguments.device.startswith("cuda") and not torch.cuda.is_available():
        parser.error(f"this PyTorch, {torch.__version__}, finds no GPU; leave --device out")
    torch.set_num_threads(arguments.threads)
    if arguments.rows:
        tokenizer = bpe.Tokenizer.load(arguments.tokenizer)
        if arguments.device == "cpu" and native.library() is None:
            print("liblookupffn was not found; LookupFFN runs in plain PyTorch", file=sys.stderr)
    for seed in arguments.seeds:
        for row in arguments.rows:
            train_row(arguments.out / f"{row}-seed{seed}", row, seed, arguments, tokenizer)
    rows = gather(arguments.out, arguments.beside)
    (arguments.out / "results.json").write_text(json.dumps(rows) + "\n")
    if arguments.draw:
        rows = {row: rows[row] for row in arguments.draw if row in rows}
    (arguments.out / "results.md").write_text(table(rows))
    draw(rows, arguments.out / "results.png")
    print(table(rows), end="")


if __name__ == "__main__":
    main()
