// SPDX-License-Identifier: Apache-2.0
using System.Globalization;

namespace LookupFfn;

/// <summary>Puts the texts of all concurrent calls together, so that the model runs them in batches, on a thread of its own.
/// Calls take turns: each gives a batch as many texts as there is room for, and with texts left goes behind the others, so
/// that a call of one text does not wait for all of a call of thousands. A cancelled call leaves at once and alone; a batch
/// of which all calls were cancelled ends. A text that cannot be run fails its call alone. Too many texts are refused. One
/// that had nothing to do for a second has no thread, so that the collector takes it when it is forgotten.</summary>
/// <example><code>await using EmbeddingBatcher batcher = new(model, new BatchingOptions { MaxQueue = 1024 });
/// BatchedEmbedding one = await batcher.EmbedAsync("A sentence.");</code></example>
public sealed partial class EmbeddingBatcher : ITextEmbedder, IDisposable, IAsyncDisposable
{
    private static readonly TimeSpan Linger = TimeSpan.FromSeconds(1);

    private readonly Model model;
    private readonly BatchingOptions batching;
    private readonly object gate = new();

    // All below is changed under the gate.
    private readonly LinkedList<BatchCall> queue = new();
    private readonly LinkedList<BatchCall> outside = new(); // for which there is no room yet
    private readonly BatcherCounts counts = new();
    private int waiting; // texts of calls in the queue
    private int reserved; // texts of calls outside
    private int inParts; // calls of more than MaxQueue texts that were let in
    private bool running;
    private TaskCompletionSource? ended; // set when the thread has ended
    private bool disposed;

    /// <summary>Makes one that leaves the model open when it is disposed of.</summary>
    /// <param name="model">What runs the texts.</param>
    /// <param name="batching">How; null for the defaults.</param>
    public EmbeddingBatcher(Model model, BatchingOptions? batching = null)
    {
        ArgumentNullException.ThrowIfNull(model);
        this.model = model;
        this.batching = (batching ?? new BatchingOptions()) with { };
        this.batching.Check(nameof(batching));
    }

    /// <summary>For tests of what happens when something fails that never should.</summary>
    internal Action? BeforeBatch { get; set; }

    /// <summary>What runs the texts.</summary>
    public Model Model => model;

    /// <summary>How many texts wait at most.</summary>
    public int MaxQueue => batching.MaxQueue;

    /// <summary>What the batcher did so far, and how many texts wait.</summary>
    public BatcherFigures Figures
    {
        get
        {
            lock (gate)
            {
                return counts.Tell(waiting + reserved);
            }
        }
    }

    /// <summary>A vector for the text, in a batch with those of others who ask with equal options.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it. Its counts and statuses are not filled: the result
    /// has the counts.</param>
    /// <param name="cancellationToken">Takes the text back.</param>
    /// <returns>The vector, and how many tokens the text had. The task fails with what
    /// <see cref="Model.EmbedAsync(string, EmbedOptions?, CancellationToken)"/> fails with, or with a
    /// <see cref="QueueFullException"/> where too many texts wait.</returns>
    /// <exception cref="ObjectDisposedException">The batcher is disposed.</exception>
    public Task<BatchedEmbedding> EmbedAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        return First(Ask([text], options, nameof(text), cancellationToken));

        static async Task<BatchedEmbedding> First(Task<BatchedEmbedding[]> all) => (await all.ConfigureAwait(false))[0];
    }

    /// <summary>A vector for each text, in batches with those of others who ask with equal options.</summary>
    /// <param name="texts">Any number of texts. A call of more than <see cref="BatchingOptions.MaxQueue"/> is let in where there
    /// is room for a quarter of the queue and no other such call is being run, and is then put into the queue part by
    /// part.</param>
    /// <param name="options">How; null: as the model means it. Its counts and statuses are not filled: the results
    /// have the counts.</param>
    /// <param name="cancellationToken">Takes back what has not been run.</param>
    /// <returns>The vectors in the order of the texts. The task fails with what
    /// <see cref="Model.EmbedAsync(IReadOnlyList{string}, EmbedOptions?, CancellationToken)"/> fails with, or with a
    /// <see cref="QueueFullException"/> where too many texts wait: then none of these was run.</returns>
    /// <exception cref="ObjectDisposedException">The batcher is disposed.</exception>
    public Task<BatchedEmbedding[]> EmbedAsync(
        IReadOnlyList<string> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(texts);
        return Ask([.. texts], options, nameof(texts), cancellationToken);
    }

    /// <summary>Takes no more texts, and waits for those that are there.</summary>
    public void Dispose() => Close().GetAwaiter().GetResult();

    /// <summary>Takes no more texts, and ends when those that are there are answered.</summary>
    /// <returns>When that is.</returns>
    public async ValueTask DisposeAsync() => await Close().ConfigureAwait(false);

    /// <summary>The same with the name that the caller's caller gave to the texts.</summary>
    internal Task<BatchedEmbedding[]> Ask(
        string[] texts, EmbedOptions? options, string name, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<BatchedEmbedding[]>(cancellationToken);
        }

        EmbedOptions asked = (options ?? EmbedOptions.Default) with { Counts = null, Statuses = null, Progress = null };
        try
        {
            // What a call of the model would refuse waits for no batch, and spoils none.
            for (int i = 0; i < texts.Length; i++)
            {
                Utf8.SizeOf(Utf8.Readable(texts[i], asked.Repair), name, name == "text" ? null : i);
            }

            asked.Check();
        }
        catch (ArgumentException bad)
        {
            return Task.FromException<BatchedEmbedding[]>(bad);
        }

        if (texts.Length > batching.MaxQueue)
        {
            lock (gate)
            {
                ObjectDisposedException.ThrowIf(disposed, this);
            }

            return AskInParts(texts, asked, name, cancellationToken);
        }

        return Enter(
            new BatchCall(this, texts, asked, name), batching.WhenFull == WhenQueueIsFull.Wait, cancellationToken);
    }

    internal void Withdraw(BatchCall call, CancellationToken by)
    {
        lock (gate)
        {
            if (!call.Cancel(by))
            {
                return;
            }

            counts.Withdrawn += call.Open;
            call.Batch?.OneLeft();
            Leave(call);
        }
    }

    /// <summary>Parts of a quarter of the queue leave room for others.</summary>
    private async Task<BatchedEmbedding[]> AskInParts(
        string[] texts, EmbedOptions options, string name, CancellationToken cancellationToken)
    {
        BatchedEmbedding[] results = new BatchedEmbedding[texts.Length];
        int size = Math.Max(1, batching.MaxQueue / 4);
        bool wait = batching.WhenFull == WhenQueueIsFull.Wait;
        bool isIn = false;
        try
        {
            for (int first = 0; first < texts.Length; first += size)
            {
                string[] part = texts[first..Math.Min(texts.Length, first + size)];
                BatchCall call = new(this, part, options, name) { Before = first, All = texts.Length };
                Task<BatchedEmbedding[]> answer = Enter(call, isIn || wait, cancellationToken);
                isIn |= call.IsIn;
                (await answer.ConfigureAwait(false)).CopyTo(results, first);
            }
        }
        finally
        {
            if (isIn)
            {
                LeaveWithAllParts();
            }
        }

        return results;
    }

    private void LeaveWithAllParts()
    {
        lock (gate)
        {
            inParts--;
            if (!running && inParts == 0)
            {
                ended?.TrySetResult();
            }

            Monitor.Pulse(gate);
        }
    }

    private Task<BatchedEmbedding[]> Enter(BatchCall call, bool wait, CancellationToken cancellationToken)
    {
        if (call.Count == 0)
        {
            return Task.FromResult<BatchedEmbedding[]>([]);
        }

        lock (gate)
        {
            // What was let in is answered to its end.
            ObjectDisposedException.ThrowIf(disposed && call.Before == 0, this);
            bool another = call.IsFirstPart && inParts > 0 && !wait;
            if (!another && waiting + reserved + call.Count <= batching.MaxQueue)
            {
                Add(call);
            }
            else if (wait)
            {
                reserved += call.Count;
                call.Place = outside.AddLast(call);
            }
            else
            {
                counts.Refused += call.All;
                LookupFfnDiagnostics.Refused(model.Name, call.All);
                return Task.FromException<BatchedEmbedding[]>(new QueueFullException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{(another ? "a call of more texts than may wait is being run" : $"{waiting + reserved} texts wait already")}, and {batching.MaxQueue} may: ask again later for these {call.All}")));
            }

            call.IsIn = true;
            inParts += call.IsFirstPart ? 1 : 0;
            counts.Accepted += call.Count;
            LookupFfnDiagnostics.Queued(model.Name, call.Count);
            if (!running)
            {
                try
                {
                    // Without what flows from the caller, which is not the others'.
                    new Thread(RunAll) { IsBackground = true, Name = "LookupFfn batches" }.UnsafeStart();
                    running = true;
                }
                catch (Exception failure)
                {
                    call.Fail(failure);
                    Leave(call);
                    return call.Answer;
                }
            }

            // The thread sleeps until the batch is full or the first call has waited long enough.
            Monitor.Pulse(gate);
        }

        CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (asked, by) => ((BatchCall)asked!).Withdraw(by), call);
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

    private void Add(BatchCall call)
    {
        waiting += call.Count;
        call.Place = queue.AddLast(call);
    }

    /// <summary>What waits of a call that has ended does so no longer, and leaves room to others.</summary>
    private void Leave(BatchCall call)
    {
        call.Registration.Unregister();
        if (call.Place is not null)
        {
            if (call.Place.List == queue)
            {
                waiting -= call.Waiting;
            }
            else
            {
                reserved -= call.Waiting;
            }

            LookupFfnDiagnostics.Queued(model.Name, -call.Waiting);
            call.Place.List!.Remove(call.Place);
            call.Place = null;
        }

        LetIn();
        Monitor.Pulse(gate);
    }

    private void LetIn()
    {
        while (outside.First is not null && waiting + outside.First.Value.Count <= batching.MaxQueue)
        {
            BatchCall call = outside.First.Value;
            outside.RemoveFirst();
            reserved -= call.Count;
            Add(call);
        }
    }

    private Task Close()
    {
        lock (gate)
        {
            disposed = true;
            if (!running && inParts == 0)
            {
                return Task.CompletedTask;
            }

            ended ??= new(TaskCreationOptions.RunContinuationsAsynchronously);
            Monitor.Pulse(gate);
            return ended.Task;
        }
    }
}
