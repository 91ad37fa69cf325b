// SPDX-License-Identifier: Apache-2.0
// How many requests a second the embedding service answers, and how late: ServiceLoad URL CONNECTIONS SECONDS
// Each connection asks for the embedding of one short text after the other. Only addresses of this machine are asked.
using System.Diagnostics;
using System.Net.Http.Json;

if (args.Length != 3 || !Uri.TryCreate(args[0], UriKind.Absolute, out Uri? url) || !url.IsLoopback)
{
    Console.Error.WriteLine("usage: ServiceLoad URL CONNECTIONS SECONDS, such as http://127.0.0.1:5000 8 5");
    return 2;
}

int connections = int.Parse(args[1], System.Globalization.CultureInfo.InvariantCulture);
double seconds = double.Parse(args[2], System.Globalization.CultureInfo.InvariantCulture);
using HttpClient client = new(new SocketsHttpHandler { MaxConnectionsPerServer = connections }) { BaseAddress = url };
await AskAsync(client, 0);
Stopwatch clock = Stopwatch.StartNew();
List<double>[] times = await Task.WhenAll(Enumerable.Range(0, connections).Select(async connection =>
{
    List<double> mine = [];
    for (int i = 0; clock.Elapsed.TotalSeconds < seconds; i++)
    {
        long start = Stopwatch.GetTimestamp();
        await AskAsync(client, (connection * 1_000_000) + i);
        mine.Add(Stopwatch.GetElapsedTime(start).TotalMilliseconds);
    }

    return mine;
}));
double took = clock.Elapsed.TotalSeconds;
double[] sorted = [.. times.SelectMany(mine => mine).Order()];
Console.WriteLine(string.Create(
    System.Globalization.CultureInfo.InvariantCulture,
    $"{connections} connections: {sorted.Length / took:F0} requests/s, p50 {At(0.5):F2} ms, p99 {At(0.99):F2} ms"));
return 0;

double At(double part) => sorted[(int)Math.Min(sorted.Length - 1, part * sorted.Length)];

static async Task AskAsync(HttpClient client, int number)
{
    var body = new { input = $"A man number {number} is eating a piece of bread.", encoding_format = "base64" };
    using HttpResponseMessage response = await client.PostAsJsonAsync("/v1/embeddings", body);
    response.EnsureSuccessStatusCode();
    await response.Content.ReadAsByteArrayAsync();
}
