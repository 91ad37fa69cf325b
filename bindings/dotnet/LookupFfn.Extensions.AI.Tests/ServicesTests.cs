// SPDX-License-Identifier: Apache-2.0
using Microsoft.Extensions.AI;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
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
