// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>Room for what the native library makes of text and tokens, larger when it turns out to be too small. Each call
/// tells how much there is, and has written it if there was room.</summary>
internal static class TokenRoom
{
    /// <summary>Tokens are mostly longer than a byte, and a text may get one at each end.</summary>
    internal static int[] Ids(byte[] utf8, Func<int[], int> call)
    {
        int[] ids = new int[utf8.Length + 2];
        while (true)
        {
            int count = call(ids);
            if (count <= ids.Length)
            {
                return ids[..count];
            }

            ids = new int[count];
        }
    }

    internal static TokenSpan[] Spans(byte[] utf8, Func<int[], long[], long[], int> call)
    {
        int capacity = utf8.Length + 2;
        while (true)
        {
            int[] ids = new int[capacity];
            long[] begins = new long[capacity];
            long[] ends = new long[capacity];
            int count = call(ids, begins, ends);
            if (count <= capacity)
            {
                int[] from = Utf8.CharsOf(utf8, begins.AsSpan(0, count), up: false);
                int[] to = Utf8.CharsOf(utf8, ends.AsSpan(0, count), up: true);
                TokenSpan[] tokens = new TokenSpan[count];
                for (int i = 0; i < count; i++)
                {
                    tokens[i] = new TokenSpan(ids[i], from[i], to[i]);
                }

                return tokens;
            }

            capacity = count;
        }
    }

    internal static string Text(int tokens, Func<byte[], int> call)
    {
        byte[] utf8 = new byte[(int)Math.Min(Array.MaxLength, (8L * tokens) + 64)];
        while (true)
        {
            int count = call(utf8);
            if (count <= utf8.Length)
            {
                return Utf8.Text(utf8.AsSpan(0, count));
            }

            utf8 = new byte[count];
        }
    }
}
