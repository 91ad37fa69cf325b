// SPDX-License-Identifier: Apache-2.0
using System.ClientModel;
using System.Net;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using LookupFfn;
using OpenAI;
using OpenAI.Embeddings;
using OpenAI.Models;
using Xunit;

namespace EmbeddingService.Tests;

/// <summary>What OpenAI's client gets, and what others do.</summary>
public sealed class ServiceTests : IDisposable
{
    private readonly Service service = new("--Model", Service.Prompts, "--Reranker", Service.Reranker);
    private readonly Model model = Model.Load(Service.Prompts);

    public void Dispose()
    {
        service.Dispose();
        model.Dispose();
    }

    private OpenAIClientOptions ClientOptions => new() { Endpoint = new Uri(service.Address, "/v1") };

    private EmbeddingClient Embedder(string name = "prompts") => new(name, new ApiKeyCredential("none"), ClientOptions);

    private float[] Expected(string text) => model.Embed(text, new EmbedOptions { Prompt = "document" });

    [Fact]
    public async Task OpenAisClient()
    {
        EmbeddingClient client = Embedder();
        ClientResult<OpenAIEmbedding> one = await client.GenerateEmbeddingAsync("A sentence.");
        Assert.Equal(Expected("A sentence."), one.Value.ToFloats().ToArray());
        string[] texts = [.. Enumerable.Range(0, 100).Select(i => $"text number {i}")];
        OpenAIEmbeddingCollection many = await client.GenerateEmbeddingsAsync(texts);
        Assert.Equal("prompts", many.Model);
        Assert.Equal(100, many.Count);
        for (int i = 0; i < texts.Length; i++)
        {
            Assert.Equal(i, many[i].Index);
            Assert.Equal(Expected(texts[i]), many[i].ToFloats().ToArray());
        }

        Assert.Equal(texts.Sum(text => model.Tokenize("passage: " + text).Length), many.Usage.InputTokenCount);
        int[] ids = model.Tokenize("A sentence.");
        OpenAIEmbeddingCollection sequences = await client.GenerateEmbeddingsAsync([ids, ids.AsMemory(0, 2)]);
        Assert.Equal(model.Embed(ids), sequences[0].ToFloats().ToArray());
        Assert.Equal(model.Embed(ids[..2]), sequences[1].ToFloats().ToArray());
        Assert.Equal(ids.Length + 2, sequences.Usage.TotalTokenCount);
        OpenAIModelCollection models =
            await new OpenAIModelClient(new ApiKeyCredential("none"), ClientOptions).GetModelsAsync();
        Assert.Equal("prompts", Assert.Single(models).Id);
    }

    [Fact]
    public async Task OpenAisClientIsToldWhatIsWrong()
    {
        ClientResultException failure =
            await Assert.ThrowsAsync<ClientResultException>(() => Embedder("other").GenerateEmbeddingAsync("text"));
        Assert.Equal(404, failure.Status);
        Assert.Contains("model_not_found", failure.Message, StringComparison.Ordinal);
        failure = await Assert.ThrowsAsync<ClientResultException>(
            () => Embedder().GenerateEmbeddingAsync("text", new EmbeddingGenerationOptions { Dimensions = 7 }));
        Assert.Equal(400, failure.Status);
        Assert.Contains("7 dimensions", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ConcurrentRequests()
    {
        EmbeddingClient client = Embedder();
        OpenAIEmbedding[] results = await Task.WhenAll(Enumerable.Range(0, 200).Select(
            async i => (await client.GenerateEmbeddingAsync($"text number {i}")).Value));
        for (int i = 0; i < results.Length; i++)
        {
            Assert.Equal(Expected($"text number {i}"), results[i].ToFloats().ToArray());
        }
    }

    [Fact]
    public async Task PlainRequests()
    {
        JsonElement answer = await AskAsync("/v1/embeddings", """{"input": "a", "encoding_format": "float", "user": "x"}""");
        Assert.Equal("list", answer.GetProperty("object").GetString());
        float[] vector = [.. answer.GetProperty("data")[0].GetProperty("embedding").EnumerateArray().Select(x => x.GetSingle())];
        Assert.Equal(Expected("a"), vector);
        answer = await AskAsync("/v1/embeddings", """{"input": "a", "input_type": "query"}""");
        float[] query = [.. answer.GetProperty("data")[0].GetProperty("embedding").EnumerateArray().Select(x => x.GetSingle())];
        Assert.Equal(model.Embed("a", new EmbedOptions { Prompt = "query" }), query);
        answer = await AskAsync("/v1/embeddings", """{"input": [0, 9, 2]}""");
        Assert.Equal(3, answer.GetProperty("usage").GetProperty("prompt_tokens").GetInt32());
        Assert.Equal("Healthy", await service.Client.GetStringAsync("/health"));
        string metrics = await service.Client.GetStringAsync("/metrics");
        Assert.Contains("embedding_service_requests_total{call=\"embeddings\"} 3\n", metrics, StringComparison.Ordinal);
        Assert.Contains("embedding_service_texts_total{call=\"embeddings\"} 3\n", metrics, StringComparison.Ordinal);
        Assert.Contains("lookupffn_queue_texts{lookupffn_model=\"prompts\"} 0\n", metrics, StringComparison.Ordinal);
        Assert.Contains("lookupffn_batch_size_sum{lookupffn_model=\"prompts\"} ", metrics, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("nonsense", "JSON")]
    [InlineData("[]", "object")]
    [InlineData("{}", "input")]
    [InlineData("""{"input": 5}""", "input")]
    [InlineData("""{"input": []}""", "0 items")]
    [InlineData("""{"input": [1, "a"]}""", "token id")]
    [InlineData("""{"input": ["a", 1]}""", "input")]
    [InlineData("""{"input": [[1], "a"]}""", "token ids")]
    [InlineData("""{"input": [1.5]}""", "whole number")]
    [InlineData("""{"input": [100000]}""", "100000")]
    [InlineData("""{"input": [[]]}""", "empty")]
    [InlineData("""{"input": "a", "encoding_format": "hex"}""", "hex")]
    [InlineData("""{"input": "a", "dimensions": -1}""", "dimensions")]
    [InlineData("""{"input": [1], "dimensions": 3}""", "dimensions")]
    [InlineData("""{"input": "a", "model": 3}""", "model")]
    [InlineData("""{"input": "a", "input_type": "poem"}""", "poem")]
    [InlineData("""{"input": "\ud83d"}""", "surrogate")]
    public async Task BadRequests(string body, string says)
    {
        using HttpResponseMessage response = await PostAsync("/v1/embeddings", body);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        JsonElement error = (await response.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("error");
        Assert.Contains(says, error.GetProperty("message").GetString(), StringComparison.Ordinal);
        Assert.Equal("invalid_request_error", error.GetProperty("type").GetString());
    }

    [Fact]
    public async Task Reranking()
    {
        using Model reranker = Model.Load(Service.Reranker);
        string[] documents = ["a fox", "the lazy dog", "a cat", "nothing"];
        float[] scores = reranker.Rerank("which dog?", documents, new EmbedOptions { Scores = ScoreKind.Model });
        int[] order = [.. Enumerable.Range(0, 4).OrderByDescending(i => scores[i])];
        JsonElement answer = await AskAsync(
            "/rerank",
            """{"query": "which dog?", "documents": ["a fox", {"text": "the lazy dog"}, "a cat", "nothing"], "top_n": 3}""");
        JsonElement[] results = [.. answer.GetProperty("results").EnumerateArray()];
        Assert.Equal(order[..3], results.Select(result => result.GetProperty("index").GetInt32()));
        Assert.Equal(
            order[..3].Select(i => scores[i]), results.Select(result => result.GetProperty("relevance_score").GetSingle()));
        foreach (string bad in (string[])
            ["{}", """{"documents": ["a"]}""", """{"query": "a", "documents": []}""", """{"query": "a", "documents": [1]}""",
             """{"query": "a", "documents": ["a"], "top_n": 0}""",
             """{"query": "\ud83d", "documents": ["a"]}""", """{"query": "a", "documents": ["\ud83d"]}"""])
        {
            using HttpResponseMessage response = await PostAsync("/rerank", bad);
            Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        }

        using HttpResponseMessage nowhere = await PostAsync("/nowhere", "{}");
        Assert.Equal(HttpStatusCode.NotFound, nowhere.StatusCode);
    }

    /// <summary>The service of docs/dotnet-services.md.</summary>
    [Fact]
    public async Task TheDocumentedService()
    {
        using Service documented = new("TEXT_SERVICE", []);
        Assert.Equal("Healthy", await documented.Client.GetStringAsync("/health"));
        using HttpResponseMessage embedded = await documented.Client.PostAsJsonAsync("/embed", new[] { "one", "two" });
        float[][]? vectors = await embedded.Content.ReadFromJsonAsync<float[][]>();
        Assert.Equal(2, vectors!.Length);
        Assert.Equal(384, vectors[0].Length);
        using HttpResponseMessage near = await documented.Client.PostAsJsonAsync(
            "/nearest", new { query = "Kittens nap all day.", documents = new[] { "It rains.", "Cats sleep a lot." } });
        JsonElement[]? nearest = await near.Content.ReadFromJsonAsync<JsonElement[]>();
        Assert.Equal(["Cats sleep a lot.", "It rains."], nearest!.Select(one => one.GetProperty("document").GetString()));
        using HttpResponseMessage bad = await documented.Client.PostAsync(
            "/embed", new StringContent("[\"\\ud83d\"]", Encoding.UTF8, "application/json"));
        Assert.Equal(HttpStatusCode.BadRequest, bad.StatusCode);
        string metrics = await documented.Client.GetStringAsync("/metrics");
        Assert.Contains("lookupffn_run_texts", metrics, StringComparison.Ordinal);
    }

    /// <summary>While 200 requests of two texts each are worked on, a trivial one is answered at once: neither they nor the
    /// model take the threads that answer it.</summary>
    [Fact]
    public async Task AProbeIsAnsweredUnderLoad()
    {
        await service.Client.GetStringAsync("/health");
        Task[] load = [.. Enumerable.Range(0, 200).Select(async i =>
        {
            using HttpResponseMessage response = await PostAsync(
                "/v1/embeddings", $$"""{"input": ["text number {{i}}", "and another one {{i}}"]}""");
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        })];
        System.Diagnostics.Stopwatch clock = System.Diagnostics.Stopwatch.StartNew();
        await service.Client.GetStringAsync("/v1/models");
        TimeSpan probe = clock.Elapsed;
        await Task.WhenAll(load);
        Console.WriteLine($"the probe took {probe.TotalMilliseconds:F0} ms of {clock.Elapsed.TotalMilliseconds:F0} ms");
        string metrics = await service.Client.GetStringAsync("/metrics");
        Assert.Contains("lookupffn_run_texts{lookupffn_model=\"prompts\"} ", metrics, StringComparison.Ordinal);
        Assert.True(probe < TimeSpan.FromSeconds(3), $"the probe took {probe}"); // 6.5 s when they starved the pool
    }

    /// <summary>What was asked before the signal is answered, and the service ends without an error.</summary>
    [Fact]
    public async Task StopsGracefully()
    {
        using HalfSent body = new("""{"input": ["A sentence."], "encoding_format": "float"}""");
        Task<HttpResponseMessage> request = service.Client.PostAsync("/v1/embeddings", body);
        await service.Asked;
        service.Terminate();
        await service.Stopping;
        body.SendTheRest();
        using HttpResponseMessage response = await request;
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        JsonElement answer = await response.Content.ReadFromJsonAsync<JsonElement>();
        JsonElement vector = Assert.Single(answer.GetProperty("data").EnumerateArray()).GetProperty("embedding");
        Assert.Equal(Expected("A sentence."), vector.EnumerateArray().Select(x => x.GetSingle()));
        Assert.Equal(0, service.WaitForExit());
    }

    /// <summary>A request that cannot be answered before it is told to send its second half.</summary>
    private sealed class HalfSent : HttpContent
    {
        private readonly byte[] bytes;
        private readonly TaskCompletionSource rest = new(TaskCreationOptions.RunContinuationsAsynchronously);

        internal HalfSent(string json)
        {
            // Spaces, so that the half is enough for the rate that servers want to see.
            bytes = Encoding.UTF8.GetBytes(json + new string(' ', 100_000));
            Headers.ContentType = new("application/json");
        }

        internal void SendTheRest() => rest.TrySetResult();

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            await stream.WriteAsync(bytes.AsMemory(0, bytes.Length / 2));
            await stream.FlushAsync();
            await rest.Task;
            await stream.WriteAsync(bytes.AsMemory(bytes.Length / 2));
        }

        protected override bool TryComputeLength(out long length)
        {
            length = bytes.Length;
            return true;
        }
    }

    private async Task<HttpResponseMessage> PostAsync(string path, string body)
    {
        using StringContent content = new(body, Encoding.UTF8, "application/json");
        return await service.Client.PostAsync(path, content);
    }

    private async Task<JsonElement> AskAsync(string path, string body)
    {
        using HttpResponseMessage response = await PostAsync(path, body);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("application/json", response.Content.Headers.ContentType?.MediaType);
        return await response.Content.ReadFromJsonAsync<JsonElement>();
    }
}
