// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public static unsafe partial class Vectors
{
    /// <summary>Finds the nearest vectors for each query by comparing it with all of them, or with those that the options name.
    /// Equal scores are in the order of their ids. The result is the same to the bit for any number of threads and blocks, and
    /// for bytes and bits on every processor.</summary>
    /// <param name="queries">What to look for.</param>
    /// <param name="vectors">Where, of the same kind and size.</param>
    /// <param name="options">How many, and among which; null for the ten nearest of all.</param>
    /// <param name="cancellationToken">Looked at while comparing.</param>
    /// <returns>Ids and scores for each query, the nearest first.</returns>
    /// <exception cref="ArgumentException">Queries, vectors and options do not fit each other.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <example><code>
    /// float[][] rows = model.Embed(documents, new EmbedOptions { Purpose = TextPurpose.Document });
    /// float[] asked = model.Embed(text, new EmbedOptions { Purpose = TextPurpose.Query });
    /// Nearest found = Vectors.TopK(VectorBlock.Of(asked), VectorBlock.Of(rows), new SearchOptions { K = 3 });
    /// foreach ((long id, float score) in found[0])
    /// {
    ///     Console.WriteLine($"{score} {documents[id]}");
    /// }
    /// </code></example>
    public static Nearest TopK(
        VectorBlock queries, VectorBlock vectors, SearchOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= SearchOptions.Default;
        SearchCall call = new(queries, vectors, options);
        Native.EnsureLoaded();
        IntPtr runtime = options.Runtime?.Handle.Enter() ?? IntPtr.Zero;
        try
        {
            int cancel = 0;
            using (Native.Register(&cancel, cancellationToken))
            using (Listener? listener = Listener.Of(options.Progress, &cancel))
            {
                fixed (byte* query = &queries.First, vector = &vectors.First, takingPart = call.TakingPart)
                fixed (float* queryScales = queries.Scales, vectorScales = vectors.Scales, scores = call.Scores)
                fixed (long* numbers = call.Numbers, ids = options.Ids.GetValueOrDefault().Span)
                fixed (long* candidates = call.Candidates, offsets = call.Offsets, foundCounts = call.Counts, foundIds = call.Ids)
                {
                    int status = Raw.TopK(
                        numbers,
                        runtime,
                        query,
                        queryScales,
                        vector,
                        vectorScales,
                        ids,
                        takingPart,
                        candidates,
                        offsets,
                        foundCounts,
                        foundIds,
                        scores,
                        &cancel,
                        Listener.OfRunning(listener),
                        Listener.User(listener));
                    Listener.Check(listener, status, cancellationToken);
                }
            }
        }
        finally
        {
            if (runtime != IntPtr.Zero)
            {
                options.Runtime!.Handle.DangerousRelease();
            }
        }

        return call.Found(options.K);
    }
}
