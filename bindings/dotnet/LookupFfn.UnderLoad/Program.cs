// SPDX-License-Identifier: Apache-2.0
// What a service does while it is asked for much at once: LookupFfn.UnderLoad MODEL [MODEL...]
// Prints tables, and fails where a trivial request has to wait for embeddings, where calls of one text and of two are refused
// otherwise, or where EmbedAllAsync keeps what is done.
using System.Diagnostics;
using System.Globalization;
using LookupFfn;

if (args is ["serve", string served, string batches])
{
    await Service.ServeAsync(served, batches == "batches");
    return 0;
}

string path = Path.GetFullPath(args[0]);
TimeSpan limit = TimeSpan.FromSeconds(3); // 6.5 s, when requests took the threads that answer
bool good = true;
Print($"{"200 requests at once",-22} {"all after",10} {"probe: median",14} {"longest",9}");
foreach (bool batched in (bool[])[true, false])
{
    foreach (int texts in (int[])[2, 1])
    {
        using Service service = new(path, batched);
        Figures figures = await AskAsync(service.Client, 200, texts);
        string how = $"of {texts}, {(batched ? "batches" : "no batches")}";
        Print($"{how,-22} {Ms(figures.All),10} {Ms(figures.Median),14} {Ms(figures.Longest),9}");
        good &= figures.Longest < limit;
    }
}

using Model model = Model.Load(path);
model.Embed("warm");
foreach (int texts in (int[])[1, 2])
{
    await using EmbeddingBatcher batcher = new(model, new BatchingOptions { MaxQueue = texts });
    Task[] calls = [.. Enumerable.Range(0, 100).Select(_ => batcher.EmbedAsync([.. Enumerable.Repeat("A sentence.", texts)]))];
    await Task.WhenAll(calls).ContinueWith(_ => { }, TaskScheduler.Default);
    int refused = calls.Count(call => call.Exception?.InnerException is QueueFullException);
    Print($"100 calls of {texts} at once, MaxQueue {texts}: {refused} refused");
    good &= refused >= 50;
}

int given = 0;
try
{
    await foreach (CorpusEmbedding embedding in model.EmbedAllAsync(Source(100, fails: true)))
    {
        given++;
    }
}
catch (TimeoutException)
{
    Print($"a source that fails after 100 texts: {given} were given");
    good &= given == 100;
}

Stopwatch clock = Stopwatch.StartNew();
given = 0;
await foreach (CorpusEmbedding embedding in model.EmbedAllAsync(Source(10, fails: false)))
{
    if (++given == 10)
    {
        Print($"ten texts, then silence: ten were given after {Ms(clock.Elapsed)}");
        good &= clock.Elapsed < limit;
        break;
    }
}

const int Tokens = 219;
Bulk.PrintHead(Tokens);
foreach (string its in args)
{
    good &= await Bulk.PrintAsync(its, Tokens);
}

return good ? 0 : 1;

static async Task<Figures> AskAsync(HttpClient client, int requests, int texts)
{
    // Neither the first requests nor the first connections of these processes are measured.
    await Task.WhenAll(Enumerable.Range(0, requests).Select(i => PostAsync(client, i, texts)));
    await Task.WhenAll(Enumerable.Range(0, requests).Select(_ => client.GetStringAsync("/probe")));
    Stopwatch clock = Stopwatch.StartNew();
    Task all = Task.WhenAll(Enumerable.Range(0, requests).Select(i => PostAsync(client, i, texts)));
    List<TimeSpan> probes = [];
    do
    {
        long start = Stopwatch.GetTimestamp();
        await client.GetStringAsync("/probe");
        probes.Add(Stopwatch.GetElapsedTime(start));
    }
    while (!all.IsCompleted);
    await all;
    TimeSpan took = clock.Elapsed;
    probes.Sort();
    return new Figures(took, probes[probes.Count / 2], probes[^1]);
}

static async Task PostAsync(HttpClient client, int number, int texts)
{
    string[] all = [.. Enumerable.Range(0, texts).Select(i => $"A man number {number} of row {i} is eating a piece of bread.")];
    using HttpResponseMessage response = await client.PostAsJsonAsync("/embed", all);
    response.EnsureSuccessStatusCode();
}

static async IAsyncEnumerable<string> Source(int texts, bool fails)
{
    for (int i = 0; i < texts; i++)
    {
        yield return $"text {i}";
    }

    if (fails)
    {
        throw new TimeoutException("made for this");
    }

    await Task.Delay(TimeSpan.FromMinutes(1));
}

static string Ms(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:F1} ms");

static void Print(FormattableString line) => Console.WriteLine(line.ToString(CultureInfo.InvariantCulture));

/// <summary>How long requests took, all together, and the probes meanwhile.</summary>
internal sealed record Figures(TimeSpan All, TimeSpan Median, TimeSpan Longest);
