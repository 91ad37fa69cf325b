// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>Texts as several vectors each, for models of late interaction, such as ColBERT.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How. <see cref="EmbedOptions.Purpose"/> says whether these are queries or documents, which such
    /// models read in different ways; without it there is a vector for each token.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vectors, to be compared by <see cref="MaxSim"/>.</returns>
    /// <exception cref="UnsupportedModelException">The model is none of late interaction.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public LateVectors EmbedLate(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        LateOf(NotNull(texts), options, Raw.WANT_TOKEN_VECTORS, cancellationToken);

    /// <summary>Texts as several vectors each, computed on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How, as <see cref="EmbedLate"/> takes them.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vectors.</returns>
    public Task<LateVectors> EmbedLateAsync(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedLate(texts, options, cancellationToken), cancellationToken);

    /// <summary>The same in a quarter of the memory: bytes with a scale for each vector.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How, as <see cref="EmbedLate"/> takes them.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vectors, to be compared by <see cref="MaxSim"/>.</returns>
    /// <exception cref="UnsupportedModelException">The model is none of late interaction.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public LateVectors EmbedLateInt8(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        LateOf(NotNull(texts), options, Raw.WANT_INT8_TOKEN_VECTORS, cancellationToken);

    /// <summary>The same in bytes, computed on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How, as <see cref="EmbedLate"/> takes them.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vectors.</returns>
    public Task<LateVectors> EmbedLateInt8Async(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedLateInt8(texts, options, cancellationToken), cancellationToken);

    /// <summary>How well documents answer queries: each vector of a query looks for the one of the document that is most like
    /// it, and these dot products are added up, or averaged where the model means it so.</summary>
    /// <param name="queries">Queries, in floats or in bytes.</param>
    /// <param name="documents">Documents, likewise.</param>
    /// <param name="numThreads">At most so many threads; 0: as many as the environment leaves.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>For each query the score of each document; 0 where one of the two has no vectors.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] MaxSim(
        LateVectors queries, LateVectors documents, int numThreads = 0, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(queries);
        ArgumentNullException.ThrowIfNull(documents);
        ArgumentOutOfRangeException.ThrowIfNegative(numThreads);
        handle.ThrowIfDisposed();
        if (queries.Size != documents.Size)
        {
            throw new ArgumentException(
                Say($"the vectors have {queries.Size} and {documents.Size} numbers"), nameof(documents));
        }

        float[] scores = new float[Whole((long)queries.Count * documents.Count)];
        int cancel = 0;
        using (Native.Register(&cancel, cancellationToken))
        {
            fixed (float* query = queries.Numbers, queryScales = queries.Scales, document = documents.Numbers)
            fixed (float* documentScales = documents.Scales, to = scores)
            fixed (sbyte* queryBytes = queries.Bytes, documentBytes = documents.Bytes)
            fixed (long* queryOffsets = queries.Offsets, documentOffsets = documents.Offsets)
            {
                Check(
                    Raw.MaxSim(
                        query,
                        (byte*)queryBytes,
                        queryScales,
                        queryOffsets,
                        queries.Count,
                        document,
                        (byte*)documentBytes,
                        documentScales,
                        documentOffsets,
                        documents.Count,
                        queries.Size,
                        info.MaxSimFlags,
                        numThreads,
                        &cancel,
                        to,
                        scores.Length),
                    cancellationToken);
            }
        }

        return Split(scores, queries.Count);
    }

    private LateVectors LateOf(
        IReadOnlyList<string?> given, EmbedOptions? asked, int wanted, CancellationToken cancellationToken)
    {
        Need(info.IsLate, "late interaction");
        EmbedOptions options = asked ?? EmbedOptions.Default;
        using CallTexts texts = new(null, given, null, options, "texts");
        using NativeResult result = new();
        RunInto(result, texts, options, wanted, options.Windows, cancellationToken);
        int size = result.Size(Raw.RESULT_SIZE_TOKEN_VECTOR);
        long[] offsets = result.Array<long>(Raw.OUT_VECTOR_OFFSETS, texts.Count + 1).ToArray();
        int count = Whole(offsets[^1] * size);
        return wanted == Raw.WANT_TOKEN_VECTORS
            ? new LateVectors(result.Array<float>(Raw.OUT_TOKEN_VECTORS, count).ToArray(), offsets, size)
            : new LateVectors(
                result.Array<sbyte>(Raw.OUT_INT8_TOKEN_VECTORS, count).ToArray(),
                result.Array<float>(Raw.OUT_TOKEN_VECTOR_SCALES, (int)offsets[^1]).ToArray(),
                offsets,
                size);
    }

    /// <summary>Documents go through the model some at a time.</summary>
    private float[] RerankLate(
        string query, IReadOnlyList<string> documents, EmbedOptions? options, CancellationToken cancellationToken)
    {
        options ??= EmbedOptions.Default;
        if (options.Statuses is not null || options.Counts is not null)
        {
            throw new ArgumentException("models of late interaction rerank without Statuses and Counts", nameof(options));
        }

        using CallTexts texts = new(null, documents, query, options, nameof(documents));
        float[] scores = new float[texts.Count];
        int cancel = 0;
        IntPtr model = handle.Enter();
        try
        {
            using (Native.Register(&cancel, cancellationToken))
            {
                fixed (byte* text = texts.Utf8)
                fixed (long* ends = texts.Ends)
                fixed (float* to = scores)
                {
                    texts.Check(
                        null,
                        Raw.ModelRerank(
                            model,
                            text + texts.QueryAt,
                            (nuint)texts.QuerySize,
                            text,
                            ends,
                            texts.Count,
                            LimitOfAll(options.MaxTokens, options.RefuseLongTexts),
                            (int)options.Scores,
                            options.NumThreads,
                            0,
                            &cancel,
                            to),
                        cancellationToken);
                }
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        return scores;
    }
}
