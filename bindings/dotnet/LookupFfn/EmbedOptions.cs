// SPDX-License-Identifier: Apache-2.0
using System.Text;

namespace LookupFfn;

/// <summary>How texts are read and become vectors or scores. The defaults: as the model means it.</summary>
/// <example><code>float[] query = model.Embed("cats", new EmbedOptions { Purpose = TextPurpose.Query });
/// float[] document = model.Embed("A kitten sleeps.", new EmbedOptions { Purpose = TextPurpose.Document });</code></example>
public sealed record EmbedOptions
{
    internal static readonly EmbedOptions Default = new();

    /// <summary>How a vector is made of the tokens' hidden states. Default: as the model says.</summary>
    public Pooling Pooling { get; init; } = Pooling.Model;

    /// <summary>Whether vectors are divided by their Euclidean length. Default null: as the model says.</summary>
    public bool? Normalize { get; init; }

    /// <summary>How many numbers a vector has: that many of the first ones, scaled afterwards. Good only for models
    /// that were trained for it. Default null: all.</summary>
    public int? Dimensions { get; init; }

    /// <summary>How many tokens of a text are read at most, special ones counted; the model may read fewer, and never reads
    /// more than <see cref="ModelInfo.MaxTokens"/>. Default null: <see cref="ModelInfo.OwnMaxTokens"/>, as many as the model means
    /// to read.</summary>
    public int? MaxTokens { get; init; }

    /// <summary>How many tokens of a text a window has in common with the one before, where texts are read in windows.
    /// Default null: half of a window, at most 128.</summary>
    public int? Stride { get; init; }

    /// <summary>Whether a text that is longer than <see cref="MaxTokens"/> is read in windows of so many, and its embedding
    /// is the mean of theirs, scaled to length 1 where these are. Default false: it is cut.</summary>
    public bool WindowMeans { get; init; }

    /// <summary>Whether texts of more tokens than are read at most are refused instead of cut, before any text is run. Not
    /// together with windows. Default false.</summary>
    public bool RefuseLongTexts { get; init; }

    /// <summary>How many weights a sparse vector has at most, the largest ones; <see cref="int.MaxValue"/> for all. Default
    /// null: as many as the model's files say, or all.</summary>
    public int? MaxActive { get; init; }

    /// <summary>Only weights above it are in a sparse vector. Default 0.</summary>
    public float MinWeight { get; init; }

    /// <summary>The name of the model's prompt that is put before each text. Default null: the model's default
    /// one.</summary>
    public string? Prompt { get; init; }

    /// <summary>Which prompt is put before each text: that for queries or for documents, if the model's files have one,
    /// else the default one. Default: the default one. Not together with <see cref="Prompt"/> or <see
    /// cref="PromptText"/>.</summary>
    public TextPurpose Purpose { get; init; }

    /// <summary>Whether no prompt is put before texts, not even the model's default one. Not together with
    /// <see cref="Prompt"/>, <see cref="PromptText"/> or <see cref="Purpose"/>.</summary>
    public bool WithoutPrompt { get; init; }

    /// <summary>A prompt that is put before each text, such as "query: ". It need not be in the model's files.
    /// Default null: none. Not together with <see cref="Prompt"/>.</summary>
    public string? PromptText { get; init; }

    /// <summary>What the scores of classifiers and rerankers become. Default: raw ones.</summary>
    public ScoreKind Scores { get; init; }

    /// <summary>Whether texts are read as they are: neither stripped nor lower-cased where the model's files ask for it, and
    /// without its default prompt. Default false: as the model means it.</summary>
    public bool PlainReading { get; init; }

    /// <summary>Whether halves of surrogate pairs, in texts and prompt, are read as U+FFFD, the replacement character. Default
    /// false: such a text is refused.</summary>
    public bool Repair { get; init; }

    /// <summary>At most so many threads for the call. Default 0: as many as the model has.</summary>
    public int NumThreads { get; init; }

    /// <summary>Receives how many tokens each text of one call at a time had, and whether it was cut. Default null:
    /// nobody asks.</summary>
    public TextCounts? Counts { get; init; }

    /// <summary>Receives which texts of one call at a time could be run, and why the others could not: then one that cannot
    /// be run has zeros for results instead of failing the call. Default null: it fails the call.</summary>
    public TextStatuses? Statuses { get; init; }

    /// <summary>Receives how far each call has come, in the call's own thread: after each part of the work, never less
    /// than before, and at the end. What it throws ends the call. Calls over corpora tell of each of their batches,
    /// those of a batcher tell nobody. Default null: none.</summary>
    public IProgress<RunProgress>? Progress { get; init; }

    /// <summary>Throws if two options contradict each other.</summary>
    internal void Check()
    {
        Checks.Defined(Pooling);
        Checks.Defined(Purpose);
        Checks.Defined(Scores);
        ArgumentOutOfRangeException.ThrowIfNegative(NumThreads);
        Checks.TokenLimit(MaxTokens);
        _ = PromptArgument;
        _ = WidthWithin(int.MaxValue);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(MaxActive ?? 1, nameof(MaxActive));
        if (!(MinWeight >= 0))
        {
            throw new ArgumentOutOfRangeException(nameof(MinWeight), MinWeight, "MinWeight is negative or no number");
        }

        _ = StrideOf(Windows);
    }

    /// <summary>How many numbers a vector has, if the model gives so many.</summary>
    internal int WidthWithin(int all)
    {
        if (Dimensions is not int wanted)
        {
            return all;
        }

        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(wanted, nameof(Dimensions));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(wanted, all, nameof(Dimensions));
        return wanted;
    }

    /// <summary>As the native code takes them.</summary>
    internal void WriteTo(Span<int> numbers) => WriteTo(numbers, Windows);

    internal void WriteTo(Span<int> numbers, int windows)
    {
        Check();
        if (RefuseLongTexts && windows != Raw.WINDOWS_NONE)
        {
            string setting = nameof(RefuseLongTexts);
            throw new ArgumentException($"{setting} is set, but windows are for texts that are too long", setting);
        }

        numbers.Clear();
        numbers[Raw.RUN_OPTION_WINDOWS] = windows;
        numbers[Raw.RUN_OPTION_STRIDE] = StrideOf(windows);
        numbers[Raw.RUN_OPTION_READING] = PlainReading ? Raw.READING_PLAIN : Raw.READING_MODEL;
        numbers[Raw.RUN_OPTION_NUM_THREADS] = NumThreads;
        numbers[Raw.RUN_OPTION_PROMPT_KIND] = PromptKind;
        numbers[Raw.RUN_OPTION_DIMENSIONS] = Dimensions ?? 0;
        numbers[Raw.RUN_OPTION_POOLING] = (int)Pooling;
        numbers[Raw.RUN_OPTION_NORMALIZE] = Normalization;
        numbers[Raw.RUN_OPTION_MAX_ACTIVE] = MaxActive ?? Raw.MAX_ACTIVE_MODEL;
        numbers[Raw.RUN_OPTION_MIN_WEIGHT_BITS] = BitConverter.SingleToInt32Bits(MinWeight);
        numbers[Raw.RUN_OPTION_SCORES] = (int)Scores;
    }

    /// <summary>Whether long texts are read in windows. Only a call itself can ask for each window's vector.</summary>
    internal int Windows => WindowMeans ? Raw.WINDOWS_MEAN : Raw.WINDOWS_NONE;

    private int StrideOf(int windows)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(Stride ?? 0, nameof(Stride));
        return windows == Raw.WINDOWS_NONE ? 0 : Stride ?? Raw.STRIDE_DEFAULT;
    }

    internal int Normalization =>
        Normalize is null ? Raw.NORMALIZE_MODEL : Normalize.Value ? Raw.NORMALIZE_YES : Raw.NORMALIZE_NO;


    /// <summary>How many tokens of a text are read at most; null if it is read to its end.</summary>
    internal int? ReadAtMost(ModelInfo info) =>
        WindowMeans ? null
        : Math.Min(info.MaxTokens, MaxTokens ?? info.OwnMaxTokens);

    /// <summary>How many bytes the prompt has, as far as is known before it is read.</summary>
    internal long PromptSize(Model model)
    {
        string? name = Prompt ?? (Purpose == TextPurpose.None ? model.DefaultPrompt : TextPurposes.PromptOf(model, Purpose));
        string? prompt = WithoutPrompt || (PlainReading && Prompt is null) ? null : model.Prompts.GetValueOrDefault(name ?? "");
        return Encoding.UTF8.GetByteCount(PromptText ?? prompt ?? "");
    }

    internal int PromptKind =>
        WithoutPrompt ? Raw.PROMPT_NONE
        : PromptText is not null ? Raw.PROMPT_TEXT
        : Prompt is not null ? Raw.PROMPT_NAMED
        : (int)Purpose;

    /// <summary>The name or the text that this kind of prompt needs; null for none.</summary>
    internal string? PromptArgument
    {
        get
        {
            if (Prompt is not null && PromptText is not null)
            {
                throw new ArgumentException("the options have both a prompt's name and a prompt's text");
            }

            if (WithoutPrompt && (Prompt is not null || PromptText is not null))
            {
                throw new ArgumentException("the options have a prompt, and WithoutPrompt");
            }

            if (Purpose != TextPurpose.None && (WithoutPrompt || Prompt is not null || PromptText is not null))
            {
                throw new ArgumentException("the options have both a purpose and a prompt, or none");
            }

            string? argument = PromptText ?? Prompt;
            return argument is null || !argument.Contains('\0', StringComparison.Ordinal)
                ? argument
                : throw new ArgumentException("the prompt contains a zero character");
        }
    }
}

/// <summary>What texts are for. A model may want one prompt before a question and another before texts that may answer
/// it.</summary>
public enum TextPurpose
{
    /// <summary>Not given.</summary>
    None = Raw.PROMPT_MODEL,

    /// <summary>Texts that are searched for: the model's prompt named "query".</summary>
    Query = Raw.PROMPT_QUERY,

    /// <summary>Texts that are searched: the model's prompt named "document", "passage" or "corpus".</summary>
    Document = Raw.PROMPT_DOCUMENT,
}
