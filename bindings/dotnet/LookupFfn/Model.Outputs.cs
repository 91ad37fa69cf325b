namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>The hidden states after the last layer norm.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Encode(int[] ids, CancellationToken cancellationToken = default) =>
        Run([ids], Raw.OUTPUT_HIDDEN, EmbedOptions.Default, cancellationToken)[0];

    /// <summary>The hidden states after the last layer norm.</summary>
    /// <param name="text">A text.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Encode(string text, CancellationToken cancellationToken = default) =>
        Encode([text], cancellationToken)[0];

    /// <summary>The hidden states after the last layer norm, for a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Encode(IReadOnlyList<int[]> sequences, CancellationToken cancellationToken = default) =>
        Run(sequences, Raw.OUTPUT_HIDDEN, EmbedOptions.Default, cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Encode(IReadOnlyList<string> texts, CancellationToken cancellationToken = default) =>
        Encode(Tokenize(texts), cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch, computed on a thread of the pool.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    public Task<float[][]> EncodeAsync(
        IReadOnlyList<int[]> sequences, CancellationToken cancellationToken = default) =>
        Task.Run(() => Encode(sequences, cancellationToken), cancellationToken);

    /// <summary>The hidden states after the last layer norm, for a batch, computed on a thread of the pool.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    public Task<float[][]> EncodeAsync(IReadOnlyList<string> texts, CancellationToken cancellationToken = default) =>
        Task.Run(() => Encode(texts, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores, before any softmax.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Classify(int[] ids, CancellationToken cancellationToken = default) =>
        Run([ids], Raw.OUTPUT_CLASS_SCORES, EmbedOptions.Default, cancellationToken)[0];

    /// <summary>The classifier's scores, before any softmax.</summary>
    /// <param name="text">A text.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Classify(string text, CancellationToken cancellationToken = default) =>
        Classify([text], cancellationToken)[0];

    /// <summary>The classifier's scores, before any softmax, for a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Classify(IReadOnlyList<int[]> sequences, CancellationToken cancellationToken = default) =>
        Run(sequences, Raw.OUTPUT_CLASS_SCORES, EmbedOptions.Default, cancellationToken);

    /// <summary>The classifier's scores, before any softmax, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Classify(IReadOnlyList<string> texts, CancellationToken cancellationToken = default) =>
        RunTexts(texts, Raw.OUTPUT_CLASS_SCORES, EmbedOptions.Default, cancellationToken);

    /// <summary>The classifier's scores, before any softmax, for a batch, computed on a thread of the pool.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    public Task<float[][]> ClassifyAsync(
        IReadOnlyList<int[]> sequences, CancellationToken cancellationToken = default) =>
        Task.Run(() => Classify(sequences, cancellationToken), cancellationToken);

    /// <summary>The classifier's scores, before any softmax, for a batch, computed on a thread of the pool.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    public Task<float[][]> ClassifyAsync(IReadOnlyList<string> texts, CancellationToken cancellationToken = default) =>
        Task.Run(() => Classify(texts, cancellationToken), cancellationToken);

    /// <summary>A vector for the whole sequence.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Embed(
        int[] ids,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Run([ids], Raw.OUTPUT_EMBEDDINGS, options ?? EmbedOptions.Default, cancellationToken)[0];

    /// <summary>A vector for the whole sequence.</summary>
    /// <param name="text">A text.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Embed(
        string text,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Embed([text], options, cancellationToken)[0];

    /// <summary>A vector for the whole sequence, for a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Embed(
        IReadOnlyList<int[]> sequences,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Run(sequences, Raw.OUTPUT_EMBEDDINGS, options ?? EmbedOptions.Default, cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Embed(
        IReadOnlyList<string> texts,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default) =>
        RunTexts(texts, Raw.OUTPUT_EMBEDDINGS, options ?? EmbedOptions.Default, cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch, computed on a thread of the pool.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats for each.</returns>
    public Task<float[][]> EmbedAsync(
        IReadOnlyList<int[]> sequences,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Task.Run(() => Embed(sequences, options, cancellationToken), cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch, computed on a thread of the pool.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="options">How; null: as the model means it.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.EmbeddingSize"/> floats for each.</returns>
    public Task<float[][]> EmbedAsync(
        IReadOnlyList<string> texts,
        EmbedOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Task.Run(() => Embed(texts, options, cancellationToken), cancellationToken);
}
