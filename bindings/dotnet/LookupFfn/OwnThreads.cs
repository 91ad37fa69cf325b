// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>Threads of the library's own, on which the Async forms compute: a call may take seconds, and the thread pool,
/// which serves everything else in a program, would be short of threads meanwhile. They are as many as there are processors
/// at most, and end when they have had nothing to do for a second.</summary>
internal sealed class OwnThreads : TaskScheduler
{
    private static readonly OwnThreads All = new();
    private static readonly TimeSpan Linger = TimeSpan.FromSeconds(1);

    private readonly LinkedList<Task> queue = new();
    private int threads;
    private int idle;

    public override int MaximumConcurrencyLevel => Environment.ProcessorCount;

    internal static Task<T> Run<T>(Func<T> call, CancellationToken cancellationToken) =>
        Task.Factory.StartNew(call, cancellationToken, TaskCreationOptions.DenyChildAttach | TaskCreationOptions.HideScheduler, All);

    internal static Task Run(Action call, CancellationToken cancellationToken) =>
        Task.Factory.StartNew(call, cancellationToken, TaskCreationOptions.DenyChildAttach | TaskCreationOptions.HideScheduler, All);

    protected override void QueueTask(Task task)
    {
        lock (queue)
        {
            queue.AddLast(task);
            if (idle >= queue.Count)
            {
                Monitor.Pulse(queue);
                return;
            }

            if (threads >= MaximumConcurrencyLevel)
            {
                return;
            }

            threads++;
        }

        try
        {
            new Thread(RunAll) { IsBackground = true, Name = "LookupFfn" }.UnsafeStart();
        }
        catch
        {
            lock (queue)
            {
                threads--;
                if (threads > 0)
                {
                    return; // another one takes it
                }

                queue.Remove(task);
            }

            throw;
        }
    }

    protected override bool TryDequeue(Task task)
    {
        lock (queue)
        {
            return queue.Remove(task);
        }
    }

    /// <summary>Whoever waits for a task computes it, if nobody has begun.</summary>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        (!taskWasPreviouslyQueued || TryDequeue(task)) && TryExecuteTask(task);

    protected override IEnumerable<Task> GetScheduledTasks()
    {
        lock (queue)
        {
            return [.. queue];
        }
    }

    private void RunAll()
    {
        while (true)
        {
            Task task;
            lock (queue)
            {
                while (queue.First is null)
                {
                    idle++;
                    bool called = Monitor.Wait(queue, Linger);
                    idle--;
                    if (!called && queue.First is null)
                    {
                        threads--;
                        return;
                    }
                }

                task = queue.First.Value;
                queue.RemoveFirst();
            }

            TryExecuteTask(task);
        }
    }
}
