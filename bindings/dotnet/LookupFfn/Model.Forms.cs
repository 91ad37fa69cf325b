// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>The vectors of the parts of a long text, which is read in windows of <see cref="EmbedOptions.MaxTokens"/>
    /// that overlap by <see cref="EmbedOptions.Stride"/>.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A vector for each window, in the order of the text.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public EmbeddedWindow[] EmbedWindows(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(text);
        return WindowsOf(text, [], options, nameof(text), cancellationToken)[0];
    }

    /// <summary>The vectors of the parts of a long text, computed on a thread of the library.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A vector for each window, in the order of the text.</returns>
    public Task<EmbeddedWindow[]> EmbedWindowsAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedWindows(text, options, cancellationToken), cancellationToken);

    /// <summary>The vectors of the parts of long texts, which are read in windows of
    /// <see cref="EmbedOptions.MaxTokens"/> that overlap by <see cref="EmbedOptions.Stride"/>.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>For each text a vector for each of its windows; none for one that cannot be run.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public EmbeddedWindow[][] EmbedWindows(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        WindowsOf(null, NotNull(texts), options, nameof(texts), cancellationToken);

    /// <summary>The vectors of the parts of long texts, computed on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>For each text a vector for each of its windows; none for one that cannot be run.</returns>
    public Task<EmbeddedWindow[][]> EmbedWindowsAsync(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedWindows(texts, options, cancellationToken), cancellationToken);

    /// <summary>A vector for the whole text, in bytes.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vector.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public Int8Embedding EmbedInt8(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(text);
        return Int8Of(text, [], options, nameof(text), cancellationToken)[0];
    }

    /// <summary>A vector for the whole text, in bytes, computed on a thread of the library.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vector.</returns>
    public Task<Int8Embedding> EmbedInt8Async(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedInt8(text, options, cancellationToken), cancellationToken);

    /// <summary>A vector for each text, in bytes.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vectors.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public Int8Embedding[] EmbedInt8(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        Int8Of(null, NotNull(texts), options, nameof(texts), cancellationToken);

    /// <summary>A vector for each text, in bytes, computed on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vectors.</returns>
    public Task<Int8Embedding[]> EmbedInt8Async(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedInt8(texts, options, cancellationToken), cancellationToken);

    /// <summary>A vector for the whole text, in bits.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>A bit for each number, set where it is above 0: the first one is the highest of the first byte, and behind
    /// the last one are zeros.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public byte[] EmbedBits(string text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(text);
        return BitsOf(text, [], options, nameof(text), cancellationToken)[0];
    }

    /// <summary>A vector for the whole text, in bits, computed on a thread of the library.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The bits.</returns>
    public Task<byte[]> EmbedBitsAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedBits(text, options, cancellationToken), cancellationToken);

    /// <summary>A vector for each text, in bits.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>For each text a bit for each number, as
    /// <see cref="EmbedBits(string, EmbedOptions?, CancellationToken)"/> gives them.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public byte[][] EmbedBits(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        BitsOf(null, NotNull(texts), options, nameof(texts), cancellationToken);

    /// <summary>A vector for each text, in bits, computed on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>For each text a bit for each number, as
    /// <see cref="EmbedBits(string, EmbedOptions?, CancellationToken)"/> gives them.</returns>
    public Task<byte[][]> EmbedBitsAsync(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => EmbedBits(texts, options, cancellationToken), cancellationToken);

    /// <summary>A vector for each token of a text, as late interaction compares them.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vectors, with where in the text each token lies.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public TokenVector[] TokenVectors(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(text);
        return TokenVectorsOf(text, [], options, nameof(text), cancellationToken)[0];
    }

    /// <summary>A vector for each token of a text, computed on a thread of the library.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vectors, with where in the text each token lies.</returns>
    public Task<TokenVector[]> TokenVectorsAsync(
        string text, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => TokenVectors(text, options, cancellationToken), cancellationToken);

    /// <summary>A vector for each token of each text, as late interaction compares them.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vectors of each text, with where in it each token lies.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public TokenVector[][] TokenVectors(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        TokenVectorsOf(null, NotNull(texts), options, nameof(texts), cancellationToken);

    /// <summary>A vector for each token of each text, computed on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The vectors of each text, with where in it each token lies.</returns>
    public Task<TokenVector[][]> TokenVectorsAsync(
        IReadOnlyList<string?> texts, EmbedOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => TokenVectors(texts, options, cancellationToken), cancellationToken);
}
