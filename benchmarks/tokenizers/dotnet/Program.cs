// SPDX-License-Identifier: Apache-2.0
// The part of Microsoft.ML.Tokenizers in the comparison: tokenizer-worker FOLDER SECONDS TEXTS.json...
// Byte pairs by its Tiktoken class, which is its fastest and has GPT-2's vocabulary in a package.
using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Microsoft.ML.Tokenizers;

var folder = args[0];
var seconds = double.Parse(args[1], CultureInfo.InvariantCulture);
var tokenizer = Load(folder);
foreach (var file in args[2..])
{
    var texts = JsonSerializer.Deserialize<string[]>(File.ReadAllText(file))!;
    long bytes = texts.Sum(text => (long)Encoding.UTF8.GetByteCount(text));
    long tokens = 0;
    uint hash = 2166136261;
    foreach (var text in texts)
    {
        foreach (var id in Encode(tokenizer, text))
        {
            ++tokens;
            hash = (hash ^ (uint)id) * 16777619;
        }
    }
    double best = 0;
    for (var all = Stopwatch.StartNew(); all.Elapsed.TotalSeconds < seconds;)
    {
        var pass = Stopwatch.StartNew();
        foreach (var text in texts) Encode(tokenizer, text);
        best = Math.Max(best, bytes / 1e6 / pass.Elapsed.TotalSeconds);
    }
    Console.WriteLine(JsonSerializer.Serialize(new { engine = "Microsoft.ML.Tokenizers", texts = file, speed = best, tokens, hash }));
}

static Tokenizer Load(string folder)
{
    var vocabulary = Path.Combine(folder, "vocab.txt");
    if (File.Exists(vocabulary)) return BertTokenizer.Create(vocabulary);
    var pieces = Path.Combine(folder, "sentencepiece.bpe.model");
    if (!File.Exists(pieces)) return TiktokenTokenizer.CreateForModel("gpt2");
    using var stream = File.OpenRead(pieces);
    return SentencePieceTokenizer.Create(stream, addBeginningOfSentence: false, addEndOfSentence: false);
}

static IReadOnlyList<int> Encode(Tokenizer tokenizer, string text) =>
    tokenizer is BertTokenizer bert ? bert.EncodeToIds(text, addSpecialTokens: false) : tokenizer.EncodeToIds(text);
