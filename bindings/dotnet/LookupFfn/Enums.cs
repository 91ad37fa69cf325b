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

    /// <summary>bfloat16: the upper half of a float32.</summary>
    BF16 = Raw.DTYPE_BF16,

    /// <summary>int8 with scales.</summary>
    [SuppressMessage("Naming", "CA1720", Justification = "It is the name of the type that is meant.")]
    Int8 = Raw.DTYPE_INT8,

    /// <summary>IEEE float16; for tensors passed in, and rows by word as stored.</summary>
    F16 = Raw.DTYPE_F16,

    /// <summary>Four bits with scales; for rows by word only.</summary>
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
    /// <summary>As the model's files say; the mean if they say nothing.</summary>
    Model = Raw.POOLING_MODEL,

    /// <summary>The first token's vector.</summary>
    First = Raw.POOLING_FIRST,

    /// <summary>The mean.</summary>
    Mean = Raw.POOLING_MEAN,

    /// <summary>The maximum of each number.</summary>
    Max = Raw.POOLING_MAX,

    /// <summary>The sum divided by the square root of the number of tokens.</summary>
    MeanSqrt = Raw.POOLING_MEAN_SQRT,

    /// <summary>The mean with the first token counted once, the second twice, and so on.</summary>
    WeightedMean = Raw.POOLING_WEIGHTED_MEAN,

    /// <summary>The last token's vector.</summary>
    Last = Raw.POOLING_LAST,
}

/// <summary>How the classes of tokens become entities. B- before a label begins an entity, I- continues one of the
/// same kind.</summary>
public enum Aggregation
{
    /// <summary>Each token by itself, then neighbours of the same kind become one.</summary>
    Simple = Raw.AGGREGATION_SIMPLE,

    /// <summary>Each token is an entity.</summary>
    None = Raw.AGGREGATION_NONE,

    /// <summary>Words by the class of their first token, then as <see cref="Simple"/>.</summary>
    First = Raw.AGGREGATION_FIRST,

    /// <summary>Words by the mean of their tokens' probabilities.</summary>
    Average = Raw.AGGREGATION_AVERAGE,

    /// <summary>Words by their most certain token.</summary>
    Max = Raw.AGGREGATION_MAX,
}

/// <summary>What the scores of a classifier or a reranker become.</summary>
public enum ScoreKind
{
    /// <summary>The model's logits.</summary>
    Raw = LookupFfn.Raw.SCORES_RAW,

    /// <summary>Softmax; sigmoid for one class and for models with several labels at once.</summary>
    Probabilities = LookupFfn.Raw.SCORES_PROBABILITIES,

    /// <summary><see cref="ModelInfo.ScoreActivation"/>, which a reranker's files name; otherwise sigmoid for one
    /// class.</summary>
    Model = LookupFfn.Raw.SCORES_MODEL,
}

/// <summary>How a tokenizer makes tokens of words. Later versions may add some.</summary>
public enum TokenizerKind
{
    /// <summary>BPE, of bytes or of characters.</summary>
    BytePairs = Raw.TOKENIZER_KIND_BYTE_PAIRS,

    /// <summary>WordPiece.</summary>
    WordPiece = Raw.TOKENIZER_KIND_WORD_PIECE,

    /// <summary>Unigram.</summary>
    Unigram = Raw.TOKENIZER_KIND_UNIGRAM,
}

/// <summary>What <see cref="ScoreKind.Model"/> makes of a class score x.</summary>
public enum ScoreActivation
{
    /// <summary>x</summary>
    Identity = Raw.SCORE_ACTIVATION_IDENTITY,

    /// <summary>tanh(x)</summary>
    Tanh = Raw.SCORE_ACTIVATION_TANH,

    /// <summary>x if it is above 0, else 0</summary>
    Relu = Raw.SCORE_ACTIVATION_RELU,

    /// <summary>1 / (1 + exp(-x))</summary>
    Sigmoid = Raw.SCORE_ACTIVATION_SIGMOID,

    /// <summary>x Phi(x), Phi the normal distribution</summary>
    Gelu = Raw.SCORE_ACTIVATION_GELU,
}

/// <summary>How near two vectors of floats or bytes are. Vectors of bits are compared by how many bits differ: the fewer, the
/// nearer.</summary>
public enum Measure
{
    /// <summary>The dot product; float32 and int8. Of embeddings with length 1 it is the cosine.</summary>
    Dot = Raw.MEASURE_DOT,

    /// <summary>The dot product divided by both lengths, -1 to 1; float32 and int8. 0 if a length is 0. Scales play no
    /// part.</summary>
    Cosine = Raw.MEASURE_COSINE,
}
