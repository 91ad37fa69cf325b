// SPDX-License-Identifier: Apache-2.0
// A model as Microsoft.Extensions.AI's embedding generator, out of a container: Generator MODEL
using Microsoft.Extensions.AI;
using Microsoft.Extensions.DependencyInjection;

if (args.Length != 1)
{
    Console.Error.WriteLine("usage: Generator MODEL, a folder or a file, such as examples/models/all-minilm-l6-v2-lookup");
    return 2;
}

ServiceCollection services = new();
services.AddLookupFfnEmbeddings(args[0], options => options.QueryPrompt = "query: ");
await using ServiceProvider provider = services.BuildServiceProvider();
var generator = provider.GetRequiredService<IEmbeddingGenerator<string, Embedding<float>>>();
GeneratedEmbeddings<Embedding<float>> vectors = await generator.GenerateAsync(["A sentence.", "Another."]);
Console.WriteLine($"{vectors.Count} vectors of {vectors[0].Dimensions} numbers, {vectors.Usage?.InputTokenCount} tokens");
return 0;
