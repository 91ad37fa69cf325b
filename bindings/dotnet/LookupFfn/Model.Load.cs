// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    private static readonly Loaded<Model> Made =
        new(Raw.ModelFree, call => new Model(*call.Out, call.Log) { Name = call.Name });

    private static readonly Loaded<MemoryEstimate> Told = new(
        null,
        call => new MemoryEstimate(
            call.Estimate[Raw.ESTIMATE_WEIGHT_BYTES], call.Estimate[Raw.ESTIMATE_LOADING_BYTES]));

    /// <summary>Loads a model.</summary>
    /// <param name="path">A folder, or a file that <see cref="Save"/> wrote.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The model.</returns>
    /// <exception cref="LookupFfnException">It cannot be read, is not a valid model, or cannot be run
    /// here.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="DllNotFoundException">The native library cannot be loaded.</exception>
    public static Model Load(string path, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        LoadCall.Load(
            path,
            Made,
            (name, call) => Raw.ModelLoad(
                name, call.Numbers, call.Adapter, call.Runtime, call.Cancel, call.Progress, call.User, call.Out),
            options,
            cancellationToken);

    /// <summary>Loads a model on a thread of the library.</summary>
    /// <param name="path">A folder, or a file that <see cref="Save"/> wrote.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The model.</returns>
    public static Task<Model> LoadAsync(
        string path, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Load(path, options, cancellationToken), cancellationToken);

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
        ReadOnlySpan<byte> bytes, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        LoadCall.Load(
            bytes,
            Made,
            (data, size, call) => Raw.ModelLoadMemory(
                data, size, call.Numbers, call.Adapter, call.Runtime, call.Cancel, call.Progress, call.User, call.Out),
            options,
            cancellationToken);

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
        CancellationToken cancellationToken = default) =>
        LoadCall.Load(files, Made, LoadFiles, options, cancellationToken);

    /// <summary>Loads a model from the files of a folder that streams read, such as those of an archive or of an encrypted
    /// store.</summary>
    /// <param name="files">A stream for each under its name in the folder, as above. They are read in the thread of the call,
    /// from any position, and stay open.</param>
    /// <param name="options">Likewise.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The model.</returns>
    /// <exception cref="ArgumentException">One of them cannot be read from any position.</exception>
    /// <exception cref="LookupFfnException">As for files in memory. What a stream throws comes out as it is.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Model Load(
        IReadOnlyDictionary<string, Stream> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default) =>
        LoadCall.Load(files, Made, LoadFiles, options, cancellationToken);

    /// <summary>Loads a model from the bytes of a file that <see cref="Save"/> wrote, on a thread of the library.</summary>
    /// <param name="bytes">The whole file, not to be changed before the task has ended.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The model.</returns>
    public static Task<Model> LoadAsync(
        ReadOnlyMemory<byte> bytes, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Load(bytes.Span, options, cancellationToken), cancellationToken);

    /// <summary>Loads a model from the files of a folder, held in memory, on a thread of the library.</summary>
    /// <param name="files">The bytes of each under its name in the folder, not to be changed before the task has
    /// ended.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The model.</returns>
    public static Task<Model> LoadAsync(
        IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Load(files, options, cancellationToken), cancellationToken);

    /// <summary>Loads a model from the files of a folder that streams read, on a thread of the library.</summary>
    /// <param name="files">A stream for each under its name in the folder, not to be used before the task has
    /// ended.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The model.</returns>
    public static Task<Model> LoadAsync(
        IReadOnlyDictionary<string, Stream> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Load(files, options, cancellationToken), cancellationToken);

    private static int LoadFiles(PinnedFiles given, LoadCall call) => Raw.ModelLoadFiles(
        given.Names,
        given.Contents,
        given.Sizes,
        given.Count,
        PinnedFiles.Read,
        given.Readers,
        call.Numbers,
        call.Adapter,
        call.Runtime,
        call.Cancel,
        call.Progress,
        call.User,
        call.Out);

    /// <summary>How much memory <see cref="Load(string, LoadOptions?, CancellationToken)"/> of the same path with the same
    /// options would take. Reads and checks the files once, so what it accepts can be loaded.</summary>
    /// <param name="path">As for loading.</param>
    /// <param name="options">Likewise.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>The memory.</returns>
    /// <exception cref="LookupFfnException">As for loading.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static MemoryEstimate Estimate(
        string path, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        LoadCall.Load(
            path,
            Told,
            (name, call) => Raw.ModelEstimate(
                name, call.Numbers, call.Adapter, call.Runtime, call.Cancel, call.Progress, call.User, call.Estimate),
            options,
            cancellationToken);

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
        CancellationToken cancellationToken = default) =>
        LoadCall.Load(files, Told, EstimateFiles, options, cancellationToken);

    /// <summary>The same of files that streams read.</summary>
    /// <param name="files">A stream for each under its name in the folder, as above. They are read in the thread of the call,
    /// from any position, and stay open.</param>
    /// <param name="options">Likewise.</param>
    /// <param name="cancellationToken">Looked at while reading.</param>
    /// <returns>The memory.</returns>
    /// <exception cref="ArgumentException">One of them cannot be read from any position.</exception>
    /// <exception cref="LookupFfnException">As for files in memory. What a stream throws comes out as it is.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static MemoryEstimate Estimate(
        IReadOnlyDictionary<string, Stream> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default) =>
        LoadCall.Load(files, Told, EstimateFiles, options, cancellationToken);

    private static int EstimateFiles(PinnedFiles given, LoadCall call) => Raw.ModelEstimateFiles(
        given.Names,
        given.Contents,
        given.Sizes,
        given.Count,
        PinnedFiles.Read,
        given.Readers,
        call.Numbers,
        call.Adapter,
        call.Runtime,
        call.Cancel,
        call.Progress,
        call.User,
        call.Estimate);
}
