// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Documents that are scored among those of other calls have the scores that they have alone.</summary>
public sealed class RerankBatcherTests : IDisposable
{
    private readonly Model reranker = Model.Load(Path.Combine(
        Environment.GetEnvironmentVariable("LOOKUPFFN_MADE_MODELS")
            ?? throw new InvalidOperationException("LOOKUPFFN_MADE_MODELS is not set"),
        "reranker"));

    public void Dispose() => reranker.Dispose();

    [Fact]
    public async Task TheSameBitsAsAlone()
    {
        await using RerankBatcher batcher = new(reranker, new() { MaxBatch = 5, MaxBatchTokens = 64 });
        string[][] documents =
            [.. Enumerable.Range(0, 30).Select(call => Enumerable.Range(0, 1 + call).Select(i => $"document {i} of {call}").ToArray())];
        EmbedOptions[] options = [new(), new() { Scores = ScoreKind.Model }];
        Task<float[]>[] calls = [.. documents.Select((texts, i) => batcher.RerankAsync($"query {i % 7}", texts, options[i % 2]))];
        float[][] scores = await Task.WhenAll(calls);
        for (int i = 0; i < calls.Length; i++)
        {
            Golden.AssertSameBits(reranker.Rerank($"query {i % 7}", documents[i], options[i % 2]), scores[i]);
        }

        RankedDocument[] best = await batcher.RerankTopAsync("query", documents[29], top: 3);
        Assert.Equal(reranker.RerankTop("query", documents[29], top: 3), best);
        Assert.All(best, document => Assert.True(document.Tokens > 0));
        Assert.Equal(30 * 31 / 2 + 30, batcher.Figures.Batched);
        Assert.Empty(await batcher.RerankAsync("query", []));
    }

    [Fact]
    public async Task Refusals()
    {
        await using RerankBatcher batcher =
            new(reranker, new() { MaxWait = TimeSpan.FromHours(1), MaxBatch = 100, MaxQueue = 3, MaxBatchTokens = 1000 });
        Task<float[]> waiting = batcher.RerankAsync("query", ["a", "b"]);
        QueueFullException full = await Assert.ThrowsAsync<QueueFullException>(() => batcher.RerankAsync("query", ["c", "d"]));
        Assert.Equal((2, 3), (full.Depth, full.Limit));
        ArgumentException bad = await Assert.ThrowsAsync<ArgumentException>(
            "documents", () => batcher.RerankAsync("query", ["c", "\ud83d"]));
        Assert.StartsWith("documents[1]: ", bad.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentNullException>("query", () => batcher.RerankAsync(null!, ["c"]));
        await batcher.DisposeAsync();
        Assert.Equal(2, (await waiting).Length);
        Assert.Throws<ObjectDisposedException>(() => { _ = batcher.RerankAsync("late", ["a"]); });
        using Model other = Model.Load(new GoldenModel("model-lookup").Folder);
        Assert.Throws<UnsupportedModelException>(() => new RerankBatcher(other));
    }
}
