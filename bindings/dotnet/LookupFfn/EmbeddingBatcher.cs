// SPDX-License-Identifier: Apache-2.0
using System.Threading.Channels;

namespace LookupFfn;

/// <summary>How concurrent requests are put together.</summary>
public sealed record BatchingOptions
{
    /// <summary>How long the first request of a batch waits for others at most. Default 0: only what came while the
    /// batch before was running goes together, so that a request that finds the model idle does not wait.</summary>
    public TimeSpan MaxWait { get; init; }

    /// <summary>How many requests go together at most. Default 32.</summary>
    public int MaxBatch { get; init; } = 32;
}

/// <summary>What a batcher made of a text.</summary>
/// <param name="Vector">The vector, the same to the bit as alone.</param>
/// <param name="Tokens">How many tokens were run.</param>
/// <param name="UncutTokens">How many tokens the text would have had without cutting.</param>
public sealed record BatchedEmbedding(float[] Vector, int Tokens, long UncutTokens);

/// <summary>Puts the texts of concurrent callers together, in the order in which they came, so that the model runs them in
/// batches. A cancelled request leaves at once and alone; a batch of which all were cancelled ends. A text that cannot be
/// run fails alone.</summary>
public sealed class EmbeddingBatcher : IDisposable, IAsyncDisposable
{
    private readonly Channel<Request> queue = Channel.CreateUnbounded<Request>(new() { SingleReader = true });
    private readonly Model model;
    private readonly BatchingOptions batching;
    private readonly Task loop;

    /// <summary>Makes one that leaves the model open when it is disposed of.</summary>
    /// <param name="model">What runs the texts.</param>
    /// <param name="batching">How; null for the defaults.</param>
    public EmbeddingBatcher(Model model, BatchingOptions? batching = null)
    {
        ArgumentNullException.ThrowIfNull(model);
        this.model = model;
        this.batching = batching ?? new BatchingOptions();
        ArgumentOutOfRangeException.ThrowIfLessThan(this.batching.MaxBatch, 1, nameof(batching));
        ArgumentOutOfRangeException.ThrowIfLessThan(this.batching.MaxWait, TimeSpan.Zero, nameof(batching));

        // What timers can wait.
        ArgumentOutOfRangeException.ThrowIfGreaterThan(this.batching.MaxWait, TimeSpan.FromDays(49), nameof(batching));
        loop = Task.Run(RunAllAsync);
    }

    /// <summary>A vector for the text, in a batch with those of others who ask with equal options.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it. Its counts are not filled: the result has them.</param>
    /// <param name="cancellationToken">Takes the request back.</param>
    /// <returns>The vector, and how many tokens the text had.</returns>
    /// <exception cref="ObjectDisposedException">The batcher is disposed.</exception>
    public Task<BatchedEmbedding> EmbedAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<BatchedEmbedding>(cancellationToken);
        }

        Request request = new(text, (options ?? EmbedOptions.Default) with { Counts = null });
        ObjectDisposedException.ThrowIf(!queue.Writer.TryWrite(request), this);
        return request.WithdrawnBy(cancellationToken);
    }

    /// <summary>Takes no more requests, and waits for those that are there.</summary>
    public void Dispose()
    {
        queue.Writer.TryComplete();
        loop.GetAwaiter().GetResult();
    }

    /// <summary>Takes no more requests, and ends when those that are there are answered.</summary>
    /// <returns>When that is.</returns>
    public async ValueTask DisposeAsync()
    {
        queue.Writer.TryComplete();
        await loop.ConfigureAwait(false);
    }

    private async Task RunAllAsync()
    {
        List<Request> batch = [];
        while (await queue.Reader.WaitToReadAsync().ConfigureAwait(false))
        {
            Take(batch);
            if (batch.Count < batching.MaxBatch && batching.MaxWait > TimeSpan.Zero)
            {
                await WaitForMoreAsync(batch).ConfigureAwait(false);
            }

            foreach (IGrouping<EmbedOptions, Request> alike in batch.GroupBy(request => request.Options))
            {
                Run([.. alike]);
            }

            batch.Clear();
        }
    }

    private void Take(List<Request> batch)
    {
        while (batch.Count < batching.MaxBatch && queue.Reader.TryRead(out Request? request))
        {
            batch.Add(request);
        }
    }

    private async Task WaitForMoreAsync(List<Request> batch)
    {
        using CancellationTokenSource patience = new(batching.MaxWait);
        try
        {
            while (batch.Count < batching.MaxBatch
                && await queue.Reader.WaitToReadAsync(patience.Token).ConfigureAwait(false))
            {
                Take(batch);
            }
        }
        catch (OperationCanceledException)
        {
            // Waited long enough.
        }
    }

    private void Run(List<Request> requests)
    {
        using Batch running = new(requests);
        if (running.Requests.Count == 0)
        {
            return;
        }

        try
        {
            string[] texts = [.. running.Requests.Select(request => request.Text)];
            EmbeddingResult result = model.EmbedWithCounts(texts, requests[0].Options, running.Token);
            for (int i = 0; i < texts.Length; i++)
            {
                running.Requests[i].Answer(
                    new(result.Vectors[i], result.Counts.Tokens(i), result.Counts.UncutTokens(i)));
            }
        }
        catch (OperationCanceledException) when (running.Token.IsCancellationRequested)
        {
            // Nobody is left who waits for it.
        }
        catch (Exception failure)
        {
            Refuse(running.Requests, failure);
        }
    }

    /// <summary>Among several it is not known whose text is at fault, so that each is tried alone.</summary>
    private void Refuse(IReadOnlyList<Request> requests, Exception failure)
    {
        foreach (Request request in requests)
        {
            if (requests.Count == 1 || failure is ObjectDisposedException)
            {
                request.Fail(failure);
            }
            else
            {
                Run([request]);
            }
        }
    }

    private sealed class Request(string text, EmbedOptions options)
    {
        private readonly TaskCompletionSource<BatchedEmbedding> answer =
            new(TaskCreationOptions.RunContinuationsAsynchronously);

        private readonly object gate = new();
        private CancellationTokenRegistration registration;
        private Batch? batch;

        internal string Text => text;

        internal EmbedOptions Options => options;

        internal Task<BatchedEmbedding> WithdrawnBy(CancellationToken token)
        {
            registration = token.UnsafeRegister(
                static (request, by) => ((Request)request!).Withdraw(by), this);
            if (answer.Task.IsCompleted)
            {
                registration.Unregister();
            }

            return answer.Task;
        }

        /// <summary>False for one that was withdrawn before.</summary>
        internal bool Join(Batch joined)
        {
            lock (gate)
            {
                batch = joined;
                return !answer.Task.IsCompleted;
            }
        }

        internal void Answer(BatchedEmbedding embedding)
        {
            answer.TrySetResult(embedding);
            registration.Unregister();
        }

        internal void Fail(Exception failure)
        {
            answer.TrySetException(failure);
            registration.Unregister();
        }

        private void Withdraw(CancellationToken by)
        {
            lock (gate)
            {
                if (answer.TrySetCanceled(by))
                {
                    batch?.OneLeft();
                }
            }
        }
    }

    /// <summary>The requests that are run together; cancelled when all of them are.</summary>
    private sealed class Batch : IDisposable
    {
        private readonly CancellationTokenSource source = new();
        private readonly object gate = new();
        private int waiting;
        private bool disposed;

        internal Batch(List<Request> requests)
        {
            waiting = requests.Count;
            foreach (Request request in requests)
            {
                if (request.Join(this))
                {
                    Requests.Add(request);
                }
                else
                {
                    OneLeft();
                }
            }
        }

        internal List<Request> Requests { get; } = [];

        internal CancellationToken Token => source.Token;

        internal void OneLeft()
        {
            lock (gate)
            {
                waiting--;
                if (waiting == 0 && !disposed)
                {
                    source.Cancel();
                }
            }
        }

        public void Dispose()
        {
            lock (gate)
            {
                disposed = true;
                source.Dispose();
            }
        }
    }
}
