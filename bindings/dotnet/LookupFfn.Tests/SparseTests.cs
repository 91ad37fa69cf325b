// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Sparse vectors are what the language model head says of a text.</summary>
public sealed class SparseTests : IDisposable
{
    private static readonly string[] Texts = ["a b c", "", "the quick brown fox", "ein größerer Fuchs"];

    private readonly Model model =
        Model.Load(Path.Combine(Environment.GetEnvironmentVariable("LOOKUPFFN_MADE_MODELS")!, "sparse"));

    public void Dispose() => model.Dispose();

    [Fact]
    public async Task AreTheHeadsLargestWords()
    {
        Assert.Equal(model.Info.VocabSize, model.Info.SparseSize);
        Assert.Equal(0, model.Info.MaxActive);
        SparseEmbedding[] found = model.EmbedSparse(Texts);
        for (int i = 0; i < Texts.Length; i++)
        {
            int[] ids = model.Tokenize(Texts[i]);
            float[][] logits = model.Logits(ids, [.. Enumerable.Range(0, ids.Length)]);
            Dictionary<int, float> weights = found[i].Ids.Zip(found[i].Weights).ToDictionary();
            for (int word = 0; word < model.Info.VocabSize; word++)
            {
                double expected = Math.Log(1 + Math.Max(0, logits.Max(row => row[word])));
                Assert.Equal(expected, weights.GetValueOrDefault(word), 1e-4);
            }

            Assert.Equal(found[i].Weights.OrderDescending(), found[i].Weights);
            Assert.Equal(found[i], model.EmbedSparse(Texts[i]));
            Assert.Equal(found[i].GetHashCode(), model.EmbedSparse(Texts[i]).GetHashCode());
            Assert.Equal(found[i], await model.EmbedSparseAsync(Texts[i]));
        }

        Assert.Equal(found, await model.EmbedSparseAsync(Texts));
        Assert.NotEqual(found[0], found[2]);
        Assert.Empty(model.EmbedSparse([]));
    }

    [Fact]
    public void Limits()
    {
        SparseEmbedding all = model.EmbedSparse(Texts[2], new() { MaxActive = int.MaxValue });
        Assert.Equal(model.EmbedSparse(Texts[2]), all);
        SparseEmbedding most = model.EmbedSparse(Texts[2], new() { MaxActive = 5 });
        Assert.Equal(all.Ids[..5], most.Ids);
        Golden.AssertSameBits(all.Weights.AsSpan(0, 5), most.Weights);
        float least = all.Weights[3];
        SparseEmbedding above = model.EmbedSparse(Texts[2], new() { MinWeight = least });
        Assert.Equal(all.Weights.Count(weight => weight > least), above.Ids.Length);
        foreach (EmbedOptions bad in new EmbedOptions[]
            { new() { MaxActive = 0 }, new() { MaxActive = -1 }, new() { MinWeight = -1 }, new() { MinWeight = float.NaN } })
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => model.EmbedSparse("a", bad));
        }
    }

    [Fact]
    public void Products()
    {
        SparseEmbedding one = model.EmbedSparse(Texts[0]);
        SparseEmbedding other = model.EmbedSparse(Texts[2], new() { MaxActive = 20 });
        double expected = one.Ids.Zip(one.Weights)
            .Join(other.Ids.Zip(other.Weights), a => a.First, b => b.First, (a, b) => (double)a.Second * b.Second)
            .Sum();
        Assert.Equal(expected, Vectors.Dot(one, other), 1e-5 * expected);
        Assert.Equal(Vectors.Dot(one, other), Vectors.Dot(other, one), 1e-5 * expected);
        Assert.Equal(0, Vectors.Dot(one, new SparseEmbedding([], [])));
        Assert.Equal(6, Vectors.Dot(new SparseEmbedding([7, 2], [3, 1]), new SparseEmbedding([9, 7], [1, 2])));
        Assert.Throws<ArgumentException>(() => Vectors.Dot(one, new SparseEmbedding([1], [])));
    }

    [Fact]
    public void Misuse()
    {
        TextStatuses statuses = new();
        TextCounts counts = new();
        string?[] some = ["a", null, "half \ud83d", "b"];
        SparseEmbedding[] found = model.EmbedSparse(some, new() { Statuses = statuses, Counts = counts });
        Assert.Equal([TextStatus.Done, TextStatus.NullText, TextStatus.BadText, TextStatus.Done],
            Enumerable.Range(0, 4).Select(statuses.Status));
        Assert.Equal(model.EmbedSparse("b"), found[3]);
        Assert.Empty(found[1].Ids);
        Assert.Empty(found[2].Weights);
        Assert.Equal(model.Tokenize("a").Length, counts.Tokens(0));
        Assert.Throws<ArgumentNullException>("texts", () => model.EmbedSparse(some));
        Assert.Throws<ArgumentException>("texts", () => model.EmbedSparse(some[2..]));
        Assert.Throws<ArgumentNullException>("text", () => model.EmbedSparse((string)null!));
        Assert.Throws<ArgumentNullException>("texts", () => model.EmbedSparse((string[])null!));
        Assert.ThrowsAny<OperationCanceledException>(() => model.EmbedSparse("a", null, new CancellationToken(true)));
        using Model dense = Model.Load(new GoldenModel("model-lookup").Folder);
        Assert.Equal(0, dense.Info.SparseSize);
        UnsupportedModelException none = Assert.Throws<UnsupportedModelException>(() => dense.EmbedSparse("a"));
        Assert.Contains("no sparse vectors", none.Message, StringComparison.Ordinal);
        model.Dispose();
        Assert.Throws<ObjectDisposedException>(() => model.EmbedSparse("a"));
    }
}
