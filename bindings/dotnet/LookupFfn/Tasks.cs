// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>A name, a place or the like in a text.</summary>
/// <param name="Label">What it is, such as "PER": the label of its first token without what is before the first dash, or
/// all of it with <see cref="Aggregation.None"/>.</param>
/// <param name="Score">How probable it is.</param>
/// <param name="Begin">The index in the string where it begins.</param>
/// <param name="End">The index behind its last char.</param>
/// <param name="Text">The part of the text itself.</param>
public sealed record Entity(string Label, float Score, int Begin, int End, string Text);

/// <summary>A question, and where its answers are to be found.</summary>
/// <param name="Text">The question.</param>
/// <param name="Context">The text with the answers.</param>
public sealed record Question(string Text, string Context);

/// <summary>A part of a context that answers a question; an empty one: there is no answer.</summary>
/// <param name="Text">The part of the context.</param>
/// <param name="Score">How probable it is.</param>
/// <param name="Begin">The index in the context where it begins.</param>
/// <param name="End">The index behind its last char.</param>
public sealed record Answer(string Text, float Score, int Begin, int End);

/// <summary>A label, and how probable it is that it fits a text.</summary>
/// <param name="Label">The label as it was given.</param>
/// <param name="Score">A number from 0 to 1.</param>
public sealed record ScoredLabel(string Label, float Score);

/// <summary>How to look for answers.</summary>
public sealed record AnswerOptions
{
    internal static readonly AnswerOptions Default = new();

    /// <summary>How many answers are wanted. Default: 1.</summary>
    public int TopK { get; init; } = 1;

    /// <summary>How many tokens a window has, special ones counted: long contexts are read in several, each with the
    /// question. 0 for one window, however long. Default null: what the model means to read, at most 384.</summary>
    public int? MaxTokens { get; init; }

    /// <summary>How many tokens of the context a window has in common with the one before. Default null: half of a
    /// window, at most 128.</summary>
    public int? Stride { get; init; }

    /// <summary>How many tokens an answer has at most, before it is widened to whole words. Default: 15.</summary>
    public int MaxAnswerTokens { get; init; } = 15;

    /// <summary>Whether it is one of the answers, an empty one, that there is none.</summary>
    public bool MayBeNone { get; init; }
}

/// <summary>How to try labels.</summary>
public sealed record ZeroShotOptions
{
    internal static readonly ZeroShotOptions Default = new();

    /// <summary>A sentence with {} in the place of the label. Default null: "This example is {}."</summary>
    public string? Hypothesis { get; init; }

    /// <summary>How many tokens a text and a label have at most; the text is cut. 0 to refuse texts that the model
    /// cannot run. Default null: as many as the model means to read.</summary>
    public int? MaxTokens { get; init; }

    /// <summary>Whether any number of labels may fit, each with a probability of its own.</summary>
    public bool Several { get; init; }
}
