// SPDX-License-Identifier: Apache-2.0
using System.Globalization;

namespace LookupFfn;

/// <summary>A LookupFFN layer in native memory.</summary>
/// <remarks>
/// A layer never changes, and any number of threads may use one at once. <see cref="Dispose"/> gives its memory back
/// once the calls in flight have ended; afterwards the other members throw <see cref="ObjectDisposedException"/>. A
/// layer that is forgotten is freed by its finalizer. A token's result is the same to the bit whatever the batch it is
/// in and the number of threads.
/// </remarks>
/// <example><code>using Layer layer = Layer.Load("layer.safetensors");
/// float[] y = new float[x.Length / layer.InputSize * layer.OutputSize];
/// layer.Forward(x, y);</code></example>
public sealed unsafe class Layer : IDisposable
{
    private static readonly Loaded<Layer> Made = new(Raw.LayerFree, call => new Layer(*call.Out, call.Log));

    private readonly LayerHandle handle;
    private readonly LayerInfo info;
    private readonly int inputSize;
    private readonly int outputSize;

    /// <summary>Takes the native layer over, also when this fails.</summary>
    private Layer(IntPtr layer, RuntimeLog? log)
    {
        handle = new LayerHandle(layer) { Log = log };
        long* numbers = stackalloc long[Raw.INFO_COUNT];
        int status = Raw.LayerInfo(layer, numbers);
        if (status != Raw.OK)
        {
            Exception failure = Native.Failure(status);
            handle.Dispose();
            throw failure;
        }

        info = new LayerInfo(new ReadOnlySpan<long>(numbers, Raw.INFO_COUNT));
        inputSize = info.HiddenSize;
        outputSize = info.OutputSize;
        handle.AddPressure(info.MemoryBytes);
    }

    /// <summary>What the layer is and costs.</summary>
    public LayerInfo Info
    {
        get
        {
            ThrowIfDisposed();
            return info;
        }
    }

    /// <summary>Whether <see cref="Dispose"/> was called.</summary>
    public bool IsDisposed => handle.IsDisposed;

    /// <summary>Floats per input token, the hidden size.</summary>
    public int InputSize
    {
        get
        {
            ThrowIfDisposed();
            return inputSize;
        }
    }

    /// <summary>Floats per output token.</summary>
    public int OutputSize
    {
        get
        {
            ThrowIfDisposed();
            return outputSize;
        }
    }

    /// <summary>Loads a layer from a safetensors file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The layer.</returns>
    /// <exception cref="LookupFfnException">The file cannot be read, is not a valid layer, or cannot be run
    /// here.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="DllNotFoundException">The native library cannot be loaded.</exception>
    public static Layer Load(string path, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        LoadCall.Load(
            path,
            Made,
            (name, call) => Raw.LayerLoad(
                name, call.Numbers, call.Runtime, call.Cancel, call.Progress, call.User, call.Out),
            options,
            cancellationToken);

    /// <summary>Loads a layer from the bytes of a safetensors file, such as an embedded resource.</summary>
    /// <param name="bytes">The whole file; not needed any more when the call returns.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The layer.</returns>
    /// <exception cref="LookupFfnException">The bytes are not a valid layer, or it cannot be run here.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="DllNotFoundException">The native library cannot be loaded.</exception>
    public static Layer Load(
        ReadOnlySpan<byte> bytes, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        LoadCall.Load(
            bytes,
            Made,
            (data, size, call) => Raw.LayerLoadMemory(
                data, size, call.Numbers, call.Runtime, call.Cancel, call.Progress, call.User, call.Out),
            options,
            cancellationToken);

    /// <summary>Makes a layer with random weights, the same for the same config and seed on every machine.</summary>
    /// <param name="config">Its shape.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <returns>The layer.</returns>
    /// <exception cref="DllNotFoundException">The native library cannot be loaded.</exception>
    public static Layer CreateRandom(LayerConfig config, LoadOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(config);
        Checks.Defined(config.Activation);
        return LoadCall.Load(Made, call => Raw.LayerRandom(
            config.HiddenSize,
            config.OutputSize,
            config.NumTables,
            config.TableSize,
            config.ProjectionFactors,
            config.BlockSize,
            (int)config.Activation,
            config.NumProbes,
            config.LayerNorm ? 1 : 0,
            config.DecayCoeff,
            config.LayerNormEps,
            unchecked((long)config.Seed),
            call.Numbers,
            call.Runtime,
            call.Out), options);
    }

    /// <summary>Writes the layer to a safetensors file, as it is held in memory. The file appears whole or not at
    /// all.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">How, with a receiver of its progress; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while saving. A file that is not finished goes away, and leaves an old one
    /// as it was.</param>
    /// <exception cref="LookupFfnException">It cannot be written.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public void Save(string path, SaveOptions? options = null, CancellationToken cancellationToken = default)
    {
        IntPtr layer = handle.Enter();
        try
        {
            SaveOptions.Save(
                path,
                (name, cancel, progress, user) => Raw.LayerSave(layer, name, cancel, progress, user),
                options,
                cancellationToken);
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    /// <summary>
    /// Closes the layer. Calls in flight end as usual, and the last of them frees the memory. Doing so again does
    /// nothing.
    /// </summary>
    public void Dispose() => handle.Dispose();

    /// <inheritdoc/>
    public override string ToString() => handle.IsDisposed ? "Layer (disposed)" : $"Layer: {info}";

    private void ThrowIfDisposed() => handle.ThrowIfDisposed();

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
        Run(x, y, Raw.LAYER_RUN_ADD, cancellationToken);

    /// <summary>Runs the layer on a thread of the library: y = layer(x).</summary>
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
        return OwnThreads.Run(() => Run(x.Span, y.Span, 0, cancellationToken), cancellationToken);
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
                if (status != Raw.OK)
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
                if (status != Raw.OK)
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
