// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;
using System.Globalization;

namespace LookupFfn;

/// <summary>A call whose texts wait for batches. All of it is changed under the batcher's gate.</summary>
internal sealed class BatchCall(EmbeddingBatcher batcher, string[] texts, EmbedOptions options, string name)
{
    private readonly TaskCompletionSource<BatchedEmbedding[]> answer =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly long since = Stopwatch.GetTimestamp();
    private readonly BatchedEmbedding[] results = new BatchedEmbedding[texts.Length];
    private int taken;
    private int done;

    /// <summary>Where it waits; null where none of its texts does.</summary>
    internal LinkedListNode<BatchCall>? Place { get; set; }

    /// <summary>How many of the caller's texts went before, in calls of their own.</summary>
    internal int Before { get; init; }

    /// <summary>How many texts the caller gave.</summary>
    internal int All { get; init; } = texts.Length;

    /// <summary>Whether others of the caller's texts will follow in calls of their own.</summary>
    internal bool IsFirstPart => Before == 0 && All > texts.Length;

    /// <summary>Whether it was let in, if only to wait for room.</summary>
    internal bool IsIn { get; set; }

    /// <summary>What runs some of its texts.</summary>
    internal RunningBatch? Batch { get; set; }

    internal CancellationTokenRegistration Registration { get; set; }

    /// <summary>Who asked.</summary>
    internal ActivityContext Asker { get; } = Activity.Current?.Context ?? default;

    internal EmbedOptions Options => options;

    internal int Count => texts.Length;

    /// <summary>How many of its texts are in no batch yet.</summary>
    internal int Waiting => texts.Length - taken;

    /// <summary>How many have no answer yet.</summary>
    internal int Open => texts.Length - done;

    internal TimeSpan Waited => Stopwatch.GetElapsedTime(since);

    internal bool Ended => answer.Task.IsCompleted;

    internal Task<BatchedEmbedding[]> Answer => answer.Task;

    internal BatchPart Take(int most)
    {
        BatchPart part = new(this, taken, Math.Min(most, Waiting));
        taken += part.Count;
        return part;
    }

    internal string Text(int i) => texts[i];

    /// <summary>A text's place as the caller counts.</summary>
    internal ArgumentException Bad(int i, string why) =>
        new(name == "text" ? $"{name}: {why}" : string.Create(CultureInfo.InvariantCulture, $"{name}[{Before + i}]: {why}"), name);

    internal void Put(int i, BatchedEmbedding result)
    {
        results[i] = result;
        done++;
        if (done == texts.Length)
        {
            answer.TrySetResult(results);
        }
    }

    internal bool Fail(Exception failure) => answer.TrySetException(failure);

    internal bool Cancel(CancellationToken by) => answer.TrySetCanceled(by);

    internal void Withdraw(CancellationToken by) => batcher.Withdraw(this, by);
}

/// <summary>Some texts of a call, which follow each other and go into one batch.</summary>
internal readonly record struct BatchPart(BatchCall Call, int First, int Count);

/// <summary>The parts that are run together; cancelled when nobody waits for any of them. Changed under the batcher's
/// gate.</summary>
internal sealed class RunningBatch : IDisposable
{
    private readonly CancellationTokenSource source = new();
    private int waiting;
    private bool disposed;

    internal RunningBatch(List<BatchPart> parts)
    {
        Parts = parts;
        waiting = parts.Count;
        foreach (BatchPart part in parts)
        {
            part.Call.Batch = this;
            Texts += part.Count;
        }
    }

    internal List<BatchPart> Parts { get; }

    internal int Texts { get; }

    internal CancellationToken Token => source.Token;

    internal void OneLeft()
    {
        waiting--;
        if (waiting == 0 && !disposed)
        {
            source.Cancel();
        }
    }

    public void Dispose()
    {
        disposed = true;
        foreach (BatchPart part in Parts)
        {
            part.Call.Batch = null;
        }

        source.Dispose();
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

    internal long Cut { get; set; }

    internal void Begin(List<BatchPart> batch, string? model)
    {
        int texts = 0;
        foreach (BatchPart part in batch)
        {
            TimeSpan waited = part.Call.Waited;
            texts += part.Count;
            total += waited * part.Count;
            longest = waited > longest ? waited : longest;
            LookupFfnDiagnostics.Waited(model, waited, part.Count);
        }

        batches++;
        batched += texts;
        largest = Math.Max(largest, texts);
        LookupFfnDiagnostics.Batched(model, texts);
    }

    internal BatcherFigures Tell(int depth) => new()
    {
        Depth = depth,
        Accepted = Accepted,
        Refused = Refused,
        Withdrawn = Withdrawn,
        Failed = Failed,
        Cut = Cut,
        Batches = batches,
        Batched = batched,
        LargestBatch = largest,
        TotalWait = total,
        LongestWait = longest,
    };
}
