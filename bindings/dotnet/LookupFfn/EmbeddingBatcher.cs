// SPDX-License-Identifier: Apache-2.0
using System.Globalization;

namespace LookupFfn;

/// <summary>Puts the texts of concurrent callers together, in the order in which they came, so that the model runs them in
/// batches. A cancelled request leaves at once and alone; a batch of which all were cancelled ends. A text that cannot be
/// run fails alone. Too many requests are refused. One that is idle has neither thread nor task, so that the collector
/// takes it when it is forgotten.</summary>
public sealed class EmbeddingBatcher : IDisposable, IAsyncDisposable
{
    private readonly Model model;
    private readonly BatchingOptions batching;
    private readonly object gate = new();

    // All below is changed under the gate.
    private readonly LinkedList<BatchRequest> queue = new();
    private readonly BatcherCounts counts = new();
    private TaskCompletionSource? idle; // while batches are run: set when none is left
    private TaskCompletionSource? enough; // while a batch waits for more: set when it need not
    private bool disposed;

    /// <summary>Makes one that leaves the model open when it is disposed of.</summary>
    /// <param name="model">What runs the texts.</param>
    /// <param name="batching">How; null for the defaults.</param>
    public EmbeddingBatcher(Model model, BatchingOptions? batching = null)
    {
        ArgumentNullException.ThrowIfNull(model);
        this.model = model;
        this.batching = batching ?? new BatchingOptions();
        ArgumentOutOfRangeException.ThrowIfLessThan(this.batching.MaxBatch, 1, nameof(batching));
        ArgumentOutOfRangeException.ThrowIfLessThan(this.batching.MaxQueue, 1, nameof(batching));
        ArgumentOutOfRangeException.ThrowIfLessThan(this.batching.MaxWait, TimeSpan.Zero, nameof(batching));

        // What timers can wait.
        ArgumentOutOfRangeException.ThrowIfGreaterThan(this.batching.MaxWait, TimeSpan.FromDays(49), nameof(batching));
    }

    /// <summary>For tests of what happens when something fails that never should.</summary>
    internal Action? BeforeBatch { get; set; }

    /// <summary>What the batcher did so far, and how many requests wait.</summary>
    public BatcherFigures Figures
    {
        get
        {
            lock (gate)
            {
                return counts.Tell(queue.Count);
            }
        }
    }

    /// <summary>A vector for the text, in a batch with those of others who ask with equal options.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it. Its counts and statuses are not filled: the result
    /// has the counts.</param>
    /// <param name="cancellationToken">Takes the request back.</param>
    /// <returns>The vector, and how many tokens the text had. The task fails with what
    /// <see cref="Model.EmbedAsync(string, EmbedOptions?, CancellationToken)"/> fails with, or with a
    /// <see cref="QueueFullException"/> where too many requests wait.</returns>
    /// <exception cref="ObjectDisposedException">The batcher is disposed.</exception>
    public Task<BatchedEmbedding> EmbedAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<BatchedEmbedding>(cancellationToken);
        }

        EmbedOptions asked = (options ?? EmbedOptions.Default) with { Counts = null, Statuses = null, Progress = null };
        try
        {
            // What a call of the model would refuse waits for no batch, and spoils none.
            Utf8.SizeOf(Utf8.Readable(text, asked.Repair), nameof(text));
            asked.Check();
        }
        catch (ArgumentException bad)
        {
            return Task.FromException<BatchedEmbedding>(bad);
        }

        BatchRequest request = new(text, asked, Forget);
        bool start;
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(disposed, this);
            if (queue.Count >= batching.MaxQueue)
            {
                counts.Refused++;
                return Task.FromException<BatchedEmbedding>(new QueueFullException(string.Create(
                    CultureInfo.InvariantCulture, $"{queue.Count} requests wait already: ask again later")));
            }

            counts.Accepted++;
            request.Place = queue.AddLast(request);
            start = idle is null;
            idle ??= new(TaskCreationOptions.RunContinuationsAsynchronously);
            if (queue.Count >= batching.MaxBatch)
            {
                enough?.TrySetResult();
            }
        }

        if (start)
        {
            // Without what flows from the caller, which is not the others'.
            ThreadPool.UnsafeQueueUserWorkItem(static batcher => _ = batcher.RunAllAsync(), this, preferLocal: false);
        }

        return request.WithdrawnBy(cancellationToken);
    }

    /// <summary>Takes no more requests, and waits for those that are there.</summary>
    public void Dispose() => Close().GetAwaiter().GetResult();

    /// <summary>Takes no more requests, and ends when those that are there are answered.</summary>
    /// <returns>When that is.</returns>
    public async ValueTask DisposeAsync() => await Close().ConfigureAwait(false);

    private Task Close()
    {
        lock (gate)
        {
            disposed = true;
            enough?.TrySetResult();
            return idle?.Task ?? Task.CompletedTask;
        }
    }

    /// <summary>Runs batches until nobody waits.</summary>
    private async Task RunAllAsync()
    {
        while (true)
        {
            List<BatchRequest> batch = [];
            try
            {
                await WaitForMoreAsync().ConfigureAwait(false);
                if (!Take(batch))
                {
                    return;
                }

                BeforeBatch?.Invoke();
                foreach (IGrouping<EmbedOptions, BatchRequest> alike in batch.GroupBy(request => request.Options))
                {
                    Run([.. alike]);
                }
            }
            catch (Exception failure)
            {
                // Whatever it was: who waits is told, and later requests are run.
                foreach (BatchRequest request in batch)
                {
                    Fail(request, failure);
                }
            }
        }
    }

    /// <summary>Waits until the first request has waited as long as it may, or the batch is full.</summary>
    private async Task WaitForMoreAsync()
    {
        TaskCompletionSource signal;
        TimeSpan patience;
        lock (gate)
        {
            if (queue.First is null || queue.Count >= batching.MaxBatch || disposed)
            {
                return;
            }

            patience = batching.MaxWait - queue.First.Value.Waited;
            if (patience <= TimeSpan.Zero)
            {
                return;
            }

            enough = signal = new(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        try
        {
            await signal.Task.WaitAsync(patience).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // Waited long enough.
        }
        catch (OutOfMemoryException)
        {
            // No timer: not to wait is as right.
        }

        lock (gate)
        {
            enough = null;
        }
    }

    /// <summary>False where nobody waits: then the next request has to start the batches again.</summary>
    private bool Take(List<BatchRequest> batch)
    {
        lock (gate)
        {
            if (queue.Count == 0)
            {
                idle!.TrySetResult();
                idle = null;
                return false;
            }

            while (batch.Count < batching.MaxBatch && queue.First is LinkedListNode<BatchRequest> first)
            {
                batch.Add(first.Value);
                queue.RemoveFirst();
            }

            counts.Begin(batch);
            return true;
        }
    }

    private void Run(List<BatchRequest> requests)
    {
        using RunningBatch running = new(requests);
        if (running.Requests.Count == 0)
        {
            return;
        }

        try
        {
            if (running.Requests.Count == 1)
            {
                running.Requests[0].Answer(
                    model.EmbedWithCounts(running.Requests[0].Text, requests[0].Options, running.Token));
                return;
            }

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
    private void Refuse(List<BatchRequest> requests, Exception failure)
    {
        foreach (BatchRequest request in requests)
        {
            if (requests.Count == 1 || failure is ObjectDisposedException)
            {
                Fail(request, failure);
            }
            else
            {
                Run([request]);
            }
        }
    }

    private void Fail(BatchRequest request, Exception failure)
    {
        lock (gate)
        {
            counts.Failed += request.Fail(failure) ? 1 : 0;
        }
    }

    /// <summary>One that was withdrawn takes no room among those that wait.</summary>
    private void Forget(BatchRequest request)
    {
        lock (gate)
        {
            counts.Withdrawn++;
            if (request.Place?.List == queue)
            {
                queue.Remove(request.Place);
            }

            if (queue.Count == 0)
            {
                enough?.TrySetResult();
            }
        }
    }
}

/// <summary>A batcher's figures while they grow.</summary>
internal sealed class BatcherCounts
{
    private long batches;
    private long batched;
    private int largest;
    private TimeSpan total;
    private TimeSpan longest;

    internal long Accepted { get; set; }

    internal long Refused { get; set; }

    internal long Withdrawn { get; set; }

    internal long Failed { get; set; }

    internal void Begin(List<BatchRequest> batch)
    {
        batches++;
        batched += batch.Count;
        largest = Math.Max(largest, batch.Count);
        foreach (BatchRequest request in batch)
        {
            TimeSpan waited = request.Waited;
            total += waited;
            longest = waited > longest ? waited : longest;
        }
    }

    internal BatcherFigures Tell(int depth) => new()
    {
        Depth = depth,
        Accepted = Accepted,
        Refused = Refused,
        Withdrawn = Withdrawn,
        Failed = Failed,
        Batches = batches,
        Batched = batched,
        LargestBatch = largest,
        TotalWait = total,
        LongestWait = longest,
    };
}
