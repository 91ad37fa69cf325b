// SPDX-License-Identifier: Apache-2.0
// What a forward of one token on a tiny layer takes from .NET beyond what it takes from C, and what it and calls of MODEL
// allocate: LookupFfn.Overhead CALL_TIME LIMIT MODEL. Warms up, then takes turns with the C program CALL_TIME, so that both
// see the same machine. Fails if the medians differ by LIMIT nanoseconds or more, or if a call allocates.
using System.Diagnostics;
using LookupFfn;

const int Calls = 1000;
const int Hidden = 16;
const int Rounds = 15;
double limit = double.Parse(args[1]);
LayerConfig config = new() { HiddenSize = Hidden, NumTables = 4, TableSize = 4, BlockSize = 16 };
using Layer layer = Layer.CreateRandom(config, new LoadOptions { NumThreads = 1 });
float[] x = Enumerable.Range(0, Hidden).Select(i => (float)i).ToArray();
float[] y = new float[Hidden];

Time(2);
List<double> native = [];
List<double> managed = [];
for (int round = 0; round < Rounds; round++)
{
    native.Add(TimeOfC(args[0], 0.2));
    managed.Add(Time(0.2));
}

long before = GC.GetAllocatedBytesForCurrentThread();
for (int i = 0; i < Calls; i++)
{
    layer.Forward(x, y);
}

long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
double overhead = Median(managed) - Median(native);
Console.WriteLine($"C {Median(native):F0} ns, .NET {Median(managed):F0} ns");
Console.WriteLine($"beyond C, medians of {Rounds} rounds: {overhead:F0} ns (limit {limit:F0})");
Console.WriteLine($"allocated: {allocated} bytes in {Calls} calls");

using Model model = Model.Load(args[2], new LoadOptions { NumThreads = 1 });
float[] vector = new float[model.Info.EmbeddingSize];
long embedding = 0;
for (int round = 0; round < 2; round++)
{
    // The first round warms up.
    before = GC.GetAllocatedBytesForCurrentThread();
    for (int i = 0; i < Calls; i++)
    {
        model.EmbedInto("A sentence.", vector);
    }

    embedding = GC.GetAllocatedBytesForCurrentThread() - before;
}

Console.WriteLine($"EmbedInto, warm: {embedding} bytes in {Calls} calls");
string text = string.Concat(Enumerable.Repeat("The quick brown fox jumps over the lazy dog. ", 10_000_000 / 45));
using Tokenizer tokenizer = model.GetTokenizer();
before = GC.GetAllocatedBytesForCurrentThread();
TokenSpan[] spans = tokenizer.TokenizeSpans(text);
long tokenizing = GC.GetAllocatedBytesForCurrentThread() - before;
Console.WriteLine($"TokenizeSpans of {text.Length} characters: {spans.Length} tokens, {tokenizing / 1e6:F1} MB");
return overhead < limit && allocated < Calls && embedding < Calls && tokenizing < (spans.Length * 12L) + 10_000 ? 0 : 1;

// The median time of a call, in nanoseconds.
double Time(double seconds)
{
    List<double> samples = [];
    long begin = Stopwatch.GetTimestamp();
    long sampleBegin = begin;
    do
    {
        for (int i = 0; i < Calls; i++)
        {
            layer.Forward(x, y);
        }

        long sampleEnd = Stopwatch.GetTimestamp();
        samples.Add(Stopwatch.GetElapsedTime(sampleBegin, sampleEnd).TotalNanoseconds / Calls);
        sampleBegin = sampleEnd;
    }
    while (Stopwatch.GetElapsedTime(begin).TotalSeconds < seconds);
    return Median(samples);
}

static double TimeOfC(string program, double seconds)
{
    ProcessStartInfo start = new(program, $"{seconds}") { RedirectStandardOutput = true };
    using Process process = Process.Start(start)!;
    string output = process.StandardOutput.ReadToEnd();
    process.WaitForExit();
    return double.Parse(output);
}

static double Median(List<double> values) => values.Order().ElementAt(values.Count / 2);
