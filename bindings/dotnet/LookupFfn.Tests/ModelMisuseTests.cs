// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using System.Runtime.CompilerServices;
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Arguments that do not fit, models that are disposed, calls that are cancelled.</summary>
public sealed class ModelMisuseTests : IDisposable
{
    private static readonly int[] Short = [0, 9, 5, 2];
    private static readonly LoadOptions OneThread = new() { NumThreads = 1 };

    private readonly GoldenModel golden = new("model-mixed");
    private readonly Model model;

    public ModelMisuseTests() => model = Model.Load(golden.Folder, OneThread);

    public void Dispose() => model.Dispose();

    [Fact]
    public void HalfOfASurrogatePairNamesItsText()
    {
        ArgumentException bad = Assert.Throws<ArgumentException>(() => model.Embed(["fine", "half \ud83d"]));
        Assert.StartsWith("texts[1]: ", bad.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void LimitsOfNoTokensAreRefused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => model.Embed("a", new() { MaxTokens = 0 }));
    }

    [Fact]
    public void IdsThatCannotBe()
    {
        int vocab = model.Info.VocabSize;
        int[] tooLong = new int[model.Info.MaxTokens + 1];
        Rejects("-1", () => model.Encode([0, -1, 2]));
        Rejects($"{vocab}", () => model.Classify([0, vocab]));
        Rejects($"{tooLong.Length}", () => model.Embed(tooLong));
        Rejects("empty", () => model.Embed(Array.Empty<int>()));
        Rejects("3", () => model.Logits([0, 1, 2], [3]));
        Rejects("-1", () => model.Logits([0, 1, 2], [-1]));
        LoadOptions hash = OneThread with { HashType = ElementType.BF16 };
        Rejects("HashType is BF16, expected F32, Int8 or AsStored", () => Model.Load(golden.Folder, hash));
        Assert.Throws<ArgumentOutOfRangeException>(
            "LinearType", () => Model.Load(golden.Folder, OneThread with { LinearType = (ElementType)77 }));
        Assert.Throws<ArgumentOutOfRangeException>("Pooling", () => model.Embed("a", new() { Pooling = (Pooling)77 }));
        Assert.Throws<ArgumentOutOfRangeException>("Scores", () => model.Classify("a", new() { Scores = (ScoreKind)77 }));
        Assert.Throws<ArgumentNullException>(() => Model.Load((string)null!));
        Assert.Throws<ArgumentNullException>(() => model.Encode([null!, Short]));
        Assert.Throws<ArgumentNullException>(() => model.Logits(Short, null!));
        Assert.Throws<ArgumentNullException>(() => model.Embed((IReadOnlyList<int[]>)null!));
    }

    [Fact]
    public void FilesThatCannotBeUsed()
    {
        long before = Handles.Settled();
        string directory = Directory.CreateTempSubdirectory("lookupffn-").FullName;
        try
        {
            string missing = Path.Combine(directory, "fehlt-🚀");
            ModelIOException notThere = Assert.Throws<ModelIOException>(() => Model.Load(missing));
            Assert.Contains("fehlt-🚀", notThere.Message, StringComparison.Ordinal);
            Assert.Throws<ModelIOException>(() => Model.Load(directory));
            string bad = Path.Combine(directory, "bad.safetensors");
            File.WriteAllBytes(bad, new byte[100]);
            Assert.Throws<BadModelException>(() => Model.Load(bad));
            Assert.Throws<BadModelException>(() => Model.Load([]));
            Assert.Throws<BadModelException>(() => Model.Load(new Golden("dense@stored").Model));
            Assert.Throws<ModelIOException>(() => model.Save(Path.Combine(directory, "no-such-directory", "m")));
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }

        Assert.Equal(before, Raw.LiveHandles());
    }

    [Fact]
    public async Task DisposedModelsRefuse()
    {
        long before = Handles.Settled();
        model.Dispose();
        Assert.Equal(before - 1, Raw.LiveHandles());
        model.Dispose();
        Assert.Equal(before - 1, Raw.LiveHandles());
        Assert.Equal("Model (disposed)", model.ToString());
        Assert.Throws<ObjectDisposedException>(() => model.Encode(Short));
        Assert.Throws<ObjectDisposedException>(() => model.Classify([Short]));
        Assert.Throws<ObjectDisposedException>(() => model.Embed(Short));
        Assert.Throws<ObjectDisposedException>(() => model.Logits(Short, [0]));
        Assert.Throws<ObjectDisposedException>(() => model.Save("never"));
        Assert.Throws<ObjectDisposedException>(() => model.Info);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => model.EmbedAsync([Short]));
    }

    [Fact]
    public async Task CancellationEndsCalls()
    {
        // Minutes of work, so that a cancelled call is told from one that ran to its end.
        int[][] much = new int[200_000][];
        Array.Fill(much, new int[model.Info.MaxTokens]);
        using CancellationTokenSource source = new();
        Golden.AssertSameBits(model.Embed(Short), model.Embed(Short, cancellationToken: source.Token));
        Task<float[][]> running = model.ClassifyAsync(much, cancellationToken: source.Token);
        Thread canceller = Later.Cancel(source, 100);
        OperationCanceledException ended =
            Assert.Throws<OperationCanceledException>(() => model.Classify(much, cancellationToken: source.Token));
        canceller.Join();
        Assert.Equal(source.Token, ended.CancellationToken);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
        Assert.True(running.IsCanceled);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => model.EmbedAsync([Short], cancellationToken: source.Token));
    }

    /// <summary>Callers and disposers on one model after another.</summary>
    [Fact]
    public async Task RacedDisposing()
    {
        model.Dispose();
        string setting = Environment.GetEnvironmentVariable("LOOKUPFFN_RACE_SECONDS") ?? "5";
        DateTime deadline = DateTime.UtcNow.AddSeconds(double.Parse(setting, CultureInfo.InvariantCulture));
        long before = Handles.Settled();
        long calls = 0;
        int models = 0;
        for (; DateTime.UtcNow < deadline || models <= 10; models++)
        {
            Model raced = Model.Load(golden.Folder, OneThread);
            float[] expected = raced.Embed(Short);
            using CountdownEvent running = new(3);
            Task[] callers = new Task[3];
            for (int i = 0; i < callers.Length; i++)
            {
                callers[i] = Task.Factory.StartNew(
                    () =>
                    {
                        running.Signal();
                        try
                        {
                            while (true)
                            {
                                Golden.AssertSameBits(expected, raced.Embed(Short));
                                Interlocked.Increment(ref calls);
                            }
                        }
                        catch (ObjectDisposedException)
                        {
                        }
                    },
                    CancellationToken.None,
                    TaskCreationOptions.LongRunning,
                    TaskScheduler.Default);
            }

            running.Wait();
            Task other = Task.Run(raced.Dispose);
            raced.Dispose();
            await Task.WhenAll([.. callers, other]);
            Assert.Equal(before, Raw.LiveHandles());
        }

        Console.WriteLine($"raced {calls} calls on {models} models");
    }

    [Fact]
    public void ForgottenModelsAreFreed()
    {
        long before = Handles.Settled();
        Forget(golden.Folder);
        DateTime deadline = DateTime.UtcNow.AddMinutes(2);
        while (Raw.LiveHandles() > before && DateTime.UtcNow < deadline)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.Equal(before, Raw.LiveHandles());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(string folder)
    {
        for (int i = 0; i < 20; i++)
        {
            Model.Load(folder, OneThread).Embed(Short);
        }
    }

    private static void Rejects(string text, Func<object> call) =>
        Assert.Contains(text, Assert.ThrowsAny<ArgumentException>(() => call()).Message, StringComparison.Ordinal);
}
