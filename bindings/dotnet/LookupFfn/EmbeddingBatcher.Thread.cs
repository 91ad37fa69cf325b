// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;

namespace LookupFfn;

public sealed partial class EmbeddingBatcher
{
    /// <summary>The thread: runs batches until nobody has come for a while.</summary>
    private void RunAll()
    {
        List<BatchPart> batch = [];
        while (Take(batch))
        {
            try
            {
                BeforeBatch?.Invoke();
                foreach (IGrouping<EmbedOptions, BatchPart> alike in batch.GroupBy(part => part.Call.Options))
                {
                    Run([.. alike]);
                }
            }
            catch (Exception failure)
            {
                // Whatever it was: who waits is told, and later calls are run.
                foreach (BatchPart part in batch)
                {
                    Fail(part.Call, failure);
                }
            }

            batch.Clear();
        }
    }

    /// <summary>Waits for a batch; false where the thread is to end.</summary>
    private bool Take(List<BatchPart> batch)
    {
        lock (gate)
        {
            while (queue.First is null || (waiting < batching.MaxBatch && !disposed && Patience(queue.First.Value) > TimeSpan.Zero))
            {
                if (queue.First is not null)
                {
                    Monitor.Wait(gate, Patience(queue.First.Value));
                }
                else if ((disposed && inParts == 0) || (!Monitor.Wait(gate, Linger) && queue.First is null && !disposed))
                {
                    running = false;
                    ended?.TrySetResult();
                    return false;
                }
            }

            int room = batching.MaxBatch;
            while (room > 0 && queue.First is LinkedListNode<BatchCall> first)
            {
                BatchPart part = first.Value.Take(room);
                queue.RemoveFirst();
                part.Call.Place = null;
                room -= part.Count;
                batch.Add(part);
                if (part.Call.Waiting > 0)
                {
                    part.Call.Place = queue.AddLast(part.Call);
                }
            }

            int taken = batching.MaxBatch - room;
            waiting -= taken;
            LookupFfnDiagnostics.Queued(model.Name, -taken);
            LetIn();
            counts.Begin(batch, model.Name);
            return true;
        }
    }

    /// <summary>Never below none, and never more than can be waited for.</summary>
    private TimeSpan Patience(BatchCall call)
    {
        TimeSpan left = batching.MaxWait - call.Waited;
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private void Run(List<BatchPart> parts)
    {
        RunningBatch batch;
        lock (gate)
        {
            parts.RemoveAll(part => part.Call.Ended);
            if (parts.Count == 0)
            {
                return;
            }

            batch = new RunningBatch(parts);
        }

        using Activity? activity = LookupFfnDiagnostics.Source.HasListeners()
            ? LookupFfnDiagnostics.Source.StartActivity(
                "lookupffn.batch",
                ActivityKind.Internal,
                default(ActivityContext),
                [new("lookupffn.model", model.Name), new("lookupffn.texts", batch.Texts)],
                parts.Where(part => part.Call.Asker != default).Select(part => new ActivityLink(part.Call.Asker)))
            : null;
        Exception? failure = null;
        try
        {
            string[] texts = [.. parts.SelectMany(part => Enumerable.Range(part.First, part.Count), (part, i) => part.Call.Text(i))];
            TextStatuses statuses = new();
            EmbedOptions options = parts[0].Call.Options with { Counts = new TextCounts(), Statuses = statuses };
            EmbeddingResult result = model.EmbedWithCounts(texts, options, batch.Token);
            lock (gate)
            {
                Answer(parts, result, statuses);
            }
        }
        catch (OperationCanceledException) when (batch.Token.IsCancellationRequested)
        {
            // Nobody is left who waits for it.
        }
        catch (Exception thrown)
        {
            activity?.SetStatus(ActivityStatusCode.Error, thrown.Message);
            failure = thrown;
        }

        lock (gate)
        {
            batch.Dispose();
        }

        if (failure is not null)
        {
            Refuse(parts, failure);
        }
    }

    private void Answer(List<BatchPart> parts, EmbeddingResult result, TextStatuses statuses)
    {
        int at = 0;
        foreach (BatchPart part in parts)
        {
            for (int i = part.First; i < part.First + part.Count; i++, at++)
            {
                if (part.Call.Ended)
                {
                    continue;
                }

                if (statuses.Status(at) != TextStatus.Done)
                {
                    Fail(part.Call, part.Call.Bad(i, statuses.Message(at)));
                    continue;
                }

                BatchedEmbedding embedding =
                    new(result.Vectors[at], result.Counts.Tokens(at), result.Counts.UncutTokens(at));
                counts.Cut += embedding.IsCut ? 1 : 0;
                part.Call.Put(i, embedding);
            }

            if (part.Call.Ended)
            {
                part.Call.Registration.Unregister();
            }
        }
    }

    /// <summary>Among several calls it is not known whose texts are at fault, so that each is tried alone.</summary>
    private void Refuse(List<BatchPart> parts, Exception failure)
    {
        foreach (BatchPart part in parts)
        {
            if (parts.Count == 1 || failure is ObjectDisposedException)
            {
                Fail(part.Call, failure);
            }
            else
            {
                Run([part]);
            }
        }
    }

    private void Fail(BatchCall call, Exception failure)
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
