// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Every failure of the native library becomes its exception, with the library's text.</summary>
public class FailuresTests
{
    private static readonly LayerConfig Small = new()
    {
        HiddenSize = 8,
        NumTables = 2,
        TableSize = 4,
        ProjectionFactors = 0,
    };

    [Theory]
    [InlineData(1, typeof(ArgumentException))]
    [InlineData(2, typeof(NativeMemoryException))]
    [InlineData(3, typeof(ModelIOException))]
    [InlineData(4, typeof(BadModelException))]
    [InlineData(5, typeof(UnsupportedModelException))]
    [InlineData(6, typeof(OperationCanceledException))]
    [InlineData(7, typeof(InternalErrorException))]
    public void EveryStatusHasItsException(int status, Type type)
    {
        Exception exception = Raw.Failure(status, "größer 🚀");
        Assert.IsType(type, exception);
        if (status != 6)
        {
            Assert.Equal("größer 🚀", exception.Message);
        }
    }

    [Fact]
    public void AnUnknownStatusIsSaid()
    {
        Exception exception = Raw.Failure(99, "text");
        Assert.Equal("status 99: text", Assert.IsType<InternalErrorException>(exception).Message);
    }

    [Fact]
    public void FilesThatCannotBeUsed()
    {
        long before = Handles.Settled();
        string directory = Directory.CreateTempSubdirectory("lookupffn-").FullName;
        try
        {
            string missing = Path.Combine(directory, "fehlt-🚀.safetensors");
            ModelIOException notThere = Assert.Throws<ModelIOException>(() => Layer.Load(missing));
            Assert.Contains("fehlt-🚀.safetensors", notThere.Message, StringComparison.Ordinal);

            string bad = Path.Combine(directory, "bad-🚀.safetensors");
            File.WriteAllBytes(bad, new byte[100]);
            BadModelException notValid = Assert.Throws<BadModelException>(() => Layer.Load(bad));
            Assert.Contains("bad-🚀.safetensors", notValid.Message, StringComparison.Ordinal);

            Assert.Throws<BadModelException>(() => Layer.Load([]));
            byte[] whole = File.ReadAllBytes(new Golden("dense@stored").Model);
            Assert.Throws<BadModelException>(() => Layer.Load(whole.AsSpan(0, whole.Length / 2)));

            using Layer layer = Layer.CreateRandom(Small);
            string nowhere = Path.Combine(directory, "no-such-directory", "layer.safetensors");
            Assert.Throws<ModelIOException>(() => layer.Save(nowhere));
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }

        Assert.Equal(before, Raw.LiveHandles());
    }

    [Fact]
    public void ConfigsThatCannotBeMeant()
    {
        long before = Handles.Settled();
        LayerConfig odd = Small with { TableSize = 3 };
        ArgumentException failure = Assert.Throws<ArgumentException>(() => Layer.CreateRandom(odd));
        Assert.Contains("3", failure.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>("NumThreads", () => Layer.CreateRandom(Small, new LoadOptions { NumThreads = -1 }));
        Assert.Equal(before, Raw.LiveHandles());
    }

    [Fact]
    public void LibraryTellsAboutItself()
    {
        Assert.Equal(Raw.ABI_VERSION, Raw.NativeVersion());
        Assert.True(LookupFfnLibrary.Version >= new Version(0, 1, 0));
        Assert.NotEmpty(LookupFfnLibrary.Isa);
    }
}
