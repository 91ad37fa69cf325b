// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn.Extensions.AI;

/// <summary>A model as a service's reranker: loaded, batched and checked as a <see cref="LookupFfnEmbeddingGenerator"/> is.</summary>
/// <example><code>await using LookupFfnReranker service = new("my-reranker", new LookupFfnRerankerOptions { Scores = ScoreKind.Model });
/// RankedDocument[] best = await service.RerankTopAsync("Who naps?", documents, top: 3);</code></example>
public sealed class LookupFfnReranker : IReranker, IDisposable, IAsyncDisposable
{
    private readonly EmbedOptions defaults;
    private readonly bool owns;

    /// <summary>Loads a model, which is the reranker's own.</summary>
    /// <param name="path">A folder, or a file that <see cref="Model.Save"/> wrote.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <exception cref="LookupFfnException">The model cannot be loaded, or is no reranker.</exception>
    public LookupFfnReranker(string path, LookupFfnRerankerOptions? options = null)
        : this(Model.Load(path, options?.Load?.With(null)), options ?? new(), owns: true)
    {
    }

    /// <summary>Uses a model, which stays the caller's.</summary>
    /// <param name="model">The model.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <exception cref="UnsupportedModelException">The model is no reranker.</exception>
    public LookupFfnReranker(Model model, LookupFfnRerankerOptions? options = null)
        : this(model, options ?? new(), owns: false)
    {
    }

    internal LookupFfnReranker(Model model, LookupFfnRerankerOptions options, bool owns)
    {
        ArgumentNullException.ThrowIfNull(model);
        Model = model;
        this.owns = owns;
        defaults = new EmbedOptions { Scores = options.Scores, MaxTokens = options.MaxTokens };
        try
        {
            if (options.Problem(withPath: false) is string problem)
            {
                throw new ArgumentException(problem, nameof(options));
            }

            RerankBatcher batcher = new(model, options.Batching);
            Batcher = options.Batching is null ? null : batcher;
        }
        catch
        {
            Dispose(); // nobody else could
            throw;
        }
    }

    /// <summary>What scores the documents.</summary>
    public Model Model { get; }

    /// <summary>What puts the documents of calls together; null where the options say that nothing does.</summary>
    public RerankBatcher? Batcher { get; }

    /// <summary>What the batcher did so far, and how many documents wait; null without one.</summary>
    public BatcherFigures? Figures => Batcher?.Figures;

    /// <inheritdoc/>
    /// <exception cref="QueueFullException">Too many documents wait already.</exception>
    public Task<RankedDocument[]> RerankTopAsync(
        string query,
        IReadOnlyList<string> documents,
        int? top = null,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        IReranker reranker = Batcher is null ? Model : Batcher;
        return reranker.RerankTopAsync(query, documents, top, options ?? defaults, cancellationToken);
    }

    /// <summary>Ends when the calls that are there are answered, and closes the model if the reranker loaded it.</summary>
    public void Dispose()
    {
        Batcher?.Dispose();
        if (owns)
        {
            Model.Dispose();
        }
    }

    /// <summary>The same without a thread that waits.</summary>
    /// <returns>When that is.</returns>
    public async ValueTask DisposeAsync()
    {
        if (Batcher is not null)
        {
            await Batcher.DisposeAsync().ConfigureAwait(false);
        }

        if (owns)
        {
            Model.Dispose();
        }
    }
}
