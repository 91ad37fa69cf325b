// SPDX-License-Identifier: Apache-2.0
using System.Text;
using Microsoft.Extensions.AI;

namespace LookupFfn.Extensions.AI;

/// <summary>A generator without a model, for the tests of a service. Equal texts have equal vectors, in each process; texts with
/// words in common are nearer to each other than others; what a text is for changes nothing.</summary>
/// <param name="dimensions">How many numbers a vector has, from 1; its length is 1.</param>
/// <example><code>using FakeEmbeddingGenerator fake = new(384);
/// using IEmbeddingGenerator&lt;string, Embedding&lt;float&gt;&gt; queries = fake.ForQueries();</code></example>
public sealed class FakeEmbeddingGenerator(int dimensions) : IEmbeddingGenerator<string, Embedding<float>>
{
    private readonly int dimensions = dimensions > 0
        ? dimensions
        : throw new ArgumentOutOfRangeException(nameof(dimensions), dimensions, "a vector has one number or more");

    /// <inheritdoc/>
    public Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
        IEnumerable<string> values,
        EmbeddingGenerationOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(values);
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<GeneratedEmbeddings<Embedding<float>>>(cancellationToken);
        }

        GeneratedEmbeddings<Embedding<float>> results = [];
        long tokens = 0;
        foreach (string text in values)
        {
            ArgumentNullException.ThrowIfNull(text, nameof(values));
            string[] words = Words(text);
            tokens += words.Length;
            results.Add(new Embedding<float>(VectorOf(words)) { ModelId = "fake" });
        }

        results.Usage = new UsageDetails { InputTokenCount = tokens, TotalTokenCount = tokens };
        return Task.FromResult(results);
    }

    /// <inheritdoc/>
    public object? GetService(Type serviceType, object? serviceKey = null)
    {
        ArgumentNullException.ThrowIfNull(serviceType);
        return serviceKey is not null ? null
            : serviceType == typeof(EmbeddingGeneratorMetadata)
                ? new EmbeddingGeneratorMetadata("fake", null, "fake", dimensions)
            : serviceType.IsInstanceOfType(this) ? this
            : null;
    }

    /// <summary>There is nothing to be given back.</summary>
    public void Dispose()
    {
    }

    /// <summary>In lower case; a text without letters and digits is one.</summary>
    private static string[] Words(string text)
    {
        StringBuilder blanks = new(text.Length);
        foreach (char sign in text)
        {
            blanks.Append(char.IsLetterOrDigit(sign) ? char.ToLowerInvariant(sign) : ' ');
        }

        string[] words = blanks.ToString().Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return words.Length > 0 ? words : [text];
    }

    /// <summary>The sum of the words' vectors, which are random and belong to the words.</summary>
    private float[] VectorOf(string[] words)
    {
        double[] sum = new double[dimensions];
        foreach (string word in words)
        {
            ulong state = 14695981039346656037;
            foreach (char sign in word)
            {
                state = (state ^ sign) * 1099511628211;
            }

            for (int i = 0; i < sum.Length; i++)
            {
                sum[i] += Next(ref state);
            }
        }

        double length = Math.Sqrt(sum.Sum(number => number * number));
        return Array.ConvertAll(sum, number => (float)(length > 0 ? number / length : 1 / Math.Sqrt(dimensions)));
    }

    /// <summary>Above -1 and below 1: splitmix64.</summary>
    private static double Next(ref ulong state)
    {
        state += 0x9e3779b97f4a7c15;
        ulong mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
        return ((mixed ^ (mixed >> 31)) >> 11) * (1.0 / (1L << 52)) - 1;
    }
}
