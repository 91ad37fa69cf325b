// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>What a model is and costs.</summary>
public sealed record ModelInfo
{
    internal ModelInfo(ReadOnlySpan<long> numbers)
    {
        VocabSize = (int)numbers[Raw.MODEL_VOCAB_SIZE];
        HiddenSize = (int)numbers[Raw.MODEL_HIDDEN_SIZE];
        EmbeddingSize = (int)numbers[Raw.MODEL_EMBEDDING_SIZE];
        NumLayers = (int)numbers[Raw.MODEL_NUM_LAYERS];
        NumLookupLayers = (int)numbers[Raw.MODEL_NUM_LOOKUP_LAYERS];
        NumHeads = (int)numbers[Raw.MODEL_NUM_ATTENTION_HEADS];
        HeadSize = (int)numbers[Raw.MODEL_ATTENTION_HEAD_SIZE];
        MaxTokens = (int)numbers[Raw.MODEL_MAX_TOKENS];
        OwnMaxTokens = (int)numbers[Raw.MODEL_OWN_MAX_TOKENS];
        IntermediateSize = (int)numbers[Raw.MODEL_INTERMEDIATE_SIZE];
        NumTokenTypes = (int)numbers[Raw.MODEL_NUM_TOKEN_TYPES];
        NumClasses = (int)numbers[Raw.MODEL_NUM_CLASSES];
        SeveralLabels = numbers[Raw.MODEL_IS_MULTI_LABEL] != 0;
        ScoreActivation = (ScoreActivation)numbers[Raw.MODEL_SCORE_ACTIVATION];
        NumTokenClasses = (int)numbers[Raw.MODEL_NUM_TOKEN_CLASSES];
        AnswersQuestions = numbers[Raw.MODEL_TOKEN_HEAD] == Raw.TOKEN_HEAD_ANSWERS;
        HasLmHead = numbers[Raw.MODEL_HAS_LM_HEAD] != 0;
        HasTokenizer = numbers[Raw.MODEL_HAS_TOKENIZER] != 0;
        IsSentenceEncoder = numbers[Raw.MODEL_IS_SENTENCE_ENCODER] != 0;
        Pooling = (Pooling)numbers[Raw.MODEL_POOLING];
        Normalizes = numbers[Raw.MODEL_NORMALIZE] == Raw.NORMALIZE_YES;
        BosId = (int)numbers[Raw.MODEL_BOS_ID];
        EosId = (int)numbers[Raw.MODEL_EOS_ID];
        PadId = (int)numbers[Raw.MODEL_PAD_ID];
        UnkId = (int)numbers[Raw.MODEL_UNK_ID];
        MaskId = (int)numbers[Raw.MODEL_MASK_ID];
        TableType = (ElementType)numbers[Raw.MODEL_TABLE_DTYPE];
        HashType = (ElementType)numbers[Raw.MODEL_HASH_DTYPE];
        LinearType = (ElementType)numbers[Raw.MODEL_LINEAR_DTYPE];
        AttentionType = (ElementType)numbers[Raw.MODEL_ATTENTION_DTYPE];
        TokenVectorSize = (int)numbers[Raw.MODEL_TOKEN_VECTOR_SIZE];
        SparseSize = (int)numbers[Raw.MODEL_SPARSE_SIZE];
        MaxActive = (int)numbers[Raw.MODEL_MAX_ACTIVE];
        IsLate = numbers[Raw.MODEL_IS_LATE] != 0;
        QueryTokens = (int)numbers[Raw.MODEL_MAX_QUERY_TOKENS];
        DocumentTokens = (int)numbers[Raw.MODEL_MAX_DOCUMENT_TOKENS];
        MaxSimFlags = (int)numbers[Raw.MODEL_MAX_SIM_FLAGS];
        IsCausal = numbers[Raw.MODEL_IS_CAUSAL] != 0;
        Window = (int)numbers[Raw.MODEL_ATTENTION_WINDOW];
        Theta = BitConverter.Int32BitsToSingle((int)numbers[Raw.MODEL_ROPE_THETA_BITS]);
        LocalTheta = BitConverter.Int32BitsToSingle((int)numbers[Raw.MODEL_LOCAL_ROPE_THETA_BITS]);
        TokenizerBytes = numbers[Raw.MODEL_TOKENIZER_BYTES];
        EmbeddingType = (ElementType)numbers[Raw.MODEL_EMBEDDING_DTYPE];
        Arithmetic = (int)numbers[Raw.MODEL_ARITHMETIC];
        NumThreads = (int)numbers[Raw.MODEL_NUM_THREADS];
        FfnFlopPerToken = numbers[Raw.MODEL_FFN_FLOP_PER_TOKEN];
        AttentionFlopPerToken = numbers[Raw.MODEL_ATTENTION_FLOP_PER_TOKEN];
        AttentionFlopPerPair = numbers[Raw.MODEL_ATTENTION_FLOP_PER_PAIR];
        OtherFlopPerToken = numbers[Raw.MODEL_OTHER_FLOP_PER_TOKEN];
        LmHeadFlopPerToken = numbers[Raw.MODEL_LM_HEAD_FLOP_PER_TOKEN];
        NumParameters = numbers[Raw.MODEL_NUM_PARAMETERS];
        FileBytes = numbers[Raw.MODEL_FILE_BYTES];
        MemoryBytes = numbers[Raw.MODEL_MEMORY_BYTES];
        ScratchBytes = numbers[Raw.MODEL_SCRATCH_BYTES];
    }

    /// <summary>How many tokens the vocabulary has; ids are below it.</summary>
    public int VocabSize { get; }

    /// <summary>Floats per token.</summary>
    public int HiddenSize { get; }

    /// <summary>Floats per embedding, made as the model means it.</summary>
    public int EmbeddingSize { get; }

    /// <summary>Floats of a token's vector, as late interaction compares them.</summary>
    public int TokenVectorSize { get; }

    /// <summary>How many different tokens may have weights in a sparse vector; 0 if the model gives no such
    /// vectors.</summary>
    public int SparseSize { get; }

    /// <summary>How many weights a sparse vector may have according to the model's files; 0 for no limit.</summary>
    public int MaxActive { get; }

    /// <summary>Whether the model is one of late interaction: vectors of tokens for <see cref="Model.MaxSim"/>.</summary>
    public bool IsLate { get; }

    /// <summary>For models of late interaction: where queries are cut, and the length to which some models pad
    /// them.</summary>
    public int QueryTokens { get; }

    /// <summary>For models of late interaction: where documents are cut.</summary>
    public int DocumentTokens { get; }

    /// <summary>How the model means its vectors to be compared.</summary>
    internal int MaxSimFlags { get; }

    /// <summary>Whether a token attends only to those before it.</summary>
    public bool IsCausal { get; }

    /// <summary>How far tokens of local layers attend: so many tokens to each side, of a causal model before them; 0 if
    /// all layers attend to all.</summary>
    public int Window { get; }

    /// <summary>The base of rotary positions, in layers that attend to all; 0 where there are no such layers, or positions
    /// of another kind.</summary>
    public float Theta { get; }

    /// <summary>The same in local layers.</summary>
    public float LocalTheta { get; }

    /// <summary>How attention computes: F32 or Int8.</summary>
    public ElementType AttentionType { get; }

    /// <summary>Bytes of the tokenizer in memory.</summary>
    public long TokenizerBytes { get; }

    /// <summary>How many encoder layers the model has.</summary>
    public int NumLayers { get; }

    /// <summary>How many of them have a lookup FFN; the others have a vanilla one.</summary>
    public int NumLookupLayers { get; }

    /// <summary>Attention heads.</summary>
    public int NumHeads { get; }

    /// <summary>Floats per attention head.</summary>
    public int HeadSize { get; }

    /// <summary>How many tokens the longest sequence may have.</summary>
    public int MaxTokens { get; }

    /// <summary>Where the model cuts a text by itself, in tokens.</summary>
    public int OwnMaxTokens { get; }

    /// <summary>Width of vanilla FFNs; 0 if there is none.</summary>
    public int IntermediateSize { get; }

    /// <summary>How many kinds of tokens the model tells apart, such as those of the two texts of a pair.</summary>
    public int NumTokenTypes { get; }

    /// <summary>Classes of the classifier; 0 if there is none.</summary>
    public int NumClasses { get; }

    /// <summary>Whether a text may have several classes at once.</summary>
    public bool SeveralLabels { get; }

    /// <summary>What <see cref="ScoreKind.Model"/> makes of class scores: what a reranker's files name; else the sigmoid of one
    /// class, and nothing of several.</summary>
    public ScoreActivation ScoreActivation { get; }

    /// <summary>Scores of each token: one for each class, as entities need it, 2 of a model that answers questions; 0
    /// without such a head.</summary>
    public int NumTokenClasses { get; }

    /// <summary>Whether the model finds the answers to questions.</summary>
    public bool AnswersQuestions { get; }

    /// <summary>Whether the model can give logits and fill masks.</summary>
    public bool HasLmHead { get; }

    /// <summary>Whether the model can read text.</summary>
    public bool HasTokenizer { get; }

    /// <summary>Whether the model's files tell how it embeds texts.</summary>
    public bool IsSentenceEncoder { get; }

    /// <summary>How the model's files make a vector of the tokens'; <see cref="Pooling.Model"/> where that is several ways
    /// at once.</summary>
    public Pooling Pooling { get; }

    /// <summary>Whether embeddings have length 1, if they are made as the model means it.</summary>
    public bool Normalizes { get; }

    /// <summary>The id of the token that begins a text; -1 for none.</summary>
    public int BosId { get; }

    /// <summary>The id of the token that ends a text; -1 for none.</summary>
    public int EosId { get; }

    /// <summary>The id of the padding token, which is never needed here; -1 for none.</summary>
    public int PadId { get; }

    /// <summary>The id of the token for text that the vocabulary lacks; -1 for none.</summary>
    public int UnkId { get; }

    /// <summary>The id of the token for a blank to be filled; -1 for none.</summary>
    public int MaskId { get; }

    /// <summary>How the tables are held in memory.</summary>
    public ElementType TableType { get; }

    /// <summary>How the hash weights are held in memory.</summary>
    public ElementType HashType { get; }

    /// <summary>How the linear layers are held in memory.</summary>
    public ElementType LinearType { get; }

    /// <summary>How the word embeddings are held in memory.</summary>
    public ElementType EmbeddingType { get; }

    /// <summary>The number of the arithmetic by which results were made: their bits are to be compared only with those of
    /// the same number. It is 1000 more where LoadOptions.SevenBitInputs has an effect.</summary>
    public int Arithmetic { get; }

    /// <summary>How many threads one call uses.</summary>
    public int NumThreads { get; }

    /// <summary>Floating point operations of all FFNs for a token, as the paper counts them.</summary>
    public long FfnFlopPerToken { get; }

    /// <summary>Floating point operations of the linear layers of all attentions for a token.</summary>
    public long AttentionFlopPerToken { get; }

    /// <summary>Floating point operations for a token and each token it attends to.</summary>
    public long AttentionFlopPerPair { get; }

    /// <summary>Floating point operations of all the rest for a token.</summary>
    public long OtherFlopPerToken { get; }

    /// <summary>Floating point operations of the logits of one position; 0 without that head.</summary>
    public long LmHeadFlopPerToken { get; }

    /// <summary>How many numbers were learned.</summary>
    public long NumParameters { get; }

    /// <summary>How many tensor bytes <see cref="Model.Save"/> writes.</summary>
    public long FileBytes { get; }

    /// <summary>How many bytes of weights are in memory.</summary>
    public long MemoryBytes { get; }

    /// <summary>How many bytes of scratch memory a call in flight takes at most, beside its results.</summary>
    public long ScratchBytes { get; }
}

/// <summary>What one encoder layer of a model is made of and costs. Its feed-forward block is the sum of the parts that
/// it has: neurons, tables, a linear map, and a row chosen by the token's id.</summary>
public sealed record ModelLayerInfo
{
    internal ModelLayerInfo(ReadOnlySpan<long> numbers)
    {
        NumHeads = (int)numbers[Raw.MODEL_LAYER_NUM_ATTENTION_HEADS];
        HeadSize = (int)numbers[Raw.MODEL_LAYER_ATTENTION_HEAD_SIZE];
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
        WordType = NumWordRows == 0 ? null : (ElementType)numbers[Raw.MODEL_LAYER_WORD_ROW_DTYPE];
        AttentionFlopPerToken = numbers[Raw.MODEL_LAYER_ATTENTION_FLOP_PER_TOKEN];
        AttentionFlopPerPair = numbers[Raw.MODEL_LAYER_ATTENTION_FLOP_PER_PAIR];
        FfnFlopPerToken = numbers[Raw.MODEL_LAYER_FFN_FLOP_PER_TOKEN];
        OtherFlopPerToken = numbers[Raw.MODEL_LAYER_OTHER_FLOP_PER_TOKEN];
        NumParameters = numbers[Raw.MODEL_LAYER_NUM_PARAMETERS];
        AttentionBytes = numbers[Raw.MODEL_LAYER_ATTENTION_BYTES];
        FfnBytes = numbers[Raw.MODEL_LAYER_FFN_BYTES];
        WordBytes = numbers[Raw.MODEL_LAYER_WORD_ROW_BYTES];
        FileBytes = numbers[Raw.MODEL_LAYER_FILE_BYTES];
        Window = (int)numbers[Raw.MODEL_LAYER_ATTENTION_WINDOW];
        Theta = BitConverter.Int32BitsToSingle((int)numbers[Raw.MODEL_LAYER_ROPE_THETA_BITS]);
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

    /// <summary>How far its tokens attend, as in <see cref="ModelInfo.Window"/>; 0 if they attend to all.</summary>
    public int Window { get; }

    /// <summary>The base of its rotary positions; 0 without such positions.</summary>
    public float Theta { get; }
}

/// <summary>How much memory a model takes, told before it is loaded.</summary>
/// <param name="WeightBytes">What <see cref="ModelInfo.MemoryBytes"/> will be, or a little more.</param>
/// <param name="LoadingBytes">The most memory that weights and work take together while it is loaded.</param>
public sealed record MemoryEstimate(long WeightBytes, long LoadingBytes);
