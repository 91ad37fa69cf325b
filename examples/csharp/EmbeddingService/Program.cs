// SPDX-License-Identifier: Apache-2.0
// Embeddings and reranking over HTTP, as OpenAI's and Cohere's clients want them:
// EmbeddingService --Model FOLDER [--Reranker FOLDER] [--Batching false] [--MaxWaitMilliseconds 1] [--urls http://...]
using EmbeddingService;
using LookupFfn;
using LookupFfn.Extensions.AI;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
string path = builder.Configuration["Model"]
    ?? throw new InvalidOperationException("--Model names a folder, such as examples/models/all-minilm-l6-v2-lookup");
if (builder.Configuration["Reranker"] is string rerankerPath)
{
    builder.Services.AddLookupFfnReranker(rerankerPath);
}

builder.Services.AddLookupFfnEmbeddings(path, options => options.Batching =
    builder.Configuration.GetValue("Batching", true)
        ? new BatchingOptions
        {
            MaxWait = TimeSpan.FromMilliseconds(builder.Configuration.GetValue("MaxWaitMilliseconds", 0)),
        }
        : null);
builder.Services.AddHealthChecks().AddLookupFfn();
builder.Services.AddSingleton<ServiceMetrics>();
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);

// Requests that are there when the service is told to stop have so long to end.
builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = TimeSpan.FromSeconds(30));
WebApplication app = builder.Build();

LookupFfnEmbeddingGenerator generator = app.Services.GetRequiredService<LookupFfnEmbeddingGenerator>();
IReranker? reranker = app.Services.GetService<IReranker>();
ServiceMetrics metrics = app.Services.GetRequiredService<ServiceMetrics>();

app.Use(ApiError.AnswerAsync);
app.MapPost("/v1/embeddings", context => EmbeddingsApi.EmbedAsync(context, generator, metrics));
app.MapGet("/v1/models", context => EmbeddingsApi.ListModelsAsync(context, generator));
app.MapPost("/rerank", context => RerankApi.RerankAsync(context, reranker, metrics));
app.MapHealthChecks("/health");
app.MapGet("/metrics", context => context.Response.WriteAsync(metrics.Text()));
app.MapFallback(context =>
    throw new ApiError(StatusCodes.Status404NotFound, $"there is no {context.Request.Method} {context.Request.Path}"));
app.Run();
