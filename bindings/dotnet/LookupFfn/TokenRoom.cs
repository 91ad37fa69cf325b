// SPDX-License-Identifier: Apache-2.0
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>Room for what the native library makes of text and tokens; it grows if it turns out to be too small. Each
/// call tells how much room is needed, and has written its output if there was enough.</summary>
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

    /// <summary>Reads a text and has room for so many tokens; tells how many there are.</summary>
    internal unsafe delegate int SpansCall(byte* text, int size, int* ids, long* begins, long* ends, int capacity);

    /// <summary>All but the result is in native memory, as a long text would take a lot of the managed one.</summary>
    internal static unsafe TokenSpan[] Spans(string text, string name, SpansCall call)
    {
        int size = Utf8.SizeOf(text, name);
        byte* utf8 = (byte*)NativeMemory.Alloc((nuint)size + 1);
        long* room = null;
        try
        {
            Utf8.Put(text, new Span<byte>(utf8, size));
            for (int capacity = (size / 3) + 16; ;)
            {
                room = (long*)NativeMemory.Alloc((nuint)capacity, (2 * sizeof(long)) + sizeof(int));
                long* ends = room + capacity;
                int* ids = (int*)(ends + capacity);
                int count = call(utf8, size, ids, room, ends, capacity);
                if (count <= capacity)
                {
                    return Utf8.Spans(new(utf8, size), new(ids, count), new(room, count), new(ends, count));
                }

                capacity = count;
                NativeMemory.Free(room);
                room = null;
            }
        }
        finally
        {
            NativeMemory.Free(room);
            NativeMemory.Free(utf8);
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
