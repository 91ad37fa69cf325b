// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>Loads a model.</summary>
    /// <param name="path">A folder, or a file that <see cref="Save"/> wrote.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The model.</returns>
    /// <exception cref="LookupFfnException">It cannot be read, is not a valid model, or cannot be run
    /// here.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="DllNotFoundException">The native library cannot be loaded.</exception>
    public static Model Load(string path, LoadOptions? options = null, CancellationToken cancellationToken = default)
    {
        using LoadCall call = new(options, cancellationToken);
        IntPtr model = IntPtr.Zero;
        fixed (byte* name = Utf8.ZeroTerminated(path))
        {
            return Made(
                call,
                Raw.ModelLoad(name, call.Numbers, call.Runtime, call.Cancel, call.Progress, call.User, &model),
                model);
        }
    }

    /// <summary>Loads a model on a thread of the pool.</summary>
    /// <param name="path">A folder, or a file that <see cref="Save"/> wrote.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The model.</returns>
    public static Task<Model> LoadAsync(
        string path, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => Load(path, options, cancellationToken), cancellationToken);

    /// <summary>Loads a model from the bytes of a file that <see cref="Save"/> wrote, such as an embedded
    /// resource.</summary>
    /// <param name="bytes">The whole file; not needed any more when the call returns.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The model.</returns>
    /// <exception cref="LookupFfnException">The bytes are not a valid model, or it cannot be run here.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="DllNotFoundException">The native library cannot be loaded.</exception>
    public static Model Load(
        ReadOnlySpan<byte> bytes, LoadOptions? options = null, CancellationToken cancellationToken = default)
    {
        using LoadCall call = new(options, cancellationToken);
        IntPtr model = IntPtr.Zero;
        fixed (byte* data = bytes)
        {
            return Made(
                call,
                Raw.ModelLoadMemory(
                    data, (nuint)bytes.Length, call.Numbers, call.Runtime, call.Cancel, call.Progress, call.User, &model),
                model);
        }
    }

    /// <summary>Loads a model from the files of a folder, held in memory.</summary>
    /// <param name="files">The bytes of each under its name in the folder, such as "config.json" or
    /// "1_Pooling/config.json"; those that a model does not need are ignored. Not needed any more when the call
    /// returns.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The model.</returns>
    /// <exception cref="LookupFfnException">The files are not a valid model, or it cannot be run here.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="DllNotFoundException">The native library cannot be loaded.</exception>
    public static Model Load(
        IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        using PinnedFiles pinned = new(files);
        using LoadCall call = new(options, cancellationToken);
        IntPtr model = IntPtr.Zero;
        int status = Raw.ModelLoadFiles(
            pinned.Names,
            pinned.Contents,
            pinned.Sizes,
            pinned.Count,
            call.Numbers,
            call.Runtime,
            call.Cancel,
            call.Progress,
            call.User,
            &model);
        return Made(call, status, model);
    }

    /// <summary>How much memory <see cref="Load(string, LoadOptions?, CancellationToken)"/> of the same path with the same
    /// options would take. Reads and checks the files once, so what it accepts can be loaded.</summary>
    /// <param name="path">As for loading.</param>
    /// <param name="options">Likewise.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>The memory.</returns>
    /// <exception cref="LookupFfnException">As for loading.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static MemoryEstimate Estimate(
        string path, LoadOptions? options = null, CancellationToken cancellationToken = default)
    {
        using LoadCall call = new(options, cancellationToken);
        long* bytes = stackalloc long[Raw.ESTIMATE_COUNT];
        fixed (byte* name = Utf8.ZeroTerminated(path))
        {
            return Told(
                call,
                Raw.ModelEstimate(name, call.Numbers, call.Runtime, call.Cancel, call.Progress, call.User, bytes),
                bytes);
        }
    }

    /// <summary>The same of files in memory. The bytes of a file that <see cref="Save"/> wrote are one file,
    /// "model.safetensors".</summary>
    /// <param name="files">As for loading.</param>
    /// <param name="options">Likewise.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>The memory.</returns>
    /// <exception cref="LookupFfnException">As for loading.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static MemoryEstimate Estimate(
        IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        using PinnedFiles pinned = new(files);
        using LoadCall call = new(options, cancellationToken);
        long* bytes = stackalloc long[Raw.ESTIMATE_COUNT];
        int status = Raw.ModelEstimateFiles(
            pinned.Names,
            pinned.Contents,
            pinned.Sizes,
            pinned.Count,
            call.Numbers,
            call.Runtime,
            call.Cancel,
            call.Progress,
            call.User,
            bytes);
        return Told(call, status, bytes);
    }

    private static Model Made(LoadCall call, int status, IntPtr model)
    {
        call.Check(status, model, Raw.ModelFree);
        return new Model(model, call.Log);
    }

    private static MemoryEstimate Told(LoadCall call, int status, long* bytes)
    {
        call.Check(status, IntPtr.Zero, null);
        return new MemoryEstimate(bytes[Raw.ESTIMATE_WEIGHT_BYTES], bytes[Raw.ESTIMATE_LOADING_BYTES]);
    }
}
