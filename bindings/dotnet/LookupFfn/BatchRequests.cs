// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;

namespace LookupFfn;

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
