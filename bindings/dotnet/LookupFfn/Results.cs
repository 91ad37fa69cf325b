// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>A token that may stand for a mask.</summary>
/// <param name="Id">Its id.</param>
/// <param name="Text">The token as text, with the blank before it if it has one.</param>
/// <param name="Probability">How likely it is, from 0 to 1.</param>
public sealed record MaskCandidate(int Id, string Text, float Probability);

/// <summary>A token of a text and where it lies.</summary>
/// <param name="Id">Its id.</param>
/// <param name="Begin">The index in the string where it begins. A token that begins inside of a character begins here
/// with the whole of it.</param>
/// <param name="End">The index in the string behind its last char. A token that ends inside of a character ends here
/// with the whole of it.</param>
public readonly record struct TokenSpan(int Id, int Begin, int End);

/// <summary>A name, a place or the like in a text.</summary>
/// <param name="Label">What it is, such as "PER": the label of its first token without what is before the first dash, or
/// all of it with <see cref="Aggregation.None"/>.</param>
/// <param name="Score">How probable it is.</param>
/// <param name="Begin">The index in the string where it begins.</param>
/// <param name="End">The index behind its last char.</param>
/// <param name="Text">The part of the text itself.</param>
public sealed record NamedEntity(string Label, float Score, int Begin, int End, string Text);

/// <summary>A question, and where its answers are to be found.</summary>
/// <param name="Text">The question.</param>
/// <param name="Context">The text with the answers.</param>
public sealed record QuestionInContext(string Text, string Context);

/// <summary>A part of a context that answers a question; an empty part means that there is no answer.</summary>
/// <param name="Text">The part of the context.</param>
/// <param name="Score">How probable it is.</param>
/// <param name="Begin">The index in the context where it begins.</param>
/// <param name="End">The index behind its last char.</param>
public sealed record FoundAnswer(string Text, float Score, int Begin, int End);

/// <summary>A label, and how probable it is that it fits a text.</summary>
/// <param name="Label">The label as it was given.</param>
/// <param name="Score">A number from 0 to 1.</param>
public sealed record ScoredLabel(string Label, float Score);

/// <summary>The vector of a part of a long text.</summary>
/// <param name="Begin">The index in the string where the part begins.</param>
/// <param name="End">The index behind its last char.</param>
/// <param name="Text">The part itself.</param>
/// <param name="Vector">Its vector.</param>
public sealed record EmbeddedWindow(int Begin, int End, string Text, float[] Vector)
{
    /// <summary>Whether the vectors hold the same numbers, of parts in the same place.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether they do.</returns>
    public bool Equals(EmbeddedWindow? other) =>
        other is not null && Begin == other.Begin && End == other.End && Text == other.Text
        && Values.Same(Vector, other.Vector);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Begin, End, Text, Values.Hash(Vector));

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"a vector of {Vector.Length} numbers, of what is from {Begin} to {End}");
}

/// <summary>A vector in a quarter of the memory: each of its numbers is a byte times the scale.</summary>
/// <param name="Numbers">The bytes, from -127 to 127.</param>
/// <param name="Scale">What they are multiplied with.</param>
public sealed record Int8Embedding(sbyte[] Numbers, float Scale)
{
    /// <summary>Whether the bytes and the scales are the same.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether they are.</returns>
    public bool Equals(Int8Embedding? other) =>
        other is not null && Scale.Equals(other.Scale) && Numbers.AsSpan().SequenceEqual(other.Numbers);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        HashCode hash = default;
        hash.Add(Scale);
        hash.AddBytes(MemoryMarshal.AsBytes(Numbers.AsSpan()));
        return hash.ToHashCode();
    }

    /// <summary>Makes bytes of a vector, as <see cref="Model.EmbedInt8(string, EmbedOptions?, CancellationToken)"/> does: the
    /// largest magnitude becomes 127.</summary>
    /// <param name="vector">The vector.</param>
    /// <returns>Its bytes and their scale.</returns>
    public static Int8Embedding Of(ReadOnlySpan<float> vector)
    {
        float most = 0;
        foreach (float number in vector)
        {
            most = Math.Max(most, Math.Abs(number));
        }

        float scale = most / 127;
        sbyte[] numbers = new sbyte[vector.Length];
        for (int i = 0; i < numbers.Length && scale > 0 && float.IsFinite(scale); i++)
        {
            numbers[i] = (sbyte)Math.Clamp(MathF.Round(vector[i] / scale), -127, 127);
        }

        return new Int8Embedding(numbers, scale);
    }

    /// <summary>The numbers that the bytes stand for.</summary>
    /// <returns>A new array.</returns>
    public float[] ToFloats() => Array.ConvertAll(Numbers, number => number * Scale);

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Numbers.Length} bytes, times {Scale}");
}

/// <summary>A vector with few numbers that are not 0: the weights of some tokens of the vocabulary.</summary>
/// <param name="Ids">The tokens, those of the largest weights first.</param>
/// <param name="Weights">A weight for each of them.</param>
public sealed record SparseEmbedding(int[] Ids, float[] Weights)
{
    /// <summary>Whether the weights are the same, of the same tokens in the same order.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether they are.</returns>
    public bool Equals(SparseEmbedding? other) =>
        other is not null && Ids.AsSpan().SequenceEqual(other.Ids) && Values.Same(Weights, other.Weights);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        HashCode hash = default;
        hash.AddBytes(MemoryMarshal.AsBytes(Ids.AsSpan()));
        hash.AddBytes(MemoryMarshal.AsBytes(Weights.AsSpan()));
        return hash.ToHashCode();
    }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"weights of {Ids.Length} tokens");
}

/// <summary>The vector of a token, as late interaction compares them, and where in its text the token lies.</summary>
/// <param name="Token">The token; one that is not of the text begins and ends at 0.</param>
/// <param name="OfText">Whether it is of the text, and neither special nor of a prompt.</param>
/// <param name="Vector"><see cref="ModelInfo.TokenVectorSize"/> floats.</param>
public sealed record TokenVector(TokenSpan Token, bool OfText, float[] Vector)
{
    /// <summary>Whether the vectors hold the same numbers, of the same token in the same place.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether they do.</returns>
    public bool Equals(TokenVector? other) =>
        other is not null && Token == other.Token && OfText == other.OfText && Values.Same(Vector, other.Vector);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Token, OfText, Values.Hash(Vector));

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"a vector of {Vector.Length} numbers of token {Token.Id}");
}

/// <summary>Arrays of numbers compared by what is in them.</summary>
internal static class Values
{
    /// <summary>Whether the numbers are the same to the bit, so that a NaN equals itself, as equality must have it.</summary>
    internal static bool Same(ReadOnlySpan<float> first, ReadOnlySpan<float> second) =>
        MemoryMarshal.AsBytes(first).SequenceEqual(MemoryMarshal.AsBytes(second));

    /// <summary>Whether two lists have the same vectors in the same order.</summary>
    internal static bool Same(IReadOnlyList<float[]> first, IReadOnlyList<float[]> second)
    {
        if (first.Count != second.Count)
        {
            return false;
        }

        for (int i = 0; i < first.Count; i++)
        {
            if (!Same(first[i], second[i]))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>The hash code of the same bits that Equals compares.</summary>
    internal static int Hash(ReadOnlySpan<float> numbers)
    {
        HashCode hash = default;
        hash.AddBytes(MemoryMarshal.AsBytes(numbers));
        return hash.ToHashCode();
    }

    /// <summary>The same hash code for lists that are equal.</summary>
    internal static int Hash(IReadOnlyList<float[]> rows)
    {
        HashCode hash = default;
        hash.Add(rows.Count);
        for (int i = 0; i < rows.Count; i++)
        {
            hash.Add(Hash(rows[i]));
        }

        return hash.ToHashCode();
    }

    /// <summary>What a result is, without its numbers.</summary>
    internal static string Told(IReadOnlyList<float[]> rows, string what, TextCounts counts) => string.Create(
        CultureInfo.InvariantCulture,
        $"{rows.Count} {what} of {(rows.Count == 0 ? 0 : rows[0].Length)} numbers: {counts}");
}
