// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;

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
        Row(ids, Raw.OUT_CLASS_SCORES, [], options, cancellationToken);

    /// <summary>The classifier's scores, computed on a thread of the library.</summary>
    /// <param name="ids">A sequence, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    public Task<float[]> ClassifyAsync(
        int[] ids, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Classify(ids, options, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Classify(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Row(text, Raw.OUT_CLASS_SCORES, options, cancellationToken);

    /// <summary>The classifier's scores, computed on a thread of the library.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    public Task<float[]> ClassifyAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Classify(text, options, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores, for a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Classify(
        IReadOnlyList<int[]> sequences, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Rows(sequences, Raw.OUT_CLASS_SCORES, [], options, cancellationToken);

    /// <summary>The classifier's scores, for a batch, computed on a thread of the library.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    public Task<float[][]> ClassifyAsync(
        IReadOnlyList<int[]> sequences, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Classify(sequences, options, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    [OverloadResolutionPriority(1)]
    public float[][] Classify(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Rows(texts, null, Raw.OUT_CLASS_SCORES, options, cancellationToken);

    /// <summary>The classifier's scores, for a batch, computed on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    [OverloadResolutionPriority(1)]
    public Task<float[][]> ClassifyAsync(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Classify(texts, options, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores of texts, with how many tokens each had and whether it was cut.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Scores and counts for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public ClassificationResult ClassifyWithCounts(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        EmbedOptions counting = Counting(options);
        return new ClassificationResult(Classify(texts, counting, cancellationToken), counting.Counts!);
    }

    /// <summary>The classifier's scores of texts, with how many tokens each had and whether it was cut, computed on a thread of the
    /// library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Scores and counts for each.</returns>
    public Task<ClassificationResult> ClassifyWithCountsAsync(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => ClassifyWithCounts(texts, options, cancellationToken), cancellationToken);

    /// <summary>How well each document answers a query, told by a reranker or a model of late interaction: higher is
    /// better.</summary>
    /// <param name="query">The query.</param>
    /// <param name="documents">Any number of texts; the longer of the two is cut first.</param>
    /// <param name="options">How; null for raw scores.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A score for each document.</returns>
    /// <exception cref="UnsupportedModelException">The model is no reranker: its classifier does not have exactly one
    /// class.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Rerank(
        string query,
        IReadOnlyList<string> documents,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(query);
        if (info.IsLate)
        {
            return RerankLate(query, NotNull(documents), options, cancellationToken);
        }

        NeedReranker();
        float[][] scores = Rows(documents, query, Raw.OUT_CLASS_SCORES, options, cancellationToken);
        return Array.ConvertAll(scores, score => score[0]);
    }

    /// <summary>How well each document answers a query, told by a reranker, computed on a thread of the
    /// library.</summary>
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
        OwnThreads.Run(() => Rerank(query, documents, options, cancellationToken), cancellationToken);

    /// <summary>The documents that answer a query best, told by a reranker.</summary>
    /// <param name="query">The query.</param>
    /// <param name="documents">Any number of texts; the longer of the two is cut first.</param>
    /// <param name="top">How many at most; null for all.</param>
    /// <param name="options">How; null for raw scores.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The best first; of equal ones the first.</returns>
    /// <exception cref="UnsupportedModelException">The model is no reranker.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <example><code>foreach (RankedDocument best in reranker.RerankTop("Who naps?", documents, top: 3))
    /// {
    ///     Console.WriteLine($"{best.Score} {best.Text}");
    /// }</code></example>
    public RankedDocument[] RerankTop(
        string query,
        IReadOnlyList<string> documents,
        int? top = null,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(documents);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(top ?? 1, nameof(top));
        string[] copies = [.. documents];
        TextCounts? counts = options?.Counts ?? (info.IsLate ? null : new TextCounts());
        EmbedOptions how = (options ?? EmbedOptions.Default) with { Counts = counts };
        float[] scores = Rerank(query, copies, how, cancellationToken);
        return RankedDocument.Best(scores, copies, top, i => counts?.Tokens(i) ?? 0);
    }

    /// <summary>The documents that answer a query best, computed on a thread of the library.</summary>
    /// <param name="query">The query.</param>
    /// <param name="documents">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="top">How many at most; null for all.</param>
    /// <param name="options">How; null for raw scores.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The best first; of equal ones the first.</returns>
    public Task<RankedDocument[]> RerankTopAsync(
        string query,
        IReadOnlyList<string> documents,
        int? top = null,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => RerankTop(query, documents, top, options, cancellationToken), cancellationToken);

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
        Rows(sequences, Raw.OUT_LOGITS, positions.ToArray(), null, cancellationToken);

    /// <summary>The language model head's logits at some places of a batch, computed on a thread of the
    /// library.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="positions">Places in the sequences laid end to end, in any order.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.VocabSize"/> floats for each position.</returns>
    public Task<float[][]> LogitsAsync(
        IReadOnlyList<int[]> sequences, IReadOnlyList<long> positions, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(positions);
        long[] places = [.. positions];
        return OwnThreads.Run(
            () => Rows(sequences, Raw.OUT_LOGITS, places, null, cancellationToken), cancellationToken);
    }
}
