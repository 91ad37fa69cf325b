// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>Whether a text was run, or why not.</summary>
public enum TextStatus
{
    /// <summary>It was.</summary>
    Done = Raw.STATUS_OK,

    /// <summary>It has half of a surrogate pair.</summary>
    BadText = Raw.STATUS_BAD_TEXT,

    /// <summary>It has more tokens than the model can run, and was not to be cut.</summary>
    TooLong = Raw.STATUS_TOO_LONG,

    /// <summary>It is null.</summary>
    NullText = Raw.STATUS_NULL_TEXT,
}

/// <summary>Which texts of a call could be run, and why the others could not. Hand it to a call with
/// <see cref="EmbedOptions.Statuses"/>, and look into it when the call has ended. It can serve one call after another, but
/// only one at a time; a call that fails, and one on ids, leaves it as it was.</summary>
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
        ReadOnlySpan<int> told = new(Raw.ResultArray(result, Raw.RESULT_STATUSES), texts.Count);
        TextStatus[] found = new TextStatus[texts.Count];
        string[] why = new string[texts.Count];
        for (int i = 0; i < found.Length; i++)
        {
            found[i] = (TextStatus)told[i];
            why[i] = told[i] == Raw.STATUS_OK ? "" : texts.Unreadable(i) ?? Native.Text(Raw.ResultMessage(result, i));
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
