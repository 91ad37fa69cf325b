using System.Globalization;

namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>The language model head's logits at some places of a sequence.</summary>
    /// <param name="ids">A sequence.</param>
    /// <param name="positions">Places in it, in any order.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.VocabSize"/> floats for each position.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Logits(int[] ids, IReadOnlyList<int> positions, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(positions);
        return Logits([ids], positions.Select(position => (long)position).ToArray(), cancellationToken);
    }

    /// <summary>The language model head's logits at some places of a batch.</summary>
    /// <param name="sequences">Any number of sequences of ids.</param>
    /// <param name="positions">Places in the sequences laid end to end, in any order.</param>
    /// <param name="cancellationToken">Looked at while computing.</param>
    /// <returns><see cref="ModelInfo.VocabSize"/> floats for each position.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public float[][] Logits(
        IReadOnlyList<int[]> sequences, ReadOnlySpan<long> positions, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(sequences);

        // Without the head, the call below says so.
        long size = info.HasLmHead ? info.VocabSize : 0;
        long[] sizes = new long[positions.Length];
        Array.Fill(sizes, size);
        long[] places = positions.ToArray();
        return Run([.. sequences], Raw.OUTPUT_LOGITS, places, EmbedOptions.Default, sizes, cancellationToken);
    }

    private float[][] Run(
        IReadOnlyList<int[]> given,
        int output,
        EmbedOptions options,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(given);

        // A copy: another thread may put other sequences in their places.
        int[][] sequences = [.. given];
        long[] sizes = new long[sequences.Length];
        for (int i = 0; i < sizes.Length; i++)
        {
            ArgumentNullException.ThrowIfNull(sequences[i], nameof(given));
            sizes[i] = output switch
            {
                Raw.OUTPUT_HIDDEN => (long)sequences[i].Length * info.HiddenSize,
                Raw.OUTPUT_CLASS_SCORES => info.NumClasses,
                _ => EmbeddingSize(options),
            };
        }

        return Run(sequences, output, [], options, sizes, cancellationToken);
    }

    /// <summary>Lays the sequences end to end, runs the model, and takes the output apart into parts of the given
    /// sizes.</summary>
    private float[][] Run(
        int[][] sequences,
        int output,
        long[] positions,
        EmbedOptions options,
        long[] sizes,
        CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        long[] offsets = new long[sequences.Length + 1];
        for (int i = 0; i < sequences.Length; i++)
        {
            ArgumentNullException.ThrowIfNull(sequences[i], nameof(sequences));
            offsets[i + 1] = offsets[i] + sequences[i].Length;
        }

        long total = sizes.Sum();
        if (Math.Max(total, offsets[^1]) >= Array.MaxLength)
        {
            throw new ArgumentException(
                string.Create(CultureInfo.InvariantCulture, $"{offsets[^1]} tokens are too many for one call"),
                nameof(sequences));
        }

        // One element more than needed: a pointer to nothing is null, which says that an output is not wanted.
        int[] ids = new int[offsets[^1] + 1];
        for (int i = 0; i < sequences.Length; i++)
        {
            sequences[i].CopyTo(ids, offsets[i]);
        }

        float[] values = GC.AllocateUninitializedArray<float>((int)total + 1);
        int cancel = 0;
        IntPtr model = handle.Enter();
        try
        {
            // Disposing the registration waits for a callback that is just running, before the stack goes.
            using (cancellationToken.UnsafeRegister(Native.Cancel, (IntPtr)(&cancel)))
            {
                fixed (int* id = ids)
                fixed (long* offset = offsets, position = positions)
                fixed (float* value = values)
                {
                    int status = Raw.ModelRun(
                        model,
                        id,
                        offset,
                        sequences.Length,
                        output,
                        position,
                        positions.Length,
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

    private int EmbeddingSize(EmbedOptions options) =>
        options.Pooling == Pooling.Model ? info.EmbeddingSize : info.HiddenSize;

    private static float[][] Split(float[] values, long[] sizes)
    {
        float[][] results = new float[sizes.Length][];
        int at = 0;
        for (int i = 0; i < sizes.Length; i++)
        {
            results[i] = values.AsSpan(at, (int)sizes[i]).ToArray();
            at += (int)sizes[i];
        }

        return results;
    }
}
