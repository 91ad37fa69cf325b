// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Tokenizer
{
    /// <summary>Turns texts into token ids, on several threads.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="special">Whether to put the special tokens around each.</param>
    /// <param name="maxTokens">Where each is cut, special tokens counted; 0 for
    /// <see cref="TokenizerInfo.OwnMaxTokens"/>; null for nowhere.</param>
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
        EncodeInto(result, given, special ? Raw.TOKENIZE_SPECIAL : 0, maxTokens, cancellationToken);
        int[][] found = new int[given.Count][];
        for (int i = 0; i < found.Length; i++)
        {
            long first = given.Offsets[i];
            found[i] = result.Row<int>(Raw.RESULT_IDS, first, (int)(given.Offsets[i + 1] - first)).ToArray();
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
        int flags = Raw.TOKENIZE_SPANS | (special ? Raw.TOKENIZE_SPECIAL : 0);
        EncodeInto(result, given, flags, maxTokens, cancellationToken);
        TokenSpan[][] found = new TokenSpan[given.Count][];
        for (int i = 0; i < found.Length; i++)
        {
            found[i] = result.Tokens(given.Offsets[i], given.Offsets[i + 1], given.Bytes(i));
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
                    Check(
                        Raw.TokenizerEncodeTexts(
                            tokenizer,
                            text,
                            ends,
                            texts.Count,
                            flags,
                            maxTokens ?? Raw.MAX_TOKENS_NEVER,
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
