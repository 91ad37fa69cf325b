// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>How concurrent calls are put together.</summary>
public sealed record BatchingOptions
{
    /// <summary>How long the first call of a batch waits for others at most. Default 0: only what came while the batch before
    /// was running goes together, so that a call that finds the model idle does not wait.</summary>
    public TimeSpan MaxWait { get; set; }

    /// <summary>How many texts go together at most. Default 32.</summary>
    public int MaxBatch { get; set; } = 32;

    /// <summary>How many texts wait at most, of all calls together. Of a call of more texts a quarter of that waits at a
    /// time, and of such calls one is run at a time, unless <see cref="WhenFull"/> lets them wait. Default 4096.</summary>
    public int MaxQueue { get; set; } = 4096;

    /// <summary>What becomes of a call for whose texts there is no room. Default: it is refused as a whole, with a
    /// <see cref="QueueFullException"/>, before any of its texts is run.</summary>
    public WhenQueueIsFull WhenFull { get; set; }

    /// <summary>Throws if one of them is invalid.</summary>
    internal void Check(string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxBatch, 1, name);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxQueue, 1, name);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxWait, TimeSpan.Zero, name);

        // What a thread can wait.
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxWait, TimeSpan.FromDays(24), name);
        if (!Enum.IsDefined(WhenFull))
        {
            throw new ArgumentOutOfRangeException(name, WhenFull, "WhenFull is no value of WhenQueueIsFull");
        }
    }
}

/// <summary>What becomes of a call for whose texts the queue has no room.</summary>
public enum WhenQueueIsFull
{
    /// <summary>It fails at once with a <see cref="QueueFullException"/>.</summary>
    Refuse,

    /// <summary>It waits for room, behind those that came before.</summary>
    Wait,
}

/// <summary>What became of a text that was run among others.</summary>
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

/// <summary>Too many texts wait already. Whoever asks may do so again later: a service answers 429.</summary>
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
}

/// <summary>What a batcher did since it was made, and what it has to do.</summary>
public sealed record BatcherFigures
{
    /// <summary>How many texts wait now.</summary>
    public required int Depth { get; init; }

    /// <summary>How many texts were let in.</summary>
    public required long Accepted { get; init; }

    /// <summary>How many texts were refused because too many waited.</summary>
    public required long Refused { get; init; }

    /// <summary>How many texts their callers took back.</summary>
    public required long Withdrawn { get; init; }

    /// <summary>How many texts ended with a failure.</summary>
    public required long Failed { get; init; }

    /// <summary>How many texts were longer than was read.</summary>
    public required long Cut { get; init; }

    /// <summary>How many batches were begun.</summary>
    public required long Batches { get; init; }

    /// <summary>How many texts went into them.</summary>
    public required long Batched { get; init; }

    /// <summary>How many texts the largest batch had.</summary>
    public required int LargestBatch { get; init; }

    /// <summary>How long the texts of all batches waited before their batch was begun, together.</summary>
    public required TimeSpan TotalWait { get; init; }

    /// <summary>How long the text that waited longest did.</summary>
    public required TimeSpan LongestWait { get; init; }

    /// <summary>How many texts a batch had on average; 0 before the first one.</summary>
    public double MeanBatch => Batches == 0 ? 0 : (double)Batched / Batches;

    /// <summary>How long a text waited on average; none before the first one.</summary>
    public TimeSpan MeanWait => Batched == 0 ? TimeSpan.Zero : TotalWait / Batched;
}
