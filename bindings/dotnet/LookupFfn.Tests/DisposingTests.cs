// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using System.Runtime.CompilerServices;
using Xunit;
using Xunit.Abstractions;

namespace LookupFfn.Tests;

/// <summary>Disposing twice, disposing too early, disposing while others call, never disposing.</summary>
public class DisposingTests(ITestOutputHelper output)
{
    private const int Tokens = 3;

    private static readonly LayerConfig Config = new()
    {
        HiddenSize = 32,
        NumTables = 4,
        TableSize = 8,
        ProjectionFactors = 2,
        BlockSize = 16,
    };

    private static Layer NewLayer() => Layer.CreateRandom(Config, new LoadOptions { NumThreads = 1 });

    [Fact]
    public void DisposedLayersRefuse()
    {
        AwaitNoHandles();
        Layer layer = NewLayer();
        Assert.Equal(1, Raw.LiveHandles());
        float[] x = new float[32];
        layer.Dispose();
        Assert.Equal(0, Raw.LiveHandles());
        layer.Dispose();
        Assert.Equal(0, Raw.LiveHandles());
        Assert.Equal("Layer (disposed)", layer.ToString());
        Assert.Throws<ObjectDisposedException>(() => layer.Forward(x, x));
        Assert.Throws<ObjectDisposedException>(() => layer.ForwardAdd(x, x));
        Assert.Throws<ObjectDisposedException>(() => { _ = layer.ForwardAsync(x, x); });
        Assert.Throws<ObjectDisposedException>(() => layer.Hash(x, default, default));
        Assert.Throws<ObjectDisposedException>(() => layer.Save("never"));
        Assert.Throws<ObjectDisposedException>(() => layer.Info);
        Assert.Throws<ObjectDisposedException>(() => layer.InputSize);
        Assert.Throws<ObjectDisposedException>(() => layer.OutputSize);
    }

    [Fact]
    public void ForgottenLayersAreFreed()
    {
        AwaitNoHandles();
        Forget(1000);
        Assert.True(Raw.LiveHandles() > 0, "nothing was there to be forgotten");
        AwaitNoHandles();
    }

    /// <summary>Four callers and two disposers on one layer after another, for LOOKUPFFN_RACE_SECONDS.</summary>
    [Fact]
    public void RacedDisposing()
    {
        AwaitNoHandles();
        float[] x = new float[Tokens * 32];
        for (int i = 0; i < x.Length; i++)
        {
            x[i] = (i % 7) - 3;
        }

        float[] expected = new float[x.Length];
        using (Layer layer = NewLayer())
        {
            layer.Forward(x, expected);
        }

        const int Callers = 4;
        string setting = Environment.GetEnvironmentVariable("LOOKUPFFN_RACE_SECONDS") ?? "5";
        double seconds = double.Parse(setting, CultureInfo.InvariantCulture);
        DateTime deadline = DateTime.UtcNow.AddSeconds(seconds);
        long calls = 0;
        long layers = 0;
        Layer current = NewLayer();
        int spin = 0;
        bool over = false;
        Exception? failure = null;
        using Barrier barrier = new(Callers + 2);
        Thread[] threads = new Thread[Callers + 1];
        for (int i = 0; i < threads.Length; i++)
        {
            bool caller = i < Callers;
            threads[i] = new Thread(() =>
            {
                while (true)
                {
                    barrier.SignalAndWait();
                    if (over)
                    {
                        return;
                    }

                    try
                    {
                        if (caller)
                        {
                            Interlocked.Add(ref calls, CallUntilDisposed(current, x, expected));
                        }
                        else
                        {
                            Thread.SpinWait(spin);
                            current.Dispose();
                        }
                    }
                    catch (Exception unexpected) when (unexpected is not null)
                    {
                        failure = unexpected;
                    }

                    barrier.SignalAndWait();
                }
            });
            threads[i].Start();
        }

        while ((DateTime.UtcNow < deadline || layers <= 10 || Interlocked.Read(ref calls) <= 100) && failure == null)
        {
            barrier.SignalAndWait();
            Thread.SpinWait(spin);
            current.Dispose();
            barrier.SignalAndWait();
            layers++;
            long alive = Raw.LiveHandles();
            if (alive != 0)
            {
                failure = new InvalidOperationException($"{alive} handles are alive after layer {layers}");
            }

            current = NewLayer();
            spin = Random.Shared.Next(2000);
        }

        over = true;
        current.Dispose();
        barrier.SignalAndWait();
        foreach (Thread thread in threads)
        {
            thread.Join();
        }

        output.WriteLine($"raced {calls} calls on {layers} layers");
        Console.WriteLine($"raced {calls} calls on {layers} layers");
        Assert.Null(failure);
        Assert.Equal(0, Raw.LiveHandles());
    }

    private static long CallUntilDisposed(Layer layer, float[] x, float[] expected)
    {
        float[] y = new float[expected.Length];
        for (long calls = 0; ; calls++)
        {
            try
            {
                layer.Forward(x, y);
            }
            catch (ObjectDisposedException)
            {
                return calls;
            }

            Golden.AssertSameBits(expected, y);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(int count)
    {
        float[] y = new float[32];
        for (int i = 0; i < count; i++)
        {
            NewLayer().Forward(new float[32], y);
        }
    }

    private static void AwaitNoHandles()
    {
        DateTime deadline = DateTime.UtcNow.AddMinutes(2);
        while (Raw.LiveHandles() != 0 && DateTime.UtcNow < deadline)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.Equal(0, Raw.LiveHandles());
    }
}
