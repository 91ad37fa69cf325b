// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>Vectors that lie one after the other in memory of the caller's, to be searched or to be searched for by
/// <see cref="Vectors.TopK"/>. It is a view, and copies nothing but what <c>Of</c> puts together of rows.</summary>
/// <example><code>
/// float[] numbers = new float[texts.Length * model.Info.EmbeddingSize];
/// model.EmbedInto(texts, numbers, new EmbedOptions { Purpose = TextPurpose.Document });
/// VectorBlock vectors = new(numbers, model.Info.EmbeddingSize);
/// </code></example>
public readonly ref struct VectorBlock
{
    private const int MostNumbers = 65536;

    private readonly ref readonly byte first;
    private readonly ReadOnlySpan<float> scales;

    /// <summary>Vectors of floats.</summary>
    /// <param name="numbers">Of all vectors.</param>
    /// <param name="size">How many each vector has, 1 to 65536.</param>
    /// <exception cref="ArgumentException">They are no whole number of vectors.</exception>
    public VectorBlock(ReadOnlySpan<float> numbers, int size)
    {
        Kind = Raw.VECTORS_F32;
        Size = size;
        Count = CountOf(numbers.Length, size, size);
        first = ref Unsafe.As<float, byte>(ref MemoryMarshal.GetReference(numbers));
    }

    /// <summary>Vectors of bytes that all have one scale.</summary>
    /// <param name="numbers">Of all vectors.</param>
    /// <param name="size">How many each vector has, 1 to 65536.</param>
    /// <param name="scale">What each number is multiplied by; not 0.</param>
    /// <exception cref="ArgumentException">They are no whole number of vectors.</exception>
    public VectorBlock(ReadOnlySpan<sbyte> numbers, int size, float scale = 1)
    {
        if (scale == 0)
        {
            throw new ArgumentOutOfRangeException(nameof(scale), scale, "the scale is 0, and so were all products with it");
        }

        Kind = Raw.VECTORS_INT8;
        Size = size;
        Count = CountOf(numbers.Length, size, size);
        Scale = scale;
        first = ref Unsafe.As<sbyte, byte>(ref MemoryMarshal.GetReference(numbers));
    }

    /// <summary>Vectors of bytes that have a scale each.</summary>
    /// <param name="numbers">Of all vectors.</param>
    /// <param name="size">How many each vector has, 1 to 65536.</param>
    /// <param name="scales">One for each vector.</param>
    /// <exception cref="ArgumentException">They are no whole number of vectors, or have more or fewer scales.</exception>
    public VectorBlock(ReadOnlySpan<sbyte> numbers, int size, ReadOnlySpan<float> scales)
        : this(numbers, size)
    {
        if (scales.Length != Count)
        {
            throw new ArgumentException(Say($"{Count} vectors have {scales.Length} scales"), nameof(scales));
        }

        Scale = 0;
        this.scales = scales;
    }

    /// <summary>Vectors of bits, eight to a byte, the first in the highest bit; each vector begins in a new byte.</summary>
    /// <param name="bits">Of all vectors.</param>
    /// <param name="size">How many bits each vector has, 1 to 65536; those behind them do not count.</param>
    /// <exception cref="ArgumentException">They are no whole number of vectors.</exception>
    public VectorBlock(ReadOnlySpan<byte> bits, int size)
    {
        Kind = Raw.VECTORS_BITS;
        Size = size;
        Count = CountOf(bits.Length, size, (int)((size + 7L) / 8));
        first = ref MemoryMarshal.GetReference(bits);
    }

    /// <summary>How many numbers each vector has; 0 where there are none, and nothing said how many.</summary>
    public int Size { get; }

    /// <summary>How many vectors there are.</summary>
    public int Count { get; }

    internal int Kind { get; }

    /// <summary>The scale of all vectors, or 0.</summary>
    internal float Scale { get; }

    /// <summary>A scale for each vector, or none.</summary>
    internal ReadOnlySpan<float> Scales => scales;

    /// <summary>To be pinned; null where there are no vectors.</summary>
    internal ref readonly byte First => ref first;

    /// <summary>One vector of floats.</summary>
    /// <param name="vector">Its numbers.</param>
    /// <returns>A view of it.</returns>
    public static VectorBlock Of(ReadOnlySpan<float> vector) => new(vector, vector.Length);

    /// <summary>One vector of bytes, with its scale.</summary>
    /// <param name="vector">The vector.</param>
    /// <returns>A block of it; copied.</returns>
    public static VectorBlock Of(Int8Embedding vector) => Of(new Int8Embedding[] { vector });

    /// <summary>Vectors of floats that lie each by itself.</summary>
    /// <param name="rows">As many numbers in each; copied.</param>
    /// <returns>A block of them.</returns>
    public static VectorBlock Of(IReadOnlyList<float[]> rows)
    {
        float[] numbers = Joined<float[], float>(rows, row => row, out int size);
        return rows.Count == 0 ? default : new(numbers, size);
    }

    /// <summary>Vectors of floats that lie each by itself, such as those of an embedding generator.</summary>
    /// <param name="rows">As many numbers in each; copied.</param>
    /// <returns>A block of them.</returns>
    public static VectorBlock Of(IReadOnlyList<ReadOnlyMemory<float>> rows)
    {
        float[] numbers = Joined<ReadOnlyMemory<float>, float>(rows, row => row, out int size);
        return rows.Count == 0 ? default : new(numbers, size);
    }

    /// <summary>Vectors of bytes that lie each by itself, each with its scale.</summary>
    /// <param name="rows">As many numbers in each; copied.</param>
    /// <returns>A block of them.</returns>
    public static VectorBlock Of(IReadOnlyList<Int8Embedding> rows)
    {
        sbyte[] numbers = Joined<Int8Embedding, sbyte>(rows, row => row.Numbers, out int size);
        return rows.Count == 0 ? default : new(numbers, size, rows.Select(row => row.Scale).ToArray());
    }

    /// <summary>Vectors of bits that lie each by itself, as
    /// <see cref="Model.EmbedBits(string, EmbedOptions?, CancellationToken)"/> gives them.</summary>
    /// <param name="rows">As many bytes in each, all of whose bits count; copied.</param>
    /// <returns>A block of them.</returns>
    public static VectorBlock OfBits(IReadOnlyList<byte[]> rows)
    {
        byte[] bits = Joined<byte[], byte>(rows, row => row, out int size);
        return rows.Count == 0 ? default : new(bits, (int)Math.Min(int.MaxValue, 8L * size));
    }

    /// <inheritdoc/>
    public override string ToString()
    {
        string what = Kind switch
        {
            Raw.VECTORS_F32 => "floats",
            Raw.VECTORS_INT8 => "bytes",
            _ => "bits",
        };
        return Say($"{Count} vectors of {Size} {what}");
    }

    private static T[] Joined<TRow, T>(IReadOnlyList<TRow> rows, Func<TRow, ReadOnlyMemory<T>> numbersOf, out int size)
    {
        ArgumentNullException.ThrowIfNull(rows);
        size = 0;
        T[] joined = [];
        int count = rows.Count;
        for (int i = 0; i < count; i++)
        {
            TRow row = rows[i];
            if (row is null)
            {
                throw new ArgumentNullException(nameof(rows), Say($"rows[{i}] is null"));
            }

            ReadOnlySpan<T> numbers = numbersOf(row).Span;
            if (i == 0)
            {
                size = numbers.Length;
                long all = (long)size * count;
                joined = all <= Array.MaxLength
                    ? new T[all]
                    : throw new ArgumentException(
                        Say($"{count} rows of {size} are too many for one block; search them in several, see SearchOptions.Start"),
                        nameof(rows));
            }
            else if (numbers.Length != size)
            {
                throw new ArgumentException(
                    Say($"rows[{i}] has {numbers.Length} elements, and those before have {size}"), nameof(rows));
            }

            numbers.CopyTo(joined.AsSpan(i * size));
        }

        return joined;
    }

    private static int CountOf(int elements, int size, int elementsOfEach)
    {
        if (size is < 1 or > MostNumbers)
        {
            throw new ArgumentOutOfRangeException(nameof(size), size, Say($"vectors have 1 to {MostNumbers} numbers"));
        }

        return elements % elementsOfEach == 0
            ? elements / elementsOfEach
            : throw new ArgumentException(
                Say($"{elements} elements are no whole number of vectors, which have {elementsOfEach} each"));
    }

    private static string Say(FormattableString text) => FormattableString.Invariant(text);
}
