// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;

namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>The names, places and the like in a text, found on a thread of the library.</summary>
    /// <param name="text">A text.</param>
    /// <param name="aggregation">How tokens are joined.</param>
    /// <param name="maxTokens">As of <see cref="Entities(string, Aggregation, int?, CancellationToken)"/>.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>Its entities, in the order of the text.</returns>
    public Task<NamedEntity[]> EntitiesAsync(
        string text,
        Aggregation aggregation = Aggregation.Simple,
        int? maxTokens = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Entities(text, aggregation, maxTokens, cancellationToken), cancellationToken);

    /// <summary>The names, places and the like in texts, found on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="aggregation">How tokens are joined.</param>
    /// <param name="maxTokens">As of <see cref="Entities(string, Aggregation, int?, CancellationToken)"/>.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The entities of each, in the order of the text.</returns>
    public Task<NamedEntity[][]> EntitiesAsync(
        IReadOnlyList<string> texts,
        Aggregation aggregation = Aggregation.Simple,
        int? maxTokens = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Entities(texts, aggregation, maxTokens, cancellationToken), cancellationToken);

    /// <summary>The names, places and the like in texts, found on a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="options">How, and who is told how much of the texts was read.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The entities of each, in the order of the text.</returns>
    public Task<NamedEntity[][]> EntitiesAsync(
        IReadOnlyList<string> texts, EntityOptions options, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Entities(texts, options, cancellationToken), cancellationToken);

    /// <summary>The likeliest tokens for each mask of each text.</summary>
    /// <param name="texts">Any number of texts with masks.</param>
    /// <param name="topK">How many tokens for each mask.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>For each mask of each text its candidates, the likeliest first.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public MaskCandidate[][][] FillMask(
        IReadOnlyList<string> texts, int topK = 5, CancellationToken cancellationToken = default)
    {
        CheckTopK(topK);
        return Each(CheckedTexts(texts), text => FillMask(text, topK, cancellationToken));
    }

    /// <summary>The likeliest tokens for each mask of each text, computed on a thread of the library.</summary>
    /// <param name="texts">Any number of texts with masks, not to be changed before the task has ended.</param>
    /// <param name="topK">How many tokens for each mask.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>For each mask of each text its candidates, the likeliest first.</returns>
    public Task<MaskCandidate[][][]> FillMaskAsync(
        IReadOnlyList<string> texts, int topK = 5, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => FillMask(texts, topK, cancellationToken), cancellationToken);

    /// <summary>The parts of contexts that answer questions.</summary>
    /// <param name="questions">Any number of questions, each with the context where its answers are to be found.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The answers to each, the best first.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public FoundAnswer[][] Answer(
        IReadOnlyList<QuestionInContext> questions, AnswerOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(questions);
        QuestionInContext[] copies = [.. questions];
        for (int i = 0; i < copies.Length; i++)
        {
            Utf8.SizeOf(copies[i]?.Text, nameof(questions), i);
            Utf8.SizeOf(copies[i].Context, nameof(questions), i);
        }

        return Each(copies, asked => Answer(asked.Text, asked.Context, options, cancellationToken));
    }

    /// <summary>The parts of a context that answer a question, found on a thread of the library.</summary>
    /// <param name="question">The question.</param>
    /// <param name="context">Where the answers are to be found.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The answers, the best first.</returns>
    public Task<FoundAnswer[]> AnswerAsync(
        string question, string context, AnswerOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Answer(question, context, options, cancellationToken), cancellationToken);

    /// <summary>The parts of contexts that answer questions, found on a thread of the library.</summary>
    /// <param name="questions">Any number of questions, each with the context where its answers are to be found; not to be
    /// changed before the task has ended.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>The answers to each, the best first.</returns>
    public Task<FoundAnswer[][]> AnswerAsync(
        IReadOnlyList<QuestionInContext> questions, AnswerOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Answer(questions, options, cancellationToken), cancellationToken);

    /// <summary>Labels that the model need not have learned, in the order of how probably each fits a text, for several
    /// texts.</summary>
    /// <param name="texts">Any number of texts.</param>
    /// <param name="candidates">The labels.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>For each text all of the labels, the most likely first.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public ScoredLabel[][] ZeroShot(
        IReadOnlyList<string> texts,
        IReadOnlyList<string> candidates,
        ZeroShotOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Each(CheckedTexts(texts), text => ZeroShot(text, candidates, options, cancellationToken));

    /// <summary>Labels that the model need not have learned, in the order of how probably each fits a text, told by a thread
    /// of the library.</summary>
    /// <param name="text">A text.</param>
    /// <param name="candidates">The labels, not to be changed before the task has ended.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>All of them, the most likely first.</returns>
    public Task<ScoredLabel[]> ZeroShotAsync(
        string text,
        IReadOnlyList<string> candidates,
        ZeroShotOptions? options = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => ZeroShot(text, candidates, options, cancellationToken), cancellationToken);

    /// <summary>Labels that the model need not have learned, in the order of how probably each fits a text, for several
    /// texts, told by a thread of the library.</summary>
    /// <param name="texts">Any number of texts, not to be changed before the task has ended.</param>
    /// <param name="candidates">The labels, not to be changed before the task has ended.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>For each text all of the labels, the most likely first.</returns>
    public Task<ScoredLabel[][]> ZeroShotAsync(
        IReadOnlyList<string> texts,
        IReadOnlyList<string> candidates,
        ZeroShotOptions? options = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => ZeroShot(texts, candidates, options, cancellationToken), cancellationToken);

    /// <summary>A copy, so that a text that cannot be read is named before anything is computed.</summary>
    private static string[] CheckedTexts(
        IReadOnlyList<string> texts, [CallerArgumentExpression(nameof(texts))] string name = "")
    {
        ArgumentNullException.ThrowIfNull(texts, name);
        string[] copies = [.. texts];
        for (int i = 0; i < copies.Length; i++)
        {
            Utf8.SizeOf(copies[i], name, i);
        }

        return copies;
    }

    private TResult[] Each<TItem, TResult>(TItem[] items, Converter<TItem, TResult> run)
    {
        handle.ThrowIfDisposed();
        return Array.ConvertAll(items, run);
    }
}
