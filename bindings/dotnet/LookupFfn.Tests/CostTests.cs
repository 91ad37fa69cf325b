// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>What a call takes besides its time: no managed memory, and a bounded number of threads.</summary>
public class CostTests
{
    [Fact]
    public void ForwardAllocatesNothing()
    {
        using Layer layer = Layer.CreateRandom(
            new LayerConfig { HiddenSize = 32, NumTables = 4, TableSize = 8, BlockSize = 16 },
            new LoadOptions { NumThreads = 1 });
        float[] x = new float[32];
        float[] y = new float[32];
        int[] codes = new int[4];
        Action[] calls =
        [
            () => layer.Forward(x, y),
            () => layer.Forward(x, y, default),
            () => layer.ForwardAdd(x, y),
            () => layer.Hash(x, codes, y),
        ];
        foreach (Action call in calls)
        {
            Assert.Contains(0L, Enumerable.Range(0, 5).Select(_ => AllocatedBy(call)));
        }
    }

    /// <summary>The collector sees forgotten layers' memory, and so frees them without being asked to.</summary>
    [Fact]
    public void ForgottenLayersPressTheCollector()
    {
        const int Layers = 400;
        long before = Handles.Settled();
        long most = 0;
        for (int i = 0; i < Layers; i++)
        {
            Forget();
            most = Math.Max(most, Raw.LiveHandles() - before);
        }

        Assert.InRange(most, 1, Layers / 2);

        // 4 MB each, and hardly anything that the collector sees.
        static void Forget() => Layer.CreateRandom(
            new LayerConfig { HiddenSize = 64, NumTables = 64, TableSize = 256 }, new LoadOptions { NumThreads = 1 });
    }

    /// <summary>However many callers and threads per call: the helper threads are bounded, and shared by all
    /// callers.</summary>
    [Fact]
    public void ThreadsAreBounded()
    {
        const int Callers = 32;
        const int Threads = 8;
        int most = Math.Max(CountHelpers(), Threads - 1);
        using Layer layer = Layer.CreateRandom(
            new LayerConfig { HiddenSize = 64, NumTables = 8, TableSize = 16 },
            new LoadOptions { NumThreads = Threads });
        using CountdownEvent warm = new(Callers);
        using ManualResetEventSlim counted = new();
        Thread[] callers = new Thread[Callers];
        for (int i = 0; i < Callers; i++)
        {
            callers[i] = new Thread(() =>
            {
                float[] x = new float[64 * 1024];
                float[] y = new float[x.Length];
                for (int call = 0; call < 3; call++)
                {
                    layer.Forward(x, y);
                }

                warm.Signal();
                counted.Wait();
            });
            callers[i].Start();
        }

        Assert.True(warm.Wait(TimeSpan.FromSeconds(60)));
        int count = CountHelpers();
        counted.Set();
        foreach (Thread caller in callers)
        {
            caller.Join();
        }

        Console.WriteLine($"{Callers} callers times {Threads} threads: {count} helpers");
        Assert.InRange(count, 0, most);
    }

    /// <summary>The runtime allocates a few bytes itself when it compiles a method anew: one clean round is
    /// enough.</summary>
    internal static long AllocatedBy(Action call, int calls = 10_000)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < calls; i++)
        {
            call();
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static int CountHelpers() => Directory.GetDirectories("/proc/self/task").Count(task =>
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "comm")).Trim() == "lookupffn";
        }
        catch (IOException)
        {
            return false;
        }
    });
}
