// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;
using System.Globalization;
using LookupFfn;

/// <summary>How long queries wait beside a call of 20,000 texts, and what that call loses by them.</summary>
internal static class Bulk
{
    private const int Texts = 20_000;
    private const int Queries = 200;
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan Measured = TimeSpan.FromSeconds(4);

    /// <summary>Prints a line of the table; false where a query was refused.</summary>
    internal static async Task<bool> PrintAsync(string path, int tokens)
    {
        using Model model = Model.Load(path);
        string text = TextOf(model, tokens - 1);
        string[] texts = [.. Enumerable.Range(0, Texts).Select(i => $"{text} {i % 10}")];
        string query = TextOf(model, 16);
        await using EmbeddingBatcher batcher = new(model);
        await batcher.EmbedAsync(texts[..64]);

        List<TimeSpan> alone = [];
        for (int i = 0; i < Queries; i++)
        {
            alone.Add(await AskAsync(batcher, query));
        }

        double bulkAlone;
        using (CancellationTokenSource ended = new())
        {
            Task bulk = batcher.EmbedAsync(texts, null, ended.Token);
            bulkAlone = await SpeedAsync(batcher, () => Task.Delay(Measured), 0);
            await EndAsync(bulk, ended);
        }

        List<TimeSpan> beside = [];
        double bulkBeside;
        using (CancellationTokenSource ended = new())
        {
            Task bulk = batcher.EmbedAsync(texts, null, ended.Token);
            bulkBeside = await SpeedAsync(batcher, AskManyAsync, Queries);
            await EndAsync(bulk, ended);
        }

        alone.Sort();
        beside.Sort();
        TimeSpan bound = TimeSpan.FromSeconds(batcher.MaxBatchTokens / tokens / bulkAlone);
        string name = Path.GetFileName(path);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{name,-26} {Ms(alone[Queries / 2]),9} {Ms(bound),9} {Ms(beside[Queries / 2]),9} {Ms(beside[Queries * 99 / 100]),9} "
            + $"{bulkAlone,7:F0}/s {bulkBeside / bulkAlone,6:P0}"));
        return batcher.Figures.Refused == 0;

        async Task AskManyAsync()
        {
            for (int i = 0; i < Queries; i++)
            {
                beside.Add(await AskAsync(batcher, query));
                await Task.Delay(Pause);
            }
        }
    }

    internal static void PrintHead(int tokens) => Console.WriteLine(
        $"Queries of 16 tokens beside a call of {Texts} texts of {tokens}, with a pause of {Pause.TotalMilliseconds} ms after each\n"
        + $"{"model",-26} {"alone",9} {"a batch",9} {"median",9} {"99 %",9} {"bulk alone",9} {"beside",6}");

    private static async Task<TimeSpan> AskAsync(EmbeddingBatcher batcher, string query)
    {
        long since = Stopwatch.GetTimestamp();
        await batcher.EmbedAsync(query);
        return Stopwatch.GetElapsedTime(since);
    }

    /// <summary>Texts of the bulk call in a second while something else is done.</summary>
    private static async Task<double> SpeedAsync(EmbeddingBatcher batcher, Func<Task> meanwhile, int others)
    {
        long before = batcher.Figures.Batched;
        long since = Stopwatch.GetTimestamp();
        await meanwhile();
        return (batcher.Figures.Batched - before - others) / Stopwatch.GetElapsedTime(since).TotalSeconds;
    }

    private static async Task EndAsync(Task bulk, CancellationTokenSource source)
    {
        await source.CancelAsync();
        await bulk.ContinueWith(static ended => _ = ended.Exception, TaskScheduler.Default);
    }

    private static string TextOf(Model model, int tokens)
    {
        string text = "A man";
        while (model.CountTokens(text + " is eating") <= tokens)
        {
            text += " is eating";
        }

        return text;
    }

    private static string Ms(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:F1} ms");
}
