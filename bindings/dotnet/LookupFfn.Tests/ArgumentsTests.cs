// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Arguments that do not fit give a clear exception and touch nothing.</summary>
public sealed class ArgumentsTests : IDisposable
{
    private const int In = 32;
    private const int Out = 16;

    private static readonly LayerConfig Config = new()
    {
        HiddenSize = In,
        OutputSize = Out,
        NumTables = 4,
        TableSize = 8,
        ProjectionFactors = 2,
        BlockSize = 16,
    };

    private static readonly LoadOptions OneThread = new() { NumThreads = 1 };

    private readonly Layer layer = Layer.CreateRandom(Config, OneThread);
    private readonly Layer square = Layer.CreateRandom(Config with { OutputSize = 0 }, OneThread);

    public void Dispose()
    {
        layer.Dispose();
        square.Dispose();
    }

    [Fact]
    public async Task NoTokens()
    {
        layer.Forward(default, default);
        layer.Forward(Array.Empty<float>(), Array.Empty<float>());
        layer.Hash(default, default, default);
        await layer.ForwardAsync(default, default);
    }

    [Fact]
    public void SizesThatDoNotFit()
    {
        float[] x = new float[2 * In];
        float[] y = new float[2 * Out];
        Rejects("x", "x has 63 elements, which is no multiple of 32", () => layer.Forward(x.AsSpan(1), y));
        Rejects("y", "y has 31 elements, but 32 are needed", () => layer.Forward(x, new float[31]));
        Rejects("y", "y has 31 elements", () => layer.ForwardAdd(x, new float[31]));
        Rejects("y", "y has 0 elements", () => layer.Forward(x, default));
        Rejects("y", "y has 31 elements", () => layer.ForwardAsync(x, new float[31]).Wait());
        Rejects("codes", "codes has 7 elements, but 8 are needed", () => layer.Hash(x, new int[7], default));
        Rejects("scores", "scores has 7 elements, but 8 are needed", () => layer.Hash(x, default, new float[7]));
        Rejects("x", "no multiple", () => layer.Hash(x.AsSpan(1), default, default));
    }

    [Fact]
    public void Overlaps()
    {
        float[] array = new float[4 * In];
        Rejects("y", "overlap", () => square.Forward(array.AsSpan(0, 2 * In), array.AsSpan(1)));
        Rejects("y", "overlap", () => square.Forward(array.AsSpan(1, 2 * In), array));
        Rejects("y", "overlap", () => layer.Forward(array.AsSpan(0, 2 * In), array));
        square.Forward(array.AsSpan(0, 2 * In), array.AsSpan(2 * In));
        layer.Forward(array.AsSpan(2 * Out, 2 * In), array);
    }

    [Fact]
    public void NullsAndPaths()
    {
        Assert.Throws<ArgumentNullException>(() => Layer.Load((string)null!));
        Assert.Throws<ArgumentException>(() => Layer.Load(""));
        Assert.Throws<ArgumentNullException>(() => Layer.CreateRandom(null!));
        Assert.Throws<ArgumentNullException>(() => layer.Save(null!));
        ArgumentException zero = Assert.Throws<ArgumentException>(() => Layer.Load("a\0b"));
        Assert.Contains("zero", zero.Message, StringComparison.Ordinal);
        Assert.ThrowsAny<ArgumentException>(() => Layer.Load("\ud800"));
    }

    [Fact]
    public void InfoTellsWhatWasAskedFor()
    {
        LayerInfo info = layer.Info;
        Assert.Equal(In, info.HiddenSize);
        Assert.Equal(Out, info.OutputSize);
        Assert.Equal(In, layer.InputSize);
        Assert.Equal(Out, layer.OutputSize);
        Assert.Equal(4, info.NumTables);
        Assert.Equal(8, info.TableSize);
        Assert.Equal(3, info.CodeBits);
        Assert.Equal("bh2", info.Projection);
        Assert.Equal(16, info.BlockSize);
        Assert.Equal(1, info.NumChains);
        Assert.Equal(Activation.Gelu, info.Activation);
        Assert.Equal(1, info.NumProbes);
        Assert.True(info.LayerNorm);
        Assert.Equal(0.7f, info.DecayCoeff);
        Assert.Equal(1e-5f, info.LayerNormEps);
        Assert.Equal(ElementType.F32, info.TableType);
        Assert.Equal(ElementType.F32, info.HashType);
        Assert.Equal(1, info.NumThreads);
        Assert.Equal((1 * 2 * ((2 * 32 * 16) + (32 * 5))) + (2 * 4 * 16), info.FlopPerToken);
        Assert.True(info.NumParameters > 4 * 8 * 16);
        Assert.Equal(4 * info.NumParameters, info.FileBytes);
        Assert.True(info.MemoryBytes >= 4 * 4 * 8 * 16);
        Assert.True(info.ScratchBytes > 0);
        Assert.Contains("bh2", layer.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void ConfigReachesTheLayer()
    {
        LayerConfig config = new()
        {
            HiddenSize = 24,
            NumTables = 3,
            TableSize = 4,
            ProjectionFactors = 0,
            Activation = Activation.Sigmoid,
            NumProbes = 2,
            LayerNorm = false,
            LayerNormEps = 1e-3f,
            DecayCoeff = 0.25f,
            Seed = ulong.MaxValue,
        };
        using Layer first = Layer.CreateRandom(config);
        using Layer same = Layer.CreateRandom(config);
        using Layer other = Layer.CreateRandom(config with { Seed = 2 });
        Assert.Equal("dense", first.Info.Projection);
        Assert.Equal(0, first.Info.BlockSize);
        Assert.Equal(Activation.Sigmoid, first.Info.Activation);
        Assert.Equal(2, first.Info.NumProbes);
        Assert.False(first.Info.LayerNorm);
        Assert.Equal(1e-3f, first.Info.LayerNormEps);
        Assert.Equal(0.25f, first.Info.DecayCoeff);
        float[] x = new float[24];
        x[5] = 1;
        float[][] y = [new float[24], new float[24], new float[24]];
        first.Forward(x, y[0]);
        same.Forward(x, y[1]);
        other.Forward(x, y[2]);
        Golden.AssertSameBits(y[0], y[1]);
        Assert.NotEqual(y[0], y[2]);
    }

    [Theory]
    [InlineData(ElementType.BF16, ElementType.F32)]
    [InlineData(ElementType.Int8, ElementType.F32)]
    [InlineData(ElementType.F32, ElementType.Int8)]
    public void ElementTypesReachTheLayer(ElementType tables, ElementType hash)
    {
        using Layer other = Layer.CreateRandom(
            Config, new LoadOptions { TableType = tables, HashType = hash, FlushDenormals = true });
        Assert.Equal(tables, other.Info.TableType);
        Assert.Equal(hash, other.Info.HashType);
        float[] x = Enumerable.Range(0, In).Select(i => (float)Math.Sin(i)).ToArray();
        float[] expected = new float[Out];
        float[] y = new float[Out];
        layer.Forward(x, expected);
        other.Forward(x, y);
        Assert.NotEqual(expected, y);
    }

    private static void Rejects(string parameter, string text, Action call)
    {
        ArgumentException failure = Assert.Throws<ArgumentException>(call);
        Assert.Contains(text, failure.Message, StringComparison.Ordinal);
        Assert.Equal(parameter, failure.ParamName);
    }
}

/// <summary>What cannot be used is named as the caller knows it.</summary>
public sealed class NamedArgumentsTests : IDisposable
{
    private const string Half = "half \ud83d";

    private static readonly string[] None = null!;

    private readonly Model model = Model.Load(new GoldenModel("model-lookup").Folder);

    public void Dispose() => model.Dispose();

    [Fact]
    public async Task Nulls()
    {
        await Null("text", () => model.Embed((string)null!), () => model.EmbedAsync((string)null!));
        await Null("text", () => model.Encode((string)null!), () => model.EncodeAsync((string)null!));
        await Null("text", () => model.Classify((string)null!), () => model.ClassifyAsync((string)null!));
        await Null("ids", () => model.Embed((int[])null!), () => model.EmbedAsync((int[])null!));
        await Null("texts", () => model.Embed(None), () => model.EmbedAsync(None));
        await Null("texts", () => model.Embed(["", null!]), () => model.EmbedAsync(["", null!]));
        await Null("texts", () => model.EmbedWithCounts(None), () => model.EmbedWithCountsAsync(None));
        await Null("texts", () => model.ClassifyWithCounts(None), () => model.ClassifyWithCountsAsync(None));
        await Null("sequences", () => model.Encode([[0, 2], null!]), () => model.EncodeAsync([[0, 2], null!]));
        await Null("sequences", () => model.Classify((IReadOnlyList<int[]>)null!), () => model.ClassifyAsync((IReadOnlyList<int[]>)null!));
        await Null("text", () => model.Entities((string)null!), () => model.EntitiesAsync((string)null!));
        await Null("texts", () => model.Entities(None), () => model.EntitiesAsync(None));
        await Null("question", () => model.Answer(null!, ""), () => model.AnswerAsync(null!, ""));
        await Null("context", () => model.Answer("", null!), () => model.AnswerAsync("", null!));
        await Null("questions", () => model.Answer([null!]), () => model.AnswerAsync([new("", null!)]));
        await Null("text", () => model.ZeroShot((string)null!, [""]), () => model.ZeroShotAsync((string)null!, [""]));
        await Null("texts", () => model.ZeroShot([null!], [""]), () => model.ZeroShotAsync(None, [""]));
        await Null("candidates", () => model.ZeroShot("", [null!]), () => model.ZeroShotAsync("", None));
        await Null("text", () => model.FillMask((string)null!), () => model.FillMaskAsync((string)null!));
        await Null("text", () => model.Tokenize(null!), () => Task.FromResult(model.TokenizeSpans(null!)));
        await Null("positions", () => model.Logits([0], null!), () => model.LogitsAsync([[0]], null!));
        await Null("path", () => Model.Load((string)null!), () => { model.Save(null!); return Task.CompletedTask; });
        using EmbeddingBatcher batcher = new(model);
        await Null("model", () => new EmbeddingBatcher(null!), () => batcher.EmbedAsync((string)null!), "text");
    }

    [Fact]
    public async Task HalvesOfSurrogatePairs()
    {
        Bad("text", "text: half of a surrogate pair stands at index 5", () => model.Embed(Half));
        Bad("texts", "texts[1]: half of a surrogate pair stands at index 5", () => model.Embed(["fine", Half]));
        Bad("texts", "texts[0]: ", () => model.Encode([Half, Half]));
        Bad("text", "text: ", () => model.EmbedInto(Half, new float[9]));
        Bad("texts", "texts[1]: ", () => model.ClassifyInto(["", Half], new float[9]));
        Bad("texts", "texts[1]: ", () => model.Entities(["", Half]));
        Bad("questions", "questions[0]: ", () => model.Answer([new("", Half)]));
        Bad("candidates", "candidates[2]: ", () => model.ZeroShot("", ["a", "b", Half]));
        Bad("context", "context: ", () => model.Answer("", Half));
        Bad("prompt", "prompt: ", () => model.Embed("", new() { PromptText = Half }));
        Bad("path", "path: ", () => Model.Load(Half));

        // The same words with batching and without.
        using EmbeddingBatcher batcher = new(model);
        EmbedOptions[] options = [new(), new() { MaxTokens = 0 }, new() { Prompt = "a", PromptText = "b" }];
        foreach ((string? text, EmbedOptions how) in new[] { (Half, options[0]), (null, options[0]), ("a", options[1]), ("a", options[2]) })
        {
            ArgumentException alone = await Assert.ThrowsAnyAsync<ArgumentException>(() => model.EmbedAsync(text!, how));
            ArgumentException batched = await Assert.ThrowsAnyAsync<ArgumentException>(() => batcher.EmbedAsync(text!, how));
            Assert.Equal(alone.Message, batched.Message);
            Assert.Equal(alone.GetType(), batched.GetType());
        }
    }

    /// <summary>Neither the names that C has for options and values, nor a number where there is a name.</summary>
    [Fact]
    public void MessagesSpeakOfThisApi()
    {
        string folder = new GoldenModel("model-lookup").Folder;
        LayerConfig small = new() { HiddenSize = 8, NumTables = 2, TableSize = 4, ProjectionFactors = 0 };
        Says("TableType is F16, expected F32, BF16, Int8 or AsStored", () => Model.Load(folder, new() { TableType = ElementType.F16 }));
        Says("HashType is BF16, expected F32, Int8 or AsStored", () => Layer.CreateRandom(small, new() { HashType = ElementType.BF16 }));
        Says("LinearType is F16, expected F32, BF16, Int8 or AsStored", () => Model.Load(folder, new() { LinearType = ElementType.F16 }));
        Says("WordType is F16, expected F32, BF16, Int4, Int8 or AsStored", () => Model.Load(folder, new() { WordType = ElementType.F16 }));
        Says("HiddenSize is 0, allowed is 1 to ", () => Layer.CreateRandom(small with { HiddenSize = 0 }));
        Says("TableSize is 3, which is not a power of two", () => Layer.CreateRandom(small with { TableSize = 3 }));
        Says("ProjectionFactors is 10, allowed is 0 to 9", () => Layer.CreateRandom(small with { ProjectionFactors = 10 }));
        Says("NumProbes is 9, allowed is 1 to 4", () => Layer.CreateRandom(small with { NumProbes = 9 }));
        Says("DecayCoeff is not finite", () => Layer.CreateRandom(small with { DecayCoeff = float.NaN }));
        Says("LayerNormEps is ", () => Layer.CreateRandom(small with { LayerNormEps = -1 }));
        Says("Activation is no value of Activation", () => Layer.CreateRandom(small with { Activation = (Activation)7 }));
        Says("Dimensions", () => model.Embed("a", new() { Dimensions = 100_000 }));
        Says("text: at most 1 tokens are wanted", () => model.Embed("a", new() { MaxTokens = 1 }));
        Says("texts[1]: ", () => model.Embed(["a", string.Concat(Enumerable.Repeat("word ", 5000))], new() { RefuseLongTexts = true }));
        Assert.Throws<ArgumentException>("text", () => model.Embed(string.Concat(Enumerable.Repeat("word ", 5000)), new() { RefuseLongTexts = true }));
        Says("Stride is 9", () => model.EmbedWindows("a b c d e f g h i j", new() { MaxTokens = 8, Stride = 9 }));
        Says("topK", () => model.FillMask("<mask>", int.MaxValue));
        Says("Isa is 'none'; set it to one of ", () => new LookupFfnRuntime(new() { Isa = "none" }));
        Says("no prompt", () => model.Embed("a", new() { Prompt = "none" }));
        Says("a prompt, and WithoutPrompt", () => model.Embed("a", new() { PromptText = "x: ", WithoutPrompt = true }));
        Says("a prompt, and WithoutPrompt", () => model.Embed("a", new() { Prompt = "x", WithoutPrompt = true }));
        Says("a purpose and a prompt", () => model.Embed("a", new() { Purpose = TextPurpose.Query, WithoutPrompt = true }));
        Assert.Equal(
            "Pooling is First, but static vectors can only be averaged",
            Raw.Failure(1, "pooling is 1, but static vectors can only be averaged").Message);

        static void Says(string text, Func<object> call)
        {
            ArgumentException failure = Assert.ThrowsAny<ArgumentException>(() => call());
            Assert.Contains(text, failure.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("LFFN", failure.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("_", failure.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("options.", failure.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("NULL", failure.Message, StringComparison.Ordinal);
        }
    }

    /// <summary>What is refused is told by the name and the place that the caller gave it.</summary>
    [Fact]
    public void ParametersAreNamed()
    {
        string vast = string.Concat(Enumerable.Repeat("word ", 5000));
        EmbedOptions strict = new() { RefuseLongTexts = true };
        Bad("Prompt", "the model has no prompt", () => model.Embed("a", new() { Prompt = "none" }));
        Bad("ids", "ids[1] is 99999999, ", () => model.Embed([0, 99_999_999]));
        Bad("ids", "ids[0] is -1, ", () => { float[] to = new float[model.Info.EmbeddingSize]; return model.EmbedInto([-1], to); });
        Bad("sequences", "sequences[2][0] is -1, ", () => model.Encode([[0, 2], [], [-1]]));
        Bad("sequences", "sequences[1] has 5000 tokens, ", () => model.Encode([[0], new int[5000]]));
        Bad("ids", "ids has 5000 tokens, ", () => model.Encode(new int[5000]));
        Bad("text", "text: ", () => model.EmbedInt8(vast, strict));
        Bad("texts", "texts[1]: ", () => model.EmbedBits(["a", vast], strict));
        Bad("text", "text: ", () => model.TokenVectors(vast, strict));
        using Model reranker = Model.Load(
            Path.Combine(Environment.GetEnvironmentVariable("LOOKUPFFN_MADE_MODELS")!, "reranker"));
        Bad("documents", "documents[1]: ", () => reranker.Rerank("a", ["a", vast], strict));
        Bad("documents", "documents[1]: ", () => reranker.Rerank("a", ["a", "a b c d"], strict with { MaxTokens = 6 }));
    }

    private static void Bad(string parameter, string text, Func<object> call)
    {
        ArgumentException failure = Assert.Throws<ArgumentException>(() => call());
        Assert.StartsWith(text, failure.Message, StringComparison.Ordinal);
        Assert.Equal(parameter, failure.ParamName);
    }

    private static async Task Null(string parameter, Func<object> call, Func<Task> later, string? otherParameter = null)
    {
        Assert.Throws<ArgumentNullException>(parameter, () => call());
        await Assert.ThrowsAsync<ArgumentNullException>(otherParameter ?? parameter, later);
    }
}
