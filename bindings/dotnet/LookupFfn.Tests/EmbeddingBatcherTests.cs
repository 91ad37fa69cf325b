// SPDX-License-Identifier: Apache-2.0
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
        await Task.WhenAll(kept, third).WaitAsync(TimeSpan.FromSeconds(60));
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

    [Fact]
    public async Task ATextThatCannotBeRunFailsAlone()
    {
        using EmbeddingBatcher batcher = new(model, new() { MaxWait = Long, MaxBatch = 3 });
        EmbedOptions strict = new() { WithoutCutting = true };
        Task<BatchedEmbedding> good = batcher.EmbedAsync("good", strict);
        Task<BatchedEmbedding> tooLong = batcher.EmbedAsync(string.Concat(Enumerable.Repeat("word ", 1000)), strict);
        Task<BatchedEmbedding> half = batcher.EmbedAsync("\ud83d", strict);
        await Assert.ThrowsAsync<ArgumentException>(() => tooLong);
        await Assert.ThrowsAnyAsync<ArgumentException>(() => half);
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
