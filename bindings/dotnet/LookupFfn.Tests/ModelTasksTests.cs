// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

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
            Entity[] found = model.Entities(Text, how);
            Assert.NotEmpty(found);
            int at = 0;
            foreach (Entity entity in found)
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
        Assert.ThrowsAny<ArgumentException>(() => model.Entities(tooLong, maxTokens: 0));
        Assert.ThrowsAny<ArgumentException>(() => model.Answer("a", "b"));
    }

    [Fact]
    public void Answers()
    {
        using Model model = Load("answers");
        Assert.True(model.Info.AnswersQuestions);
        Assert.Empty(model.Labels);
        AnswerOptions options = new() { TopK = 3, MaxTokens = 16, Stride = 2 };
        Answer[] found = model.Answer("fox", Text, options);
        Assert.Equal(3, found.Length);
        Assert.All(found, answer => Assert.Equal(Text[answer.Begin..answer.End], answer.Text));
        Assert.True(found[0].Score >= found[1].Score && found[1].Score >= found[2].Score);
        Assert.Single(model.Answer("fox", Text));
        Assert.Equal(0, model.Answer("fox", "", new() { MayBeNone = true })[0].End);
        Assert.ThrowsAny<ArgumentException>(() => model.Answer("fox", Text, options with { Stride = 99 }));
        Assert.ThrowsAny<ArgumentException>(() => model.Answer("fox", Text, options with { TopK = 0 }));
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

    private static Model Load(string name) => Model.Load(Path.Combine(
        Environment.GetEnvironmentVariable("LOOKUPFFN_MADE_MODELS")
            ?? throw new InvalidOperationException("LOOKUPFFN_MADE_MODELS is not set"),
        name));
}
