// SPDX-License-Identifier: Apache-2.0
using System.Net.Http.Json;
using System.Text.Json;
using LookupFfn.Extensions.AI;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.AI;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Xunit;

namespace TextService.Tests;

/// <summary>examples/csharp/TextService by a generator without a model.</summary>
public sealed class WithoutAModelTests
{
    [Fact]
    public async Task EmbedsAndSearches()
    {
        using WebApplicationFactory<Program> service = new WebApplicationFactory<Program>().WithWebHostBuilder(host =>
            host.ConfigureTestServices(services =>
                services.AddSingleton<IEmbeddingGenerator<string, Embedding<float>>>(new FakeEmbeddingGenerator(384))));
        using HttpClient client = service.CreateClient();
        using HttpResponseMessage answer = await client.PostAsJsonAsync("/embed", new[] { "A sentence.", "Another." });
        float[][]? vectors = await answer.Content.ReadFromJsonAsync<float[][]>();
        Assert.Equal([384, 384], vectors!.Select(vector => vector.Length));

        // The generator for queries goes to the same one.
        var question = new { Query = "Where do cats sleep?", Documents = new[] { "Rain in spring.", "Cats sleep in boxes." } };
        using HttpResponseMessage found = await client.PostAsJsonAsync("/nearest", question);
        JsonElement[]? nearest = await found.Content.ReadFromJsonAsync<JsonElement[]>();
        Assert.Equal(["Cats sleep in boxes.", "Rain in spring."], nearest!.Select(one => one.GetProperty("document").GetString()));

        Assert.Equal("Healthy", await client.GetStringAsync("/health"));
        HealthReport report = await service.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Assert.Contains("replaced", report.Entries["lookupffn"].Description, StringComparison.Ordinal);
    }
}
