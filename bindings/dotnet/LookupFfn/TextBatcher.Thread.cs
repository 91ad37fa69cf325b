// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;

namespace LookupFfn;

internal abstract partial class TextBatcher<TResult>
{
    /// <summary>A thread: runs batches, or long texts, until nobody has come for a while.</summary>
    private void RunAll(BatchLane lane)
    {
        while (Take(lane) is List<BatchPart> batch)
        {
            try
            {
                // A listener to metrics may throw.
                lock (gate)
                {
                    counts.Begin(batch, name);
                }

                BeforeBatch?.Invoke();
                foreach (IGrouping<object, BatchPart> alike in batch.GroupBy(part => CallOf(part).How))
                {
                    Run(lane, [.. alike]);
                }
            }
            catch (Exception failure)
            {
                // Whatever failed, the callers that wait are told, and later calls are run.
                foreach (BatchPart part in batch)
                {
                    Fail(CallOf(part), failure);
                }
            }
        }
    }

    /// <summary>All calls in the plan are of this type.</summary>
    private static BatchCall<TResult> CallOf(BatchPart part) => (BatchCall<TResult>)part.Call;

    /// <summary>Waits for a batch; null if the thread is to end.</summary>
    private List<BatchPart>? Take(BatchLane lane)
    {
        lock (gate)
        {
            while (true)
            {
                if (HasWorkFor(lane))
                {
                    TimeSpan patience = lane.IsLong ? TimeSpan.Zero : Patience();
                    if (patience > TimeSpan.Zero)
                    {
                        Monitor.Wait(gate, patience);
                        continue;
                    }

                    return lane.IsLong ? plan.NextLongText() : plan.NextBatch();
                }

                if (disposed || (!Monitor.Wait(gate, Linger) && !HasWorkFor(lane)))
                {
                    lane.IsRunning = false;
                    if (disposed && !batches.IsRunning && !longTexts.IsRunning)
                    {
                        ended?.TrySetResult();
                    }

                    return null;
                }
            }
        }
    }

    private bool HasWorkFor(BatchLane lane) => lane.IsLong ? plan.HasLongText : plan.HasBatch;

    /// <summary>How long the short calls wait for others; never below 0, and never longer than a thread can
    /// wait.</summary>
    private TimeSpan Patience()
    {
        TimeSpan left = disposed || plan.MayWaitForOthers is not BatchCall first ? TimeSpan.Zero : batching.MaxWait - first.Waited;
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private void Run(BatchLane lane, List<BatchPart> parts)
    {
        RunningBatch batch;
        lock (gate)
        {
            parts.RemoveAll(part => CallOf(part).Ended);
            if (parts.Count == 0)
            {
                return;
            }

            lane.Batch = batch = new RunningBatch(parts);
        }

        using Activity? activity = LookupFfnDiagnostics.Source.HasListeners()
            ? LookupFfnDiagnostics.Source.StartActivity(
                "lookupffn.batch",
                ActivityKind.Internal,
                default(ActivityContext),
                [new("lookupffn.model", name), new("lookupffn.texts", batch.Texts)],
                parts.Select(part => CallOf(part).Asker).Where(asker => asker != default).Select(asker => new ActivityLink(asker)))
            : null;
        Exception? failure = null;
        try
        {
            string[] texts = [.. parts.SelectMany(part => part.Places, (part, place) => CallOf(part).Text(place))];
            (IReadOnlyList<TResult> results, TextStatuses? statuses) = Run(texts, CallOf(parts[0]).How, batch.Token);
            lock (gate)
            {
                Answer(parts, results, statuses);
            }
        }
        catch (OperationCanceledException) when (batch.Token.IsCancellationRequested)
        {
            // No caller waits for it any more.
        }
        catch (Exception thrown)
        {
            activity?.SetStatus(ActivityStatusCode.Error, thrown.Message);
            failure = thrown;
        }

        lock (gate)
        {
            lane.Batch = null;
            batch.Dispose();
        }

        if (failure is not null)
        {
            Refuse(lane, parts, failure);
        }
    }

    private void Answer(List<BatchPart> parts, IReadOnlyList<TResult> results, TextStatuses? statuses)
    {
        int first = 0;
        foreach (BatchPart part in parts)
        {
            BatchCall<TResult> call = CallOf(part);
            for (int i = 0; i < part.Places.Count && !call.Ended; i++)
            {
                int place = part.Places[i];
                int at = first + i;
                if (statuses is null || statuses.Status(at) == TextStatus.Done)
                {
                    counts.Cut += IsCut(results[at]) ? 1 : 0;
                    call.Put(place, results[at]);
                }
                else
                {
                    Fail(call, call.Bad(place, statuses.Message(at)));
                }
            }

            first += part.Places.Count;
            if (call.Ended)
            {
                call.Registration.Unregister();
            }
        }
    }

    /// <summary>With several calls it is not known whose texts are at fault, so each call is run alone.</summary>
    private void Refuse(BatchLane lane, List<BatchPart> parts, Exception failure)
    {
        foreach (BatchPart part in parts)
        {
            if (parts.Count == 1 || failure is ObjectDisposedException)
            {
                Fail(CallOf(part), failure);
            }
            else
            {
                Run(lane, [part]);
            }
        }
    }

    private void Fail(BatchCall<TResult> call, Exception failure)
    {
        lock (gate)
        {
            if (call.Fail(failure))
            {
                counts.Failed += call.Open;
                Leave(call);
            }
        }
    }
}
