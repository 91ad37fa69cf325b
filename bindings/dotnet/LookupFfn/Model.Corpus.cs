// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;

namespace LookupFfn;

/// <summary>How a corpus is run.</summary>
public sealed record CorpusOptions
{
    /// <summary>How many texts are run together at most. Default 64.</summary>
    public int MaxBatch { get; init; } = 64;

    /// <summary>After how many chars a batch takes no more texts. Default 1,048,576. One text may have more.</summary>
    public int MaxChars { get; init; } = 1 << 20;

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
    /// <summary>The vectors of any number of texts, in their order. Texts are read as they are needed: besides the results
    /// of a batch at most two batches of texts are in memory, of which one is run while the other is read and the results
    /// before are used.</summary>
    /// <param name="texts">The texts.</param>
    /// <param name="options">How; null: as the model means it. Its counts and statuses are not filled: the results have
    /// them.</param>
    /// <param name="corpus">How batches are made; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A result for each text.</returns>
    public IAsyncEnumerable<CorpusEmbedding> EmbedAllAsync(
        IAsyncEnumerable<string> texts,
        EmbedOptions? options = null,
        CorpusOptions? corpus = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        corpus ??= new CorpusOptions();
        ArgumentOutOfRangeException.ThrowIfLessThan(corpus.MaxBatch, 1, nameof(corpus));
        ArgumentOutOfRangeException.ThrowIfLessThan(corpus.MaxChars, 1, nameof(corpus));
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
        IEnumerable<string> texts,
        EmbedOptions? options = null,
        CorpusOptions? corpus = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        return EmbedAllAsync(Later(texts), options, corpus, cancellationToken);
    }

    private async IAsyncEnumerable<CorpusEmbedding> Corpus(
        IAsyncEnumerable<string> texts,
        EmbedOptions options,
        CorpusOptions corpus,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using CancellationTokenSource ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task<CorpusEmbedding[]>? running = null;
        try
        {
            long first = 0;
            await foreach (List<string> batch in Batches(texts, corpus, cancellationToken).ConfigureAwait(false))
            {
                CorpusEmbedding[] before = running is null ? [] : await running.ConfigureAwait(false);
                long place = first;
                running = Task.Run(
                    () => CorpusBatch(batch, place, options, corpus.KeepBadTexts, ended.Token), cancellationToken);
                first += batch.Count;
                foreach (CorpusEmbedding embedding in before)
                {
                    yield return embedding;
                }
            }

            foreach (CorpusEmbedding embedding in running is null ? [] : await running.ConfigureAwait(false))
            {
                yield return embedding;
            }
        }
        finally
        {
            // Whoever leaves early waits for what is being run, which ends soon.
            if (running is not null)
            {
                await ended.CancelAsync().ConfigureAwait(false);
                await running.ContinueWith(
                    static done => _ = done.Exception,
                    CancellationToken.None,
                    TaskContinuationOptions.ExecuteSynchronously,
                    TaskScheduler.Default).ConfigureAwait(false);
            }
        }
    }

    private CorpusEmbedding[] CorpusBatch(
        List<string> texts, long place, EmbedOptions options, bool keepBadTexts, CancellationToken cancellationToken)
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
                throw new ArgumentException(Say($"text {place + i} of the corpus: {statuses.Message(i)}"), nameof(texts));
            }

            results[i] = new CorpusEmbedding(
                done ? vectors[i] : [], counts.Tokens(i), counts.UncutTokens(i), statuses.Status(i), statuses.Message(i));
        }

        return results;
    }

    private static async IAsyncEnumerable<List<string>> Batches(
        IAsyncEnumerable<string> texts, CorpusOptions corpus, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        List<string> batch = [];
        long chars = 0;
        await foreach (string text in texts.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            batch.Add(text);
            chars += text?.Length ?? 0;
            if (batch.Count == corpus.MaxBatch || chars >= corpus.MaxChars)
            {
                yield return batch;
                batch = [];
                chars = 0;
            }
        }

        if (batch.Count > 0)
        {
            yield return batch;
        }
    }

#pragma warning disable CS1998 // It waits for nothing.
    private static async IAsyncEnumerable<string> Later(IEnumerable<string> texts)
    {
        foreach (string text in texts)
        {
            yield return text;
        }
    }
#pragma warning restore CS1998
}
