using System.Globalization;

namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>One row for each text, as the model means its texts.</summary>
    private float[][] RunTexts(
        IReadOnlyList<string> given, int output, EmbedOptions options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(given);
        ArgumentNullException.ThrowIfNull(options);
        cancellationToken.ThrowIfCancellationRequested();
        byte[][] texts = [.. given.Select(Utf8.Of)];
        long[] sizes = new long[texts.Length];
        Array.Fill(sizes, output == Raw.OUTPUT_CLASS_SCORES ? info.NumClasses : EmbeddingSize(options));
        long bytes = texts.Sum(text => (long)text.Length);
        long total = sizes.Sum();
        if (Math.Max(bytes, total) >= Array.MaxLength)
        {
            throw new ArgumentException(
                string.Create(CultureInfo.InvariantCulture, $"{bytes} bytes of text are too many for one call"),
                nameof(given));
        }

        // One element more than needed: a pointer to nothing is null, which says that an output is not wanted.
        byte[] utf8 = new byte[bytes + 1];
        long[] ends = new long[texts.Length + 1];
        long end = 0;
        for (int i = 0; i < texts.Length; i++)
        {
            texts[i].CopyTo(utf8, end);
            end += texts[i].Length;
            ends[i] = end;
        }

        float[] values = GC.AllocateUninitializedArray<float>((int)total + 1);
        int cancel = 0;
        IntPtr model = handle.Enter();
        try
        {
            // Disposing the registration waits for a callback that is just running, before the stack goes.
            using (cancellationToken.UnsafeRegister(Native.Cancel, (IntPtr)(&cancel)))
            {
                fixed (byte* text = utf8, prompt = Utf8.Of((options.Prompt ?? "") + "\0"))
                fixed (long* textEnds = ends)
                fixed (float* value = values)
                {
                    int status = Raw.ModelRunTexts(
                        model,
                        text,
                        textEnds,
                        texts.Length,
                        output,
                        options.MaxTokens ?? Raw.MAX_TOKENS_MODEL,
                        options.PromptKind,
                        prompt,
                        (int)options.Pooling,
                        options.Normalization,
                        value,
                        total,
                        &cancel);
                    Check(status, cancellationToken);
                }
            }
        }
        finally
        {
            handle.DangerousRelease();
        }

        return Split(values, sizes);
    }
}
