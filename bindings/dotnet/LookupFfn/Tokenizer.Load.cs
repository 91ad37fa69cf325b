// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Tokenizer
{
    /// <summary>Loads a tokenizer.</summary>
    /// <param name="path">A folder with a tokenizer's files, a file that <see cref="Model.Save"/> wrote, or a
    /// tokenizer.json.</param>
    /// <param name="options">How; null for the defaults. Runtime and progress matter.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The tokenizer.</returns>
    /// <exception cref="LookupFfnException">It cannot be read, or is not a valid tokenizer.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Tokenizer Load(string path, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        LoadCall.Load(
            path,
            Made,
            (name, call) => Raw.TokenizerLoad(
                name, call.Numbers, call.Runtime, call.Cancel, call.Progress, call.User, call.Out),
            options,
            cancellationToken);

    /// <summary>Loads a tokenizer from the files of such a folder, held in memory.</summary>
    /// <param name="files">The bytes of each under its name, such as "tokenizer.json"; others than a tokenizer's are
    /// ignored. Not needed any more when the call returns.</param>
    /// <param name="options">As above.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The tokenizer.</returns>
    /// <exception cref="LookupFfnException">The files are not a valid tokenizer.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Tokenizer Load(
        IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default) =>
        LoadCall.Load(files, Made, LoadFiles, options, cancellationToken);

    /// <summary>Loads a tokenizer from the files of a folder that streams read.</summary>
    /// <param name="files">A stream for each under its name in the folder, as above. They are read in the thread of the call,
    /// from any position, and stay open.</param>
    /// <param name="options">Likewise.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The tokenizer.</returns>
    /// <exception cref="ArgumentException">One of them cannot be read from any position.</exception>
    /// <exception cref="LookupFfnException">As for files in memory. What a stream throws comes out as it is.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Tokenizer Load(
        IReadOnlyDictionary<string, Stream> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default) =>
        LoadCall.Load(files, Made, LoadFiles, options, cancellationToken);

    /// <summary>Loads a tokenizer from the bytes of a tokenizer.json, such as an embedded resource.</summary>
    /// <param name="json">The whole file; not needed any more when the call returns.</param>
    /// <param name="options">As above.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The tokenizer.</returns>
    /// <exception cref="LookupFfnException">The bytes are not a valid tokenizer.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Tokenizer Load(
        ReadOnlyMemory<byte> json, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        Load(new Dictionary<string, ReadOnlyMemory<byte>> { ["tokenizer.json"] = json }, options, cancellationToken);

    /// <summary>Loads a tokenizer on a thread of the library.</summary>
    /// <param name="path">A folder with a tokenizer's files, a file that <see cref="Model.Save"/> wrote, or a
    /// tokenizer.json.</param>
    /// <param name="options">How; null for the defaults. Runtime and progress matter.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The tokenizer.</returns>
    public static Task<Tokenizer> LoadAsync(
        string path, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Load(path, options, cancellationToken), cancellationToken);

    /// <summary>Loads a tokenizer from files in memory, on a thread of the library.</summary>
    /// <param name="files">The bytes of each under its name, not to be changed before the task has ended.</param>
    /// <param name="options">As above.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The tokenizer.</returns>
    public static Task<Tokenizer> LoadAsync(
        IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Load(files, options, cancellationToken), cancellationToken);

    /// <summary>Loads a tokenizer from files that streams read, on a thread of the library.</summary>
    /// <param name="files">A stream for each under its name, not to be used before the task has ended.</param>
    /// <param name="options">As above.</param>
    /// <param name="cancellationToken">Looked at while loading.</param>
    /// <returns>The tokenizer.</returns>
    public static Task<Tokenizer> LoadAsync(
        IReadOnlyDictionary<string, Stream> files,
        LoadOptions? options = null,
        CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Load(files, options, cancellationToken), cancellationToken);

    private static int LoadFiles(PinnedFiles given, LoadCall call) => Raw.TokenizerLoadFiles(
        given.Names,
        given.Contents,
        given.Sizes,
        given.Count,
        PinnedFiles.Read,
        given.Readers,
        call.Numbers,
        call.Runtime,
        call.Cancel,
        call.Progress,
        call.User,
        call.Out);
}
