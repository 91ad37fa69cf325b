// SPDX-License-Identifier: Apache-2.0
using System.Collections;
using System.Text;
using Xunit;

namespace LookupFfn.Tests;

/// <summary>The forms that arguments may have, and what stands around a model.</summary>
public sealed class ApiTests : IDisposable
{
    private readonly string folder = new GoldenModel("model-lookup").Folder;
    private readonly Model model;

    public ApiTests() => model = Model.Load(folder);

    public void Dispose() => model.Dispose();

    [Fact]
    public async Task TextsOfAllKinds()
    {
        float[] expected = model.Embed("two words");
        string longer = "<two words>";
        Golden.AssertSameBits(expected, model.Embed(longer.AsSpan(1, 9)));
        float[] later = await model.EmbedAsync(longer.AsMemory(1, 9));
        Golden.AssertSameBits(expected, later);
        Golden.AssertSameBits(
            model.Embed("two words", new() { PromptText = "q: " }), model.Embed(longer.AsSpan(1, 9), new() { PromptText = "q: " }));
        ArgumentException bad = Assert.Throws<ArgumentException>("text", () => model.Embed("a\ud83d".AsSpan()));
        Assert.StartsWith("text: half of a surrogate pair stands at index 1", bad.Message, StringComparison.Ordinal);
        Golden.AssertSameBits(model.Embed("a\ufffd"), model.Embed("a\ud83d".AsSpan(), new() { Repair = true }));
        IEnumerable<string> lazy = Enumerable.Range(0, 3).Select(i => $"text {i}");
        Golden.AssertSameBits(model.Embed("text 2"), model.Embed(lazy)[2]);
        float[][] lazily = await model.EmbedAsync(lazy);
        Golden.AssertSameBits(model.Embed("text 2"), lazily[2]);
        Golden.AssertSameBits(model.Classify("text 1"), model.Classify(lazy)[1]);
        Assert.Empty(model.Embed([]));
        Assert.Empty(await model.EmbedAsync([]));
        string?[] some = ["one", null];
        TextStatuses statuses = new();
        model.Embed(some, new() { Statuses = statuses });
        Assert.Equal(TextStatus.NullText, statuses.Status(1));
    }

    [Fact]
    public void PartsOfTextsTakeNoMemory()
    {
        float[] output = new float[model.Info.EmbeddingSize];
        string text = "<two words>";
        Action call = () => model.EmbedInto(text.AsSpan(1, 9), output);
        Assert.Contains(0L, Enumerable.Range(0, 5).Select(_ => CostTests.AllocatedBy(call, 100)));
    }

    [Fact]
    public async Task CountsWithoutRunning()
    {
        string[] texts = ["one", string.Concat(Enumerable.Repeat("word ", 5000))];
        TextCounts counts = await model.CountTokensAsync(texts);
        Assert.Equal(model.Tokenize("one").Length, counts.Tokens(0));
        Assert.False(counts.IsCut(0));
        Assert.Equal(model.Tokenize(texts[1]).Length, counts.UncutTokens(1));
        Assert.Equal(model.Info.OwnMaxTokens, counts.Tokens(1));
    }

    [Fact]
    public async Task Interfaces()
    {
        ITextEmbedder embedder = Take(model);
        BatchedEmbedding one = await embedder.EmbedAsync("a");
        Golden.AssertSameBits(model.Embed("a"), one.Vector);
        BatchedEmbedding[] two = await embedder.EmbedAsync(["a", "b"]);
        Golden.AssertSameBits(model.Embed("b"), two[1].Vector);
        using Model ranking = Model.Load(Path.Combine(Environment.GetEnvironmentVariable("LOOKUPFFN_MADE_MODELS")!, "reranker"));
        string[] documents = ["a fox", "the lazy dog", "a cat"];
        float[] scores = ranking.Rerank("which dog?", documents);
        RankedDocument[] best = await Ask(ranking);
        Assert.Equal(2, best.Length);
        Assert.Equal(scores.Max(), best[0].Score);
        Assert.Equal(documents[best[1].Index], best[1].Text);
        Assert.Equal(scores[best[1].Index], best[1].Score);
        Assert.Equal(3, ranking.RerankTop("which dog?", documents).Length);
        Assert.Throws<ArgumentOutOfRangeException>("top", () => ranking.RerankTop("a", documents, 0));

        static ITextEmbedder Take(ITextEmbedder given) => given;

        Task<RankedDocument[]> Ask(IReranker reranker) => reranker.RerankTopAsync("which dog?", documents, 2);
    }

    [Fact]
    public void Nearness()
    {
        float[] one = [.. Enumerable.Range(0, 37).Select(i => (float)Math.Sin(i))];
        float[] other = [.. Enumerable.Range(0, 37).Select(i => (float)Math.Cos(3 * i))];
        double dot = one.Zip(other, (a, b) => (double)a * b).Sum();
        double lengths = Math.Sqrt(one.Sum(a => (double)a * a) * other.Sum(a => (double)a * a));
        Assert.Equal(dot, Vectors.Dot(one, other), 1e-4);
        Assert.Equal(dot / lengths, Vectors.Cosine(one, other), 1e-5);
        Assert.Equal(1, Vectors.Cosine(one, one), 1e-6);
        Assert.Equal(0, Vectors.Cosine(one, new float[37]));
        Assert.Equal(dot, Vectors.Dot(Int8Embedding.Of(one), Int8Embedding.Of(other)), 0.2);
        Assert.Throws<ArgumentException>(() => Vectors.Dot(one, [1]));
        byte[] bits = model.EmbedBits("a sentence");
        float[] vector = model.Embed("a sentence");
        BitArray array = Vectors.ToBitArray(bits, vector.Length);
        Assert.Equal(vector.Select(number => number > 0), array.Cast<bool>());
        byte[] others = model.EmbedBits("another one");
        BitArray differing = Vectors.ToBitArray(others, vector.Length).Xor(array);
        Assert.Equal(differing.Cast<bool>().Count(bit => bit), Vectors.Hamming(bits, others));
        Assert.Equal(model.EmbedInt8("a sentence"), Int8Embedding.Of(vector));
    }

    [Fact]
    public async Task TokenizersOfAllKinds()
    {
        using Tokenizer expected = Tokenizer.Load(folder);
        int[] ids = expected.Tokenize("two words");
        using Tokenizer later = await Tokenizer.LoadAsync(folder);
        Assert.Equal(ids, later.Tokenize("two words"));
        Assert.Equal(ids.Length, expected.Count("<two words>".AsSpan(1, 9)));
        string json = Path.Combine(folder, "tokenizer.json");
        if (File.Exists(json))
        {
            using Tokenizer ofBytes = Tokenizer.Load(await File.ReadAllBytesAsync(json));
            Assert.Equal(ids, ofBytes.Tokenize("two words"));
        }

        Assert.Throws<ArgumentOutOfRangeException>("maxTokens", () => expected.Tokenize("a", maxTokens: 0));
    }

    /// <summary>What is not the result itself is not on the managed heap.</summary>
    [Fact]
    public void SpansOfALongTextTakeLittle()
    {
        StringBuilder builder = new();
        while (builder.Length < 100_000)
        {
            builder.Append("The quick brown fox jumps over the lazy dog, \u00e4 \U0001F600. ");
        }

        string text = builder.ToString();
        using Tokenizer tokenizer = model.GetTokenizer();
        TokenSpan[] tokens = tokenizer.TokenizeSpans(text);
        long before = GC.GetAllocatedBytesForCurrentThread();
        tokenizer.TokenizeSpans(text);
        long taken = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.InRange(taken, 12L * tokens.Length, (12L * tokens.Length) + 10_000);
        Assert.Equal(tokens, model.TokenizeSpans(text));
        Assert.InRange(tokens.Max(token => token.End), text.TrimEnd().Length, text.Length);
        for (int i = 2; i < tokens.Length - 1; i++)
        {
            Assert.True(tokens[i].Begin >= tokens[i - 1].Begin && tokens[i].End >= tokens[i].Begin, $"{tokens[i]}");
        }

    }

    [Theory]
    [InlineData("Query", TextPurpose.Query)]
    [InlineData("search_query", TextPurpose.Query)]
    [InlineData("RETRIEVAL_QUERY", TextPurpose.Query)]
    [InlineData("retrieval.query", TextPurpose.Query)]
    [InlineData("question", TextPurpose.Query)]
    [InlineData("document", TextPurpose.Document)]
    [InlineData("search_document", TextPurpose.Document)]
    [InlineData("retrieval_document", TextPurpose.Document)]
    [InlineData("retrieval.passage", TextPurpose.Document)]
    [InlineData("Passage", TextPurpose.Document)]
    [InlineData("corpus", TextPurpose.Document)]
    [InlineData("poem", TextPurpose.None)]
    [InlineData(null, TextPurpose.None)]
    public void NamesOfPurposes(string? name, TextPurpose expected)
    {
        Assert.Equal(expected != TextPurpose.None, TextPurposes.TryParse(name, out TextPurpose purpose));
        Assert.Equal(expected, purpose);
    }

    [Fact]
    public void ExceptionsCanBeMade()
    {
        Assert.IsAssignableFrom<IOException>(new ModelIOException("no", new IOException()));
        Assert.Equal("no", new BadModelException("no").Message);
        Assert.NotNull(new QueueFullException().Message);
        Assert.DoesNotContain(
            typeof(Model).Assembly.GetCustomAttributesData(),
            attribute => attribute.AttributeType.Name == "InternalsVisibleToAttribute");
    }
}
