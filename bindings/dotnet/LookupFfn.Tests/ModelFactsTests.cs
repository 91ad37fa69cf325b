// SPDX-License-Identifier: Apache-2.0
using System.Text;
using Xunit;

namespace LookupFfn.Tests;

/// <summary>What models say of themselves: what becomes of their scores, their family, their config.</summary>
public class ModelFactsTests
{
    private static readonly string Folder = Path.Combine(
        Environment.GetEnvironmentVariable("LOOKUPFFN_MADE_MODELS")
            ?? throw new InvalidOperationException("LOOKUPFFN_MADE_MODELS is not set"),
        "entailment");

    [Theory]
    [InlineData("Identity", ScoreActivation.Identity)]
    [InlineData("Tanh", ScoreActivation.Tanh)]
    [InlineData("ReLU", ScoreActivation.Relu)]
    [InlineData("Sigmoid", ScoreActivation.Sigmoid)]
    [InlineData("GELU", ScoreActivation.Gelu)]
    public void ScoresBecomeWhatTheInfoSays(string name, ScoreActivation activation)
    {
        using Model model = With($"\"sbert_ce_default_activation_function\": \"torch.nn.modules.activation.{name}\"");
        Assert.Equal(activation, model.Info.ScoreActivation);
        float[] raw = model.Classify("a text");
        float[] scores = model.Classify("a text", new EmbedOptions { Scores = ScoreKind.Model });
        Func<double, double>? made = activation switch
        {
            ScoreActivation.Identity => x => x,
            ScoreActivation.Tanh => Math.Tanh,
            ScoreActivation.Relu => x => Math.Max(x, 0),
            ScoreActivation.Sigmoid => x => 1 / (1 + Math.Exp(-x)),
            _ => null,
        };
        for (int i = 0; i < raw.Length && made is not null; i++)
        {
            Assert.Equal(made(raw[i]), scores[i], 1e-5);
        }
    }

    [Fact]
    public void WithoutANameItDependsOnTheClasses()
    {
        using Model several = Model.Load(Folder);
        using Model one = Model.Load(Path.Combine(Folder, "..", "reranker"));
        Assert.Equal(ScoreActivation.Identity, several.Info.ScoreActivation);
        Assert.Equal(ScoreActivation.Sigmoid, one.Info.ScoreActivation);
        using Model labels = With("\"problem_type\": \"multi_label_classification\"");
        Assert.True(labels.Info.SeveralLabels);
        Assert.False(several.Info.SeveralLabels);
    }

    [Fact]
    public void HowTokensAttend()
    {
        using Model model = Model.Load(Path.Combine(Folder, "..", "rotary"));
        Assert.False(model.Info.IsCausal);
        Assert.Equal((3, 1000000.5f, 10000f), (model.Info.Window, model.Info.Theta, model.Info.LocalTheta));
        Assert.Equal((3, 10000f), (model.Layers[0].Window, model.Layers[0].Theta));
        Assert.Equal((0, 1000000.5f), (model.Layers[1].Window, model.Layers[1].Theta));
    }

    [Fact]
    public void FamilyAndConfig()
    {
        Model model = Model.Load(Folder);
        Assert.Equal("bert", model.Family);
        Assert.Equal(File.ReadAllText(Path.Combine(Folder, "config.json")), model.Config);
        model.Dispose();
        Assert.Throws<ObjectDisposedException>(() => model.Family);
        Assert.Throws<ObjectDisposedException>(() => model.Config);
    }

    /// <summary>The model, whose config says something more.</summary>
    private static Model With(string member)
    {
        Dictionary<string, ReadOnlyMemory<byte>> files = Directory.GetFiles(Folder).ToDictionary(
            path => Path.GetFileName(path), path => new ReadOnlyMemory<byte>(File.ReadAllBytes(path)));
        string config = Encoding.UTF8.GetString(files["config.json"].Span);
        files["config.json"] = Encoding.UTF8.GetBytes(string.Concat("{", member, ",", config.AsSpan(config.IndexOf('{', StringComparison.Ordinal) + 1)));
        return Model.Load(files);
    }
}
