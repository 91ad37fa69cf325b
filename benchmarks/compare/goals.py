# SPDX-License-Identifier: Apache-2.0
"""What was aimed at on processors with VNNI, and what the results say of it."""
import statistics

from pages import span, table, title_of

MINILM_SIZES = ((1, 16), (1, 128), (8, 32), (32, 128))


def kernels(layer):
    """{(shape, kind, batch, layers in turn): counters} of bench-layer."""
    found = {}
    for b in layer["benchmarks"]:
        if b.get("error_occurred"):
            continue
        words = b["name"].split("/")
        named = dict(word.split(":") for word in words if ":" in word)
        found[words[0], words[1], int(named["batch"]), int(named.get("layers", 1))] = b
    return found


class Results:
    """Reads one processor's results; what was not measured is left out of the lists that these return."""

    def __init__(self, found):
        self.found = found
        self.cells = found.get("compare", {}).get("cells", [])
        self.models = found.get("models", {}).get("models", {})

    def layer_cells(self, shape, threads, low, high):
        return [c for c in self.cells if c["shape"] == shape and c["threads"] == threads and low <= c["batch"] <= high]

    def ratios(self, shape, engine, against, low, high, threads=1):
        """against: an engine, or "" for the fastest float32 one."""
        return [r["times_faster"]["median"] for c in self.layer_cells(shape, threads, low, high) for r in c["ratios"]
                if r["engine"] == engine and r["against"] == (against or c["fastest_float32"])]

    def times(self, shape, engine, low, high):
        return [c["us_per_token"][engine]["median"] for c in self.layer_cells(shape, 1, low, high) if engine in c["us_per_token"]]

    def gather(self, batch, layers):
        b = kernels(self.found["layer"]).get(("d512", "int8", batch, layers)) if "layer" in self.found else None
        return [b["gather_us"]] if b else []

    def linear(self, shape):
        return self.ratios(shape, "lookupffn-linear-int8", "onnxruntime-int8", 16, 4096)

    def model_times(self, model, cell):
        return {name.split(":")[0]: values for name, values in cell["seconds"].items()}

    def model_cells(self, model, threads, keep):
        return [c for c in self.models.get(model, {}).get("cells", []) if c["threads"] == threads and keep(c)]

    def model_ratios(self, model, engine, against, keep, threads=1):
        found = []
        for c in self.model_cells(model, threads, keep):
            times = self.model_times(model, c)
            if engine in times and against in times:
                found.append(statistics.median(b / a for a, b in zip(times[engine], times[against])))
        return found

    def tokens_per_second(self, engine, texts, length):
        return [texts * length / statistics.median(self.model_times("minilm", c)[engine])
                for c in self.model_cells("minilm", 1, lambda c: (c["texts"], c["length"]) == (texts, length))]

    def two_threads(self):
        layers = []
        for c in self.layer_cells("d512", 2, 64, 32768) + self.layer_cells("d384", 2, 64, 32768):
            one = [o for o in self.layer_cells(c["shape"], 1, c["batch"], c["batch"])]
            layers += [one[0]["us_per_token"]["lookupffn-int8"]["median"] / c["us_per_token"]["lookupffn-int8"]["median"]] if one else []
        models = []
        for model in self.models:
            for c in self.model_cells(model, 2, lambda c: c["texts"] * c["length"] >= 128):
                for o in self.model_cells(model, 1, lambda o: (o["texts"], o["length"]) == (c["texts"], c["length"])):
                    models.append(statistics.median(o["seconds"]["lookupffn-int8"]) / statistics.median(c["seconds"]["lookupffn-int8"]))
        return layers, models

    def neighbours(self, count, what):
        rows = [r for name in (f"neighbours-{count}", f"neighbours-{count}-models") for r in self.found.get(name, {}).get("rows", [])]
        return {e: [r["p90_against_quiet_one_thread"] for r in rows if r["engine"] == e and r["threads"] == 2 and r["what"].startswith(what)]
                for e in ("lookupffn-int8", "onnxruntime-int8")}

    def before(self, keep):
        return [r["times_faster"]["median"] for c in self.found.get("before", {}).get("cells", []) for r in c["ratios"]
                if r["against"] == r["engine"].replace("lookupffn", "before") and keep(c, r)]


def rows_of(r):
    """[(what, wanted, measured)]"""
    rows = []

    def add(what, wanted, values):
        rows.append((what, wanted, values if isinstance(values, str) else span(values)))

    int8 = "lookupffn-int8"
    add("int8 layer against ONNX Runtime int8, 16 to 512 tokens", "1.8", r.ratios("d512", int8, "onnxruntime-int8", 16, 512))
    add("the same, 1024 to 32768 tokens", "2", r.ratios("d512", int8, "onnxruntime-int8", 1024, 32768))
    add("int8 layer against the fastest float32 engine, 4096 tokens", "6, better 8", r.ratios("d512", int8, "", 4096, 4096))
    add("int8 gather, 64 tokens, one layer, us", "2", r.gather(64, 1))
    add("the same, eight layers in turn, us", "3.5", r.gather(64, 8))
    add("bf16 layer against the fastest float32 engine, 64 tokens", "3", r.ratios("d512", "lookupffn-bf16", "", 64, 64))
    for engine, name in ((int8, "BH4"), ("lookupffn-dense-int8", "dense")):
        add(f"d 384, 128 x 16, {name} hash, int8, 16 to 4096 tokens, us", "2.5", r.times("d384", engine, 16, 4096))
        add("the same against ONNX Runtime int8", "2", r.ratios("d384", engine, "onnxruntime-int8", 16, 4096))
    for shape in ("384x384", "512x512", "384x1536"):
        add(f"int8 linear layer {shape} against ONNX Runtime int8, 16 to 4096 tokens", "1.2", r.linear("linear-" + shape))
    for threads in (1, 2):
        name = "one thread" if threads == 1 else "two threads"
        for lengths, wanted, keep in (("up to 128 tokens a text", "1.5", lambda c: c["length"] <= 128),
                                      ("512 tokens a text", "1.25", lambda c: c["length"] == 512)):
            add(f"int8 model (4 layers, d 512, 128 x 256) against ONNX Runtime int8, {lengths}, {name}", wanted,
                r.model_ratios("paper", int8, "onnxruntime-int8", keep, threads))
    for texts, length in MINILM_SIZES:
        at = lambda c: (c["texts"], c["length"]) == (texts, length)  # noqa: E731
        add(f"MiniLM's shape with lookups, int8, {texts} x {length}, against ONNX Runtime int8", "3",
            r.model_ratios("minilm", int8, "onnxruntime-int8", at))
        add("the same, tokens a second", "", [round(speed) for speed in r.tokens_per_second(int8, texts, length)])
    for kind in ("f32", "int8"):
        add(f"all-MiniLM-L6-v2 dense {kind} against ONNX Runtime {kind}", "1.5",
            r.model_ratios("minilm", f"lookupffn-dense-{kind}", f"onnxruntime-{kind}", lambda c: True))
    queries = r.tokens_per_second("lookupffn-dense-int8", 1, 16)
    add("the same, a query of 16 tokens in int8, ms", "1", [16e3 / speed for speed in queries])
    layers, models = r.two_threads()
    add("two threads against one: int8 layers, 64 tokens and more", "1.7", layers)
    add("two threads against one: int8 models with lookups, 1 x 128 tokens and more", "1.7", models)
    for count in (1, 2):
        for what, name in (("layer", "int8 layer of 16, 64, 512 tokens"), ("model", "int8 model of 1 x 16, 1 x 128 tokens")):
            found = r.neighbours(count, what)
            add(f"90th percentile with two threads beside {count} spinning, {name}; in brackets ONNX Runtime's", "1.3",
                f"{span(found['lookupffn-int8'])} ({span(found['onnxruntime-int8'])})" if found["lookupffn-int8"] else "-")
    add("times as fast as before: float32", "0.95", r.before(lambda c, x: x["engine"] == "lookupffn-f32"))
    add("times as fast as before: one token", "0.95", r.before(lambda c, x: c["batch"] == 1))
    add("times as fast as before: all", "0.95", r.before(lambda c, x: True))
    return rows


def text(results):
    """results: {folder: its files}."""
    columns, titles = [], []
    for found in results.values():
        columns.append(rows_of(Results(found)))
        titles.append(title_of((found.get("compare") or found["before"])["machine"]))
    rows = [[what, wanted] + [column[i][2] for column in columns] for i, (what, wanted, _) in enumerate(columns[0])]
    return ("One thread unless it says otherwise, and times as fast, the least and the most of the rows, each a median. The goals "
            "are for processors with AVX-512 VNNI.\n\n" + table(["", "wanted"] + titles, [row for row in rows if set(row[2:]) != {"-"}]))
