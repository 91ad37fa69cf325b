// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>The classifier's scores.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Classify(
        int[] ids, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Row(ids, Raw.OUTPUT_CLASS_SCORES, [], options, cancellationToken);

    /// <summary>The classifier's scores, computed on a thread of the pool.</summary>
    /// <param name="ids">A sequence, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    public Task<float[]> ClassifyAsync(
        int[] ids, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => Classify(ids, options, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Classify(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Row(text, Raw.OUTPUT_CLASS_SCORES, options, cancellationToken);

    /// <summary>The classifier's scores, computed on a thread of the pool.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    public Task<float[]> ClassifyAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => Classify(text, options, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores, for a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Classify(
        IReadOnlyList<int[]> sequences, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Rows(sequences, Raw.OUTPUT_CLASS_SCORES, [], options, cancellationToken);

    /// <summary>The classifier's scores, for a batch, computed on a thread of the pool.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    public Task<float[][]> ClassifyAsync(
        IReadOnlyList<int[]> sequences, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => Classify(sequences, options, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Classify(
        IReadOnlyList<string> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Rows(texts, null, Raw.OUTPUT_CLASS_SCORES, options, cancellationToken);

    /// <summary>The classifier's scores, for a batch, computed on a thread of the pool.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    public Task<float[][]> ClassifyAsync(
        IReadOnlyList<string> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => Classify(texts, options, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores of texts, with how many tokens each had and whether it was cut.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Scores and counts for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public ClassificationResult ClassifyWithCounts(
        IReadOnlyList<string> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        EmbedOptions counting = Counting(options);
        return new ClassificationResult(Classify(texts, counting, cancellationToken), counting.Counts!);
    }

    /// <summary>The classifier's scores of texts, with how many tokens each had and whether it was cut, computed on a thread of the
    /// pool.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Scores and counts for each.</returns>
    public Task<ClassificationResult> ClassifyWithCountsAsync(
        IReadOnlyList<string> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => ClassifyWithCounts(texts, options, cancellationToken), cancellationToken);
}
