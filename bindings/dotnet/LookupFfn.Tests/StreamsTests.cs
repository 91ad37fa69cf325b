// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

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
