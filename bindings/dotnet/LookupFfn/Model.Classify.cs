// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>The classifier's scores.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Classify(int[] ids, CancellationToken cancellationToken = default) =>
        Classify(ids, EmbedOptions.Default, cancellationToken);

    /// <summary>The classifier's scores.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="options">How.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Classify(int[] ids, EmbedOptions options, CancellationToken cancellationToken = default) =>
        Rows([ids], Raw.OUTPUT_CLASS_SCORES, [], options, cancellationToken)[0];

    /// <summary>The classifier's scores.</summary>
    /// <param name="text">A text.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Classify(string text, CancellationToken cancellationToken = default) =>
        Classify(text, EmbedOptions.Default, cancellationToken);

    /// <summary>The classifier's scores.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Classify(string text, EmbedOptions options, CancellationToken cancellationToken = default) =>
        Rows([text], null, Raw.OUTPUT_CLASS_SCORES, options, cancellationToken)[0];

    /// <summary>The classifier's scores, for a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Classify(IReadOnlyList<int[]> sequences, CancellationToken cancellationToken = default) =>
        Classify(sequences, EmbedOptions.Default, cancellationToken);

    /// <summary>The classifier's scores, for a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="options">How.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Classify(IReadOnlyList<int[]> sequences, EmbedOptions options, CancellationToken cancellationToken = default) =>
        Rows(sequences, Raw.OUTPUT_CLASS_SCORES, [], options, cancellationToken);

    /// <summary>The classifier's scores, for a batch, computed on a thread of the pool.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    public Task<float[][]> ClassifyAsync(IReadOnlyList<int[]> sequences, CancellationToken cancellationToken = default) =>
        ClassifyAsync(sequences, EmbedOptions.Default, cancellationToken);

    /// <summary>The classifier's scores, for a batch, computed on a thread of the pool.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="options">How.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    public Task<float[][]> ClassifyAsync(
        IReadOnlyList<int[]> sequences, EmbedOptions options, CancellationToken cancellationToken = default) =>
        Task.Run(() => Classify(sequences, options, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Classify(IReadOnlyList<string> texts, CancellationToken cancellationToken = default) =>
        Classify(texts, EmbedOptions.Default, cancellationToken);

    /// <summary>The classifier's scores, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Classify(IReadOnlyList<string> texts, EmbedOptions options, CancellationToken cancellationToken = default) =>
        Rows(texts, null, Raw.OUTPUT_CLASS_SCORES, options, cancellationToken);

    /// <summary>The classifier's scores, for a batch, computed on a thread of the pool.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    public Task<float[][]> ClassifyAsync(IReadOnlyList<string> texts, CancellationToken cancellationToken = default) =>
        ClassifyAsync(texts, EmbedOptions.Default, cancellationToken);

    /// <summary>The classifier's scores, for a batch, computed on a thread of the pool.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    public Task<float[][]> ClassifyAsync(
        IReadOnlyList<string> texts, EmbedOptions options, CancellationToken cancellationToken = default) =>
        Task.Run(() => Classify(texts, options, cancellationToken), cancellationToken);
}
