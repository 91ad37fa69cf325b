// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>A tokenizer without a model gives what the model's does.</summary>
public class TokenizerTests
{
    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public void SeveralSequencesAreEachAsAlone(string name)
    {
        GoldenModel golden = new(name);
        using Tokenizer tokenizer = Tokenizer.Load(golden.Folder);
        foreach (bool skip in new[] { false, true })
        {
            Assert.Equal(
                golden.TextIds.Select(ids => tokenizer.Detokenize(ids, skip)), tokenizer.DetokenizeAll(golden.TextIds, skip));
        }

        Assert.Empty(tokenizer.DetokenizeAll([]));
        Assert.Equal(["", ""], tokenizer.DetokenizeAll([[], []]));
        Assert.ThrowsAny<ArgumentException>(() => tokenizer.DetokenizeAll([[0], [tokenizer.Info.VocabSize]]));
        Assert.Throws<ArgumentNullException>("sequences", () => tokenizer.DetokenizeAll([[0], null!]));
    }

    [Theory]
    [InlineData(TokenizerKind.BytePairs, """
        {"pre_tokenizer": {"type": "ByteLevel"}, "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}
        """)]
    [InlineData(TokenizerKind.WordPiece, """
        {"pre_tokenizer": {"type": "BertPreTokenizer"},
         "model": {"type": "WordPiece", "unk_token": "a", "vocab": {"a": 0}}}
        """)]
    [InlineData(TokenizerKind.Unigram, """{"model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", -1.0]]}}""")]
    public void TellsItsKind(TokenizerKind kind, string json)
    {
        Dictionary<string, ReadOnlyMemory<byte>> files = new()
        {
            ["tokenizer.json"] = System.Text.Encoding.UTF8.GetBytes(json),
        };
        using Tokenizer tokenizer = Tokenizer.Load(files);
        Assert.Equal(kind, tokenizer.Info.Kind);
        Assert.Equal(kind == TokenizerKind.WordPiece, tokenizer.Info.IsWordPiece);
        Assert.True(tokenizer.Info.MemoryBytes > 0);
    }

    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public void GivesTheGoldenTokens(string name)
    {
        GoldenModel golden = new(name);
        using Tokenizer tokenizer = Tokenizer.Load(golden.Folder);
        using Model model = Model.Load(golden.Folder);
        using Tokenizer ofModel = model.GetTokenizer();
        for (int i = 0; i < golden.Texts.Count; i++)
        {
            Assert.Equal(golden.TextIds[i], tokenizer.Tokenize(golden.Texts[i]));
            Assert.Equal(golden.BareIds[i], tokenizer.Tokenize(golden.Texts[i], special: false));
            Assert.Equal(golden.TextIds[i].Length, tokenizer.Count(golden.Texts[i]));
            Assert.Equal(model.TokenizeSpans(golden.Texts[i]), tokenizer.TokenizeSpans(golden.Texts[i]));
            Assert.Equal(model.Detokenize(golden.TextIds[i]), tokenizer.Detokenize(golden.TextIds[i]));
            Assert.Equal(golden.TextIds[i], ofModel.Tokenize(golden.Texts[i]));
        }

        Assert.Equal(model.Info.MaskId, tokenizer.Info.MaskId);
        Assert.Equal(model.Info.BosId, tokenizer.Info.BosId);
        string mask = tokenizer.Token(tokenizer.Info.MaskId)!;
        Assert.Equal(tokenizer.Info.MaskId, tokenizer.Find(mask));
        Assert.Null(tokenizer.Find("no such token at all"));
        Assert.Null(tokenizer.Find(""));
        Assert.ThrowsAny<ArgumentException>(() => tokenizer.Token(tokenizer.Info.VocabSize));
    }

    [Theory]
    [MemberData(nameof(GoldenModel.Names), MemberType = typeof(GoldenModel))]
    public void BatchesGiveTheSame(string name)
    {
        GoldenModel golden = new(name);
        using Tokenizer tokenizer = Tokenizer.Load(golden.Folder, new LoadOptions { NumThreads = 2 });
        Assert.Equal(golden.TextIds, tokenizer.Tokenize(golden.Texts));
        Assert.Equal(golden.BareIds, tokenizer.Tokenize(golden.Texts, special: false));
        TokenSpan[][] spans = tokenizer.TokenizeSpans(golden.Texts);
        int[][] cut = tokenizer.Tokenize(golden.Texts, maxTokens: 4);
        for (int i = 0; i < golden.Texts.Count; i++)
        {
            Assert.Equal(tokenizer.TokenizeSpans(golden.Texts[i]), spans[i]);
            Assert.Equal(tokenizer.Tokenize(golden.Texts[i], maxTokens: 4), cut[i]);
        }

        string[] none = [];
        Assert.Empty(tokenizer.Tokenize(none));
        Assert.Empty(tokenizer.TokenizeSpans(none));
        string[] bad = ["fine", "half \ud83d"];
        ArgumentException told = Assert.Throws<ArgumentException>("texts", () => tokenizer.Tokenize(bad));
        Assert.StartsWith("texts[1]: half of", told.Message, StringComparison.Ordinal);
        bad[1] = null!;
        Assert.Throws<ArgumentNullException>("texts", () => tokenizer.TokenizeSpans(bad));
        Assert.Throws<ArgumentNullException>("texts", () => tokenizer.Tokenize((string[])null!));
        Assert.ThrowsAny<OperationCanceledException>(() => tokenizer.Tokenize(none, cancellationToken: new(true)));
        tokenizer.Dispose();
        Assert.Throws<ObjectDisposedException>(() => tokenizer.Tokenize(none));
    }

    [Fact]
    public void PairsAndCutting()
    {
        string folder = new GoldenModel("model-lookup").Folder;
        using Tokenizer tokenizer = Tokenizer.Load(
            Directory.GetFiles(folder).ToDictionary(
                path => Path.GetFileName(path), path => new ReadOnlyMemory<byte>(File.ReadAllBytes(path))));
        const string First = "a question";
        const string Second = "the lazy dog and more words";
        int[] first = tokenizer.Tokenize(First, special: false);
        int[] second = tokenizer.Tokenize(Second, special: false);
        (int bos, int eos) = (tokenizer.Info.BosId, tokenizer.Info.EosId);
        TokenizedPair pair = tokenizer.TokenizePair(First, Second);
        Assert.Equal([bos, .. first, eos, eos, .. second, eos], pair.Ids);
        Assert.Equal(pair.Ids.Length, pair.Types.Length);
        Assert.Equal(pair.Ids.Length, pair.UncutTokens);
        Assert.Equal(pair.Ids.Length - first.Length - second.Length, tokenizer.Info.AddedToPair);
        Assert.Equal(pair, tokenizer.TokenizePair(First, Second));
        Assert.Equal(pair.GetHashCode(), tokenizer.TokenizePair(First, Second).GetHashCode());
        TokenizedPair cut = tokenizer.TokenizePair(First, Second, maxTokens: pair.Ids.Length - 2);
        Assert.Equal(pair.Ids.Length - 2, cut.Ids.Length);
        Assert.Equal(pair.UncutTokens, cut.UncutTokens);
        Assert.StartsWith($"{cut.Ids.Length} tokens, cut: {bos} ", cut.ToString(), StringComparison.Ordinal);
        Assert.NotEqual(pair, cut);
        Assert.Equal(4, tokenizer.Tokenize(Second, maxTokens: 4).Length);
        Assert.Equal(tokenizer.Info.AddedToPair, tokenizer.TokenizePair("", "").Ids.Length);
        Assert.Equal(tokenizer.Info.AddedToText, tokenizer.Count(""));
    }

    [Fact]
    public void Misuse()
    {
        string folder = new GoldenModel("model-lookup").Folder;
        Tokenizer tokenizer = Tokenizer.Load(folder);
        Assert.Throws<ArgumentNullException>("text", () => tokenizer.Tokenize((string)null!));
        Assert.Throws<ArgumentNullException>("pair", () => tokenizer.TokenizePair("", null!));
        Assert.Throws<ArgumentNullException>("token", () => tokenizer.Find(null!));
        Assert.Throws<ArgumentException>("text", () => tokenizer.Count("\ud83d"));
        Assert.ThrowsAny<ArgumentException>(() => tokenizer.Tokenize("a", maxTokens: -5));
        Assert.ThrowsAny<OperationCanceledException>(() => tokenizer.Tokenize("a", cancellationToken: new(canceled: true)));
        Assert.Throws<ModelIOException>(() => Tokenizer.Load(folder + "-missing"));
        tokenizer.Dispose();
        tokenizer.Dispose();
        Assert.Equal("Tokenizer (disposed)", tokenizer.ToString());
        Assert.Throws<ObjectDisposedException>(() => tokenizer.Tokenize("a"));
        Assert.Throws<ObjectDisposedException>(() => tokenizer.Detokenize([5]));
        Assert.Throws<ObjectDisposedException>(() => tokenizer.Token(5));
        Assert.Throws<ObjectDisposedException>(() => tokenizer.Find("a"));
    }
}
