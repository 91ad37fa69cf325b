// SPDX-License-Identifier: Apache-2.0
using System.Globalization;

namespace LookupFfn;

public sealed unsafe partial class Layer
{
    /// <summary>Runs the layer: y = layer(x).</summary>
    /// <param name="x">Tokens of <see cref="InputSize"/> floats.</param>
    /// <param name="y">Receives as many tokens of <see cref="OutputSize"/> floats; may be longer. May begin where x
    /// does when the sizes are equal, and must not overlap it otherwise.</param>
    /// <exception cref="ArgumentException">x is not made of whole tokens, y is too small, or they overlap.</exception>
    public void Forward(ReadOnlySpan<float> x, Span<float> y) => Run(x, y, 0, null, default);

    /// <summary>Runs the layer so that it can be cancelled: y = layer(x).</summary>
    /// <param name="x">Tokens of <see cref="InputSize"/> floats.</param>
    /// <param name="y">Receives as many tokens of <see cref="OutputSize"/> floats; may be longer. May begin where x
    /// does when the sizes are equal, and must not overlap it otherwise.</param>
    /// <param name="cancellationToken">Looked at between tiles of tokens.</param>
    /// <exception cref="ArgumentException">x is not made of whole tokens, y is too small, or they overlap.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled; by then any of y's tokens may have been
    /// written, wholly or in part.</exception>
    public void Forward(ReadOnlySpan<float> x, Span<float> y, CancellationToken cancellationToken) =>
        Run(x, y, 0, cancellationToken);

    /// <summary>Runs the layer with a residual connection: y += layer(x).</summary>
    /// <param name="x">Tokens of <see cref="InputSize"/> floats.</param>
    /// <param name="y">As many tokens of <see cref="OutputSize"/> floats, to which the result is added; may be longer.
    /// May begin where x does when the sizes are equal, and must not overlap it otherwise.</param>
    /// <param name="cancellationToken">Looked at between tiles of tokens.</param>
    /// <exception cref="ArgumentException">x is not made of whole tokens, y is too small, or they overlap.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled; by then any of y's tokens may have been
    /// changed, wholly or in part.</exception>
    public void ForwardAdd(ReadOnlySpan<float> x, Span<float> y, CancellationToken cancellationToken = default) =>
        Run(x, y, Raw.FORWARD_ADD, cancellationToken);

    /// <summary>Runs the layer on a thread of the pool: y = layer(x).</summary>
    /// <param name="x">Tokens of <see cref="InputSize"/> floats, not to be changed before the task has ended.</param>
    /// <param name="y">Receives as many tokens of <see cref="OutputSize"/> floats; may be longer. May begin where x
    /// does when the sizes are equal, and must not overlap it otherwise. Not to be used before the task has
    /// ended.</param>
    /// <param name="cancellationToken">Looked at between tiles of tokens. When the task is cancelled, any of y's tokens
    /// may have been written, wholly or in part.</param>
    /// <returns>A task that ends when y is written.</returns>
    /// <exception cref="ArgumentException">x is not made of whole tokens, y is too small, or they overlap.</exception>
    public Task ForwardAsync(ReadOnlyMemory<float> x, Memory<float> y, CancellationToken cancellationToken = default)
    {
        ThrowIfDisposed();
        CountTokens(x.Span, y.Span);
        return Task.Run(() => Run(x.Span, y.Span, 0, cancellationToken), cancellationToken);
    }

    /// <summary>Only hashes: tells which rows of the tables a forward would add up, with which weights.</summary>
    /// <param name="x">Tokens of <see cref="InputSize"/> floats.</param>
    /// <param name="codes">Receives the row numbers, tokens times tables times probes of them; may be empty.</param>
    /// <param name="scores">Receives as many weights; may be empty.</param>
    /// <exception cref="ArgumentException">x is not made of whole tokens, or codes or scores are too small.</exception>
    public void Hash(ReadOnlySpan<float> x, Span<int> codes, Span<float> scores)
    {
        int tokens = CountInputTokens(x);
        long count = (long)tokens * info.NumTables * info.NumProbes;
        CheckLength(codes.Length, codes.IsEmpty ? 0 : count, nameof(codes));
        CheckLength(scores.Length, scores.IsEmpty ? 0 : count, nameof(scores));
        IntPtr layer = handle.Enter();
        try
        {
            fixed (float* input = x, weights = scores)
            fixed (int* rows = codes)
            {
                int status = Raw.LayerHash(layer, input, tokens, rows, weights);
                if (status != Raw.STATUS_OK)
                {
                    throw Native.Failure(status);
                }
            }
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static void CheckLength(long length, long needed, string name)
    {
        if (length < needed)
        {
            throw new ArgumentException(Text($"{name} has {length} elements, but {needed} are needed"), name);
        }
    }

    /// <summary>Runs with a number on the stack that the token sets; disposing the registration waits for a callback
    /// that is just running, so that none writes to a stack that is gone.</summary>
    private void Run(ReadOnlySpan<float> x, Span<float> y, int flags, CancellationToken cancellationToken)
    {
        if (!cancellationToken.CanBeCanceled)
        {
            Run(x, y, flags, null, default);
            return;
        }

        cancellationToken.ThrowIfCancellationRequested();
        int cancel = 0;
        using (cancellationToken.UnsafeRegister(Native.Cancel, (IntPtr)(&cancel)))
        {
            Run(x, y, flags, &cancel, cancellationToken);
        }
    }

    private void Run(ReadOnlySpan<float> x, Span<float> y, int flags, int* cancel, CancellationToken cancellationToken)
    {
        int tokens = CountTokens(x, y);
        IntPtr layer = handle.Enter();
        try
        {
            fixed (float* input = x, output = y)
            {
                int status = Raw.LayerForward(layer, input, 0, tokens, output, 0, flags, cancel);
                if (status != Raw.STATUS_OK)
                {
                    throw Native.Failure(status, cancellationToken);
                }
            }
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    private int CountInputTokens(ReadOnlySpan<float> x)
    {
        int tokens = x.Length / inputSize;
        if (tokens * inputSize != x.Length)
        {
            throw new ArgumentException(
                Text($"x has {x.Length} elements, which is no multiple of {inputSize}"), nameof(x));
        }

        return tokens;
    }

    private int CountTokens(ReadOnlySpan<float> x, Span<float> y)
    {
        int tokens = CountInputTokens(x);
        long needed = (long)tokens * outputSize;
        CheckLength(y.Length, needed, nameof(y));
        if (x.Overlaps(y[..(int)needed], out int offset) && (offset != 0 || inputSize != outputSize))
        {
            throw new ArgumentException("x and y overlap", nameof(y));
        }

        return tokens;
    }
}
