// SPDX-License-Identifier: Apache-2.0
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>What comes of a call that loads: how the native object is freed, if one is made, and what is made of what the
/// call left.</summary>
internal sealed record Loaded<T>(Action<IntPtr>? Free, Func<LoadCall, T> Make);

/// <summary>A call that loads, or estimates: what it hands to the native library beside the files, and what it leaves.
/// </summary>
internal sealed unsafe class LoadCall : IDisposable
{
    private readonly LoadOptions options;
    private readonly CancellationToken token;
    private readonly CancellationTokenRegistration registration;
    private readonly Listener? listener;
    private long* memory; // what the call leaves, then the number that cancels, then the options

    private LoadCall(LoadOptions? given, CancellationToken cancellationToken)
    {
        Native.EnsureLoaded();
        cancellationToken.ThrowIfCancellationRequested();
        options = given ?? LoadOptions.Default;
        token = cancellationToken;
        Runtime = options.Runtime?.Handle.Enter() ?? IntPtr.Zero;
        memory = (long*)NativeMemory.AllocZeroed(Raw.ESTIMATE_COUNT + Raw.OPTION_COUNT + 1, sizeof(long));
        options.WriteTo(Numbers);
        listener = Listener.Of(options.Progress, Cancel);
        registration = Native.Register(Cancel, token);
    }

    internal delegate int FromPath(byte* name, LoadCall call);

    internal delegate int FromBytes(byte* data, nuint size, LoadCall call);

    internal delegate int FromFiles(PinnedFiles files, LoadCall call);

    internal int* Cancel => (int*)(memory + Raw.ESTIMATE_COUNT);

    internal int* Numbers => Cancel + 1;

    internal IntPtr Runtime { get; }

    internal IntPtr Progress => Listener.OfLoading(listener);

    internal IntPtr User => Listener.User(listener);

    /// <summary>Where the native library puts what it makes.</summary>
    internal IntPtr* Out => (IntPtr*)memory;

    /// <summary>Where it puts estimates instead.</summary>
    internal long* Estimate => memory;

    /// <summary>What the handle has to keep as long as it lives.</summary>
    internal RuntimeLog? Log => options.Runtime?.Log;

    internal static T Load<T>(
        string path, Loaded<T> loaded, FromPath load, LoadOptions? options, CancellationToken cancellationToken)
    {
        using LoadCall call = new(options, cancellationToken);
        fixed (byte* name = Utf8.ZeroTerminated(path))
        {
            return call.Done(load(name, call), loaded);
        }
    }

    internal static T Load<T>(
        ReadOnlySpan<byte> bytes,
        Loaded<T> loaded,
        FromBytes load,
        LoadOptions? options,
        CancellationToken cancellationToken)
    {
        using LoadCall call = new(options, cancellationToken);
        fixed (byte* data = bytes)
        {
            return call.Done(load(data, (nuint)bytes.Length, call), loaded);
        }
    }

    internal static T Load<T>(
        IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files,
        Loaded<T> loaded,
        FromFiles load,
        LoadOptions? options,
        CancellationToken cancellationToken) =>
        Load(PinnedFiles.Of(files), loaded, load, options, cancellationToken);

    internal static T Load<T>(
        IReadOnlyDictionary<string, Stream> files,
        Loaded<T> loaded,
        FromFiles load,
        LoadOptions? options,
        CancellationToken cancellationToken) =>
        Load(PinnedFiles.Of(files), loaded, load, options, cancellationToken);

    private static T Load<T>(
        PinnedFiles given, Loaded<T> loaded, FromFiles load, LoadOptions? options, CancellationToken cancellationToken)
    {
        using PinnedFiles files = given;
        using LoadCall call = new(options, cancellationToken);
        int status = load(files, call);
        files.Check(status);
        return call.Done(status, loaded);
    }

    /// <summary>Without any file.</summary>
    internal static T Load<T>(Loaded<T> loaded, Func<LoadCall, int> load, LoadOptions? options)
    {
        using LoadCall call = new(options, default);
        return call.Done(load(call), loaded);
    }

    public void Dispose()
    {
        registration.Dispose(); // waits for one that is just being run
        listener?.Dispose();
        NativeMemory.Free(memory);
        memory = null;
        if (Runtime != IntPtr.Zero)
        {
            options.Runtime!.Handle.DangerousRelease();
        }
    }

    /// <summary>A receiver of the progress that throws at the very end leaves nothing behind.</summary>
    private T Done<T>(int status, Loaded<T> loaded)
    {
        try
        {
            Listener.Check(listener, status, token);
        }
        catch when (status == Raw.STATUS_OK)
        {
            loaded.Free?.Invoke(*Out);
            throw;
        }

        return loaded.Make(this);
    }
}
