// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>A reranker for many callers, by the rules of an <see cref="EmbeddingBatcher"/>: the documents of a call are
/// its texts, and the cost of each is that of the document and the query together. Short calls go before calls of many
/// documents, which take turns. If too many wait, further ones are refused.</summary>
/// <example><code>await using RerankBatcher batcher = new(reranker);
/// RankedDocument[] best = await batcher.RerankTopAsync("Who naps?", documents, top: 3);</code></example>
public sealed class RerankBatcher : IReranker, IDisposable, IAsyncDisposable
{
    private readonly ModelInfo info;
    private readonly Batcher batcher;

    /// <summary>Makes one that leaves the model open when it is disposed of.</summary>
    /// <param name="model">A reranker: a model whose classifier has one class, or of late interaction.</param>
    /// <param name="batching">How; null for the defaults.</param>
    /// <exception cref="UnsupportedModelException">The model is no reranker.</exception>
    public RerankBatcher(Model model, BatchingOptions? batching = null)
    {
        ArgumentNullException.ThrowIfNull(model);
        model.NeedReranker();
        Model = model;
        info = model.Info;
        batcher = new(model, batching);
    }

    /// <summary>What scores the documents.</summary>
    public Model Model { get; }

    /// <summary>How many documents of short calls wait at most.</summary>
    public int MaxQueue => batcher.MaxQueue;

    /// <summary>What the batcher did so far, and how many documents wait.</summary>
    public BatcherFigures Figures => batcher.Figures;

    /// <summary>How well each document answers a query.</summary>
    /// <param name="query">The query.</param>
    /// <param name="documents">Any number of texts.</param>
    /// <param name="options">How; null for raw scores. Its counts and statuses are not filled.</param>
    /// <param name="cancellationToken">Withdraws what has not been run.</param>
    /// <returns>A score for each document, the same to the bit as <see cref="Model.Rerank"/> gives. The task fails with what that
    /// fails with, or with a <see cref="QueueFullException"/> where too many wait.</returns>
    /// <exception cref="ObjectDisposedException">The batcher is disposed.</exception>
    public Task<float[]> RerankAsync(
        string query,
        IReadOnlyList<string> documents,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(query);
        ArgumentNullException.ThrowIfNull(documents);
        return Scores(Ask(query, [.. documents], options, cancellationToken));

        static async Task<float[]> Scores(Task<Scored[]> all) =>
            Array.ConvertAll(await all.ConfigureAwait(false), one => one.Score);
    }

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The batcher is disposed.</exception>
    public Task<RankedDocument[]> RerankTopAsync(
        string query,
        IReadOnlyList<string> documents,
        int? top = null,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(query);
        ArgumentNullException.ThrowIfNull(documents);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(top ?? 1, nameof(top));
        string[] copies = [.. documents];
        return Best(Ask(query, copies, options, cancellationToken));

        async Task<RankedDocument[]> Best(Task<Scored[]> all)
        {
            Scored[] scored = await all.ConfigureAwait(false);
            return RankedDocument.Best(Array.ConvertAll(scored, one => one.Score), copies, top, i => scored[i].Tokens);
        }
    }

    /// <summary>Takes no more calls, and waits for those that are there.</summary>
    public void Dispose() => batcher.Close().GetAwaiter().GetResult();

    /// <summary>Takes no more calls, and ends when those that are there are answered.</summary>
    /// <returns>When that is.</returns>
    public async ValueTask DisposeAsync() => await batcher.Close().ConfigureAwait(false);

    private Task<Scored[]> Ask(string query, string[] documents, EmbedOptions? options, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<Scored[]>(cancellationToken);
        }

        EmbedOptions asked = (options ?? EmbedOptions.Default) with { Counts = null, Statuses = null, Progress = null };
        TextCost[] costs = new TextCost[documents.Length];
        try
        {
            asked.Check();
            int? limit = asked.ReadAtMost(info);
            long size = Utf8.SizeOf(Utf8.Readable(query, asked.Repair), nameof(query));
            for (int i = 0; i < documents.Length; i++)
            {
                costs[i] = TextCost.Of(size + Utf8.SizeOf(Utf8.Readable(documents[i], asked.Repair), nameof(documents), i), limit);
            }
        }
        catch (ArgumentException bad)
        {
            return Task.FromException<Scored[]>(bad);
        }

        return batcher.Ask(documents, costs, new Asked(query, asked), nameof(documents), cancellationToken);
    }

    /// <summary>What documents that are run together have in common.</summary>
    private sealed record Asked(string Query, EmbedOptions Options);

    private readonly record struct Scored(float Score, int Tokens, bool IsCut);

    private sealed class Batcher(Model model, BatchingOptions? options) : TextBatcher<Scored>(typeof(RerankBatcher), model, options)
    {
        private readonly Model model = model;

        protected override (IReadOnlyList<Scored> Results, TextStatuses? Statuses) Run(
            string[] texts, object how, CancellationToken cancellationToken)
        {
            (string query, EmbedOptions options) = (Asked)how;
            if (model.Info.IsLate)
            {
                // Late interaction gives neither.
                float[] late = model.Rerank(query, texts, options, cancellationToken);
                return (Array.ConvertAll(late, score => new Scored(score, 0, false)), null);
            }

            TextStatuses statuses = new();
            TextCounts counts = new();
            float[] scores = model.Rerank(query, texts, options with { Counts = counts, Statuses = statuses }, cancellationToken);
            return ([.. scores.Select((score, i) => new Scored(score, counts.Tokens(i), counts.IsCut(i)))], statuses);
        }

        protected override bool IsCut(Scored result) => result.IsCut;
    }
}
