// SPDX-License-Identifier: Apache-2.0
using System.Globalization;

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

/// <summary>What a layer is and costs.</summary>
public sealed record LayerInfo
{
    internal LayerInfo(ReadOnlySpan<long> numbers)
    {
        HiddenSize = (int)numbers[Raw.INFO_HIDDEN_SIZE];
        OutputSize = (int)numbers[Raw.INFO_OUTPUT_SIZE];
        NumTables = (int)numbers[Raw.INFO_NUM_TABLES];
        TableSize = (int)numbers[Raw.INFO_TABLE_SIZE];
        CodeBits = (int)numbers[Raw.INFO_CODE_BITS];
        Projection = ProjectionName(numbers[Raw.INFO_PROJECTION]);
        BlockSize = (int)numbers[Raw.INFO_BLOCK_SIZE];
        NumChains = (int)numbers[Raw.INFO_NUM_CHAINS];
        Activation = (Activation)numbers[Raw.INFO_ACTIVATION];
        NumProbes = (int)numbers[Raw.INFO_NUM_PROBES];
        LayerNorm = numbers[Raw.INFO_LAYER_NORM] != 0;
        DecayCoeff = BitConverter.Int32BitsToSingle((int)numbers[Raw.INFO_DECAY_COEFF_BITS]);
        LayerNormEps = BitConverter.Int32BitsToSingle((int)numbers[Raw.INFO_LAYER_NORM_EPS_BITS]);
        TableType = (ElementType)numbers[Raw.INFO_TABLE_DTYPE];
        HashType = (ElementType)numbers[Raw.INFO_HASH_DTYPE];
        NumThreads = (int)numbers[Raw.INFO_NUM_THREADS];
        FlopPerToken = numbers[Raw.INFO_FLOP_PER_TOKEN];
        NumParameters = numbers[Raw.INFO_NUM_PARAMETERS];
        FileBytes = numbers[Raw.INFO_FILE_BYTES];
        MemoryBytes = numbers[Raw.INFO_MEMORY_BYTES];
        ScratchBytes = numbers[Raw.INFO_SCRATCH_BYTES];
    }

    /// <summary>Floats per input token.</summary>
    public int HiddenSize { get; }

    /// <summary>Floats per output token.</summary>
    public int OutputSize { get; }

    /// <summary>How many tables the layer has.</summary>
    public int NumTables { get; }

    /// <summary>Rows per table, a power of two.</summary>
    public int TableSize { get; }

    /// <summary>Bits of a code, the base-two logarithm of <see cref="TableSize"/>.</summary>
    public int CodeBits { get; }

    /// <summary>How tokens are projected, as files name it: "dense", or "bh4" and its like.</summary>
    public string Projection { get; }

    /// <summary>Size of the projection's blocks; 0 for a dense projection.</summary>
    public int BlockSize { get; }

    /// <summary>How many chains of blocks stand side by side; 0 for a dense projection.</summary>
    public int NumChains { get; }

    /// <summary>How a table's score follows from its hash values.</summary>
    public Activation Activation { get; }

    /// <summary>Rows read per table.</summary>
    public int NumProbes { get; }

    /// <summary>Whether the layer starts with a layer norm.</summary>
    public bool LayerNorm { get; }

    /// <summary>Weight of the projection against its input.</summary>
    public float DecayCoeff { get; }

    /// <summary>The epsilon of the layer norm.</summary>
    public float LayerNormEps { get; }

    /// <summary>How the tables are held in memory.</summary>
    public ElementType TableType { get; }

    /// <summary>How the hash weights are held in memory.</summary>
    public ElementType HashType { get; }

    /// <summary>How many threads one forward uses.</summary>
    public int NumThreads { get; }

    /// <summary>Floating point operations per token, as the paper counts them.</summary>
    public long FlopPerToken { get; }

    /// <summary>How many numbers were learned.</summary>
    public long NumParameters { get; }

    /// <summary>How many tensor bytes <see cref="Layer.Save"/> writes.</summary>
    public long FileBytes { get; }

    /// <summary>How many bytes of weights are in memory.</summary>
    public long MemoryBytes { get; }

    /// <summary>How many bytes of scratch memory a forward in flight takes at most.</summary>
    public long ScratchBytes { get; }

    /// <summary>"dense" or "bh1" to "bh9".</summary>
    internal static string ProjectionName(long factors) =>
        factors == 0 ? "dense" : string.Create(CultureInfo.InvariantCulture, $"bh{factors}");
}
