// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Who listens to a call is told how far it has come, and may end it.</summary>
public class RunProgressTests
{
    private static readonly string Folder = new GoldenModel("model-lookup").Folder;

    private static readonly string[] Texts =
        [.. Enumerable.Repeat(string.Concat(Enumerable.Repeat("word and ", 30)), 300)];

    [Fact]
    public void CallsTellHowFarTheyAre()
    {
        using Model model = Model.Load(Folder);
        int[][] sequences = [.. Texts.Select(text => model.Tokenize(text).Take(model.Info.MaxTokens).ToArray())];
        float[] room = new float[Texts.Length * model.Info.EmbeddingSize];
        AssertTold(options => model.Embed(Texts, options));
        AssertTold(options => model.Encode(Texts, options));
        AssertTold(options => model.Classify(Texts, options));
        AssertTold(options => model.Embed(sequences, options));
        AssertTold(options => model.EmbedInto(Texts, room, options));
        AssertTold(options => model.EmbedInt8(Texts, options));
        AssertTold(options => model.Embed(Texts, options with { Statuses = new TextStatuses() }));

        // One window of each is all that they have.
        AssertTold(options => model.Embed(Texts, options with { WindowMeans = true }));
    }

    [Fact]
    public void WhatAListenerThrowsComesOut()
    {
        using Model model = Model.Load(Folder);
        foreach (long when in new[] { 0L, Texts.Length })
        {
            Receiver throws = new()
            {
                Then = told =>
                {
                    if (told.Done >= when)
                    {
                        throw new InvalidTimeZoneException("made for the test");
                    }
                },
            };
            EmbedOptions options = new() { Progress = throws };
            Assert.Throws<InvalidTimeZoneException>(() => model.Embed(Texts, options));
            Assert.Throws<InvalidTimeZoneException>(() => model.EmbedBits(Texts, options));
        }

        using CancellationTokenSource source = new();
        EmbedOptions cancels = new() { Progress = new Receiver { Then = _ => source.Cancel() } };
        OperationCanceledException ended =
            Assert.ThrowsAny<OperationCanceledException>(() => model.Embed(Texts, cancels, source.Token));
        Assert.Equal(source.Token, ended.CancellationToken);
    }

    /// <summary>Objects may move, and the model may be disposed of, while native code holds the receiver.</summary>
    [Fact]
    public void ListenersMayCollectAndDispose()
    {
        long before = Handles.Settled();
        Model model = Model.Load(Folder);
        float[][] expected = model.Embed(Texts);
        Receiver receiver = new()
        {
            Then = _ =>
            {
                GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
                model.Dispose();
            },
        };
        float[][] found = model.Embed(Texts, new EmbedOptions { Progress = receiver });
        for (int i = 0; i < expected.Length; i++)
        {
            Golden.AssertSameBits(expected[i], found[i]);
        }

        Assert.Throws<ObjectDisposedException>(() => model.Embed("a text"));
        Assert.Equal(before, Raw.LiveHandles());
    }

    [Fact]
    public async Task BatchersTellNobody()
    {
        using Model model = Model.Load(Folder);
        using EmbeddingBatcher batcher = new(model);
        Receiver receiver = new();
        EmbedOptions options = new() { Progress = receiver };
        await batcher.EmbedAsync("a text", options);
        Assert.Empty(receiver.Told);
        await model.EmbedAsync("a text", options);
        Assert.NotEmpty(receiver.Told);
    }

    /// <summary>Told more than once, in this thread, rising to all of them.</summary>
    private static void AssertTold(Action<EmbedOptions> call)
    {
        int thread = Environment.CurrentManagedThreadId;
        Receiver receiver = new() { Then = _ => Assert.Equal(thread, Environment.CurrentManagedThreadId) };
        call(new EmbedOptions { Progress = receiver });
        Assert.True(receiver.Told.Count > 1, $"told {receiver.Told.Count} times");
        Assert.All(receiver.Told, told => Assert.Equal(Texts.Length, told.All));
        Assert.Equal(receiver.Told.Select(told => told.Done).Order(), receiver.Told.Select(told => told.Done));
        Assert.Equal(Texts.Length, receiver.Told[^1].Done);
    }

    private sealed class Receiver : IProgress<RunProgress>
    {
        public List<RunProgress> Told { get; } = [];

        public Action<RunProgress>? Then { get; init; }

        public void Report(RunProgress value)
        {
            Told.Add(value);
            Then?.Invoke(value);
        }
    }
}
