// SPDX-License-Identifier: Apache-2.0
using System.Globalization;

namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>Turns a text into token ids, with the special tokens at its ends, and however many there are.</summary>
    /// <param name="text">A text.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>Its ids.</returns>
    /// <exception cref="ArgumentException">The text contains half of a surrogate pair.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public int[] Tokenize(string text, CancellationToken cancellationToken = default)
    {
        byte[] utf8 = Utf8.Of(text);
        Need(info.HasTokenizer, "tokenizer");
        return TokenRoom.Ids(utf8, ids =>
        {
            fixed (byte* bytes = utf8)
            fixed (int* id = ids)
            {
                return Tokenize(bytes, utf8.Length, 0, id, null, null, ids.Length, cancellationToken);
            }
        });
    }

    /// <summary>Turns a text into tokens, however many there are, and tells where in the text each lies.</summary>
    /// <param name="text">A text.</param>
    /// <param name="special">Whether to put the special tokens at its ends.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>Its tokens.</returns>
    /// <exception cref="ArgumentException">The text contains half of a surrogate pair.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public TokenSpan[] TokenizeSpans(string text, bool special = true, CancellationToken cancellationToken = default)
    {
        Need(info.HasTokenizer, "tokenizer");
        int flags = special ? 0 : Raw.ENCODE_SKIP_SPECIAL;
        return TokenRoom.Spans(
            text,
            nameof(text),
            (utf8, size, ids, begins, ends, capacity) =>
                Tokenize(utf8, size, flags, ids, begins, ends, capacity, cancellationToken));
    }

    /// <summary>Turns token ids into text.</summary>
    /// <param name="ids">The ids.</param>
    /// <param name="skipSpecial">Whether to leave special tokens out.</param>
    /// <returns>The text; bytes that are not UTF-8 become replacement characters.</returns>
    /// <exception cref="ArgumentException">An id is outside of the vocabulary.</exception>
    public string Detokenize(ReadOnlySpan<int> ids, bool skipSpecial = true)
    {
        IntPtr model = handle.Enter();
        try
        {
            return Detokenize(model, ids, skipSpecial);
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    private static string Detokenize(IntPtr model, ReadOnlySpan<int> ids, bool skipSpecial)
    {
        nuint length = (nuint)ids.Length;
        fixed (int* given = ids)
        {
            int* id = given;
            return TokenRoom.Text(ids.Length, utf8 =>
            {
                nuint count = 0;
                fixed (byte* text = utf8)
                {
                    Check(Raw.ModelDetokenize(
                        model, id, length, skipSpecial ? Raw.DECODE_SKIP_SPECIAL : 0, text, (nuint)utf8.Length, &count));
                }

                return checked((int)count);
            });
        }
    }

    /// <summary>A vocabulary may be padded with ids that are no tokens.</summary>
    private static string TextOf(IntPtr model, int id)
    {
        try
        {
            return Detokenize(model, [id], skipSpecial: false);
        }
        catch (ArgumentException)
        {
            return Say($"[{id}]");
        }
    }

    /// <summary>The likeliest tokens for each mask of a text.</summary>
    /// <param name="text">A text with masks, such as "Paris is the &lt;mask&gt; of France."</param>
    /// <param name="topK">How many tokens for each.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>For each mask its candidates, the likeliest first.</returns>
    /// <exception cref="ArgumentException">topK is not between 1 and the size of the vocabulary.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public MaskCandidate[][] FillMask(string text, int topK = 5, CancellationToken cancellationToken = default)
    {
        CheckTopK(topK);
        byte[] utf8 = Utf8.Of(text);
        Need(info.HasLmHead, "language model head");
        IntPtr model = handle.Enter();
        try
        {
            // Counting the masks takes the tokenizer only.
            int count = FillMask(model, utf8, topK, [], [], 0, cancellationToken);
            int[] ids = new int[checked(count * topK)];
            float[] probabilities = new float[ids.Length];
            if (count > 0)
            {
                FillMask(model, utf8, topK, ids, probabilities, count, cancellationToken);
            }

            MaskCandidate[][] masks = new MaskCandidate[count][];
            for (int mask = 0; mask < count; mask++)
            {
                masks[mask] = new MaskCandidate[topK];
                for (int i = 0; i < topK; i++)
                {
                    int at = (mask * topK) + i;
                    string token = TextOf(model, ids[at]);
                    masks[mask][i] = new MaskCandidate(ids[at], token, probabilities[at]);
                }
            }

            return masks;
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    /// <summary>The likeliest tokens for each mask of a text, computed on a thread of the library.</summary>
    /// <param name="text">A text with masks.</param>
    /// <param name="topK">How many tokens for each.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns>For each mask its candidates, the likeliest first.</returns>
    public Task<MaskCandidate[][]> FillMaskAsync(
        string text, int topK = 5, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => FillMask(text, topK, cancellationToken), cancellationToken);

    private void CheckTopK(int topK)
    {
        if (topK < 1 || topK > info.VocabSize)
        {
            throw new ArgumentOutOfRangeException(
                nameof(topK),
                string.Create(CultureInfo.InvariantCulture, $"{topK} is not between 1 and {info.VocabSize}"));
        }
    }

    private int Tokenize(
        byte* utf8,
        int size,
        int flags,
        int* ids,
        long* begins,
        long* ends,
        int capacity,
        CancellationToken cancellationToken)
    {
        nuint count = 0;
        int cancel = 0;
        IntPtr model = handle.Enter();
        try
        {
            using (Native.Register(&cancel, cancellationToken))
            {
                Check(
                    Raw.ModelTokenize(
                        model,
                        utf8,
                        (nuint)size,
                        flags,
                        Raw.MAX_TOKENS_NEVER,
                        ids,
                        begins,
                        ends,
                        (nuint)capacity,
                        &count,
                        &cancel),
                    cancellationToken);
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        return checked((int)count);
    }

    /// <summary>In a handle that was entered.</summary>
    private static int FillMask(
        IntPtr model,
        byte[] utf8, int topK, int[] ids, float[] probabilities, int capacity, CancellationToken cancellationToken)
    {
        nuint count = 0;
        int cancel = 0;
        using (Native.Register(&cancel, cancellationToken))
        {
            fixed (byte* text = utf8)
            fixed (int* id = ids)
            fixed (float* probability = probabilities)
            {
                Check(
                    Raw.ModelFillMask(
                        model, text, (nuint)utf8.Length, topK, id, probability, (nuint)capacity, &count, &cancel),
                    cancellationToken);
            }
        }

        return checked((int)count);
    }
}
