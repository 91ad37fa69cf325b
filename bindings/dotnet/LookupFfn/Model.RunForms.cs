// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    private EmbeddedWindow[][] WindowsOf(
        string? single, IReadOnlyList<string?> given, EmbedOptions? asked, string name, CancellationToken cancellationToken)
    {
        EmbedOptions options = asked ?? EmbedOptions.Default;
        using CallTexts texts = new(single, given, null, options, name);
        using NativeResult result = new();
        RunInto(result, texts, options, Raw.WANT_EMBEDDINGS | Raw.WANT_SPANS, Raw.WINDOWS_EACH, cancellationToken);
        ReadOnlySpan<long> firsts = result.Array<long>(Raw.OUT_WINDOW_OFFSETS, texts.Count + 1);
        ReadOnlySpan<int> statuses =
            options.Statuses is null ? default : result.Array<int>(Raw.OUT_STATUSES, texts.Count);
        int size = result.Size(Raw.RESULT_SIZE_EMBEDDING);
        EmbeddedWindow[][] found = new EmbeddedWindow[texts.Count][];
        for (int i = 0; i < found.Length; i++)
        {
            int first = (int)firsts[i];
            int count = statuses.IsEmpty || statuses[i] == Raw.OK ? (int)firsts[i + 1] - first : 0;
            int[] from = Utf8.CharsOf(texts.Bytes(i), result.Row<long>(Raw.OUT_TEXT_BEGINS, first, count), up: false);
            int[] to = Utf8.CharsOf(texts.Bytes(i), result.Row<long>(Raw.OUT_TEXT_ENDS, first, count), up: true);
            string text = Utf8.Text(texts.Bytes(i));
            found[i] = new EmbeddedWindow[count];
            for (int window = 0; window < count; window++)
            {
                long at = (long)(first + window) * size;
                found[i][window] = new EmbeddedWindow(
                    from[window],
                    to[window],
                    text[from[window]..to[window]],
                    result.Row<float>(Raw.OUT_EMBEDDINGS, at, size).ToArray());
            }
        }

        return found;
    }

    private Int8Embedding[] Int8Of(
        string? single, IReadOnlyList<string?> given, EmbedOptions? asked, string name, CancellationToken cancellationToken)
    {
        EmbedOptions options = asked ?? EmbedOptions.Default;
        using CallTexts texts = new(single, given, null, options, name);
        using NativeResult result = new();
        RunInto(result, texts, options, Raw.WANT_INT8_EMBEDDINGS, options.Windows, cancellationToken);
        int size = result.Size(Raw.RESULT_SIZE_EMBEDDING);
        ReadOnlySpan<float> scales = result.Array<float>(Raw.OUT_EMBEDDING_SCALES, texts.Count);
        Int8Embedding[] found = new Int8Embedding[texts.Count];
        for (int i = 0; i < found.Length; i++)
        {
            found[i] = new Int8Embedding(
                result.Row<sbyte>(Raw.OUT_INT8_EMBEDDINGS, (long)i * size, size).ToArray(), scales[i]);
        }

        return found;
    }

    private byte[][] BitsOf(
        string? single, IReadOnlyList<string?> given, EmbedOptions? asked, string name, CancellationToken cancellationToken)
    {
        EmbedOptions options = asked ?? EmbedOptions.Default;
        using CallTexts texts = new(single, given, null, options, name);
        using NativeResult result = new();
        RunInto(result, texts, options, Raw.WANT_BIT_EMBEDDINGS, options.Windows, cancellationToken);
        int size = (result.Size(Raw.RESULT_SIZE_EMBEDDING) + 7) / 8;
        byte[][] found = new byte[texts.Count][];
        for (int i = 0; i < found.Length; i++)
        {
            found[i] = result.Row<byte>(Raw.OUT_BIT_EMBEDDINGS, (long)i * size, size).ToArray();
        }

        return found;
    }

    private TokenVector[][] TokenVectorsOf(
        string? single, IReadOnlyList<string?> given, EmbedOptions? asked, string name, CancellationToken cancellationToken)
    {
        EmbedOptions options = asked ?? EmbedOptions.Default;
        using CallTexts texts = new(single, given, null, options, name);
        using NativeResult result = new();
        int wanted = Raw.WANT_TOKEN_VECTORS | Raw.WANT_IDS | Raw.WANT_SPANS;
        RunInto(result, texts, options, wanted, options.Windows, cancellationToken);
        int size = result.Size(Raw.RESULT_SIZE_TOKEN_VECTOR);
        TokenVector[][] found = new TokenVector[texts.Count][];
        ReadOnlySpan<long> vectors = result.Array<long>(Raw.OUT_VECTOR_OFFSETS, texts.Count + 1);
        ReadOnlySpan<long> places = result.Array<long>(Raw.OUT_VECTOR_TOKENS, Whole(vectors[^1]));
        for (int i = 0; i < found.Length; i++)
        {
            long first = texts.Offsets[i];
            TokenSpan[] tokens = result.Tokens(first, texts.Offsets[i + 1], texts.Bytes(i));
            ReadOnlySpan<sbyte> origins = result.Row<sbyte>(Raw.OUT_TOKEN_SOURCES, first, tokens.Length);
            found[i] = new TokenVector[(int)(vectors[i + 1] - vectors[i])];
            for (int j = 0; j < found[i].Length; j++)
            {
                // Some models leave out the vectors of some tokens.
                long at = vectors[i] + j;
                int token = (int)(places[(int)at] - first);
                float[] vector = result.Row<float>(Raw.OUT_TOKEN_VECTORS, at * size, size).ToArray();
                found[i][j] = new TokenVector(tokens[token], origins[token] == 0, vector);
            }
        }

        return found;
    }

    /// <summary>The number of windows is not known beforehand, so their means come by way of a result.</summary>
    private void RunMeans(
        in CallTexts texts,
        bool paired,
        int output,
        EmbedOptions options,
        Span<float> values,
        CancellationToken cancellationToken)
    {
        if (paired || output != Raw.OUT_EMBEDDINGS)
        {
            throw new ArgumentException("the options have WindowMeans, but only embeddings are means of windows");
        }

        using NativeResult result = new();
        RunInto(result, texts, options, Raw.WANT_EMBEDDINGS, Raw.WINDOWS_MEAN, cancellationToken);
        result.Array<float>(Raw.OUT_EMBEDDINGS, values.Length).CopyTo(values);
    }

    /// <summary>Makes WANT_ values or-ed together, and what the options ask to be told.</summary>
    private void RunInto(
        in NativeResult result,
        in CallTexts texts,
        EmbedOptions options,
        int wanted,
        int windows,
        CancellationToken cancellationToken)
    {
        int cancel = 0;
        long since = LookupFfnDiagnostics.Begin();
        using System.Diagnostics.Activity? activity = StartRun(texts.Count);
        using Listener? listener = Listener.Of(options.Progress, &cancel);
        int* run = stackalloc int[Raw.RUN_OPTION_COUNT];
        options.WriteTo(new Span<int>(run, Raw.RUN_OPTION_COUNT), windows);
        wanted |= options.Counts is null ? 0 : Raw.WANT_UNCUT;
        wanted |= options.Statuses is null ? 0 : Raw.WANT_STATUSES;
        IntPtr model = handle.Enter();
        try
        {
            RefuseLong(model, texts, paired: false, options, cancellationToken);
            using (Native.Register(&cancel, cancellationToken))
            {
                fixed (byte* text = texts.Utf8)
                fixed (long* ends = texts.Ends)
                {
                    texts.Check(
                        listener,
                        Raw.ModelRunIntoResult(
                            model,
                            text,
                            ends,
                            texts.Count,
                            run,
                            LimitOf(options),
                            text + texts.PromptAt,
                            wanted,
                            result.Pointer,
                            &cancel,
                            Listener.OfRunning(listener),
                            Listener.User(listener)),
                        cancellationToken);
                }
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        LookupFfnDiagnostics.Ran(Name, since);
        result.CopyOffsets(texts.Offsets);
        if (options.Counts is not null)
        {
            result.Array<long>(Raw.OUT_UNCUT_LENGTHS, texts.Count).CopyTo(texts.Uncut);
            options.Counts.Fill(texts);
        }

        options.Statuses?.Fill(result.Pointer, texts);
    }
}
