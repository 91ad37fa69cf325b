// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics.Metrics;
using System.Reflection;
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Queries beside calls of thousands of texts, counted in batches and not in milliseconds.</summary>
public sealed class BulkTests : IDisposable
{
    private const string LongThread = "LookupFfn long texts";

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);
    private static readonly PropertyInfo BeforeBatch =
        typeof(EmbeddingBatcher).GetProperty("BeforeBatch", BindingFlags.Instance | BindingFlags.NonPublic)!;

    private readonly Model model = Model.Load(new GoldenModel("model-lookup").Folder);

    public void Dispose() => model.Dispose();

    /// <summary>A query waits for the batch that is being run and for its own, and the bulk call for each query's.</summary>
    [Fact]
    public async Task AQueryWaitsForTheRunningBatchAndItsOwn()
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxBatchTokens = 64, MaxBatch = 8, MaxQueue = 4 });
        using Steps steps = new(batcher);
        string[] texts = [.. Enumerable.Range(0, 2000).Select(i => $"text number {i} of a call of many")];
        Task<BatchedEmbedding[]> bulk = batcher.EmbedAsync(texts);
        steps.Begun();
        for (int i = 0; i < 100; i++)
        {
            Task<BatchedEmbedding> query = batcher.EmbedAsync($"query {i}");
            steps.Next();
            Assert.False(query.IsCompleted);
            steps.Next();
            BatchedEmbedding answer = await query.WaitAsync(Patience);
            Golden.AssertSameBits(model.Embed($"query {i}"), answer.Vector);
        }

        Assert.False(bulk.IsCompleted);
        Assert.Equal(201, batcher.Figures.Batches);
        Assert.Equal((0, 1), (batcher.Figures.Depth, batcher.Figures.BulkCalls));
        steps.Go();
        BatchedEmbedding[] answers = await bulk.WaitAsync(Patience);
        for (int i = 0; i < texts.Length; i += 97)
        {
            Golden.AssertSameBits(model.Embed(texts[i]), answers[i].Vector);
        }
    }

    /// <summary>However many texts of lists wait, and whatever MaxQueue is, a query is let in; too many lists are refused.</summary>
    [Fact]
    public async Task BulkCallsNeverTakeTheRoomOfQueries()
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxBatch = 4, MaxQueue = 1, MaxBulkCalls = 3 });
        using Steps steps = new(batcher);
        string[] texts = [.. Enumerable.Range(0, 1000).Select(i => $"text {i}")];
        Task<BatchedEmbedding[]>[] bulk = [.. Enumerable.Range(0, 3).Select(_ => batcher.EmbedAsync(texts))];
        steps.Begun();
        QueueFullException refused = await Assert.ThrowsAsync<QueueFullException>(() => batcher.EmbedAsync(texts));
        Assert.Equal((3, 3), (refused.Depth, refused.Limit));
        Task<BatchedEmbedding> query = batcher.EmbedAsync("query");
        refused = await Assert.ThrowsAsync<QueueFullException>(() => batcher.EmbedAsync("another"));
        Assert.Equal((1, 1), (refused.Depth, refused.Limit));
        Assert.Equal((1, 3, 2996L), (batcher.Figures.Depth, batcher.Figures.BulkCalls, batcher.Figures.BulkDepth));
        steps.Go();
        await query.WaitAsync(Patience);
        await Task.WhenAll(bulk).WaitAsync(Patience);
    }

    /// <summary>A text of megabytes is read on a thread of its own, while batches go on.</summary>
    [Fact]
    public async Task ALongTextHoldsUpNobody()
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxBatchTokens = 64 });
        using ManualResetEventSlim held = new();
        using ManualResetEventSlim begun = new();
        BeforeBatch.SetValue(batcher, (Action)(() =>
        {
            if (Thread.CurrentThread.Name == LongThread)
            {
                begun.Set();
                held.Wait();
            }
        }));
        string vast = string.Concat(Enumerable.Repeat("word and <mask> ", 100_000));
        Task<BatchedEmbedding[]> mixed = batcher.EmbedAsync(["first", vast, "second", vast + "!", "third"]);
        Assert.True(begun.Wait(Patience));
        for (int i = 0; i < 20; i++)
        {
            await batcher.EmbedAsync($"query {i}").WaitAsync(Patience);
        }

        Assert.False(mixed.IsCompleted);
        held.Set();
        BatchedEmbedding[] answers = await mixed.WaitAsync(Patience);
        Golden.AssertSameBits(model.Embed("first"), answers[0].Vector);
        Golden.AssertSameBits(model.Embed("third"), answers[4].Vector);
        TextCounts counts = new();
        float[] alone = model.Embed(vast, new EmbedOptions { Counts = counts });
        Assert.Equal(new BatchedEmbedding(alone, counts.Tokens(0), counts.UncutTokens(0)), answers[1]);
        Assert.True(answers[1].IsCut);
    }

    /// <summary>A text that costs more than a batch is run alone, however few bytes it has, and answered like others.</summary>
    [Fact]
    public async Task ATextOfMoreTokensThanABatch()
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxBatchTokens = 8 });
        string[] texts = ["a", "a text of more tokens than a batch may have, by far", "b", "another text of so many tokens as that"];
        BatchedEmbedding[] answers = await batcher.EmbedAsync(texts).WaitAsync(Patience);
        for (int i = 0; i < texts.Length; i++)
        {
            Golden.AssertSameBits(model.Embed(texts[i]), answers[i].Vector);
        }

        Assert.Equal((3, 4), (batcher.Figures.Batches, batcher.Figures.Batched));
    }

    /// <summary>One that is taken back, or fails, leaves with what waits on either thread; the others go on.</summary>
    [Fact]
    public async Task ABulkCallLeavesAlone()
    {
        await using EmbeddingBatcher batcher = new(model, new() { MaxBatch = 4, MaxBulkCalls = 3 });
        using Steps steps = new(batcher);
        string vast = string.Concat(Enumerable.Repeat("word and <mask> ", 100_000));
        string[] many = [.. Enumerable.Range(0, 50).Select(i => $"text {i}")];
        string[] some = [.. Enumerable.Range(0, 9).Select(i => $"one of some {i}")];
        EmbedOptions strict = new() { RefuseLongTexts = true };
        using CancellationTokenSource source = new();
        Task<BatchedEmbedding[]> cancelled = batcher.EmbedAsync([.. many, vast, vast], null, source.Token);
        Task<BatchedEmbedding[]> failing = batcher.EmbedAsync([.. many, vast], strict);
        Task<BatchedEmbedding[]> good = batcher.EmbedAsync(some);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        Assert.True(batcher.Figures.BulkDepth <= 51 + 9);
        steps.Go();
        ArgumentException bad = await Assert.ThrowsAsync<ArgumentException>(() => failing.WaitAsync(Patience));
        Assert.StartsWith("texts[50]: ", bad.Message, StringComparison.Ordinal);
        BatchedEmbedding[] answers = await good.WaitAsync(Patience);
        for (int i = 0; i < some.Length; i++)
        {
            Golden.AssertSameBits(model.Embed(some[i]), answers[i].Vector);
        }

        Assert.Equal((0, 0, 0L), (batcher.Figures.Depth, batcher.Figures.BulkCalls, batcher.Figures.BulkDepth));
    }

    /// <summary>What was let in is answered to its end: short calls, bulk calls and long texts.</summary>
    [Fact]
    public async Task ClosingAnswersAll()
    {
        EmbeddingBatcher batcher = new(model, new() { MaxBatch = 4 });
        string vast = string.Concat(Enumerable.Repeat("word and <mask> ", 50_000));
        Task<BatchedEmbedding[]>[] bulk =
            [.. Enumerable.Range(0, 5).Select(call => batcher.EmbedAsync([.. Enumerable.Range(0, 60).Select(i => $"{call} {i}"), vast]))];
        Task<BatchedEmbedding>[] queries = [.. Enumerable.Range(0, 20).Select(i => batcher.EmbedAsync($"query {i}"))];
        await batcher.DisposeAsync();
        Assert.All(queries, query => Assert.True(query.IsCompletedSuccessfully));
        Assert.All(bulk, call => Assert.Equal(61, call.IsCompletedSuccessfully ? call.Result.Length : 0));
        Assert.Throws<ObjectDisposedException>(() => { _ = batcher.EmbedAsync(["late"]); });
    }

    /// <summary>A listener that throws fails the calls of the batch that it was told of, and neither others nor the program.</summary>
    [Fact]
    public async Task AListenerThatThrowsEndsNothing()
    {
        await using EmbeddingBatcher batcher = new(model);
        using (MeterListener listener = new())
        {
            listener.InstrumentPublished = (instrument, of) =>
            {
                if (instrument.Name == "lookupffn.batch.size")
                {
                    of.EnableMeasurementEvents(instrument);
                }
            };
            listener.SetMeasurementEventCallback<int>((_, _, _, _) => throw new InvalidTimeZoneException("made for the test"));
            listener.Start();
            await Assert.ThrowsAsync<InvalidTimeZoneException>(() => batcher.EmbedAsync("one").WaitAsync(Patience));
        }

        BatchedEmbedding next = await batcher.EmbedAsync("two").WaitAsync(Patience);
        Golden.AssertSameBits(model.Embed("two"), next.Vector);
    }

    [Fact]
    public async Task TheBoundIsOfThreads()
    {
        await using EmbeddingBatcher batcher = new(model);
        Assert.Equal(256 * model.Info.NumThreads, batcher.MaxBatchTokens);
        await using EmbeddingBatcher other = new(model, new() { MaxBatchTokens = int.MaxValue, MaxBatch = int.MaxValue });
        Assert.Equal(100, (await other.EmbedAsync([.. Enumerable.Range(0, 100).Select(i => $"{i}")])).Length);
        Assert.Equal((1, 100), (other.Figures.Batches, other.Figures.LargestBatch));
    }

    /// <summary>Holds a batcher's thread before each batch.</summary>
    private sealed class Steps : IDisposable
    {
        private readonly SemaphoreSlim begun = new(0);
        private readonly SemaphoreSlim go = new(0);
        private volatile bool free;

        internal Steps(EmbeddingBatcher batcher)
        {
            BeforeBatch.SetValue(batcher, (Action)(() =>
            {
                if (!free && Thread.CurrentThread.Name != LongThread)
                {
                    begun.Release();
                    go.Wait();
                }
            }));
        }

        /// <summary>Waits until a batch is about to be run.</summary>
        internal void Begun() => Assert.True(begun.Wait(Patience));

        /// <summary>Lets it be run, and waits for the next one.</summary>
        internal void Next()
        {
            go.Release();
            Begun();
        }

        internal void Go()
        {
            free = true;
            go.Release();
        }

        public void Dispose() => Go();
    }
}
