namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>The hidden states after the last layer norm.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Tokens times <see cref="ModelInfo.HiddenSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Encode(int[] ids, CancellationToken cancellationToken = default) =>
        Run([ids], Raw.OUTPUT_HIDDEN, Pooling.Mean, false, cancellationToken)[0];

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
        Run(sequences, Raw.OUTPUT_HIDDEN, Pooling.Mean, false, cancellationToken);

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
        Run([ids], Raw.OUTPUT_CLASS_SCORES, Pooling.Mean, false, cancellationToken)[0];

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
        Run(sequences, Raw.OUTPUT_CLASS_SCORES, Pooling.Mean, false, cancellationToken);

    /// <summary>The classifier's scores, before any softmax, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.NumClasses"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Classify(IReadOnlyList<string> texts, CancellationToken cancellationToken = default) =>
        Classify(Tokenize(texts), cancellationToken);

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
    /// <param name="pooling">How it is made of the tokens' hidden states.</param>
    /// <param name="normalize">Whether it is divided by its Euclidean length.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.HiddenSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Embed(
        int[] ids,
        Pooling pooling = Pooling.Mean,
        bool normalize = true,
        CancellationToken cancellationToken = default) =>
        Run([ids], Raw.OUTPUT_EMBEDDINGS, pooling, normalize, cancellationToken)[0];

    /// <summary>A vector for the whole sequence.</summary>
    /// <param name="text">A text.</param>
    /// <param name="pooling">How it is made of the tokens' hidden states.</param>
    /// <param name="normalize">Whether it is divided by its Euclidean length.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.HiddenSize"/> floats.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[] Embed(
        string text,
        Pooling pooling = Pooling.Mean,
        bool normalize = true,
        CancellationToken cancellationToken = default) =>
        Embed([text], pooling, normalize, cancellationToken)[0];

    /// <summary>A vector for the whole sequence, for a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="pooling">How it is made of the tokens' hidden states.</param>
    /// <param name="normalize">Whether it is divided by its Euclidean length.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Embed(
        IReadOnlyList<int[]> sequences,
        Pooling pooling = Pooling.Mean,
        bool normalize = true,
        CancellationToken cancellationToken = default) =>
        Run(sequences, Raw.OUTPUT_EMBEDDINGS, pooling, normalize, cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="pooling">How it is made of the tokens' hidden states.</param>
    /// <param name="normalize">Whether it is divided by its Euclidean length.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Embed(
        IReadOnlyList<string> texts,
        Pooling pooling = Pooling.Mean,
        bool normalize = true,
        CancellationToken cancellationToken = default) =>
        Embed(Tokenize(texts), pooling, normalize, cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch, computed on a thread of the pool.</summary>
    /// <param name="sequences">Any number of sequences of ids, not to be changed before the task has ended.</param>
    /// <param name="pooling">How it is made of the tokens' hidden states.</param>
    /// <param name="normalize">Whether it is divided by its Euclidean length.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    public Task<float[][]> EmbedAsync(
        IReadOnlyList<int[]> sequences,
        Pooling pooling = Pooling.Mean,
        bool normalize = true,
        CancellationToken cancellationToken = default) =>
        Task.Run(() => Embed(sequences, pooling, normalize, cancellationToken), cancellationToken);

    /// <summary>A vector for the whole sequence, for a batch, computed on a thread of the pool.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="pooling">How it is made of the tokens' hidden states.</param>
    /// <param name="normalize">Whether it is divided by its Euclidean length.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.HiddenSize"/> floats for each.</returns>
    public Task<float[][]> EmbedAsync(
        IReadOnlyList<string> texts,
        Pooling pooling = Pooling.Mean,
        bool normalize = true,
        CancellationToken cancellationToken = default) =>
        Task.Run(() => Embed(texts, pooling, normalize, cancellationToken), cancellationToken);
}
