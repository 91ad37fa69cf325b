// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>Arrays of numbers compared by what is in them.</summary>
internal static class Values
{
    /// <summary>Whether the numbers are the same to the bit, so that a NaN equals itself, as equality must have it.</summary>
    internal static bool Same(ReadOnlySpan<float> first, ReadOnlySpan<float> second) =>
        MemoryMarshal.AsBytes(first).SequenceEqual(MemoryMarshal.AsBytes(second));

    /// <summary>Whether two lists have the same vectors in the same order.</summary>
    internal static bool Same(IReadOnlyList<float[]> first, IReadOnlyList<float[]> second)
    {
        if (first.Count != second.Count)
        {
            return false;
        }

        for (int i = 0; i < first.Count; i++)
        {
            if (!Same(first[i], second[i]))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Of the same bits that are compared.</summary>
    internal static int Hash(ReadOnlySpan<float> numbers)
    {
        HashCode hash = default;
        hash.AddBytes(MemoryMarshal.AsBytes(numbers));
        return hash.ToHashCode();
    }

    /// <summary>Of the same lists that are the same.</summary>
    internal static int Hash(IReadOnlyList<float[]> rows)
    {
        HashCode hash = default;
        hash.Add(rows.Count);
        for (int i = 0; i < rows.Count; i++)
        {
            hash.Add(Hash(rows[i]));
        }

        return hash.ToHashCode();
    }

    /// <summary>What a result is, without its numbers.</summary>
    internal static string Told(IReadOnlyList<float[]> rows, string what, TextCounts counts) => string.Create(
        CultureInfo.InvariantCulture,
        $"{rows.Count} {what} of {(rows.Count == 0 ? 0 : rows[0].Length)} numbers: {counts}");
}
