// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn.Extensions.AI;

/// <summary>What becomes of a text with more tokens than are read.</summary>
public enum LongText
{
    /// <summary>Its end is not read. The embedding's AdditionalProperties have "truncated", true, and "uncut_tokens".</summary>
    Cut,

    /// <summary>The call fails with an <see cref="ArgumentException"/> before any of its texts is run.</summary>
    Refuse,
}

/// <summary>How a <see cref="LookupFfnEmbeddingGenerator"/> embeds.</summary>
public sealed record LookupFfnEmbeddingOptions
{
    /// <summary>Where the model lies that services load: a folder, or a file that <see cref="Model.Save"/> wrote.</summary>
    public string? Path { get; set; }

    /// <summary>How a model is loaded of which the path is given. Default null: by the defaults.</summary>
    public LoadOptions? Load { get; set; }

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

    /// <summary>How many tokens of a text are read at most: longer ones are too long. Default null: as many as the model means to
    /// read.</summary>
    public int? MaxTokens { get; set; }

    /// <summary>Whether a call may ask for fewer dimensions than the model gives. Then the first ones are taken, and scaled
    /// to length 1, which is good only for models that were trained for it. Default false: such a call fails.</summary>
    public bool AllowFewerDimensions { get; set; }

    /// <summary>How texts of concurrent calls are put together. Default: as <see cref="BatchingOptions"/> says. Null: each call
    /// runs by itself.</summary>
    public BatchingOptions? Batching { get; set; } = new();

    /// <summary>Whether a host loads the model and embeds a text when it starts, so that the first request does not wait, and
    /// what is wrong is seen at once. Default true.</summary>
    public bool WarmUp { get; set; } = true;

    /// <summary>What is wrong with them; null for nothing.</summary>
    internal string? Problem(bool withPath) =>
        withPath && string.IsNullOrEmpty(Path)
            ? "Path is not set: it names a model, a folder or a file that Model.Save wrote"
        : withPath && !Directory.Exists(Path) && !File.Exists(Path) ? $"Path: there is no {System.IO.Path.GetFullPath(Path!)}"
        : MaxTokens <= 0 ? $"MaxTokens is {MaxTokens}, expected a number above 0"
        : !Enum.IsDefined(Input) ? $"Input is {Input}, expected a TextPurpose"
        : !Enum.IsDefined(LongTexts) ? $"LongTexts is {LongTexts}, expected a LongText"
        : Batching is not null && Batching.MaxBatch < 1 ? $"Batching.MaxBatch is {Batching.MaxBatch}, expected a number above 0"
        : Batching is not null && Batching.MaxQueue < 1 ? $"Batching.MaxQueue is {Batching.MaxQueue}, expected a number above 0"
        : Batching is not null && Batching.MaxWait < TimeSpan.Zero ? $"Batching.MaxWait is {Batching.MaxWait}, expected none or more"
        : null;
}
