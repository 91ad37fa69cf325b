// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using Xunit;

namespace LookupFfn.Tests;

/// <summary>The rules of docs/batching.md by the cases that all languages read.</summary>
public sealed class BatchPlanTests
{
    private static readonly string[][] Steps =
        [.. File.ReadLines(Path.Combine(AppContext.BaseDirectory, "batching.txt"))
            .Where(line => line.Length > 0 && line[0] != '#')
            .Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))];

    public static TheoryData<string> Cases => new(Steps.Where(step => step[0] == "case").Select(step => string.Join(' ', step[1..])));

    [Fact]
    public void TextsCostTheirEstimatedTokens()
    {
        string[][] costs = [.. Steps.Where(step => step[0] == "cost")];
        Assert.NotEmpty(costs);
        foreach (string[] cost in costs)
        {
            TextCost its = TextCost.Of(Number(cost[1]), cost[2] == "-" ? null : Number(cost[2]));
            Assert.Equal(new TextCost(Number(cost[3]), Number(cost[1]) > 65536), its);
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Case(string name)
    {
        BatchPlan? plan = null;
        Dictionary<string, PlannedCall> calls = [];
        int at = Array.FindIndex(Steps, step => step[0] == "case" && string.Join(' ', step[1..]) == name);
        foreach (string[] step in Steps.Skip(at + 1).TakeWhile(step => step[0] != "case"))
        {
            string line = string.Join(' ', step);
            string[] words = step[1..];
            switch (step[0])
            {
                case "bounds":
                    int[] bounds = [.. words.Select(Number)];
                    plan = new(bounds[0], bounds[1], bounds[2], bounds[3]);
                    break;
                case "add" or "wait" or "refuse":
                    PlannedCall call = new([.. words[1..].SelectMany(Costs)]);
                    calls[words[0]] = call;
                    Same(step[0] != "refuse", plan!.Add(call, mayWait: step[0] == "wait"), line);
                    break;
                case "full":
                    Same(words[0] == "yes", plan!.IsFull, line);
                    break;
                case "batch":
                    Same(string.Join(' ', words.SelectMany(Places)), Told(plan!.NextBatch(), calls), line);
                    break;
                case "long":
                    Same(string.Join(' ', words.SelectMany(Places)), Told(plan!.NextLongText(), calls), line);
                    break;
                case "leave":
                    plan!.Remove(calls[words[0]]);
                    break;
                case "depth":
                    Same((Number(words[0]), Number(words[1])), (plan!.ShortTexts, plan.BulkCalls), line);
                    Same(calls.Values.Where(one => !one.IsShort).Sum(one => (long)one.Waiting), plan.BulkTexts, line);
                    break;
                default:
                    Assert.Fail($"{line} is no step");
                    break;
            }
        }

        // Whatever a case leaves can be taken to its end, and leaves nothing.
        while (plan!.HasBatch)
        {
            Assert.NotEmpty(plan.NextBatch());
        }

        while (plan.HasLongText)
        {
            Assert.Single(plan.NextLongText());
        }

        Assert.Equal((0, 0, 0L), (plan.ShortTexts, plan.BulkCalls, plan.BulkTexts));
    }

    /// <summary>Beside a call of 20,000 texts each query waits for one batch at most, and the call ends with as many batches as
    /// alone.</summary>
    [Fact]
    public void QueriesBesideTwentyThousandTexts()
    {
        BatchPlan plan = new(512, 32, 4096, 128);
        plan.Add(new PlannedCall([.. Enumerable.Repeat(new TextCost(219, false), 20_000)]), mayWait: false);
        int bulk = 0;
        while (plan.BulkCalls > 0)
        {
            bulk++;
            Assert.Equal(2, plan.NextBatch().Sum(part => part.Places.Count));
            PlannedCall query = new([new TextCost(16, false)]);
            Assert.True(plan.Add(query, mayWait: false));
            Assert.Same(query, Assert.Single(plan.NextBatch()).Call);
        }

        Assert.Equal(10_000, bulk);
    }

    private static int Number(string word) => int.Parse(word, CultureInfo.InvariantCulture);

    private static IEnumerable<TextCost> Costs(string word)
    {
        string[] parts = word.TrimEnd('!').Split('x');
        return Enumerable.Repeat(
            new TextCost(Number(parts[0]), word.EndsWith('!')), parts.Length == 1 ? 1 : Number(parts[1]));
    }

    private static IEnumerable<string> Places(string word)
    {
        string[] parts = word.Split(':', '-');
        int first = Number(parts[1]);
        return Enumerable.Range(first, Number(parts[^1]) - first + 1)
            .Select(place => string.Create(CultureInfo.InvariantCulture, $"{parts[0]}:{place}"));
    }

    private static string Told(List<BatchPart> batch, Dictionary<string, PlannedCall> calls) => string.Join(
        ' ',
        batch.SelectMany(
            part => part.Places,
            (part, place) => string.Create(
                CultureInfo.InvariantCulture, $"{calls.Single(call => call.Value == part.Call).Key}:{place}")));

    private static void Same<T>(T expected, T actual, string line) =>
        Assert.True(EqualityComparer<T>.Default.Equals(expected, actual), $"{line}: {actual} and not {expected}");
}
