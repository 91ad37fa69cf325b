// SPDX-License-Identifier: Apache-2.0
using Microsoft.Extensions.AI;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Xunit;

namespace LookupFfn.Extensions.AI.Tests;

/// <summary>Generators out of a container: one, several, decorated and configured ones, and what stands around them.</summary>
public class ServicesTests
{
    private static string Reranker => Path.Combine(Path.GetDirectoryName(GeneratorTests.ModelFolder)!, "reranker");

    [Fact]
    public async Task One()
    {
        ServiceCollection services = new();
        services.AddLookupFfnEmbeddings(GeneratorTests.ModelFolder, options => options.ModelId = "mine");
        services.AddLookupFfnReranker(Reranker);
        Model model;
        await using (ServiceProvider provider = services.BuildServiceProvider())
        {
            var generator = provider.GetRequiredService<IEmbeddingGenerator<string, Embedding<float>>>();
            Assert.Same(generator, provider.GetRequiredService<LookupFfnEmbeddingGenerator>());
            Assert.Same(generator, provider.GetRequiredService<IEmbeddingGenerator>());
            Assert.Equal("mine", generator.GetService<EmbeddingGeneratorMetadata>()!.DefaultModelId);
            Assert.Single(await generator.GenerateAsync(["text"]));
            model = generator.GetRequiredService<Model>();
            Assert.Same(model, provider.GetRequiredService<Model>());
            Assert.Same(generator.GetService<EmbeddingBatcher>(), provider.GetRequiredService<ITextEmbedder>());
            Assert.Equal(1, provider.GetRequiredService<LookupFfnEmbeddingGenerator>().Figures!.Batched);
            Assert.Single(await provider.GetRequiredService<IReranker>().RerankTopAsync("a", ["b"]));
        }

        Assert.True(model.IsDisposed);
    }

    /// <summary>Each registration is itself, and so is what is put around it.</summary>
    [Fact]
    public async Task Two()
    {
        ServiceCollection services = new();
        services.AddLookupFfnEmbeddings(GeneratorTests.ModelFolder, options => options.ModelId = "first")
            .Use(inner => new Counting(inner));
        services.AddLookupFfnEmbeddings(GeneratorTests.ModelFolder, options => options.ModelId = "second");
        services.AddKeyedLookupFfnEmbeddings("third", GeneratorTests.ModelFolder);
        await using ServiceProvider provider = services.BuildServiceProvider();
        var all = provider.GetServices<IEmbeddingGenerator<string, Embedding<float>>>().ToArray();
        Assert.Equal(2, all.Length);
        Assert.IsType<Counting>(all[0]);
        Assert.Equal("first", all[0].GetService<EmbeddingGeneratorMetadata>()!.DefaultModelId);
        Assert.Equal("second", all[1].GetService<EmbeddingGeneratorMetadata>()!.DefaultModelId);
        var third = provider.GetRequiredKeyedService<IEmbeddingGenerator<string, Embedding<float>>>("third");
        Assert.Equal("prompts", third.GetService<EmbeddingGeneratorMetadata>()!.DefaultModelId);
        Assert.Same(third.GetService<Model>(), provider.GetRequiredKeyedService<Model>("third"));
        var queries = provider.GetRequiredKeyedService<IEmbeddingGenerator<string, Embedding<float>>>("third:queries");
        Assert.Same(third.GetService<Model>(), queries.GetService<Model>());
    }

    /// <summary>A cache around both keeps queries and documents apart, and neither goes around it.</summary>
    [Fact]
    public async Task ACacheAroundBoth()
    {
        ServiceCollection services = new();
        services.AddSingleton<IDistributedCache>(new MemoryDistributedCache(Options.Create(new MemoryDistributedCacheOptions())));
        services.AddLookupFfnEmbeddings(GeneratorTests.ModelFolder).UseDistributedCache().Use(inner => new Counting(inner));
        await using ServiceProvider provider = services.BuildServiceProvider();
        var documents = provider.GetRequiredService<IEmbeddingGenerator<string, Embedding<float>>>();
        var queries = provider.GetRequiredKeyedService<IEmbeddingGenerator<string, Embedding<float>>>(
            LookupFfnServiceCollectionExtensions.QueriesKey);
        Model model = provider.GetRequiredService<Model>();
        for (int i = 0; i < 2; i++)
        {
            float[] document = (await documents.GenerateVectorAsync("how?")).ToArray();
            float[] query = (await queries.GenerateVectorAsync("how?")).ToArray();
            Assert.Equal(model.Embed("how?", new() { Purpose = TextPurpose.Document }), document);
            Assert.Equal(model.Embed("how?", new() { Purpose = TextPurpose.Query }), query);
        }

        Assert.Equal(2, documents.GetService<Counting>()!.Texts);
    }

    [Fact]
    public async Task ConfiguredByASection()
    {
        ConfigurationManager configuration = new();
        configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Embeddings:Path"] = GeneratorTests.ModelFolder,
            ["Embeddings:QueryPrompt"] = "ask: ",
            ["Embeddings:Batching:MaxBatch"] = "7",
            ["Embeddings:Batching:MaxQueue"] = "9",
            ["Other:ModelId"] = "other",
        });
        ServiceCollection services = new();
        services.Configure<LookupFfnEmbeddingOptions>(configuration.GetSection("Embeddings"));
        services.Configure<LookupFfnEmbeddingOptions>("b", configuration.GetSection("Other"));
        services.AddLookupFfnEmbeddings();
        services.AddKeyedLookupFfnEmbeddings("b", (_, options) => options.Path = GeneratorTests.ModelFolder);
        await using ServiceProvider provider = services.BuildServiceProvider();
        LookupFfnEmbeddingGenerator generator = provider.GetRequiredService<LookupFfnEmbeddingGenerator>();
        Assert.Equal(9, generator.Batcher!.MaxQueue);
        Assert.Equal(
            generator.Model.Embed("ask: how?", new() { WithoutPrompt = true }),
            (await generator.ForQueries().GenerateVectorAsync("how?")).ToArray());
        var other = provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>("b");
        Assert.Equal("other", other.GetService<EmbeddingGeneratorMetadata>()!.DefaultModelId);
    }

    [Fact]
    public async Task AdaptersAreConfigured()
    {
        string folder = Path.Combine(GeneratorTests.ModelFolder, "..", "adapters");
        ConfigurationManager configuration = new();
        configuration.AddInMemoryCollection(
            new Dictionary<string, string?> { ["Path"] = folder, ["Load:Adapter"] = "separation" });
        ServiceCollection services = new();
        services.Configure<LookupFfnEmbeddingOptions>(configuration);
        services.AddLookupFfnEmbeddings();
        await using ServiceProvider provider = services.BuildServiceProvider();
        using Model summed = Model.Load(folder + "-separation");
        Assert.Equal(
            summed.Embed("how?"),
            (await provider.GetRequiredService<LookupFfnEmbeddingGenerator>().GenerateVectorAsync("how?")).ToArray());
    }

    /// <summary>A host says what is wrong when it starts, and loads what is right.</summary>
    [Fact]
    public async Task StartsWithTheHost()
    {
        HostApplicationBuilder wrong = Host.CreateApplicationBuilder();
        wrong.Services.AddLookupFfnEmbeddings("no-such-model", options => options.WarmUp = false);
        using (IHost host = wrong.Build())
        {
            OptionsValidationException failure =
                await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync());
            Assert.Contains("no-such-model", failure.Message, StringComparison.Ordinal);
        }

        HostApplicationBuilder right = Host.CreateApplicationBuilder();
        Lines lines = new();
        right.Logging.AddProvider(lines);
        right.Services.AddLookupFfnEmbeddings(GeneratorTests.ModelFolder);
        right.Services.AddHealthChecks().AddLookupFfn();
        using (IHost host = right.Build())
        {
            await host.StartAsync();
            LookupFfnEmbeddingGenerator generator = host.Services.GetRequiredService<LookupFfnEmbeddingGenerator>();
            Assert.Equal(1, generator.Figures!.Batched); // it is warm
            HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
            HealthReport report = await health.CheckHealthAsync();
            Assert.Equal(HealthStatus.Healthy, report.Status);
            Assert.Equal(1L, report.Entries["lookupffn"].Data["accepted"]);
            lock (lines.All)
            {
                Assert.Contains(lines.All, line => line.Contains("Loaded " + GeneratorTests.ModelFolder, StringComparison.Ordinal));
            }

            await generator.DisposeAsync();
            Assert.Equal(HealthStatus.Unhealthy, (await health.CheckHealthAsync()).Status);
            await host.StopAsync();
        }

        LookupFfnLibrary.SetLog(null);
    }

    /// <summary>Rerankers are configured, checked, loaded, warmed up and watched as generators are, with a key and without.</summary>
    [Fact]
    public async Task RerankersStartWithTheHost()
    {
        HostApplicationBuilder wrong = Host.CreateApplicationBuilder();
        wrong.Services.AddLookupFfnReranker("no-such-model", options => options.WarmUp = false);
        using (IHost host = wrong.Build())
        {
            OptionsValidationException failure = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync());
            Assert.Contains("no-such-model", failure.Message, StringComparison.Ordinal);
        }

        HostApplicationBuilder none = Host.CreateApplicationBuilder();
        none.Services.AddLookupFfnReranker(GeneratorTests.ModelFolder); // it has no classifier of one class
        using (IHost host = none.Build())
        {
            await Assert.ThrowsAsync<UnsupportedModelException>(() => host.StartAsync());
        }

        HostApplicationBuilder right = Host.CreateApplicationBuilder();
        right.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Path"] = Reranker,
            ["Scores"] = "Model",
            ["Load:NumThreads"] = "1",
            ["Batching:MaxQueue"] = "9",
        });
        right.Services.Configure<LookupFfnRerankerOptions>("second", right.Configuration);
        right.Services.AddLookupFfnReranker(Reranker, options => options.Batching = null);
        right.Services.AddKeyedLookupFfnReranker("second", (_, _) => { });
        right.Services.AddHealthChecks().AddLookupFfn().AddLookupFfn("one", "second").AddLookupFfn("none", "third");
        using (IHost host = right.Build())
        {
            await host.StartAsync();
            LookupFfnReranker second = host.Services.GetRequiredKeyedService<LookupFfnReranker>("second");
            Assert.Same(second, host.Services.GetRequiredKeyedService<IReranker>("second"));
            Assert.Equal((1L, 9), (second.Figures!.Batched, second.Batcher!.MaxQueue)); // it is warm
            Assert.Equal(1, second.Model.Info.NumThreads);
            string[] documents = [.. Enumerable.Range(0, 20).Select(i => $"document {i}")];
            Assert.Equal(
                second.Model.RerankTop("query", documents, 3, new() { Scores = ScoreKind.Model }),
                await second.RerankTopAsync("query", documents, 3));
            LookupFfnReranker first = host.Services.GetRequiredService<LookupFfnReranker>();
            Assert.Null(first.Batcher);
            Assert.Equal(first.Model.RerankTop("query", documents), await first.RerankTopAsync("query", documents));

            HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
            HealthReport report = await health.CheckHealthAsync();
            Assert.Equal(HealthStatus.Healthy, report.Entries["lookupffn"].Status);
            Assert.Equal(21L, report.Entries["lookupffn"].Data["reranker second: accepted"]);
            Assert.Equal(21L, report.Entries["one"].Data["accepted"]);
            Assert.Equal(HealthStatus.Unhealthy, report.Entries["none"].Status);
            await first.DisposeAsync();
            report = await health.CheckHealthAsync();
            Assert.Equal(HealthStatus.Unhealthy, report.Entries["lookupffn"].Status);
            Assert.Equal("reranker: the model is closed", report.Entries["lookupffn"].Description);
            Assert.Equal(HealthStatus.Healthy, report.Entries["one"].Status);
        }

        LookupFfnLibrary.SetLog(null);
    }

    /// <summary>A service's own test has no model: what it puts in the place of the generator and the reranker is all that is
    /// asked, and the host starts.</summary>
    [Fact]
    public async Task WhatIsReplacedIsNotLoaded()
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        builder.Services.AddLookupFfnEmbeddings("no-such-model");
        builder.Services.AddKeyedLookupFfnEmbeddings("other", "no-such-model");
        builder.Services.AddLookupFfnReranker("no-such-model");
        builder.Services.AddHealthChecks().AddLookupFfn();

        builder.Services.AddSingleton<IEmbeddingGenerator<string, Embedding<float>>>(new FakeEmbeddingGenerator(8));
        builder.Services.RemoveAllKeyed<IEmbeddingGenerator<string, Embedding<float>>>("other");
        builder.Services.AddKeyedSingleton<IEmbeddingGenerator<string, Embedding<float>>>("other", new FakeEmbeddingGenerator(9));
        builder.Services.Replace(ServiceDescriptor.Singleton<IReranker>(new LastFirst()));
        using IHost host = builder.Build();
        await host.StartAsync();
        var generator = host.Services.GetRequiredService<IEmbeddingGenerator<string, Embedding<float>>>();
        var queries = host.Services.GetRequiredKeyedService<IEmbeddingGenerator<string, Embedding<float>>>("queries");
        Assert.Equal(await generator.GenerateVectorAsync("text"), await queries.GenerateVectorAsync("text"), SameNumbers);
        queries = host.Services.GetRequiredKeyedService<IEmbeddingGenerator<string, Embedding<float>>>("other:queries");
        Assert.Equal(9, (await queries.GenerateVectorAsync("text")).Length);
        Assert.Single(await host.Services.GetRequiredService<IReranker>().RerankTopAsync("a", ["b"]));
        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Assert.Equal(HealthStatus.Healthy, report.Status);
        Assert.Contains("replaced", report.Entries["lookupffn"].Description, StringComparison.Ordinal);
        await host.StopAsync();
    }

    [Fact]
    public async Task AFakeGenerator()
    {
        using FakeEmbeddingGenerator fake = new(384);
        GeneratedEmbeddings<Embedding<float>> made =
            await fake.GenerateAsync(["A cat sleeps.", "the cat SLEEPS", "Rain in spring", "", "?", "A cat sleeps."]);
        Assert.All(made, embedding => Assert.Equal(1, embedding.Vector.ToArray().Sum(number => (double)number * number), 1e-5));
        Assert.Equal(made[0].Vector, made[5].Vector, SameNumbers);
        Assert.NotEqual(made[3].Vector, made[4].Vector, SameNumbers);
        Assert.True(
            Vectors.Dot(made[0].Vector.Span, made[1].Vector.Span) > 0.3 + Vectors.Dot(made[0].Vector.Span, made[2].Vector.Span));

        // The same in each process and version: a test may have it in a file.
        Assert.Equal(FirstOfText, (await fake.GenerateVectorAsync("text")).Span[0], 1e-6f);
        using var queries = fake.ForQueries();
        Assert.Equal(384, queries.GetService<EmbeddingGeneratorMetadata>()!.DefaultModelDimensions);
        await Assert.ThrowsAsync<ArgumentNullException>("values", () => fake.GenerateAsync([null!]));
        Assert.Throws<ArgumentOutOfRangeException>("dimensions", () => new FakeEmbeddingGenerator(0));
    }

    /// <summary>A generator that would not know what texts are for is refused, and not asked as if it knew.</summary>
    [Fact]
    public void QueriesOfForeignGenerators()
    {
        using Foreign foreign = new();
        ArgumentException refused = Assert.Throws<ArgumentException>("generator", () => foreign.ForQueries());
        Assert.Contains(nameof(Foreign), refused.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>("generator", () => foreign.ForDocuments());
        using FakeEmbeddingGenerator fake = new(3);
        using Counting around = new(fake);
        Assert.NotNull(around.ForQueries());
    }

    [Theory]
    [InlineData("Load:NumThreads", "-1", "NumThreads")]
    [InlineData("Load:HashType", "BF16", "HashType")]
    [InlineData("Batching:MaxBatch", "0", "MaxBatch")]
    [InlineData("Batching:MaxBatchTokens", "0", "MaxBatchTokens")]
    [InlineData("Batching:MaxBulkCalls", "-3", "MaxBulkCalls")]
    [InlineData("Batching:MaxWait", "-00:00:01", "MaxWait")]
    [InlineData("MaxTokens", "0", "MaxTokens")]
    [InlineData("LongTexts", "7", "LongTexts")]
    public async Task SettingsThatAreWrong(string name, string value, string told)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { [name] = value });
        builder.Services.Configure<LookupFfnEmbeddingOptions>(builder.Configuration);
        builder.Services.AddLookupFfnEmbeddings(GeneratorTests.ModelFolder);
        using IHost host = builder.Build();
        OptionsValidationException failure = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync());
        Assert.Contains(told, failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ARuntimeOfTheContainer()
    {
        ServiceCollection services = new();
        services.AddSingleton(new LookupFfnRuntime(new() { NumThreads = 1 }));
        services.AddLookupFfnEmbeddings(GeneratorTests.ModelFolder);
        await using ServiceProvider provider = services.BuildServiceProvider();
        Assert.Equal(1, provider.GetRequiredService<Model>().Info.NumThreads);
    }

    private const float FirstOfText = 0.03421042f;

    private static bool SameNumbers(ReadOnlyMemory<float> a, ReadOnlyMemory<float> b) => a.Span.SequenceEqual(b.Span);

    private sealed class LastFirst : IReranker
    {
        public Task<RankedDocument[]> RerankTopAsync(
            string query,
            IReadOnlyList<string> documents,
            int? top = null,
            EmbedOptions? options = null,
            CancellationToken cancellationToken = default) =>
            Task.FromResult(documents.Select((text, i) => new RankedDocument(i, i, text)).Reverse().ToArray());
    }

    private sealed class Foreign : IEmbeddingGenerator<string, Embedding<float>>
    {
        public Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
            IEnumerable<string> values,
            EmbeddingGenerationOptions? options = null,
            CancellationToken cancellationToken = default) => throw new NotSupportedException();

        public object? GetService(Type serviceType, object? serviceKey = null) => null;

        public void Dispose()
        {
        }
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

    private sealed class Lines : ILoggerProvider, ILogger
    {
        internal List<string> All { get; } = [];

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            lock (All)
            {
                All.Add(formatter(state, exception));
            }
        }

        public void Dispose()
        {
        }
    }
}
