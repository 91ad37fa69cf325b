// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>How far a call that runs a model has come.</summary>
/// <param name="Done">How many of the call's texts or sequences are done.</param>
/// <param name="All">How many there are.</param>
public readonly record struct RunProgress(long Done, long All);
