// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>A tokenizer without a model. It never changes, and any number of threads may use one at once.
/// <see cref="Dispose"/> gives its memory back once the calls in flight have ended.</summary>
/// <example><code>using Tokenizer tokenizer = Tokenizer.Load("my-model");
/// int[] ids = tokenizer.Tokenize("A sentence.");
/// string back = tokenizer.Detokenize(ids);</code></example>
public sealed unsafe partial class Tokenizer : IDisposable
{
    private static readonly Loaded<Tokenizer> Made =
        new(Raw.TokenizerFree, call => new Tokenizer(*call.Out, call.Log));

    private readonly TokenizerHandle handle;

    /// <summary>Takes the native tokenizer over, also when this fails.</summary>
    internal Tokenizer(IntPtr tokenizer, RuntimeLog? log)
    {
        handle = new TokenizerHandle(tokenizer) { Log = log };
        long* numbers = stackalloc long[Raw.TOKENIZER_COUNT];
        int status = Raw.TokenizerInfo(tokenizer, numbers);
        if (status != Raw.OK)
        {
            Exception failure = Native.Failure(status);
            handle.Dispose();
            throw failure;
        }

        Info = new TokenizerInfo(new ReadOnlySpan<long>(numbers, Raw.TOKENIZER_COUNT));
    }

    /// <summary>What the tokenizer is.</summary>
    public TokenizerInfo Info { get; }

    /// <summary>Whether <see cref="Dispose"/> was called.</summary>
    public bool IsDisposed => handle.IsDisposed;

    /// <summary>Turns a text into token ids.</summary>
    /// <param name="text">A text.</param>
    /// <param name="special">Whether to put the special tokens around it.</param>
    /// <param name="maxTokens">Where it is cut, special tokens counted; null for nowhere.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>Its ids.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int[] Tokenize(
        string text, bool special = true, int? maxTokens = null, CancellationToken cancellationToken = default)
    {
        byte[] utf8 = Utf8.Of(text);
        return TokenRoom.Ids(
            utf8, ids => Encode(utf8, null, special, maxTokens, ids, null, null, null, null, cancellationToken));
    }

    /// <summary>Turns a text into tokens, and tells where in it each lies.</summary>
    /// <param name="text">A text.</param>
    /// <param name="special">Whether to put the special tokens around it.</param>
    /// <param name="maxTokens">As above.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>Its tokens.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public TokenSpan[] TokenizeSpans(
        string text, bool special = true, int? maxTokens = null, CancellationToken cancellationToken = default)
    {
        return TokenRoom.Spans(
            text,
            nameof(text),
            (utf8, size, ids, begins, ends, capacity) =>
                Encode(utf8, size, special, maxTokens, ids, begins, ends, capacity, cancellationToken));
    }

    /// <summary>Turns a pair of texts into tokens, with the special tokens around and between them.</summary>
    /// <param name="text">The first text.</param>
    /// <param name="pair">The second one.</param>
    /// <param name="maxTokens">As above; the longer text is cut first.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>Its tokens.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public TokenizedPair TokenizePair(
        string text, string pair, int? maxTokens = null, CancellationToken cancellationToken = default)
    {
        byte[] utf8 = Utf8.Of(text);
        byte[] second = Utf8.Of(pair);
        int room = utf8.Length + second.Length + 4;
        while (true)
        {
            int[] ids = new int[room];
            int[] types = new int[room];
            long[] uncut = new long[1];
            int count = Encode(utf8, second, true, maxTokens, ids, types, null, null, uncut, cancellationToken);
            if (count <= room)
            {
                return new TokenizedPair(ids[..count], types[..count], uncut[0]);
            }

            room = count;
        }
    }

    /// <summary>How many tokens a text has.</summary>
    /// <param name="text">A text.</param>
    /// <param name="special">Whether to count the special tokens around it.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int Count(string text, bool special = true, CancellationToken cancellationToken = default) =>
        Encode(Utf8.Of(text), null, special, null, null, null, null, null, null, cancellationToken);

    /// <summary>How many tokens a part of a text has.</summary>
    /// <param name="text">The part.</param>
    /// <param name="special">Whether to count the special tokens around it.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int Count(ReadOnlySpan<char> text, bool special = true, CancellationToken cancellationToken = default)
    {
        byte[] utf8 = new byte[Utf8.SizeOf(text, nameof(text))];
        Utf8.Put(text, utf8);
        return Encode(utf8, null, special, null, null, null, null, null, null, cancellationToken);
    }

    /// <summary>Turns token ids into text.</summary>
    /// <param name="ids">The ids.</param>
    /// <param name="skipSpecial">Whether to leave special tokens out.</param>
    /// <returns>The text; bytes that are not UTF-8 become replacement characters.</returns>
    /// <exception cref="ArgumentException">An id is outside of the vocabulary.</exception>
    public string Detokenize(ReadOnlySpan<int> ids, bool skipSpecial = true)
    {
        nuint length = (nuint)ids.Length;
        IntPtr tokenizer = handle.Enter();
        try
        {
            fixed (int* given = ids)
            {
                int* id = given;
                return TokenRoom.Text(ids.Length, utf8 =>
                {
                    nuint count = 0;
                    fixed (byte* text = utf8)
                    {
                        int flags = skipSpecial ? Raw.DECODE_SKIP_SPECIAL : 0;
                        Check(Raw.TokenizerDecode(tokenizer, id, length, flags, text, (nuint)utf8.Length, &count));
                    }

                    return checked((int)count);
                });
            }
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    /// <summary>Looks a token up, written as in the vocabulary, such as "##ing".</summary>
    /// <param name="token">The token.</param>
    /// <returns>Its id; null where there is none.</returns>
    public int? Find(string token)
    {
        byte[] utf8 = Utf8.Of(token);
        int id = -1;
        IntPtr tokenizer = handle.Enter();
        try
        {
            // An empty array is pinned at null.
            fixed (byte* text = utf8.Length == 0 ? new byte[1] : utf8)
            {
                Check(Raw.TokenizerFind(tokenizer, text, (nuint)utf8.Length, &id));
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        return id < 0 ? null : id;
    }

    /// <summary>How the vocabulary writes a token.</summary>
    /// <param name="id">Its id.</param>
    /// <returns>The token; null for an id without one. Bytes that are not UTF-8 become replacement characters.</returns>
    /// <exception cref="ArgumentException">The id is outside of the vocabulary.</exception>
    public string? Token(int id)
    {
        IntPtr tokenizer = handle.Enter();
        try
        {
            byte* text = null;
            nuint size = 0;
            Check(Raw.TokenizerToken(tokenizer, id, &text, &size));
            return text is null ? null : Utf8.Text(new ReadOnlySpan<byte>(text, checked((int)size)));
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    /// <summary>Closes the tokenizer. Calls in flight end as usual, and the last of them frees the memory.</summary>
    public void Dispose() => handle.Dispose();

    /// <inheritdoc/>
    public override string ToString() => handle.IsDisposed ? "Tokenizer (disposed)" : $"Tokenizer: {Info}";

    private static void Check(int status, CancellationToken cancellationToken = default)
    {
        if (status != Raw.OK)
        {
            throw Native.Failure(status, cancellationToken);
        }
    }

    private int Encode(
        byte[] utf8,
        byte[]? pair,
        bool special,
        int? maxTokens,
        int[]? ids,
        int[]? types,
        long[]? begins,
        long[]? ends,
        long[]? uncut,
        CancellationToken cancellationToken)
    {
        byte none = 0;
        nuint count = 0;
        int cancel = 0;
        IntPtr tokenizer = handle.Enter();
        try
        {
            using (Native.Register(&cancel, cancellationToken))
            {
                fixed (byte* text = utf8, second = pair)
                fixed (int* id = ids, type = types)
                fixed (long* begin = begins, end = ends, whole = uncut)
                {
                    Check(
                        Raw.TokenizerEncode(
                            tokenizer,
                            text is null ? &none : text,
                            (nuint)utf8.Length,
                            pair is null ? null : second is null ? &none : second,
                            (nuint)(pair?.Length ?? 0),
                            special ? 0 : Raw.ENCODE_SKIP_SPECIAL,
                            Limit(maxTokens),
                            id,
                            type,
                            begin,
                            end,
                            (nuint)(ids?.Length ?? 0),
                            &count,
                            whole,
                            &cancel),
                        cancellationToken);
                }
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        return checked((int)count);
    }

    private int Encode(
        byte* text,
        int size,
        bool special,
        int? maxTokens,
        int* ids,
        long* begins,
        long* ends,
        int capacity,
        CancellationToken cancellationToken)
    {
        nuint count = 0;
        int cancel = 0;
        IntPtr tokenizer = handle.Enter();
        try
        {
            using (Native.Register(&cancel, cancellationToken))
            {
                Check(
                    Raw.TokenizerEncode(
                        tokenizer,
                        text,
                        (nuint)size,
                        null,
                        0,
                        special ? 0 : Raw.ENCODE_SKIP_SPECIAL,
                        Limit(maxTokens),
                        ids,
                        null,
                        begins,
                        ends,
                        (nuint)capacity,
                        &count,
                        null,
                        &cancel),
                    cancellationToken);
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        return checked((int)count);
    }

    private static long Limit(int? maxTokens)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxTokens ?? 1, nameof(maxTokens));
        return maxTokens ?? Raw.MAX_TOKENS_NEVER;
    }
}

/// <summary>A native tokenizer.</summary>
internal sealed class TokenizerHandle(IntPtr tokenizer) : NativeHandle(tokenizer, typeof(Tokenizer))
{
    private protected override void Free(IntPtr native) => Raw.TokenizerFree(native);
}
