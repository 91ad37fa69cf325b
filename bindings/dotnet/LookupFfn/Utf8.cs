// SPDX-License-Identifier: Apache-2.0
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
    /// <param name="text">A text that may be none.</param>
    /// <param name="name">What the caller calls it, or the list that it is in.</param>
    /// <param name="place">Its place in that list.</param>
    /// <exception cref="ArgumentException">It is null, or has half of a surrogate pair; its name and place are
    /// told.</exception>
    internal static int SizeOf(string? text, string name, int? place = null)
    {
        string? problem = Problem(text, out int size);
        return problem is null ? size
            : text is not null ? throw new ArgumentException($"{Told(name, place)}: {problem}", name)
            : throw (place is null ? new ArgumentNullException(name) : new ArgumentNullException(name, $"{Told(name, place)} is null"));
    }

    /// <summary>Why a text cannot be read; null for one that can, of which the size is told.</summary>
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

    private static string Told(string name, int? place) =>
        place is null ? name : string.Create(CultureInfo.InvariantCulture, $"{name}[{place}]");

    internal static int Put(string text, Span<byte> memory) => Strict.GetBytes(text, memory);

    /// <summary>What is not UTF-8 becomes replacement characters.</summary>
    internal static string Text(ReadOnlySpan<byte> utf8) => Encoding.UTF8.GetString(utf8);

    /// <summary>Turns ascending places in bytes into places in chars. A place inside of a character, as tokens of
    /// single bytes have it, becomes that of the character's first char, or with <paramref name="up"/> the one behind
    /// its last.</summary>
    internal static int[] CharsOf(ReadOnlySpan<byte> utf8, ReadOnlySpan<long> places, bool up)
    {
        int[] chars = new int[places.Length];
        int at = 0;
        int character = 0;
        for (int i = 0; i < places.Length; i++)
        {
            // Spans follow each other, but a special token may lie anywhere.
            if (places[i] < at)
            {
                at = 0;
                character = 0;
            }

            while (at < places[i])
            {
                int length = LengthOf(utf8[at]);
                if (at + length > places[i] && !up)
                {
                    break;
                }

                character += length == 4 ? 2 : 1;
                at += length;
            }

            chars[i] = character;
        }

        return chars;
    }

    private static int LengthOf(byte first) => first switch
    {
        < 0x80 => 1,
        < 0xe0 => 2,
        < 0xf0 => 3,
        _ => 4,
    };
}
