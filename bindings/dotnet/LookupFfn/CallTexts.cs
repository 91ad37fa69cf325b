// SPDX-License-Identifier: Apache-2.0
using System.Buffers;
using System.Globalization;

namespace LookupFfn;

/// <summary>The texts of one call as the native library wants them, laid end to end in rented memory: first those that
/// are run, then what stands beside them.</summary>
internal readonly ref struct CallTexts
{
    private readonly byte[] utf8;
    private readonly long[] numbers;
    private readonly Dictionary<int, string>? unreadable;

    /// <summary>Takes one text, or texts and a query.</summary>
    /// <param name="single">The text, or null for texts.</param>
    /// <param name="texts">Many of them.</param>
    /// <param name="query">What is paired with each, or null.</param>
    /// <param name="options">What stands before each, and what becomes of those that cannot be read: with statuses it is
    /// left to the native library to refuse them.</param>
    /// <param name="name">What the caller's caller calls the text or the texts.</param>
    internal CallTexts(string? single, IReadOnlyList<string> texts, string? query, EmbedOptions options, string name)
    {
        bool keepBad = options.Statuses is not null;
        string? prompt = options.PromptArgument;
        Count = single is null ? texts.Count : 1;
        numbers = ArrayPool<long>.Shared.Rent(checked((3 * Count) + 3));
        utf8 = ArrayPool<byte>.Shared.Rent(256);
        try
        {
            int end = 0;
            for (int i = 0; i < Count; i++)
            {
                string? text = LookupFfn.Utf8.Readable(single ?? texts[i], options.Repair);
                if (keepBad && LookupFfn.Utf8.Problem(text, out _) is string problem)
                {
                    // Nothing, or what is not UTF-8 either.
                    (unreadable ??= []).Add(i, problem);
                    numbers[i] = -1;
                    if (text is not null)
                    {
                        end = Put(ref utf8, end, "?", name);
                        utf8[end - 1] = 0xff;
                        numbers[i] = end;
                    }

                    continue;
                }

                end = Put(ref utf8, end, text, name, single is null ? i : null);
                numbers[i] = end;
            }

            PromptAt = end;
            end = Put(ref utf8, end, LookupFfn.Utf8.Readable(prompt, options.Repair) ?? "", "prompt");
            end = Put(ref utf8, end, "\0", "");
            QueryAt = end;
            QuerySize = Put(ref utf8, end, LookupFfn.Utf8.Readable(query, options.Repair) ?? "", "query") - end;
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

    /// <summary>Why a text could not be read; null for one that could.</summary>
    internal string? Unreadable(int text) => unreadable?.GetValueOrDefault(text);

    /// <summary>The bytes of a text; none of one that is null.</summary>
    internal ReadOnlySpan<byte> Bytes(int text)
    {
        long begin = -1;
        for (int i = text; i > 0 && begin < 0; i--)
        {
            begin = numbers[i - 1];
        }

        return numbers[text] < 0 ? [] : utf8.AsSpan((int)Math.Max(begin, 0)..(int)numbers[text]);
    }

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

    private static int Put(ref byte[] memory, int at, string? text, string name, int? place = null)
    {
        int size = LookupFfn.Utf8.SizeOf(text, name, place);
        long needed = (long)at + size;
        if (needed >= Array.MaxLength)
        {
            throw new ArgumentException(
                string.Create(CultureInfo.InvariantCulture, $"{needed} bytes of text are too many for one call"), name);
        }

        if (needed > memory.Length)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(Array.MaxLength, needed + (needed / 2)));
            memory.AsSpan(0, at).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(memory);
            memory = larger;
        }

        return at + LookupFfn.Utf8.Put(text!, memory.AsSpan(at));
    }
}
