// SPDX-License-Identifier: Apache-2.0
using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace LookupFfn;

public sealed unsafe partial class Model
{
    private static string Say(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private Activity? StartRun(int texts)
    {
        Activity? activity = LookupFfnDiagnostics.Source.StartActivity("lookupffn.run");
        activity?.SetTag("lookupffn.model", Name);
        activity?.SetTag("lookupffn.texts", texts);
        return activity;
    }

    /// <summary>A new row for a sequence.</summary>
    private float[] Row(
        int[] ids,
        int output,
        long[] positions,
        EmbedOptions? options,
        CancellationToken cancellationToken,
        [CallerArgumentExpression(nameof(ids))] string name = "")
    {
        ArgumentNullException.ThrowIfNull(ids, name);
        return Rows([ids], output, positions, options, cancellationToken, name)[0];
    }

    /// <summary>A new row for a text.</summary>
    private float[] Row(
        string text,
        int output,
        EmbedOptions? options,
        CancellationToken cancellationToken,
        [CallerArgumentExpression(nameof(text))] string name = "")
    {
        ArgumentNullException.ThrowIfNull(text, name);
        return Rows(text, [], null, output, options ?? EmbedOptions.Default, name, cancellationToken)[0];
    }

    /// <summary>A new row for each sequence, or for each position.</summary>
    private float[][] Rows(
        IReadOnlyList<int[]> given,
        int output,
        long[] positions,
        EmbedOptions? givenOptions,
        CancellationToken cancellationToken,
        [CallerArgumentExpression(nameof(given))] string name = "")
    {
        ArgumentNullException.ThrowIfNull(given, name);
        EmbedOptions options = givenOptions ?? EmbedOptions.Default;
        NeedFor(output);

        // A copy: another thread may put other sequences in their places.
        int[][] sequences = [.. given];
        long[] offsets = new long[sequences.Length + 1];
        for (int i = 0; i < sequences.Length; i++)
        {
            if (sequences[i] is null)
            {
                throw new ArgumentNullException(name, Say($"{name}[{i}] is null"));
            }

            offsets[i + 1] = offsets[i] + sequences[i].Length;
        }

        if (offsets[^1] >= Array.MaxLength)
        {
            throw new ArgumentException(Say($"{offsets[^1]} tokens are too many for one call"), name);
        }

        int[] ids = ArrayPool<int>.Shared.Rent((int)offsets[^1]);
        try
        {
            for (int i = 0; i < sequences.Length; i++)
            {
                sequences[i].CopyTo(ids, offsets[i]);
            }

            // If there is no such head, the call below reports it.
            bool perPosition = output == Raw.OUT_LOGITS;
            int rows = perPosition ? positions.Length : sequences.Length;
            long size = perPosition ? (info.HasLmHead ? (long)rows * info.VocabSize : 0) : SizeOf(offsets, output, options);
            float[] values = GC.AllocateUninitializedArray<float>(Whole(size));
            RunIds(ids.AsSpan(0, (int)offsets[^1]), offsets, output, positions, options, values, name, cancellationToken);
            return output == Raw.OUT_HIDDEN ? Split(values, offsets) : Split(values, rows);
        }
        finally
        {
            ArrayPool<int>.Shared.Return(ids);
        }
    }

    /// <summary>A new row for each text. With a query each text is the second of a pair.</summary>
    private float[][] Rows(
        IReadOnlyList<string?> given,
        string? query,
        int output,
        EmbedOptions? options,
        CancellationToken cancellationToken,
        [CallerArgumentExpression(nameof(given))] string name = "")
    {
        ArgumentNullException.ThrowIfNull(given, name);
        return Rows(null, given, query, output, options ?? EmbedOptions.Default, name, cancellationToken);
    }

    private float[][] Rows(
        string? single,
        IReadOnlyList<string?> given,
        string? query,
        int output,
        EmbedOptions options,
        string name,
        CancellationToken cancellationToken)
    {
        NeedFor(output);
        using CallTexts texts = new(single, given, query, options, name);
        IntPtr model = handle.Enter();
        try
        {
            if (output == Raw.OUT_HIDDEN)
            {
                RunTexts(model, texts, query is not null, output, options, [], onlyCount: true, cancellationToken);
            }

            float[] values = GC.AllocateUninitializedArray<float>(Whole(SizeOf(texts.Offsets, output, options)));
            RunTexts(model, texts, query is not null, output, options, values, onlyCount: false, cancellationToken);
            return output == Raw.OUT_HIDDEN ? Split(values, texts.Offsets) : Split(values, texts.Count);
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    /// <summary>Writes into the caller's memory, and returns how many floats.</summary>
    private int Into(
        ReadOnlySpan<int> ids, int output, Span<float> values, EmbedOptions? given, CancellationToken cancellationToken)
    {
        EmbedOptions options = given ?? EmbedOptions.Default;
        NeedFor(output);
        ReadOnlySpan<long> offsets = stackalloc long[2] { 0, ids.Length };
        int needed = Fitting(SizeOf(offsets, output, options), values);
        RunIds(ids, offsets, output, [], options, values[..needed], nameof(ids), cancellationToken);
        return needed;
    }

    private int Into(
        string? single,
        IReadOnlyList<string?> given,
        int output,
        Span<float> values,
        EmbedOptions? givenOptions,
        string name,
        CancellationToken cancellationToken)
    {
        EmbedOptions options = givenOptions ?? EmbedOptions.Default;
        NeedFor(output);
        using CallTexts texts = new(single, given, null, options, name);
        IntPtr model = handle.Enter();
        try
        {
            if (output == Raw.OUT_HIDDEN)
            {
                RunTexts(model, texts, false, output, options, [], onlyCount: true, cancellationToken);
            }

            int needed = Fitting(SizeOf(texts.Offsets, output, options), values);
            RunTexts(model, texts, false, output, options, values[..needed], onlyCount: false, cancellationToken);
            return needed;
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    /// <summary>How many floats the output has. Offsets matter to hidden states only, but for their number.</summary>
    private long SizeOf(ReadOnlySpan<long> offsets, int output, EmbedOptions options) => output switch
    {
        Raw.OUT_HIDDEN => offsets[^1] * info.HiddenSize,
        Raw.OUT_CLASS_SCORES => (offsets.Length - 1L) * info.NumClasses,
        _ => (offsets.Length - 1L)
            * options.WidthWithin(options.Pooling == Pooling.Model ? info.EmbeddingSize : info.HiddenSize),
    };

    private static int Whole(long floats) =>
        floats <= Array.MaxLength
            ? (int)floats
            : throw new ArgumentException(Say($"the result has {floats} floats, too many for an array"));

    private static int Fitting(long needed, ReadOnlySpan<float> output) =>
        needed <= output.Length
            ? (int)needed
            : throw new ArgumentException(Say($"output has {output.Length} elements, but {needed} are needed"), nameof(output));

    private float[][] Split(float[] values, ReadOnlySpan<long> offsets)
    {
        float[][] results = new float[offsets.Length - 1][];
        for (int i = 0; i < results.Length; i++)
        {
            int from = (int)(offsets[i] * info.HiddenSize);
            int to = (int)(offsets[i + 1] * info.HiddenSize);
            results[i] = results.Length == 1 ? values : values[from..to];
        }

        return results;
    }

    private static float[][] Split(float[] values, int rows)
    {
        float[][] results = new float[rows][];
        for (int i = 0; i < rows; i++)
        {
            int size = values.Length / rows;
            results[i] = rows == 1 ? values : values[(i * size)..((i + 1) * size)];
        }

        return results;
    }

    private void RunIds(
        ReadOnlySpan<int> ids,
        ReadOnlySpan<long> offsets,
        int output,
        ReadOnlySpan<long> positions,
        EmbedOptions options,
        Span<float> values,
        string name,
        CancellationToken cancellationToken)
    {
        // A pointer to nothing is null, which says that an output is not wanted.
        float none = 0;
        int cancel = 0;
        long since = LookupFfnDiagnostics.Begin();
        using Activity? activity = StartRun(offsets.Length - 1);
        using Listener? listener = Listener.Of(options.Progress, &cancel);
        int* run = stackalloc int[Raw.RUN_OPTION_COUNT];
        options.WriteTo(new Span<int>(run, Raw.RUN_OPTION_COUNT));
        IntPtr model = handle.Enter();
        try
        {
            using (Native.Register(&cancel, cancellationToken))
            {
                fixed (int* id = ids)
                fixed (long* offset = offsets, position = positions)
                fixed (float* value = values)
                {
                    int status = Raw.ModelRun(
                        model,
                        id,
                        offset,
                        offsets.Length - 1,
                        output,
                        position,
                        positions.Length,
                        run,
                        value == null ? &none : value,
                        values.Length,
                        &cancel,
                        Listener.OfRunning(listener),
                        Listener.User(listener));
                    try
                    {
                        Listener.Check(listener, status, cancellationToken);
                    }
                    catch (ArgumentException bad) when (status != Raw.OK)
                    {
                        throw NamedIds(bad, offsets, name);
                    }
                }
            }

            LookupFfnDiagnostics.Ran(Name, since);
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    /// <summary>The native library counts the ids of all sequences; the caller has them in sequences.</summary>
    private static ArgumentException NamedIds(ArgumentException bad, ReadOnlySpan<long> offsets, string name)
    {
        const string Begin = "ids[";
        const string Whole = "sequence ";
        if (bad.Message.StartsWith(Whole, StringComparison.Ordinal))
        {
            int blank = bad.Message.IndexOf(' ', Whole.Length);
            string place = name == "ids" ? name : $"{name}[{bad.Message[Whole.Length..blank]}]";
            return new ArgumentException(place + bad.Message[blank..], name);
        }

        int end = bad.Message.IndexOf(']', StringComparison.Ordinal);
        if (!bad.Message.StartsWith(Begin, StringComparison.Ordinal)
            || !long.TryParse(bad.Message.AsSpan(Begin.Length..end), NumberStyles.None, CultureInfo.InvariantCulture, out long at))
        {
            return bad;
        }

        if (name == "ids")
        {
            return new ArgumentException(bad.Message, name);
        }

        int sequence = 0;
        while (offsets[sequence + 1] <= at)
        {
            sequence++;
        }

        return new ArgumentException(Say($"{name}[{sequence}][{at - offsets[sequence]}]{bad.Message[(end + 1)..]}"), name);
    }

    /// <summary>In a handle that was entered.</summary>
    private void RunTexts(
        IntPtr model,
        in CallTexts texts,
        bool paired,
        int output,
        EmbedOptions options,
        Span<float> values,
        bool onlyCount,
        CancellationToken cancellationToken)
    {
        if (options.WindowMeans)
        {
            RunMeans(texts, paired, output, options, values, cancellationToken);
            return;
        }

        RefuseLong(model, texts, paired, options, cancellationToken);
        float none = 0;
        int cancel = 0;
        long since = onlyCount ? 0 : LookupFfnDiagnostics.Begin();
        using Activity? activity = onlyCount ? null : StartRun(texts.Count);
        using Listener? listener = Listener.Of(onlyCount ? null : options.Progress, &cancel);
        int* run = stackalloc int[Raw.RUN_OPTION_COUNT];
        options.WriteTo(new Span<int>(run, Raw.RUN_OPTION_COUNT));
        using NativeResult result = options.Statuses is null ? default : new NativeResult();
        using (Native.Register(&cancel, cancellationToken))
        {
            fixed (byte* text = texts.Utf8)
            fixed (long* ends = texts.Ends, offsets = texts.Offsets, uncut = texts.Uncut)
            fixed (float* value = values)
            {
                int status = Raw.ModelRunTexts(
                    model,
                    text,
                    ends,
                    texts.Count,
                    paired ? text + texts.QueryAt : null,
                    texts.QuerySize,
                    output,
                    run,
                    LimitOf(options),
                    text + texts.PromptAt,
                    onlyCount ? null : value == null ? &none : value,
                    values.Length,
                    offsets,
                    uncut,
                    result.Pointer,
                    &cancel,
                    Listener.OfRunning(listener),
                    Listener.User(listener));
                texts.Check(listener, status, cancellationToken);
            }
        }

        if (!onlyCount)
        {
            LookupFfnDiagnostics.Ran(Name, since, texts);
            options.Counts?.Fill(texts);
            options.Statuses?.Fill(result.Pointer, texts);
        }
    }
}
