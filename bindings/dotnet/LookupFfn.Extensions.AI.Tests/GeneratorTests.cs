// SPDX-License-Identifier: Apache-2.0
using Microsoft.Extensions.AI;
using Microsoft.Extensions.DependencyInjection;
using Xunit;

namespace LookupFfn.Extensions.AI.Tests;

/// <summary>What the generator gives is what the model gives, and what it cannot give it refuses.</summary>
public sealed class GeneratorTests : IDisposable
{
    private static readonly string Long = string.Join(' ', Enumerable.Repeat("word", 500));
    private static readonly string Folder = Path.Combine(
        Environment.GetEnvironmentVariable("LOOKUPFFN_MADE_MODELS")
            ?? throw new InvalidOperationException("LOOKUPFFN_MADE_MODELS is not set"),
        "prompts");

    private readonly LookupFfnEmbeddingGenerator generator = new(Folder);
    private readonly Model model = Model.Load(Folder);

    internal static string ModelFolder => Folder;

    public void Dispose()
    {
        generator.Dispose();
        model.Dispose();
    }

    [Fact]
    public async Task VectorsAndUsage()
    {
        string[] texts = [.. Enumerable.Range(0, 150).Select(i => $"text number {i}")];
        GeneratedEmbeddings<Embedding<float>> results = await generator.GenerateAsync(texts);
        TextCounts counts = new();
        float[][] expected = model.Embed(texts, new EmbedOptions { Prompt = "document", Counts = counts });
        Assert.Equal(150, results.Count);
        for (int i = 0; i < texts.Length; i++)
        {
            Assert.Equal(expected[i], results[i].Vector.ToArray());
        }

        Assert.Equal(counts.TotalTokens, results.Usage!.InputTokenCount);
        Assert.Equal(counts.TotalTokens, results.Usage.TotalTokenCount);
        Assert.Equal("prompts", results[0].ModelId);
        Assert.NotNull(results[0].CreatedAt);
        Assert.Equal(model.Info.EmbeddingSize, results[0].Dimensions);
        Assert.Empty(await generator.GenerateAsync([]));
        ReadOnlyMemory<float> one = await generator.GenerateVectorAsync("text number 7");
        Assert.Equal(expected[7], one.ToArray());
    }

    [Fact]
    public async Task QueriesAndDocuments()
    {
        float[] query = model.Embed("query: how?", new() { WithoutPrompt = true });
        float[] document = model.Embed("passage: how?", new() { WithoutPrompt = true });
        using IEmbeddingGenerator<string, Embedding<float>> queries = generator.ForQueries();
        Assert.Equal(query, (await queries.GenerateVectorAsync("how?")).ToArray());
        Assert.Equal(document, (await generator.ForDocuments().GenerateVectorAsync("how?")).ToArray());
        Assert.Equal(document, (await generator.GenerateVectorAsync("how?")).ToArray());
        foreach (object kind in new object[] { "query", "Search_Query", "question", TextPurpose.Query })
        {
            Assert.Equal(query, (await generator.GenerateVectorAsync("how?", For(kind))).ToArray());
        }

        foreach (object kind in new object[] { "document", "RETRIEVAL_DOCUMENT", "passage", "corpus", TextPurpose.Document })
        {
            Assert.Equal(document, (await queries.GenerateVectorAsync("how?", For(kind))).ToArray());
            Assert.Equal(
                model.Embed("how?", new() { Purpose = TextPurpose.Document }),
                (await generator.GenerateVectorAsync("how?", For(kind))).ToArray());
        }

        ArgumentException odd = await Assert.ThrowsAsync<ArgumentException>(
            "options", () => generator.GenerateAsync(["how?"], For("poem")));
        Assert.Contains("poem", odd.Message, StringComparison.Ordinal);
        Assert.Contains(model.Prompts.Keys.First(), odd.Message, StringComparison.Ordinal);
        using LookupFfnEmbeddingGenerator own = new(model, new() { Input = TextPurpose.Query, QueryPrompt = "ask: " });
        float[] expected = model.Embed("ask: how?", new() { WithoutPrompt = true });
        Assert.Equal(expected, (await own.GenerateVectorAsync("how?")).ToArray());
        queries.Dispose();
        Assert.Equal(document, (await generator.GenerateVectorAsync("how?")).ToArray());

        static EmbeddingGenerationOptions For(object kind) =>
            new() { AdditionalProperties = new() { [LookupFfnEmbeddingGenerator.InputTypeKey] = kind } };
    }

    /// <summary>Models call their prompts as they like.</summary>
    [Fact]
    public async Task PromptsOfOtherNames()
    {
        string folder = Directory.CreateTempSubdirectory("prompts-").FullName;
        try
        {
            Directory.CreateDirectory(Path.Combine(folder, "1_Pooling"));
            foreach (string file in Directory.GetFiles(Folder, "*", SearchOption.AllDirectories))
            {
                File.Copy(file, Path.Combine(folder, Path.GetRelativePath(Folder, file)));
            }

            await File.WriteAllTextAsync(
                Path.Combine(folder, "config_sentence_transformers.json"),
                """{"prompts": {"search_query": "ask: ", "Retrieval.Passage": "text: ", "poem": "ode: "}}""");
            await using LookupFfnEmbeddingGenerator other = new(folder);
            float[] query = model.Embed("ask: how?", new() { WithoutPrompt = true });
            float[] document = model.Embed("text: how?", new() { WithoutPrompt = true });
            float[] poem = model.Embed("ode: how?", new() { WithoutPrompt = true });
            Assert.Equal(query, (await other.ForQueries().GenerateVectorAsync("how?")).ToArray());
            Assert.Equal(document, (await other.GenerateVectorAsync("how?")).ToArray());
            EmbeddingGenerationOptions named = new() { AdditionalProperties = new() { ["input_type"] = "poem" } };
            Assert.Equal(poem, (await other.GenerateVectorAsync("how?", named)).ToArray());
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>A store puts documents in through one generator, and looks queries up through the other.</summary>
    [Fact]
    public async Task AVectorStore()
    {
        StoreDouble store = new(generator, generator.ForQueries());
        string[] texts = ["how to bake bread", "a cat sleeps", "rain in spring"];
        await store.UpsertAsync(texts);
        int found = await store.SearchAsync("a cat");
        float[] query = model.Embed("a cat", new() { Purpose = TextPurpose.Query });
        float[][] documents = model.Embed(texts, new() { Purpose = TextPurpose.Document });
        int expected = Enumerable.Range(0, 3).MaxBy(i => Vectors.Dot(query, documents[i]));
        Assert.Equal(expected, found);
        Assert.Equal(documents[1], store.Stored[1]);
        Assert.Equal(query, store.Asked);
    }

    [Fact]
    public async Task SmallerVectors()
    {
        float[] vector = model.Embed("a cat", new() { Purpose = TextPurpose.Query });
        Embedding<sbyte> bytes = (await generator.ForQueries().AsInt8().GenerateAsync(["a cat"]))[0];
        Int8Embedding expected = model.EmbedInt8("a cat", new() { Purpose = TextPurpose.Query });
        Assert.Equal(expected.Numbers, bytes.Vector.ToArray());
        Assert.Equal(expected.Scale, bytes.AdditionalProperties!["scale"]);
        BinaryEmbedding bits = (await generator.ForQueries().AsBinary().GenerateAsync(["a cat"]))[0];
        Assert.Equal(vector.Select(number => number > 0), bits.Vector.Cast<bool>());
        Assert.Equal("prompts", bits.ModelId);
    }

    /// <summary>Places are counted in the caller's own list, and the parameter is the caller's.</summary>
    [Fact]
    public async Task BadTextsAreNamed()
    {
        string[] texts = [.. Enumerable.Range(0, 100).Select(i => $"text {i}")];
        texts[69] = "half \ud83d";
        ArgumentException bad = await Assert.ThrowsAsync<ArgumentException>("values", () => generator.GenerateAsync(texts));
        Assert.StartsWith("values[69]: half of a surrogate pair stands at index 5 (Parameter", bad.Message, StringComparison.Ordinal);
        using LookupFfnEmbeddingGenerator strict = new(model, new() { LongTexts = LongText.Refuse });
        texts[69] = Long;
        bad = await Assert.ThrowsAsync<ArgumentException>("values", () => strict.GenerateAsync(texts));
        Assert.StartsWith("values[69] has ", bad.Message, StringComparison.Ordinal);
        Assert.Equal(0, strict.Figures!.Batches); // before anything was computed
    }

    [Fact]
    public async Task TextsThatAreTooLong()
    {
        GeneratedEmbeddings<Embedding<float>> results = await generator.GenerateAsync(["short", Long]);
        Assert.Null(results[0].AdditionalProperties);
        Assert.Equal(true, results[1].AdditionalProperties!["truncated"]);
        long uncut = (long)results[1].AdditionalProperties!["uncut_tokens"]!;
        Assert.Equal(model.Tokenize("passage: " + Long).Length, uncut);
        using LookupFfnEmbeddingGenerator strict = new(model, new() { LongTexts = LongText.Refuse });
        await Assert.ThrowsAsync<ArgumentException>(() => strict.GenerateAsync(["short", Long]));
        Assert.Single(await strict.GenerateAsync(["short"]));

        // Longer than the model means to read, and yet not longer than it can.
        string between = string.Concat(Enumerable.Repeat("a ", model.Info.OwnMaxTokens));
        Assert.True(model.Tokenize(between).Length <= model.Info.MaxTokens);
        await Assert.ThrowsAsync<ArgumentException>(() => strict.GenerateAsync([between]));
        using LookupFfnEmbeddingGenerator brief = new(model, new() { MaxTokens = 9 });
        Assert.Equal(9, (await brief.GenerateAsync([Long])).Usage!.InputTokenCount);
    }

    [Fact]
    public async Task DimensionsAndModels()
    {
        int size = model.Info.EmbeddingSize;
        Assert.Single(await generator.GenerateAsync(["a"], new() { Dimensions = size, ModelId = "prompts" }));
        await Assert.ThrowsAsync<ArgumentException>(() => generator.GenerateAsync(["a"], new() { Dimensions = size / 2 }));
        await Assert.ThrowsAsync<ArgumentException>(() => generator.GenerateAsync(["a"], new() { ModelId = "other" }));
        using LookupFfnEmbeddingGenerator shorter = new(model, new() { AllowFewerDimensions = true });
        float[] whole = (await shorter.GenerateVectorAsync("a")).ToArray();
        float[] half = (await shorter.GenerateVectorAsync("a", new() { Dimensions = size / 2 })).ToArray();
        Assert.Equal(size / 2, half.Length);
        Assert.Equal(1, half.Sum(number => (double)number * number), 1e-6);
        Assert.Equal(whole[1] / whole[0], half[1] / half[0], 1e-5);
        await Assert.ThrowsAsync<ArgumentException>(() => shorter.GenerateAsync(["a"], new() { Dimensions = size + 1 }));
    }

    [Fact]
    public void Services()
    {
        EmbeddingGeneratorMetadata metadata = generator.GetService<EmbeddingGeneratorMetadata>()!;
        Assert.Equal("lookupffn", metadata.ProviderName);
        Assert.Equal("prompts", metadata.DefaultModelId);
        Assert.Equal(model.Info.EmbeddingSize, metadata.DefaultModelDimensions);
        Assert.Equal(model.Info, generator.GetService<Model>()!.Info);
        Assert.Same(generator.Batcher, generator.GetService<EmbeddingBatcher>());
        Assert.Same(generator, generator.GetService<LookupFfnEmbeddingGenerator>());
        Assert.Same(generator, generator.GetService(typeof(IEmbeddingGenerator<string, Embedding<float>>)));
        Assert.Null(generator.GetService(typeof(Model), "key"));
        Assert.Null(generator.GetService(typeof(string)));
    }

    [Fact]
    public async Task CancellingAndDisposing()
    {
        using CancellationTokenSource source = new();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => generator.GenerateAsync(["a"], cancellationToken: source.Token));
        await Assert.ThrowsAsync<ArgumentNullException>(() => generator.GenerateAsync(null!));
        await Assert.ThrowsAsync<ArgumentNullException>(() => generator.GenerateAsync([null!]));
        LookupFfnEmbeddingGenerator borrowing = new(model);
        borrowing.Dispose();
        Assert.False(model.IsDisposed);
        Model own = generator.GetService<Model>()!;
        generator.Dispose();
        Assert.True(own.IsDisposed);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => generator.GenerateAsync(["a"]));
    }

    /// <summary>Calls a generator as stores do: many texts to put in, one to look up.</summary>
    private sealed class StoreDouble(
        IEmbeddingGenerator<string, Embedding<float>> documents, IEmbeddingGenerator<string, Embedding<float>> queries)
    {
        internal List<float[]> Stored { get; } = [];

        internal float[] Asked { get; private set; } = [];

        internal async Task UpsertAsync(IEnumerable<string> texts) =>
            Stored.AddRange((await documents.GenerateAsync(texts)).Select(embedding => embedding.Vector.ToArray()));

        internal async Task<int> SearchAsync(string text)
        {
            Asked = (await queries.GenerateVectorAsync(text)).ToArray();
            return Enumerable.Range(0, Stored.Count).MaxBy(i => Vectors.Dot(Asked, Stored[i]));
        }
    }
}
