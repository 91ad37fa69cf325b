// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using System.Text;
using Xunit;

namespace LookupFfn.Tests;

/// <summary>How many tokens texts had, prompts before them, and rerankers.</summary>
public class ModelCountsTests
{
    private static readonly string Long = string.Concat(Enumerable.Repeat("word ", 1000));

    private static string Made(string name) => Path.Combine(
        Environment.GetEnvironmentVariable("LOOKUPFFN_MADE_MODELS")
            ?? throw new InvalidOperationException("LOOKUPFFN_MADE_MODELS is not set"),
        name);

    private static Dictionary<string, ReadOnlyMemory<byte>> WithDefaultPrompt(string name)
    {
        string folder = Made("prompts");
        Dictionary<string, ReadOnlyMemory<byte>> files = [];
        foreach (string path in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories))
        {
            files[Path.GetRelativePath(folder, path)] = File.ReadAllBytes(path);
        }

        string config = $$"""{"prompts": {"query": "query: ", "document": "passage: "}, "default_prompt_name": "{{name}}"}""";
        files["config_sentence_transformers.json"] = Encoding.UTF8.GetBytes(config);
        return files;
    }

    [Fact]
    public async Task CountsAreThoseOfTheTokenizer()
    {
        using Model model = Model.Load(new GoldenModel("model-lookup").Folder);
        TextCounts counts = new();
        EmbedOptions options = new() { Counts = counts };
        string[] texts = ["a few words", Long, ""];
        int whole = model.Tokenize(Long).Length;
        int cut = model.Info.OwnMaxTokens;
        int[] expected = [model.Tokenize("a few words").Length, cut, model.Tokenize("").Length];
        Action[] calls =
        [
            () => model.Embed(texts, options),
            () => model.Classify(texts, options),
            () => model.Encode(texts, options),
            () => model.EmbedInto(texts, new float[4096], options),
        ];
        foreach (Action call in calls)
        {
            model.Embed("another", options);
            call();
            Assert.Equal(3, counts.Count);
            Assert.Equal(expected, Enumerable.Range(0, 3).Select(counts.Tokens));
            Assert.Equal(expected.Sum(), counts.TotalTokens);
            Assert.Equal(whole, counts.UncutTokens(1));
            Assert.True(counts.IsCut(1) && counts.AnyCut);
            Assert.False(counts.IsCut(0) || counts.IsCut(2));
        }

        Assert.Equal(whole, model.CountTokens(texts[1]!, options));
        ArgumentException half = Assert.Throws<ArgumentException>("text", () => model.CountTokens("half \ud83d"));
        Assert.StartsWith("text: half", half.Message, StringComparison.Ordinal);

        // What fails, and what runs ids, leaves them alone.
        Assert.Throws<ArgumentException>(() => model.Embed(texts, options with { RefuseLongTexts = true }));
        model.Embed([0, 2], options);
        Assert.Equal(3, counts.Count);
        Assert.Throws<ArgumentOutOfRangeException>(() => counts.Tokens(3));
        Assert.Throws<ArgumentOutOfRangeException>(() => counts.IsCut(-1));
        await model.EmbedAsync(["one"], options);
        Assert.Equal(1, counts.Count);
        Assert.False(counts.AnyCut);
        EmbeddingResult result = model.EmbedWithCounts(texts);
        Assert.Equal(cut, result.Counts.Tokens(1));
        Golden.AssertSameBits(model.Embed(Long), result.Vectors[1]);
        Assert.Equal(0, model.EmbedWithCounts([]).Counts.TotalTokens);
    }

    [Fact]
    public void PromptsByNameAndByText()
    {
        using Model model = Model.Load(Made("prompts"));
        Assert.Equal(["query", "document"], model.Prompts.Keys);
        Assert.Equal("passage: ", model.Prompts["document"]);
        float[] plain = model.Embed("query: how?");
        Golden.AssertSameBits(plain, model.Embed("how?", new() { Prompt = "query" }));
        Golden.AssertSameBits(plain, model.Embed("how?", new() { PromptText = "query: " }));
        Golden.AssertSameBits(plain, model.Embed("query: how?", new() { WithoutPrompt = true }));
        Assert.ThrowsAny<ArgumentException>(() => model.Embed("how?", new() { Prompt = "no such" }));
        Assert.ThrowsAny<ArgumentException>(() => model.Embed("how?", new() { Prompt = "query", PromptText = "q" }));
        Assert.ThrowsAny<ArgumentException>(() => model.Embed("how?", new() { PromptText = "a\0b" }));

        // By what they are for.
        Golden.AssertSameBits(plain, model.Embed("how?", new() { Purpose = TextPurpose.Query }));
        Golden.AssertSameBits(model.Embed("passage: so"), model.Embed("so", new() { Purpose = TextPurpose.Document }));
        Assert.ThrowsAny<ArgumentException>(() => model.Embed("a", new() { Purpose = TextPurpose.Query, Prompt = "query" }));

        // A sentence encoder's texts are stripped, unless they are read as they are.
        Golden.AssertSameBits(plain, model.Embed("  query: how?  "));
        EmbedOptions asItIs = new() { PlainReading = true };
        Golden.AssertSameBits(plain, model.Embed("query: how?", asItIs));
        Assert.NotEqual(plain, model.Embed("  query: how?  ", asItIs));
        Golden.AssertSameBits(plain, model.Embed("query: how?", new() { NumThreads = 1 }));
        Assert.ThrowsAny<ArgumentException>(() => model.Embed("how?", new() { NumThreads = -1 }));

        // One of them may be the default one.
        Assert.Null(model.DefaultPrompt);
        using Model always = Model.Load(WithDefaultPrompt("document"));
        Assert.Equal("document", always.DefaultPrompt);
        Golden.AssertSameBits(model.Embed("passage: so"), always.Embed("so"));
        Assert.Equal(Pooling.Mean, model.Info.Pooling);
        using Model plainer = Model.Load(new GoldenModel("model-lookup").Folder);
        Assert.Empty(plainer.Prompts);
        Assert.Equal(3, plainer.Labels.Count);
    }

    [Fact]
    public async Task RerankersScorePairs()
    {
        TextCounts counts = new();
        const string Query = "Which dog is lazy?";
        string[] documents = ["The lazy dog.", "A fox.", Long];
        using Model model = Model.Load(Made("reranker"));
        float[] scores = model.Rerank(Query, documents, new() { Counts = counts });

        // RoBERTa's pair: two separators between the texts.
        int eos = model.Info.EosId;
        int[] ids = [model.Info.BosId, .. Bare(Query), eos, eos, .. Bare(documents[0]), eos];
        Golden.AssertSameBits(model.Classify(ids), [scores[0]]);
        Assert.Equal(ids.Length, counts.Tokens(0));
        Assert.False(counts.IsCut(0));
        Assert.True(counts.IsCut(2));
        Assert.Equal(scores[1], Assert.Single(model.Rerank(Query, ["A fox."])));
        Assert.Equal(scores, await model.RerankAsync(Query, documents));
        float[] likely = model.Rerank(Query, documents, new() { Scores = ScoreKind.Probabilities });
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(1 / (1 + Math.Exp(-scores[i])), likely[i], 1e-6);
        }

        Assert.Empty(model.Rerank(Query, []));
        ArgumentException tooLong = Assert.Throws<ArgumentException>(
            () => model.Rerank(Query, documents, new() { RefuseLongTexts = true }));
        Assert.StartsWith("documents[2]: the query and the document have ", tooLong.Message, StringComparison.Ordinal);
        using Model none = Model.Load(new GoldenModel("model-lookup").Folder);
        Assert.Throws<UnsupportedModelException>(() => none.Rerank(Query, documents));
        Assert.Equal(1, none.Classify("a text", new EmbedOptions { Scores = ScoreKind.Probabilities }).Sum(), 1e-6);

        IEnumerable<int> Bare(string text) => model.TokenizeSpans(text, special: false).Select(token => token.Id);
    }

    /// <summary>What is too long is what is cut: above the model's own limit, or a limit of the call, in each call on texts.</summary>
    [Theory]
    [InlineData(null)]
    [InlineData(7)]
    [InlineData(int.MaxValue)]
    public void LongTextsAreRefused(int? maxTokens)
    {
        using Model model = Model.Load(Made("prompts"));
        int most = Math.Min(maxTokens ?? model.Info.OwnMaxTokens, model.Info.MaxTokens);
        string text = "a";
        while (model.CountTokens(text + " a") <= most)
        {
            text += " a";
        }

        EmbedOptions options = new() { MaxTokens = maxTokens, RefuseLongTexts = true };
        Assert.Equal(most, model.CountTokens(text));
        Golden.AssertSameBits(model.Embed(text, new() { MaxTokens = maxTokens }), model.Embed(text, options));
        string[] texts = ["a", text + " a", text, "b"];
        Func<object>[] calls =
        [
            () => model.Embed(texts, options), () => model.Encode(texts, options), () => model.EmbedInt8(texts, options),
            () => model.EmbedBits(texts, options), () => model.TokenVectors(texts, options), () => model.EmbedWithCounts(texts, options),
        ];
        foreach (Func<object> call in calls)
        {
            ArgumentException bad = Assert.Throws<ArgumentException>("texts", call);
            Assert.StartsWith("texts[1]: ", bad.Message, StringComparison.Ordinal);
            Assert.Contains(string.Create(CultureInfo.InvariantCulture, $"{most + 1} tokens"), bad.Message, StringComparison.Ordinal);
        }

        // With statuses the others are run.
        TextStatuses statuses = new();
        TextCounts counts = new();
        float[][] found = model.Embed(texts, options with { Statuses = statuses, Counts = counts });
        Assert.Equal(
            [TextStatus.Done, TextStatus.TooLong, TextStatus.Done, TextStatus.Done],
            Enumerable.Range(0, 4).Select(statuses.Status));
        Assert.Contains(string.Create(CultureInfo.InvariantCulture, $"{most + 1} tokens"), statuses.Message(1), StringComparison.Ordinal);
        Assert.All(found[1], number => Assert.Equal(0, number));
        Golden.AssertSameBits(model.Embed(text, new() { MaxTokens = maxTokens }), found[2]);
        Golden.AssertSameBits(model.Embed("b"), found[3]);
        Assert.False(counts.AnyCut);
        Assert.Throws<ArgumentException>("RefuseLongTexts", () => model.EmbedWindows("a", options with { MaxTokens = 7 }));
    }

    [Fact]
    public void DocumentsThatCannotBeRankedSaySo()
    {
        using Model model = Model.Load(Made("reranker"));
        TextStatuses statuses = new();
        EmbedOptions options = new() { Statuses = statuses, RefuseLongTexts = true };
        string[] documents = ["The lazy dog.", null!, "half \ud83d", Long, "A fox."];
        float[] scores = model.Rerank("Which?", documents, options);
        Assert.Equal(
            [TextStatus.Done, TextStatus.NullText, TextStatus.BadText, TextStatus.TooLong, TextStatus.Done],
            Enumerable.Range(0, 5).Select(statuses.Status));
        Assert.Equal("the text is null", statuses.Message(1));
        Assert.Equal("half of a surrogate pair stands at index 5", statuses.Message(2));
        Assert.All(scores[1..4], score => Assert.Equal(0, score));
        Golden.AssertSameBits(model.Rerank("Which?", [documents[0], documents[4]]), [scores[0], scores[4]]);
        ArgumentException bad = Assert.Throws<ArgumentException>("query", () => model.Rerank("\ud83d", documents, options));
        Assert.StartsWith("query: half of", bad.Message, StringComparison.Ordinal);
        EmbedOptions repaired = new() { Repair = true };
        Golden.AssertSameBits(model.Rerank("\ufffd", ["half \ufffd"]), model.Rerank("\ud83d", ["half \ud83d"], repaired));
    }

    [Fact]
    public async Task ReadingOfTextsIsCancelled()
    {
        using Model model = Model.Load(new GoldenModel("model-lookup").Folder);
        string endless = string.Concat(Enumerable.Repeat("word and <mask> ", 200_000));
        using CancellationTokenSource source = new();
        Task reading = Task.Run(() => model.Tokenize(endless + endless + endless, source.Token));
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading);
        CancellationToken token = source.Token;
        Assert.ThrowsAny<OperationCanceledException>(() => model.TokenizeSpans(endless, true, token));
        Assert.ThrowsAny<OperationCanceledException>(() => model.Encode([endless], cancellationToken: token));
        Assert.ThrowsAny<OperationCanceledException>(() => model.Classify([endless], cancellationToken: token));
        Assert.ThrowsAny<OperationCanceledException>(() => model.Embed([endless], null, token));
        Assert.ThrowsAny<OperationCanceledException>(() => model.FillMask(endless, 1, token));
        using CancellationTokenSource unused = new();
        Assert.Equal(model.Tokenize("word"), model.Tokenize("word", unused.Token));
    }

    /// <summary>The flag is seen inside of the tokenizer, not only before it.</summary>
    [Fact]
    public void ReadingEndsHalfway()
    {
        using Model model = Model.Load(new GoldenModel("model-lookup").Folder);
        string endless = string.Concat(Enumerable.Repeat("word and <mask> ", 3_000_000));
        using CancellationTokenSource source = new();
        Thread canceller = Later.Cancel(source, 20);
        Assert.ThrowsAny<OperationCanceledException>(() => model.Tokenize(endless, source.Token));
        canceller.Join();
    }

    [Fact]
    public async Task LogitsElsewhere()
    {
        GoldenModel golden = new("model-lookup");
        using Model model = Model.Load(golden.Folder);
        int[] ids = golden.TextIds[0];
        float[][] expected = model.Logits(ids, [1, 0]);
        float[][] later = await model.LogitsAsync([ids], [1, 0]);
        Golden.AssertSameBits(expected[0], later[0]);
        Golden.AssertSameBits(expected[1], later[1]);
        await Assert.ThrowsAsync<TaskCanceledException>(() => model.LogitsAsync([ids], [0], new CancellationToken(true)));
    }
}
