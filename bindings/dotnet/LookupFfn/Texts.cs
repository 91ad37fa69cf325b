// SPDX-License-Identifier: Apache-2.0
using System.Buffers;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace LookupFfn;

/// <summary>Text as the native library wants it.</summary>
internal static class Utf8
{
    /// <summary>Refuses halves of surrogate pairs.</summary>
    private static readonly UTF8Encoding Strict = new(false, throwOnInvalidBytes: true);

    internal static byte[] ZeroTerminated(string path, [CallerArgumentExpression(nameof(path))] string name = "")
    {
        ArgumentException.ThrowIfNullOrEmpty(path, name);
        if (path.Contains('\0', StringComparison.Ordinal))
        {
            throw new ArgumentException($"{name} contains a zero character", name);
        }

        return Of(path + '\0', name);
    }

    internal static byte[] Of(string text, [CallerArgumentExpression(nameof(text))] string name = "")
    {
        byte[] utf8 = new byte[SizeOf(text, name)];
        Put(text, utf8);
        return utf8;
    }

    /// <summary>How many bytes a text takes.</summary>
    /// <param name="text">A text, which may be null.</param>
    /// <param name="name">What the caller calls it, or the list that it is in.</param>
    /// <param name="place">Its place in that list.</param>
    /// <exception cref="ArgumentException">It is null, or has half of a surrogate pair; the message tells its name and
    /// place.</exception>
    internal static int SizeOf(string? text, string name, int? place = null)
    {
        string? problem = Problem(text, out int size);
        return problem is null ? size
            : text is not null ? throw new ArgumentException($"{Told(name, place)}: {problem}", name)
            : throw (place is null ? new ArgumentNullException(name) : new ArgumentNullException(name, $"{Told(name, place)} is null"));
    }

    /// <summary>The same of a text that is part of another one.</summary>
    internal static int SizeOf(ReadOnlySpan<char> text, string name)
    {
        try
        {
            return Strict.GetByteCount(text);
        }
        catch (EncoderFallbackException bad)
        {
            throw new ArgumentException(
                string.Create(CultureInfo.InvariantCulture, $"{name}: half of a surrogate pair stands at index {bad.Index}"), name);
        }
    }

    /// <summary>Why a text cannot be read; null if it can, and then its size is set.</summary>
    internal static string? Problem(string? text, out int size)
    {
        size = 0;
        if (text is null)
        {
            return "the text is null";
        }

        try
        {
            size = Strict.GetByteCount(text);
            return null;
        }
        catch (EncoderFallbackException bad)
        {
            return string.Create(CultureInfo.InvariantCulture, $"half of a surrogate pair stands at index {bad.Index}");
        }
    }

    /// <summary>The text; where it is to be repaired, with replacement characters in place of halves of surrogate pairs,
    /// and as long as it was.</summary>
    internal static string? Readable(string? text, bool repair) =>
        !repair || text is null || Problem(text, out _) is null ? text : Text(Encoding.UTF8.GetBytes(text));

    internal static string Told(string name, int? place) =>
        place is null ? name : string.Create(CultureInfo.InvariantCulture, $"{name}[{place}]");

    internal static int Put(ReadOnlySpan<char> text, Span<byte> memory) => Strict.GetBytes(text, memory);

    /// <summary>What is not UTF-8 becomes replacement characters.</summary>
    internal static string Text(ReadOnlySpan<byte> utf8) => Encoding.UTF8.GetString(utf8);

    /// <summary>Turns ascending places in bytes into places in chars. A place inside of a character, as tokens of
    /// single bytes have it, becomes that of the character's first char, or with <paramref name="up"/> the one behind
    /// its last.</summary>
    internal static int[] CharsOf(ReadOnlySpan<byte> utf8, ReadOnlySpan<long> places, bool up)
    {
        int[] chars = new int[places.Length];
        CharCounter counter = new(utf8, up);
        for (int i = 0; i < places.Length; i++)
        {
            chars[i] = counter.Of(places[i]);
        }

        return chars;
    }

    /// <summary>Tokens with their places in chars, made from places in bytes.</summary>
    internal static TokenSpan[] Spans(
        ReadOnlySpan<byte> utf8, ReadOnlySpan<int> ids, ReadOnlySpan<long> begins, ReadOnlySpan<long> ends)
    {
        TokenSpan[] tokens = new TokenSpan[ids.Length];
        CharCounter from = new(utf8, up: false);
        CharCounter to = new(utf8, up: true);
        for (int i = 0; i < tokens.Length; i++)
        {
            tokens[i] = new TokenSpan(ids[i], from.Of(begins[i]), to.Of(ends[i]));
        }

        return tokens;
    }

    private ref struct CharCounter(ReadOnlySpan<byte> utf8, bool up)
    {
        private readonly ReadOnlySpan<byte> utf8 = utf8;
        private readonly bool up = up;
        private int at;
        private int character;

        internal int Of(long place)
        {
            // Spans follow each other, but a special token may lie anywhere.
            if (place < at)
            {
                at = 0;
                character = 0;
            }

            while (at < place)
            {
                int length = LengthOf(utf8[at]);
                if (at + length > place && !up)
                {
                    break;
                }

                character += length == 4 ? 2 : 1;
                at += length;
            }

            return character;
        }
    }

    private static int LengthOf(byte first) => first switch
    {
        < 0x80 => 1,
        < 0xe0 => 2,
        < 0xf0 => 3,
        _ => 4,
    };
}

/// <summary>The texts of one call as the native library wants them, laid end to end in rented memory: first those that
/// are run, then what stands beside them.</summary>
internal readonly ref struct CallTexts
{
    private readonly byte[] utf8;
    private readonly long[] numbers;
    private readonly Dictionary<int, string>? unreadable;
    private readonly Dictionary<int, string>? tooLong;
    private readonly string name;
    private readonly bool isSingle;

    /// <summary>Takes one text, or texts and a query.</summary>
    /// <param name="single">The text, or null for texts.</param>
    /// <param name="texts">Many of them.</param>
    /// <param name="query">What is paired with each, or null.</param>
    /// <param name="options">What stands before each, and what becomes of those that cannot be read: with statuses it is
    /// left to the native library to refuse them.</param>
    /// <param name="name">What the caller's caller calls the text or the texts.</param>
    internal CallTexts(string? single, IReadOnlyList<string?> texts, string? query, EmbedOptions options, string name)
    {
        this.name = name;
        isSingle = single is not null;
        bool keepBad = options.Statuses is not null;
        tooLong = keepBad && options.RefuseLongTexts ? [] : null;
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

    /// <summary>Takes one text that is part of another one.</summary>
    /// <param name="text">The text.</param>
    /// <param name="options">What stands before it.</param>
    /// <param name="name">What the caller's caller calls it.</param>
    internal CallTexts(ReadOnlySpan<char> text, EmbedOptions options, string name)
    {
        this.name = name;
        isSingle = true;
        Count = 1;
        numbers = ArrayPool<long>.Shared.Rent(6);
        utf8 = ArrayPool<byte>.Shared.Rent(256);
        try
        {
            PromptAt = Put(ref utf8, 0, text, LookupFfn.Utf8.SizeOf(text, name), name);
            numbers[0] = PromptAt;
            int end = Put(ref utf8, PromptAt, options.PromptArgument ?? "", "prompt");
            QueryAt = Put(ref utf8, end, "\0", "");
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

    /// <summary>Throws the exception for a status, with the names that the caller knows.</summary>
    internal void Check(Listener? listener, int status, CancellationToken cancellationToken)
    {
        try
        {
            Listener.Check(listener, status, cancellationToken);
        }
        catch (ArgumentException bad) when (status != Raw.OK)
        {
            throw Named(bad);
        }
    }

    /// <summary>The native library calls a text by its place; the caller knows it by the parameter's name.</summary>
    private ArgumentException Named(ArgumentException failure)
    {
        if (failure.Message.StartsWith("the model has no prompt ", StringComparison.Ordinal))
        {
            string setting = nameof(EmbedOptions.Prompt);
            return new ArgumentException(failure.Message, setting);
        }

        foreach ((string begin, char close) in new[] { ("texts[", ']'), ("document ", ':') })
        {
            int end = failure.Message.IndexOf(close, StringComparison.Ordinal);
            if (end > 0 && failure.Message.StartsWith(begin, StringComparison.Ordinal))
            {
                string place = isSingle ? "" : $"[{failure.Message[begin.Length..end]}]";
                return new ArgumentException(name + place + failure.Message[(close == ']' ? end + 1 : end)..], name);
            }
        }

        return failure;
    }

    /// <summary>Refuses a text that is longer than the options allow; if statuses are wanted, only that text
    /// fails.</summary>
    internal void Refuse(int text, string why)
    {
        if (tooLong is null)
        {
            throw new ArgumentException($"{LookupFfn.Utf8.Told(name, isSingle ? null : text)}: {why}", name);
        }

        // What is not UTF-8 is refused, and runs nothing.
        tooLong[text] = why;
        utf8[(int)(numbers[text] - Bytes(text).Length)] = 0xff;
    }

    /// <summary>Why a text is too long; null for one that is not.</summary>
    internal string? TooLong(int text) => tooLong?.GetValueOrDefault(text);

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

    private static int Put(ref byte[] memory, int at, string? text, string name, int? place = null) =>
        Put(ref memory, at, text, LookupFfn.Utf8.SizeOf(text, name, place), name);

    private static int Put(ref byte[] memory, int at, ReadOnlySpan<char> text, int size, string name)
    {
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

        return at + LookupFfn.Utf8.Put(text, memory.AsSpan(at));
    }
}
