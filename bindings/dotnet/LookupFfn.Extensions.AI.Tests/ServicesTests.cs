// SPDX-License-Identifier: Apache-2.0
using Microsoft.Extensions.AI;
using Microsoft.Extensions.DependencyInjection;
using Xunit;

namespace LookupFfn.Extensions.AI.Tests;

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
