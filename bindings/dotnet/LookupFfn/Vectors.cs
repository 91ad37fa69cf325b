// SPDX-License-Identifier: Apache-2.0
using System.Collections;
using System.Globalization;
using System.Numerics;
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>How near embeddings are to each other.</summary>
/// <example><code>float near = Vectors.Dot(model.Embed("a cat"), model.Embed("a kitten"));</code></example>
public static partial class Vectors
{
    /// <summary>The dot product: the cosine of vectors of length 1, as most models give them.</summary>
    /// <param name="first">A vector.</param>
    /// <param name="second">One of the same length.</param>
    /// <returns>The sum of the products.</returns>
    public static float Dot(ReadOnlySpan<float> first, ReadOnlySpan<float> second)
    {
        CheckLengths(first.Length, second.Length);
        ReadOnlySpan<Vector<float>> a = MemoryMarshal.Cast<float, Vector<float>>(first);
        ReadOnlySpan<Vector<float>> b = MemoryMarshal.Cast<float, Vector<float>>(second);
        Vector<float> sums = Vector<float>.Zero;
        for (int i = 0; i < a.Length; i++)
        {
            sums += a[i] * b[i];
        }

        float sum = Vector.Sum(sums);
        for (int i = a.Length * Vector<float>.Count; i < first.Length; i++)
        {
            sum += first[i] * second[i];
        }

        return sum;
    }

    /// <summary>The cosine of the angle between vectors of any length.</summary>
    /// <param name="first">A vector.</param>
    /// <param name="second">One of as many numbers.</param>
    /// <returns>From -1 to 1; 0 where one of them is all zeros.</returns>
    public static float Cosine(ReadOnlySpan<float> first, ReadOnlySpan<float> second)
    {
        double lengths = Math.Sqrt((double)Dot(first, first) * Dot(second, second));
        float dot = Dot(first, second);
        return lengths == 0 ? 0 : (float)(dot / lengths);
    }

    /// <summary>The dot product of the vectors that bytes stand for.</summary>
    /// <param name="first">A vector in int8.</param>
    /// <param name="second">One of the same length.</param>
    /// <returns>The sum of the products, times both scales.</returns>
    public static float Dot(Int8Embedding first, Int8Embedding second)
    {
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(second);
        CheckLengths(first.Numbers.Length, second.Numbers.Length);
        long sum = 0;
        for (int i = 0; i < first.Numbers.Length; i++)
        {
            sum += first.Numbers[i] * second.Numbers[i];
        }

        return sum * first.Scale * second.Scale;
    }

    /// <summary>The dot product of sparse vectors.</summary>
    /// <param name="first">A vector.</param>
    /// <param name="second">One of the same model, or of one with the same vocabulary.</param>
    /// <returns>The sum of the products of the weights of tokens that are in both.</returns>
    public static float Dot(SparseEmbedding first, SparseEmbedding second)
    {
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(second);
        CheckLengths(first.Ids.Length, first.Weights.Length);
        CheckLengths(second.Ids.Length, second.Weights.Length);
        if (first.Ids.Length > second.Ids.Length)
        {
            (first, second) = (second, first);
        }

        Dictionary<int, float> weights = new(first.Ids.Length);
        for (int i = 0; i < first.Ids.Length; i++)
        {
            weights[first.Ids[i]] = first.Weights[i];
        }

        double sum = 0;
        for (int i = 0; i < second.Ids.Length; i++)
        {
            sum += weights.TryGetValue(second.Ids[i], out float weight) ? (double)weight * second.Weights[i] : 0;
        }

        return (float)sum;
    }

    /// <summary>In how many bits two vectors differ.</summary>
    /// <param name="first">Bits, as <see cref="Model.EmbedBits(string, EmbedOptions?, CancellationToken)"/> gives
    /// them.</param>
    /// <param name="second">As many bytes.</param>
    /// <returns>The Hamming distance.</returns>
    public static int Hamming(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        CheckLengths(first.Length, second.Length);
        ReadOnlySpan<ulong> a = MemoryMarshal.Cast<byte, ulong>(first);
        ReadOnlySpan<ulong> b = MemoryMarshal.Cast<byte, ulong>(second);
        int bits = 0;
        for (int i = 0; i < a.Length; i++)
        {
            bits += BitOperations.PopCount(a[i] ^ b[i]);
        }

        for (int i = a.Length * sizeof(ulong); i < first.Length; i++)
        {
            bits += BitOperations.PopCount((uint)(first[i] ^ second[i]));
        }

        return bits;
    }

    /// <summary>The bits in the order of the numbers that they stand for: <see cref="BitArray"/> would read the lowest bit of a
    /// byte first, and the first number's is the highest.</summary>
    /// <param name="bits">As <see cref="Model.EmbedBits(string, EmbedOptions?, CancellationToken)"/> gives them.</param>
    /// <param name="size">How many numbers the vector has.</param>
    /// <returns>A bit for each number.</returns>
    public static BitArray ToBitArray(ReadOnlySpan<byte> bits, int size)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(size);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(size, 8 * (long)bits.Length);
        BitArray array = new(size);
        for (int i = 0; i < size; i++)
        {
            array[i] = (bits[i / 8] & (0x80 >> (i % 8))) != 0;
        }

        return array;
    }

    private static void CheckLengths(int first, int second)
    {
        if (first != second)
        {
            throw new ArgumentException(string.Create(
                CultureInfo.InvariantCulture, $"the vectors have {first} and {second} numbers"));
        }
    }
}
