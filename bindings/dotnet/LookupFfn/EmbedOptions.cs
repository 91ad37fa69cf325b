namespace LookupFfn;

/// <summary>How texts are read and become vectors. The defaults: as the model means it.</summary>
public sealed record EmbedOptions
{
    internal static readonly EmbedOptions Default = new();

    /// <summary>How a vector is made of the tokens' hidden states. Default: as the model says.</summary>
    public Pooling Pooling { get; init; } = Pooling.Model;

    /// <summary>Whether vectors are divided by their Euclidean length. Default null: as the model says.</summary>
    public bool? Normalize { get; init; }

    /// <summary>How many tokens of a text are read at most, special ones counted; 0 to refuse texts that the model
    /// cannot run. Default null: as many as the model means to read.</summary>
    public int? MaxTokens { get; init; }

    /// <summary>The name of the model's prompt that is put before each text. Default null: the model's default
    /// one.</summary>
    public string? Prompt { get; init; }

    /// <summary>Whether no prompt is put before texts, not even the model's default one.</summary>
    public bool WithoutPrompt { get; init; }

    internal int Normalization =>
        Normalize is null ? Raw.NORMALIZE_MODEL : Normalize.Value ? Raw.NORMALIZE_YES : Raw.NORMALIZE_NO;

    internal int PromptKind =>
        WithoutPrompt ? Raw.PROMPT_NONE : Prompt is null ? Raw.PROMPT_MODEL : Raw.PROMPT_NAMED;
}
