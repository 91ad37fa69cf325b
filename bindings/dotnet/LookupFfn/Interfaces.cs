// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>What makes vectors of texts: a <see cref="Model"/>, an <see cref="EmbeddingBatcher"/>, or what a program's tests
/// have in their place.</summary>
public interface ITextEmbedder
{
    /// <summary>A vector for a text.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Ends the work.</param>
    /// <returns>The vector, and how many tokens the text had.</returns>
    Task<BatchedEmbedding> EmbedAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>A vector for each text.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Ends the work.</param>
    /// <returns>The vectors in the order of the texts, and how many tokens each had.</returns>
    Task<BatchedEmbedding[]> EmbedAsync(
        IReadOnlyList<string> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default);
}

/// <summary>What tells how well documents answer a query: a <see cref="Model"/> that is a reranker, a
/// <see cref="RerankBatcher"/>, or what a program's tests have in their place.</summary>
public interface IReranker
{
    /// <summary>The documents that answer a query best.</summary>
    /// <param name="query">The query.</param>
    /// <param name="documents">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="top">How many at most; null for all.</param>
    /// <param name="options">How; null for raw scores.</param>
    /// <param name="cancellationToken">Ends the work.</param>
    /// <returns>The best first; of equal ones the first.</returns>
    Task<RankedDocument[]> RerankTopAsync(
        string query,
        IReadOnlyList<string> documents,
        int? top = null,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default);
}

/// <summary>A document and how well it answers a query.</summary>
/// <param name="Index">Its place among those that were given.</param>
/// <param name="Score">Higher is better.</param>
/// <param name="Text">The document.</param>
public sealed record RankedDocument(int Index, float Score, string Text)
{
    /// <summary>How many tokens of the query and the document were run; 0 if that is not known, as with late
    /// interaction.</summary>
    public int Tokens { get; init; }

    /// <summary>The best first; of equal ones the first.</summary>
    internal static RankedDocument[] Best(IReadOnlyList<float> scores, string[] documents, int? top, Func<int, int> tokens) =>
        [.. scores.Select((score, i) => new RankedDocument(i, score, documents[i]) { Tokens = tokens(i) })
            .OrderByDescending(document => document.Score)
            .Take(top ?? documents.Length)];
}
