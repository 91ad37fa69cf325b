// SPDX-License-Identifier: Apache-2.0
using System.Globalization;

namespace LookupFfn;

/// <summary>How many tokens the texts of a call had, and whether some were cut. Hand it to a call with
/// <see cref="EmbedOptions.Counts"/>, and look into it when the call has ended. It can serve one call after another, but
/// only one at a time; a call that fails, and one on ids, leaves it as it was.</summary>
/// <example><code>TextCounts counts = new();
/// float[][] vectors = model.Embed(texts, new EmbedOptions { Counts = counts });
/// bool readWhole = !counts.AnyCut;</code></example>
public sealed class TextCounts
{
    // Where each text's tokens begin and where the last ones end, and how many each would have without cutting.
    private long[] offsets = new long[1];
    private long[] uncut = [];

    /// <summary>How many texts the call had.</summary>
    public int Count { get; private set; }

    /// <summary>How many tokens of all texts were run.</summary>
    public long TotalTokens => offsets[Count];

    /// <summary>Whether any text was cut.</summary>
    public bool AnyCut
    {
        get
        {
            for (int text = 0; text < Count; text++)
            {
                if (IsCut(text))
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>How many tokens of a text were run, special ones, the prompt's and those of a pair's other text
    /// counted.</summary>
    /// <param name="text">Its place among the texts.</param>
    /// <returns>The number.</returns>
    public int Tokens(int text)
    {
        Check(text);
        return (int)(offsets[text + 1] - offsets[text]);
    }

    /// <summary>How many tokens a text would have had without cutting.</summary>
    /// <param name="text">Its place among the texts.</param>
    /// <returns>The number.</returns>
    public long UncutTokens(int text)
    {
        Check(text);
        return uncut[text];
    }

    /// <summary>Whether a text was longer than the model reads, or than <see cref="EmbedOptions.MaxTokens"/> says, so
    /// that its end was not read.</summary>
    /// <param name="text">Its place among the texts.</param>
    /// <returns>Whether it was.</returns>
    public bool IsCut(int text) => UncutTokens(text) > Tokens(text);

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"{Count} texts, {TotalTokens} tokens{(AnyCut ? ", some cut" : "")}");

    /// <summary>Compares the content: objects that receive counts are otherwise equal only if they are the same
    /// object.</summary>
    internal bool SameAs(TextCounts other) =>
        Count == other.Count
        && offsets.AsSpan(0, Count + 1).SequenceEqual(other.offsets.AsSpan(0, Count + 1))
        && uncut.AsSpan(0, Count).SequenceEqual(other.uncut.AsSpan(0, Count));

    internal void Fill(in CallTexts texts)
    {
        if (offsets.Length <= texts.Count)
        {
            offsets = new long[texts.Count + 1];
            uncut = new long[texts.Count];
        }

        texts.Offsets.CopyTo(offsets);
        texts.Uncut[..texts.Count].CopyTo(uncut);
        Count = texts.Count;
    }

    private void Check(int text)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(text);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(text, Count);
    }
}

/// <summary>The vectors of texts, with what became of the texts on the way.</summary>
/// <param name="Vectors">A vector for each text.</param>
/// <param name="Counts">How many tokens each text had, and whether it was cut.</param>
public sealed record EmbeddingResult(IReadOnlyList<float[]> Vectors, TextCounts Counts)
{
    /// <summary>Whether the vectors hold the same numbers, and the counts are the same.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether they are.</returns>
    public bool Equals(EmbeddingResult? other) =>
        other is not null && Values.Same(Vectors, other.Vectors) && Counts.SameAs(other.Counts);

    /// <inheritdoc/>
    public override int GetHashCode() => Values.Hash(Vectors);

    /// <inheritdoc/>
    public override string ToString() => Values.Told(Vectors, "vectors", Counts);
}

/// <summary>The class scores of texts, with what became of the texts on the way.</summary>
/// <param name="Scores">A score of each class for each text.</param>
/// <param name="Counts">How many tokens each text had, and whether it was cut.</param>
public sealed record ClassificationResult(IReadOnlyList<float[]> Scores, TextCounts Counts)
{
    /// <summary>Whether the scores are the same numbers, and the counts are the same.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether they are.</returns>
    public bool Equals(ClassificationResult? other) =>
        other is not null && Values.Same(Scores, other.Scores) && Counts.SameAs(other.Counts);

    /// <inheritdoc/>
    public override int GetHashCode() => Values.Hash(Scores);

    /// <inheritdoc/>
    public override string ToString() => Values.Told(Scores, "rows of scores", Counts);
}

/// <summary>Whether a text was run, or why not.</summary>
public enum TextStatus
{
    /// <summary>It was.</summary>
    Done = Raw.OK,

    /// <summary>It has half of a surrogate pair.</summary>
    BadText = Raw.ERROR_BAD_TEXT,

    /// <summary>It has more tokens than are read at most, and was not to be cut.</summary>
    TooLong = Raw.ERROR_TOO_LONG,

    /// <summary>It is null.</summary>
    NullText = Raw.ERROR_NULL_TEXT,
}

/// <summary>Which texts of a call could be run, and why the others could not. Hand it to a call with
/// <see cref="EmbedOptions.Statuses"/>, and look into it when the call has ended. It can serve one call after another, but
/// only one at a time; a call that fails, and one on ids, leaves it as it was.</summary>
/// <example><code>TextStatuses statuses = new();
/// float[][] vectors = model.Embed(texts, new EmbedOptions { Statuses = statuses });
/// bool all = Enumerable.Range(0, statuses.Count).All(i =&gt; statuses.Status(i) == TextStatus.Done);</code></example>
public sealed class TextStatuses
{
    private TextStatus[] statuses = [];
    private string[] messages = [];

    /// <summary>How many texts the call had.</summary>
    public int Count => statuses.Length;

    /// <summary>Whether all texts were run.</summary>
    public bool AllDone => Array.TrueForAll(statuses, status => status == TextStatus.Done);

    /// <summary>Whether a text was run, or why not. One that was not has zeros for results, and no tokens.</summary>
    /// <param name="text">Its place among the texts.</param>
    /// <returns>The status.</returns>
    public TextStatus Status(int text)
    {
        Check(text);
        return statuses[text];
    }

    /// <summary>Why a text was not run, in a sentence; "" for one that was.</summary>
    /// <param name="text">Its place among the texts.</param>
    /// <returns>The sentence.</returns>
    public string Message(int text)
    {
        Check(text);
        return messages[text];
    }

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        System.Globalization.CultureInfo.InvariantCulture,
        $"{Count} texts, {statuses.Count(status => status != TextStatus.Done)} not run");

    internal unsafe void Fill(IntPtr result, in CallTexts texts)
    {
        ReadOnlySpan<int> told = new(Raw.ResultArray(result, Raw.OUT_STATUSES), texts.Count);
        TextStatus[] found = new TextStatus[texts.Count];
        string[] why = new string[texts.Count];
        for (int i = 0; i < found.Length; i++)
        {
            found[i] = texts.TooLong(i) is null ? (TextStatus)told[i] : TextStatus.TooLong;
            why[i] = told[i] == Raw.OK ? ""
                : texts.TooLong(i) ?? texts.Unreadable(i) ?? Native.Text(Raw.ResultMessage(result, i));
        }

        statuses = found;
        messages = why;
    }

    private void Check(int text)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(text);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(text, Count);
    }
}
