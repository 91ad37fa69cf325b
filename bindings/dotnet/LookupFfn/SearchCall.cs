// SPDX-License-Identifier: Apache-2.0
using System.Collections;

namespace LookupFfn;

/// <summary>What a search hands to the native library beside the vectors. Candidates are copies, as the native code reads them
/// after it has checked them, and somebody might change them meanwhile.</summary>
internal sealed class SearchCall
{
    private readonly int places;

    internal SearchCall(VectorBlock queries, VectorBlock vectors, SearchOptions options)
    {
        Check(queries, vectors, options);
        if (options.CandidatesOfEach is not null)
        {
            (Candidates, Offsets) = Joined(options, [.. options.CandidatesOfEach], queries.Count);
        }
        else
        {
            Candidates = options.Candidates?.ToArray();
        }

        TakingPart = BytesOf(options.TakingPart, vectors.Count);
        // Room for no more than can be found, however many are wanted.
        long most = MostCandidates(vectors.Count) + (options.Start is null ? 0 : MostOf(options.Start));
        places = (int)Math.Max(1, Math.Min(options.K, most));
        long all = (long)queries.Count * places;
        if (all > Array.MaxLength)
        {
            throw new ArgumentException(Say($"{queries.Count} queries find {all} vectors, too many for an array"), nameof(queries));
        }

        Counts = new long[queries.Count];
        Ids = new long[all];
        Scores = new float[all];
        for (int query = 0; options.Start is not null && query < Counts.Length; query++)
        {
            long[] ids = options.Start.Ids[query];
            Counts[query] = ids.Length;
            ids.CopyTo(Ids, query * places);
            options.Start.Scores[query].CopyTo(Scores, query * places);
        }

        Write(queries, vectors, options);
    }

    /// <summary>The row of SEARCH_ numbers.</summary>
    internal long[] Numbers { get; } = new long[Raw.SEARCH_COUNT];

    internal long[]? Candidates { get; }

    /// <summary>Where each query's candidates begin; null where all queries have the same.</summary>
    internal long[]? Offsets { get; }

    internal byte[]? TakingPart { get; }

    /// <summary>How many each query found: at first the start, then the native library's result. The next two
    /// likewise.</summary>
    internal long[] Counts { get; }

    internal long[] Ids { get; }

    internal float[] Scores { get; }

    internal Nearest Found(int k)
    {
        long[][] ids = new long[Counts.Length][];
        float[][] scores = new float[Counts.Length][];
        for (int query = 0; query < Counts.Length; query++)
        {
            ids[query] = Ids.AsSpan(query * places, (int)Counts[query]).ToArray();
            scores[query] = Scores.AsSpan(query * places, (int)Counts[query]).ToArray();
        }

        return new Nearest(k, ids, scores);
    }

    private static void Check(VectorBlock queries, VectorBlock vectors, SearchOptions options)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(options.K);
        ArgumentOutOfRangeException.ThrowIfNegative(options.NumThreads);
        Checks.Defined(options.Measure);
        bool fit = queries.Kind == vectors.Kind && queries.Size == vectors.Size;
        if (!fit && queries.Count > 0 && vectors.Count > 0)
        {
            throw new ArgumentException(
                $"queries and vectors are of different kinds or sizes: {queries.ToString()} and {vectors.ToString()}", nameof(queries));
        }

        if (options.Ids is ReadOnlyMemory<long> ids && ids.Length != vectors.Count)
        {
            throw new ArgumentException(Say($"{vectors.Count} vectors have {ids.Length} Ids"), nameof(options));
        }

        if (options.Ids is not null && options.FirstId != 0)
        {
            throw new ArgumentException("the options have both Ids and a FirstId", nameof(options));
        }

        if (options.Candidates is not null && options.CandidatesOfEach is not null)
        {
            throw new ArgumentException("the options have both Candidates and CandidatesOfEach", nameof(options));
        }

        if (options.TakingPart is BitArray bits && bits.Length > vectors.Count)
        {
            throw new ArgumentException(
                Say($"TakingPart has {bits.Length} bits, but there are {vectors.Count} vectors"), nameof(options));
        }

        if (options.Start is Nearest start && (start.K != options.K || start.Count != queries.Count))
        {
            throw new ArgumentException(
                Say($"Start is the {start.K} nearest of {start.Count} queries, but now {options.K} of {queries.Count} are wanted"),
                nameof(options));
        }
    }

    private static (long[] Candidates, long[] Offsets) Joined(SearchOptions options, long[][] each, int queries)
    {
        if (each.Length != queries)
        {
            throw new ArgumentException(Say($"{queries} queries have CandidatesOfEach for {each.Length}"), nameof(options));
        }

        long[] offsets = new long[queries + 1];
        for (int query = 0; query < queries; query++)
        {
            long[] ofOne = each[query]
                ?? throw new ArgumentException(Say($"CandidatesOfEach[{query}] is null"), nameof(options));
            offsets[query + 1] = offsets[query] + ofOne.Length;
        }

        return ([.. each.SelectMany(ofOne => ofOne)], offsets);
    }

    private static byte[]? BytesOf(BitArray? bits, int vectors)
    {
        if (bits is null)
        {
            return null;
        }

        byte[] bytes = new byte[(int)((vectors + 7L) / 8)];
        bits.CopyTo(bytes, 0);
        return bytes;
    }

    private long MostCandidates(int vectors)
    {
        if (Offsets is null)
        {
            return Candidates?.Length ?? vectors;
        }

        long most = 0;
        for (int query = 1; query < Offsets.Length; query++)
        {
            most = Math.Max(most, Offsets[query] - Offsets[query - 1]);
        }

        return most;
    }

    private static long MostOf(Nearest start) => start.Ids.Select(ids => ids.Length).DefaultIfEmpty(0).Max();

    private void Write(VectorBlock queries, VectorBlock vectors, SearchOptions options)
    {
        int kind = vectors.Count > 0 ? vectors.Kind : queries.Count > 0 ? queries.Kind : Raw.VECTORS_F32;
        Numbers[Raw.SEARCH_KIND] = kind;
        Numbers[Raw.SEARCH_MEASURE] = kind == Raw.VECTORS_BITS ? Raw.MEASURE_HAMMING : (int)options.Measure;
        Numbers[Raw.SEARCH_SIZE] = Math.Max(1, vectors.Count > 0 ? vectors.Size : queries.Size);
        Numbers[Raw.SEARCH_N_QUERIES] = queries.Count;
        Numbers[Raw.SEARCH_N_VECTORS] = vectors.Count;
        Numbers[Raw.SEARCH_QUERY_SCALE_BITS] = BitConverter.SingleToInt32Bits(queries.Scale);
        Numbers[Raw.SEARCH_VECTOR_SCALE_BITS] = BitConverter.SingleToInt32Bits(vectors.Scale);
        Numbers[Raw.SEARCH_FIRST_ID] = options.FirstId;
        Numbers[Raw.SEARCH_N_CANDIDATES] = Candidates?.Length ?? -1;
        Numbers[Raw.SEARCH_K] = places;
        Numbers[Raw.SEARCH_CAPACITY] = Ids.Length;
        Numbers[Raw.SEARCH_NUM_THREADS] = options.NumThreads;
    }

    private static string Say(FormattableString text) => FormattableString.Invariant(text);
}
