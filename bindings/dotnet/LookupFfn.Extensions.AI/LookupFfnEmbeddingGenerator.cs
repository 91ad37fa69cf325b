// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using Microsoft.Extensions.AI;

namespace LookupFfn.Extensions.AI;

/// <summary>A model as Microsoft.Extensions.AI's embedding generator.</summary>
/// <remarks>Any number of threads may use one at once: their texts go together through one batcher. A call may say in its
/// options' AdditionalProperties, under <see cref="InputTypeKey"/>, what its texts are for;
/// <see cref="LookupFfnEmbeddingGeneratorExtensions.ForQueries"/> says so for all calls.</remarks>
/// <example><code>using LookupFfnEmbeddingGenerator documents = new("my-model");
/// using IEmbeddingGenerator&lt;string, Embedding&lt;float&gt;&gt; queries = documents.ForQueries();</code></example>
public sealed class LookupFfnEmbeddingGenerator : IEmbeddingGenerator<string, Embedding<float>>, IAsyncDisposable
{
    /// <summary>The key in the AdditionalProperties of a call's options for a <see cref="TextPurpose"/>, or a name of one such
    /// as "query", "search_document" or "passage", or of one of the model's prompts.</summary>
    public const string InputTypeKey = "input_type";

    private readonly LookupFfnEmbeddingOptions options;
    private readonly EmbeddingGeneratorMetadata metadata;
    private readonly bool owns;

    /// <summary>Loads a model, which is the generator's own.</summary>
    /// <param name="path">A folder, or a file that <see cref="Model.Save"/> wrote.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <exception cref="LookupFfnException">The model cannot be loaded.</exception>
    public LookupFfnEmbeddingGenerator(string path, LookupFfnEmbeddingOptions? options = null)
        : this(Model.Load(path, options?.Load?.With(null)), options ?? new(), owns: true)
    {
    }

    /// <summary>Uses a model, which stays the caller's.</summary>
    /// <param name="model">The model.</param>
    /// <param name="options">How; null for the defaults.</param>
    public LookupFfnEmbeddingGenerator(Model model, LookupFfnEmbeddingOptions? options = null)
        : this(model, options ?? new(), owns: false)
    {
    }

    internal LookupFfnEmbeddingGenerator(Model model, LookupFfnEmbeddingOptions options, bool owns)
    {
        ArgumentNullException.ThrowIfNull(model);
        Model = model;
        this.options = options with { };
        this.owns = owns;
        try
        {
            if (options.Problem(withPath: false) is string problem)
            {
                throw new ArgumentException(problem, nameof(options));
            }

            metadata = new("lookupffn", null, options.ModelId ?? model.Name, model.Info.EmbeddingSize);
            Batcher = options.Batching is null ? null : new EmbeddingBatcher(model, options.Batching);
        }
        catch
        {
            Dispose(); // nobody else could
            throw;
        }
    }

    /// <summary>What runs the texts.</summary>
    public Model Model { get; }

    /// <summary>What puts the texts of calls together; null where the options say that nothing does.</summary>
    public EmbeddingBatcher? Batcher { get; }

    /// <summary>What the batcher did so far, and how many texts wait; null without one.</summary>
    public BatcherFigures? Figures => Batcher?.Figures;

    /// <inheritdoc/>
    /// <exception cref="ArgumentException">The options ask for another model, other dimensions or an unknown purpose, or a text
    /// cannot be read, or is too long and the generator's options say to refuse it.</exception>
    /// <exception cref="QueueFullException">Too many texts wait already.</exception>
    public async Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
        IEnumerable<string> values,
        EmbeddingGenerationOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(values);
        int dimensions = CheckedDimensions(options);
        EmbedOptions how = HowFor(options);
        string[] texts = [.. values];
        BatchedEmbedding[] vectors;
        try
        {
            if (this.options.LongTexts == LongText.Refuse)
            {
                RefuseLong(await Model.CountTokensAsync(texts, how, cancellationToken).ConfigureAwait(false));
            }

            ITextEmbedder embedder = Batcher is null ? Model : Batcher;
            vectors = await embedder.EmbedAsync(texts, how, cancellationToken).ConfigureAwait(false);
        }
        catch (ArgumentException bad) when (bad.ParamName == "texts")
        {
            throw InNamesOfTheCaller(bad);
        }

        GeneratedEmbeddings<Embedding<float>> results = new(texts.Length);
        long tokens = 0;
        DateTimeOffset now = DateTimeOffset.UtcNow;
        foreach (BatchedEmbedding vector in vectors)
        {
            tokens += vector.Tokens;
            Embedding<float> embedding = new(Shortened(vector.Vector, dimensions))
            {
                CreatedAt = now,
                ModelId = metadata.DefaultModelId,
            };
            if (vector.IsCut)
            {
                embedding.AdditionalProperties = new() { ["truncated"] = true, ["uncut_tokens"] = vector.UncutTokens };
            }

            results.Add(embedding);
        }

        results.Usage = new UsageDetails { InputTokenCount = tokens, TotalTokenCount = tokens };
        return results;
    }

    /// <inheritdoc/>
    public object? GetService(Type serviceType, object? serviceKey = null)
    {
        ArgumentNullException.ThrowIfNull(serviceType);
        return serviceKey is not null ? null
            : serviceType == typeof(EmbeddingGeneratorMetadata) ? metadata
            : serviceType == typeof(Model) ? Model
            : serviceType == typeof(EmbeddingBatcher) ? Batcher
            : serviceType.IsInstanceOfType(this) ? this
            : null;
    }

    /// <summary>Ends when the texts that are there are answered, and closes the model if the generator loaded it.</summary>
    public void Dispose()
    {
        Batcher?.Dispose();
        if (owns)
        {
            Model.Dispose();
        }
    }

    /// <summary>The same without a thread that waits.</summary>
    /// <returns>When that is.</returns>
    public async ValueTask DisposeAsync()
    {
        if (Batcher is not null)
        {
            await Batcher.DisposeAsync().ConfigureAwait(false);
        }

        if (owns)
        {
            Model.Dispose();
        }
    }

    private static ArgumentException InNamesOfTheCaller(ArgumentException bad)
    {
        string message = bad.Message.Replace(" (Parameter 'texts')", "", StringComparison.Ordinal)
            .Replace("texts[", "values[", StringComparison.Ordinal);
        return bad is ArgumentNullException
            ? NoText("values", message)
            : Bad(message, "values", bad);
    }

    /// <summary>The parameter is that of the public method.</summary>
    private static ArgumentException Bad(string message, string parameter, Exception? why = null) =>
        new(message, parameter, why);

    private static ArgumentNullException NoText(string parameter, string message) => new(parameter, message);

    private static void RefuseLong(TextCounts counts)
    {
        for (int i = 0; i < counts.Count; i++)
        {
            if (counts.IsCut(i))
            {
                throw Bad(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"texts[{i}] has {counts.UncutTokens(i)} tokens, and {counts.Tokens(i)} are read at most"),
                    "texts");
            }
        }
    }

    private int CheckedDimensions(EmbeddingGenerationOptions? asked)
    {
        int size = Model.Info.EmbeddingSize;
        if (asked?.ModelId is string id && id != metadata.DefaultModelId)
        {
            throw Bad(
                $"the model is {metadata.DefaultModelId ?? "without a name"}, not {id}", "options");
        }

        int wanted = asked?.Dimensions ?? size;
        if (wanted == size || (options.AllowFewerDimensions && wanted > 0 && wanted < size))
        {
            return wanted;
        }

        string why = options.AllowFewerDimensions
            ? $"1 to {size} are possible"
            : $"the model gives {size}; AllowFewerDimensions lets calls ask for less";
        throw Bad(
            string.Create(CultureInfo.InvariantCulture, $"{wanted} dimensions are asked for, but {why}"), "options");
    }

    private EmbedOptions HowFor(EmbeddingGenerationOptions? asked)
    {
        object? kind = null;
        asked?.AdditionalProperties?.TryGetValue(InputTypeKey, out kind);
        TextPurpose purpose;
        switch (kind)
        {
            case null:
                purpose = options.Input;
                break;
            case TextPurpose given when Enum.IsDefined(given):
                purpose = given;
                break;
            default:
                string? name = Convert.ToString(kind, CultureInfo.InvariantCulture);
                if (TextPurposes.TryParse(name, out purpose))
                {
                    break;
                }

                return name is not null && Model.Prompts.ContainsKey(name)
                    ? new EmbedOptions { Prompt = name, MaxTokens = options.MaxTokens }
                    : throw Bad(
                        $"{InputTypeKey} is {name}, expected \"query\", \"document\" or another name of these, or a prompt of the "
                        + $"model, which has {(Model.Prompts.Count == 0 ? "none" : string.Join(", ", Model.Prompts.Keys))}",
                        "options");
        }

        string? text = purpose == TextPurpose.Query ? options.QueryPrompt
            : purpose == TextPurpose.Document ? options.DocumentPrompt
            : null;
        return new EmbedOptions
        {
            PromptText = text,
            Prompt = text is null ? TextPurposes.PromptOf(Model, purpose) : null,
            MaxTokens = options.MaxTokens,
        };
    }

    private static float[] Shortened(float[] vector, int dimensions)
    {
        if (dimensions == vector.Length)
        {
            return vector;
        }

        float[] shorter = vector[..dimensions];
        double squares = 0;
        foreach (float number in shorter)
        {
            squares += (double)number * number;
        }

        double scale = squares > 0 ? 1 / Math.Sqrt(squares) : 0;
        for (int i = 0; i < shorter.Length; i++)
        {
            shorter[i] = (float)(shorter[i] * scale);
        }

        return shorter;
    }
}
