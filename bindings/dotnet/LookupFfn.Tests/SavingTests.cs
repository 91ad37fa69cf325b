// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Saving tells how far it has come, and is ended.</summary>
public sealed class SavingTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("lookupffn-").FullName;
    private readonly Model model = Model.Load(new GoldenModel("model-lookup").Folder);

    private readonly Layer layer =
        Layer.CreateRandom(new LayerConfig { HiddenSize = 64, NumTables = 8, TableSize = 16 });

    public void Dispose()
    {
        model.Dispose();
        layer.Dispose();
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task ProgressRisesToOne()
    {
        string file = Path.Combine(folder, "model");
        foreach (Action<SaveOptions> save in new Action<SaveOptions>[]
        {
            options => model.Save(file, options), options => layer.Save(Path.Combine(folder, "layer"), options),
        })
        {
            Receiver told = new();
            save(new SaveOptions { Progress = told });
            Assert.Equal(1, told.Values[^1]);
            Assert.Equal(told.Values.Order(), told.Values);
            Assert.InRange(told.Values[0], 0, 1);
        }

        await model.SaveAsync(file + "-later");
        Assert.Equal(File.ReadAllBytes(file), File.ReadAllBytes(file + "-later"));
        using Model again = Model.Load(file);
        Golden.AssertSameBits(model.Embed("a text"), again.Embed("a text"));
    }

    /// <summary>By a token, by the receiver, and by what the receiver throws: the old file stays, and nothing else.</summary>
    [Fact]
    public void WhatIsEndedLeavesTheOldFile()
    {
        string file = Path.Combine(folder, "model");
        model.Save(file);
        byte[] whole = File.ReadAllBytes(file);
        using CancellationTokenSource source = new();
        SaveOptions cancels = new() { Progress = new Receiver { Then = _ => source.Cancel() } };
        OperationCanceledException ended =
            Assert.Throws<OperationCanceledException>(() => model.Save(file, cancels, source.Token));
        Assert.Equal(source.Token, ended.CancellationToken);
        Assert.Throws<OperationCanceledException>(() => layer.Save(Path.Combine(folder, "none"), null, source.Token));
        SaveOptions throws = new() { Progress = new Receiver { Then = _ => throw new InvalidTimeZoneException("mine") } };
        Assert.Throws<InvalidTimeZoneException>(() => model.Save(file, throws));
        Assert.Throws<InvalidTimeZoneException>(() => layer.Save(Path.Combine(folder, "none"), throws));
        Assert.Equal(whole, File.ReadAllBytes(file));
        Assert.Equal([file], Directory.GetFiles(folder));
    }

    private sealed class Receiver : IProgress<double>
    {
        public List<double> Values { get; } = [];

        public Action<double>? Then { get; init; }

        public void Report(double value)
        {
            Values.Add(value);
            Then?.Invoke(value);
        }
    }
}
