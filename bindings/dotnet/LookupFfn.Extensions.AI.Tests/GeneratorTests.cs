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
        using LookupFfnEmbeddingGenerator queries = generator.ForQueries();
        Assert.Equal(query, (await queries.GenerateVectorAsync("how?")).ToArray());
        Assert.Equal(document, (await queries.ForDocuments().GenerateVectorAsync("how?")).ToArray());
        Assert.Equal(document, (await generator.GenerateVectorAsync("how?")).ToArray());
        foreach (object kind in new object[] { "query", InputKind.Query })
        {
            EmbeddingGenerationOptions asked = new() { AdditionalProperties = new() { ["input_type"] = kind } };
            Assert.Equal(query, (await generator.GenerateVectorAsync("how?", asked)).ToArray());
        }

        EmbeddingGenerationOptions odd = new() { AdditionalProperties = new() { ["input_type"] = "poem" } };
        await Assert.ThrowsAsync<ArgumentException>(() => generator.GenerateAsync(["how?"], odd));
        using LookupFfnEmbeddingGenerator own = new(model, new() { Input = InputKind.Query, QueryPrompt = "ask: " });
        float[] expected = model.Embed("ask: how?", new() { WithoutPrompt = true });
        Assert.Equal(expected, (await own.GenerateVectorAsync("how?")).ToArray());
        queries.Dispose();
        Assert.Equal(document, (await generator.GenerateVectorAsync("how?")).ToArray());
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
}

/// <summary>Generators out of a container: one, several under keys, decorated ones.</summary>
public class ServicesTests
{
    [Fact]
    public async Task One()
    {
        ServiceCollection services = new();
        services.AddLookupFfnEmbeddings(GeneratorTests.ModelFolder, options => options.ModelId = "mine");
        Model model;
        await using (ServiceProvider provider = services.BuildServiceProvider())
        {
            var generator = provider.GetRequiredService<IEmbeddingGenerator<string, Embedding<float>>>();
            Assert.Same(generator, provider.GetRequiredService<LookupFfnEmbeddingGenerator>());
            Assert.Same(generator, provider.GetRequiredService<IEmbeddingGenerator>());
            Assert.Equal("mine", generator.GetService<EmbeddingGeneratorMetadata>()!.DefaultModelId);
            Assert.Single(await generator.GenerateAsync(["text"]));
            model = generator.GetRequiredService<Model>();
        }

        Assert.True(model.IsDisposed);
    }

    [Fact]
    public async Task SeveralUnderKeys()
    {
        ServiceCollection services = new();
        services.AddKeyedLookupFfnEmbeddings("documents", GeneratorTests.ModelFolder);
        services.AddKeyedSingleton<IEmbeddingGenerator<string, Embedding<float>>>(
            "queries", (provider, _) => provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>("documents").ForQueries());
        await using ServiceProvider provider = services.BuildServiceProvider();
        var documents = provider.GetRequiredKeyedService<IEmbeddingGenerator<string, Embedding<float>>>("documents");
        var queries = provider.GetRequiredKeyedService<IEmbeddingGenerator<string, Embedding<float>>>("queries");
        Assert.Null(provider.GetService<IEmbeddingGenerator<string, Embedding<float>>>());
        Assert.Same(documents.GetService<Model>(), queries.GetService<Model>());
        ReadOnlyMemory<float> one = await documents.GenerateVectorAsync("how?");
        Assert.NotEqual(one.ToArray(), (await queries.GenerateVectorAsync("how?")).ToArray());
    }

    [Fact]
    public async Task Decorated()
    {
        ServiceCollection services = new();
        services.AddLookupFfnEmbeddings(
            GeneratorTests.ModelFolder, decorate: (inner, _) => new Counting(inner));
        await using ServiceProvider provider = services.BuildServiceProvider();
        var generator = provider.GetRequiredService<IEmbeddingGenerator<string, Embedding<float>>>();
        await generator.GenerateAsync(["one", "two"]);
        Assert.Equal(2, Assert.IsType<Counting>(generator).Texts);
        Assert.NotNull(generator.GetService<Model>());
    }

    private sealed class Counting(IEmbeddingGenerator<string, Embedding<float>> inner)
        : DelegatingEmbeddingGenerator<string, Embedding<float>>(inner)
    {
        internal int Texts { get; private set; }

        public override Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
            IEnumerable<string> values,
            EmbeddingGenerationOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            Texts += values.Count();
            return base.GenerateAsync(values, options, cancellationToken);
        }
    }
}
