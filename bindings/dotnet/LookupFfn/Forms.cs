// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using System.Runtime.InteropServices;

namespace LookupFfn;

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

    /// <summary>The numbers that the bytes stand for.</summary>
    /// <returns>A new array.</returns>
    public float[] ToFloats() => Array.ConvertAll(Numbers, number => number * Scale);

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Numbers.Length} bytes, times {Scale}");
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
