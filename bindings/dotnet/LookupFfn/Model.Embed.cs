// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;

namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>The hidden states after the last layer norm.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Encode(
        int[] ids, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Row(ids, Raw.OUT_HIDDEN, [], options, cancellationToken);

    /// <summary>The hidden states after the last layer norm, computed on a thread of the library.</summary>
    /// <param name="ids">A sequence, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats.</returns>
    public Task<float[]> EncodeAsync(
        int[] ids, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Encode(ids, options, cancellationToken), cancellationToken);

    /// <summary>The hidden states after the last layer norm.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Encode(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Row(text, Raw.OUT_HIDDEN, options, cancellationToken);

    /// <summary>The hidden states after the last layer norm, computed on a thread of the library.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats.</returns>
    public Task<float[]> EncodeAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Encode(text, options, cancellationToken), cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Encode(
        IReadOnlyList<int[]> sequences, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Rows(sequences, Raw.OUT_HIDDEN, [], options, cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch, computed on a thread of the library.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    public Task<float[][]> EncodeAsync(
        IReadOnlyList<int[]> sequences, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Encode(sequences, options, cancellationToken), cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    [OverloadResolutionPriority(1)]
    public float[][] Encode(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Rows(texts, null, Raw.OUT_HIDDEN, options, cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch, computed on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    [OverloadResolutionPriority(1)]
    public Task<float[][]> EncodeAsync(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Encode(texts, options, cancellationToken), cancellationToken);

    /// <summary>A vector for the whole sequence.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Embed(
        int[] ids, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Row(ids, Raw.OUT_EMBEDDINGS, [], options, cancellationToken);

    /// <summary>A vector for the whole sequence, computed on a thread of the library.</summary>
    /// <param name="ids">A sequence, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats.</returns>
    public Task<float[]> EmbedAsync(
        int[] ids, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Embed(ids, options, cancellationToken), cancellationToken);

    /// <summary>A vector for the whole sequence.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Embed(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Row(text, Raw.OUT_EMBEDDINGS, options, cancellationToken);

    /// <summary>A vector for the whole sequence, computed on a thread of the library.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats.</returns>
    public Task<float[]> EmbedAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Embed(text, options, cancellationToken), cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Embed(
        IReadOnlyList<int[]> sequences, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Rows(sequences, Raw.OUT_EMBEDDINGS, [], options, cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch, computed on a thread of the library.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats for each.</returns>
    public Task<float[][]> EmbedAsync(
        IReadOnlyList<int[]> sequences, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Embed(sequences, options, cancellationToken), cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    [OverloadResolutionPriority(1)]
    public float[][] Embed(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Rows(texts, null, Raw.OUT_EMBEDDINGS, options, cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch, computed on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats for each.</returns>
    [OverloadResolutionPriority(1)]
    public Task<float[][]> EmbedAsync(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Embed(texts, options, cancellationToken), cancellationToken);

    /// <summary>The vectors of texts, with how many tokens each had and whether it was cut.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A vector and counts for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public EmbeddingResult EmbedWithCounts(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        EmbedOptions counting = Counting(options);
        return new EmbeddingResult(Embed(texts, counting, cancellationToken), counting.Counts!);
    }

    /// <summary>The vectors of texts, with how many tokens each had and whether it was cut, computed on a thread of the
    /// library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A vector and counts for each.</returns>
    public Task<EmbeddingResult> EmbedWithCountsAsync(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedWithCounts(texts, options, cancellationToken), cancellationToken);

    /// <summary>The vector of a text, with how many tokens it had.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vector and the counts.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public BatchedEmbedding EmbedWithCounts(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        EmbedOptions counting = Counting(options);
        float[] vector = Embed(text, counting, cancellationToken);
        return new BatchedEmbedding(vector, counting.Counts!.Tokens(0), counting.Counts.UncutTokens(0));
    }

    /// <summary>The vector of a text, with how many tokens it had, computed on a thread of the library.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vector and the counts.</returns>
    public Task<BatchedEmbedding> EmbedWithCountsAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedWithCounts(text, options, cancellationToken), cancellationToken);

    private static EmbedOptions Counting(EmbedOptions? options) =>
        (options ?? EmbedOptions.Default) with { Counts = options?.Counts ?? new TextCounts() };
}
