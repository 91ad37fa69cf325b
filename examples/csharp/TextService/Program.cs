// SPDX-License-Identifier: Apache-2.0
// What docs/dotnet-services.md makes of "dotnet new web": embeddings of documents and of queries, the nearest documents,
// health and metrics.
using LookupFfn;
using Microsoft.Extensions.AI;
using OpenTelemetry.Metrics;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.Services.AddLookupFfnEmbeddings(LookupFfnModels.Fast, options => options.Batching = new BatchingOptions { MaxQueue = 1024 });
builder.Services.AddHealthChecks().AddLookupFfn();
builder.Services.AddOpenTelemetry().WithMetrics(metrics => metrics
    .AddMeter(LookupFfnDiagnostics.Name)
    .AddPrometheusExporter());
WebApplication app = builder.Build();
app.MapHealthChecks("/health");
app.MapPrometheusScrapingEndpoint("/metrics");

app.MapPost("/embed", async (
    string[] texts, IEmbeddingGenerator<string, Embedding<float>> documents, CancellationToken cancelled) =>
{
    try
    {
        GeneratedEmbeddings<Embedding<float>> embeddings = await documents.GenerateAsync(texts, null, cancelled);
        return Results.Ok(embeddings.Select(embedding => embedding.Vector.ToArray()));
    }
    catch (QueueFullException)
    {
        return Results.StatusCode(StatusCodes.Status429TooManyRequests);
    }
    catch (ArgumentException bad)
    {
        return Results.BadRequest(bad.Message);
    }
});

app.MapPost("/nearest", async (
    Question question,
    IEmbeddingGenerator<string, Embedding<float>> documents,
    [FromKeyedServices("queries")] IEmbeddingGenerator<string, Embedding<float>> queries,
    CancellationToken cancelled) =>
{
    ReadOnlyMemory<float> asked = await queries.GenerateVectorAsync(question.Query, null, cancelled);
    GeneratedEmbeddings<Embedding<float>> found = await documents.GenerateAsync(question.Documents, null, cancelled);
    Nearest nearest = Vectors.TopK(
        VectorBlock.Of(asked.Span),
        VectorBlock.Of(found.Select(document => document.Vector).ToArray()),
        cancellationToken: cancelled);
    return Results.Ok(nearest[0].Select(one => new Found(question.Documents[one.Id], one.Score)));
});
app.Run();

/// <summary>A query and what may answer it.</summary>
internal sealed record Question(string Query, string[] Documents);

/// <summary>One of the nearest documents.</summary>
internal sealed record Found(string Document, float Score);
