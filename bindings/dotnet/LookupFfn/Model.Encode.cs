// SPDX-License-Identifier: Apache-2.0
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
        Row(ids, Raw.OUTPUT_HIDDEN, [], options, cancellationToken);

    /// <summary>The hidden states after the last layer norm, computed on a thread of the pool.</summary>
    /// <param name="ids">A sequence, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats.</returns>
    public Task<float[]> EncodeAsync(
        int[] ids, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => Encode(ids, options, cancellationToken), cancellationToken);

    /// <summary>The hidden states after the last layer norm.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Encode(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Row(text, Raw.OUTPUT_HIDDEN, options, cancellationToken);

    /// <summary>The hidden states after the last layer norm, computed on a thread of the pool.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats.</returns>
    public Task<float[]> EncodeAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => Encode(text, options, cancellationToken), cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Encode(
        IReadOnlyList<int[]> sequences, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Rows(sequences, Raw.OUTPUT_HIDDEN, [], options, cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch, computed on a thread of the pool.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    public Task<float[][]> EncodeAsync(
        IReadOnlyList<int[]> sequences, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => Encode(sequences, options, cancellationToken), cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Encode(
        IReadOnlyList<string> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Rows(texts, null, Raw.OUTPUT_HIDDEN, options, cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch, computed on a thread of the pool.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    public Task<float[][]> EncodeAsync(
        IReadOnlyList<string> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => Encode(texts, options, cancellationToken), cancellationToken);
}
