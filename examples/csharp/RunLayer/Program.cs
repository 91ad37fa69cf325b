// SPDX-License-Identifier: Apache-2.0
// Runs a layer from a file, or from one with random weights that it makes first: RunLayer [layer.safetensors]
using LookupFfn;

Console.WriteLine($"LookupFFN {LookupFfnLibrary.Version} on {LookupFfnLibrary.Isa}");
string file = args.Length > 0 ? args[0] : Path.GetTempFileName();
try
{
    if (args.Length == 0)
    {
        LayerConfig config = new() { HiddenSize = 512, NumTables = 64, TableSize = 256, Seed = 1 };
        using Layer made = Layer.CreateRandom(config);
        made.Save(file);
    }

    const int Tokens = 16;
    using Layer layer = Layer.Load(file);
    Console.WriteLine(layer.Info);
    float[] x = Enumerable.Range(0, Tokens * layer.InputSize).Select(i => (float)Math.Sin(i)).ToArray();
    float[] y = new float[Tokens * layer.OutputSize];
    layer.Forward(x, y);
    Console.WriteLine($"y[0] = {y[0]}");

    // As in a transformer's block: the result is added to what is there.
    layer.ForwardAdd(x, y);
    Console.WriteLine($"twice: {y[0]}");

    // In a server, on a thread of the pool and so that the caller can give up.
    using CancellationTokenSource patience = new(TimeSpan.FromSeconds(10));
    await layer.ForwardAsync(x, y, patience.Token);
    Console.WriteLine($"again: {y[0]}");
}
catch (BadModelException notALayer)
{
    Console.Error.WriteLine(notALayer.Message);
    return 1;
}
finally
{
    if (args.Length == 0)
    {
        File.Delete(file);
    }
}

return 0;
