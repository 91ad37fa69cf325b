// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>How to look for names, places and the like.</summary>
/// <example><code>foreach (NamedEntity entity in model.Entities("Ada was born in London.", new EntityOptions { Aggregation = Aggregation.First }))
/// {
///     Console.WriteLine($"{entity.Label} {entity.Text}");
/// }</code></example>
public sealed record EntityOptions
{
    /// <summary>How tokens are joined. Default: neighbours of the same kind are one.</summary>
    public Aggregation Aggregation { get; init; } = Aggregation.Simple;

    /// <summary>How many tokens of a text are read at most, special ones counted. Default null: as many as the model means to
    /// read.</summary>
    public int? MaxTokens { get; init; }

    /// <summary>Whether texts of more tokens than are read at most are refused instead of cut. Default false.</summary>
    public bool RefuseLongTexts { get; init; }

    /// <summary>Whether halves of surrogate pairs are read as U+FFFD, the replacement character. Default false: such a text is
    /// refused.</summary>
    public bool Repair { get; init; }

    /// <summary>At most so many threads for the call. Default 0: as many as the model has.</summary>
    public int NumThreads { get; init; }

    /// <summary>Receives how many tokens each text of one call at a time had, and whether it was cut. Default null: nobody
    /// asks.</summary>
    public TextCounts? Counts { get; init; }

    internal EmbedOptions Reading => Repair ? Repairing : EmbedOptions.Default;

    private static readonly EmbedOptions Repairing = new() { Repair = true };
}

/// <summary>How to look for answers.</summary>
/// <example><code>FoundAnswer[] best = answering.Answer("Where?", "Ada was born in London.", new AnswerOptions { TopK = 3 });</code></example>
public sealed record AnswerOptions
{
    internal static readonly AnswerOptions Default = new();

    /// <summary>How many answers are wanted, at most 1000. Default: 1.</summary>
    public int TopK { get; init; } = 1;

    /// <summary>How many tokens a window has, special ones counted: long contexts are read in several, each with the
    /// question. Default null: what the model means to read, at most 384.</summary>
    public int? MaxTokens { get; init; }

    /// <summary>Whether the context is read in one window, however long; one that the model cannot run is refused. Not together
    /// with <see cref="MaxTokens"/>.</summary>
    public bool OneWindow { get; init; }

    /// <summary>How many tokens of the context a window has in common with the one before. Default null: half of a
    /// window, at most 128.</summary>
    public int? Stride { get; init; }

    /// <summary>How many tokens an answer has at most, before it is widened to whole words. Default: 15.</summary>
    public int MaxAnswerTokens { get; init; } = 15;

    /// <summary>Whether "there is no answer" may be one of the answers, as an empty one.</summary>
    public bool MayBeNone { get; init; }

    internal long TokenLimit =>
        !OneWindow ? Checks.TokenLimit(MaxTokens)
        : MaxTokens is null ? Raw.MAX_TOKENS_NEVER
        : throw new ArgumentException("the options have both OneWindow and MaxTokens", nameof(OneWindow));

    /// <summary>Throws if one of them is invalid.</summary>
    internal void Check()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(TopK, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(TopK, 1000);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxAnswerTokens, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(Stride ?? 0, nameof(Stride));
    }
}

/// <summary>How to try labels.</summary>
/// <example><code>ScoredLabel[] sorted = entailing.ZeroShot("My phone is broken!", ["urgent", "garden"], new ZeroShotOptions());</code></example>
public sealed record ZeroShotOptions
{
    internal static readonly ZeroShotOptions Default = new();

    /// <summary>A sentence with {} in the place of the label. Default null: "This example is {}."</summary>
    public string? Hypothesis { get; init; }

    /// <summary>How many tokens a text and a label have at most; the text is cut. Default null: as many as the
    /// model means to read.</summary>
    public int? MaxTokens { get; init; }

    /// <summary>Whether texts of more tokens than are read at most are refused instead of cut. Only together with a
    /// <see cref="MaxTokens"/> of what the model can run, where it means to read less. Default false.</summary>
    public bool RefuseLongTexts { get; init; }

    /// <summary>Whether any number of labels may fit, each with a probability of its own.</summary>
    public bool Several { get; init; }
}
