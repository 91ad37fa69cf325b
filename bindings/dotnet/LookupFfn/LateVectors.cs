// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>Texts as several vectors each, which late interaction compares, in one block: floats, or bytes with a scale for
/// each vector.</summary>
/// <example><code>
/// LateVectors query = late.EmbedLate(["cats"], new EmbedOptions { Purpose = TextPurpose.Query });
/// LateVectors documents = late.EmbedLate(texts, new EmbedOptions { Purpose = TextPurpose.Document });
/// float[][] scores = late.MaxSim(query, documents);
/// </code></example>
public sealed record LateVectors
{
    /// <summary>Makes some of what was stored.</summary>
    /// <param name="numbers">The vectors of all texts, one after another.</param>
    /// <param name="offsets">The number of the vector where each text begins, and how many there are.</param>
    /// <param name="size">Numbers of each vector.</param>
    /// <exception cref="ArgumentException">They do not fit each other.</exception>
    public LateVectors(float[] numbers, long[] offsets, int size)
    {
        ArgumentNullException.ThrowIfNull(numbers);
        Numbers = numbers;
        Check(numbers.Length, nameof(numbers), offsets, size);
        Offsets = offsets;
        Size = size;
    }

    /// <summary>Makes some of what was stored in bytes.</summary>
    /// <param name="bytes">The vectors of all texts, one after another.</param>
    /// <param name="scales">What the bytes of each vector are multiplied with.</param>
    /// <param name="offsets">The number of the vector where each text begins, and how many there are.</param>
    /// <param name="size">Numbers of each vector.</param>
    /// <exception cref="ArgumentException">They do not fit each other.</exception>
    public LateVectors(sbyte[] bytes, float[] scales, long[] offsets, int size)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        ArgumentNullException.ThrowIfNull(scales);
        Bytes = bytes;
        Scales = scales;
        Check(bytes.Length, nameof(bytes), offsets, size);
        Offsets = offsets;
        Size = size;
        if (scales.Length != offsets[^1])
        {
            throw new ArgumentException("there are not as many scales as vectors", nameof(scales));
        }
    }

    /// <summary>How many texts.</summary>
    public int Count => Offsets.Length - 1;

    /// <summary>Numbers of each vector.</summary>
    public int Size { get; }

    /// <summary>The number of the vector where each text begins, and how many there are.</summary>
    public long[] Offsets { get; }

    /// <summary>The vectors of all texts, one after another; empty for those in bytes.</summary>
    public float[] Numbers { get; } = [];

    /// <summary>The same in bytes; empty for those in floats.</summary>
    public sbyte[] Bytes { get; } = [];

    /// <summary>What the bytes of each vector are multiplied with.</summary>
    public float[] Scales { get; } = [];

    /// <summary>Whether these are bytes.</summary>
    public bool IsInt8 => Scales.Length > 0;

    /// <summary>Whether both have the same vectors, to the bit.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether they do.</returns>
    public bool Equals(LateVectors? other) =>
        other is not null && Size == other.Size && Offsets.AsSpan().SequenceEqual(other.Offsets)
        && Values.Same(Numbers, other.Numbers) && Bytes.AsSpan().SequenceEqual(other.Bytes)
        && Values.Same(Scales, other.Scales);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        HashCode hash = default;
        hash.Add(Size);
        hash.AddBytes(MemoryMarshal.AsBytes(Numbers.AsSpan()));
        hash.AddBytes(MemoryMarshal.AsBytes(Bytes.AsSpan()));
        return hash.ToHashCode();
    }

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"{Offsets[^1]} vectors of {Size} numbers, of {Count} texts");

    private static void Check(int numbers, string name, long[] offsets, int size)
    {
        ArgumentNullException.ThrowIfNull(offsets);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(size);
        if (offsets.Length == 0 || offsets[0] != 0)
        {
            throw new ArgumentException("the offsets do not begin with 0", nameof(offsets));
        }

        for (int i = 1; i < offsets.Length; i++)
        {
            if (offsets[i] < offsets[i - 1])
            {
                throw new ArgumentException("the offsets do not ascend", nameof(offsets));
            }
        }

        if (numbers % size != 0 || numbers / size != offsets[^1])
        {
            throw new ArgumentException(
                string.Create(CultureInfo.InvariantCulture, $"{numbers} numbers are not {offsets[^1]} vectors of {size}"), name);
        }
    }
}
