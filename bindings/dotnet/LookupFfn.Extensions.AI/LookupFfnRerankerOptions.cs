// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn.Extensions.AI;

/// <summary>How a <see cref="LookupFfnReranker"/> scores.</summary>
public sealed record LookupFfnRerankerOptions : LookupFfnModelOptions
{
    /// <summary>What scores are where a call does not say. Default: raw ones.</summary>
    public ScoreKind Scores { get; set; }

    internal override string? Problem(bool withPath) =>
        !Enum.IsDefined(Scores) ? $"Scores is {Scores}, expected a ScoreKind" : base.Problem(withPath);
}
