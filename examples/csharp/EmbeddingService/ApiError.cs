// SPDX-License-Identifier: Apache-2.0
using System.Text.Json;
using LookupFfn;

namespace EmbeddingService;

/// <summary>A failure that a client is told of, as OpenAI's error object.</summary>
internal sealed class ApiError(int status, string message, string? param = null, string? code = null)
    : Exception(message)
{
    internal static ApiError Bad(string message, string? param = null) =>
        new(StatusCodes.Status400BadRequest, message, param);

    /// <summary>Answers failures of what comes behind it.</summary>
    internal static async Task AnswerAsync(HttpContext context, RequestDelegate next)
    {
        try
        {
            await next(context);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // The client has gone.
        }
        catch (Exception failure) when (!context.Response.HasStarted)
        {
            ApiError error = failure switch
            {
                ApiError known => known,
                BadHttpRequestException bad => new ApiError(bad.StatusCode, bad.Message),
                JsonException => Bad("the body is not JSON: " + failure.Message),
                ArgumentException => Bad(failure.Message),
                QueueFullException => new ApiError(StatusCodes.Status429TooManyRequests, failure.Message),
                ObjectDisposedException => new ApiError(StatusCodes.Status503ServiceUnavailable, "the service is stopping"),
                LookupFfnException => new ApiError(StatusCodes.Status500InternalServerError, failure.Message),
                _ => new ApiError(StatusCodes.Status500InternalServerError, "the service failed"),
            };
            if (failure is not (ApiError or BadHttpRequestException or JsonException or ArgumentException or QueueFullException))
            {
                context.RequestServices.GetRequiredService<ILogger<ApiError>>().LogError(failure, "A request failed");
            }

            await error.WriteAsync(context);
        }
    }

    private async Task WriteAsync(HttpContext context)
    {
        context.Response.StatusCode = status;
        context.Response.Headers.RetryAfter = status == StatusCodes.Status429TooManyRequests ? "1" : default;
        context.Response.ContentType = "application/json";
        await using Utf8JsonWriter json = new(context.Response.BodyWriter);
        json.WriteStartObject();
        json.WriteStartObject("error");
        json.WriteString("message", Message);
        json.WriteString("type", status < 500 ? "invalid_request_error" : "server_error");
        json.WriteString("param", param);
        json.WriteString("code", code);
        json.WriteEndObject();
        json.WriteEndObject();
    }
}
