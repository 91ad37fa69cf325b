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
        object id = GeneratorRegistration.Add(services, Options.Options.DefaultName, configure);
        services.AddSingleton(provider => provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>(id));
        services.AddSingleton(provider => provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>(id).Model);
        services.AddSingleton(provider => TextEmbedderOf(provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>(id)));
        services.AddKeyedSingleton(
            QueriesKey,
            (provider, _) => provider.GetRequiredService<IEmbeddingGenerator<string, Embedding<float>>>().ForQueries());
        return services.AddEmbeddingGenerator(provider => provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>(id));
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
        string name = serviceKey.ToString() ?? "";
        object id = GeneratorRegistration.Add(services, name, configure);
        services.AddKeyedSingleton(
            serviceKey, (provider, _) => provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>(id));
        services.AddKeyedSingleton(
            serviceKey, (provider, _) => provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>(id).Model);
        services.AddKeyedSingleton(
            serviceKey,
            (provider, _) => TextEmbedderOf(provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>(id)));
        services.AddKeyedSingleton(
            $"{name}:{QueriesKey}",
            (provider, _) =>
                provider.GetRequiredKeyedService<IEmbeddingGenerator<string, Embedding<float>>>(serviceKey).ForQueries());
        return services.AddKeyedEmbeddingGenerator(
            serviceKey, provider => provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>(id));
    }

    /// <summary>Registers a model as the application's <see cref="IReranker"/>. It is loaded when it is first asked for.</summary>
    /// <param name="services">Where.</param>
    /// <param name="path">The model: a folder or a file.</param>
    /// <param name="load">How it is loaded; null for the defaults.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddLookupFfnReranker(
        this IServiceCollection services, string path, LoadOptions? load = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(path);
        return services.AddSingleton<IReranker>(_ => Reranker(path, load));
    }

    /// <summary>Registers a model as an <see cref="IReranker"/> under a key.</summary>
    /// <param name="services">Where.</param>
    /// <param name="serviceKey">The key.</param>
    /// <param name="path">The model: a folder or a file.</param>
    /// <param name="load">How it is loaded; null for the defaults.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddKeyedLookupFfnReranker(
        this IServiceCollection services, object serviceKey, string path, LoadOptions? load = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(serviceKey);
        ArgumentException.ThrowIfNullOrEmpty(path);
        return services.AddKeyedSingleton<IReranker>(serviceKey, (_, _) => Reranker(path, load));
    }

    /// <summary>Reports whether a registered generator can answer: unhealthy where its model is closed or cannot be loaded,
    /// degraded where its queue is nearly full. Its figures are in the data.</summary>
    /// <param name="builder">Where.</param>
    /// <param name="name">The check's name.</param>
    /// <param name="serviceKey">The generator's key; null for the application's.</param>
    /// <returns>The builder.</returns>
    public static IHealthChecksBuilder AddLookupFfn(
        this IHealthChecksBuilder builder, string name = "lookupffn", object? serviceKey = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new(name, provider => new GeneratorHealth(provider, serviceKey), null, null));
    }

    private static ITextEmbedder TextEmbedderOf(LookupFfnEmbeddingGenerator generator) =>
        generator.Batcher is null ? generator.Model : generator.Batcher;

    private static Model Reranker(string path, LoadOptions? load)
    {
        Model model = Model.Load(path, load);
        if (model.Info.NumClasses == 1)
        {
            return model;
        }

        int classes = model.Info.NumClasses;
        model.Dispose();
        throw new UnsupportedModelException($"{path} has {classes} classes, a reranker has one");
    }
}
