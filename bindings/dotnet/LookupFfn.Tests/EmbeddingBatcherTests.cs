// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Reflection;
using System.Runtime.CompilerServices;
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Requests that are put together get what they get alone, and leave alone.</summary>
public sealed class EmbeddingBatcherTests : IDisposable
{
    private static readonly TimeSpan Long = TimeSpan.FromHours(1);

    private readonly Model model = Model.Load(new GoldenModel("model-lookup").Folder);

    public void Dispose() => model.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    public async Task TheSameBitsAsAlone(int milliseconds)
    {
        using EmbeddingBatcher batcher = new(
            model, new() { MaxWait = TimeSpan.FromMilliseconds(milliseconds), MaxBatch = 8 });
        string[] texts = [.. Enumerable.Range(0, 200).Select(i => $"text number {i} of many")];
        EmbedOptions[] options = [new(), new() { PromptText = "q: " }, new() { Pooling = Pooling.Max }];
        Task<BatchedEmbedding>[] tasks = [.. texts.Select((text, i) => batcher.EmbedAsync(text, options[i % 3]))];
        BatchedEmbedding[] results = await Task.WhenAll(tasks);
        for (int i = 0; i < texts.Length; i++)
        {
            Golden.AssertSameBits(model.Embed(texts[i], options[i % 3]), results[i].Vector);
            string read = i % 3 == 1 ? "q: " + texts[i] : texts[i];
            Assert.Equal(model.Tokenize(read).Length, results[i].Tokens);
            Assert.Equal(results[i].Tokens, results[i].UncutTokens);
        }
    }

    /// <summary>A batch that is full does not wait, and one that is not does.</summary>
    [Fact]
    public async Task FullBatchesDoNotWait()
    {
        using EmbeddingBatcher batcher = new(model, new() { MaxWait = Long, MaxBatch = 2 });
        Task<BatchedEmbedding> first = batcher.EmbedAsync("one");
        await Task.Delay(100);
        Assert.False(first.IsCompleted);
        await Task.WhenAll(first, batcher.EmbedAsync("two")).WaitAsync(TimeSpan.FromSeconds(60));
    }

    [Fact]
    public async Task RequestsAreCancelledOneByOne()
    {
        using EmbeddingBatcher batcher = new(model, new() { MaxWait = Long, MaxBatch = 3 });
        using CancellationTokenSource source = new();
        Task<BatchedEmbedding> kept = batcher.EmbedAsync("kept");
        Task<BatchedEmbedding> cancelled = batcher.EmbedAsync("cancelled", null, source.Token);
        await source.CancelAsync();
        OperationCanceledException failure =
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.WaitAsync(TimeSpan.FromSeconds(60)));
        Assert.Equal(source.Token, failure.CancellationToken);
        Assert.False(kept.IsCompleted);
        Task<BatchedEmbedding> third = batcher.EmbedAsync("third");
        Task<BatchedEmbedding> fourth = batcher.EmbedAsync("fourth");
        await Task.WhenAll(kept, third, fourth).WaitAsync(TimeSpan.FromSeconds(60));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => batcher.EmbedAsync("late", null, source.Token));
    }

    /// <summary>Work that nobody waits for any more ends: it would take long.</summary>
    [Fact]
    public async Task ABatchOfWhichAllWereCancelledEnds()
    {
        await using EmbeddingBatcher batcher = new(model);
        string endless = string.Concat(Enumerable.Repeat("word and <mask> ", 3_000_000));
        using CancellationTokenSource source = new();
        Task<BatchedEmbedding> unwanted = batcher.EmbedAsync(endless, null, source.Token);
        Thread canceller = Later.Cancel(source, 20);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => unwanted);
        canceller.Join();
        BatchedEmbedding next = await batcher.EmbedAsync("next").WaitAsync(TimeSpan.FromSeconds(60));
        Golden.AssertSameBits(model.Embed("next"), next.Vector);
    }

    /// <summary>One more than may wait is refused, and who takes a request back makes room.</summary>
    [Fact]
    public async Task TooManyAreRefused()
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxWait = Long, MaxBatch = 100, MaxQueue = 3 });
        using CancellationTokenSource source = new();
        Task<BatchedEmbedding> first = batcher.EmbedAsync("one");
        Task<BatchedEmbedding> withdrawn = batcher.EmbedAsync("two", null, source.Token);
        Task<BatchedEmbedding> third = batcher.EmbedAsync("three");
        QueueFullException refused = await Assert.ThrowsAsync<QueueFullException>(() => batcher.EmbedAsync("four"));
        Assert.Contains("3 texts wait", refused.Message, StringComparison.Ordinal);
        Assert.Equal((3, 3), (refused.Depth, refused.Limit));
        await source.CancelAsync();
        Assert.Equal(2, batcher.Figures.Depth);
        Task<BatchedEmbedding> fourth = batcher.EmbedAsync("four");
        Assert.Equal(3, batcher.Figures.Depth);
        await batcher.DisposeAsync();
        await Task.WhenAll(first, third, fourth);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => withdrawn);
        BatcherFigures figures = batcher.Figures;
        Assert.Equal((0, 4, 1, 1), (figures.Depth, figures.Accepted, figures.Refused, figures.Withdrawn));
        Assert.Equal((1, 3, 3, 0), (figures.Batches, figures.Batched, figures.LargestBatch, figures.Failed));
        Assert.Equal(3, figures.MeanBatch);
        Assert.True(figures.LongestWait > TimeSpan.Zero && figures.TotalWait >= figures.LongestWait);
        Assert.Equal(figures.TotalWait / 3, figures.MeanWait);
        Assert.Throws<ArgumentOutOfRangeException>("MaxQueue", () => new EmbeddingBatcher(model, new() { MaxQueue = 0 }));
        Assert.Throws<ArgumentOutOfRangeException>("MaxBatchTokens", () => new EmbeddingBatcher(model, new() { MaxBatchTokens = 0 }));
        Assert.Throws<ArgumentOutOfRangeException>("MaxBulkCalls", () => new EmbeddingBatcher(model, new() { MaxBulkCalls = 0 }));
    }

    [Fact]
    public async Task FiguresOfOneThatDidNothing()
    {
        await using EmbeddingBatcher batcher = new(model);
        Assert.Equal(TimeSpan.Zero, batcher.Figures.MeanWait);
        Assert.Equal(0, batcher.Figures.MeanBatch);
        await Assert.ThrowsAnyAsync<ArgumentException>(() => batcher.EmbedAsync("a", new() { Prompt = "no such" }));
        Assert.Equal(1, batcher.Figures.Failed);
    }

    /// <summary>The time for which requests were together waiting ends with the last of them.</summary>
    [Fact]
    public async Task OneThatIsForgottenIsCollected()
    {
        WeakReference forgotten = await Forgotten();
        DateTime deadline = DateTime.UtcNow.AddMinutes(1);
        while (forgotten.IsAlive && DateTime.UtcNow < deadline)
        {
            await Task.Delay(10);
            GC.Collect();
        }

        Assert.False(forgotten.IsAlive);

        [MethodImpl(MethodImplOptions.NoInlining)]
        async Task<WeakReference> Forgotten()
        {
            EmbeddingBatcher batcher = new(model, new() { MaxWait = Long, MaxBatch = 2 });
            await Task.WhenAll(batcher.EmbedAsync("one"), batcher.EmbedAsync("two"));
            using CancellationTokenSource source = new();
            Task<BatchedEmbedding> withdrawn = batcher.EmbedAsync("three", null, source.Token);
            await source.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => withdrawn);
            return new WeakReference(batcher);
        }
    }

    /// <summary>Whatever goes wrong where requests are put together: they are told, and the next ones are run.</summary>
    [Fact]
    public async Task AFailureOutsideOfTheModelEndsNothing()
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxWait = Long, MaxBatch = 2 });
        PropertyInfo before = typeof(EmbeddingBatcher).GetProperty("BeforeBatch", BindingFlags.Instance | BindingFlags.NonPublic)!;
        before.SetValue(batcher, (Action)(() => throw new InvalidTimeZoneException("made for the test")));
        Task<BatchedEmbedding> one = batcher.EmbedAsync("one");
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => batcher.EmbedAsync("two"));
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => one);
        Assert.Equal(2, batcher.Figures.Failed);
        before.SetValue(batcher, null);
        await Task.WhenAll(batcher.EmbedAsync("one"), batcher.EmbedAsync("two"));
    }

    [Fact]
    public async Task ATextThatCannotBeRunFailsAlone()
    {
        using EmbeddingBatcher batcher = new(model, new() { MaxWait = Long, MaxBatch = 2, MaxBatchTokens = 100_000 });
        EmbedOptions strict = new() { RefuseLongTexts = true };
        Task<BatchedEmbedding> good = batcher.EmbedAsync("good", strict);
        Task<BatchedEmbedding> tooLong = batcher.EmbedAsync(string.Concat(Enumerable.Repeat("word ", 1000)), strict);
        await Assert.ThrowsAsync<ArgumentException>(() => tooLong);

        // It waits for nobody.
        await Assert.ThrowsAsync<ArgumentException>(() => batcher.EmbedAsync("\ud83d", strict));
        BatchedEmbedding answer = await good;
        Golden.AssertSameBits(model.Embed("good"), answer.Vector);
    }

    [Fact]
    public async Task DisposingAnswersWhatIsThere()
    {
        EmbeddingBatcher batcher = new(model, new() { MaxWait = TimeSpan.FromMilliseconds(50), MaxBatch = 100 });
        Task<BatchedEmbedding>[] tasks = [.. Enumerable.Range(0, 20).Select(i => batcher.EmbedAsync($"text {i}"))];
        await batcher.DisposeAsync();
        // Each has its answer; a task ends a moment later, as what follows it runs elsewhere.
        await Task.WhenAll(tasks).WaitAsync(TimeSpan.FromSeconds(10));
        Assert.Throws<ObjectDisposedException>(() => { _ = batcher.EmbedAsync("late"); });
        batcher.Dispose();
        Assert.Throws<ArgumentOutOfRangeException>("MaxBatch", () => new EmbeddingBatcher(model, new() { MaxBatch = 0 }));
        Assert.Throws<ArgumentOutOfRangeException>("MaxWait", () => new EmbeddingBatcher(model, new() { MaxWait = TimeSpan.MaxValue }));
        await using EmbeddingBatcher another = new(model);
        model.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => another.EmbedAsync("closed"));
    }

    /// <summary>Texts of calls of any size go together, and come back in the order of each call.</summary>
    [Fact]
    public async Task CallsOfManyTexts()
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxBatch = 16, MaxQueue = 4096 });
        Task<BatchedEmbedding[]>[] calls = [.. Enumerable.Range(0, 60).Select(
            i => batcher.EmbedAsync([.. Enumerable.Range(0, 1 + (i % 7)).Select(j => $"text {j} of call {i}")]))];
        BatchedEmbedding[][] results = await Task.WhenAll(calls);
        for (int i = 0; i < results.Length; i++)
        {
            Assert.Equal(1 + (i % 7), results[i].Length);
            for (int j = 0; j < results[i].Length; j++)
            {
                Golden.AssertSameBits(model.Embed($"text {j} of call {i}"), results[i][j].Vector);
            }
        }

        BatcherFigures figures = batcher.Figures;
        Assert.Equal(results.Sum(call => call.Length), figures.Batched);
        Assert.True(figures.LargestBatch <= 16 && figures.MeanBatch > 2, figures.ToString());
        Assert.Empty(await batcher.EmbedAsync([]));
    }

    /// <summary>A call is let in as a whole or refused as a whole, whatever its size; with Wait it is let in later.</summary>
    [Fact]
    public async Task RoomIsCountedInTexts()
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxWait = Long, MaxBatch = 100, MaxQueue = 5 });
        Task<BatchedEmbedding[]> first = batcher.EmbedAsync(["a", "b", "c"]);
        await Assert.ThrowsAsync<QueueFullException>(() => batcher.EmbedAsync(["d", "e", "f"]));
        Task<BatchedEmbedding[]> second = batcher.EmbedAsync(["d", "e"]);
        Assert.Equal((5, 5L, 3L), (batcher.Figures.Depth, batcher.Figures.Accepted, batcher.Figures.Refused));
        await Assert.ThrowsAsync<QueueFullException>(() => batcher.EmbedAsync("g"));
        await batcher.DisposeAsync();
        Assert.Equal(5, (await first).Length + (await second).Length);

        await using EmbeddingBatcher patient = new(
            model, new() { MaxBatch = 2, MaxQueue = 3, WhenFull = WhenQueueIsFull.Wait });
        Task<BatchedEmbedding[]>[] calls = [.. Enumerable.Range(0, 40).Select(i => patient.EmbedAsync([$"one {i}", $"two {i}"]))];
        Assert.All(await Task.WhenAll(calls), call => Assert.Equal(2, call.Length));
        Assert.Equal((0, 0L), (patient.Figures.Depth, patient.Figures.Refused));
    }

    /// <summary>More texts than may wait are not refused for ever, and leave room to others.</summary>
    [Fact]
    public async Task ACallOfMoreTextsThanMayWait()
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxBatch = 4, MaxQueue = 8 });
        string[] texts = [.. Enumerable.Range(0, 100).Select(i => $"text {i}")];
        Task<BatchedEmbedding[]> many = batcher.EmbedAsync(texts);
        BatchedEmbedding alone = await batcher.EmbedAsync("alone");
        Golden.AssertSameBits(model.Embed("alone"), alone.Vector);
        BatchedEmbedding[] results = await many;
        for (int i = 0; i < texts.Length; i++)
        {
            Golden.AssertSameBits(model.Embed(texts[i]), results[i].Vector);
        }

        texts[70] = "\ud83d";
        ArgumentException bad = await Assert.ThrowsAsync<ArgumentException>(() => batcher.EmbedAsync(texts));
        Assert.Contains("texts[70]", bad.Message, StringComparison.Ordinal);
        texts[70] = string.Concat(Enumerable.Repeat("word ", 5000));
        bad = await Assert.ThrowsAsync<ArgumentException>(() => batcher.EmbedAsync(texts, new() { RefuseLongTexts = true }));
        Assert.Contains("texts[70]", bad.Message, StringComparison.Ordinal);
        Assert.Equal("texts", bad.ParamName);
    }

    /// <summary>Texts are counted, not calls: pairs are refused as single texts are.</summary>
    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 2)]
    [InlineData(4, 1)]
    [InlineData(4, 2)]
    public async Task CallsOfAnySizeAreRefusedAlike(int maxQueue, int size)
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxQueue = maxQueue, MaxBatch = 2 });
        using ManualResetEventSlim held = new();
        PropertyInfo before = typeof(EmbeddingBatcher).GetProperty("BeforeBatch", BindingFlags.Instance | BindingFlags.NonPublic)!;
        before.SetValue(batcher, (Action)(() => held.Wait()));
        string[] texts = [.. Enumerable.Range(0, size).Select(i => $"text {i}")];
        Task<BatchedEmbedding[]>[] calls = [.. Enumerable.Range(0, 100).Select(_ => batcher.EmbedAsync(texts))];
        int refused = calls.Count(call => call.Exception?.InnerException is QueueFullException);
        BatcherFigures figures = batcher.Figures;
        held.Set();
        Assert.Equal(refused * size, figures.Refused);

        // What waits, and what the thread may have taken before.
        Assert.InRange(figures.Depth, 0, maxQueue);
        Assert.InRange((100 - refused) * size, 1, Math.Max(maxQueue + 2, size));
        BatchedEmbedding[][] answers = await Task.WhenAll(calls.Where(call => call.Exception is null));
        Assert.All(answers, answer => Assert.Equal(size, answer.Length));
        Assert.Equal(size, (await batcher.EmbedAsync(texts)).Length);
    }

    /// <summary>Whoever stops while a call of more texts than may wait is being run waits for all of it.</summary>
    [Fact]
    public async Task DisposingAnswersACallOfMoreTextsThanMayWait()
    {
        EmbeddingBatcher batcher = new(model, new() { MaxQueue = 4, MaxBatch = 2 });
        Task<BatchedEmbedding[]> many = batcher.EmbedAsync([.. Enumerable.Range(0, 30).Select(i => $"text {i}")]);
        await batcher.DisposeAsync();
        Assert.True(many.IsCompletedSuccessfully || await Task.WhenAny(many, Task.Delay(1000)) == many);
        Assert.Equal(30, (await many).Length);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await batcher.EmbedAsync("late"));
    }

    /// <summary>Cancelling takes back all texts of a call that wait.</summary>
    [Fact]
    public async Task ACancelledCallLeavesWithAllItsTexts()
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxWait = Long, MaxBatch = 4, MaxQueue = 8 });
        using CancellationTokenSource source = new();
        Task<BatchedEmbedding[]> cancelled = batcher.EmbedAsync(["a", "b", "c"], null, source.Token);
        Assert.Equal(3, batcher.Figures.Depth);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        Assert.Equal((0, 3L), (batcher.Figures.Depth, batcher.Figures.Withdrawn));
        Assert.Equal(4, (await batcher.EmbedAsync(["a", "b", "c", "d"])).Length);
    }

    /// <summary>The thread pool has nothing to do with it: with all of its threads taken, batches are run.</summary>
    [Fact]
    public async Task ThePoolIsLeftAlone()
    {
        await using EmbeddingBatcher batcher = new(model);
        using ManualResetEventSlim release = new();
        ThreadPool.GetMinThreads(out int threads, out _);
        Task[] hogs = [.. Enumerable.Range(0, 4 * threads).Select(_ => Task.Run(() => release.Wait()))];
        Task<BatchedEmbedding[]> call = batcher.EmbedAsync(["one", "two"]);
        Task<float[]> direct = model.EmbedAsync("three");
        DateTime deadline = DateTime.UtcNow.AddSeconds(30);
        while (!(call.IsCompleted && direct.IsCompleted) && DateTime.UtcNow < deadline)
        {
            Thread.Sleep(1);
        }

        bool done = call.IsCompleted && direct.IsCompleted;
        release.Set();
        await Task.WhenAll(hogs);
        Assert.True(done);
    }

    [Fact]
    public async Task MetricsAndActivities()
    {
        Dictionary<string, double> sums = [];
        List<double[]> boundaries = [];
        using MeterListener listener = new();
        listener.InstrumentPublished = (instrument, of) =>
        {
            if (instrument.Meter.Name == LookupFfnDiagnostics.Name)
            {
                of.EnableMeasurementEvents(instrument);
#if NET9_0_OR_GREATER
                if (instrument is Histogram<double> histogram)
                {
                    boundaries.Add([.. histogram.Advice!.HistogramBucketBoundaries!]);
                }
#endif
            }
        };
        listener.SetMeasurementEventCallback<int>((instrument, value, _, _) => Add(instrument, value));
        listener.SetMeasurementEventCallback<long>((instrument, value, _, _) => Add(instrument, value));
        listener.SetMeasurementEventCallback<double>((instrument, value, _, _) => Add(instrument, value));
        listener.Start();
        List<string> activities = [];
        int links = 0;
        Activity? waiting = null;
        using ActivityListener tracing = new()
        {
            ShouldListenTo = source => source.Name == LookupFfnDiagnostics.Name,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                lock (activities)
                {
                    activities.Add(activity.OperationName);
                    links += activity.Links.Count();
                    waiting = activity.OperationName == "lookupffn.wait" ? activity : waiting;
                }
            },
        };
        ActivitySource.AddActivityListener(tracing);
        using Model loaded = Model.Load(new GoldenModel("model-lookup").Folder);
        ActivitySpanId asker;
        using (EmbeddingBatcher batcher = new(loaded, new() { MaxBatchTokens = 100_000 }))
        {
            using Activity request = new Activity("request").Start();
            asker = request.SpanId;
            await batcher.EmbedAsync(["one", "two", string.Concat(Enumerable.Repeat("word ", 5000))]);
        }

        Assert.Equal("model-lookup", loaded.Name);
        Assert.Equal(3, sums["lookupffn.batch.size"]);
        Assert.Equal(3, sums["lookupffn.run.texts"]);
        Assert.Equal(1, sums["lookupffn.run.cut_texts"]);
        Assert.Equal(0, sums["lookupffn.queue.texts"]);
        Assert.True(sums["lookupffn.load.duration"] > 0 && sums["lookupffn.run.duration"] > 0 && sums["lookupffn.queue.wait"] > 0);
        lock (activities)
        {
            Assert.Contains("lookupffn.load", activities);
            Assert.Contains("lookupffn.batch", activities);
            Assert.Contains("lookupffn.run", activities);
            Assert.Equal(1, links);

            // The trace of who asked has the time for which it waited.
            Assert.Equal(asker, waiting!.ParentSpanId);
            Assert.True(waiting.Duration > TimeSpan.Zero);
        }

        // A query takes milliseconds, and the boundaries of OpenTelemetry begin at 5 s.
        Assert.NotEmpty(boundaries);
        Assert.All(boundaries, of => Assert.Equal((0.0005, 10.0), (of[0], of[^1])));

        void Add(Instrument instrument, double value)
        {
            lock (sums)
            {
                sums[instrument.Name] = sums.GetValueOrDefault(instrument.Name) + value;
            }
        }
    }
}
