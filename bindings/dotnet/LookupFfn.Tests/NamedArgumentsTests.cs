// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

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
        await Null("text", () => model.FillMask(null!), () => model.FillMaskAsync(null!));
        await Null("text", () => model.Tokenize(null!), () => Task.FromResult(model.TokenizeSpans(null!)));
        await Null("positions", () => model.Logits([0], null!), () => model.LogitsAsync([[0]], null!));
        await Null("path", () => Model.Load((string)null!), () => { model.Save(null!); return Task.CompletedTask; });
        using EmbeddingBatcher batcher = new(model);
        await Null("model", () => new EmbeddingBatcher(null!), () => batcher.EmbedAsync(null!), "text");
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
        EmbedOptions[] options = [new(), new() { MaxTokens = 1, WithoutCutting = true }, new() { Prompt = "a", PromptText = "b" }];
        foreach ((string? text, EmbedOptions how) in new[] { (Half, options[0]), (null, options[0]), ("a", options[1]), ("a", options[2]) })
        {
            ArgumentException alone = await Assert.ThrowsAnyAsync<ArgumentException>(() => model.EmbedAsync(text!, how));
            ArgumentException batched = await Assert.ThrowsAnyAsync<ArgumentException>(() => batcher.EmbedAsync(text!, how));
            Assert.Equal(alone.Message, batched.Message);
            Assert.Equal(alone.GetType(), batched.GetType());
        }
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
