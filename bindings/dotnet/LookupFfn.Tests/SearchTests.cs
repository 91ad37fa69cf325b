// SPDX-License-Identifier: Apache-2.0
using System.Collections;
using System.Runtime.InteropServices;
using Xunit;

namespace LookupFfn.Tests;

/// <summary>What a search finds is what comparing each pair finds, in whatever form vectors come.</summary>
public sealed class SearchTests
{
    private const int Size = 19;
    private const int Count = 301;
    private const int Queries = 9;

    private readonly Random random = new(61);
    private readonly float[][] vectors;
    private readonly float[][] queries;

    public SearchTests()
    {
        vectors = Rows(Count);
        queries = Rows(Queries);
    }

    [Fact]
    public void FloatsAreFoundAsSortingFindsThem()
    {
        Nearest found = Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), new SearchOptions { K = 7 });
        Assert.Equal((Queries, 7), (found.Count, found.K));
        for (int q = 0; q < Queries; q++)
        {
            Assert.Equal(Sorted(7, Enumerable.Range(0, Count), i => Dot(queries[q], vectors[i])), found.Ids[q]);
            Assert.Equal(found.Ids[q].Select(id => (float)Dot(queries[q], vectors[id])), found.Scores[q]);
            Assert.Equal(found.Ids[q].Zip(found.Scores[q], (id, score) => new ScoredId(id, score)), found[q]);
        }

        Assert.Equal(10, Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors))[0].Length);
    }

    [Fact]
    public unsafe void AllFormsFindTheSame()
    {
        Nearest expected = Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors));
        float[] flat = [.. vectors.SelectMany(row => row)];
        ReadOnlyMemory<float>[] rows = [.. vectors.Select(row => (ReadOnlyMemory<float>)row)];
        Assert.Equal(expected, Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(rows)));
        Assert.Equal(expected, Vectors.TopK(VectorBlock.Of(queries), new VectorBlock(flat, Size)));
        // Native memory, at an address of no alignment, is read where it is.
        byte* memory = (byte*)NativeMemory.Alloc((nuint)(4 * flat.Length) + 1);
        Span<float> native = new(memory + 1, flat.Length);
        VectorBlock view = new(native, Size);
        flat.CopyTo(native);
        Assert.Equal(expected, Vectors.TopK(VectorBlock.Of(queries), view));
        NativeMemory.Free(memory);
        float[] last = [.. flat, .. queries[0]];
        Assert.Equal(expected[0], Vectors.TopK(VectorBlock.Of(last.AsSpan(flat.Length)), new VectorBlock(flat, Size))[0]);
    }

    [Fact]
    public void Cosines()
    {
        vectors[5] = new float[Size];
        SearchOptions options = new() { K = Count, Measure = Measure.Cosine };
        Nearest found = Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), options);
        Nearest small = Vectors.TopK(new VectorBlock(Bytes(queries), Size, 3), new VectorBlock(Bytes(vectors), Size), options);
        foreach (Nearest one in new[] { found, small })
        {
            for (int q = 0; q < Queries; q++)
            {
                for (int i = 0; i < Count; i++)
                {
                    Assert.Equal(Cosine(queries[q], vectors[one.Ids[q][i]]), one.Scores[q][i], 1e-6);
                    Assert.True(i == 0 || one.Scores[q][i - 1] >= one.Scores[q][i]);
                }
            }
        }
    }

    [Fact]
    public void BytesHaveScales()
    {
        float[] scales = [.. Enumerable.Range(0, Count).Select(i => i % 4 == 0 ? 0.5f : 0.25f)];
        sbyte[] bytes = Bytes(vectors);
        Int8Embedding[] rows = [.. Enumerable.Range(0, Count).Select(i => new Int8Embedding(bytes[(i * Size)..((i + 1) * Size)], scales[i]))];
        VectorBlock asked = new(Bytes(queries), Size);
        Nearest found = Vectors.TopK(asked, new VectorBlock(bytes, Size, scales));
        for (int q = 0; q < Queries; q++)
        {
            Assert.Equal(Sorted(10, Enumerable.Range(0, Count), i => scales[i] * Dot(queries[q], vectors[i])), found.Ids[q]);
            Assert.Equal(found.Ids[q].Select(id => (float)(scales[id] * Dot(queries[q], vectors[id]))), found.Scores[q]);
        }

        Assert.Equal(found, Vectors.TopK(asked, VectorBlock.Of(rows)));
        Assert.Equal(
            Vectors.TopK(asked, new VectorBlock(bytes, Size)),
            Vectors.TopK(new VectorBlock(Bytes(queries), Size, 2), new VectorBlock(bytes, Size, 0.5f)));
        Assert.Equal(Vectors.Dot(rows[3], rows[1]), Vectors.TopK(VectorBlock.Of(rows[3]), VectorBlock.Of(rows), new() { K = Count })[0].Single(one => one.Id == 1).Score);
    }

    [Fact]
    public void BitsAreComparedByHowManyDiffer()
    {
        byte[][] bits = Bits(vectors);
        Nearest found = Vectors.TopK(VectorBlock.OfBits(Bits(queries)), VectorBlock.OfBits(bits), new() { Measure = Measure.Cosine });
        for (int q = 0; q < Queries; q++)
        {
            Assert.Equal(Sorted(10, Enumerable.Range(0, Count), i => -Differing(queries[q], vectors[i])), found.Ids[q]);
            Assert.Equal(found.Ids[q].Select(id => (float)Vectors.Hamming(Bits(queries)[q], bits[id])), found.Scores[q]);
        }

        byte[] all = [.. bits.SelectMany(row => new[] { row[0], row[1], (byte)(row[2] | 0x1f) })]; // behind the last bit
        byte[] asked = [.. Bits(queries).SelectMany(row => row)];
        Assert.Equal(found, Vectors.TopK(new VectorBlock(asked, Size), new VectorBlock(all, Size)));
    }

    [Fact]
    public void Filters()
    {
        BitArray odd = new([.. Enumerable.Range(0, Count).Select(i => i % 2 == 1)]);
        int[] among = [.. Enumerable.Range(0, Count).Where(i => i % 2 == 1)];
        Nearest masked = Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), new() { TakingPart = odd });
        Nearest listed = Vectors.TopK(
            VectorBlock.Of(queries), VectorBlock.Of(vectors), new() { Candidates = among.Select(i => (long)i).Reverse().ToArray() });
        Assert.Equal(masked, listed);
        for (int q = 0; q < Queries; q++)
        {
            Assert.Equal(Sorted(10, among, i => Dot(queries[q], vectors[i])), masked.Ids[q]);
        }

        // Bits find some, which bytes put in order.
        Nearest some = Vectors.TopK(VectorBlock.OfBits(Bits(queries)), VectorBlock.OfBits(Bits(vectors)), new() { K = 50 });
        Nearest ordered = Vectors.TopK(
            new VectorBlock(Bytes(queries), Size), new VectorBlock(Bytes(vectors), Size), new() { K = 5, CandidatesOfEach = some.Ids });
        for (int q = 0; q < Queries; q++)
        {
            Assert.Equal(Sorted(5, some.Ids[q].Select(id => (int)id), i => Dot(queries[q], vectors[i])), ordered.Ids[q]);
        }

        Nearest none = Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), new() { Candidates = Array.Empty<long>() });
        Assert.Empty(none[Queries - 1]);
        Assert.Equal(none, Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), new() { TakingPart = new BitArray(4) }));
        long[][] ofEach = [.. Enumerable.Repeat(Array.Empty<long>(), Queries)];
        Assert.Equal(none, Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), new() { CandidatesOfEach = ofEach }));
    }

    [Fact]
    public void BlocksFindWhatOneFinds()
    {
        foreach (SearchOptions options in new SearchOptions[] { new(), new() { K = 4, Measure = Measure.Cosine }, new() { K = Count } })
        {
            Nearest expected = Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), options);
            foreach (int size in new[] { 1, 8, 150 })
            {
                Nearest? found = null;
                for (int first = 0; first < Count; first += size)
                {
                    VectorBlock block = VectorBlock.Of(vectors[first..Math.Min(Count, first + size)]);
                    found = Vectors.TopK(VectorBlock.Of(queries), block, options with { FirstId = first, Start = found });
                }

                Assert.Equal(expected, found);
                Assert.Equal(expected.GetHashCode(), found!.GetHashCode());
            }

            foreach (int threads in new[] { 1, 2, 5 })
            {
                Assert.Equal(
                    expected, Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), options with { NumThreads = threads }));
            }
        }
    }

    [Fact]
    public void IdsAreWhatTheCallerSays()
    {
        long[] ids = [.. Enumerable.Range(0, Count).Select(i => 1_000_000_000_000 - i)];
        Nearest found = Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), new() { K = 1, Ids = ids });
        Nearest first = Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), new() { K = 1, FirstId = -5 });
        for (int q = 0; q < Queries; q++)
        {
            double best = vectors.Max(vector => Dot(queries[q], vector));
            Assert.Equal(ids[Array.FindLastIndex(vectors, vector => Dot(queries[q], vector) == best)], found.Ids[q][0]);
            Assert.Equal(Array.FindIndex(vectors, vector => Dot(queries[q], vector) == best) - 5, first.Ids[q][0]);
        }
    }

    [Fact]
    public void WhatIsNoNumberComesLast()
    {
        vectors[3][0] = float.NaN;
        vectors[200][Size - 1] = float.NaN;
        Nearest found = Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), new() { K = Count });
        Assert.Equal([3, 200], found.Ids[0][^2..]);
        Assert.Equal([false, true, true], found.Scores[0][^3..].Select(float.IsNaN));
        Assert.Equal(found, Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), new() { K = Count }));
    }

    [Fact]
    public void NothingToFind()
    {
        Assert.Equal(0, Vectors.TopK(default, VectorBlock.Of(vectors)).Count);
        Assert.Equal(0, Vectors.TopK(default, default).Count);
        Assert.Empty(Vectors.TopK(VectorBlock.Of(queries), default)[0]);
        Assert.Empty(Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(Array.Empty<float[]>()))[0]);
        Assert.Empty(Vectors.TopK(VectorBlock.Of(queries), new VectorBlock(ReadOnlySpan<float>.Empty, Size))[0]);
        Assert.Equal(0, Vectors.TopK(VectorBlock.OfBits([]), new VectorBlock(new byte[4], 4)).Count);
        // As many as there are, however many are wanted.
        SearchOptions most = new() { K = int.MaxValue };
        Nearest all = Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), most);
        Assert.Equal(Count, all[3].Length);
        Nearest start = Vectors.TopK(VectorBlock.Of(queries), default, most);
        Assert.Equal(all, Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), most with { Start = start }));
        Assert.Equal(all, Vectors.TopK(VectorBlock.Of(queries), default, most with { Start = all }));
    }

    [Fact]
    public void WhatDoesNotFit()
    {
        float[] flat = [.. vectors.SelectMany(row => row)];
        float[] one = queries[0];
        Says("different kinds or sizes", () => Vectors.TopK(VectorBlock.Of(new float[Size + 1]), new VectorBlock(flat, Size)));
        Says("different kinds or sizes", () => Vectors.TopK(new VectorBlock(new sbyte[Size], Size), new VectorBlock(flat, Size)));
        Says("no whole number of vectors", () => new VectorBlock(new float[Size + 1], Size).Count);
        Says("no whole number of vectors", () => new VectorBlock(new byte[4], Size).Count);
        Says("1 to 65536 numbers", () => new VectorBlock(new float[4], 0).Count);
        Says("1 to 65536 numbers", () => new VectorBlock(new sbyte[4], -2).Count);
        Says("1 to 65536 numbers", () => VectorBlock.Of(new float[65537]).Count);
        Says("1 to 65536 numbers", () => VectorBlock.Of(new float[][] { [] }).Count);
        Says("1 to 65536 numbers", () => new VectorBlock(Array.Empty<byte>(), int.MaxValue).Count);
        Says("rows[1] has 2 elements", () => VectorBlock.Of(new float[][] { [1], [1, 2] }).Count);
        Says("rows[1] is null", () => VectorBlock.Of(new float[][] { [1], null! }).Count);
        Says("rows[0] is null", () => VectorBlock.Of(new Int8Embedding[] { null! }).Count);
        Says("scale is 0", () => new VectorBlock(new sbyte[2], 1, 0).Count);
        Says("2 vectors have 3 scales", () => new VectorBlock(new sbyte[2], 1, new float[3]).Count);
        Options("K", new() { K = 0 });
        Options("Measure", new() { Measure = (Measure)2 });
        Options("NumThreads", new() { NumThreads = -1 });
        Options("NumThreads", new() { NumThreads = 5000 });
        Options("301 vectors have 2 Ids", new() { Ids = new long[2] });
        Options("both Ids and a FirstId", new() { Ids = new long[Count], FirstId = 1 });
        Options("FirstId is", new() { FirstId = long.MaxValue - 3 });
        Options("TakingPart has 302 bits", new() { TakingPart = new BitArray(Count + 1) });
        Options("Candidates[1] is 301, expected 0 to 300", new() { Candidates = new long[] { 0, Count } });
        Options("Candidates[0] is -1", new() { Candidates = new long[] { -1 } });
        Options("both Candidates and", new() { Candidates = new long[1], CandidatesOfEach = [[0]] });
        Options("1 queries have CandidatesOfEach for 2", new() { CandidatesOfEach = [[0], [0]] });
        Options("CandidatesOfEach[0] is null", new() { CandidatesOfEach = [null!] });
        Nearest other = Vectors.TopK(VectorBlock.Of(queries), new VectorBlock(flat, Size));
        Options("Start is the 10 nearest of 9 queries", new() { Start = other });
        Options("Start is the", new() { Start = Vectors.TopK(VectorBlock.Of(one), new VectorBlock(flat, Size)), K = 3 });
        Says("too many", () => Vectors.TopK(
            new VectorBlock(new byte[1 << 20], 1), new VectorBlock(new byte[1 << 20], 1), new() { K = int.MaxValue }));
        Assert.Throws<ArgumentNullException>("rows", () => VectorBlock.Of((IReadOnlyList<float[]>)null!).Count);

        void Options(string text, SearchOptions options) =>
            Says(text, () => Vectors.TopK(VectorBlock.Of(one), new VectorBlock(flat, Size), options));

        static void Says(string text, Func<object> call)
        {
            ArgumentException failure = Assert.ThrowsAny<ArgumentException>(() => call());
            Assert.Contains(text, failure.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("_", failure.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void CallsAreCancelledAndTold()
    {
        float[][] many = Rows(20_000);
        List<RunProgress> told = [];
        Nearest found = Vectors.TopK(
            VectorBlock.Of(queries), VectorBlock.Of(many), new() { Progress = new Receiver(told.Add) });
        Assert.Equal(new RunProgress(20_000 * Queries, 20_000 * Queries), told[^1]);
        Assert.Equal(found, Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(many)));
        Assert.Throws<TimeZoneNotFoundException>(() => Vectors.TopK(
            VectorBlock.Of(queries), VectorBlock.Of(many), new() { Progress = new Receiver(_ => throw new TimeZoneNotFoundException()) }));
        using CancellationTokenSource source = new();
        Assert.ThrowsAny<OperationCanceledException>(() => Vectors.TopK(
            VectorBlock.Of(queries), VectorBlock.Of(many), new() { Progress = new Receiver(_ => source.Cancel()) }, source.Token));
        Assert.ThrowsAny<OperationCanceledException>(
            () => Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(many), null, new CancellationToken(true)));
    }

    [Fact]
    public void ARuntimeChoosesTheInstructionSet()
    {
        Nearest expected = Vectors.TopK(new VectorBlock(Bytes(queries), Size), new VectorBlock(Bytes(vectors), Size));
        LookupFfnRuntime runtime = new(new RuntimeOptions { Isa = "generic" });
        SearchOptions options = new() { Runtime = runtime };
        Assert.Equal(expected, Vectors.TopK(new VectorBlock(Bytes(queries), Size), new VectorBlock(Bytes(vectors), Size), options));
        runtime.Dispose();
        Assert.Throws<ObjectDisposedException>(() => Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), options));
    }

    [Fact]
    public void Values()
    {
        Nearest found = Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors));
        Assert.NotEqual(found, Vectors.TopK(VectorBlock.Of(queries), VectorBlock.Of(vectors), new() { K = 9 }));
        Assert.NotEqual(found, Vectors.TopK(VectorBlock.Of(vectors[..Queries]), VectorBlock.Of(vectors)));
        Assert.False(found.Equals(null));
        Assert.Equal("the 10 nearest for each of 9 queries", found.ToString());
        Assert.Equal("301 vectors of 19 floats", VectorBlock.Of(vectors).ToString());
        Assert.Throws<IndexOutOfRangeException>(() => found[Queries]);
    }

    [Fact]
    public void ModelsAreTold()
    {
        string folder = new GoldenModel("model-lookup").Folder;
        using Model model = Model.Load(folder);
        using Model other = Model.Load(folder, new LoadOptions { LinearType = ElementType.Int8 });
        Assert.Matches("^[0-9a-f]{32}$", model.Fingerprint);
        Assert.NotEqual(model.Fingerprint, other.Fingerprint);
        string[] texts = ["a cat", "two dogs", "a house by the river"];
        Nearest found = Vectors.TopK(VectorBlock.Of(model.Embed("two dogs")), VectorBlock.Of(model.Embed(texts)));
        Assert.Equal(1, found[0][0].Id);
        Assert.Equal(1, Vectors.TopK(VectorBlock.Of(model.EmbedInt8("two dogs")), VectorBlock.Of(model.EmbedInt8(texts)))[0][0].Id);
        Assert.Equal(0, Vectors.TopK(VectorBlock.OfBits([model.EmbedBits("two dogs")]), VectorBlock.OfBits(model.EmbedBits(texts)))[0][0].Score);
        using (Model same = Model.Load(folder))
        {
            Assert.Equal(model.Fingerprint, same.Fingerprint);
        }

        model.Dispose();
        Assert.Throws<ObjectDisposedException>(() => model.Fingerprint);
    }

    private sealed class Receiver(Action<RunProgress> report) : IProgress<RunProgress>
    {
        public void Report(RunProgress value) => report(value);
    }

    private static double Dot(float[] a, float[] b) => a.Zip(b, (x, y) => (double)x * y).Sum();

    private static double Cosine(float[] a, float[] b)
    {
        double lengths = Math.Sqrt(Dot(a, a) * Dot(b, b));
        return lengths == 0 ? 0 : Dot(a, b) / lengths;
    }

    private static int Differing(float[] a, float[] b) => a.Zip(b, (x, y) => x > 0 != y > 0).Count(differs => differs);

    private static long[] Sorted(int k, IEnumerable<int> among, Func<int, double> score) =>
        [.. among.OrderByDescending(score).ThenBy(i => i).Take(k).Select(i => (long)i)];

    private static sbyte[] Bytes(float[][] rows) => [.. rows.SelectMany(row => row.Select(number => (sbyte)number))];

    private static byte[][] Bits(float[][] rows) => [.. rows.Select(row =>
    {
        byte[] bits = new byte[(Size + 7) / 8];
        for (int i = 0; i < Size; i++)
        {
            bits[i / 8] |= (byte)(row[i] > 0 ? 0x80 >> (i % 8) : 0);
        }

        return bits;
    })];

    private float[][] Rows(int count) =>
        [.. Enumerable.Range(0, count).Select(_ => Enumerable.Range(0, Size).Select(_ => (float)random.Next(-4, 5)).ToArray())];
}
