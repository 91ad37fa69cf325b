// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>The golden models give the golden results, alone and in batches.</summary>
public class ModelTests
{
    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public void Outputs(string name)
    {
        GoldenModel golden = new(name);
        using Model model = Model.Load(golden.Folder);
        int vocab = model.Info.VocabSize;
        for (int i = 0; i < golden.Sequences.Count; i++)
        {
            int[] ids = golden.Sequences[i];
            GoldenModel.AssertClose(golden.Tensors[$"hidden.{i}"], model.Encode(ids));
            GoldenModel.AssertClose(golden.Tensors[$"class.{i}"], model.Classify(ids));
            if (golden.Tensors.TryGetValue($"logits.{i}", out float[]? logits))
            {
                float[][] rows = model.Logits(ids, [.. Enumerable.Range(0, ids.Length)]);
                for (int t = 0; t < rows.Length; t++)
                {
                    GoldenModel.AssertClose(logits.AsSpan(t * vocab, vocab), rows[t]);
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public async Task BatchesGiveTheSameBits(string name)
    {
        GoldenModel golden = new(name);
        using Model model = Model.Load(golden.Folder, new LoadOptions { NumThreads = 2 });
        List<int[]> all = golden.Sequences;
        float[][] hidden = model.Encode(all);
        float[][] scores = await model.ClassifyAsync(all);
        float[][] vectors = await model.EmbedAsync(all);
        float[][] later = await model.EncodeAsync(all);
        for (int i = 0; i < all.Count; i++)
        {
            Golden.AssertSameBits(model.Encode(all[i]), hidden[i]);
            Golden.AssertSameBits(hidden[i], later[i]);
            Golden.AssertSameBits(model.Classify(all[i]), scores[i]);
            Golden.AssertSameBits(model.Embed(all[i]), vectors[i]);
            Assert.Equal(hidden[i], await model.EncodeAsync(all[i]));
            Assert.Equal(scores[i], await model.ClassifyAsync(all[i]));
            Assert.Equal(vectors[i], await model.EmbedAsync(all[i]));
        }

        float[][] logits = model.Logits(all, [all[0].Length + 2, 0]);
        Golden.AssertSameBits(model.Logits(all[1], [2])[0], logits[0]);
        Golden.AssertSameBits(model.Logits(all[0], [0])[0], logits[1]);
        int[][] none = [];
        Assert.Empty(model.Encode(none));
        Assert.Empty(model.Embed(none));
        Assert.Empty(model.Logits(all, []));
        Assert.Empty(model.Encode(Array.Empty<int>()));
    }

    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public void Embeddings(string name)
    {
        GoldenModel golden = new(name);
        using Model model = Model.Load(golden.Folder);
        int[] ids = golden.Sequences[0];
        int size = model.Info.HiddenSize;
        float[] hidden = model.Encode(ids);
        float[] mean = new float[size];
        float[] max = new float[size];
        Array.Fill(max, float.NegativeInfinity);
        for (int i = 0; i < hidden.Length; i++)
        {
            mean[i % size] += hidden[i] / ids.Length;
            max[i % size] = Math.Max(max[i % size], hidden[i]);
        }

        GoldenModel.AssertClose(mean, model.Embed(ids, new() { Normalize = false }));
        Golden.AssertSameBits(max, model.Embed(ids, new() { Pooling = Pooling.Max, Normalize = false }));
        Golden.AssertSameBits(hidden.AsSpan(0, size), model.Embed(ids, new() { Pooling = Pooling.First, Normalize = false }));
        EmbedOptions last = new() { Pooling = Pooling.Last, Normalize = false };
        Golden.AssertSameBits(hidden.AsSpan(hidden.Length - size), model.Embed(ids, last));
        float[] weighted = new float[size];
        for (int i = 0; i < hidden.Length; i++)
        {
            weighted[i % size] += hidden[i] * ((i / size) + 1) * 2 / (ids.Length * (ids.Length + 1f));
        }

        GoldenModel.AssertClose(weighted, model.Embed(ids, last with { Pooling = Pooling.WeightedMean }));
        Assert.Equal(1, model.Embed(ids).Sum(number => (double)number * number), 1e-5);

        // The first numbers, scaled after that.
        float[] few = model.Embed(ids, new() { Dimensions = 5 });
        Assert.Equal(5, few.Length);
        Assert.Equal(1, few.Sum(number => (double)number * number), 1e-5);
        EmbedOptions unscaled = new() { Normalize = false };
        float[] whole = model.Embed(ids, unscaled);
        Golden.AssertSameBits(whole.AsSpan(0, 5), model.Embed(ids, unscaled with { Dimensions = 5 }));
        float[][] both = model.Embed(["a", "b"], unscaled with { Dimensions = 5, Statuses = new() });
        Golden.AssertSameBits(model.Embed("b", unscaled).AsSpan(0, 5), both[1]);
        foreach (int wrong in new[] { 0, -1, size + 1 })
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => model.Embed(ids, new() { Dimensions = wrong }));
        }
    }

    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public void SavedAndLoadedAgain(string name)
    {
        GoldenModel golden = new(name);
        int[] ids = golden.Sequences[0];
        string directory = Directory.CreateTempSubdirectory("lookupffn-").FullName;
        try
        {
            string file = Path.Combine(directory, name + "-größer-🚀.safetensors");
            using Model model = Model.Load(golden.Folder);
            model.Save(file);
            byte[] bytes = File.ReadAllBytes(file);
            using Model fromFile = Model.Load(file, new LoadOptions { NumThreads = 2, MemoryMapping = true });
            using Model fromBytes = Model.Load(bytes);
            Array.Clear(bytes);
            Assert.Equal(2, fromFile.Info.NumThreads);
            Golden.AssertSameBits(model.Embed(ids), fromFile.Embed(ids));
            Golden.AssertSameBits(model.Embed(ids), fromBytes.Embed(ids));
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public void LinearLayersInIntegers(string name)
    {
        GoldenModel golden = new(name);
        string file = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        try
        {
            using Model model = Model.Load(golden.Folder);
            LoadOptions integers = new() { LinearType = ElementType.Int8, NumThreads = 1 };
            using Model small = Model.Load(golden.Folder, integers);
            small.Save(file);
            using Model stored = Model.Load(file, new LoadOptions { NumThreads = 2 });
            Assert.Equal(ElementType.Int8, small.Info.LinearType);
            Assert.Equal(ElementType.Int8, stored.Info.LinearType);
            Assert.True(small.Info.FileBytes < model.Info.FileBytes);
            float[][] batch = stored.Encode(golden.Sequences);
            for (int i = 0; i < batch.Length; i++)
            {
                float[] expected = model.Encode(golden.Sequences[i]);
                float[] found = small.Encode(golden.Sequences[i]);
                Golden.AssertSameBits(found, batch[i]);
                double squares = expected.Sum(number => (double)number * number);
                double differences = expected.Zip(found, (a, b) => Math.Pow((double)a - b, 2)).Sum();
                Assert.InRange(Math.Sqrt(differences / squares), 1e-9, 0.2);
            }
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public void ElementTypesAndInfo(string name)
    {
        GoldenModel golden = new(name);
        using Model model = Model.Load(golden.Folder);
        ModelInfo info = model.Info;
        Assert.Equal(golden.Tensors["class.0"].Length, info.NumClasses);
        Assert.Equal(golden.Tensors["hidden.0"].Length, golden.Sequences[0].Length * info.HiddenSize);
        Assert.Equal(info.HiddenSize, info.NumHeads * info.HeadSize);
        Assert.InRange(info.NumLookupLayers, 1, info.NumLayers);
        Assert.True(info.HasLmHead);
        Assert.False(info.SeveralLabels);
        Assert.True(info.NumTokenTypes >= 1 && info.Arithmetic >= 3);
        Assert.Equal(name == "model-lookup" ? 0 : 192, info.IntermediateSize);
        Assert.True(info.FfnFlopPerToken > 0 && info.AttentionFlopPerToken > 0 && info.AttentionFlopPerPair > 0);
        Assert.Equal(info.NumLayers, model.Layers.Count);
        Assert.Equal(info.FfnFlopPerToken, model.Layers.Sum(layer => layer.FfnFlopPerToken));
        Assert.All(model.Layers, layer =>
        {
            Assert.Equal(info.NumHeads, layer.NumHeads);
            Assert.True((layer.NumNeurons > 0) != (layer.NumTables > 0 && layer.Projection.Length > 0));
            Assert.Equal(layer.NumTables > 0 ? ElementType.F32 : null, layer.TableType);
            Assert.Null(layer.WordType);
            Assert.True(layer.AttentionBytes > 0 && layer.FfnBytes > 0 && layer.WordBytes == 0);
        });
        Assert.True(info.OtherFlopPerToken > 0 && info.LmHeadFlopPerToken > 0);
        Assert.True(info.NumParameters > 10_000 && info.FileBytes >= 4 * info.NumParameters);
        Assert.True(info.MemoryBytes > info.NumParameters && info.ScratchBytes > 0);

        LoadOptions small = new()
        {
            TableType = ElementType.BF16,
            HashType = ElementType.Int8,
            NumThreads = 1,
        };
        using Model other = Model.Load(golden.Folder, small);
        Assert.Equal(ElementType.BF16, other.Info.TableType);
        Assert.Equal(ElementType.Int8, other.Info.HashType);
        Assert.Equal(ElementType.F32, other.Info.LinearType);
        Assert.Equal(1, other.Info.NumThreads);
        Assert.True(other.Info.MemoryBytes < info.MemoryBytes);
        Assert.NotEqual(model.Embed(golden.Sequences[0]), other.Embed(golden.Sequences[0]));
    }
}
