// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Outputs in the caller's memory: the same bits, nothing beside them written, nothing allocated.</summary>
public sealed class ModelIntoTests : IDisposable
{
    private const string Text = "Größe: 12 lazy dogs 🚀 and more.";

    private readonly GoldenModel golden = new("model-lookup");
    private readonly Model model;

    public ModelIntoTests() => model = Model.Load(golden.Folder, new LoadOptions { NumThreads = 1 });

    private delegate int Call(Span<float> output);

    public void Dispose() => model.Dispose();

    [Fact]
    public async Task TheSameBits()
    {
        int[] ids = golden.TextIds[0];
        string[] texts = [Text, golden.Texts[1], ""];
        Writes([model.Encode(ids)], output => model.EncodeInto(ids, output));
        Writes([model.Encode(Text)], output => model.EncodeInto(Text, output));
        Writes(model.Encode(texts), output => model.EncodeInto(texts, output));
        Writes([model.Classify(ids)], output => model.ClassifyInto(ids, output));
        Writes([model.Classify(Text)], output => model.ClassifyInto(Text, output));
        Writes(model.Classify(texts), output => model.ClassifyInto(texts, output));
        Writes([model.Embed(ids)], output => model.EmbedInto(ids, output));
        Writes([model.Embed(Text)], output => model.EmbedInto(Text, output));
        Writes(model.Embed(texts), output => model.EmbedInto(texts, output));
        Writes([], output => model.EmbedInto(Array.Empty<string>(), output));
        float[] memory = new float[4096];
        int count = await model.EncodeIntoAsync(texts, memory);
        Golden.AssertSameBits(model.Encode(texts).SelectMany(row => row).ToArray(), memory.AsSpan(0, count));
        count = await model.EmbedIntoAsync(texts, memory);
        Golden.AssertSameBits(model.Embed(texts).SelectMany(row => row).ToArray(), memory.AsSpan(0, count));
        count = await model.ClassifyIntoAsync(texts, memory);
        Golden.AssertSameBits(model.Classify(texts).SelectMany(row => row).ToArray(), memory.AsSpan(0, count));
    }

    [Fact]
    public void MemoryThatDoesNotFit()
    {
        float[] small = new float[model.Info.EmbeddingSize - 1];
        Assert.Throws<ArgumentException>(() => model.EmbedInto(Text, small));
        Assert.Throws<ArgumentException>(() => model.EmbedInto(golden.TextIds[0], small));
        Assert.Throws<ArgumentException>(() => model.EncodeInto(Text, small));
        Assert.Throws<ArgumentNullException>(() => model.EmbedInto((string)null!, small));
        Assert.Throws<ArgumentNullException>(() => model.EmbedInto((IReadOnlyList<string>)null!, small));
        Assert.All(small, number => Assert.Equal(0, number));
    }

    [Fact]
    public void NothingIsAllocated()
    {
        int[] ids = [0, 9, 5, 2];
        string[] texts = ["a b", "ü"];
        float[] memory = new float[4096];
        EmbedOptions options = new() { Counts = new TextCounts(), PromptText = "q: " };
        Action[] calls =
        [
            () => model.EmbedInto(ids, memory),
            () => model.EmbedInto("a b", memory),
            () => model.EmbedInto("a ü 🚀", memory, options),
            () => model.EmbedInto(texts, memory, options),
            () => model.EncodeInto("a b", memory, options),
            () => model.ClassifyInto("a b", memory),
        ];
        foreach (Action call in calls)
        {
            Assert.Contains(0L, Enumerable.Range(0, 5).Select(_ => CostTests.AllocatedBy(call, 1_000)));
        }
    }

    private static void Writes(float[][] rows, Call call)
    {
        float[] expected = [.. rows.SelectMany(row => row), 7, 7, 7];
        float[] found = new float[expected.Length];
        Array.Fill(found, 7);
        Assert.Equal(expected.Length - 3, call(found));
        Golden.AssertSameBits(expected, found);
    }
}
