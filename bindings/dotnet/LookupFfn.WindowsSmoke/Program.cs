// SPDX-License-Identifier: Apache-2.0
// LookupFfn.WindowsSmoke MODEL SCRATCH JAVA_LIBRARY|-: loads, embeds, cancels, disposes, in several threads and under odd file
// names. What it prints is the same on each system.
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using LookupFfn;

string folder = args[0];
string scratch = args[1];
Console.WriteLine($"version {LookupFfnLibrary.Version}");
string[] texts = [.. Enumerable.Range(0, 100).Select(i => $"text number {i} \u00e4 \U0001F600")];
using Model model = Model.Load(folder);
float[][] alone = [.. texts.Select(text => model.Embed(text))];
Console.WriteLine($"embeddings {HashOf(alone)}");
Check(HashOf(model.Embed(texts)) == HashOf(alone), "a batch has other bits");

// Threads: calls of several at once, and the batcher's own.
float[][][] results = new float[8][][];
Thread[] threads = [.. Enumerable.Range(0, results.Length).Select(i => new Thread(() => results[i] = model.Embed(texts)))];
Array.ForEach(threads, thread => thread.Start());
Array.ForEach(threads, thread => thread.Join());
Check(results.All(result => HashOf(result) == HashOf(alone)), "threads have other bits");
await using (EmbeddingBatcher batcher = new(model))
{
    BatchedEmbedding[] batched = await batcher.EmbedAsync(texts);
    Check(HashOf([.. batched.Select(one => one.Vector)]) == HashOf(alone), "the batcher has other bits");
}

Console.WriteLine("threads");

// Cancelling ends a call that would take long.
using CancellationTokenSource source = new();
string endless = string.Concat(Enumerable.Repeat("word and ", 1_000_000));
Thread canceller = new(() =>
{
    Thread.Sleep(50);
    source.Cancel();
});
canceller.Start();
try
{
    _ = model.Embed(Enumerable.Repeat(endless, 100).ToArray(), cancellationToken: source.Token);
    Check(false, "the call was not cancelled");
}
catch (OperationCanceledException)
{
    Console.WriteLine("cancelled");
}

canceller.Join();

// File names.
string deep = Path.Combine(scratch, string.Join(Path.DirectorySeparatorChar, Enumerable.Repeat(new string('d', 100), 3)));
Directory.CreateDirectory(deep);
foreach (string name in (string[])["plain", "\u00fcml\u00e4ut", "\u65e5\u672c\u8a9e", "with a blank", "\U0001F600"])
{
    string file = Path.Combine(name == "plain" ? deep : scratch, name + ".safetensors");
    model.Save(file);
    using Model again = Model.Load(file, new LoadOptions { MemoryMapping = true });
    Check(HashOf(again.Embed(texts)) == HashOf(alone), "a saved model has other bits");
}

Console.WriteLine("file names");
try
{
    using Model none = Model.Load(Path.Combine(scratch, "missing"));
    Check(false, "what is not there was loaded");
}
catch (ModelIOException failure)
{
    Check(failure.Message.Contains("missing", StringComparison.Ordinal), failure.Message);
    Console.WriteLine("missing file");
}

// Disposing while calls are in flight.
Model other = Model.Load(folder);
Thread late = new(() =>
{
    try
    {
        while (true)
        {
            other.Embed(texts);
        }
    }
    catch (ObjectDisposedException)
    {
        Console.WriteLine("disposed");
    }
});
late.Start();
Thread.Sleep(100);
other.Dispose();
late.Join();

// There is no Java for it to be loaded by: that it loads, and tells the right version, is what can be seen.
if (args[2] != "-")
{
    IntPtr java = NativeLibrary.Load(args[2]);
    IntPtr version = NativeLibrary.GetExport(java, "Java_io_github_lookupffn_NativeLibrary_version");
    int told = Marshal.GetDelegateForFunctionPointer<JavaVersion>(version)(0, 0);
    Check(told / 10000 == LookupFfnLibrary.Version.Major, $"the library for Java has version {told}");
    Check(NativeLibrary.TryGetExport(java, "JNI_OnLoad", out _), "Java would not be told of its loading");
}

Console.WriteLine("done");
return 0;

static string HashOf(float[][] vectors)
{
    using IncrementalHash hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    foreach (float[] vector in vectors)
    {
        hash.AppendData(MemoryMarshal.AsBytes(vector.AsSpan()));
    }

    return Convert.ToHexString(hash.GetHashAndReset());
}

static void Check(bool right, string what)
{
    if (!right)
    {
        Console.WriteLine(what);
        Environment.Exit(1);
    }
}

[UnmanagedFunctionPointer(CallingConvention.Cdecl)]
internal delegate int JavaVersion(IntPtr environment, IntPtr type);
