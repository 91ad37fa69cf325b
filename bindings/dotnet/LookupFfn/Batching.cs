// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;

namespace LookupFfn;

/// <summary>How concurrent requests are put together.</summary>
public sealed record BatchingOptions
{
    /// <summary>How long the first request of a batch waits for others at most. Default 0: only what came while the
    /// batch before was running goes together, so that a request that finds the model idle does not wait.</summary>
    public TimeSpan MaxWait { get; init; }

    /// <summary>How many requests go together at most. Default 32.</summary>
    public int MaxBatch { get; init; } = 32;

    /// <summary>How many requests wait at most; one more is refused with a <see cref="QueueFullException"/>.
    /// Default 4096.</summary>
    public int MaxQueue { get; init; } = 4096;
}

/// <summary>What became of a text that was run among others.</summary>
/// <param name="Vector">The vector, the same to the bit as alone.</param>
/// <param name="Tokens">How many tokens were run.</param>
/// <param name="UncutTokens">How many tokens the text would have had without cutting.</param>
public sealed record BatchedEmbedding(float[] Vector, int Tokens, long UncutTokens)
{
    /// <summary>Whether the vectors hold the same numbers, and the counts are the same.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether they are.</returns>
    public bool Equals(BatchedEmbedding? other) =>
        other is not null && Tokens == other.Tokens && UncutTokens == other.UncutTokens
        && Values.Same(Vector, other.Vector);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Tokens, UncutTokens, Values.Hash(Vector));

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        System.Globalization.CultureInfo.InvariantCulture,
        $"a vector of {Vector.Length} numbers, {Tokens} tokens{(UncutTokens > Tokens ? ", cut" : "")}");
}

/// <summary>Too many requests wait already. Whoever asks may do so again later.</summary>
public sealed class QueueFullException : InvalidOperationException
{
    internal QueueFullException(string message)
        : base(message)
    {
    }
}

/// <summary>What a batcher did since it was made, and what it has to do.</summary>
public sealed record BatcherFigures
{
    /// <summary>How many requests wait now.</summary>
    public required int Depth { get; init; }

    /// <summary>How many requests were let in.</summary>
    public required long Accepted { get; init; }

    /// <summary>How many requests were refused because too many waited.</summary>
    public required long Refused { get; init; }

    /// <summary>How many requests their callers took back.</summary>
    public required long Withdrawn { get; init; }

    /// <summary>How many requests ended with a failure.</summary>
    public required long Failed { get; init; }

    /// <summary>How many batches were begun.</summary>
    public required long Batches { get; init; }

    /// <summary>How many requests went into them.</summary>
    public required long Batched { get; init; }

    /// <summary>How many requests the largest batch had.</summary>
    public required int LargestBatch { get; init; }

    /// <summary>How long the requests of all batches waited before their batch was begun, together.</summary>
    public required TimeSpan TotalWait { get; init; }

    /// <summary>How long the request that waited longest did.</summary>
    public required TimeSpan LongestWait { get; init; }

    /// <summary>How many requests a batch had on average; 0 before the first one.</summary>
    public double MeanBatch => Batches == 0 ? 0 : (double)Batched / Batches;

    /// <summary>How long a request waited on average; none before the first one.</summary>
    public TimeSpan MeanWait => Batched == 0 ? TimeSpan.Zero : TotalWait / Batched;
}

/// <summary>A text that waits for its vector, or for its batch to be run.</summary>
internal sealed class BatchRequest(string text, EmbedOptions options, Action<BatchRequest> withdrawn)
{
    private readonly TaskCompletionSource<BatchedEmbedding> answer =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly long since = Stopwatch.GetTimestamp();
    private readonly object gate = new();
    private CancellationTokenRegistration registration;
    private RunningBatch? batch;

    /// <summary>Where it waits.</summary>
    internal LinkedListNode<BatchRequest>? Place { get; set; }

    internal string Text => text;

    internal EmbedOptions Options => options;

    internal TimeSpan Waited => Stopwatch.GetElapsedTime(since);

    internal Task<BatchedEmbedding> WithdrawnBy(CancellationToken token)
    {
        registration = token.UnsafeRegister(static (request, by) => ((BatchRequest)request!).Withdraw(by), this);
        if (answer.Task.IsCompleted)
        {
            registration.Unregister();
        }

        return answer.Task;
    }

    /// <summary>False for one that was withdrawn before.</summary>
    internal bool Join(RunningBatch joined)
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

    /// <summary>False for one that has its answer, or was withdrawn.</summary>
    internal bool Fail(Exception failure)
    {
        bool failed = answer.TrySetException(failure);
        registration.Unregister();
        return failed;
    }

    private void Withdraw(CancellationToken by)
    {
        lock (gate)
        {
            if (!answer.TrySetCanceled(by))
            {
                return;
            }

            batch?.OneLeft();
        }

        withdrawn(this);
    }
}

/// <summary>The requests that are run together; cancelled when all of them are.</summary>
internal sealed class RunningBatch : IDisposable
{
    private readonly CancellationTokenSource source = new();
    private readonly object gate = new();
    private int waiting;
    private bool disposed;

    internal RunningBatch(IReadOnlyList<BatchRequest> requests)
    {
        waiting = requests.Count;
        foreach (BatchRequest request in requests)
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

    internal List<BatchRequest> Requests { get; } = [];

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
