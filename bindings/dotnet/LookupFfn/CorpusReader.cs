// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;
using System.Runtime.ExceptionServices;

namespace LookupFfn;

/// <summary>Reads a corpus into batches, one text at a time, so that the code that runs them can do other things
/// meanwhile.</summary>
internal sealed class CorpusReader(IAsyncEnumerable<string?> texts, CorpusOptions options, CancellationToken cancellationToken)
    : IAsyncDisposable
{
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(1);

    private readonly IAsyncEnumerator<string?> source = texts.GetAsyncEnumerator(cancellationToken);
    private readonly Task stopped = Task.Delay(Timeout.Infinite, cancellationToken);
    private List<string?> batch = [];
    private long chars;
    private long since;
    private Task<bool>? reading;
    private ExceptionDispatchInfo? failure;

    /// <summary>Whether the source gives no more texts, because it ended or failed, and all were taken.</summary>
    internal bool IsAtEnd { get; private set; }

    /// <summary>Whether there are texts that should be run now if nothing else is.</summary>
    internal bool IsReady => batch.Count > 0 && (IsAtEnd || IsFull || Patience == TimeSpan.Zero);

    private bool IsFull => batch.Count >= options.MaxBatch || chars >= options.MaxChars;

    /// <summary>How long the batch may wait for more texts.</summary>
    private TimeSpan Patience
    {
        get
        {
            if (options.MaxWait == Timeout.InfiniteTimeSpan)
            {
                return Timeout.InfiniteTimeSpan;
            }

            TimeSpan left = options.MaxWait - Stopwatch.GetElapsedTime(since);
            return left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }

    internal List<string?> Take()
    {
        List<string?> taken = batch;
        batch = [];
        chars = 0;
        return taken;
    }

    internal void ThrowFailure() => failure?.Throw();

    /// <summary>Reads a text, or waits until there is something to do: a text, the end of what is being run, or of the batch's
    /// patience.</summary>
    internal async Task ReadAsync(Task? running)
    {
        if (IsAtEnd || IsFull)
        {
            // If nothing is being run, the batch is ready, or the end was reached.
            await Either(running ?? Task.CompletedTask).ConfigureAwait(false);
            return;
        }

        try
        {
            reading ??= source.MoveNextAsync().AsTask();
        }
        catch (Exception thrown)
        {
            reading = Task.FromException<bool>(thrown);
        }

        if (!reading.IsCompleted)
        {
            bool patient = batch.Count == 0 || options.MaxWait == Timeout.InfiniteTimeSpan;
            Task other = running ?? (patient ? stopped : Task.Delay(Patience, cancellationToken));
            await Either(reading, other).ConfigureAwait(false);
            if (!reading.IsCompleted)
            {
                return;
            }
        }

        try
        {
            if (await reading.ConfigureAwait(false))
            {
                Add(source.Current);
            }
            else
            {
                IsAtEnd = true;
            }
        }
        catch (Exception thrown)
        {
            IsAtEnd = true;
            failure = ExceptionDispatchInfo.Capture(thrown);
        }

        reading = null;
    }

    /// <summary>A source that is reading a text and ignores cancellation is abandoned.</summary>
    public async ValueTask DisposeAsync()
    {
        if (reading is { IsCompleted: false })
        {
            await Either(reading, Task.Delay(Grace)).ConfigureAwait(false);
        }

        if (reading is { IsCompleted: false })
        {
            _ = reading.ContinueWith(
                done =>
                {
                    _ = done.Exception;
                    return source.DisposeAsync().AsTask();
                },
                TaskScheduler.Default);
            return;
        }

        _ = reading?.Exception;
        await source.DisposeAsync().ConfigureAwait(false);
    }

    private void Add(string? text)
    {
        if (batch.Count == 0)
        {
            since = Stopwatch.GetTimestamp();
        }

        batch.Add(text);
        chars += text?.Length ?? 0;
    }

    /// <summary>Waits for one of the tasks, whether it succeeds or fails.</summary>
    private static Task<Task> Either(params Task[] tasks) => Task.WhenAny(tasks);
}
