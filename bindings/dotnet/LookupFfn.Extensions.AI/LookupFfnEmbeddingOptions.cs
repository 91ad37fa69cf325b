// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn.Extensions.AI;

/// <summary>What becomes of a text with more tokens than are read.</summary>
public enum LongText
{
    /// <summary>Its end is not read. The embedding's AdditionalProperties have "truncated", true, and "uncut_tokens".</summary>
    Cut,

    /// <summary>The call fails with an <see cref="ArgumentException"/> before any of its texts is run, as with
    /// <see cref="EmbedOptions.RefuseLongTexts"/>.</summary>
    Refuse,
}

/// <summary>How a <see cref="LookupFfnEmbeddingGenerator"/> embeds.</summary>
public sealed record LookupFfnEmbeddingOptions : LookupFfnModelOptions
{
    /// <summary>The model's name in metadata and results. Default null: the last part of its path.</summary>
    public string? ModelId { get; set; }

    /// <summary>What texts are for where a call does not say. Default: documents.</summary>
    public TextPurpose Input { get; set; } = TextPurpose.Document;

    /// <summary>What is put before queries, such as "query: ". Default null: the model's prompt for queries if its files tell
    /// one, else its default prompt, if it has one.</summary>
    public string? QueryPrompt { get; set; }

    /// <summary>What is put before documents, such as "passage: ". Default null: the model's prompt for documents if its files
    /// tell one, else its default prompt, if it has one.</summary>
    public string? DocumentPrompt { get; set; }

    /// <summary>What becomes of texts that are too long. Default: they are cut.</summary>
    public LongText LongTexts { get; set; }

    /// <summary>Whether a call may ask for fewer dimensions than the model gives. Then the first ones are taken, and scaled
    /// to length 1, which is good only for models that were trained for it. Default false: such a call fails.</summary>
    public bool AllowFewerDimensions { get; set; }

    internal override string? Problem(bool withPath) =>
        !Enum.IsDefined(Input) ? $"Input is {Input}, expected a TextPurpose"
        : !Enum.IsDefined(LongTexts) ? $"LongTexts is {LongTexts}, expected a LongText"
        : base.Problem(withPath);
}
