// SPDX-License-Identifier: Apache-2.0
using LookupFfn.Extensions.AI;
using Microsoft.Extensions.AI;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers embedding generators.</summary>
public static class LookupFfnServiceCollectionExtensions
{
    /// <summary>Registers a <see cref="LookupFfnEmbeddingGenerator"/>, which loads its model when it is first asked for, as
    /// such and as the application's embedding generator.</summary>
    /// <param name="services">Where.</param>
    /// <param name="path">The model: a folder or a file.</param>
    /// <param name="configure">How it embeds; null for the defaults.</param>
    /// <param name="decorate">What is put around it, such as telemetry or a cache; null for nothing.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddLookupFfnEmbeddings(
        this IServiceCollection services,
        string path,
        Action<LookupFfnEmbeddingOptions>? configure = null,
        Func<IEmbeddingGenerator<string, Embedding<float>>, IServiceProvider, IEmbeddingGenerator<string, Embedding<float>>>?
            decorate = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(path);
        services.AddSingleton(_ => Make(path, configure));
        services.AddSingleton(provider =>
            Decorated(provider.GetRequiredService<LookupFfnEmbeddingGenerator>(), provider, decorate));
        services.AddSingleton<IEmbeddingGenerator>(provider =>
            provider.GetRequiredService<IEmbeddingGenerator<string, Embedding<float>>>());
        return services;
    }

    /// <summary>Registers a <see cref="LookupFfnEmbeddingGenerator"/> under a key, so that an application can have several
    /// models.</summary>
    /// <param name="services">Where.</param>
    /// <param name="serviceKey">The key.</param>
    /// <param name="path">The model: a folder or a file.</param>
    /// <param name="configure">How it embeds; null for the defaults.</param>
    /// <param name="decorate">What is put around it; null for nothing.</param>
    /// <returns>The services.</returns>
    public static IServiceCollection AddKeyedLookupFfnEmbeddings(
        this IServiceCollection services,
        object serviceKey,
        string path,
        Action<LookupFfnEmbeddingOptions>? configure = null,
        Func<IEmbeddingGenerator<string, Embedding<float>>, IServiceProvider, IEmbeddingGenerator<string, Embedding<float>>>?
            decorate = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(serviceKey);
        ArgumentException.ThrowIfNullOrEmpty(path);
        services.AddKeyedSingleton(serviceKey, (_, _) => Make(path, configure));
        services.AddKeyedSingleton(
            serviceKey,
            (provider, key) => Decorated(
                provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>(key), provider, decorate));
        services.AddKeyedSingleton<IEmbeddingGenerator>(
            serviceKey,
            (provider, key) => provider.GetRequiredKeyedService<IEmbeddingGenerator<string, Embedding<float>>>(key));
        return services;
    }

    private static LookupFfnEmbeddingGenerator Make(string path, Action<LookupFfnEmbeddingOptions>? configure)
    {
        LookupFfnEmbeddingOptions options = new();
        configure?.Invoke(options);
        return new LookupFfnEmbeddingGenerator(path, options);
    }

    private static IEmbeddingGenerator<string, Embedding<float>> Decorated(
        LookupFfnEmbeddingGenerator generator,
        IServiceProvider provider,
        Func<IEmbeddingGenerator<string, Embedding<float>>, IServiceProvider, IEmbeddingGenerator<string, Embedding<float>>>?
            decorate) =>
        decorate is null ? generator : decorate(generator, provider);
}
