// SPDX-License-Identifier: Apache-2.0
using System.Runtime.InteropServices;
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
