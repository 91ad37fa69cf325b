// SPDX-License-Identifier: Apache-2.0
using System.Collections;

namespace LookupFfn;

/// <summary>What <see cref="Vectors.TopK"/> looks for, and among which vectors.</summary>
public sealed record SearchOptions
{
    internal static readonly SearchOptions Default = new();

    /// <summary>How many vectors each query finds, at least 1; where fewer take part, these are found. Default 10.</summary>
    public int K { get; init; } = 10;

    /// <summary>How near two vectors of floats or bytes are. Vectors of bits are always compared by how many differ. Default
    /// <see cref="Measure.Dot"/>.</summary>
    public Measure Measure { get; init; }

    /// <summary>What vectors are called in the result, one for each. Default null: their numbers, from <see cref="FirstId"/>
    /// on.</summary>
    public ReadOnlyMemory<long>? Ids { get; init; }

    /// <summary>What the first vector is called, such as how many vectors the blocks before had. Default 0.</summary>
    public long FirstId { get; init; }

    /// <summary>Which vectors take part: a bit for each by its number, from 0 on; those behind the last one do not take part.
    /// Default null: all.</summary>
    public BitArray? TakingPart { get; init; }

    /// <summary>Which vectors take part, if they are few: their numbers, from 0 on, not their ids, in any order; copied by each
    /// call. Default null: all.</summary>
    public ReadOnlyMemory<long>? Candidates { get; init; }

    /// <summary>Which vectors each query is compared with, such as the <see cref="Nearest.Ids"/> that a search among bits found:
    /// their numbers, in any order; copied by each call. Default null: the same for all queries.</summary>
    public IReadOnlyList<long[]>? CandidatesOfEach { get; init; }

    /// <summary>What was found in other blocks of vectors, by the same queries, with the same <see cref="K"/> and measure: it
    /// stays among the nearest unless vectors of this block are nearer. Default null: nothing.</summary>
    public Nearest? Start { get; init; }

    /// <summary>Whose threads and instruction set the search uses. Default null: the process's.</summary>
    public LookupFfnRuntime? Runtime { get; init; }

    /// <summary>At most so many threads. Default 0: as many as the environment or the runtime allows.</summary>
    public int NumThreads { get; init; }

    /// <summary>Who is told how many pairs of a query and a vector have been compared, in the thread of the call. What it throws
    /// ends the call and comes out of it. Default null: nobody.</summary>
    public IProgress<RunProgress>? Progress { get; init; }
}
