// SPDX-License-Identifier: Apache-2.0
using System.Collections.Concurrent;
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Loading from memory, with progress, cancelled, estimated, with a runtime.</summary>
public class LoadingTests
{
    private static readonly string Folder = new GoldenModel("model-lookup").Folder;

    private static Dictionary<string, ReadOnlyMemory<byte>> Files() =>
        Directory.GetFiles(Folder, "*", SearchOption.AllDirectories).ToDictionary(
            path => Path.GetRelativePath(Folder, path),
            path => new ReadOnlyMemory<byte>(File.ReadAllBytes(path)));

    [Fact]
    public async Task FilesInMemory()
    {
        long before = Handles.Settled();
        Dictionary<string, ReadOnlyMemory<byte>> files = Files();
        using Model expected = Model.Load(Folder);
        using (Model model = Model.Load(files))
        using (Model later = await Model.LoadAsync(Folder))
        {
            Golden.AssertSameBits(expected.Embed("a text"), model.Embed("a text"));
            Golden.AssertSameBits(expected.Embed("a text"), later.Embed("a text"));
        }

        files.Remove("config.json");
        Assert.Throws<ModelIOException>(() => Model.Load(files));
        files.Clear();
        Assert.Throws<ModelIOException>(() => Model.Load(files));
        Assert.Throws<ArgumentNullException>("files", () => Model.Load((Dictionary<string, ReadOnlyMemory<byte>>)null!));
        files["a\0b"] = default;
        Assert.Throws<ArgumentException>("files", () => Model.Load(files));
        Assert.Equal(before + 1, Raw.LiveHandles());
    }

    [Fact]
    public void Estimates()
    {
        using Model model = Model.Load(Folder);
        MemoryEstimate estimate = Model.Estimate(Folder);
        Assert.InRange(estimate.WeightBytes, model.Info.MemoryBytes, 2 * model.Info.MemoryBytes);
        Assert.True(estimate.LoadingBytes >= estimate.WeightBytes);
        Assert.Equal(estimate, Model.Estimate(Files()));
        Assert.True(Model.Estimate(Folder, new() { LinearType = ElementType.Int8 }).WeightBytes < estimate.WeightBytes);
        Assert.Throws<ModelIOException>(() => Model.Estimate(Folder + "-missing"));
        Assert.Throws<OperationCanceledException>(
            () => Model.Estimate(Folder, null, new CancellationToken(canceled: true)));
    }

    [Fact]
    public void ProgressIsToldAndCancels()
    {
        long before = Handles.Settled();
        Receiver told = new();
        using (Model model = Model.Load(Folder, new() { Progress = told }))
        {
            Assert.Equal(1, told.Values[^1]);
            Assert.Equal(told.Values.Order(), told.Values);
            Assert.InRange(told.Values[0], 0, 1);
        }

        // By the receiver, by a token, and by what the receiver throws, at the end, too.
        using CancellationTokenSource source = new();
        Receiver cancels = new() { Then = _ => source.Cancel() };
        OperationCanceledException ended = Assert.Throws<OperationCanceledException>(
            () => Model.Load(Folder, new() { Progress = cancels }, source.Token));
        Assert.Equal(source.Token, ended.CancellationToken);
        Assert.NotEqual(1, cancels.Values[^1]);
        Receiver throws = new() { Then = _ => throw new InvalidTimeZoneException("made for the test") };
        Assert.Throws<InvalidTimeZoneException>(() => Model.Load(Folder, new() { Progress = throws }));
        Receiver late = new() { Then = done => { if (done == 1) { throw new InvalidTimeZoneException("late"); } } };
        Assert.Throws<InvalidTimeZoneException>(() => Model.Load(Folder, new() { Progress = late }));
        Assert.Throws<OperationCanceledException>(() => Layer.Load(new Golden("dense@stored").Model, null, source.Token));
        Assert.Throws<OperationCanceledException>(() => Tokenizer.Load(Folder, null, source.Token));
        Assert.Equal(before, Raw.LiveHandles());
    }

    [Fact]
    public void AttentionHasATypeOfItsOwn()
    {
        LoadOptions whole = new() { LinearType = ElementType.Int8 };
        using Model model = Model.Load(Folder, whole);
        using Model exact = Model.Load(Folder, whole with { AttentionType = ElementType.F32 });
        Assert.Equal(ElementType.Int8, model.Info.AttentionType);
        Assert.Equal(ElementType.F32, exact.Info.AttentionType);
        Assert.Equal(model.Info.HiddenSize, model.Info.TokenVectorSize);
        using Tokenizer tokenizer = model.GetTokenizer();
        Assert.True(tokenizer.Info.MemoryBytes > 0 && model.Info.TokenizerBytes > 0);
    }

    [Fact]
    public void InputsOfInt8LayersHaveSevenBitsWhereThatIsAsked()
    {
        LoadOptions eight = new() { LinearType = ElementType.Int8 };
        using Model model = Model.Load(Folder, eight);
        using Model seven = Model.Load(Folder, eight with { SevenBitInputs = true });
        using Model exact = Model.Load(Folder);
        using Model same = Model.Load(Folder, new() { SevenBitInputs = true });
        Assert.Equal(model.Info.Arithmetic + 1000, seven.Info.Arithmetic);
        Assert.NotEqual(model.Embed("a text"), seven.Embed("a text"));
        Assert.Equal(exact.Info.Arithmetic, same.Info.Arithmetic);
        Assert.Equal(exact.Embed("a text"), same.Embed("a text"));
    }

    /// <summary>Several models in one runtime, which may go before them.</summary>
    [Fact]
    public void RuntimesAreShared()
    {
        ConcurrentQueue<(LookupFfnLogLevel Level, string Line)> lines = new();
        LookupFfnRuntime runtime = new(new() { NumThreads = 1, Isa = "generic", Log = (level, line) => lines.Enqueue((level, line)) });
        Assert.Equal("generic", runtime.Isa);
        LoadOptions options = new() { NumThreads = 2, Runtime = runtime };
        using Model model = Model.Load(Folder, options);
        using Model expected = Model.Load(Folder);
        Assert.Equal(1, model.Info.NumThreads);
        Assert.Contains(lines, told => told.Level == LookupFfnLogLevel.Information && told.Line.Contains("generic", StringComparison.Ordinal));
        using Layer layer = Layer.CreateRandom(new() { HiddenSize = 16, NumTables = 2, TableSize = 4, BlockSize = 16 }, options);
        Assert.Equal(1, layer.Info.NumThreads);
        runtime.Dispose();
        Assert.True(runtime.IsDisposed);
        GoldenModel.AssertClose(expected.Embed("a text"), model.Embed("a text"));
        Assert.Throws<ObjectDisposedException>(() => Model.Load(Folder, options));
        Assert.ThrowsAny<ArgumentException>(() => new LookupFfnRuntime(new() { Isa = "abacus" }));
        Assert.ThrowsAny<ArgumentException>(() => new LookupFfnRuntime(new() { NumThreads = -1 }));
    }

    /// <summary>What a receiver throws is dropped, and lines go to nobody else.</summary>
    [Fact]
    public void LogsAndTrims()
    {
        ConcurrentQueue<string> lines = new();
        LookupFfnLibrary.SetLog((_, line) =>
        {
            lines.Enqueue(line);
            throw new InvalidTimeZoneException("made for the test");
        });
        try
        {
            using Model model = Model.Load(Folder);
            Assert.Contains(lines, line => line.StartsWith("model ready", StringComparison.Ordinal));
            float[] before = model.Embed("a text");
            LookupFfnLibrary.Trim();
            Golden.AssertSameBits(before, model.Embed("a text"));
        }
        finally
        {
            LookupFfnLibrary.SetLog(null);
        }

        int count = lines.Count;
        Model.Load(Folder).Dispose();
        Assert.Equal(count, lines.Count);
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

/// <summary>Models and tokenizers from files that streams of the caller's read.</summary>
public class StreamsTests
{
    private static readonly string Folder = new GoldenModel("model-lookup").Folder;

    [Fact]
    public void StreamsAreTheFolder()
    {
        Dictionary<string, Stream> files = Files();
        using Model model = Model.Load(Folder);
        using Model read = Model.Load(files);
        Golden.AssertSameBits(model.Embed("a text"), read.Embed("a text"));
        Assert.Equal(model.Info, read.Info);
        Assert.Equal(Model.Estimate(Folder), Model.Estimate(files));
        using Tokenizer tokenizer = Tokenizer.Load(files);
        Assert.Equal(model.Tokenize("a text"), tokenizer.Tokenize("a text"));
        Assert.All(files.Values, stream => Assert.True(stream.CanRead));
        using FileStream weights = File.OpenRead(Path.Combine(Folder, "model.safetensors"));
        files["model.safetensors"] = weights;
        Model.Load(files).Dispose();
    }

    [Fact]
    public void StreamsThatFailSaySo()
    {
        long before = Handles.Settled();
        Dictionary<string, Stream> files = Files();
        byte[] weights = File.ReadAllBytes(Path.Combine(Folder, "model.safetensors"));
        files["model.safetensors"] = new Hooked(weights) { Reading = () => throw new InvalidTimeZoneException("mine") };
        Assert.Throws<InvalidTimeZoneException>(() => Model.Load(files));
        Assert.Throws<InvalidTimeZoneException>(() => Model.Estimate(files));
        files["model.safetensors"] = new Hooked(weights[..^1]) { More = 1 };
        Assert.Throws<EndOfStreamException>(() => Model.Load(files));
        files["config.json"].Dispose();
        Assert.Throws<ArgumentException>("files", () => Model.Load(files));
        files["config.json"] = null!;
        Assert.Throws<ArgumentException>("files", () => Tokenizer.Load(files));
        Assert.Throws<ArgumentNullException>("files", () => Model.Load((Dictionary<string, Stream>)null!));
        Assert.Equal(before, Raw.LiveHandles());
    }

    /// <summary>Objects may move while native code holds the streams.</summary>
    [Fact]
    public void StreamsMayCollect()
    {
        Dictionary<string, Stream> files = Files();
        int reads = 0;
        files["model.safetensors"] = new Hooked(File.ReadAllBytes(Path.Combine(Folder, "model.safetensors")))
        {
            Reading = () =>
            {
                if (reads++ < 5)
                {
                    GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
                }
            },
        };
        using Model model = Model.Load(Folder);
        using Model read = Model.Load(files);
        Assert.True(reads > 0);
        Golden.AssertSameBits(model.Embed("a text"), read.Embed("a text"));
    }

    private static Dictionary<string, Stream> Files() =>
        Directory.GetFiles(Folder, "*", SearchOption.AllDirectories).ToDictionary(
            path => Path.GetRelativePath(Folder, path), path => (Stream)new MemoryStream(File.ReadAllBytes(path)));

    /// <summary>Bytes that something happens to when they are read, and that may say to be more than they are.</summary>
    private sealed class Hooked(byte[] bytes) : MemoryStream(bytes)
    {
        public Action? Reading { get; init; }

        public int More { get; init; }

        public override long Length => base.Length + More;

        public override int Read(Span<byte> buffer)
        {
            Reading?.Invoke();

            // A few at a time, as from a network.
            byte[] part = new byte[Math.Min(buffer.Length, 50_000)];
            int count = base.Read(part, 0, part.Length);
            part.AsSpan(0, count).CopyTo(buffer);
            return count;
        }
    }
}
