// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics.CodeAnalysis;

namespace LookupFfn;

/// <summary>How the numbers of a layer are held in memory.</summary>
public enum ElementType
{
    /// <summary>In <see cref="LoadOptions"/>: keep what the file holds.</summary>
    AsStored = Raw.DTYPE_AS_STORED,

    /// <summary>IEEE float32.</summary>
    F32 = Raw.DTYPE_F32,

    /// <summary>bfloat16, the upper half of a float32.</summary>
    BF16 = Raw.DTYPE_BF16,

    /// <summary>int8 with scales.</summary>
    [SuppressMessage("Naming", "CA1720", Justification = "It is the name of the type that is meant.")]
    Int8 = Raw.DTYPE_INT8,

    /// <summary>IEEE float16: of rows by word as stored, not to be asked for.</summary>
    F16 = Raw.DTYPE_F16,

    /// <summary>Four bits with scales: of rows by word only.</summary>
    [SuppressMessage("Naming", "CA1720", Justification = "It is the name of the type that is meant.")]
    Int4 = Raw.DTYPE_INT4,
}

/// <summary>How a table's score follows from its hash values.</summary>
public enum Activation
{
    /// <summary>The sum of the absolute hash values times the softmax weight of the code.</summary>
    Gelu = Raw.ACTIVATION_GELU,

    /// <summary>The softmax weight of the code.</summary>
    Sigmoid = Raw.ACTIVATION_SIGMOID,
}

/// <summary>How the vectors of a sequence's tokens become one.</summary>
public enum Pooling
{
    /// <summary>As the model's files say; their mean where they say nothing.</summary>
    Model = Raw.POOLING_MODEL,

    /// <summary>The vector of the first token.</summary>
    First = Raw.POOLING_FIRST,

    /// <summary>Their mean.</summary>
    Mean = Raw.POOLING_MEAN,

    /// <summary>The largest of each number.</summary>
    Max = Raw.POOLING_MAX,

    /// <summary>Their sum divided by the square root of their number.</summary>
    MeanSqrt = Raw.POOLING_MEAN_SQRT,

    /// <summary>Their mean, in which the first token counts once, the second twice, and so on.</summary>
    WeightedMean = Raw.POOLING_WEIGHTED_MEAN,

    /// <summary>The vector of the last token.</summary>
    Last = Raw.POOLING_LAST,
}

/// <summary>How the classes of tokens become entities. B- before a label begins an entity, I- goes on with one of the
/// same kind.</summary>
public enum Aggregation
{
    /// <summary>Each token by itself; then neighbours of the same kind are one.</summary>
    Simple = Raw.AGGREGATION_SIMPLE,

    /// <summary>Each token is an entity.</summary>
    None = Raw.AGGREGATION_NONE,

    /// <summary>Words by the class of their first token; then neighbours of the same kind are one.</summary>
    First = Raw.AGGREGATION_FIRST,

    /// <summary>Words by the mean of their tokens' probabilities; then as above.</summary>
    Average = Raw.AGGREGATION_AVERAGE,

    /// <summary>Words by their token that is surest; then as above.</summary>
    Max = Raw.AGGREGATION_MAX,
}

/// <summary>What the scores of a classifier or a reranker become.</summary>
public enum ScoreKind
{
    /// <summary>Logits, as the model gives them.</summary>
    Raw = LookupFfn.Raw.SCORES_RAW,

    /// <summary>Probabilities: the softmax, or the sigmoid for one class and for models of several labels at
    /// once.</summary>
    Probabilities = LookupFfn.Raw.SCORES_PROBABILITIES,

    /// <summary>What a reranker's files ask for; the sigmoid for others of one class.</summary>
    Model = LookupFfn.Raw.SCORES_MODEL,
}

/// <summary>How a tokenizer makes tokens of words. Later versions may add some.</summary>
public enum TokenizerKind
{
    /// <summary>BPE, of bytes or of characters.</summary>
    BytePairs = Raw.TOKENIZER_KIND_BYTE_PAIRS,

    /// <summary>WordPiece, as BERT has it.</summary>
    WordPiece = Raw.TOKENIZER_KIND_WORD_PIECE,

    /// <summary>Unigram, as SentencePiece makes it.</summary>
    Unigram = Raw.TOKENIZER_KIND_UNIGRAM,
}

/// <summary>What <see cref="ScoreKind.Model"/> makes of a class score x.</summary>
public enum ScoreActivation
{
    /// <summary>The score itself.</summary>
    Identity = Raw.SCORE_ACTIVATION_IDENTITY,

    /// <summary>Its hyperbolic tangent.</summary>
    Tanh = Raw.SCORE_ACTIVATION_TANH,

    /// <summary>x where it is above 0, else 0.</summary>
    Relu = Raw.SCORE_ACTIVATION_RELU,

    /// <summary>1 / (1 + exp(-x)).</summary>
    Sigmoid = Raw.SCORE_ACTIVATION_SIGMOID,

    /// <summary>x times the normal distribution of x.</summary>
    Gelu = Raw.SCORE_ACTIVATION_GELU,
}

/// <summary>How near two vectors of floats or bytes are. Vectors of bits are compared by how many bits differ: the fewer, the
/// nearer.</summary>
public enum Measure
{
    /// <summary>The dot product. Of embeddings, which mostly have length 1, it is the cosine.</summary>
    Dot = Raw.MEASURE_DOT,

    /// <summary>The dot product divided by both lengths, from -1 to 1; 0 where a length is 0. Scales of bytes play no
    /// part.</summary>
    Cosine = Raw.MEASURE_COSINE,
}
