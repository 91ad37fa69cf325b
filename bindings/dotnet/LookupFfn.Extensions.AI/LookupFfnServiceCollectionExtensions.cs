// SPDX-License-Identifier: Apache-2.0
using LookupFfn;
using LookupFfn.Extensions.AI;
using Microsoft.Extensions.AI;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers models: embedding generators and rerankers.</summary>
public static class LookupFfnServiceCollectionExtensions
{
    /// <summary>The key of the generator for queries beside the application's generator; beside one with a key K it is "K:queries".
    /// </summary>
    public const string QueriesKey = "queries";

    /// <summary>Registers a model as the application's embedding generator; its options come from
    /// <c>Configure&lt;LookupFfnEmbeddingOptions&gt;(section)</c>, the path too.</summary>
    /// <param name="services">Where.</param>
    /// <returns>What puts more around the generator, such as a cache or telemetry.</returns>
    public static EmbeddingGeneratorBuilder<string, Embedding<float>> AddLookupFfnEmbeddings(
        this IServiceCollection services) =>
        services.AddLookupFfnEmbeddings((_, _) => { });

    /// <summary>Registers a model as the application's embedding generator.</summary>
    /// <param name="services">Where.</param>
    /// <param name="path">The model: a folder or a file.</param>
    /// <param name="configure">How it embeds, after what Configure said; null for no more.</param>
    /// <returns>What puts more around the generator, such as a cache or telemetry.</returns>
    /// <remarks>The container then has, besides IEmbeddingGenerator, the <see cref="LookupFfnEmbeddingGenerator"/>, its
    /// <see cref="Model"/> and an <see cref="ITextEmbedder"/>; and under <see cref="QueriesKey"/> the generator for queries, with
    /// the same put around it. The model is loaded when the host starts, or first asked for. Calls are put together.</remarks>
    /// <example><code>builder.Services.AddLookupFfnEmbeddings("my-model").UseOpenTelemetry();</code></example>
    public static EmbeddingGeneratorBuilder<string, Embedding<float>> AddLookupFfnEmbeddings(
        this IServiceCollection services, string path, Action<LookupFfnEmbeddingOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return services.AddLookupFfnEmbeddings((_, options) =>
        {
            options.Path = path;
            configure?.Invoke(options);
        });
    }

    /// <summary>Registers a model as the application's embedding generator.</summary>
    /// <param name="services">Where.</param>
    /// <param name="configure">Where it lies and how it embeds, after what Configure said.</param>
    /// <returns>What puts more around the generator, such as a cache or telemetry.</returns>
    public static EmbeddingGeneratorBuilder<string, Embedding<float>> AddLookupFfnEmbeddings(
        this IServiceCollection services, Action<IServiceProvider, LookupFfnEmbeddingOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        (GeneratorRegistration own, EmbeddingGeneratorBuilder<string, Embedding<float>> builder) =
            GeneratorRegistration.Add(services, null, configure);
        services.AddSingleton(own.Of);
        services.AddSingleton(provider => own.Of(provider).Model);
        services.AddSingleton(provider => TextEmbedderOf(own.Of(provider)));
        services.AddKeyedSingleton(
            QueriesKey,
            (provider, _) => LookupFfnEmbeddingGeneratorExtensions.ForQueriesOfAny(
                provider.GetRequiredService<IEmbeddingGenerator<string, Embedding<float>>>()));
        return builder;
    }

    /// <summary>Registers a model as an embedding generator under a key, so that an application can have several. Options of the
    /// key's name, as <c>Configure&lt;LookupFfnEmbeddingOptions&gt;(name, section)</c> gives them, count.</summary>
    /// <param name="services">Where.</param>
    /// <param name="serviceKey">The key.</param>
    /// <param name="path">The model: a folder or a file.</param>
    /// <param name="configure">How it embeds, after what Configure said; null for no more.</param>
    /// <returns>What puts more around the generator, such as a cache or telemetry.</returns>
    public static EmbeddingGeneratorBuilder<string, Embedding<float>> AddKeyedLookupFfnEmbeddings(
        this IServiceCollection services,
        object serviceKey,
        string path,
        Action<LookupFfnEmbeddingOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return services.AddKeyedLookupFfnEmbeddings(serviceKey, (_, options) =>
        {
            options.Path = path;
            configure?.Invoke(options);
        });
    }

    /// <summary>Registers a model as an embedding generator under a key.</summary>
    /// <param name="services">Where.</param>
    /// <param name="serviceKey">The key.</param>
    /// <param name="configure">Where it lies and how it embeds, after what Configure said for the key's name.</param>
    /// <returns>What puts more around the generator, such as a cache or telemetry.</returns>
    public static EmbeddingGeneratorBuilder<string, Embedding<float>> AddKeyedLookupFfnEmbeddings(
        this IServiceCollection services,
        object serviceKey,
        Action<IServiceProvider, LookupFfnEmbeddingOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(serviceKey);
        ArgumentNullException.ThrowIfNull(configure);
        (GeneratorRegistration own, EmbeddingGeneratorBuilder<string, Embedding<float>> builder) =
            GeneratorRegistration.Add(services, serviceKey, configure);
        services.AddKeyedSingleton(serviceKey, (provider, _) => own.Of(provider));
        services.AddKeyedSingleton(serviceKey, (provider, _) => own.Of(provider).Model);
        services.AddKeyedSingleton(serviceKey, (provider, _) => TextEmbedderOf(own.Of(provider)));
        services.AddKeyedSingleton(
            $"{serviceKey}:{QueriesKey}",
            (provider, _) => LookupFfnEmbeddingGeneratorExtensions.ForQueriesOfAny(
                provider.GetRequiredKeyedService<IEmbeddingGenerator<string, Embedding<float>>>(serviceKey)));
        return builder;
    }

    /// <summary>Registers a model as the application's <see cref="IReranker"/>; its options come from
    /// <c>Configure&lt;LookupFfnRerankerOptions&gt;(section)</c>, the path too.</summary>
    /// <param name="services">Where.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddLookupFfnReranker(this IServiceCollection services) =>
        services.AddLookupFfnReranker((_, _) => { });

    /// <summary>Registers a model as the application's <see cref="IReranker"/>. As with a generator, the options are checked and
    /// the model is loaded when the host starts, or first asked for, and calls are put together.</summary>
    /// <param name="services">Where.</param>
    /// <param name="path">The model: a folder or a file.</param>
    /// <param name="configure">How it scores, after what Configure said; null for no more.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddLookupFfnReranker(
        this IServiceCollection services, string path, Action<LookupFfnRerankerOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return services.AddLookupFfnReranker((_, options) =>
        {
            options.Path = path;
            configure?.Invoke(options);
        });
    }

    /// <summary>Registers a model as the application's <see cref="IReranker"/>.</summary>
    /// <param name="services">Where.</param>
    /// <param name="configure">Where it lies and how it scores, after what Configure said.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddLookupFfnReranker(
        this IServiceCollection services, Action<IServiceProvider, LookupFfnRerankerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        RerankerRegistration.Add(services, null, configure);
        return services;
    }

    /// <summary>Registers a model as an <see cref="IReranker"/> under a key. Options of the key's name, as
    /// <c>Configure&lt;LookupFfnRerankerOptions&gt;(name, section)</c> gives them, count.</summary>
    /// <param name="services">Where.</param>
    /// <param name="serviceKey">The key.</param>
    /// <param name="path">The model: a folder or a file.</param>
    /// <param name="configure">How it scores, after what Configure said; null for no more.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddKeyedLookupFfnReranker(
        this IServiceCollection services,
        object serviceKey,
        string path,
        Action<LookupFfnRerankerOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return services.AddKeyedLookupFfnReranker(serviceKey, (_, options) =>
        {
            options.Path = path;
            configure?.Invoke(options);
        });
    }

    /// <summary>Registers a model as an <see cref="IReranker"/> under a key.</summary>
    /// <param name="services">Where.</param>
    /// <param name="serviceKey">The key.</param>
    /// <param name="configure">Where it lies and how it scores, after what Configure said for the key's name.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddKeyedLookupFfnReranker(
        this IServiceCollection services,
        object serviceKey,
        Action<IServiceProvider, LookupFfnRerankerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(serviceKey);
        ArgumentNullException.ThrowIfNull(configure);
        RerankerRegistration.Add(services, serviceKey, configure);
        return services;
    }

    /// <summary>Reports whether registered generators and rerankers can answer: unhealthy where a model is closed or cannot be
    /// loaded, degraded where a queue is nearly full. Their figures are in the data. One that the application's tests have
    /// replaced is not looked at.</summary>
    /// <param name="builder">Where.</param>
    /// <param name="name">The check's name.</param>
    /// <param name="serviceKey">The key of those that it is about; null for all.</param>
    /// <returns>The builder.</returns>
    public static IHealthChecksBuilder AddLookupFfn(
        this IHealthChecksBuilder builder, string name = "lookupffn", object? serviceKey = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new(name, provider => new ModelHealth(provider, serviceKey), null, null));
    }

    private static ITextEmbedder TextEmbedderOf(LookupFfnEmbeddingGenerator generator) =>
        generator.Batcher is null ? generator.Model : generator.Batcher;
}
