// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>What a tokenizer is. Ids of tokens that it lacks are -1.</summary>
public sealed record TokenizerInfo
{
    internal TokenizerInfo(ReadOnlySpan<long> numbers)
    {
        VocabSize = (int)numbers[Raw.TOKENIZER_VOCAB_SIZE];
        BosId = (int)numbers[Raw.TOKENIZER_BOS_ID];
        EosId = (int)numbers[Raw.TOKENIZER_EOS_ID];
        PadId = (int)numbers[Raw.TOKENIZER_PAD_ID];
        UnkId = (int)numbers[Raw.TOKENIZER_UNK_ID];
        MaskId = (int)numbers[Raw.TOKENIZER_MASK_ID];
        AddedToText = (int)numbers[Raw.TOKENIZER_ADDED_TO_TEXT];
        AddedToPair = (int)numbers[Raw.TOKENIZER_ADDED_TO_PAIR];
        Kind = (TokenizerKind)numbers[Raw.TOKENIZER_KIND];
        IsWordPiece = Kind == TokenizerKind.WordPiece;
        OwnMaxTokens = numbers[Raw.TOKENIZER_OWN_MAX_TOKENS];
        MemoryBytes = numbers[Raw.TOKENIZER_MEMORY_BYTES];
    }

    /// <summary>One more than the largest id.</summary>
    public int VocabSize { get; }

    /// <summary>The id of the token that begins a text.</summary>
    public int BosId { get; }

    /// <summary>The id of the token that ends a text.</summary>
    public int EosId { get; }

    /// <summary>The id of the padding token, which is never needed here.</summary>
    public int PadId { get; }

    /// <summary>The id of the token for text that the vocabulary lacks.</summary>
    public int UnkId { get; }

    /// <summary>The id of the token for a blank to be filled.</summary>
    public int MaskId { get; }

    /// <summary>How many special tokens are put around a text.</summary>
    public int AddedToText { get; }

    /// <summary>How many special tokens are put around a pair of texts.</summary>
    public int AddedToPair { get; }

    /// <summary>How it makes tokens of words.</summary>
    public TokenizerKind Kind { get; }

    /// <summary>Whether it is a WordPiece tokenizer: see <see cref="Kind"/>.</summary>
    public bool IsWordPiece { get; }

    /// <summary>The most tokens of a text according to the tokenizer's files, special ones counted; 0 if these tell
    /// none.</summary>
    public long OwnMaxTokens { get; }

    /// <summary>Bytes of memory that it takes.</summary>
    public long MemoryBytes { get; }
}

/// <summary>The tokens of a pair of texts.</summary>
/// <param name="Ids">Their ids.</param>
/// <param name="Types">For each 1 if it is the second text's and the model tells them apart, else 0.</param>
/// <param name="UncutTokens">How many there would be without cutting.</param>
public sealed record TokenizedPair(int[] Ids, int[] Types, long UncutTokens)
{
    /// <summary>Whether the tokens are the same.</summary>
    /// <param name="other">What is compared; null is another.</param>
    /// <returns>Whether they are.</returns>
    public bool Equals(TokenizedPair? other) =>
        other is not null && UncutTokens == other.UncutTokens && Ids.AsSpan().SequenceEqual(other.Ids)
        && Types.AsSpan().SequenceEqual(other.Types);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        HashCode hash = default;
        hash.AddBytes(System.Runtime.InteropServices.MemoryMarshal.AsBytes(Ids.AsSpan()));
        return hash.ToHashCode();
    }

    /// <inheritdoc/>
    public override string ToString() =>
        $"{Ids.Length} tokens{(UncutTokens > Ids.Length ? ", cut" : "")}: {string.Join(' ', Ids)}";
}
