// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;

namespace LookupFfn;

/// <summary>How a corpus is run.</summary>
/// <example><code>CorpusOptions corpus = new() { KeepBadTexts = true };
/// await foreach (CorpusEmbedding one in model.EmbedAllAsync(File.ReadLinesAsync("corpus.txt"), corpus: corpus))
/// {
///     Console.WriteLine($"{one.Status} {one.Tokens}");
/// }</code></example>
public sealed record CorpusOptions
{
    /// <summary>How many texts are run together at most. Default 64.</summary>
    public int MaxBatch { get; init; } = 64;

    /// <summary>After how many chars a batch takes no more texts. Default 1,048,576. One text may have more.</summary>
    public int MaxChars { get; init; } = 1 << 20;

    /// <summary>How long a batch that has begun waits for more texts, where its source is slow and nothing else is being run.
    /// Default 50 milliseconds; <see cref="Timeout.InfiniteTimeSpan"/> for until it is full.</summary>
    public TimeSpan MaxWait { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>Whether a text that cannot be run comes out without a vector, and with a status and a message, instead of
    /// ending all with an <see cref="ArgumentException"/> that tells its place. Default false.</summary>
    public bool KeepBadTexts { get; init; }
}

/// <summary>What became of a text of a corpus.</summary>
/// <param name="Vector">The vector, the same to the bit as alone; empty for a text that was not run.</param>
/// <param name="Tokens">How many tokens were run.</param>
/// <param name="UncutTokens">How many tokens the text would have had without cutting.</param>
/// <param name="Status">Whether it was run, or why not.</param>
/// <param name="Message">The same in a sentence; "" for one that was.</param>
public sealed record CorpusEmbedding(float[] Vector, int Tokens, long UncutTokens, TextStatus Status, string Message)
{
    /// <summary>Whether the vectors hold the same numbers, and the rest is the same.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether they are.</returns>
    public bool Equals(CorpusEmbedding? other) =>
        other is not null && Tokens == other.Tokens && UncutTokens == other.UncutTokens && Status == other.Status
        && Message == other.Message && Values.Same(Vector, other.Vector);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Tokens, UncutTokens, Status, Values.Hash(Vector));
}

public sealed partial class Model
{
    /// <inheritdoc/>
    Task<BatchedEmbedding> ITextEmbedder.EmbedAsync(
        string text, EmbedOptions? options, CancellationToken cancellationToken) =>
        EmbedWithCountsAsync(text, options, cancellationToken);

    /// <inheritdoc/>
    async Task<BatchedEmbedding[]> ITextEmbedder.EmbedAsync(
        IReadOnlyList<string> texts, EmbedOptions? options, CancellationToken cancellationToken)
    {
        EmbeddingResult result = await EmbedWithCountsAsync(texts, options, cancellationToken).ConfigureAwait(false);
        return [.. result.Vectors.Select((vector, i) =>
            new BatchedEmbedding(vector, result.Counts.Tokens(i), result.Counts.UncutTokens(i)))];
    }

    /// <summary>The vectors of any number of texts, in their order. Texts are read as they are needed: besides the results
    /// of one batch, at most two batches of texts are in memory. One is run while the other is read and the earlier
    /// results are used. If a source fails, or has a bad text, that ends all after the results of earlier
    /// texts.</summary>
    /// <param name="texts">The texts.</param>
    /// <param name="options">How; null: as the model means it. Its counts and statuses are not filled: the results have
    /// them.</param>
    /// <param name="corpus">How batches are made; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A result for each text.</returns>
    public IAsyncEnumerable<CorpusEmbedding> EmbedAllAsync(
        IAsyncEnumerable<string?> texts,
        EmbedOptions? options = null,
        CorpusOptions? corpus = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        corpus ??= new CorpusOptions();
        ArgumentOutOfRangeException.ThrowIfLessThan(corpus.MaxBatch, 1, nameof(corpus.MaxBatch));
        ArgumentOutOfRangeException.ThrowIfLessThan(corpus.MaxChars, 1, nameof(corpus.MaxChars));
        if (corpus.MaxWait != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(corpus.MaxWait, TimeSpan.Zero, nameof(corpus.MaxWait));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(corpus.MaxWait, TimeSpan.FromDays(24), nameof(corpus.MaxWait));
        }

        handle.ThrowIfDisposed();
        return Corpus(texts, options ?? EmbedOptions.Default, corpus, cancellationToken);
    }

    /// <summary>The same of texts that are there, or read by the thread that asks for results.</summary>
    /// <param name="texts">The texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="corpus">How batches are made; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A result for each text.</returns>
    public IAsyncEnumerable<CorpusEmbedding> EmbedAllAsync(
        IEnumerable<string?> texts,
        EmbedOptions? options = null,
        CorpusOptions? corpus = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        return EmbedAllAsync(Later(texts), options, corpus, cancellationToken);
    }

    private async IAsyncEnumerable<CorpusEmbedding> Corpus(
        IAsyncEnumerable<string?> texts,
        EmbedOptions options,
        CorpusOptions corpus,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using CancellationTokenSource ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        CorpusReader reader = new(texts, corpus, ended.Token);
        Task<CorpusBatch>? running = null;
        long first = 0;
        try
        {
            while (true)
            {
                if (running?.IsCompleted == true)
                {
                    CorpusBatch done = await running.ConfigureAwait(false);
                    running = null;
                    foreach (CorpusEmbedding embedding in done.Results)
                    {
                        yield return embedding;
                    }

                    if (done.Bad is not null)
                    {
                        throw done.Bad;
                    }
                }

                cancellationToken.ThrowIfCancellationRequested();
                if (running is null && reader.IsReady)
                {
                    List<string?> batch = reader.Take();
                    long place = first;
                    first += batch.Count;
                    running = OwnThreads.Run(
                        () => RunCorpusBatch(batch, place, options, corpus.KeepBadTexts, ended.Token), CancellationToken.None);
                }
                else if (running is null && reader.IsAtEnd)
                {
                    reader.ThrowFailure();
                    yield break;
                }

                await reader.ReadAsync(running).ConfigureAwait(false);
            }
        }
        finally
        {
            // Whoever leaves early waits for what is being run, which ends soon.
            await ended.CancelAsync().ConfigureAwait(false);
            if (running is not null)
            {
                await running.ContinueWith(
                    static done => _ = done.Exception,
                    CancellationToken.None,
                    TaskContinuationOptions.ExecuteSynchronously,
                    TaskScheduler.Default).ConfigureAwait(false);
            }

            await reader.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>The results up to the first bad text, and what is wrong with that.</summary>
    private readonly record struct CorpusBatch(CorpusEmbedding[] Results, Exception? Bad);

    private CorpusBatch RunCorpusBatch(
        List<string?> texts, long place, EmbedOptions options, bool keepBadTexts, CancellationToken cancellationToken)
    {
        TextCounts counts = new();
        TextStatuses statuses = new();
        float[][] vectors = Embed(texts, options with { Counts = counts, Statuses = statuses }, cancellationToken);
        CorpusEmbedding[] results = new CorpusEmbedding[vectors.Length];
        for (int i = 0; i < results.Length; i++)
        {
            bool done = statuses.Status(i) == TextStatus.Done;
            if (!done && !keepBadTexts)
            {
                return new(
                    results[..i],
                    new ArgumentException(Say($"texts[{place + i}]: {statuses.Message(i)}"), nameof(texts)));
            }

            results[i] = new CorpusEmbedding(
                done ? vectors[i] : [], counts.Tokens(i), counts.UncutTokens(i), statuses.Status(i), statuses.Message(i));
        }

        return new(results, null);
    }

#pragma warning disable CS1998 // It waits for nothing.
    private static async IAsyncEnumerable<string?> Later(IEnumerable<string?> texts)
    {
        foreach (string? text in texts)
        {
            yield return text;
        }
    }
#pragma warning restore CS1998
}
