// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>What a text costs in a batch: estimated tokens, and whether its bytes alone take long to read.</summary>
internal readonly record struct TextCost(int Tokens, bool HasManyBytes)
{
    private const int BytesPerToken = 4;
    private const int SpecialTokens = 2;
    private const int ManyBytes = 65_536;

    /// <summary>The cost of a text with its prompt, if at most so many tokens are read; null: all.</summary>
    internal static TextCost Of(long bytes, int? limit)
    {
        long tokens = SpecialTokens + ((bytes + BytesPerToken - 1) / BytesPerToken);
        return new((int)Math.Min(tokens, limit ?? int.MaxValue), bytes > ManyBytes);
    }
}

/// <summary>A call as the plan sees it. Only the plan changes it.</summary>
internal class PlannedCall(TextCost[] costs)
{
    private int next;
    private int nextLong;

    internal int Count => costs.Length;

    /// <summary>Whether it runs as a whole and before bulk calls; known once it is admitted.</summary>
    internal bool IsShort { get; set; }

    /// <summary>How many of its texts are in no batch yet; 0 before it is admitted, and once it has left.</summary>
    internal int Waiting { get; set; }

    /// <summary>Where it waits for a batch.</summary>
    internal LinkedListNode<PlannedCall>? Place { get; set; }

    /// <summary>Where its long texts wait.</summary>
    internal LinkedListNode<PlannedCall>? LongPlace { get; set; }

    internal long Tokens
    {
        get
        {
            long sum = 0;
            foreach (TextCost cost in costs)
            {
                sum += cost.Tokens;
            }

            return sum;
        }
    }

    internal int CostOf(int place) => costs[place].Tokens;

    /// <summary>The next text that goes into a batch; null for none.</summary>
    internal int? Next(int bound) => Seek(ref next, bound, isLong: false);

    /// <summary>The next text that runs beside batches; null for none.</summary>
    internal int? NextLong(int bound) => Seek(ref nextLong, bound, isLong: true);

    internal void Take() => next++;

    internal void TakeLong() => nextLong++;

    private int? Seek(ref int place, int bound, bool isLong)
    {
        while (place < costs.Length && (costs[place].HasManyBytes || costs[place].Tokens > bound) != isLong)
        {
            place++;
        }

        return place < costs.Length ? place : null;
    }
}

/// <summary>Some texts of a call that are run together.</summary>
internal readonly record struct BatchPart(PlannedCall Call, List<int> Places);

/// <summary>Which texts go together, and when: the rules of docs/batching.md, without threads and without a clock.</summary>
internal sealed class BatchPlan(int maxTokens, int maxTexts, int maxQueue, int maxBulkCalls)
{
    private const int OwedBounds = 4;

    private readonly LinkedList<PlannedCall> shortCalls = new();
    private readonly LinkedList<PlannedCall> bulkCalls = new(); // with texts that wait for a batch
    private readonly LinkedList<PlannedCall> longTexts = new(); // calls with texts that run beside
    private long shortTokens;
    private long sinceBulk; // how much short batches have cost while a bulk call waited

    /// <summary>How many texts of short calls wait.</summary>
    internal int ShortTexts { get; private set; }

    /// <summary>How many texts of bulk calls wait.</summary>
    internal long BulkTexts { get; private set; }

    /// <summary>How many bulk calls have texts that wait.</summary>
    internal int BulkCalls { get; private set; }

    /// <summary>The call that has waited longest, where no bulk call waits for a batch and the short ones do not fill one.</summary>
    internal PlannedCall? MayWaitForOthers => bulkCalls.Count > 0 || IsFull ? null : shortCalls.First?.Value;

    /// <summary>Whether short calls fill a batch.</summary>
    internal bool IsFull => ShortTexts >= maxTexts || shortTokens >= maxTokens;

    internal bool HasBatch => shortCalls.Count > 0 || bulkCalls.Count > 0;

    internal bool HasLongText => longTexts.Count > 0;

    /// <summary>Takes a call with a text or more; false where it is refused.</summary>
    internal bool Add(PlannedCall call, bool mayWait)
    {
        bool hasLong = call.NextLong(maxTokens) is not null;
        call.IsShort = !hasLong && call.Count <= Math.Min(maxTexts, maxQueue) && call.Tokens <= maxTokens;
        if (!mayWait && (call.IsShort ? ShortTexts + (long)call.Count > maxQueue : BulkCalls >= maxBulkCalls))
        {
            return false;
        }

        call.Waiting = call.Count;
        if (call.IsShort)
        {
            ShortTexts += call.Count;
            shortTokens += call.Tokens;
            call.Place = shortCalls.AddLast(call);
            return true;
        }

        BulkTexts += call.Count;
        BulkCalls++;
        if (call.Next(maxTokens) is not null)
        {
            sinceBulk = bulkCalls.Count == 0 ? 0 : sinceBulk;
            call.Place = bulkCalls.AddLast(call);
        }

        call.LongPlace = hasLong ? longTexts.AddLast(call) : null;
        return true;
    }

    /// <summary>Withdraws the texts of a call that still wait, and returns how many they were.</summary>
    internal int Remove(PlannedCall call)
    {
        int left = call.Waiting;
        call.Place?.List!.Remove(call.Place);
        call.LongPlace?.List!.Remove(call.LongPlace);
        call.Place = call.LongPlace = null;
        shortTokens -= call.IsShort && left > 0 ? call.Tokens : 0;
        HandOut(call, left);
        return left;
    }

    /// <summary>The texts that are run together next; none if none wait.</summary>
    internal List<BatchPart> NextBatch()
    {
        List<BatchPart> batch = [];
        if (shortCalls.Count > 0 && (bulkCalls.Count == 0 || sinceBulk < OwedBounds * (long)maxTokens))
        {
            TakeShortCalls(batch);
        }
        else
        {
            TakeBulkTexts(batch);
        }

        return batch;
    }

    /// <summary>The text that is run beside batches next; none if none waits.</summary>
    internal List<BatchPart> NextLongText()
    {
        if (longTexts.First?.Value is not PlannedCall call)
        {
            return [];
        }

        BatchPart part = new(call, [call.NextLong(maxTokens)!.Value]);
        call.TakeLong();
        longTexts.RemoveFirst();
        call.LongPlace = call.NextLong(maxTokens) is null ? null : longTexts.AddLast(call);
        HandOut(call, 1);
        return [part];
    }

    private void TakeShortCalls(List<BatchPart> batch)
    {
        long tokens = 0;
        int texts = 0;
        while (shortCalls.First?.Value is PlannedCall call && tokens + call.Tokens <= maxTokens && texts + call.Count <= maxTexts)
        {
            tokens += call.Tokens;
            texts += call.Count;
            batch.Add(new(call, [.. Enumerable.Range(0, call.Count)]));
            Remove(call);
        }

        sinceBulk += bulkCalls.Count > 0 ? tokens : 0;
    }

    private void TakeBulkTexts(List<BatchPart> batch)
    {
        long tokens = 0;
        int texts = 0;
        sinceBulk = 0;
        while (bulkCalls.First?.Value is PlannedCall call)
        {
            List<int> places = [];
            while (texts < maxTexts && call.Next(maxTokens) is int place && tokens + call.CostOf(place) <= maxTokens)
            {
                tokens += call.CostOf(place);
                texts++;
                places.Add(place);
                call.Take();
            }

            if (places.Count == 0)
            {
                return; // it keeps its turn
            }

            batch.Add(new(call, places));
            HandOut(call, places.Count);
            bulkCalls.RemoveFirst();
            call.Place = call.Next(maxTokens) is null ? null : bulkCalls.AddLast(call);
            if (call.Place is not null)
            {
                return;
            }
        }
    }

    private void HandOut(PlannedCall call, int texts)
    {
        call.Waiting -= texts;
        if (call.IsShort)
        {
            ShortTexts -= texts;
        }
        else
        {
            BulkTexts -= texts;
            BulkCalls -= texts > 0 && call.Waiting == 0 ? 1 : 0;
        }
    }
}
