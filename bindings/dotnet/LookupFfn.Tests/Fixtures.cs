// SPDX-License-Identifier: Apache-2.0
using System.Buffers.Binary;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.Json;
using Xunit;

[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace LookupFfn.Tests;

/// <summary>A golden layer in a choice of element types, and what the C interface computes with it.</summary>
public sealed class Golden
{
    private static readonly string GoldenDirectory = Setting("LOOKUPFFN_GOLDEN");
    private static readonly string CasesDirectory = Setting("LOOKUPFFN_CASES");

    internal readonly string Model;
    internal readonly LoadOptions Options;
    internal readonly int Tokens;
    internal readonly int InputSize;
    internal readonly int OutputSize;
    internal readonly float[] X;
    internal readonly float[] Y;
    internal readonly float[] Added;
    internal readonly int[] Codes;
    internal readonly float[] Scores;

    internal Golden(string name)
    {
        string layer = name[..name.IndexOf('@', StringComparison.Ordinal)];
        Model = Path.Combine(GoldenDirectory, layer + ".model.safetensors");
        using BinaryReader file = new(File.OpenRead(Path.Combine(CasesDirectory, name + ".case")));
        Options = new() { TableType = (ElementType)file.ReadInt64(), HashType = (ElementType)file.ReadInt64() };
        Tokens = (int)file.ReadInt64();
        InputSize = (int)file.ReadInt64();
        OutputSize = (int)file.ReadInt64();
        int codesPerToken = (int)file.ReadInt64();
        X = Read<float>(file, Tokens * InputSize);
        Y = Read<float>(file, Tokens * OutputSize);
        Added = Read<float>(file, Tokens * OutputSize);
        Codes = Read<int>(file, Tokens * codesPerToken);
        Scores = Read<float>(file, Tokens * codesPerToken);
        Assert.Equal(file.BaseStream.Length, file.BaseStream.Position);
    }

    public static TheoryData<string> Names =>
        new(Directory.GetFiles(CasesDirectory, "*.case").Select(Path.GetFileNameWithoutExtension).Order()!);

    internal static void AssertSameBits(ReadOnlySpan<float> expected, ReadOnlySpan<float> actual)
    {
        int same = MemoryMarshal.AsBytes(expected).CommonPrefixLength(MemoryMarshal.AsBytes(actual)) / sizeof(float);
        Assert.True(same == expected.Length && same == actual.Length, $"the first different element is {same}");
    }

    private static string Setting(string name) =>
        Environment.GetEnvironmentVariable(name) ?? throw new InvalidOperationException(name + " is not set");

    private static T[] Read<T>(BinaryReader file, int count)
        where T : unmanaged
    {
        T[] result = new T[count];
        file.BaseStream.ReadExactly(MemoryMarshal.AsBytes(result.AsSpan()));
        return result;
    }
}

/// <summary>A golden model: its folder, texts with their tokens, and sequences with what they come to.</summary>
public sealed class GoldenModel
{
    internal readonly string Folder;
    internal readonly List<string> Texts = [];
    internal readonly List<int[]> BareIds = [];
    internal readonly List<int[]> TextIds = [];
    internal readonly List<int[]> Sequences = [];
    internal readonly Dictionary<string, float[]> Tensors = [];

    internal GoldenModel(string name)
    {
        string models = Environment.GetEnvironmentVariable("LOOKUPFFN_MODELS")
            ?? throw new InvalidOperationException("LOOKUPFFN_MODELS is not set");
        Folder = Path.Combine(models, name);
        using JsonDocument tokens = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(Folder, "tokens.json")));
        foreach (JsonElement entry in tokens.RootElement.EnumerateArray())
        {
            Texts.Add(entry.GetProperty("text").GetString()!);
            BareIds.Add(Ints(entry.GetProperty("ids")));
            TextIds.Add(Ints(entry.GetProperty("ids_with_special")));
        }

        byte[] file = File.ReadAllBytes(Path.Combine(Folder, "io.safetensors"));
        int data = 8 + (int)BinaryPrimitives.ReadInt64LittleEndian(file);
        using JsonDocument header = JsonDocument.Parse(file.AsMemory(8, data - 8));
        foreach (JsonProperty tensor in header.RootElement.EnumerateObject().Where(item => item.Name[0] != '_'))
        {
            int[] range = Ints(tensor.Value.GetProperty("data_offsets"));
            ReadOnlySpan<byte> bytes = file.AsSpan(data + range[0], range[1] - range[0]);
            if (tensor.Name.StartsWith("ids.", StringComparison.Ordinal))
            {
                // The file has them in the order of their numbers.
                Assert.Equal($"ids.{Sequences.Count}", tensor.Name);
                Sequences.Add(MemoryMarshal.Cast<byte, int>(bytes).ToArray());
            }
            else
            {
                Tensors.Add(tensor.Name, MemoryMarshal.Cast<byte, float>(bytes).ToArray());
            }
        }

        Assert.True(Texts.Count >= 8 && Sequences.Count >= 8);
    }

    public static TheoryData<string> Names => new("model-lookup", "model-mixed");

    /// <summary>Within a thousandth of the expected numbers' root mean square.</summary>
    internal static void AssertClose(ReadOnlySpan<float> expected, ReadOnlySpan<float> actual)
    {
        Assert.Equal(expected.Length, actual.Length);
        double squares = 0;
        foreach (float number in expected)
        {
            squares += (double)number * number;
        }

        double limit = 1e-3 * Math.Sqrt(squares / expected.Length);
        for (int i = 0; i < expected.Length; i++)
        {
            Assert.InRange(actual[i], expected[i] - limit, expected[i] + limit);
        }
    }

    private static int[] Ints(JsonElement list) => [.. list.EnumerateArray().Select(item => item.GetInt32())];
}

/// <summary>What the package does not show: the raw calls.</summary>
internal static class Raw
{
    private static readonly Type Hidden = typeof(Model).Assembly.GetType("LookupFfn.Raw", throwOnError: true)!;
    private static readonly Func<long> Live = Method<Func<long>>("LiveHandles");

    internal static int ABI_VERSION => (int)Hidden.GetField("ABI_VERSION")!.GetRawConstantValue()!;

    internal static long LiveHandles() => Live();

    /// <summary>The exception that stands for a status.</summary>
    internal static Exception Failure(int status, string message) => (Exception)typeof(LookupFfnException)
        .GetMethod("Of", BindingFlags.Static | BindingFlags.NonPublic)!
        .Invoke(null, [status, message, CancellationToken.None])!;

    internal static int NativeVersion() => Method<Func<int>>("NativeVersion")();

    private static T Method<T>(string name)
        where T : Delegate => Hidden.GetMethod(name)!.CreateDelegate<T>();
}

/// <summary>How many of the library's objects are alive.</summary>
internal static class Handles
{
    /// <summary>Without those that earlier tests left to the collector.</summary>
    public static long Settled()
    {
        // Finalizers may make more garbage, so until nothing changes any more.
        long before = -1;
        long now = Raw.LiveHandles();
        for (int same = 0; same < 2; same = now == before ? same + 1 : 0)
        {
            before = now;
            GC.Collect();
            GC.WaitForPendingFinalizers();
            now = Raw.LiveHandles();
        }

        return now;
    }
}

/// <summary>What happens while a test is inside of a call.</summary>
internal static class Later
{
    /// <summary>By a thread of its own: a pool whose threads are busy may let its timers wait for a second.</summary>
    public static Thread Cancel(CancellationTokenSource source, int milliseconds)
    {
        Thread thread = new(() =>
        {
            Thread.Sleep(milliseconds);
            source.Cancel();
        });
        thread.IsBackground = true;
        thread.Start();
        return thread;
    }
}
