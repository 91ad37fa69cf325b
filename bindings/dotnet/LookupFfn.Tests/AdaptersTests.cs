// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>A model with one of its adapters is the model of which the weights hold the sums.</summary>
public sealed class AdaptersTests : IDisposable
{
    private static readonly string Made = Environment.GetEnvironmentVariable("LOOKUPFFN_MADE_MODELS")!;
    private static readonly string Folder = Path.Combine(Made, "adapters");
    private static readonly LoadOptions Separation = new() { Adapter = "separation" };

    private readonly string scratch = Directory.CreateTempSubdirectory("lookupffn-").FullName;

    public void Dispose() => Directory.Delete(scratch, recursive: true);

    [Fact]
    public async Task AreAddedToTheWeights()
    {
        float[] expected = Embedded(Model.Load(Path.Combine(Made, "adapters-separation")));
        Golden.AssertSameBits(expected, Embedded(Model.Load(Folder, Separation)));
        Golden.AssertSameBits(expected, Embedded(Model.Load(Files(), Separation)));
        Model later = await Model.LoadAsync(Folder, Separation);
        Golden.AssertSameBits(expected, Embedded(later));
        Golden.AssertSameBits(expected, Embedded(Model.Load(Saved())));

        float[] plain = Embedded(Model.Load(Folder));
        Assert.NotEqual(expected, plain);
        Assert.NotEqual(expected, Embedded(Model.Load(Folder, new() { Adapter = "text-matching" })));
        Golden.AssertSameBits(plain, Embedded(Model.Load(Folder, Separation with { Adapter = null })));
    }

    [Fact]
    public void AreEstimated()
    {
        MemoryEstimate estimate = Model.Estimate(Folder, Separation);
        Assert.True(estimate.LoadingBytes > Model.Estimate(Folder).LoadingBytes);
        Assert.Equal(estimate, Model.Estimate(Files(), Separation));
    }

    [Fact]
    public void UnknownNamesAreRefused()
    {
        LoadOptions unknown = new() { Adapter = "größer 🚀" };
        string message = Assert.ThrowsAny<ArgumentException>(() => Model.Load(Folder, unknown)).Message;
        Assert.Contains(
            "Adapter is 'größer 🚀'; the model's adapters are 'retrieval.query', 'separation', 'text-matching'",
            message,
            StringComparison.Ordinal);
        Assert.DoesNotContain("options.", message, StringComparison.Ordinal);
        message = Assert.ThrowsAny<ArgumentException>(
            () => Model.Load(Path.Combine(Made, "adapters-separation"), Separation)).Message;
        Assert.Contains("this model has no adapters; leave it null", message, StringComparison.Ordinal);
        Assert.ThrowsAny<ArgumentException>(() => Model.Load(Files(), unknown));
        Assert.ThrowsAny<ArgumentException>(() => Model.Load(File.ReadAllBytes(Saved()), Separation));
        Assert.ThrowsAny<ArgumentException>(() => Model.Estimate(Folder, unknown));
        Assert.ThrowsAny<ArgumentException>(() => Model.Estimate(Files(), unknown));
        foreach (string bad in new[] { "", "separation\0", "\ud83d" })
        {
            Assert.Throws<ArgumentException>("Adapter", () => Model.Load(Folder, new() { Adapter = bad }));
        }

        using Tokenizer tokenizer = Tokenizer.Load(Folder, unknown);
        Assert.Equal(108, tokenizer.Info.VocabSize);
    }

    private static float[] Embedded(Model loaded)
    {
        using Model model = loaded;
        return model.Embed("the quick fox");
    }

    private static Dictionary<string, ReadOnlyMemory<byte>> Files() =>
        Directory.GetFiles(Folder).ToDictionary(
            path => Path.GetFileName(path), path => new ReadOnlyMemory<byte>(File.ReadAllBytes(path)));

    private string Saved()
    {
        string file = Path.Combine(scratch, "saved");
        using Model model = Model.Load(Folder, Separation);
        model.Save(file);
        return file;
    }
}
