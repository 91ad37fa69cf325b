// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>A tokenizer without a model. It never changes, and any number of threads may use one at once.
/// <see cref="Dispose"/> gives its memory back once the calls in flight have ended.</summary>
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
        if (status != Raw.STATUS_OK)
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

    /// <summary>Loads a tokenizer.</summary>
    /// <param name="path">A folder with a tokenizer's files, a file that <see cref="Model.Save"/> wrote, or a
    /// tokenizer.json.</param>
    /// <param name="options">How; null for the defaults. Runtime and progress matter.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The tokenizer.</returns>
    /// <exception cref="LookupFfnException">It cannot be read, or is not a valid tokenizer.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Tokenizer Load(string path, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        LoadCall.Load(
            path,
            Made,
            (name, call) => Raw.TokenizerLoad(
                name, call.Numbers, call.Runtime, call.Cancel, call.Progress, call.User, call.Out),
            options,
            cancellationToken);

    /// <summary>Loads a tokenizer from the files of such a folder, held in memory.</summary>
    /// <param name="files">The bytes of each under its name, such as "tokenizer.json"; others than a tokenizer's are
    /// ignored. Not needed any more when the call returns.</param>
    /// <param name="options">As above.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The tokenizer.</returns>
    /// <exception cref="LookupFfnException">The files are not a valid tokenizer.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Tokenizer Load(
        IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default) =>
        LoadCall.Load(files, Made, LoadFiles, options, cancellationToken);

    /// <summary>Loads a tokenizer from the files of a folder that streams read.</summary>
    /// <param name="files">A stream for each under its name in the folder, as above. They are read in the thread of the call,
    /// from any position, and stay open.</param>
    /// <param name="options">Likewise.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The tokenizer.</returns>
    /// <exception cref="ArgumentException">One of them cannot be read from any position.</exception>
    /// <exception cref="LookupFfnException">As for files in memory. What a stream throws comes out as it is.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Tokenizer Load(
        IReadOnlyDictionary<string, Stream> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default) =>
        LoadCall.Load(files, Made, LoadFiles, options, cancellationToken);

    private static int LoadFiles(PinnedFiles given, LoadCall call) => Raw.TokenizerLoadFiles(
        given.Names,
        given.Contents,
        given.Sizes,
        given.Count,
        PinnedFiles.Read,
        given.Readers,
        call.Numbers,
        call.Runtime,
        call.Cancel,
        call.Progress,
        call.User,
        call.Out);

    /// <summary>Turns a text into token ids.</summary>
    /// <param name="text">A text.</param>
    /// <param name="special">Whether to put the special tokens around it.</param>
    /// <param name="maxTokens">Where it is cut, special tokens counted; 0 for <see cref="TokenizerInfo.OwnMaxTokens"/>; null
    /// for nowhere.</param>
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
        byte[] utf8 = Utf8.Of(text);
        return TokenRoom.Spans(
            utf8,
            (ids, begins, ends) =>
                Encode(utf8, null, special, maxTokens, ids, null, begins, ends, null, cancellationToken));
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
                        int flags = skipSpecial ? Raw.DETOKENIZE_SKIP_SPECIAL : 0;
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
        if (status != Raw.STATUS_OK)
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
                            special ? Raw.TOKENIZE_SPECIAL : 0,
                            maxTokens ?? Raw.MAX_TOKENS_NEVER,
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
}

/// <summary>A native tokenizer.</summary>
internal sealed class TokenizerHandle(IntPtr tokenizer) : NativeHandle(tokenizer, typeof(Tokenizer))
{
    private protected override void Free(IntPtr native) => Raw.TokenizerFree(native);
}
