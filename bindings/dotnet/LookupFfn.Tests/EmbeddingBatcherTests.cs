// SPDX-License-Identifier: Apache-2.0
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
        Assert.Contains("3 requests wait", refused.Message, StringComparison.Ordinal);
        await source.CancelAsync();
        Assert.Equal(2, batcher.Figures.Depth);
        Task<BatchedEmbedding> fourth = batcher.EmbedAsync("four");
        Assert.Equal(3, batcher.Figures.Depth);
        await batcher.DisposeAsync();
        await Task.WhenAll(first, third, fourth);
        Assert.True(withdrawn.IsCanceled);
        BatcherFigures figures = batcher.Figures;
        Assert.Equal((0, 4, 1, 1), (figures.Depth, figures.Accepted, figures.Refused, figures.Withdrawn));
        Assert.Equal((1, 3, 3, 0), (figures.Batches, figures.Batched, figures.LargestBatch, figures.Failed));
        Assert.Equal(3, figures.MeanBatch);
        Assert.True(figures.LongestWait > TimeSpan.Zero && figures.TotalWait >= figures.LongestWait);
        Assert.Equal(figures.TotalWait / 3, figures.MeanWait);
        Assert.Throws<ArgumentOutOfRangeException>(() => new EmbeddingBatcher(model, new() { MaxQueue = 0 }));
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
        batcher.BeforeBatch = () => throw new InvalidTimeZoneException("made for the test");
        Task<BatchedEmbedding> one = batcher.EmbedAsync("one");
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => batcher.EmbedAsync("two"));
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => one);
        Assert.Equal(2, batcher.Figures.Failed);
        batcher.BeforeBatch = null;
        await Task.WhenAll(batcher.EmbedAsync("one"), batcher.EmbedAsync("two"));
    }

    [Fact]
    public async Task ATextThatCannotBeRunFailsAlone()
    {
        using EmbeddingBatcher batcher = new(model, new() { MaxWait = Long, MaxBatch = 2 });
        EmbedOptions strict = new() { WithoutCutting = true };
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
        Assert.All(tasks, task => Assert.True(task.IsCompletedSuccessfully));
        Assert.Throws<ObjectDisposedException>(() => { _ = batcher.EmbedAsync("late"); });
        batcher.Dispose();
        Assert.Throws<ArgumentOutOfRangeException>(() => new EmbeddingBatcher(model, new() { MaxBatch = 0 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new EmbeddingBatcher(model, new() { MaxWait = TimeSpan.MaxValue }));
        await using EmbeddingBatcher another = new(model);
        model.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => another.EmbedAsync("closed"));
    }
}
