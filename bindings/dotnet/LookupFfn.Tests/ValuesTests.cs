// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>Options and results are equal by what is in them, and say what they are.</summary>
public class ValuesTests
{
    [Fact]
    public void OptionsAreValues()
    {
        AssertEqual(new EmbedOptions { MaxTokens = 3 }, new EmbedOptions { MaxTokens = 3 }, new EmbedOptions());
        AssertEqual(new LoadOptions { NumThreads = 2 }, new LoadOptions { NumThreads = 2 }, new LoadOptions());
        AssertEqual(new LoadOptions { Adapter = "a" }, new LoadOptions { Adapter = "a" }, new LoadOptions { Adapter = "b" });
        Progress<double> told = new();
        Assert.Equal(new SaveOptions { Progress = told }, new SaveOptions { Progress = told });
        Assert.NotEqual(new SaveOptions { Progress = told }, new SaveOptions());
        AssertEqual(new AnswerOptions { TopK = 2 }, new AnswerOptions { TopK = 2 }, new AnswerOptions());
        AssertEqual(new ZeroShotOptions { Several = true }, new ZeroShotOptions { Several = true }, new ZeroShotOptions());
        AssertEqual(new BatchingOptions { MaxQueue = 5 }, new BatchingOptions { MaxQueue = 5 }, new BatchingOptions());
        Assert.Contains("MaxTokens = 3", new EmbedOptions { MaxTokens = 3 }.ToString(), StringComparison.Ordinal);
        Assert.Contains("NumThreads = 2", new LoadOptions { NumThreads = 2 }.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void ResultsAreValues()
    {
        using Model model = Model.Load(new GoldenModel("model-lookup").Folder);
        AssertEqual(model.EmbedWithCounts("one"), model.EmbedWithCounts("one"), model.EmbedWithCounts("two"));
        AssertEqual(model.EmbedWithCounts(["one", ""]), model.EmbedWithCounts(["one", ""]), model.EmbedWithCounts(["one"]));
        AssertEqual(model.ClassifyWithCounts(["one"]), model.ClassifyWithCounts(["one"]), model.ClassifyWithCounts(["two"]));
        Assert.NotEqual(
            model.EmbedWithCounts(["a b c d e f"], new() { MaxTokens = 4 }),
            model.EmbedWithCounts(["a b c d"], new() { MaxTokens = 4 }));
        AssertEqual(model.TokenizeSpans("one")[0], model.TokenizeSpans("one")[0], model.TokenizeSpans("one")[1]);
        Assert.Equal(
            $"2 vectors of {model.Info.EmbeddingSize} numbers: 2 texts, {model.EmbedWithCounts(["one", ""]).Counts.TotalTokens} tokens",
            model.EmbedWithCounts(["one", ""]).ToString());
        Assert.Equal(
            $"1 rows of scores of 3 numbers: 1 texts, {model.Tokenize("one").Length} tokens",
            model.ClassifyWithCounts(["one"]).ToString());
        Assert.EndsWith("4 tokens, cut", model.EmbedWithCounts("a b c d", new() { MaxTokens = 4 }).ToString(), StringComparison.Ordinal);

        // Equal to itself, as what is put into a set must be, whatever its numbers.
        AssertEqual(new EmbeddedWindow(0, 1, "a", [2]), new EmbeddedWindow(0, 1, "a", [2]), new EmbeddedWindow(0, 2, "ab", [2]));
        AssertEqual(new Int8Embedding([1, -2], 3), new Int8Embedding([1, -2], 3), new Int8Embedding([1, 2], 3));
        TokenSpan token = new(1, 2, 3);
        AssertEqual(new TokenVector(token, true, [1]), new TokenVector(token, true, [1]), new TokenVector(token, true, [2]));
        BatchedEmbedding none = new([float.NaN], 1, 1);
        AssertEqual(none, new BatchedEmbedding([float.NaN], 1, 1), new BatchedEmbedding([0], 1, 1));
    }

    private static void AssertEqual<T>(T first, T second, T other)
        where T : notnull
    {
        Assert.Equal<object>(first, second);
        Assert.Equal(first.GetHashCode(), second.GetHashCode());
        Assert.NotEqual<object>(first, other);
        Assert.False(first.Equals(null));
        Assert.DoesNotContain("System.", first.ToString(), StringComparison.Ordinal);
    }
}
