// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Tokenizer
{
    /// <summary>Turns texts into token ids, on several threads.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="special">Whether to put the special tokens around each.</param>
    /// <param name="maxTokens">Where each is cut, special tokens counted; null for nowhere.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>The ids of each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int[][] Tokenize(
        IReadOnlyList<string> texts,
        bool special = true,
        int? maxTokens = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        using CallTexts given = new(null, texts, null, EmbedOptions.Default, nameof(texts));
        using NativeResult result = new();
        EncodeInto(result, given, special ? 0 : Raw.ENCODE_SKIP_SPECIAL, maxTokens, cancellationToken);
        int[][] found = new int[given.Count][];
        for (int i = 0; i < found.Length; i++)
        {
            long first = given.Offsets[i];
            found[i] = result.Row<int>(Raw.OUT_TOKEN_IDS, first, (int)(given.Offsets[i + 1] - first)).ToArray();
        }

        return found;
    }

    /// <summary>Turns texts into tokens, on several threads, and tells where in its text each lies.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="special">Whether to put the special tokens around each.</param>
    /// <param name="maxTokens">As above.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>The tokens of each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public TokenSpan[][] TokenizeSpans(
        IReadOnlyList<string> texts,
        bool special = true,
        int? maxTokens = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        using CallTexts given = new(null, texts, null, EmbedOptions.Default, nameof(texts));
        using NativeResult result = new();
        int flags = Raw.ENCODE_SPANS | (special ? 0 : Raw.ENCODE_SKIP_SPECIAL);
        EncodeInto(result, given, flags, maxTokens, cancellationToken);
        TokenSpan[][] found = new TokenSpan[given.Count][];
        for (int i = 0; i < found.Length; i++)
        {
            found[i] = result.Tokens(given.Offsets[i], given.Offsets[i + 1], given.Bytes(i));
        }

        return found;
    }

    /// <summary>Turns sequences of token ids into texts.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="skipSpecial">Whether to leave special tokens out.</param>
    /// <returns>The text of each; bytes that are not UTF-8 become replacement characters.</returns>
    /// <exception cref="ArgumentException">An id is outside of the vocabulary.</exception>
    public string[] DetokenizeAll(IReadOnlyList<int[]> sequences, bool skipSpecial = true)
    {
        ArgumentNullException.ThrowIfNull(sequences);
        int[][] all = [.. sequences];
        long[] offsets = new long[all.Length + 1];
        for (int i = 0; i < all.Length; i++)
        {
            if (all[i] is null)
            {
                throw new ArgumentNullException(nameof(sequences), $"sequences[{i}] is null");
            }

            offsets[i + 1] = offsets[i] + all[i].Length;
        }

        int[] ids = new int[checked((int)offsets[^1])];
        for (int i = 0; i < all.Length; i++)
        {
            all[i].CopyTo(ids, offsets[i]);
        }

        using NativeResult result = new();
        IntPtr tokenizer = handle.Enter();
        try
        {
            fixed (int* id = ids)
            fixed (long* offset = offsets)
            {
                int flags = skipSpecial ? Raw.DECODE_SKIP_SPECIAL : 0;
                Check(Raw.TokenizerDecodeBatch(tokenizer, id, offset, all.Length, flags, result.Pointer));
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        ReadOnlySpan<long> ends = result.Array<long>(Raw.OUT_DECODED_OFFSETS, all.Length + 1);
        string[] found = new string[all.Length];
        for (int i = 0; i < found.Length; i++)
        {
            // Without the zero byte behind each.
            int size = checked((int)(ends[i + 1] - ends[i] - 1));
            found[i] = Utf8.Text(result.Row<byte>(Raw.OUT_DECODED, ends[i], size));
        }

        return found;
    }

    private void EncodeInto(
        in NativeResult result, in CallTexts texts, int flags, int? maxTokens, CancellationToken cancellationToken)
    {
        int cancel = 0;
        IntPtr tokenizer = handle.Enter();
        try
        {
            using (Native.Register(&cancel, cancellationToken))
            {
                fixed (byte* text = texts.Utf8)
                fixed (long* ends = texts.Ends)
                {
                    texts.Check(
                        null,
                        Raw.TokenizerEncodeTexts(
                            tokenizer,
                            text,
                            ends,
                            texts.Count,
                            flags,
                            Limit(maxTokens),
                            0,
                            result.Pointer,
                            &cancel),
                        cancellationToken);
                }
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        result.CopyOffsets(texts.Offsets);
    }
}
