// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Windows, vectors in bytes and in bits, and vectors of tokens agree with the embeddings in floats.</summary>
public sealed class EmbeddingFormsTests : IDisposable
{
    private static readonly string Long = string.Concat(Enumerable.Range(0, 40).Select(i => $"größer \ud83d\ude80 word {i}, "));

    private static readonly string[] Texts = ["one", "", Long, "zwei größer"];

    private readonly Model model = Model.Load(new GoldenModel("model-lookup").Folder);

    public void Dispose() => model.Dispose();

    [Theory]
    [InlineData(32, 8)]
    [InlineData(32, 0)]
    [InlineData(20, null)]
    public async Task WindowsAreTheirPartsEmbeddings(int maxTokens, int? stride)
    {
        EmbedOptions options = new() { MaxTokens = maxTokens, Stride = stride, Counts = new TextCounts() };
        EmbeddedWindow[][] found = model.EmbedWindows(Texts, options);
        Assert.Equal(Texts.Length, found.Length);
        TokenSpan[] bare = model.TokenizeSpans(Long, special: false);
        int width = maxTokens - 2;
        int step = width - (stride ?? (maxTokens / 2));
        int tokens = 0;
        for (int i = 0; i < found[2].Length; i++)
        {
            int first = i * step;
            int last = Math.Min(first + width, bare.Length) - 1;
            int[] ids = [model.Info.BosId, .. bare[first..(last + 1)].Select(token => token.Id), model.Info.EosId];
            EmbeddedWindow window = found[2][i];
            Golden.AssertSameBits(model.Embed(ids), window.Vector);
            Assert.InRange(window.Begin, first == 0 ? 0 : bare[first - 1].Begin, bare[first].Begin);
            Assert.InRange(window.End, bare[last].End, last + 1 == bare.Length ? Long.Length : bare[last + 1].End);
            Assert.Equal(Long[window.Begin..window.End], window.Text);
            Assert.Equal(last + 1 == bare.Length, i + 1 == found[2].Length);
            tokens += ids.Length;
        }

        Assert.True(found[2].Length > 3);
        Assert.Equal((0, Long.Length), (found[2][0].Begin, found[2][^1].End));
        Assert.Equal(tokens, options.Counts.Tokens(2));
        Assert.Equal(bare.Length + 2, options.Counts.UncutTokens(2));
        Assert.Equal(new EmbeddedWindow(0, 3, "one", model.Embed("one")), Assert.Single(found[0]));
        Assert.Equal(new EmbeddedWindow(0, 0, "", model.Embed("")), Assert.Single(found[1]));
        Assert.Equal(found[2], model.EmbedWindows(Long, options));
        Assert.Equal(found[3], (await model.EmbedWindowsAsync(Texts, options))[3]);
        Assert.Equal(found[3], await model.EmbedWindowsAsync(Texts[3], options));
        Assert.Empty(model.EmbedWindows([], options));
    }

    [Fact]
    public void MeansOfWindows()
    {
        EmbedOptions each = new() { MaxTokens = 32, Stride = 8, Normalize = false };
        EmbedOptions mean = each with { WindowMeans = true, Counts = new TextCounts(), Statuses = new TextStatuses() };
        EmbeddedWindow[] windows = model.EmbedWindows(Long, each);
        float[] expected = new float[model.Info.EmbeddingSize];
        for (int i = 0; i < expected.Length; i++)
        {
            expected[i] = windows.Average(window => window.Vector[i]);
        }

        string[] texts = [Long, "half \ud83d", "one"];
        float[][] found = model.Embed(texts, mean);
        GoldenModel.AssertClose(expected, found[0]);
        Assert.All(found[1], number => Assert.Equal(0, number));
        Golden.AssertSameBits(model.Embed("one", each), found[2]);
        Assert.Equal(TextStatus.BadText, mean.Statuses!.Status(1));
        Assert.False(mean.Counts!.AnyCut);
        float[] memory = new float[3 * expected.Length];
        model.EmbedInto(texts, memory, mean);
        Golden.AssertSameBits(found.SelectMany(row => row).ToArray(), memory);
        Golden.AssertSameBits(found[0], model.Embed(Long, mean));
        Golden.AssertSameBits(model.EmbedInt8(Long, mean).ToFloats(), model.EmbedInt8(texts, mean)[0].ToFloats());
        AssertBytesOf(found[0], model.EmbedInt8(Long, mean));
        Assert.ThrowsAny<ArgumentException>(() => model.Encode(Long, mean));
        Assert.ThrowsAny<ArgumentException>(() => model.Classify(Long, mean));
        Assert.ThrowsAny<ArgumentException>(() => model.Embed(Long, mean with { MaxTokens = null, RefuseLongTexts = true }));
    }

    [Theory]
    [InlineData(null)]
    [InlineData(13)]
    public async Task BytesAndBits(int? dimensions)
    {
        EmbedOptions options = new() { Dimensions = dimensions };
        float[][] floats = model.Embed(Texts, options);
        Int8Embedding[] bytes = model.EmbedInt8(Texts, options);
        byte[][] bits = model.EmbedBits(Texts, options);
        Assert.Equal(Texts.Length, bits.Length);
        for (int i = 0; i < Texts.Length; i++)
        {
            AssertBytesOf(floats[i], bytes[i]);
            Assert.Equal(bytes[i], model.EmbedInt8(Texts[i], options));
            Assert.Equal((floats[i].Length + 7) / 8, bits[i].Length);
            for (int j = 0; j < 8 * bits[i].Length; j++)
            {
                bool set = j < floats[i].Length && floats[i][j] > 0;
                Assert.Equal(set, (bits[i][j / 8] >> (7 - (j % 8)) & 1) == 1);
            }

            Assert.Equal(bits[i], model.EmbedBits(Texts[i], options));
        }

        Assert.Equal(bytes, await model.EmbedInt8Async(Texts, options));
        Assert.Equal(bits, await model.EmbedBitsAsync(Texts, options));
        Assert.Equal(bytes[2], await model.EmbedInt8Async(Texts[2], options));
        Assert.Equal(bits[2], await model.EmbedBitsAsync(Texts[2], options));
        Assert.Empty(model.EmbedInt8([]));
        Assert.Empty(model.EmbedBits([]));
    }

    [Fact]
    public async Task VectorsOfTokens()
    {
        TokenVector[][] found = model.TokenVectors(Texts);
        TokenVector[][] scaled = await model.TokenVectorsAsync(Texts, new() { Normalize = true });
        int size = model.Info.TokenVectorSize;
        for (int i = 0; i < Texts.Length; i++)
        {
            // This model has nothing of late interaction: its vectors are the hidden states.
            float[] hidden = model.Encode(Texts[i]);
            Golden.AssertSameBits(hidden, found[i].SelectMany(token => token.Vector).ToArray());
            Assert.All(scaled[i], token => Assert.Equal(1, token.Vector.Sum(number => (double)number * number), 1e-5));
            Assert.All(found[i], token => Assert.Equal(size, token.Vector.Length));
            Assert.Equal(found[i], model.TokenVectors(Texts[i]));
        }

        Assert.Equal(model.TokenizeSpans(Texts[3]), found[3].Select(token => token.Token));

        Assert.Equal(found[3], await model.TokenVectorsAsync(Texts[3]));

        // A prompt is no part of the text.
        TokenVector[] prompted = model.TokenVectors("größer", new() { PromptText = "query: " });
        TokenSpan[] own = model.TokenizeSpans("größer", special: false);
        Assert.Equal(own[^1].End, prompted[^2].Token.End);
        Assert.Equal(own.Length, prompted.Count(token => token.OfText));
        Assert.All(prompted.Where(token => !token.OfText), token => Assert.Equal((0, 0), (token.Token.Begin, token.Token.End)));
        Assert.Empty(model.TokenVectors([]));
    }

    [Fact]
    public void TextsThatCannotBeRead()
    {
        TextStatuses statuses = new();
        EmbedOptions options = new() { Statuses = statuses };
        string[] texts = ["größer", null!, "half \ud83d", "one"];
        EmbeddedWindow[][] windows = model.EmbedWindows(texts, options);
        AssertStatuses();
        Assert.Equal([1, 0, 0, 1], windows.Select(found => found.Length));
        Assert.Equal(new EmbeddedWindow(0, 3, "one", model.Embed("one")), windows[3][0]);
        Assert.Equal([0, 0], model.EmbedInt8(texts, options)[1..3].Select(vector => vector.ToFloats().Max()));
        AssertStatuses();
        Assert.All(model.EmbedBits(texts, options)[2], number => Assert.Equal(0, number));
        AssertStatuses();
        TokenVector[][] vectors = model.TokenVectors(texts, options);
        AssertStatuses();
        Assert.Empty(vectors[1]);
        Assert.Empty(vectors[2]);
        Assert.Equal(model.TokenizeSpans("one"), vectors[3].Select(token => token.Token));
        Assert.Equal(
            model.EmbedInt8("half \ufffd"), model.EmbedInt8("half \ud83d", new() { Repair = true }));

        void AssertStatuses()
        {
            Assert.Equal(
                [TextStatus.Done, TextStatus.NullText, TextStatus.BadText, TextStatus.Done],
                Enumerable.Range(0, 4).Select(statuses.Status));
            model.Embed("done", options);
        }
    }

    [Fact]
    public void Misuse()
    {
        string[] bad = ["fine", "\ud83d"];
        Assert.Throws<ArgumentException>("texts", () => model.EmbedWindows(bad));
        Assert.Throws<ArgumentException>("texts", () => model.EmbedInt8(bad));
        Assert.Throws<ArgumentException>("texts", () => model.EmbedBits(bad));
        Assert.Throws<ArgumentException>("texts", () => model.TokenVectors(bad));
        Assert.Throws<ArgumentNullException>("text", () => model.EmbedWindows((string)null!));
        Assert.Throws<ArgumentNullException>("text", () => model.EmbedInt8((string)null!));
        Assert.Throws<ArgumentNullException>("text", () => model.EmbedBits((string)null!));
        Assert.Throws<ArgumentNullException>("text", () => model.TokenVectors((string)null!));
        Assert.Throws<ArgumentNullException>("texts", () => model.EmbedWindows((string[])null!));
        Assert.Throws<ArgumentNullException>("texts", () => model.TokenVectors((string[])null!));
        Assert.ThrowsAny<ArgumentException>(() => model.EmbedWindows("a", new() { RefuseLongTexts = true }));
        Assert.ThrowsAny<ArgumentException>(() => model.EmbedWindows(Long, new() { MaxTokens = 8, Stride = 6 }));
        Assert.ThrowsAny<ArgumentException>(() => model.EmbedWindows("a", new() { Stride = -1 }));
        Assert.ThrowsAny<ArgumentException>(() => model.Embed("a", new() { Stride = -1 }));
        Assert.ThrowsAny<ArgumentException>(() => model.EmbedBits("a", new() { Dimensions = model.Info.EmbeddingSize + 1 }));
        CancellationToken cancelled = new(true);
        Assert.ThrowsAny<OperationCanceledException>(() => model.EmbedWindows("a", null, cancelled));
        Assert.ThrowsAny<OperationCanceledException>(() => model.TokenVectors("a", null, cancelled));
        model.Dispose();
        Assert.Throws<ObjectDisposedException>(() => model.EmbedWindows("a"));
        Assert.Throws<ObjectDisposedException>(() => model.EmbedInt8("a"));
    }

    private static void AssertBytesOf(float[] floats, Int8Embedding bytes)
    {
        Assert.Equal(floats.Length, bytes.Numbers.Length);
        float most = floats.Max(Math.Abs);
        Assert.Equal(most / 127, bytes.Scale, most * 1e-6);
        float[] back = bytes.ToFloats();
        for (int i = 0; i < floats.Length; i++)
        {
            Assert.InRange(back[i] - floats[i], -0.501 * bytes.Scale, 0.501 * bytes.Scale);
        }
    }
}
