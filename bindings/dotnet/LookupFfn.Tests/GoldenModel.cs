// SPDX-License-Identifier: Apache-2.0
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text.Json;
using Xunit;

namespace LookupFfn.Tests;

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
