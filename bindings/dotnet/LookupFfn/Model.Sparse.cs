// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>The weights of the tokens that a text is about, for models that give sparse vectors, such as SPLADE's.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it. <see cref="EmbedOptions.Purpose"/> chooses between queries and
    /// documents where a model reads them in different ways.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The sparse vector.</returns>
    /// <exception cref="UnsupportedModelException">The model gives no sparse vectors.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <example><code>
    /// SparseEmbedding query = model.EmbedSparse("cats", new() { Purpose = TextPurpose.Query });
    /// SparseEmbedding document = model.EmbedSparse("A kitten sleeps.", new() { Purpose = TextPurpose.Document });
    /// float score = Vectors.Dot(query, document);
    /// </code></example>
    public SparseEmbedding EmbedSparse(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(text);
        return SparseOf(text, [], options, nameof(text), cancellationToken)[0];
    }

    /// <summary>The sparse vector of a text, computed on a thread of the library.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The sparse vector.</returns>
    public Task<SparseEmbedding> EmbedSparseAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedSparse(text, options, cancellationToken), cancellationToken);

    /// <summary>The sparse vectors of texts.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A sparse vector for each; an empty one for a text that cannot be run.</returns>
    /// <exception cref="UnsupportedModelException">The model gives no sparse vectors.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public SparseEmbedding[] EmbedSparse(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        SparseOf(null, NotNull(texts), options, nameof(texts), cancellationToken);

    /// <summary>The sparse vectors of texts, computed on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A sparse vector for each; an empty one for a text that cannot be run.</returns>
    public Task<SparseEmbedding[]> EmbedSparseAsync(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedSparse(texts, options, cancellationToken), cancellationToken);

    private SparseEmbedding[] SparseOf(
        string? single, IReadOnlyList<string?> given, EmbedOptions? asked, string name, CancellationToken cancellationToken)
    {
        Need(info.SparseSize > 0, "sparse vectors");
        EmbedOptions options = asked ?? EmbedOptions.Default;
        using CallTexts texts = new(single, given, null, options, name);
        using NativeResult result = new();
        RunInto(result, texts, options, Raw.WANT_SPARSE, options.Windows, cancellationToken);
        ReadOnlySpan<long> offsets = result.Array<long>(Raw.OUT_SPARSE_OFFSETS, texts.Count + 1);
        SparseEmbedding[] found = new SparseEmbedding[texts.Count];
        for (int i = 0; i < found.Length; i++)
        {
            int count = checked((int)(offsets[i + 1] - offsets[i]));
            found[i] = new SparseEmbedding(
                result.Row<int>(Raw.OUT_SPARSE_IDS, offsets[i], count).ToArray(),
                result.Row<float>(Raw.OUT_SPARSE_WEIGHTS, offsets[i], count).ToArray());
        }

        return found;
    }
}
