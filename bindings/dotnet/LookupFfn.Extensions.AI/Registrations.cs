// SPDX-License-Identifier: Apache-2.0
using Microsoft.Extensions.AI;
using Microsoft.Extensions.DependencyInjection;

namespace LookupFfn.Extensions.AI;

/// <summary>A registered generator.</summary>
internal sealed class GeneratorRegistration(
    IServiceCollection services, object? key, Action<IServiceProvider, LookupFfnEmbeddingOptions> configure)
    : ModelRegistration<LookupFfnEmbeddingGenerator, LookupFfnEmbeddingOptions>(services, key, configure)
{
    internal override string Kind => "embedding generator";

    /// <summary>Adds it, and the generator that the application asks for.</summary>
    internal static (GeneratorRegistration Registration, EmbeddingGeneratorBuilder<string, Embedding<float>> Builder) Add(
        IServiceCollection services, object? key, Action<IServiceProvider, LookupFfnEmbeddingOptions> configure)
    {
        GeneratorRegistration registration = new(services, key, configure);
        registration.AddTo(services);
        EmbeddingGeneratorBuilder<string, Embedding<float>> builder = key is null
            ? services.AddEmbeddingGenerator(registration.Of)
            : services.AddKeyedEmbeddingGenerator(key, registration.Of);
        registration.IsAskedForAs(typeof(IEmbeddingGenerator<string, Embedding<float>>));
        return (registration, builder);
    }

    internal override (Model Model, BatcherFigures? Figures, int MaxQueue) StateOf(IServiceProvider provider)
    {
        LookupFfnEmbeddingGenerator generator = Of(provider);
        return (generator.Model, generator.Figures, generator.Batcher?.MaxQueue ?? 0);
    }

    internal override Task WarmUpAsync(IServiceProvider provider, CancellationToken cancellationToken) =>
        Of(provider).GenerateAsync(["warm up"], cancellationToken: cancellationToken);

    protected override LookupFfnEmbeddingGenerator Make(Model model, LookupFfnEmbeddingOptions options) =>
        new(model, options, owns: true);
}

/// <summary>A registered reranker.</summary>
internal sealed class RerankerRegistration(
    IServiceCollection services, object? key, Action<IServiceProvider, LookupFfnRerankerOptions> configure)
    : ModelRegistration<LookupFfnReranker, LookupFfnRerankerOptions>(services, key, configure)
{
    internal override string Kind => "reranker";

    internal static void Add(
        IServiceCollection services, object? key, Action<IServiceProvider, LookupFfnRerankerOptions> configure)
    {
        RerankerRegistration registration = new(services, key, configure);
        registration.AddTo(services);
        services.Add(Descriptor<LookupFfnReranker>());
        services.Add(Descriptor<IReranker>());
        registration.IsAskedForAs(typeof(IReranker));

        ServiceDescriptor Descriptor<T>()
            where T : class => key is null
            ? ServiceDescriptor.Singleton<T>(provider => (registration.Of(provider) as T)!)
            : ServiceDescriptor.KeyedSingleton<T>(key, (provider, _) => (registration.Of(provider) as T)!);
    }

    internal override (Model Model, BatcherFigures? Figures, int MaxQueue) StateOf(IServiceProvider provider)
    {
        LookupFfnReranker reranker = Of(provider);
        return (reranker.Model, reranker.Figures, reranker.Batcher?.MaxQueue ?? 0);
    }

    internal override Task WarmUpAsync(IServiceProvider provider, CancellationToken cancellationToken) =>
        Of(provider).RerankTopAsync("warm up", ["warm up"], cancellationToken: cancellationToken);

    protected override LookupFfnReranker Make(Model model, LookupFfnRerankerOptions options) => new(model, options, owns: true);
}
