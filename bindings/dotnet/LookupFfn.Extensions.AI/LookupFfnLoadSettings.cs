// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn.Extensions.AI;

/// <summary>How a model is loaded, as far as files of settings can say it; <see cref="LoadOptions"/> tells what each does. Where
/// the container has a <see cref="LookupFfnRuntime"/>, models are loaded with it.</summary>
public sealed record LookupFfnLoadSettings
{
    /// <summary>Threads per call; 0 (the default) for what the environment leaves.</summary>
    public int NumThreads { get; set; }

    /// <summary>How the tables are held in memory. Default: as stored.</summary>
    public ElementType TableType { get; set; }

    /// <summary>How the hash weights are held in memory. Default: as stored.</summary>
    public ElementType HashType { get; set; }

    /// <summary>How the linear layers are held in memory. Default: as stored.</summary>
    public ElementType LinearType { get; set; }

    /// <summary>How attention computes. Default: as stored.</summary>
    public ElementType AttentionType { get; set; }

    /// <summary>How the word embeddings are held in memory. Default: as stored.</summary>
    public ElementType EmbeddingType { get; set; }

    /// <summary>How rows by word are held in memory. Default: as stored.</summary>
    public ElementType WordType { get; set; } = ElementType.AsStored;

    /// <summary>Whether rows by word are mapped as they lie in the file.</summary>
    public bool MemoryMapping { get; set; }

    /// <summary>Whether denormal numbers are treated as zero.</summary>
    public bool FlushDenormals { get; set; }

    /// <summary>Whether the inputs of int8 linear layers are rounded to seven bits.</summary>
    public bool SevenBitInputs { get; set; }

    /// <summary>The name of one of the model's adapters. Default null: none.</summary>
    public string? Adapter { get; set; }

    internal LoadOptions With(LookupFfnRuntime? runtime) => new()
    {
        NumThreads = NumThreads,
        TableType = TableType,
        HashType = HashType,
        LinearType = LinearType,
        AttentionType = AttentionType,
        EmbeddingType = EmbeddingType,
        WordType = WordType,
        MemoryMapping = MemoryMapping,
        FlushDenormals = FlushDenormals,
        SevenBitInputs = SevenBitInputs,
        Adapter = Adapter,
        Runtime = runtime,
    };
}
