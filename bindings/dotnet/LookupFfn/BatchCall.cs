// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;

namespace LookupFfn;

/// <summary>A call whose texts wait for batches. All of it is changed under the batcher's gate.</summary>
internal abstract class BatchCall(string[] texts, TextCost[] costs, object how, string parameter) : PlannedCall(costs)
{
    private readonly long since = Stopwatch.GetTimestamp();
    private bool begun;

    internal CancellationTokenRegistration Registration { get; set; }

    /// <summary>The caller's trace, if it has one.</summary>
    internal ActivityContext Asker { get; } = Activity.Current?.Context ?? default;

    internal object How => how;

    internal TimeSpan Waited => Stopwatch.GetElapsedTime(since);

    internal abstract bool Ended { get; }

    internal string Text(int i) => texts[i];

    /// <summary>Tells once how long the caller waited for the first batch, in the caller's trace.</summary>
    internal Activity? Begin(string? model)
    {
        bool isFirst = !begun;
        begun = true;
        return isFirst && Asker != default ? LookupFfnDiagnostics.WaitOf(Asker, model, Waited) : null;
    }

    /// <summary>A text's place in the caller's list.</summary>
    internal ArgumentException Bad(int i, string why) => new($"{Utf8.Told(parameter, parameter == "text" ? null : i)}: {why}", parameter);
}

/// <summary>A call with an answer of some type.</summary>
internal sealed class BatchCall<TResult>(string[] texts, TextCost[] costs, object how, string parameter)
    : BatchCall(texts, costs, how, parameter)
{
    private readonly TaskCompletionSource<TResult[]> answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TResult[] results = new TResult[texts.Length];
    private int done;

    internal override bool Ended => answer.Task.IsCompleted;

    /// <summary>How many texts have no answer yet.</summary>
    internal int Open => results.Length - done;

    internal Task<TResult[]> Answer => answer.Task;

    internal void Put(int i, TResult result)
    {
        results[i] = result;
        done++;
        if (done == results.Length)
        {
            answer.TrySetResult(results);
        }
    }

    internal bool Fail(Exception failure) => answer.TrySetException(failure);

    internal bool Cancel(CancellationToken by) => answer.TrySetCanceled(by);
}

/// <summary>What one thread of a batcher runs: batches, or long texts beside them. Changed under the batcher's gate.</summary>
internal sealed class BatchLane(bool isLong)
{
    internal bool IsLong => isLong;

    internal string ThreadName => isLong ? "LookupFfn long texts" : "LookupFfn batches";

    /// <summary>Whether it has a thread.</summary>
    internal bool IsRunning { get; set; }

    /// <summary>What is run; null for nothing.</summary>
    internal RunningBatch? Batch { get; set; }
}

/// <summary>The parts that are run together; cancelled when nobody waits for any of them. Changed under the batcher's
/// gate.</summary>
internal sealed class RunningBatch(List<BatchPart> parts) : IDisposable
{
    private readonly CancellationTokenSource source = new();

    internal int Texts => parts.Sum(part => part.Places.Count);

    internal CancellationToken Token => source.Token;

    internal void OneLeft()
    {
        if (parts.TrueForAll(part => ((BatchCall)part.Call).Ended))
        {
            source.Cancel();
        }
    }

    public void Dispose() => source.Dispose();
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
        int texts = batch.Sum(part => part.Places.Count);
        batches++;
        batched += texts;
        largest = Math.Max(largest, texts);
        foreach (BatchPart part in batch)
        {
            BatchCall call = (BatchCall)part.Call;
            TimeSpan waited = call.Waited;
            int count = part.Places.Count;
            total += waited * count;
            longest = waited > longest ? waited : longest;
            using Activity? wait = call.Begin(model);
            LookupFfnDiagnostics.Waited(model, call.IsShort, waited, count);
            LookupFfnDiagnostics.Queued(model, call.IsShort, -count);
        }

        LookupFfnDiagnostics.Batched(model, texts);
    }

    internal BatcherFigures Tell(BatchPlan plan) => new()
    {
        Depth = plan.ShortTexts,
        BulkDepth = plan.BulkTexts,
        BulkCalls = plan.BulkCalls,
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
