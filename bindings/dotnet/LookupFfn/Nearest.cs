// SPDX-License-Identifier: Apache-2.0
using System.Globalization;

namespace LookupFfn;

/// <summary>A vector that a search found, and how near it is.</summary>
/// <param name="Id">The vector's id: its number, from 0 on, unless the search was given other ids.</param>
/// <param name="Score">Its dot product or cosine with the query; for bits, how many differ.</param>
public readonly record struct ScoredId(long Id, float Score);

/// <summary>What <see cref="Vectors.TopK"/> found for each query, the nearest first.</summary>
public sealed record Nearest
{
    internal Nearest(int k, long[][] ids, float[][] scores)
    {
        K = k;
        Ids = ids;
        Scores = scores;
    }

    /// <summary>How many were asked for; where fewer took part, fewer were found.</summary>
    public int K { get; }

    /// <summary>How many queries there were.</summary>
    public int Count => Ids.Length;

    /// <summary>The ids that each query found.</summary>
    public long[][] Ids { get; }

    /// <summary>The scores of these; NaN comes last.</summary>
    public float[][] Scores { get; }

    /// <summary>What one query found.</summary>
    /// <param name="query">Its number, from 0 on.</param>
    /// <returns>Ids and scores, the nearest first.</returns>
    public ScoredId[] this[int query]
    {
        get
        {
            float[] scores = Scores[query];
            return [.. Ids[query].Select((id, place) => new ScoredId(id, scores[place]))];
        }
    }

    /// <summary>Whether the same was found, to the bit, for as many.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether it was.</returns>
    public bool Equals(Nearest? other)
    {
        if (other is null || K != other.K || Count != other.Count || !Values.Same(Scores, other.Scores))
        {
            return false;
        }

        for (int query = 0; query < Count; query++)
        {
            if (!Ids[query].AsSpan().SequenceEqual(other.Ids[query]))
            {
                return false;
            }
        }

        return true;
    }

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        HashCode hash = default;
        for (int query = 0; query < Count; query++)
        {
            foreach (long id in Ids[query])
            {
                hash.Add(id);
            }

            hash.Add(Values.Hash(Scores[query]));
        }

        return hash.ToHashCode();
    }

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"the {K} nearest for each of {Count} queries");
}
