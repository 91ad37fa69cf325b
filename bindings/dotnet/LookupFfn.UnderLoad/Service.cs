// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;
using LookupFfn;
using LookupFfn.Extensions.AI;
using Microsoft.Extensions.AI;

/// <summary>The service of docs/dotnet-services.md, in a process of its own.</summary>
internal sealed class Service : IDisposable
{
    private const string Ready = "ready at ";
    private readonly Process process;

    internal Service(string model, bool batched)
    {
        ProcessStartInfo start = new("dotnet") { RedirectStandardOutput = true };
        foreach (string argument in (string[])[typeof(Service).Assembly.Location, "serve", model, batched ? "batches" : "none"])
        {
            start.ArgumentList.Add(argument);
        }

        process = Process.Start(start)!;
        string line;
        do
        {
            line = process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("the service ended");
        }
        while (!line.StartsWith(Ready, StringComparison.Ordinal));
        Client = new HttpClient { BaseAddress = new Uri(line[Ready.Length..]), Timeout = TimeSpan.FromMinutes(5) };
    }

    internal HttpClient Client { get; }

    public void Dispose()
    {
        Client.Dispose();
        process.Kill();
        process.Dispose();
    }

    /// <summary>Runs it. Without batches each call runs by itself.</summary>
    internal static async Task ServeAsync(string model, bool batched)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        builder.Services.AddLookupFfnEmbeddings(model, options => options.Batching = batched ? new BatchingOptions() : null);
        WebApplication app = builder.Build();
        app.MapGet("/probe", () => "ok");
        app.MapPost("/embed", async (
            string[] texts, IEmbeddingGenerator<string, Embedding<float>> documents, CancellationToken cancelled) =>
        {
            GeneratedEmbeddings<Embedding<float>> embeddings = await documents.GenerateAsync(texts, null, cancelled);
            return embeddings.Count;
        });
        await app.StartAsync();
        Console.WriteLine(Ready + app.Urls.First());
        await app.WaitForShutdownAsync();
    }
}
