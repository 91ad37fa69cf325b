// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>A token that may stand for a mask.</summary>
/// <param name="Id">Its id.</param>
/// <param name="Text">It as text, with the blank before it if it has one.</param>
/// <param name="Probability">How likely it is, from 0 to 1.</param>
public sealed record MaskCandidate(int Id, string Text, float Probability);

/// <summary>A token of a text and where it lies.</summary>
/// <param name="Id">Its id.</param>
/// <param name="Begin">The index in the string where it begins. A token that begins inside of a character begins here
/// with the whole of it.</param>
/// <param name="End">The index in the string behind its last char. A token that ends inside of a character ends here
/// with the whole of it.</param>
public readonly record struct TokenSpan(int Id, int Begin, int End);
