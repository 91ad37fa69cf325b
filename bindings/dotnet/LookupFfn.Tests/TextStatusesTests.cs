// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Texts that cannot be run say so by themselves, in calls and in whole corpora.</summary>
public sealed class TextStatusesTests : IDisposable
{
    private static readonly string Long = string.Concat(Enumerable.Repeat("word ", 1000));

    private static readonly string[] Mixed = ["one", "half \ud83d", null!, Long, "", "two"];

    private readonly Model model = Model.Load(new GoldenModel("model-lookup").Folder);

    public void Dispose() => model.Dispose();

    [Fact]
    public void EachTextHasItsStatus()
    {
        TextStatuses statuses = new();
        TextCounts counts = new();
        EmbedOptions options = new() { Statuses = statuses, Counts = counts, RefuseLongTexts = true };
        EmbedOptions alone = new() { RefuseLongTexts = true };
        float[][][] results = [model.Embed(Mixed, options), model.Classify(Mixed, options), model.Encode(Mixed, options)];
        Assert.Equal(
            [TextStatus.Done, TextStatus.BadText, TextStatus.NullText, TextStatus.TooLong, TextStatus.Done, TextStatus.Done],
            Enumerable.Range(0, 6).Select(statuses.Status));
        Assert.Equal("half of a surrogate pair stands at index 5", statuses.Message(1));
        Assert.Equal("the text is null", statuses.Message(2));
        Assert.Contains($"{model.Tokenize(Long).Length}", statuses.Message(3), StringComparison.Ordinal);
        Assert.Equal("", statuses.Message(0));
        Assert.False(statuses.AllDone);
        Assert.Equal("6 texts, 3 not run", statuses.ToString());
        foreach (int i in new[] { 0, 4, 5 })
        {
            Golden.AssertSameBits(model.Embed(Mixed[i], alone), results[0][i]);
            Golden.AssertSameBits(model.Classify(Mixed[i], alone), results[1][i]);
            Golden.AssertSameBits(model.Encode(Mixed[i], alone), results[2][i]);
            Assert.Equal(model.Tokenize(Mixed[i]).Length, counts.Tokens(i));
        }

        foreach (int i in new[] { 1, 2, 3 })
        {
            Assert.All(results[0][i], number => Assert.Equal(0, number));
            Assert.All(results[1][i], number => Assert.Equal(0, number));
            Assert.Empty(results[2][i]);
            Assert.Equal(0, counts.Tokens(i));
        }

        float[] memory = new float[6 * model.Info.EmbeddingSize];
        model.EmbedInto(Mixed, memory, options);
        Golden.AssertSameBits(results[0].SelectMany(row => row).ToArray(), memory);
        model.Embed(["fine"], options);
        Assert.True(statuses.AllDone);
        Assert.Throws<ArgumentOutOfRangeException>(() => statuses.Status(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => statuses.Message(-1));
        Assert.Throws<ArgumentException>("texts", () => model.Embed(["a", "\ud83d"], options with { Statuses = null }));
    }

    [Fact]
    public async Task HalvesOfPairsAreRepaired()
    {
        TextStatuses statuses = new();
        EmbedOptions options = new() { Repair = true, Statuses = statuses };
        string[] texts = ["\ud83d half", "a \ude00\ud83d b", "whole \ud83d\ude00", null!];
        string[] read = ["\ufffd half", "a \ufffd\ufffd b", "whole \ud83d\ude00"];
        float[][] found = model.Embed(texts, options);
        Assert.Equal(TextStatus.NullText, statuses.Status(3));
        await using EmbeddingBatcher batcher = new(model);
        for (int i = 0; i < read.Length; i++)
        {
            Assert.Equal(TextStatus.Done, statuses.Status(i));
            Assert.Equal(model.Embed(read[i]), found[i]);
            Assert.Equal(found[i], model.Embed(texts[i], new() { Repair = true }));
            Assert.Equal(found[i], (await batcher.EmbedAsync(texts[i], new() { Repair = true })).Vector);
        }

        EmbedOptions prompted = new() { Repair = true, PromptText = "\udc00: " };
        Golden.AssertSameBits(model.Embed("a", new() { PromptText = "\ufffd: " }), model.Embed("a", prompted));
        Assert.Throws<ArgumentException>("prompt", () => model.Embed("a", prompted with { Repair = false }));
        Assert.Throws<ArgumentNullException>("text", () => model.Embed((string)null!, prompted));
    }

    [Theory]
    [InlineData(1, 1 << 20)]
    [InlineData(7, 1 << 20)]
    [InlineData(64, 30)]
    public async Task CorporaKeepTheirOrder(int maxBatch, int maxChars)
    {
        string[] texts = [.. Enumerable.Range(0, 50).Select(i => $"text number {i}"), Long];
        CorpusOptions corpus = new() { MaxBatch = maxBatch, MaxChars = maxChars };
        List<CorpusEmbedding> found = [];
        await foreach (CorpusEmbedding embedding in model.EmbedAllAsync(texts, new() { PromptText = "q: " }, corpus))
        {
            found.Add(embedding);
        }

        Assert.Equal(texts.Length, found.Count);
        for (int i = 0; i < texts.Length; i++)
        {
            BatchedEmbedding alone = model.EmbedWithCounts(texts[i], new() { PromptText = "q: " });
            Assert.Equal(new CorpusEmbedding(alone.Vector, alone.Tokens, alone.UncutTokens, TextStatus.Done, ""), found[i]);
        }

        await foreach (CorpusEmbedding _ in model.EmbedAllAsync(Array.Empty<string>()))
        {
            Assert.Fail("nothing has no vectors");
        }
    }

    /// <summary>However long the corpus, only so many texts are read before their turn.</summary>
    [Fact]
    public async Task CorporaAreReadAsNeeded()
    {
        int read = 0;
        int used = 0;
        await foreach (CorpusEmbedding embedding in model.EmbedAllAsync(Endless(), null, new() { MaxBatch = 4 }))
        {
            used++;
            Assert.InRange(read - used, 0, 12);
            if (used == 50)
            {
                break;
            }
        }

        // Whoever leaves early leaves nothing running.
        model.Dispose();

        async IAsyncEnumerable<string> Endless()
        {
            while (true)
            {
                await Task.Yield();
                yield return $"text {read++}";
            }
        }
    }

    [Fact]
    public async Task BadTextsOfCorporaAreNamed()
    {
        string?[] texts = [.. Enumerable.Repeat("fine", 10), "half \ud83d", null];
        int seen = 0;
        ArgumentException bad = await Assert.ThrowsAsync<ArgumentException>(async () =>
        {
            await foreach (CorpusEmbedding embedding in model.EmbedAllAsync(texts, null, new() { MaxBatch = 4 }))
            {
                seen++;
            }
        });
        Assert.StartsWith("texts[10]: half of a surrogate pair stands at index 5", bad.Message, StringComparison.Ordinal);
        Assert.Equal(10, seen); // what is done is given
        List<CorpusEmbedding> found = [];
        await foreach (CorpusEmbedding embedding in model.EmbedAllAsync(texts, null, new() { KeepBadTexts = true }))
        {
            found.Add(embedding);
        }

        Assert.Equal(12, found.Count);
        Assert.Equal((TextStatus.BadText, TextStatus.NullText), (found[10].Status, found[11].Status));
        Assert.Empty(found[10].Vector);
        Assert.StartsWith("half of a surrogate pair", found[10].Message, StringComparison.Ordinal);
        Golden.AssertSameBits(model.Embed("fine"), found[9].Vector);
        Assert.Throws<ArgumentNullException>("texts", () => { model.EmbedAllAsync((IEnumerable<string>)null!); });
        Assert.Throws<ArgumentOutOfRangeException>("MaxBatch", () => { model.EmbedAllAsync(texts, null, new() { MaxBatch = 0 }); });
    }

    /// <summary>A source that fails costs nothing that was read before, and one that is slow holds back nothing for
    /// long.</summary>
    [Fact]
    public async Task WhatIsDoneIsGiven()
    {
        int seen = 0;
        await Assert.ThrowsAsync<InvalidTimeZoneException>(async () =>
        {
            await foreach (CorpusEmbedding embedding in model.EmbedAllAsync(Failing()))
            {
                seen++;
            }
        });
        Assert.Equal(100, seen);

        TaskCompletionSource silence = new(TaskCreationOptions.RunContinuationsAsynchronously);
        seen = 0;
        await foreach (CorpusEmbedding embedding in model.EmbedAllAsync(Silent()))
        {
            if (++seen == 10)
            {
                silence.SetResult(); // it would wait for ever
            }
        }

        Assert.Equal(11, seen);
        Assert.Throws<ArgumentOutOfRangeException>(
            "MaxWait", () => { model.EmbedAllAsync(Silent(), null, new() { MaxWait = TimeSpan.FromSeconds(-5) }); });

        async IAsyncEnumerable<string> Failing()
        {
            for (int i = 0; i < 100; i++)
            {
                await Task.Yield();
                yield return $"text {i}";
            }

            throw new InvalidTimeZoneException("made for the test");
        }

        async IAsyncEnumerable<string> Silent()
        {
            for (int i = 0; i < 10; i++)
            {
                yield return $"text {i}";
            }

            await silence.Task;
            yield return "last";
        }
    }

    [Fact]
    public async Task CorporaAreCancelled()
    {
        using CancellationTokenSource source = new();
        int seen = 0;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            IEnumerable<string> endless = Enumerable.Repeat("a text", int.MaxValue);
            await foreach (CorpusEmbedding embedding in model.EmbedAllAsync(endless).WithCancellation(source.Token))
            {
                if (++seen == 100)
                {
                    await source.CancelAsync();
                }
            }
        });
        Assert.InRange(seen, 100, 256);
    }
}
