// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>Native room for the results of one call.</summary>
internal readonly unsafe ref struct NativeResult
{
    private readonly IntPtr result;

    public NativeResult()
    {
        IntPtr made = IntPtr.Zero;
        int status = Raw.ResultCreate(&made);
        if (status != Raw.STATUS_OK)
        {
            throw Native.Failure(status);
        }

        result = made;
    }

    internal IntPtr Pointer => result;

    /// <summary>One of its arrays, a RESULT_ value, valid as long as this.</summary>
    internal ReadOnlySpan<T> Array<T>(int what, int count)
        where T : unmanaged => new(Raw.ResultArray(result, what), count);

    /// <summary>How much there is of something, a RESULT_SIZE_ value.</summary>
    internal int Size(int what) => checked((int)Raw.ResultSize(result, what));

    /// <summary>A part of one of its arrays.</summary>
    internal ReadOnlySpan<T> Row<T>(int what, long first, int count)
        where T : unmanaged => new((T*)Raw.ResultArray(result, what) + first, count);

    /// <summary>Where each text's tokens begin, and where the last ones end, though a text may be several
    /// windows.</summary>
    internal void CopyOffsets(Span<long> offsets)
    {
        long* tokens = (long*)Raw.ResultArray(result, Raw.RESULT_OFFSETS);
        long* windows = (long*)Raw.ResultArray(result, Raw.RESULT_TEXT_OFFSETS);
        for (int i = 0; i < offsets.Length; i++)
        {
            offsets[i] = tokens[windows is null ? i : windows[i]];
        }
    }

    /// <summary>The tokens of a text, where spans are told.</summary>
    internal TokenSpan[] Tokens(long first, long last, ReadOnlySpan<byte> utf8)
    {
        int count = checked((int)(last - first));
        ReadOnlySpan<int> ids = Row<int>(Raw.RESULT_IDS, first, count);
        int[] from = Utf8.CharsOf(utf8, Row<long>(Raw.RESULT_TOKEN_BEGINS, first, count), up: false);
        int[] to = Utf8.CharsOf(utf8, Row<long>(Raw.RESULT_TOKEN_ENDS, first, count), up: true);
        TokenSpan[] tokens = new TokenSpan[count];
        for (int i = 0; i < count; i++)
        {
            tokens[i] = new TokenSpan(ids[i], from[i], to[i]);
        }

        return tokens;
    }

    /// <summary>Nothing for one that was never made.</summary>
    public void Dispose() => Raw.ResultFree(result);
}
