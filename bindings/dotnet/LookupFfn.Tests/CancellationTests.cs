// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>A forward that another thread ends.</summary>
public class CancellationTests
{
    // Seconds of work, so that a cancelled call is told from one that ran to its end.
    private const int Tokens = 100_000;
    private const int Size = 128;

    private static Layer SlowLayer() => Layer.CreateRandom(
        new LayerConfig { HiddenSize = Size, NumTables = 2048, TableSize = 16 }, new LoadOptions { NumThreads = 1 });

    private static float[] Ones()
    {
        float[] x = new float[Tokens * Size];
        Array.Fill(x, 1);
        return x;
    }

    /// <summary>What the two tests below take as a sign that a token was not computed is none by chance.</summary>
    [Fact]
    public void AWholeForwardLeavesNoZeros()
    {
        float[] y = new float[Size];
        using Layer layer = SlowLayer();
        layer.Forward(Ones().AsSpan(0, Size), y);
        Assert.DoesNotContain(0, y);
    }

    [Fact]
    public void ForwardEndsEarly()
    {
        float[] x = Ones();
        float[] y = new float[x.Length];
        using Layer layer = SlowLayer();
        using CancellationTokenSource source = new();
        Thread canceller = Later.Cancel(source, 50);
        OperationCanceledException failure =
            Assert.Throws<OperationCanceledException>(() => layer.Forward(x, y, source.Token));
        canceller.Join();
        Assert.Equal(source.Token, failure.CancellationToken);
        Assert.NotEmpty(failure.Message);
        // The last token was not written, so the call did not run to its end.
        Assert.All(y[^Size..], element => Assert.Equal(0, element));
    }

    [Fact]
    public async Task ForwardAsyncEndsEarly()
    {
        float[] x = Ones();
        float[] y = new float[x.Length];
        using Layer layer = SlowLayer();
        using CancellationTokenSource source = new();
        Task task = layer.ForwardAsync(x, y, source.Token);
        Thread canceller = Later.Cancel(source, 50);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);
        canceller.Join();
        Assert.True(task.IsCanceled);
        Assert.All(y[^Size..], element => Assert.Equal(0, element));
    }

    [Fact]
    public async Task CancelledBeforehand()
    {
        using Layer layer = SlowLayer();
        float[] y = new float[Size];
        CancellationToken cancelled = new(canceled: true);
        Assert.Throws<OperationCanceledException>(() => layer.Forward(new float[Size], y, cancelled));
        Assert.Throws<OperationCanceledException>(() => layer.ForwardAdd(new float[Size], y, cancelled));
        Task task = layer.ForwardAsync(new float[Size], y, cancelled);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);
        Assert.All(y, element => Assert.Equal(0, element));
    }

    /// <summary>Cancelling just when the call returns must not write to a stack that is gone.</summary>
    [Fact]
    public void CancelledAtTheEnd()
    {
        using Layer layer = Layer.CreateRandom(
            new LayerConfig { HiddenSize = 16, NumTables = 2, TableSize = 4, BlockSize = 16 },
            new LoadOptions { NumThreads = 1 });
        float[] x = new float[16];
        float[] y = new float[16];
        int cancelled = 0;
        for (int i = 0; i < 2000; i++)
        {
            using CancellationTokenSource source = new();
            Thread canceller = new(source.Cancel);
            canceller.Start();
            try
            {
                while (true)
                {
                    layer.Forward(x, y, source.Token);
                }
            }
            catch (OperationCanceledException)
            {
                cancelled++;
            }

            canceller.Join();
        }

        Assert.Equal(2000, cancelled);
    }
}

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
