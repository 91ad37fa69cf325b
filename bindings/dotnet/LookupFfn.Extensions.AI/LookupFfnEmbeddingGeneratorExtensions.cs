// SPDX-License-Identifier: Apache-2.0
using System.Collections;
using Microsoft.Extensions.AI;

namespace LookupFfn.Extensions.AI;

/// <summary>What is made of embedding generators: for queries and for documents, and of smaller embeddings.</summary>
public static class LookupFfnEmbeddingGeneratorExtensions
{
    /// <summary>The same generator, with all that is put around it, for texts that are searched for. Each call says so in its
    /// options, so that a cache keeps queries and documents apart. To dispose of it does nothing.</summary>
    /// <param name="generator">A <see cref="LookupFfnEmbeddingGenerator"/>, or what was put around one.</param>
    /// <returns>The generator for queries.</returns>
    /// <exception cref="ArgumentException">The generator is none of this library, nor around one: it would embed queries as
    /// whatever else it embeds, and say nothing.</exception>
    public static IEmbeddingGenerator<string, Embedding<float>> ForQueries(
        this IEmbeddingGenerator<string, Embedding<float>> generator) => For(generator, "query");

    /// <summary>The same generator, with all that is put around it, for texts that are searched. To dispose of it does
    /// nothing.</summary>
    /// <param name="generator">A <see cref="LookupFfnEmbeddingGenerator"/>, or what was put around one.</param>
    /// <returns>The generator for documents.</returns>
    /// <exception cref="ArgumentException">The generator is none of this library, nor around one.</exception>
    public static IEmbeddingGenerator<string, Embedding<float>> ForDocuments(
        this IEmbeddingGenerator<string, Embedding<float>> generator) => For(generator, "document");

    /// <summary>The same generator with a bit for each number, set where it is above 0, in the order of the numbers. To dispose
    /// of it does nothing.</summary>
    /// <param name="generator">Any generator of float vectors.</param>
    /// <returns>The generator of binary embeddings.</returns>
    public static IEmbeddingGenerator<string, BinaryEmbedding> AsBinary(
        this IEmbeddingGenerator<string, Embedding<float>> generator) =>
        new SmallerGenerator<BinaryEmbedding>(generator, vector =>
        {
            BitArray bits = new(vector.Length);
            for (int i = 0; i < vector.Length; i++)
            {
                bits[i] = vector[i] > 0;
            }

            return new BinaryEmbedding(bits);
        });

    /// <summary>The same generator with a byte for each number. The embedding's AdditionalProperties have the "scale" that the
    /// bytes are multiplied with, a float. To dispose of it does nothing.</summary>
    /// <param name="generator">Any generator of float vectors.</param>
    /// <returns>The generator of embeddings in int8.</returns>
    public static IEmbeddingGenerator<string, Embedding<sbyte>> AsInt8(
        this IEmbeddingGenerator<string, Embedding<float>> generator) =>
        new SmallerGenerator<Embedding<sbyte>>(generator, vector =>
        {
            Int8Embedding small = Int8Embedding.Of(vector);
            return new Embedding<sbyte>(small.Numbers)
            {
                AdditionalProperties = new() { ["scale"] = small.Scale },
            };
        });

    /// <summary>The same of whatever a service's tests have put in the place of the generator.</summary>
    internal static IEmbeddingGenerator<string, Embedding<float>> ForQueriesOfAny(
        IEmbeddingGenerator<string, Embedding<float>> generator) => new PurposeGenerator(generator, "query");

    private static PurposeGenerator For(IEmbeddingGenerator<string, Embedding<float>> generator, string purpose)
    {
        ArgumentNullException.ThrowIfNull(generator);
        bool knows = generator.GetService(typeof(LookupFfnEmbeddingGenerator)) is not null
            || generator.GetService(typeof(FakeEmbeddingGenerator)) is not null;
        return knows
            ? new PurposeGenerator(generator, purpose)
            : throw new ArgumentException(
                $"{generator.GetType()} is neither a LookupFfnEmbeddingGenerator nor around one, and would not know what texts are "
                + "for; tests may use a FakeEmbeddingGenerator",
                nameof(generator));
    }

    /// <summary>Says in each call's options what its texts are for, unless the call does.</summary>
    private sealed class PurposeGenerator(IEmbeddingGenerator<string, Embedding<float>> inner, string purpose)
        : IEmbeddingGenerator<string, Embedding<float>>
    {
        private readonly IEmbeddingGenerator<string, Embedding<float>> inner =
            inner ?? throw new ArgumentNullException(nameof(inner));

        public Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
            IEnumerable<string> values,
            EmbeddingGenerationOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            EmbeddingGenerationOptions saying = options?.Clone() ?? new();
            saying.AdditionalProperties ??= [];
            saying.AdditionalProperties.TryAdd(LookupFfnEmbeddingGenerator.InputTypeKey, purpose);
            return inner.GenerateAsync(values, saying, cancellationToken);
        }

        public object? GetService(Type serviceType, object? serviceKey = null) =>
            serviceKey is null && serviceType?.IsInstanceOfType(this) == true ? this : inner.GetService(serviceType!, serviceKey);

        /// <summary>The inner one is not its own.</summary>
        public void Dispose()
        {
        }
    }

    private delegate TEmbedding Maker<TEmbedding>(ReadOnlySpan<float> vector);

    private sealed class SmallerGenerator<TEmbedding>(
        IEmbeddingGenerator<string, Embedding<float>> inner, Maker<TEmbedding> make)
        : IEmbeddingGenerator<string, TEmbedding>
        where TEmbedding : Embedding
    {
        private readonly IEmbeddingGenerator<string, Embedding<float>> inner =
            inner ?? throw new ArgumentNullException(nameof(inner));

        public async Task<GeneratedEmbeddings<TEmbedding>> GenerateAsync(
            IEnumerable<string> values,
            EmbeddingGenerationOptions? options = null,
            CancellationToken cancellationToken = default)
        {
            GeneratedEmbeddings<Embedding<float>> vectors =
                await inner.GenerateAsync(values, options, cancellationToken).ConfigureAwait(false);
            GeneratedEmbeddings<TEmbedding> results = new(vectors.Count) { Usage = vectors.Usage };
            foreach (Embedding<float> vector in vectors)
            {
                TEmbedding small = make(vector.Vector.Span);
                small.CreatedAt = vector.CreatedAt;
                small.ModelId = vector.ModelId;
                foreach (KeyValuePair<string, object?> property in vector.AdditionalProperties ?? [])
                {
                    (small.AdditionalProperties ??= []).TryAdd(property.Key, property.Value);
                }

                results.Add(small);
            }

            return results;
        }

        public object? GetService(Type serviceType, object? serviceKey = null) =>
            serviceKey is null && serviceType?.IsInstanceOfType(this) == true ? this : inner.GetService(serviceType!, serviceKey);

        public void Dispose()
        {
        }
    }
}
