// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;

namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>The hidden states after the last layer norm, put into the caller's memory.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="output">Receives tokens times <see cref="ModelInfo.HiddenSize"/> floats; may be longer.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    /// <exception cref="ArgumentException">The output is too small.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int EncodeInto(
        ReadOnlySpan<int> ids, Span<float> output, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Into(ids, Raw.OUT_HIDDEN, output, options, cancellationToken);

    /// <summary>The hidden states after the last layer norm, put into the caller's memory.</summary>
    /// <param name="text">A text.</param>
    /// <param name="output">Receives tokens times <see cref="ModelInfo.HiddenSize"/> floats; may be longer.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    /// <exception cref="ArgumentException">The output is too small.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int EncodeInto(
        string text, Span<float> output, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Into(NotNull(text), [], Raw.OUT_HIDDEN, output, options, nameof(text), cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch, put into the caller's memory.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="output">Receives tokens times <see cref="ModelInfo.HiddenSize"/> floats for each; may be
    /// longer.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    /// <exception cref="ArgumentException">The output is too small.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int EncodeInto(
        IReadOnlyList<string?> texts, Span<float> output, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Into(null, NotNull(texts), Raw.OUT_HIDDEN, output, options, nameof(texts), cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch, put into the caller's memory by a thread of
    /// the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="output">Receives tokens times <see cref="ModelInfo.HiddenSize"/> floats for each; may be longer.
    /// Not to be used before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    public Task<int> EncodeIntoAsync(
        IReadOnlyList<string?> texts,
        Memory<float> output,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EncodeInto(texts, output.Span, options, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores, put into the caller's memory.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="output">Receives <see cref="ModelInfo.NumClasses"/> floats; may be longer.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    /// <exception cref="ArgumentException">The output is too small.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int ClassifyInto(
        ReadOnlySpan<int> ids, Span<float> output, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Into(ids, Raw.OUT_CLASS_SCORES, output, options, cancellationToken);

    /// <summary>The classifier's scores, put into the caller's memory.</summary>
    /// <param name="text">A text.</param>
    /// <param name="output">Receives <see cref="ModelInfo.NumClasses"/> floats; may be longer.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    /// <exception cref="ArgumentException">The output is too small.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int ClassifyInto(
        string text, Span<float> output, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Into(NotNull(text), [], Raw.OUT_CLASS_SCORES, output, options, nameof(text), cancellationToken);

    /// <summary>The classifier's scores, for a batch, put into the caller's memory.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="output">Receives <see cref="ModelInfo.NumClasses"/> floats for each; may be longer.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    /// <exception cref="ArgumentException">The output is too small.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int ClassifyInto(
        IReadOnlyList<string?> texts, Span<float> output, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Into(null, NotNull(texts), Raw.OUT_CLASS_SCORES, output, options, nameof(texts), cancellationToken);

    /// <summary>The classifier's scores, for a batch, put into the caller's memory by a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="output">Receives <see cref="ModelInfo.NumClasses"/> floats for each; may be longer. Not to be used
    /// before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    public Task<int> ClassifyIntoAsync(
        IReadOnlyList<string?> texts,
        Memory<float> output,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => ClassifyInto(texts, output.Span, options, cancellationToken), cancellationToken);

    /// <summary>A vector for the whole sequence, put into the caller's memory.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="output">Receives <see cref="ModelInfo.EmbeddingSize"/> floats; may be longer.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    /// <exception cref="ArgumentException">The output is too small.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int EmbedInto(
        ReadOnlySpan<int> ids, Span<float> output, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Into(ids, Raw.OUT_EMBEDDINGS, output, options, cancellationToken);

    /// <summary>A vector for the whole sequence, put into the caller's memory.</summary>
    /// <param name="text">A text.</param>
    /// <param name="output">Receives <see cref="ModelInfo.EmbeddingSize"/> floats; may be longer.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    /// <exception cref="ArgumentException">The output is too small.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int EmbedInto(
        string text, Span<float> output, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Into(NotNull(text), [], Raw.OUT_EMBEDDINGS, output, options, nameof(text), cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch, put into the caller's memory.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="output">Receives <see cref="ModelInfo.EmbeddingSize"/> floats for each; may be longer.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    /// <exception cref="ArgumentException">The output is too small.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int EmbedInto(
        IReadOnlyList<string?> texts, Span<float> output, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Into(null, NotNull(texts), Raw.OUT_EMBEDDINGS, output, options, nameof(texts), cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch, put into the caller's memory by a thread of the
    /// library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="output">Receives <see cref="ModelInfo.EmbeddingSize"/> floats for each; may be longer. Not to be
    /// used before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing. When it is cancelled, any part of the output may
    /// have been written.</param>
    /// <returns>How many floats were written.</returns>
    public Task<int> EmbedIntoAsync(
        IReadOnlyList<string?> texts,
        Memory<float> output,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedInto(texts, output.Span, options, cancellationToken), cancellationToken);

    private static T NotNull<T>(T argument, [CallerArgumentExpression(nameof(argument))] string? name = null)
    {
        ArgumentNullException.ThrowIfNull(argument, name);
        return argument;
    }
}
