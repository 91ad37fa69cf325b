// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>The outcome of a call that loads: how the native object is freed, if one is made, and what is made of what
/// the call left.</summary>
internal sealed record Loaded<T>(Action<IntPtr>? Free, Func<LoadCall, T> Make);

/// <summary>A call that loads, or estimates: what it hands to the native library beside the files, and what it leaves.
/// </summary>
internal sealed unsafe class LoadCall : IDisposable
{
    private readonly LoadOptions options;
    private readonly CancellationToken token;
    private readonly CancellationTokenRegistration registration;
    private readonly Listener? listener;
    private readonly System.Buffers.MemoryHandle adapter;
    private long* memory; // what the call leaves, then the number that cancels, then the options

    private readonly long since = Stopwatch.GetTimestamp();
    private readonly Activity? activity;

    private LoadCall(LoadOptions? given, CancellationToken cancellationToken, string? path = null)
    {
        Native.EnsureLoaded();
        Name = NameOf(path);
        cancellationToken.ThrowIfCancellationRequested();
        options = given ?? LoadOptions.Default;
        options.Validate();
        token = cancellationToken;
        ReadOnlyMemory<byte> name =
            options.Adapter is null ? default : Utf8.ZeroTerminated(options.Adapter, nameof(options.Adapter));
        Runtime = options.Runtime?.Handle.Enter() ?? IntPtr.Zero;
        memory = (long*)NativeMemory.AllocZeroed(Raw.ESTIMATE_COUNT + Raw.OPTION_COUNT + 1, sizeof(long));
        options.WriteTo(Numbers);
        adapter = name.Pin();
        listener = Listener.Of(options.Progress, Cancel);
        registration = Native.Register(Cancel, token);
        activity = LookupFfnDiagnostics.Source.StartActivity("lookupffn.load");
        activity?.SetTag("lookupffn.model", Name);
    }

    /// <summary>For a file with the usual name, the folder's name says more than the file's.</summary>
    private static string? NameOf(string? path)
    {
        string? name = path is null ? null : Path.GetFileName(Path.TrimEndingDirectorySeparator(path));
        string? folder = name == "model.safetensors" ? Path.GetFileName(Path.GetDirectoryName(path)) : null;
        return string.IsNullOrEmpty(folder) ? name : folder;
    }

    /// <summary>The last part of the path, if there is one.</summary>
    internal string? Name { get; }

    internal delegate int FromPath(byte* name, LoadCall call);

    internal delegate int FromBytes(byte* data, nuint size, LoadCall call);

    internal delegate int FromFiles(PinnedFiles files, LoadCall call);

    internal int* Cancel => (int*)(memory + Raw.ESTIMATE_COUNT);

    internal int* Numbers => Cancel + 1;

    /// <summary>With a closing zero; null for none.</summary>
    internal byte* Adapter => (byte*)adapter.Pointer;

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
        using LoadCall call = new(options, cancellationToken, path);
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
        activity?.Dispose();
        listener?.Dispose();
        adapter.Dispose();
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
        catch when (status == Raw.OK)
        {
            loaded.Free?.Invoke(*Out);
            throw;
        }

        T made = loaded.Make(this);
        if (made is Model)
        {
            LookupFfnDiagnostics.Loaded(Name, since);
        }

        return made;
    }
}

/// <summary>The files of a folder as the native library wants them: in memory, where they lie while it reads them, or read
/// from streams.</summary>
internal sealed unsafe class PinnedFiles : IDisposable
{
    private readonly System.Buffers.MemoryHandle[] pins;
    private readonly StreamFile?[] streams;
    private readonly byte** pointers; // names, then contents, then what reads
    private readonly nuint* sizes;

    private PinnedFiles(string[] names)
    {
        byte[][] utf8 = Array.ConvertAll(names, name => Utf8.ZeroTerminated(name, "files"));
        Count = names.Length;
        pins = new System.Buffers.MemoryHandle[2 * Count];
        streams = new StreamFile?[Count];
        pointers = (byte**)NativeMemory.AllocZeroed((nuint)(3 * Count) + 1, (nuint)sizeof(byte*));
        sizes = (nuint*)NativeMemory.AllocZeroed((nuint)Count + 1, (nuint)sizeof(nuint));
        for (int i = 0; i < Count; i++)
        {
            pins[i] = new ReadOnlyMemory<byte>(utf8[i]).Pin();
            pointers[i] = (byte*)pins[i].Pointer;
        }
    }

    internal int Count { get; }

    internal byte** Names => pointers;

    internal byte** Contents => pointers + Count;

    internal nuint* Sizes => sizes;

    /// <summary>What reads a file that has something in <see cref="Readers"/>.</summary>
    internal static IntPtr Read =>
        (IntPtr)(delegate* unmanaged[Cdecl]<ulong, nuint, byte*, IntPtr, int>)&StreamFile.Read;

    internal byte** Readers => pointers + (2 * Count);

    internal static PinnedFiles Of(IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files)
    {
        ArgumentNullException.ThrowIfNull(files);
        KeyValuePair<string, ReadOnlyMemory<byte>>[] all = [.. files];
        PinnedFiles given = new(Array.ConvertAll(all, file => file.Key));
        for (int i = 0; i < all.Length; i++)
        {
            given.pins[all.Length + i] = all[i].Value.Pin();
            given.Contents[i] = (byte*)given.pins[all.Length + i].Pointer;
            given.sizes[i] = (nuint)all[i].Value.Length;
        }

        return given;
    }

    internal static PinnedFiles Of(IReadOnlyDictionary<string, Stream> files)
    {
        ArgumentNullException.ThrowIfNull(files);
        KeyValuePair<string, Stream>[] all = [.. files];
        foreach (KeyValuePair<string, Stream> file in all)
        {
            if (file.Value is null || !file.Value.CanSeek || !file.Value.CanRead)
            {
                throw new ArgumentException($"{file.Key} is no stream that can be read from any position", nameof(files));
            }
        }

        long[] lengths = Array.ConvertAll(all, file => file.Value.Length);
        PinnedFiles given = new(Array.ConvertAll(all, file => file.Key));
        for (int i = 0; i < all.Length; i++)
        {
            StreamFile file = new(all[i].Value);
            given.streams[i] = file;
            given.Readers[i] = (byte*)file.User;
            given.sizes[i] = (nuint)lengths[i];
        }

        return given;
    }

    /// <summary>If a stream threw, throws that: it says more than the call's own failure.</summary>
    internal void Check(int status)
    {
        for (int i = 0; i < Count && status != Raw.OK; i++)
        {
            streams[i]?.ThrowFailure();
        }
    }

    public void Dispose()
    {
        foreach (System.Buffers.MemoryHandle pin in pins)
        {
            pin.Dispose();
        }

        foreach (StreamFile? stream in streams)
        {
            stream?.Dispose();
        }

        NativeMemory.Free(pointers);
        NativeMemory.Free(sizes);
    }
}

/// <summary>A file that the native library reads from a stream. What that throws is kept, as nothing may be thrown into the
/// library.</summary>
internal sealed unsafe class StreamFile : IDisposable
{
    private readonly Stream stream;
    private GCHandle self;
    private Exception? failure;

    internal StreamFile(Stream stream)
    {
        this.stream = stream;
        self = GCHandle.Alloc(this);
    }

    internal IntPtr User => GCHandle.ToIntPtr(self);

    /// <summary>Reads so many bytes from a position on. Returns 0, or 1 if that fails.</summary>
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    internal static int Read(ulong first, nuint size, byte* to, IntPtr user)
    {
        StreamFile file = (StreamFile)GCHandle.FromIntPtr(user).Target!;
        try
        {
            file.stream.Position = checked((long)first);
            while (size > 0)
            {
                int part = (int)Math.Min(size, int.MaxValue);
                file.stream.ReadExactly(new Span<byte>(to, part));
                to += part;
                size -= (nuint)part;
            }

            return 0;
        }
        catch (Exception thrown)
        {
            file.failure ??= thrown;
            return 1;
        }
    }

    internal void ThrowFailure()
    {
        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    public void Dispose() => self.Free();
}
