// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>A LookupFFN layer in native memory.</summary>
/// <remarks>
/// A layer never changes, and any number of threads may use one at once. <see cref="Dispose"/> gives its memory back
/// once the calls in flight have ended; afterwards the other members throw <see cref="ObjectDisposedException"/>. A
/// layer that is forgotten is freed by its finalizer. A token's result is the same to the bit whatever the batch it is
/// in and the number of threads.
/// </remarks>
public sealed unsafe partial class Layer : IDisposable
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
        if (status != Raw.STATUS_OK)
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
    /// <param name="options">Who is told how far saving has come; null for nobody.</param>
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
                (name, cancel, progress, user) => Raw.LayerSaveWith(layer, name, cancel, progress, user),
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
}
