// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>The names, places and the like in a text.</summary>
    /// <param name="text">A text.</param>
    /// <param name="aggregation">How tokens are joined.</param>
    /// <param name="maxTokens">How many tokens are read at most, special ones counted; null for as many as the model means to
    /// read.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Its entities, in the order of the text.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public NamedEntity[] Entities(
        string text,
        Aggregation aggregation = Aggregation.Simple,
        int? maxTokens = null,
        CancellationToken cancellationToken = default) =>
        Entities(text, new EntityOptions { Aggregation = aggregation, MaxTokens = maxTokens }, cancellationToken);

    /// <summary>The names, places and the like in texts.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="aggregation">How tokens are joined.</param>
    /// <param name="maxTokens">How many tokens of each are read at most, special ones counted; null for as many as the model
    /// means to read.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The entities of each, in the order of the text.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public NamedEntity[][] Entities(
        IReadOnlyList<string> texts,
        Aggregation aggregation = Aggregation.Simple,
        int? maxTokens = null,
        CancellationToken cancellationToken = default) =>
        Entities(texts, new EntityOptions { Aggregation = aggregation, MaxTokens = maxTokens }, cancellationToken);

    /// <summary>The names, places and the like in a text.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How, and who is told how much of the text was read.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Its entities, in the order of the text.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <example><code>TextCounts counts = new();
    /// NamedEntity[] found = model.Entities(text, new EntityOptions { Counts = counts });
    /// bool readWhole = !counts.AnyCut;</code></example>
    public NamedEntity[] Entities(string text, EntityOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(text);
        ArgumentNullException.ThrowIfNull(options);
        return EntitiesOf(new CallTexts(text, [], null, options.Reading, nameof(text)), [text], options, cancellationToken)[0];
    }

    /// <summary>The names, places and the like in texts.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How, and who is told how much of the texts was read.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The entities of each, in the order of the text.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public NamedEntity[][] Entities(
        IReadOnlyList<string> texts, EntityOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        ArgumentNullException.ThrowIfNull(options);
        string[] copies = [.. texts];
        return EntitiesOf(
            new CallTexts(null, copies, null, options.Reading, nameof(texts)), copies, options, cancellationToken);
    }

    /// <summary>Gives the memory of the texts back.</summary>
    private NamedEntity[][] EntitiesOf(
        CallTexts given, string[] texts, EntityOptions options, CancellationToken cancellationToken)
    {
        using CallTexts taken = given;
        using NativeResult result = new();
        Need(info.NumTokenClasses > 0 && !info.AnswersQuestions, "head for entities");
        Checks.Defined(options.Aggregation);
        int cancel = 0;
        IntPtr model = handle.Enter();
        try
        {
            EmbedOptions reading = options.Reading with { MaxTokens = options.MaxTokens, RefuseLongTexts = options.RefuseLongTexts };
            RefuseLong(model, taken, paired: false, reading, cancellationToken);
            using (Native.Register(&cancel, cancellationToken))
            {
                fixed (byte* utf8 = taken.Utf8)
                fixed (long* ends = taken.Ends)
                {
                    taken.Check(
                        null,
                        Raw.ModelEntitiesTexts(
                            model,
                            utf8,
                            ends,
                            taken.Count,
                            (int)options.Aggregation,
                            0,
                            LimitOf(options.MaxTokens, options.RefuseLongTexts),
                            options.NumThreads,
                            0,
                            result.Pointer,
                            &cancel,
                            IntPtr.Zero,
                            IntPtr.Zero),
                        cancellationToken);
                }
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        if (options.Counts is not null)
        {
            result.CopyOffsets(taken.Offsets);
            result.Array<long>(Raw.OUT_UNCUT_LENGTHS, taken.Count).CopyTo(taken.Uncut);
            options.Counts.Fill(taken);
        }

        ReadOnlySpan<long> offsets = result.Array<long>(Raw.OUT_ENTITY_OFFSETS, texts.Length + 1);
        NamedEntity[][] found = new NamedEntity[texts.Length][];
        int start = 0;
        for (int i = 0; i < texts.Length; i++)
        {
            int end = (int)taken.Ends[i];
            found[i] = EntitiesOf(
                result, (int)offsets[i], (int)offsets[i + 1], texts[i], taken.Utf8[start..end], options.Aggregation);
            start = end;
        }

        return found;
    }

    private NamedEntity[] EntitiesOf(
        in NativeResult result, int first, int last, string text, ReadOnlySpan<byte> utf8, Aggregation aggregation)
    {
        ReadOnlySpan<long> begins = result.Array<long>(Raw.OUT_ENTITY_BEGINS, last)[first..];
        ReadOnlySpan<long> ends = result.Array<long>(Raw.OUT_ENTITY_ENDS, last)[first..];
        ReadOnlySpan<int> classes = result.Array<int>(Raw.OUT_ENTITY_CLASSES, last)[first..];
        ReadOnlySpan<float> scores = result.Array<float>(Raw.OUT_ENTITY_SCORES, last)[first..];
        int[] from = Utf8.CharsOf(utf8, begins, up: false);
        int[] to = Utf8.CharsOf(utf8, ends, up: true);
        NamedEntity[] entities = new NamedEntity[begins.Length];
        for (int i = 0; i < entities.Length; i++)
        {
            string label = labels[classes[i]];
            string kind = aggregation == Aggregation.None
                ? label
                : label[(label.IndexOf('-', StringComparison.Ordinal) + 1)..];
            entities[i] = new NamedEntity(kind, scores[i], from[i], to[i], text[from[i]..to[i]]);
        }

        return entities;
    }

    /// <summary>The parts of a context that answer a question.</summary>
    /// <param name="question">The question.</param>
    /// <param name="context">Where the answers are to be found.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The answers, the best first.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public FoundAnswer[] Answer(
        string question, string context, AnswerOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= AnswerOptions.Default;
        options.Check();
        byte[] utf8 = Utf8.Of(context);
        byte[] asked = Utf8.Of(question);
        Need(info.AnswersQuestions, "head for answers");
        int room = options.TopK;
        long[] begins = new long[room];
        long[] ends = new long[room];
        float[] scores = new float[room];
        int count = 0;
        int cancel = 0;
        IntPtr model = handle.Enter();
        try
        {
            using (Native.Register(&cancel, cancellationToken))
            {
                fixed (byte* bytes = utf8, words = asked)
                fixed (long* begin = begins, end = ends)
                fixed (float* score = scores)
                {
                    Check(
                        Raw.ModelAnswer(
                            model,
                            words,
                            (nuint)asked.Length,
                            bytes,
                            (nuint)utf8.Length,
                            options.TopK,
                            options.TokenLimit,
                            options.Stride ?? Raw.STRIDE_DEFAULT,
                            options.MaxAnswerTokens,
                            options.MayBeNone ? Raw.ANSWER_MAY_BE_NONE : 0,
                            begin,
                            end,
                            score,
                            &count,
                            &cancel),
                        cancellationToken);
                }
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        int[] from = Utf8.CharsOf(utf8, begins.AsSpan(0, count), up: false);
        int[] to = Utf8.CharsOf(utf8, ends.AsSpan(0, count), up: true);
        FoundAnswer[] answers = new FoundAnswer[count];
        for (int i = 0; i < count; i++)
        {
            answers[i] = new FoundAnswer(context[from[i]..to[i]], scores[i], from[i], to[i]);
        }

        return answers;
    }

    /// <summary>Labels that the model need not have learned, in the order of how probably each fits a text.</summary>
    /// <param name="text">A text.</param>
    /// <param name="candidates">The labels.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>All of them, the most likely first.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public ScoredLabel[] ZeroShot(
        string text,
        IReadOnlyList<string> candidates,
        ZeroShotOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(candidates);
        options ??= ZeroShotOptions.Default;
        if (options.Hypothesis is not null && options.Hypothesis.Contains('\0', StringComparison.Ordinal))
        {
            throw new ArgumentException("the hypothesis contains a zero character", nameof(options));
        }

        long[] ends = new long[candidates.Count];
        for (int i = 0; i < ends.Length; i++)
        {
            ends[i] = (i == 0 ? 0 : ends[i - 1]) + Utf8.SizeOf(candidates[i], nameof(candidates), i);
        }

        byte[] utf8 = Utf8.Of(text);
        byte[] all = Utf8.Of(string.Concat(candidates));
        byte[]? sentence = options.Hypothesis is null ? null : Utf8.Of(options.Hypothesis + '\0', nameof(options));
        Need(info.NumClasses > 0, "classifier");
        long[] order = new long[ends.Length];
        float[] scores = new float[ends.Length];
        int cancel = 0;
        IntPtr model = handle.Enter();
        try
        {
            using (Native.Register(&cancel, cancellationToken))
            {
                fixed (byte* bytes = utf8, names = all, hypothesis = sentence)
                fixed (long* end = ends, place = order)
                fixed (float* score = scores)
                {
                    Check(
                        Raw.ModelZeroShot(
                            model,
                            bytes,
                            (nuint)utf8.Length,
                            names,
                            end,
                            ends.Length,
                            hypothesis,
                            LimitOfAll(options.MaxTokens, options.RefuseLongTexts),
                            options.Several ? Raw.ZERO_SHOT_MULTI_LABEL : 0,
                            place,
                            score,
                            &cancel),
                        cancellationToken);
                }
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        return Array.ConvertAll(order, i => new ScoredLabel(candidates[(int)i], scores[i]));
    }
}
