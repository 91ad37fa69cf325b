// SPDX-License-Identifier: Apache-2.0
using System.Buffers;
using System.Globalization;
using System.Text;

namespace LookupFfn;

/// <summary>The texts of one call as the native library wants them, laid end to end in rented memory: first those that
/// are run, then what stands beside them.</summary>
internal readonly ref struct CallTexts
{
    private readonly byte[] utf8;
    private readonly long[] numbers;

    /// <summary>Takes one text, or texts and a query.</summary>
    internal CallTexts(string? single, IReadOnlyList<string> texts, string? query, string? prompt)
    {
        Count = single is null ? texts.Count : 1;
        numbers = ArrayPool<long>.Shared.Rent(checked((3 * Count) + 3));
        utf8 = ArrayPool<byte>.Shared.Rent(256);
        try
        {
            int end = 0;
            for (int i = 0; i < Count; i++)
            {
                try
                {
                    end = Put(ref utf8, end, single ?? texts[i]);
                }
                catch (EncoderFallbackException bad) when (single is null)
                {
                    throw new ArgumentException(
                        string.Create(CultureInfo.InvariantCulture, $"texts[{i}]: {bad.Message}"), nameof(texts), bad);
                }

                numbers[i] = end;
            }

            PromptAt = end;
            end = Put(ref utf8, end, prompt ?? "");
            end = Put(ref utf8, end, "\0");
            QueryAt = end;
            QuerySize = Put(ref utf8, end, query ?? "") - end;
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    internal int Count { get; }

    internal int PromptAt { get; }

    internal int QueryAt { get; }

    internal int QuerySize { get; }

    internal ReadOnlySpan<byte> Utf8 => utf8;

    /// <summary>Where each text ends.</summary>
    internal ReadOnlySpan<long> Ends => numbers.AsSpan(0, Count + 1);

    /// <summary>Where each text's tokens begin, and where the last ones end.</summary>
    internal Span<long> Offsets => numbers.AsSpan(Count + 1, Count + 1);

    /// <summary>How many tokens each text would have without cutting; one more than there are.</summary>
    internal Span<long> Uncut => numbers.AsSpan((2 * Count) + 2, Count + 1);

    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(utf8);
        ArrayPool<long>.Shared.Return(numbers);
    }

    private static int Put(ref byte[] memory, int at, string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        int size = LookupFfn.Utf8.SizeOf(text);
        long needed = (long)at + size;
        if (needed >= Array.MaxLength)
        {
            throw new ArgumentException(
                string.Create(CultureInfo.InvariantCulture, $"{needed} bytes of text are too many for one call"),
                nameof(text));
        }

        if (needed > memory.Length)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(Array.MaxLength, needed + (needed / 2)));
            memory.AsSpan(0, at).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(memory);
            memory = larger;
        }

        return at + LookupFfn.Utf8.Put(text, memory.AsSpan(at));
    }
}
