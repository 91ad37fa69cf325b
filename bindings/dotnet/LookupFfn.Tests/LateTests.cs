// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Late interaction: several vectors for each text, and what compares them.</summary>
public sealed class LateTests : IDisposable
{
    private static readonly string[] Texts = ["a b c.", "", "the quick, brown fox", "ein gr\u00f6\u00dferer Fuchs"];
    private static readonly EmbedOptions Queries = new() { Purpose = TextPurpose.Query };
    private static readonly EmbedOptions Documents = new() { Purpose = TextPurpose.Document };

    private readonly Model model =
        Model.Load(Path.Combine(Environment.GetEnvironmentVariable("LOOKUPFFN_MADE_MODELS")!, "late"));

    public void Dispose() => model.Dispose();

    [Fact]
    public async Task ScoresAreSumsOfTheLargestProducts()
    {
        Assert.True(model.Info.IsLate);
        Assert.Equal((16, 28), (model.Info.QueryTokens, model.Info.DocumentTokens));
        LateVectors queries = model.EmbedLate(Texts, Queries);
        LateVectors documents = await model.EmbedLateAsync(Texts, Documents);
        Assert.Equal(Texts.Length, documents.Count);
        Assert.Equal(model.Info.TokenVectorSize, documents.Size);
        float[][] scores = model.MaxSim(queries, documents);
        for (int q = 0; q < Texts.Length; q++)
        {
            for (int d = 0; d < Texts.Length; d++)
            {
                Assert.Equal(Expected(queries, q, documents, d), scores[q][d], 1e-4);
            }

            Assert.Equal(scores[q], model.MaxSim(model.EmbedLate([Texts[q]], Queries), documents, numThreads: 1)[0]);
            Assert.Equal(scores[q], model.Rerank(Texts[q], Texts));
        }

        Assert.Equal(documents, model.EmbedLate(Texts, Documents));
        Assert.Equal(documents.GetHashCode(), model.EmbedLate(Texts, Documents).GetHashCode());
        Assert.NotEqual(queries, documents);
        RankedDocument best = (await model.RerankTopAsync(Texts[2], Texts, 1))[0];
        Assert.Equal(scores[2].Max(), best.Score);
        Assert.Empty(model.EmbedLate([], Queries).Numbers);
        Assert.Empty(model.MaxSim(queries, model.EmbedLate([], Documents))[0]);
        Assert.Empty(model.Rerank("a", []));
    }

    [Fact]
    public async Task Bytes()
    {
        LateVectors documents = model.EmbedLate(Texts, Documents);
        LateVectors small = model.EmbedLateInt8(Texts, Documents);
        Assert.True(small.IsInt8);
        Assert.Equal(documents.Offsets, small.Offsets);
        for (int i = 0; i < small.Bytes.Length; i++)
        {
            Assert.Equal(documents.Numbers[i], small.Bytes[i] * small.Scales[i / small.Size], 0.51 * small.Scales[i / small.Size]);
        }

        Assert.Equal(small, await model.EmbedLateInt8Async(Texts, Documents));
        LateVectors queries = model.EmbedLate(Texts, Queries);
        Assert.Equal(model.MaxSim(queries, documents)[0][2], model.MaxSim(queries, small)[0][2], 0.1);
        Assert.Equal(small, new LateVectors(small.Bytes, small.Scales, small.Offsets, small.Size));
    }

    [Fact]
    public void TokensOfVectors()
    {
        TokenVector[] tokens = model.TokenVectors(Texts[2], Documents);
        LateVectors vectors = model.EmbedLate([Texts[2]], Documents);
        Assert.Equal(vectors.Offsets[1], tokens.Length);
        Golden.AssertSameBits(vectors.Numbers, tokens.SelectMany(token => token.Vector).ToArray());
        string[] of = [.. tokens.Where(token => token.OfText).Select(token => Texts[2][token.Token.Begin..token.Token.End])];
        Assert.DoesNotContain(",", of);
        Assert.StartsWith("t", of[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Misuse()
    {
        LateVectors queries = model.EmbedLate(Texts, Queries);
        LateVectors others = new(new float[3], [0, 1], 3);
        Assert.Throws<ArgumentException>("documents", () => model.MaxSim(queries, others));
        Assert.Throws<ArgumentNullException>("queries", () => model.MaxSim(null!, others));
        Assert.Throws<ArgumentException>("numbers", () => new LateVectors(new float[4], [0, 1], 3));
        Assert.Throws<ArgumentException>("offsets", () => new LateVectors(new float[3], [0, 2, 1], 3));
        Assert.Throws<ArgumentException>("offsets", () => new LateVectors(new float[3], [], 3));
        Assert.Throws<ArgumentOutOfRangeException>("size", () => new LateVectors([], [0], 0));
        Assert.Throws<ArgumentException>("scales", () => new LateVectors(new sbyte[3], [], [0, 1], 3));
        Assert.Throws<ArgumentException>("texts", () => model.EmbedLate(["half \ud83d"]));
        Assert.Throws<ArgumentException>("documents", () => model.Rerank("a", ["half \ud83d"]));
        Assert.Throws<ArgumentException>("options", () => model.Rerank("a", ["b"], new() { Counts = new TextCounts() }));
        Assert.ThrowsAny<OperationCanceledException>(() => model.MaxSim(queries, queries, 0, new CancellationToken(true)));
        Assert.ThrowsAny<OperationCanceledException>(() => model.Rerank("a", ["b"], null, new CancellationToken(true)));
        using Model dense = Model.Load(new GoldenModel("model-lookup").Folder);
        Assert.False(dense.Info.IsLate);
        Assert.Throws<UnsupportedModelException>(() => dense.EmbedLate(["a"]));
        model.Dispose();
        Assert.Throws<ObjectDisposedException>(() => model.MaxSim(queries, queries));
    }

    private static double Expected(LateVectors queries, int q, LateVectors documents, int d)
    {
        double sum = 0;
        for (long i = queries.Offsets[q]; i < queries.Offsets[q + 1]; i++)
        {
            double best = documents.Offsets[d] == documents.Offsets[d + 1] ? 0 : double.NegativeInfinity;
            for (long j = documents.Offsets[d]; j < documents.Offsets[d + 1]; j++)
            {
                best = Math.Max(best, Vectors.Dot(Row(queries, i), Row(documents, j)));
            }

            sum += best;
        }

        return sum;

        static ReadOnlySpan<float> Row(LateVectors vectors, long i) =>
            vectors.Numbers.AsSpan((int)i * vectors.Size, vectors.Size);
    }
}
