// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>What one encoder layer of a model is made of and costs. Its feed-forward block is the sum of the parts that
/// it has: neurons, tables, a linear map, and a row chosen by the token's id.</summary>
public sealed record ModelLayerInfo
{
    internal ModelLayerInfo(ReadOnlySpan<long> numbers)
    {
        NumHeads = (int)numbers[Raw.MODEL_LAYER_NUM_HEADS];
        HeadSize = (int)numbers[Raw.MODEL_LAYER_HEAD_SIZE];
        NumNeurons = (int)numbers[Raw.MODEL_LAYER_NUM_NEURONS];
        NumTables = (int)numbers[Raw.MODEL_LAYER_NUM_TABLES];
        TableSize = (int)numbers[Raw.MODEL_LAYER_TABLE_SIZE];
        Projection = NumTables == 0 ? "" : LayerInfo.ProjectionName(numbers[Raw.MODEL_LAYER_PROJECTION]);
        BlockSize = (int)numbers[Raw.MODEL_LAYER_BLOCK_SIZE];
        NumProbes = (int)numbers[Raw.MODEL_LAYER_NUM_PROBES];
        HasLinearMap = numbers[Raw.MODEL_LAYER_HAS_LINEAR_MAP] != 0;
        NumWordRows = (int)numbers[Raw.MODEL_LAYER_NUM_WORD_ROWS];
        LinearType = (ElementType)numbers[Raw.MODEL_LAYER_LINEAR_DTYPE];
        TableType = NumTables == 0 ? null : (ElementType)numbers[Raw.MODEL_LAYER_TABLE_DTYPE];
        HashType = NumTables == 0 ? null : (ElementType)numbers[Raw.MODEL_LAYER_HASH_DTYPE];
        WordType = NumWordRows == 0 ? null : (ElementType)numbers[Raw.MODEL_LAYER_WORD_DTYPE];
        AttentionFlopPerToken = numbers[Raw.MODEL_LAYER_ATTENTION_FLOP_PER_TOKEN];
        AttentionFlopPerPair = numbers[Raw.MODEL_LAYER_ATTENTION_FLOP_PER_PAIR];
        FfnFlopPerToken = numbers[Raw.MODEL_LAYER_FFN_FLOP_PER_TOKEN];
        OtherFlopPerToken = numbers[Raw.MODEL_LAYER_OTHER_FLOP_PER_TOKEN];
        NumParameters = numbers[Raw.MODEL_LAYER_NUM_PARAMETERS];
        AttentionBytes = numbers[Raw.MODEL_LAYER_ATTENTION_BYTES];
        FfnBytes = numbers[Raw.MODEL_LAYER_FFN_BYTES];
        WordBytes = numbers[Raw.MODEL_LAYER_WORD_BYTES];
        FileBytes = numbers[Raw.MODEL_LAYER_FILE_BYTES];
    }

    /// <summary>Attention heads; 0 where attention gives its output bias alone.</summary>
    public int NumHeads { get; }

    /// <summary>Floats per head.</summary>
    public int HeadSize { get; }

    /// <summary>Neurons; 0 for none.</summary>
    public int NumNeurons { get; }

    /// <summary>Tables whose rows a hash chooses; 0 for none.</summary>
    public int NumTables { get; }

    /// <summary>Rows of each table.</summary>
    public int TableSize { get; }

    /// <summary>The kind of the hash's projection: "dense" or "bh1" to "bh9"; "" without tables.</summary>
    public string Projection { get; }

    /// <summary>Block size of a BH projection.</summary>
    public int BlockSize { get; }

    /// <summary>Rows read of each table.</summary>
    public int NumProbes { get; }

    /// <summary>Whether a linear map stands beside the tables.</summary>
    public bool HasLinearMap { get; }

    /// <summary>Rows that a token's id chooses from; 0 for none.</summary>
    public int NumWordRows { get; }

    /// <summary>How the linear layers of attention, neurons and linear map are held.</summary>
    public ElementType LinearType { get; }

    /// <summary>How the tables are held; null without tables.</summary>
    public ElementType? TableType { get; }

    /// <summary>How the hash weights are held; null without tables.</summary>
    public ElementType? HashType { get; }

    /// <summary>How the rows by word are held; null without such rows.</summary>
    public ElementType? WordType { get; }

    /// <summary>Floating point operations of attention's linear layers for a token.</summary>
    public long AttentionFlopPerToken { get; }

    /// <summary>Floating point operations for a token and each token it attends to.</summary>
    public long AttentionFlopPerPair { get; }

    /// <summary>Floating point operations of the feed-forward block for a token.</summary>
    public long FfnFlopPerToken { get; }

    /// <summary>Floating point operations of layer norms and residuals for a token.</summary>
    public long OtherFlopPerToken { get; }

    /// <summary>How many numbers were learned.</summary>
    public long NumParameters { get; }

    /// <summary>Bytes of attention's weights in memory.</summary>
    public long AttentionBytes { get; }

    /// <summary>Bytes of the feed-forward block's weights in memory; mapped rows lie in the file.</summary>
    public long FfnBytes { get; }

    /// <summary>Bytes of all rows by word with their scales, in memory or mapped.</summary>
    public long WordBytes { get; }

    /// <summary>How many tensor bytes <see cref="Model.Save"/> writes of the layer.</summary>
    public long FileBytes { get; }
}
