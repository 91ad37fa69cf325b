// SPDX-License-Identifier: Apache-2.0
// Embeds the lines of a file with several embedding services, and writes the vectors in the order of the lines:
// EmbedFile FILE OUTPUT URL [URL...]
// A batch whose service fails is asked for again, of another one: none is lost, and each is written once.
using System.Diagnostics;
using System.Net;
using System.Net.Http.Json;
using System.Text.Json;

if (args.Length < 3)
{
    Console.Error.WriteLine("usage: EmbedFile FILE OUTPUT URL [URL...], such as http://127.0.0.1:5000");
    return 2;
}

const int BatchSize = 50;
const int CallersEach = 2;
const int MostFailures = 20;
string[][] batches = [.. File.ReadLines(args[0]).Chunk(BatchSize)];
HttpClient[] services = [.. args[2..].Select(url => new HttpClient { BaseAddress = new Uri(url) })];
byte[]?[] answers = new byte[batches.Length][];
int next = -1;
int answered = 0;
int again = 0;
Stopwatch clock = Stopwatch.StartNew();
await Task.WhenAll(Enumerable.Range(0, services.Length * CallersEach).Select(async caller =>
{
    for (int i = Interlocked.Increment(ref next); i < batches.Length; i = Interlocked.Increment(ref next))
    {
        byte[] vectors = await AskAsync(caller, batches[i]);
        if (Interlocked.Exchange(ref answers[i], vectors) is not null)
        {
            throw new InvalidOperationException($"batch {i} was answered twice");
        }

        Console.WriteLine($"{Interlocked.Increment(ref answered)} of {batches.Length}");
    }
}));
using FileStream output = File.Create(args[1]);
foreach (byte[]? vectors in answers)
{
    output.Write(vectors ?? throw new InvalidOperationException("a batch was lost"));
}

int lines = batches.Sum(batch => batch.Length);
Console.WriteLine($"{lines} lines, {lines / clock.Elapsed.TotalSeconds:F0} a second, {again} batches asked for again");
return 0;

async Task<byte[]> AskAsync(int caller, string[] batch)
{
    for (int failures = 0; ; failures++)
    {
        try
        {
            HttpClient service = services[(caller + failures) % services.Length];
            using HttpResponseMessage response =
                await service.PostAsJsonAsync("/v1/embeddings", new { input = batch, encoding_format = "base64" });
            if (response.StatusCode == HttpStatusCode.BadRequest)
            {
                // Another service would say the same.
                throw new InvalidOperationException(await response.Content.ReadAsStringAsync());
            }

            response.EnsureSuccessStatusCode();
            JsonElement answer = await response.Content.ReadFromJsonAsync<JsonElement>();
            return [.. answer.GetProperty("data").EnumerateArray().SelectMany(row =>
                row.GetProperty("embedding").GetBytesFromBase64())];
        }
        catch (Exception failure) when (failures < MostFailures && failure is (HttpRequestException or IOException))
        {
            // The service went away with the batch. Asking again is safe: a vector is the same whoever makes it.
            Interlocked.Increment(ref again);
            await Task.Delay(failures * 50);
        }
    }
}
