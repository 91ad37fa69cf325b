// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>The shape of a layer to be made.</summary>
public sealed record LayerConfig
{
    /// <summary>Floats per input token.</summary>
    public required int HiddenSize { get; init; }

    /// <summary>Floats per output token; 0 (the default) for <see cref="HiddenSize"/>.</summary>
    public int OutputSize { get; init; }

    /// <summary>How many tables.</summary>
    public required int NumTables { get; init; }

    /// <summary>Rows per table, a power of two from 2 to 65536.</summary>
    public required int TableSize { get; init; }

    /// <summary>0 for a dense projection; 1 to 9 for so many pairs of a block diagonal matrix and a Hadamard transform.
    /// Default 4.</summary>
    public int ProjectionFactors { get; init; } = 4;

    /// <summary>Size of the block diagonal matrices' blocks, a power of two. Default 64.</summary>
    public int BlockSize { get; init; } = 64;

    /// <summary>How a table's score follows from its hash values. Default gelu.</summary>
    public Activation Activation { get; init; } = Activation.Gelu;

    /// <summary>Rows read per table. Default 1.</summary>
    public int NumProbes { get; init; } = 1;

    /// <summary>Whether the layer starts with a layer norm. Default true.</summary>
    public bool LayerNorm { get; init; } = true;

    /// <summary>The epsilon of the layer norm. Default 1e-5.</summary>
    public float LayerNormEps { get; init; } = 1e-5f;

    /// <summary>Weight of the projection against its input. Default 0.7.</summary>
    public float DecayCoeff { get; init; } = 0.7f;

    /// <summary>Seed of the random weights. Default 0.</summary>
    public ulong Seed { get; init; }
}
