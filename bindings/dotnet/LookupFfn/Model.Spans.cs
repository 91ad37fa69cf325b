// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>A vector for a part of a text, which is not copied into a string.</summary>
    /// <param name="text">The part.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Embed(
        ReadOnlySpan<char> text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ReadOnlySpan<long> one = stackalloc long[2];
        float[] vector = GC.AllocateUninitializedArray<float>(
            Whole(SizeOf(one, Raw.OUT_EMBEDDINGS, options ?? EmbedOptions.Default)));
        EmbedInto(text, vector, options, cancellationToken);
        return vector;
    }

    /// <summary>A vector for a part of a text, computed on a thread of the library.</summary>
    /// <param name="text">The part, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats.</returns>
    public Task<float[]> EmbedAsync(
        ReadOnlyMemory<char> text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Embed(text.Span, options, cancellationToken), cancellationToken);

    /// <summary>A vector for a part of a text, put into the caller's memory.</summary>
    /// <param name="text">The part.</param>
    /// <param name="output">Receives <see cref="ModelInfo.EmbeddingSize"/> floats; may be longer.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    /// <exception cref="ArgumentException">The output is too small.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int EmbedInto(
        ReadOnlySpan<char> text,
        Span<float> output,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        EmbedOptions how = options ?? EmbedOptions.Default;
        if (how.Repair || how.Statuses is not null)
        {
            return EmbedInto(text.ToString(), output, how, cancellationToken);
        }

        using CallTexts texts = new(text, how, nameof(text));
        IntPtr model = handle.Enter();
        try
        {
            int needed = Fitting(SizeOf(texts.Offsets, Raw.OUT_EMBEDDINGS, how), output);
            RunTexts(
                model, texts, false, Raw.OUT_EMBEDDINGS, how, output[..needed], onlyCount: false, cancellationToken);
            return needed;
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    /// <summary>A vector for each text of a sequence, which is read before anything is computed.</summary>
    /// <param name="texts">The texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Embed(
        IEnumerable<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        return Embed((IReadOnlyList<string?>)[.. texts], options, cancellationToken);
    }

    /// <summary>A vector for each text of a sequence, which is read before the call returns; computed on a thread of the
    /// library.</summary>
    /// <param name="texts">The texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats for each.</returns>
    public Task<float[][]> EmbedAsync(
        IEnumerable<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        return EmbedAsync((IReadOnlyList<string?>)[.. texts], options, cancellationToken);
    }

    /// <summary>The classifier's scores of each text of a sequence, which is read before anything is computed.</summary>
    /// <param name="texts">The texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Classify(
        IEnumerable<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        return Classify((IReadOnlyList<string?>)[.. texts], options, cancellationToken);
    }

    /// <summary>How many tokens a text has, without running it, special ones and the prompt's counted.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How it would be read; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>The number without cutting: the text is cut where it is above <see cref="ModelInfo.OwnMaxTokens"/>, or what the
    /// options say.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public long CountTokens(string text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(text);
        return CountsOf(text, [], options, nameof(text), cancellationToken).UncutTokens(0);
    }

    /// <summary>How many tokens texts have, and which would be cut, without running them.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How they would be read; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>The counts that a call with the same options would tell.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public TextCounts CountTokens(
        IReadOnlyList<string> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        return CountsOf(null, texts, options, nameof(texts), cancellationToken);
    }

    private TextCounts CountsOf(
        string? single, IReadOnlyList<string> texts, EmbedOptions? options, string name, CancellationToken cancellationToken)
    {
        EmbedOptions how = (options ?? EmbedOptions.Default) with { Statuses = null, WindowMeans = false, RefuseLongTexts = false };
        using CallTexts given = new(single, texts, null, how, name);
        IntPtr model = handle.Enter();
        try
        {
            RunTexts(model, given, false, Raw.OUT_HIDDEN, how, [], onlyCount: true, cancellationToken);
        }
        finally
        {
            handle.DangerousRelease();
        }

        TextCounts counts = new();
        counts.Fill(given);
        return counts;
    }

    /// <summary>How many tokens texts have, told by a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How they would be read; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>The counts that a call with the same options would tell.</returns>
    public Task<TextCounts> CountTokensAsync(
        IReadOnlyList<string> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => CountTokens(texts, options, cancellationToken), cancellationToken);
}
