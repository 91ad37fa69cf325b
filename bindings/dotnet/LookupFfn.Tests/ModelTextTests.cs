// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Texts become the golden tokens, and what is computed of them is what is computed of their tokens.</summary>
public class ModelTextTests
{
    private const string Masked = "Freedom is <mask> word that everyone uses.";

    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public void Tokens(string name)
    {
        GoldenModel golden = new(name);
        using Model model = Model.Load(golden.Folder);
        for (int i = 0; i < golden.Texts.Count; i++)
        {
            string text = golden.Texts[i];
            Assert.Equal(golden.TextIds[i], model.Tokenize(text));
            TokenSpan[] bare = model.TokenizeSpans(text, special: false);
            Assert.Equal(golden.BareIds[i], bare.Select(token => token.Id));
            int begin = 0;
            foreach (TokenSpan token in bare)
            {
                Assert.True(token.Begin >= begin && token.End >= token.Begin && token.End <= text.Length, $"{text}: {token}");
                begin = token.Begin;
            }

            bool lossy = bare.Any(token => token.Id == model.Info.UnkId || token.Id == model.Info.MaskId);
            if (!lossy)
            {
                Assert.Equal(text, model.Detokenize(model.Tokenize(text)));
            }
        }

        Assert.Empty(model.TokenizeSpans("", special: false));
        Assert.Equal([model.Info.BosId, model.Info.EosId], model.Tokenize(""));
        Assert.Equal("", model.Detokenize([]));
        Assert.NotEqual("", model.Detokenize([model.Info.BosId], skipSpecial: false));
    }

    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public async Task TextsAreTheirTokens(string name)
    {
        GoldenModel golden = new(name);
        using Model model = Model.Load(golden.Folder);
        string text = golden.Texts[0];
        int[] ids = golden.TextIds[0];
        Golden.AssertSameBits(model.Encode(ids), model.Encode(text));
        Golden.AssertSameBits(model.Classify(ids), model.Classify(text));
        Golden.AssertSameBits(model.Embed(ids, new() { Pooling = Pooling.Max }), model.Embed(text, new() { Pooling = Pooling.Max }));
        string[] both = [text, golden.Texts[1]];
        float[][] hidden = await model.EncodeAsync(both);
        float[][] scores = await model.ClassifyAsync(both);
        float[][] vectors = await model.EmbedAsync(both);
        Golden.AssertSameBits(model.Encode(golden.TextIds[1]), hidden[1]);
        Golden.AssertSameBits(model.Classify(golden.TextIds[1]), scores[1]);
        Golden.AssertSameBits(model.Embed(golden.TextIds[1]), vectors[1]);
        string endless = string.Concat(Enumerable.Repeat("word ", 10_000));
        Assert.Equal(model.Info.MaxTokens * model.Info.HiddenSize, model.Encode(endless).Length);
    }

    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public async Task Masks(string name)
    {
        using Model model = Model.Load(new GoldenModel(name).Folder);
        int[] ids = model.Tokenize(Masked);
        float[] logits = model.Logits(ids, [Array.IndexOf(ids, model.Info.MaskId)])[0];
        MaskCandidate[] candidates = Assert.Single(model.FillMask(Masked, 4));
        Assert.Equal(4, candidates.Length);
        float best = logits.Max();
        Assert.Equal(best, logits[candidates[0].Id]);
        double sum = logits.Sum(logit => Math.Exp(logit - best));
        for (int i = 0; i < 4; i++)
        {
            Assert.Equal(Math.Exp(logits[candidates[i].Id] - best) / sum, candidates[i].Probability, 1e-5);
            Assert.True(i == 0 || candidates[i].Probability <= candidates[i - 1].Probability);
            Assert.NotEmpty(candidates[i].Text);
        }

        MaskCandidate[][][] many = model.FillMask([Masked, "nothing", Masked], 4);
        Assert.Equal(candidates, many[0][0]);
        Assert.Empty(many[1]);
        Assert.Equal(candidates, Assert.Single(many[2]));
        MaskCandidate[][] later = await model.FillMaskAsync(Masked, 4);
        Assert.Equal(candidates, later[0]);
        Assert.Equal(9, model.FillMask(string.Concat(Enumerable.Repeat("<mask> ", 9)), 1).Length);
        Assert.Equal(model.Info.VocabSize, model.FillMask(Masked, model.Info.VocabSize)[0].Length);
        Assert.Empty(model.FillMask("nothing to fill", 3));
    }

    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public void Misuse(string name)
    {
        Model model = Model.Load(new GoldenModel(name).Folder);
        int vocab = model.Info.VocabSize;
        Assert.ThrowsAny<ArgumentException>(() => model.Detokenize([vocab]));
        Assert.Throws<ArgumentOutOfRangeException>(() => model.FillMask("a <mask>", 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => model.FillMask("a <mask>", vocab + 1));
        Assert.ThrowsAny<ArgumentException>(() => model.Tokenize("half of a rocket: \ud83d"));
        Assert.ThrowsAny<ArgumentException>(() => model.Embed("\ude80"));
        Assert.Throws<ArgumentNullException>(() => model.Encode((string)null!));
        Assert.Throws<ArgumentNullException>(() => model.Tokenize(null!));
        Assert.Throws<ArgumentNullException>(() => model.Embed(["a", null!]));
        model.Dispose();
        Assert.Throws<ObjectDisposedException>(() => model.Tokenize("a"));
        Assert.Throws<ObjectDisposedException>(() => model.Detokenize([5]));
        Assert.Throws<ObjectDisposedException>(() => model.FillMask("<mask>", 1));
        Assert.Throws<ObjectDisposedException>(() => model.Embed(["a"]));
    }
}

/// <summary>Entities, answers and labels: places are those of the string, what comes is in order, and options
/// count.</summary>
public class ModelTasksTests
{
    private const string Text = "\U0001F600 Hello, world! The quick brown fox.";

    [Fact]
    public void Entities()
    {
        using Model model = Load("tokens");
        Assert.Equal(5, model.Info.NumTokenClasses);
        Assert.Equal(["O", "B-MISC", "I-MISC", "B-PER", "I-PER"], model.Labels);
        foreach (Aggregation how in Enum.GetValues<Aggregation>())
        {
            NamedEntity[] found = model.Entities(Text, how);
            Assert.NotEmpty(found);
            int at = 0;
            foreach (NamedEntity entity in found)
            {
                Assert.True(entity.Begin >= at && entity.End >= entity.Begin, entity.ToString());
                Assert.Equal(Text[entity.Begin..entity.End], entity.Text);
                Assert.InRange(entity.Score, 0, 1);
                Assert.Equal(how == Aggregation.None, entity.Label.Contains('-', StringComparison.Ordinal));
                at = entity.Begin;
            }
        }

        Assert.Empty(model.Entities(""));
        string tooLong = string.Concat(Enumerable.Repeat("a ", 500));
        model.Entities(tooLong);
        TextCounts counts = new();
        model.Entities([Text, tooLong], new EntityOptions { Counts = counts });
        Assert.False(counts.IsCut(0));
        Assert.True(counts.IsCut(1) && counts.UncutTokens(1) > 500);
        Assert.Equal(model.Entities("a \ufffd Hello"), model.Entities("a \ud83d Hello", new EntityOptions { Repair = true }));
        Assert.Throws<ArgumentException>("text", () => model.Entities(tooLong, new EntityOptions { RefuseLongTexts = true }));
        Assert.Throws<ArgumentOutOfRangeException>(() => model.Entities(tooLong, maxTokens: 0));
        Assert.Throws<ArgumentOutOfRangeException>("Aggregation", () => model.Entities(Text, (Aggregation)77));
        Assert.Throws<UnsupportedModelException>(() => model.Answer("a", "b"));
        Assert.Throws<UnsupportedModelException>(() => model.Classify("a"));
    }

    [Fact]
    public void Answers()
    {
        using Model model = Load("answers");
        Assert.True(model.Info.AnswersQuestions);
        Assert.Empty(model.Labels);
        AnswerOptions options = new() { TopK = 3, MaxTokens = 16, Stride = 2 };
        FoundAnswer[] found = model.Answer("fox", Text, options);
        Assert.Equal(3, found.Length);
        Assert.All(found, answer => Assert.Equal(Text[answer.Begin..answer.End], answer.Text));
        Assert.True(found[0].Score >= found[1].Score && found[1].Score >= found[2].Score);
        Assert.Single(model.Answer("fox", Text));
        Assert.Equal(0, model.Answer("fox", "", new() { MayBeNone = true })[0].End);
        Assert.ThrowsAny<ArgumentException>(() => model.Answer("fox", Text, options with { Stride = 99 }));
        Assert.ThrowsAny<ArgumentException>(() => model.Answer("fox", Text, options with { TopK = 0 }));
        Assert.Throws<ArgumentOutOfRangeException>("TopK", () => model.Answer("fox", Text, options with { TopK = int.MaxValue }));
        Assert.Throws<ArgumentOutOfRangeException>(() => model.Answer("fox", Text, options with { MaxTokens = 0 }));
        Assert.Single(model.Answer("fox", Text, new() { OneWindow = true }));
        Assert.Throws<UnsupportedModelException>(() => model.Entities(Text));
        Assert.ThrowsAny<OperationCanceledException>(
            () => model.Answer("fox", Text, options, new CancellationToken(canceled: true)));
    }

    [Fact]
    public void Labels()
    {
        using Model model = Load("entailment");
        string[] labels = ["a fox", "\u00e4", ""];
        ScoredLabel[] one = model.ZeroShot(Text, labels);
        Assert.Equal(labels.Order(StringComparer.Ordinal), one.Select(label => label.Label).Order(StringComparer.Ordinal));
        Assert.Equal(1, one.Sum(label => label.Score), 1e-5);
        Assert.True(one[0].Score >= one[2].Score);
        ScoredLabel[] several = model.ZeroShot(Text, labels, new() { Several = true, Hypothesis = "Is it {}?" });
        Assert.True(Math.Abs(several.Sum(label => label.Score) - 1) > 1e-4);
        Assert.Empty(model.ZeroShot(Text, []));
        Assert.ThrowsAny<ArgumentException>(() => model.ZeroShot(Text, labels, new() { Hypothesis = "none" }));
    }

    /// <summary>Batches give each what it gets alone, later as well as now.</summary>
    [Fact]
    public async Task BatchesAndLater()
    {
        string[] texts = [Text, "", "Another quick brown fox."];
        using (Model model = Load("tokens"))
        {
            NamedEntity[][] found = model.Entities(texts, Aggregation.First);
            Assert.Equal(texts.Select(text => model.Entities(text, Aggregation.First)), found);
            Assert.Equal(found, await model.EntitiesAsync(texts, Aggregation.First));
            Assert.Equal(found[0], await model.EntitiesAsync(Text, Aggregation.First));
            Assert.Empty(model.Entities([]));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => model.EntitiesAsync(texts, cancellationToken: new CancellationToken(canceled: true)));
        }

        using (Model model = Load("answers"))
        {
            QuestionInContext[] questions = [new("fox", Text), new("dog", texts[2])];
            AnswerOptions options = new() { TopK = 2 };
            FoundAnswer[][] found = model.Answer(questions, options);
            Assert.Equal(questions.Select(asked => model.Answer(asked.Text, asked.Context, options)), found);
            Assert.Equal(found, await model.AnswerAsync(questions, options));
            Assert.Equal(found[1], await model.AnswerAsync("dog", texts[2], options));
        }

        using (Model model = Load("entailment"))
        {
            string[] labels = ["a fox", "a dog"];
            ScoredLabel[][] found = model.ZeroShot(texts, labels);
            Assert.Equal(texts.Select(text => model.ZeroShot(text, labels)), found);
            Assert.Equal(found, await model.ZeroShotAsync(texts, labels));
            Assert.Equal(found[2], await model.ZeroShotAsync(texts[2], labels));
        }
    }

    private static Model Load(string name) => Model.Load(Path.Combine(
        Environment.GetEnvironmentVariable("LOOKUPFFN_MADE_MODELS")
            ?? throw new InvalidOperationException("LOOKUPFFN_MADE_MODELS is not set"),
        name));
}
