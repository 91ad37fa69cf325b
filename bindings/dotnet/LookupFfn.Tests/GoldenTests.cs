// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>.NET gives the bits of the C interface, whichever way the numbers take.</summary>
public class GoldenTests
{
    [Fact]
    public void ThereAreCases() => Assert.True(Golden.Names.Count >= 40);

    [Theory]
    [MemberData(nameof(Golden.Names), MemberType = typeof(Golden))]
    public async Task EveryForward(string name)
    {
        Golden golden = new(name);
        using Layer layer = Layer.Load(golden.Model, golden.Options);
        float[] y = new float[golden.Y.Length];
        layer.Forward(golden.X, y);
        Golden.AssertSameBits(golden.Y, y);

        Array.Clear(y);
        using CancellationTokenSource source = new();
        layer.Forward(golden.X, y, source.Token);
        Golden.AssertSameBits(golden.Y, y);

        Array.Clear(y);
        await layer.ForwardAsync(golden.X, y, source.Token);
        Golden.AssertSameBits(golden.Y, y);

        Array.Fill(y, 0.5f);
        layer.ForwardAdd(golden.X, y);
        Golden.AssertSameBits(golden.Added, y);

        Array.Fill(y, 0.5f);
        layer.ForwardAdd(golden.X, y, source.Token);
        Golden.AssertSameBits(golden.Added, y);

        if (golden.InputSize == golden.OutputSize)
        {
            float[] both = (float[])golden.X.Clone();
            layer.Forward(both, both);
            Golden.AssertSameBits(golden.Y, both);
        }
    }

    [Theory]
    [MemberData(nameof(Golden.Names), MemberType = typeof(Golden))]
    public void OneTokenAtATime(string name)
    {
        Golden golden = new(name);
        using Layer layer = Layer.Load(golden.Model, golden.Options with { NumThreads = 1 });
        float[] y = new float[golden.Y.Length + 1];
        Array.Fill(y, -7);
        for (int t = 0; t < golden.Tokens; t++)
        {
            // All that is left of y is offered, and only one token of it may be written.
            layer.Forward(golden.X.AsSpan(t * golden.InputSize, golden.InputSize), y.AsSpan(t * golden.OutputSize));
            Assert.Equal(-7, y[(t + 1) * golden.OutputSize]);
        }

        Golden.AssertSameBits(golden.Y, y.AsSpan(..^1));
    }

    [Theory]
    [MemberData(nameof(Golden.Names), MemberType = typeof(Golden))]
    public void Hashes(string name)
    {
        Golden golden = new(name);
        using Layer layer = Layer.Load(golden.Model, golden.Options);
        int[] codes = new int[golden.Codes.Length];
        float[] scores = new float[golden.Scores.Length];
        layer.Hash(golden.X, codes, scores);
        Assert.Equal(golden.Codes, codes);
        Golden.AssertSameBits(golden.Scores, scores);
        Array.Fill(codes, -1);
        layer.Hash(golden.X, codes, default);
        Assert.Equal(golden.Codes, codes);
        layer.Hash(golden.X, default, default);
    }

    [Theory]
    [MemberData(nameof(Golden.Names), MemberType = typeof(Golden))]
    public void FromBytesAndSaved(string name)
    {
        Golden golden = new(name);
        byte[] bytes = File.ReadAllBytes(golden.Model);
        string directory = Directory.CreateTempSubdirectory("lookupffn-").FullName;
        try
        {
            string file = Path.Combine(directory, name + "-größer-🚀.safetensors");
            float[] y = new float[golden.Y.Length];
            using (Layer layer = Layer.Load(bytes, golden.Options with { NumThreads = 2 }))
            {
                Array.Clear(bytes);
                Assert.Equal(2, layer.Info.NumThreads);
                layer.Forward(golden.X, y);
                Golden.AssertSameBits(golden.Y, y);
                layer.Save(file);
            }

            using Layer again = Layer.Load(file, new LoadOptions { MemoryMapping = true });
            again.Forward(golden.X, y);
            Golden.AssertSameBits(golden.Y, y);
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }
}
