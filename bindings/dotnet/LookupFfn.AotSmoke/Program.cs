// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;
using LookupFfn;
#if ADAPTER
using LookupFfn.Extensions.AI;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
#endif

// Everything that ahead-of-time compilation could break: the imports, text both ways, exceptions, the finalizer's
// handle, what the native library calls.
Check(!RuntimeFeature.IsDynamicCodeSupported, "this program was not compiled ahead of time");
LayerConfig config = new() { HiddenSize = 64, NumTables = 8, TableSize = 16 };
string file = Path.Combine(Path.GetTempPath(), $"lookupffn-aot-🚀-{Environment.ProcessId}.safetensors");
float[] x = Enumerable.Range(0, 4 * 64).Select(i => (float)((i % 11) - 5)).ToArray();
float[] y = new float[x.Length];
float[] again = new float[x.Length];
try
{
    using Layer layer = Layer.CreateRandom(config);
    layer.Forward(x, y);
    layer.Save(file);
    List<string> lines = [];
    Progress progress = new();
    using LookupFfnRuntime runtime = new(new() { NumThreads = 1, Log = (_, line) => lines.Add(line) });
    using Layer loaded = Layer.Load(file, new() { Runtime = runtime, Progress = progress });
    Check(progress.Last == 1 && lines.Count > 0 && loaded.Info.NumThreads == 1, "nobody told of the loading");
    await loaded.ForwardAsync(x, again);
    Check(y.AsSpan().SequenceEqual(again) && y.Any(element => element != 0), "the saved layer computes something else");
    Check(loaded.Info.NumTables == 8, "the info is wrong");
}
finally
{
    File.Delete(file);
}

try
{
    using Layer missing = Layer.Load(file);
    Check(false, "a missing file was loaded");
}
catch (ModelIOException failure)
{
    Check(failure.Message.Contains("🚀", StringComparison.Ordinal), failure.Message);
}

using CancellationTokenSource source = new();
source.Cancel();
try
{
    using Layer layer = Layer.CreateRandom(config);
    layer.Forward(x, y, source.Token);
    Check(false, "a cancelled call ran");
}
catch (OperationCanceledException)
{
}

// A model out of a package, and the batcher.
using (Model model = Model.Load(LookupFfnModels.Fast))
{
    await using EmbeddingBatcher batcher = new(model);
    BatchedEmbedding[] batched = await batcher.EmbedAsync(["one", "two"]);
    Check(batched[1].Vector.AsSpan().SequenceEqual(model.Embed("two")), "the batcher has other bits");
}

#if ADAPTER
// Settings out of a file, whatever a file can hold.
ConfigurationManager configuration = new();
configuration.AddInMemoryCollection(new Dictionary<string, string?>
{
    ["Embeddings:Path"] = LookupFfnModels.Fast,
    ["Embeddings:Load:NumThreads"] = "1",
    ["Embeddings:Load:LinearType"] = "Int8",
    ["Embeddings:Batching:MaxQueue"] = "7",
    ["Reranker:Scores"] = "Model",
});
ServiceCollection services = new();
services.Configure<LookupFfnEmbeddingOptions>(configuration.GetSection("Embeddings"));
services.Configure<LookupFfnRerankerOptions>(configuration.GetSection("Reranker"));
services.AddLookupFfnEmbeddings();
await using (ServiceProvider provider = services.BuildServiceProvider())
{
    LookupFfnEmbeddingGenerator generator = provider.GetRequiredService<LookupFfnEmbeddingGenerator>();
    Check(generator.Model.Info.NumThreads == 1 && generator.Model.Info.LinearType == ElementType.Int8, "Load was not bound");
    Check(generator.Batcher!.MaxQueue == 7, "Batching was not bound");
    Check((await generator.GenerateAsync(["text"]))[0].Dimensions == 384, "the generator makes no vectors");
}
#endif

Console.WriteLine($"LookupFFN {LookupFfnLibrary.Version} on {LookupFfnLibrary.Isa}, compiled ahead of time: passed");

static void Check(bool condition, string message)
{
    if (!condition)
    {
        throw new InvalidOperationException(message);
    }
}

internal sealed class Progress : IProgress<double>
{
    public double Last { get; private set; }

    public void Report(double value) => Last = value;
}
