// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn.Extensions.AI;

/// <summary>What texts are for: models such as e5 and bge want other words before a question than before what may answer
/// it.</summary>
public enum InputKind
{
    /// <summary>Texts that are searched.</summary>
    Document,

    /// <summary>Texts that are searched for.</summary>
    Query,
}

/// <summary>What becomes of a text with more tokens than the model reads.</summary>
public enum LongText
{
    /// <summary>Its end is not read. The embedding's AdditionalProperties have "truncated", true, and "uncut_tokens".</summary>
    Cut,

    /// <summary>The call fails with an <see cref="ArgumentException"/>.</summary>
    Refuse,
}

/// <summary>How a <see cref="LookupFfnEmbeddingGenerator"/> embeds.</summary>
public sealed record LookupFfnEmbeddingOptions
{
    /// <summary>How a model is loaded of which the path is given. Default null: by the defaults.</summary>
    public LoadOptions? Load { get; set; }

    /// <summary>The model's name in metadata and results. Default null: the last part of its path.</summary>
    public string? ModelId { get; set; }

    /// <summary>What texts are for where a call does not say. Default: documents.</summary>
    public InputKind Input { get; set; }

    /// <summary>What is put before queries, such as "query: ". Default null: the model's prompt named "query" if its files
    /// tell one, else its default prompt, if it has one.</summary>
    public string? QueryPrompt { get; set; }

    /// <summary>What is put before documents, such as "passage: ". Default null: the model's prompt named "document" or
    /// "passage" if its files tell one, else its default prompt, if it has one.</summary>
    public string? DocumentPrompt { get; set; }

    /// <summary>What becomes of texts that are too long. Default: they are cut.</summary>
    public LongText LongTexts { get; set; }

    /// <summary>How many tokens of a text are read at most, where long texts are cut. Default null: as many as the model
    /// means to read.</summary>
    public int? MaxTokens { get; set; }

    /// <summary>Whether a call may ask for fewer dimensions than the model gives. Then the first ones are taken, and scaled
    /// to length 1, which is good only for models that were trained for it. Default false: such a call fails.</summary>
    public bool AllowFewerDimensions { get; set; }

    /// <summary>How calls with a single text are put together with those of others. Default null: they are not.</summary>
    public BatchingOptions? Batching { get; set; }

    /// <summary>How many texts of one call are run at once; more are run in parts. Default 64.</summary>
    public int MaxBatch { get; set; } = 64;
}
