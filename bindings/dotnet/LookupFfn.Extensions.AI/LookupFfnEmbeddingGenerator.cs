// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using Microsoft.Extensions.AI;

namespace LookupFfn.Extensions.AI;

/// <summary>A model as Microsoft.Extensions.AI's embedding generator.</summary>
/// <remarks>Any number of threads may use one at once. A call may say in its options' AdditionalProperties, under
/// <see cref="InputTypeKey"/>, whether its texts are queries or documents.</remarks>
public sealed class LookupFfnEmbeddingGenerator : IEmbeddingGenerator<string, Embedding<float>>
{
    /// <summary>The key in the AdditionalProperties of a call's options for an <see cref="InputKind"/>, or "query" or
    /// "document".</summary>
    public const string InputTypeKey = "input_type";

    private readonly Model model;
    private readonly EmbeddingBatcher? batcher;
    private readonly LookupFfnEmbeddingOptions options;
    private readonly EmbeddingGeneratorMetadata metadata;
    private readonly bool owns;

    /// <summary>Loads a model, which is the generator's own.</summary>
    /// <param name="path">A folder, or a file that <see cref="Model.Save"/> wrote.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <exception cref="LookupFfnException">The model cannot be loaded.</exception>
    public LookupFfnEmbeddingGenerator(string path, LookupFfnEmbeddingOptions? options = null)
        : this(Model.Load(path, options?.Load), WithName(options, path), null, owns: true)
    {
    }

    /// <summary>Uses a model, which stays the caller's.</summary>
    /// <param name="model">The model.</param>
    /// <param name="options">How; null for the defaults.</param>
    public LookupFfnEmbeddingGenerator(Model model, LookupFfnEmbeddingOptions? options = null)
        : this(model, options ?? new(), null, owns: false)
    {
    }

    private LookupFfnEmbeddingGenerator(
        Model model, LookupFfnEmbeddingOptions options, EmbeddingBatcher? shared, bool owns)
    {
        ArgumentNullException.ThrowIfNull(model);
        this.model = model;
        this.options = options with { };
        this.owns = owns;
        try
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(options.MaxBatch, 1, nameof(options));
            metadata = new("lookupffn", null, options.ModelId, model.Info.EmbeddingSize);
            batcher = shared ?? (options.Batching is null ? null : new EmbeddingBatcher(model, options.Batching));
        }
        catch
        {
            Dispose(); // nobody else could
            throw;
        }
    }

    /// <summary>One over the same model whose texts are queries where a call does not say. It ends with this one.</summary>
    /// <returns>The generator.</returns>
    public LookupFfnEmbeddingGenerator ForQueries() => For(InputKind.Query);

    /// <summary>One over the same model whose texts are documents where a call does not say. It ends with this
    /// one.</summary>
    /// <returns>The generator.</returns>
    public LookupFfnEmbeddingGenerator ForDocuments() => For(InputKind.Document);

    /// <inheritdoc/>
    /// <exception cref="ArgumentException">The options ask for another model or other dimensions, or a text is too
    /// long and the generator's options say to refuse it.</exception>
    public async Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
        IEnumerable<string> values,
        EmbeddingGenerationOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(values);
        int dimensions = CheckedDimensions(options);
        EmbedOptions how = HowFor(KindOf(options));
        string[] texts = [.. values];
        GeneratedEmbeddings<Embedding<float>> results = new(texts.Length);
        long tokens = 0;
        if (texts.Length == 1)
        {
            Task<BatchedEmbedding> running = batcher is null
                ? model.EmbedWithCountsAsync(texts[0], how, cancellationToken)
                : batcher.EmbedAsync(texts[0], how, cancellationToken);
            BatchedEmbedding only = await running.ConfigureAwait(false);
            Add(only.Vector, only.Tokens, only.UncutTokens);
        }
        else
        {
            for (int from = 0; from < texts.Length; from += this.options.MaxBatch)
            {
                ArraySegment<string> part = new(texts, from, Math.Min(this.options.MaxBatch, texts.Length - from));
                TextCounts counts = new();
                float[][] vectors = await model.EmbedAsync(part, how with { Counts = counts }, cancellationToken)
                    .ConfigureAwait(false);
                for (int i = 0; i < vectors.Length; i++)
                {
                    Add(vectors[i], counts.Tokens(i), counts.UncutTokens(i));
                }
            }
        }

        results.Usage = new UsageDetails { InputTokenCount = tokens, TotalTokenCount = tokens };
        return results;

        void Add(float[] vector, int read, long uncut)
        {
            if (uncut > read && this.options.LongTexts == LongText.Refuse)
            {
                throw new ArgumentException(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"text {results.Count} has {uncut} tokens, the model reads at most {read}"),
                    nameof(values));
            }

            tokens += read;
            Embedding<float> embedding = new(Shortened(vector, dimensions))
            {
                CreatedAt = DateTimeOffset.UtcNow,
                ModelId = metadata.DefaultModelId,
            };
            if (uncut > read)
            {
                embedding.AdditionalProperties = new() { ["truncated"] = true, ["uncut_tokens"] = uncut };
            }

            results.Add(embedding);
        }
    }

    /// <inheritdoc/>
    public object? GetService(Type serviceType, object? serviceKey = null)
    {
        ArgumentNullException.ThrowIfNull(serviceType);
        return serviceKey is not null ? null
            : serviceType == typeof(EmbeddingGeneratorMetadata) ? metadata
            : serviceType == typeof(Model) ? model
            : serviceType.IsInstanceOfType(this) ? this
            : null;
    }

    /// <summary>Ends its batches, and closes the model if the generator loaded it.</summary>
    public void Dispose()
    {
        if (options.Batching is not null)
        {
            batcher?.Dispose();
        }

        if (owns)
        {
            model.Dispose();
        }
    }

    private static LookupFfnEmbeddingOptions WithName(LookupFfnEmbeddingOptions? options, string path)
    {
        options ??= new();
        return options.ModelId is not null
            ? options
            : options with { ModelId = Path.GetFileName(Path.TrimEndingDirectorySeparator(path)) };
    }

    private LookupFfnEmbeddingGenerator For(InputKind input) =>
        new(model, options with { Input = input, Batching = null }, batcher, owns: false);

    private int CheckedDimensions(EmbeddingGenerationOptions? asked)
    {
        int size = model.Info.EmbeddingSize;
        if (asked?.ModelId is string id && id != metadata.DefaultModelId)
        {
            throw new ArgumentException($"the model is {metadata.DefaultModelId ?? "without a name"}, not {id}", nameof(asked));
        }

        int wanted = asked?.Dimensions ?? size;
        if (wanted == size || (options.AllowFewerDimensions && wanted > 0 && wanted < size))
        {
            return wanted;
        }

        string why = options.AllowFewerDimensions
            ? $"1 to {size} are possible"
            : $"the model gives {size}; AllowFewerDimensions lets calls ask for less";
        throw new ArgumentException(
            string.Create(CultureInfo.InvariantCulture, $"{wanted} dimensions are asked for, but {why}"), nameof(asked));
    }

    private InputKind KindOf(EmbeddingGenerationOptions? asked)
    {
        if (asked?.AdditionalProperties?.TryGetValue(InputTypeKey, out object? kind) is not true)
        {
            return options.Input;
        }

        return kind switch
        {
            InputKind given => given,
            "query" => InputKind.Query,
            "document" => InputKind.Document,
            _ => throw new ArgumentException($"{InputTypeKey} is {kind}, expected \"query\" or \"document\"", nameof(asked)),
        };
    }

    private EmbedOptions HowFor(InputKind kind)
    {
        string? text = kind == InputKind.Query ? options.QueryPrompt : options.DocumentPrompt;
        string[] names = kind == InputKind.Query ? ["query"] : ["document", "passage"];
        return new EmbedOptions
        {
            PromptText = text,
            Prompt = text is null ? names.FirstOrDefault(model.Prompts.ContainsKey) : null,
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

/// <summary>What texts are for: models such as e5 and bge want other words before a question than before what may answer
/// it.</summary>
public enum InputKind
{
    /// <summary>Texts that are searched.</summary>
    Document,

    /// <summary>Texts that are searched for.</summary>
    Query,
}

/// <summary>What becomes of a text with more tokens than the model reads.</summary>
public enum LongText
{
    /// <summary>Its end is not read. The embedding's AdditionalProperties have "truncated", true, and "uncut_tokens".</summary>
    Cut,

    /// <summary>The call fails with an <see cref="ArgumentException"/>.</summary>
    Refuse,
}

/// <summary>How a <see cref="LookupFfnEmbeddingGenerator"/> embeds.</summary>
public sealed record LookupFfnEmbeddingOptions
{
    /// <summary>How a model is loaded of which the path is given. Default null: by the defaults.</summary>
    public LoadOptions? Load { get; set; }

    /// <summary>The model's name in metadata and results. Default null: the last part of its path.</summary>
    public string? ModelId { get; set; }

    /// <summary>What texts are for where a call does not say. Default: documents.</summary>
    public InputKind Input { get; set; }

    /// <summary>What is put before queries, such as "query: ". Default null: the model's prompt named "query" if its files
    /// tell one, else its default prompt, if it has one.</summary>
    public string? QueryPrompt { get; set; }

    /// <summary>What is put before documents, such as "passage: ". Default null: the model's prompt named "document" or
    /// "passage" if its files tell one, else its default prompt, if it has one.</summary>
    public string? DocumentPrompt { get; set; }

    /// <summary>What becomes of texts that are too long. Default: they are cut.</summary>
    public LongText LongTexts { get; set; }

    /// <summary>How many tokens of a text are read at most, where long texts are cut. Default null: as many as the model
    /// means to read.</summary>
    public int? MaxTokens { get; set; }

    /// <summary>Whether a call may ask for fewer dimensions than the model gives. Then the first ones are taken, and scaled
    /// to length 1, which is good only for models that were trained for it. Default false: such a call fails.</summary>
    public bool AllowFewerDimensions { get; set; }

    /// <summary>How calls with a single text are put together with those of others. Default null: they are not.</summary>
    public BatchingOptions? Batching { get; set; }

    /// <summary>How many texts of one call are run at once; more are run in parts. Default 64.</summary>
    public int MaxBatch { get; set; } = 64;
}
