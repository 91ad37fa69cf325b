// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using System.Runtime.CompilerServices;

namespace LookupFfn;

/// <summary>How concurrent calls are put together.</summary>
public sealed record BatchingOptions
{
    internal const int TokensPerThread = 256;

    /// <summary>The longest time that a thread can wait.</summary>
    private static readonly TimeSpan LongestWait = TimeSpan.FromDays(24);

    /// <summary>How long the first short call of a batch waits for others at most, if there is nothing else to do.
    /// Default 0: only what came while the batch before was running goes together, so that a call that finds the model
    /// idle does not wait.</summary>
    public TimeSpan MaxWait { get; set; }

    /// <summary>How many texts go together at most. Default 32.</summary>
    public int MaxBatch { get; set; } = 32;

    /// <summary>How many tokens go together at most, as they are estimated: one for 4 bytes. More does not run faster, and is
    /// waited for longer. Default null: 256 for each thread of the model.</summary>
    public int? MaxBatchTokens { get; set; }

    /// <summary>How many texts of short calls, those that fit into one batch, wait at most. Default 4096.</summary>
    public int MaxQueue { get; set; } = 4096;

    /// <summary>How many bulk calls, those that do not fit into one batch, wait at most, however many texts each has.
    /// Default 128.</summary>
    public int MaxBulkCalls { get; set; } = 128;

    /// <summary>What becomes of a call for which there is no room. Default: it is refused as a whole, with a
    /// <see cref="QueueFullException"/>, before any of its texts is run.</summary>
    public WhenQueueIsFull WhenFull { get; set; }

    /// <summary>Throws if one of the options is invalid, as a batcher does.</summary>
    /// <exception cref="ArgumentOutOfRangeException">One is invalid; the exception names it and its value.</exception>
    public void Validate()
    {
        if (Problem is (string name, string why))
        {
            throw new ArgumentOutOfRangeException(name, why);
        }
    }

    /// <summary>The setting that is invalid, and why; null for none.</summary>
    private (string Name, string Why)? Problem =>
        TooSmall(MaxBatch) ?? TooSmall(MaxBatchTokens ?? 1, nameof(MaxBatchTokens)) ?? TooSmall(MaxQueue) ?? TooSmall(MaxBulkCalls)
        ?? (MaxWait < TimeSpan.Zero || MaxWait > LongestWait
                ? (nameof(MaxWait), $"MaxWait is {MaxWait}, expected 0 to {LongestWait.TotalDays} days")
            : !Enum.IsDefined(WhenFull)
                ? (nameof(WhenFull), $"WhenFull is {WhenFull}, expected {string.Join(" or ", Enum.GetNames<WhenQueueIsFull>())}")
            : null);

    private static (string Name, string Why)? TooSmall(
        int value, [CallerArgumentExpression(nameof(value))] string name = "") =>
        value < 1 ? (name, string.Create(CultureInfo.InvariantCulture, $"{name} is {value}, expected a number above 0")) : null;
}

/// <summary>What becomes of a call for which there is no room.</summary>
public enum WhenQueueIsFull
{
    /// <summary>It fails at once with a <see cref="QueueFullException"/>.</summary>
    Refuse,

    /// <summary>It waits for room, behind the calls that came before.</summary>
    Wait,
}

/// <summary>The result of a text that was run among others.</summary>
/// <param name="Vector">The vector, the same to the bit as alone.</param>
/// <param name="Tokens">How many tokens were run.</param>
/// <param name="UncutTokens">How many tokens the text would have had without cutting.</param>
public sealed record BatchedEmbedding(float[] Vector, int Tokens, long UncutTokens)
{
    /// <summary>Whether the end of the text was not read.</summary>
    public bool IsCut => UncutTokens > Tokens;

    /// <summary>Whether the vectors hold the same numbers, and the counts are the same.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether they are.</returns>
    public bool Equals(BatchedEmbedding? other) =>
        other is not null && Tokens == other.Tokens && UncutTokens == other.UncutTokens
        && Values.Same(Vector, other.Vector);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Tokens, UncutTokens, Values.Hash(Vector));

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        System.Globalization.CultureInfo.InvariantCulture,
        $"a vector of {Vector.Length} numbers, {Tokens} tokens{(UncutTokens > Tokens ? ", cut" : "")}");
}

/// <summary>Too many texts, or bulk calls, wait already. The caller may try again later: a service answers
/// 429.</summary>
public sealed class QueueFullException : InvalidOperationException
{
    /// <summary>Makes one without a message.</summary>
    public QueueFullException()
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    public QueueFullException(string message)
        : base(message)
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    /// <param name="innerException">Why.</param>
    public QueueFullException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    private QueueFullException(string message, int depth, int limit)
        : base(message)
    {
        Depth = depth;
        Limit = limit;
    }

    /// <summary>How many wait: bulk calls if a bulk call was refused, else texts of short calls.</summary>
    public int Depth { get; }

    /// <summary>How many may wait: <see cref="BatchingOptions.MaxQueue"/> or <see
    /// cref="BatchingOptions.MaxBulkCalls"/>.</summary>
    public int Limit { get; }

    internal static QueueFullException OfTexts(int depth, int limit, int more) => new(
        string.Create(
            CultureInfo.InvariantCulture,
            $"{depth} texts wait already, and {limit} may (MaxQueue): ask again later for these {more}"),
        depth,
        limit);

    internal static QueueFullException OfBulkCalls(int depth, int limit) => new(
        string.Create(
            CultureInfo.InvariantCulture,
            $"{depth} calls of more than a batch wait already, and {limit} may (MaxBulkCalls): ask again later"),
        depth,
        limit);
}

/// <summary>What a batcher did since it was made, and what it has to do.</summary>
public sealed record BatcherFigures
{
    /// <summary>How many texts of short calls wait now; at most <see cref="BatchingOptions.MaxQueue"/> may.</summary>
    public required int Depth { get; init; }

    /// <summary>How many texts of bulk calls wait now.</summary>
    public required long BulkDepth { get; init; }

    /// <summary>How many bulk calls have texts that wait now; at most <see cref="BatchingOptions.MaxBulkCalls"/>
    /// may.</summary>
    public required int BulkCalls { get; init; }

    /// <summary>How many texts were let in.</summary>
    public required long Accepted { get; init; }

    /// <summary>How many texts were refused because too many waited.</summary>
    public required long Refused { get; init; }

    /// <summary>How many texts were withdrawn by their callers.</summary>
    public required long Withdrawn { get; init; }

    /// <summary>How many texts ended with a failure.</summary>
    public required long Failed { get; init; }

    /// <summary>How many texts were too long, so that their ends were not read.</summary>
    public required long Cut { get; init; }

    /// <summary>How many batches were begun, each long text beside them counted as one.</summary>
    public required long Batches { get; init; }

    /// <summary>How many texts went into them.</summary>
    public required long Batched { get; init; }

    /// <summary>How many texts the largest batch had.</summary>
    public required int LargestBatch { get; init; }

    /// <summary>How long all texts together waited before their batches were begun.</summary>
    public required TimeSpan TotalWait { get; init; }

    /// <summary>The longest time that a text waited.</summary>
    public required TimeSpan LongestWait { get; init; }

    /// <summary>How many texts a batch had on average; 0 before the first one.</summary>
    public double MeanBatch => Batches == 0 ? 0 : (double)Batched / Batches;

    /// <summary>How long a text waited on average; none before the first one.</summary>
    public TimeSpan MeanWait => Batched == 0 ? TimeSpan.Zero : TotalWait / Batched;
}
