// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>Runs the texts of all concurrent calls as its plan says, on two threads: one for batches, one for long texts beside
/// them. Derived classes say what is run.</summary>
internal abstract partial class TextBatcher<TResult>
{
    private static readonly TimeSpan Linger = TimeSpan.FromSeconds(1);

    private readonly Type owner;
    private readonly string? name;
    private readonly BatchingOptions batching;
    private readonly object gate = new();

    // All below is changed under the gate.
    private readonly BatchPlan plan;
    private readonly BatcherCounts counts = new();
    private readonly BatchLane batches = new(isLong: false);
    private readonly BatchLane longTexts = new(isLong: true);
    private TaskCompletionSource? ended; // set when the threads have ended
    private bool disposed;

    /// <summary>Makes one.</summary>
    /// <param name="owner">The object that callers know.</param>
    /// <param name="model">What runs the texts.</param>
    /// <param name="options">How; null for the defaults.</param>
    protected TextBatcher(Type owner, Model model, BatchingOptions? options)
    {
        this.owner = owner;
        batching = (options ?? new BatchingOptions()) with { };
        batching.Validate();
        name = model.Name;
        MaxBatchTokens = batching.MaxBatchTokens
            ?? (int)Math.Min(BatchingOptions.TokensPerThread * (long)Math.Max(1, model.Info.NumThreads), int.MaxValue);
        plan = new(MaxBatchTokens, batching.MaxBatch, batching.MaxQueue, batching.MaxBulkCalls);
    }

    /// <summary>Lets tests make something fail that never should.</summary>
    internal Action? BeforeBatch { get; set; }

    internal int MaxQueue => batching.MaxQueue;

    internal int MaxBatchTokens { get; }

    internal BatcherFigures Figures
    {
        get
        {
            lock (gate)
            {
                return counts.Tell(plan);
            }
        }
    }

    /// <summary>Runs the texts of calls with equal options. The statuses are null if single texts have none.</summary>
    protected abstract (IReadOnlyList<TResult> Results, TextStatuses? Statuses) Run(
        string[] texts, object how, CancellationToken cancellationToken);

    protected abstract bool IsCut(TResult result);

    /// <summary>Admits a call, or refuses it. Texts of calls whose <c>how</c> are equal may be run together.</summary>
    /// <param name="texts">Readable texts, which nobody changes.</param>
    /// <param name="costs">What each costs.</param>
    /// <param name="how">What they are run with.</param>
    /// <param name="parameter">What the caller calls the texts; "text" for one that is in no list.</param>
    /// <param name="cancellationToken">Withdraws what has not been run.</param>
    /// <returns>A result for each.</returns>
    internal Task<TResult[]> Ask(
        string[] texts, TextCost[] costs, object how, string parameter, CancellationToken cancellationToken)
    {
        BatchCall<TResult> call = new(texts, costs, how, parameter);
        lock (gate)
        {
            ObjectDisposedException.ThrowIf(disposed, owner);
            if (texts.Length == 0)
            {
                return Task.FromResult<TResult[]>([]);
            }

            if (!plan.Add(call, batching.WhenFull == WhenQueueIsFull.Wait))
            {
                counts.Refused += call.Count;
                LookupFfnDiagnostics.Refused(name, call.IsShort, call.Count);
                return Task.FromException<TResult[]>(
                    call.IsShort
                        ? QueueFullException.OfTexts(plan.ShortTexts, batching.MaxQueue, call.Count)
                        : QueueFullException.OfBulkCalls(plan.BulkCalls, batching.MaxBulkCalls));
            }

            counts.Accepted += call.Count;
            LookupFfnDiagnostics.Queued(name, call.IsShort, call.Count);
            try
            {
                Begin(batches, plan.HasBatch);
                Begin(longTexts, plan.HasLongText);
            }
            catch (Exception failure)
            {
                call.Fail(failure);
                Leave(call);
                return call.Answer;
            }

            // The threads sleep until they have something to do, or until the first call has waited long enough.
            Monitor.PulseAll(gate);
        }

        CancellationTokenRegistration registration = cancellationToken.UnsafeRegister((_, by) => Withdraw(call, by), null);
        lock (gate)
        {
            call.Registration = registration;
            if (call.Ended)
            {
                registration.Unregister();
            }
        }

        return call.Answer;
    }

    /// <summary>Takes no more calls, and ends when those that are there are answered.</summary>
    internal Task Close()
    {
        lock (gate)
        {
            disposed = true;
            if (!batches.IsRunning && !longTexts.IsRunning)
            {
                return Task.CompletedTask;
            }

            ended ??= new(TaskCreationOptions.RunContinuationsAsynchronously);
            Monitor.PulseAll(gate);
            return ended.Task;
        }
    }

    private void Withdraw(BatchCall<TResult> call, CancellationToken by)
    {
        lock (gate)
        {
            if (call.Cancel(by))
            {
                counts.Withdrawn += call.Open;
                Leave(call);
            }
        }
    }

    private void Begin(BatchLane lane, bool isNeeded)
    {
        if (isNeeded && !lane.IsRunning)
        {
            // Without the caller's execution context, which other calls do not share.
            new Thread(() => RunAll(lane)) { IsBackground = true, Name = lane.ThreadName }.UnsafeStart();
            lane.IsRunning = true;
        }
    }

    /// <summary>Withdraws the texts of an ended call that still wait, which makes room for others. What is being run
    /// ends if nobody else waits for it.</summary>
    private void Leave(BatchCall<TResult> call)
    {
        call.Registration.Unregister();
        int left = plan.Remove(call);
        LookupFfnDiagnostics.Queued(name, call.IsShort, -left);
        batches.Batch?.OneLeft();
        longTexts.Batch?.OneLeft();
        Monitor.PulseAll(gate);
    }
}
