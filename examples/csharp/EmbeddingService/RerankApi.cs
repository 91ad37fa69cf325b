// SPDX-License-Identifier: Apache-2.0
using System.Text.Json;
using LookupFfn;

namespace EmbeddingService;

/// <summary>POST /rerank: {query, documents, top_n} to {results: [{index, relevance_score}]}, the best first.</summary>
internal static class RerankApi
{
    private const int MostDocuments = 2048;

    internal static async Task RerankAsync(HttpContext context, IReranker? reranker, ServiceMetrics metrics)
    {
        if (reranker is null)
        {
            throw new ApiError(StatusCodes.Status404NotFound, "the service was started without --Reranker");
        }

        using JsonDocument body = await JsonDocument.ParseAsync(
            context.Request.Body, cancellationToken: context.RequestAborted);
        JsonElement request = body.RootElement;
        if (request.ValueKind != JsonValueKind.Object
            || !request.TryGetProperty("documents", out JsonElement list)
            || list.ValueKind != JsonValueKind.Array)
        {
            throw ApiError.Bad("there are no documents", "documents");
        }

        string query = EmbeddingsApi.StringOf(request, "query") ?? throw ApiError.Bad("there is no query", "query");
        string[] documents = [.. list.EnumerateArray().Select(TextOf)];
        if (documents.Length is 0 or > MostDocuments)
        {
            throw ApiError.Bad($"there are {documents.Length} documents, expected 1 to {MostDocuments}", "documents");
        }

        int top = documents.Length;
        if (request.TryGetProperty("top_n", out JsonElement asked) && asked.ValueKind != JsonValueKind.Null)
        {
            top = asked.ValueKind == JsonValueKind.Number && asked.TryGetInt32(out int number) && number > 0
                ? Math.Min(number, top)
                : throw ApiError.Bad("top_n is no number above 0", "top_n");
        }

        EmbedOptions options = new() { Scores = ScoreKind.Model };
        RankedDocument[] ranked = await reranker.RerankTopAsync(query, documents, null, options, context.RequestAborted);
        metrics.Count("rerank", documents.Length, ranked.Sum(document => (long)document.Tokens));
        context.Response.ContentType = "application/json";
        await using Utf8JsonWriter json = new(context.Response.BodyWriter);
        json.WriteStartObject();
        json.WriteStartArray("results");
        foreach (RankedDocument document in ranked.Take(top))
        {
            json.WriteStartObject();
            json.WriteNumber("index", document.Index);
            json.WriteNumber("relevance_score", document.Score);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static string TextOf(JsonElement document)
    {
        JsonElement text = document.ValueKind == JsonValueKind.Object && document.TryGetProperty("text", out JsonElement inner)
            ? inner
            : document;
        return text.ValueKind == JsonValueKind.String
            ? EmbeddingsApi.TextOf(text)
            : throw ApiError.Bad("a document is no string and has no text", "documents");
    }
}
