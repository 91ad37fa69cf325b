// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>How well each document answers a query, told by a reranker: higher is better.</summary>
    /// <param name="query">The query.</param>
    /// <param name="documents">Any number of texts; the longer of the two is cut first.</param>
    /// <param name="options">How; null for raw scores.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A score for each document.</returns>
    /// <exception cref="ArgumentException">The model is no reranker: its classifier has not exactly one
    /// class.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Rerank(
        string query,
        IReadOnlyList<string> documents,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(query);
        handle.ThrowIfDisposed();
        if (info.NumClasses != 1)
        {
            throw new ArgumentException(Say($"this model has {info.NumClasses} classes, a reranker has one"));
        }

        float[][] scores = Rows(documents, query, Raw.OUTPUT_CLASS_SCORES, options, cancellationToken);
        return Array.ConvertAll(scores, score => score[0]);
    }

    /// <summary>How well each document answers a query, told by a reranker, computed on a thread of the
    /// pool.</summary>
    /// <param name="query">The query.</param>
    /// <param name="documents">Any number of texts; the longer of the two is cut first.</param>
    /// <param name="options">How; null for raw scores.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A score for each document.</returns>
    public Task<float[]> RerankAsync(
        string query,
        IReadOnlyList<string> documents,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Task.Run(() => Rerank(query, documents, options, cancellationToken), cancellationToken);

    /// <summary>The language model head's logits at some places of a sequence.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="positions">Places in it, in any order.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.VocabSize"/> floats for each position.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Logits(int[] ids, IReadOnlyList<int> positions, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(ids);
        ArgumentNullException.ThrowIfNull(positions);
        return Logits([ids], positions.Select(position => (long)position).ToArray(), cancellationToken);
    }

    /// <summary>The language model head's logits at some places of a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="positions">Places in the sequences laid end to end, in any order.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.VocabSize"/> floats for each position.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Logits(
        IReadOnlyList<int[]> sequences, ReadOnlySpan<long> positions, CancellationToken cancellationToken = default) =>
        Rows(sequences, Raw.OUTPUT_LOGITS, positions.ToArray(), null, cancellationToken);

    /// <summary>The language model head's logits at some places of a batch, computed on a thread of the
    /// pool.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="positions">Places in the sequences laid end to end, in any order.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.VocabSize"/> floats for each position.</returns>
    public Task<float[][]> LogitsAsync(
        IReadOnlyList<int[]> sequences, IReadOnlyList<long> positions, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(positions);
        long[] places = [.. positions];
        return Task.Run(
            () => Rows(sequences, Raw.OUTPUT_LOGITS, places, null, cancellationToken), cancellationToken);
    }
}
