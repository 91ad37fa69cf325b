// SPDX-License-Identifier: Apache-2.0
using System.Runtime.InteropServices;
using System.Text.Json;
using LookupFfn;
using LookupFfn.Extensions.AI;
using Microsoft.Extensions.AI;

namespace EmbeddingService;

/// <summary>POST /v1/embeddings and GET /v1/models.</summary>
internal static class EmbeddingsApi
{
    private const int MostInputs = 2048;

    private static readonly long Started = DateTimeOffset.UtcNow.ToUnixTimeSeconds();

    internal static async Task EmbedAsync(
        HttpContext context, LookupFfnEmbeddingGenerator generator, ServiceMetrics metrics)
    {
        using JsonDocument body = await JsonDocument.ParseAsync(
            context.Request.Body, cancellationToken: context.RequestAborted);
        JsonElement request = body.RootElement;
        if (request.ValueKind != JsonValueKind.Object)
        {
            throw ApiError.Bad("the body is no object");
        }

        string id = NameOf(generator);
        if (StringOf(request, "model") is string model && model != id)
        {
            throw new ApiError(
                StatusCodes.Status404NotFound, $"the model {model} does not exist; there is {id}", "model", "model_not_found");
        }

        bool base64 = StringOf(request, "encoding_format") switch
        {
            null or "float" => false,
            "base64" => true,
            string other => throw ApiError.Bad($"encoding_format is {other}, expected float or base64", "encoding_format"),
        };
        EmbeddingGenerationOptions options = new() { Dimensions = DimensionsOf(request) };
        if (StringOf(request, "input_type") is string kind)
        {
            options.AdditionalProperties = new() { [LookupFfnEmbeddingGenerator.InputTypeKey] = kind };
        }

        if (!request.TryGetProperty("input", out JsonElement input))
        {
            throw ApiError.Bad("there is no input", "input");
        }

        List<ReadOnlyMemory<float>> vectors = [];
        long tokens;
        if (IdsOf(input) is List<int[]> sequences)
        {
            Model running = generator.GetRequiredService<Model>();
            if (options.Dimensions is int wanted && wanted != running.Info.EmbeddingSize)
            {
                throw ApiError.Bad($"dimensions is {wanted}, the model gives {running.Info.EmbeddingSize}", "dimensions");
            }

            float[][] rows = await running.EmbedAsync(sequences, cancellationToken: context.RequestAborted);
            vectors.AddRange(rows.Select(row => (ReadOnlyMemory<float>)row));
            tokens = sequences.Sum(sequence => (long)sequence.Length);
        }
        else
        {
            GeneratedEmbeddings<Embedding<float>> results =
                await generator.GenerateAsync(TextsOf(input), options, context.RequestAborted);
            vectors.AddRange(results.Select(result => result.Vector));
            tokens = results.Usage?.InputTokenCount ?? 0;
        }

        metrics.Count("embeddings", vectors.Count, tokens);
        context.Response.ContentType = "application/json";
        await using Utf8JsonWriter json = new(context.Response.BodyWriter);
        json.WriteStartObject();
        json.WriteString("object", "list");
        json.WriteStartArray("data");
        for (int i = 0; i < vectors.Count; i++)
        {
            json.WriteStartObject();
            json.WriteString("object", "embedding");
            json.WriteNumber("index", i);
            json.WritePropertyName("embedding");
            WriteVector(json, vectors[i].Span, base64);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteString("model", id);
        json.WriteStartObject("usage");
        json.WriteNumber("prompt_tokens", tokens);
        json.WriteNumber("total_tokens", tokens);
        json.WriteEndObject();
        json.WriteEndObject();
    }

    internal static async Task ListModelsAsync(HttpContext context, LookupFfnEmbeddingGenerator generator)
    {
        context.Response.ContentType = "application/json";
        await using Utf8JsonWriter json = new(context.Response.BodyWriter);
        json.WriteStartObject();
        json.WriteString("object", "list");
        json.WriteStartArray("data");
        json.WriteStartObject();
        json.WriteString("id", NameOf(generator));
        json.WriteString("object", "model");
        json.WriteNumber("created", Started);
        json.WriteString("owned_by", "lookupffn");
        json.WriteEndObject();
        json.WriteEndArray();
        json.WriteEndObject();
    }

    internal static string? StringOf(JsonElement request, string name) =>
        !request.TryGetProperty(name, out JsonElement value) || value.ValueKind == JsonValueKind.Null ? null
        : value.ValueKind == JsonValueKind.String ? TextOf(value)
        : throw ApiError.Bad($"{name} is no string", name);

    internal static string TextOf(JsonElement value)
    {
        try
        {
            return value.GetString()!;
        }
        catch (InvalidOperationException)
        {
            throw ApiError.Bad("a text contains half of a surrogate pair");
        }
    }

    private static string NameOf(LookupFfnEmbeddingGenerator generator) =>
        generator.GetRequiredService<EmbeddingGeneratorMetadata>().DefaultModelId ?? "model";

    private static int? DimensionsOf(JsonElement request)
    {
        if (!request.TryGetProperty("dimensions", out JsonElement value) || value.ValueKind == JsonValueKind.Null)
        {
            return null;
        }

        return value.ValueKind == JsonValueKind.Number && value.TryGetInt32(out int number) && number > 0
            ? number
            : throw ApiError.Bad("dimensions is no number above 0", "dimensions");
    }

    private static List<string> TextsOf(JsonElement input)
    {
        List<string> texts = input.ValueKind switch
        {
            JsonValueKind.String => [TextOf(input)],
            JsonValueKind.Array when input.EnumerateArray().All(item => item.ValueKind == JsonValueKind.String) =>
                [.. input.EnumerateArray().Select(TextOf)],
            _ => throw ApiError.Bad("input is no string, no strings and no token ids", "input"),
        };
        return CheckedCount(texts);
    }

    /// <summary>The token ids, or null where there are texts.</summary>
    private static List<int[]>? IdsOf(JsonElement input)
    {
        if (input.ValueKind != JsonValueKind.Array || input.GetArrayLength() == 0)
        {
            return null;
        }

        return input[0].ValueKind switch
        {
            JsonValueKind.Number => [Sequence(input)],
            JsonValueKind.Array => CheckedCount(input.EnumerateArray().Select(Sequence).ToList()),
            _ => null,
        };

        static int[] Sequence(JsonElement ids)
        {
            if (ids.ValueKind != JsonValueKind.Array)
            {
                throw ApiError.Bad("input has token ids and other things", "input");
            }

            return [.. ids.EnumerateArray().Select(id =>
                id.ValueKind == JsonValueKind.Number && id.TryGetInt32(out int number)
                    ? number
                    : throw ApiError.Bad("input has a token id that is no whole number", "input"))];
        }
    }

    private static List<T> CheckedCount<T>(List<T> inputs) =>
        inputs.Count is > 0 and <= MostInputs
            ? inputs
            : throw ApiError.Bad($"input has {inputs.Count} items, expected 1 to {MostInputs}", "input");

    private static void WriteVector(Utf8JsonWriter json, ReadOnlySpan<float> vector, bool base64)
    {
        if (base64)
        {
            // Little-endian, as every processor that the library runs on has them.
            json.WriteBase64StringValue(MemoryMarshal.AsBytes(vector));
            return;
        }

        json.WriteStartArray();
        foreach (float number in vector)
        {
            json.WriteNumberValue(number);
        }

        json.WriteEndArray();
    }
}
