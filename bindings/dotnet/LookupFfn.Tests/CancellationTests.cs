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
