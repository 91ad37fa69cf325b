// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>Puts the texts of all concurrent calls together, so that the model runs them in batches, on threads of its own.
/// Calls whose texts fit into one batch are short and go first, so that a query waits for the batch that is being run and for
/// its own. All others are bulk: they take turns, a batch each, and long texts run beside the batches. A cancelled call leaves
/// at once, and no other call with it; a batch ends if all of its calls were cancelled. A text that cannot be run fails
/// only its own call. If too many texts wait, further ones are refused. A batcher that had nothing to do for a second
/// has no thread, so that the garbage collector frees it when it is forgotten.</summary>
/// <example><code>await using EmbeddingBatcher batcher = new(model, new BatchingOptions { MaxQueue = 1024 });
/// BatchedEmbedding one = await batcher.EmbedAsync("A sentence.");</code></example>
public sealed class EmbeddingBatcher : ITextEmbedder, IDisposable, IAsyncDisposable
{
    private readonly Model model;
    private readonly ModelInfo info;
    private readonly Batcher batcher;

    /// <summary>Makes one that leaves the model open when it is disposed of.</summary>
    /// <param name="model">What runs the texts.</param>
    /// <param name="batching">How; null for the defaults.</param>
    public EmbeddingBatcher(Model model, BatchingOptions? batching = null)
    {
        ArgumentNullException.ThrowIfNull(model);
        this.model = model;
        info = model.Info;
        batcher = new(model, batching);
    }

    /// <summary>Lets tests make something fail that never should.</summary>
    internal Action? BeforeBatch
    {
        get => batcher.BeforeBatch;
        set => batcher.BeforeBatch = value;
    }

    /// <summary>What runs the texts.</summary>
    public Model Model => model;

    /// <summary>How many texts of short calls wait at most.</summary>
    public int MaxQueue => batcher.MaxQueue;

    /// <summary>How many tokens a batch has at most, as they are estimated before it is run.</summary>
    public int MaxBatchTokens => batcher.MaxBatchTokens;

    /// <summary>What the batcher did so far, and how many texts wait.</summary>
    public BatcherFigures Figures => batcher.Figures;

    /// <summary>A vector for the text, in a batch with those of others who ask with equal options.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it. Its counts and statuses are not filled: the result
    /// has the counts.</param>
    /// <param name="cancellationToken">Withdraws the text.</param>
    /// <returns>The vector, and how many tokens the text had. The task fails with what
    /// <see cref="Model.EmbedAsync(string, EmbedOptions?, CancellationToken)"/> fails with, or with a
    /// <see cref="QueueFullException"/> where too many texts wait.</returns>
    /// <exception cref="ObjectDisposedException">The batcher is disposed.</exception>
    public Task<BatchedEmbedding> EmbedAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        return First(Ask([text], options, nameof(text), cancellationToken));

        static async Task<BatchedEmbedding> First(Task<BatchedEmbedding[]> all) => (await all.ConfigureAwait(false))[0];
    }

    /// <summary>A vector for each text, in batches with those of others who ask with equal options.</summary>
    /// <param name="texts">Any number of texts. A call of more than fit into one batch is run when no others wait, and takes
    /// turns with calls like it.</param>
    /// <param name="options">How; null: as the model means it. Its counts and statuses are not filled: the results
    /// have the counts.</param>
    /// <param name="cancellationToken">Withdraws what has not been run.</param>
    /// <returns>The vectors in the order of the texts. The task fails with what
    /// <see cref="Model.EmbedAsync(IReadOnlyList{string}, EmbedOptions?, CancellationToken)"/> fails with, or with a
    /// <see cref="QueueFullException"/> where too many texts wait: then none of these was run.</returns>
    /// <exception cref="ObjectDisposedException">The batcher is disposed.</exception>
    public Task<BatchedEmbedding[]> EmbedAsync(
        IReadOnlyList<string> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        return Ask([.. texts], options, nameof(texts), cancellationToken);
    }

    /// <summary>Takes no more texts, and waits for those that are there.</summary>
    public void Dispose() => batcher.Close().GetAwaiter().GetResult();

    /// <summary>Takes no more texts, and ends when those that are there are answered.</summary>
    /// <returns>When that is.</returns>
    public async ValueTask DisposeAsync() => await batcher.Close().ConfigureAwait(false);

    /// <summary>The same, with the parameter name that messages give to the texts.</summary>
    internal Task<BatchedEmbedding[]> Ask(
        string[] texts, EmbedOptions? options, string name, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<BatchedEmbedding[]>(cancellationToken);
        }

        EmbedOptions asked = (options ?? EmbedOptions.Default) with { Counts = null, Statuses = null, Progress = null };
        TextCost[] costs = new TextCost[texts.Length];
        try
        {
            // Texts that a call of the model would refuse must not wait for a batch, nor fail one.
            asked.Check();
            int? limit = asked.ReadAtMost(info);
            long prompt = asked.PromptSize(model);
            for (int i = 0; i < texts.Length; i++)
            {
                int size = Utf8.SizeOf(Utf8.Readable(texts[i], asked.Repair), name, name == "text" ? null : i);
                costs[i] = TextCost.Of(prompt + size, limit);
            }
        }
        catch (Exception bad) when (bad is ArgumentException or ObjectDisposedException)
        {
            return Task.FromException<BatchedEmbedding[]>(bad);
        }

        return batcher.Ask(texts, costs, asked, name, cancellationToken);
    }

    private sealed class Batcher(Model model, BatchingOptions? options)
        : TextBatcher<BatchedEmbedding>(typeof(EmbeddingBatcher), model, options)
    {
        private readonly Model model = model;

        protected override (IReadOnlyList<BatchedEmbedding> Results, TextStatuses? Statuses) Run(
            string[] texts, object how, CancellationToken cancellationToken)
        {
            TextStatuses statuses = new();
            EmbedOptions options = (EmbedOptions)how with { Counts = new TextCounts(), Statuses = statuses };
            EmbeddingResult result = model.EmbedWithCounts(texts, options, cancellationToken);
            return (
                [.. result.Vectors.Select(
                    (vector, i) => new BatchedEmbedding(vector, result.Counts.Tokens(i), result.Counts.UncutTokens(i)))],
                statuses);
        }

        protected override bool IsCut(BatchedEmbedding result) => result.IsCut;
    }
}
