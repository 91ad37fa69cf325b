// SPDX-License-Identifier: Apache-2.0
using System.Text;

namespace LookupFfn;

/// <summary>Text as the native library wants it.</summary>
internal static class Utf8
{
    /// <summary>Refuses halves of surrogate pairs.</summary>
    private static readonly UTF8Encoding Strict = new(false, throwOnInvalidBytes: true);

    internal static byte[] ZeroTerminated(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        if (path.Contains('\0', StringComparison.Ordinal))
        {
            throw new ArgumentException("the path contains a zero character", nameof(path));
        }

        return Strict.GetBytes(path + '\0');
    }

    internal static byte[] Of(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return Strict.GetBytes(text);
    }

    internal static int SizeOf(string text) => Strict.GetByteCount(text);

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
