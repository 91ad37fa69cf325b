// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>What a call that loads hands to the native library beside the files: the options, and what its callbacks
/// need.</summary>
internal sealed unsafe class LoadCall : IDisposable
{
    private readonly LoadOptions options;
    private readonly CancellationToken token;
    private readonly CancellationTokenRegistration registration;
    private readonly GCHandle self;
    private int* memory; // the number that cancels, then the options
    private Exception? failure;

    internal LoadCall(LoadOptions? given, CancellationToken cancellationToken)
    {
        Native.EnsureLoaded();
        cancellationToken.ThrowIfCancellationRequested();
        options = given ?? LoadOptions.Default;
        token = cancellationToken;
        Runtime = options.Runtime?.Handle.Enter() ?? IntPtr.Zero;
        memory = (int*)NativeMemory.AllocZeroed(Raw.OPTION_COUNT + 1, sizeof(int));
        options.WriteTo(memory + 1);
        if (options.Progress is not null)
        {
            self = GCHandle.Alloc(this);
        }

        registration = Native.Register(memory, token);
    }

    internal int* Numbers => memory + 1;

    internal IntPtr Runtime { get; }

    internal int* Cancel => memory;

    internal IntPtr Progress =>
        self.IsAllocated ? (IntPtr)(delegate* unmanaged[Cdecl]<double, IntPtr, void>)&Tell : IntPtr.Zero;

    internal IntPtr User => self.IsAllocated ? GCHandle.ToIntPtr(self) : IntPtr.Zero;

    /// <summary>What the handle has to keep as long as it lives.</summary>
    internal RuntimeLog? Log => options.Runtime?.Log;

    /// <summary>Throws what the receiver of the progress threw, or why the call failed.</summary>
    internal void Check(int status, IntPtr made, Action<IntPtr>? free)
    {
        if (status == Raw.STATUS_OK && failure is null)
        {
            return;
        }

        Exception why = failure ?? Native.Failure(status, token);
        if (status == Raw.STATUS_OK)
        {
            free?.Invoke(made);
        }

        ExceptionDispatchInfo.Throw(why);
    }

    public void Dispose()
    {
        registration.Dispose(); // waits for one that is just being run
        if (self.IsAllocated)
        {
            self.Free();
        }

        NativeMemory.Free(memory);
        memory = null;
        if (Runtime != IntPtr.Zero)
        {
            options.Runtime!.Handle.DangerousRelease();
        }
    }

    /// <summary>Nothing may be thrown into the native library: the load ends, and then it is.</summary>
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void Tell(double done, IntPtr user)
    {
        LoadCall call = (LoadCall)GCHandle.FromIntPtr(user).Target!;
        try
        {
            call.options.Progress!.Report(done);
        }
        catch (Exception thrown)
        {
            call.failure ??= thrown;
            Volatile.Write(ref *call.memory, 1);
        }
    }
}

/// <summary>Files in memory as the native library wants them, where they lie while it reads them.</summary>
internal sealed unsafe class PinnedFiles : IDisposable
{
    private readonly System.Buffers.MemoryHandle[] pins;
    private readonly byte** pointers; // names, then contents
    private readonly nuint* sizes;

    internal PinnedFiles(IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files)
    {
        ArgumentNullException.ThrowIfNull(files);
        KeyValuePair<string, ReadOnlyMemory<byte>>[] all = [.. files];
        byte[][] names = Array.ConvertAll(all, file => Utf8.ZeroTerminated(file.Key, nameof(files)));
        Count = all.Length;
        pins = new System.Buffers.MemoryHandle[2 * Count];
        pointers = (byte**)NativeMemory.AllocZeroed((nuint)(2 * Count) + 1, (nuint)sizeof(byte*));
        sizes = (nuint*)NativeMemory.AllocZeroed((nuint)Count + 1, (nuint)sizeof(nuint));
        for (int i = 0; i < Count; i++)
        {
            pins[i] = new ReadOnlyMemory<byte>(names[i]).Pin();
            pins[Count + i] = all[i].Value.Pin();
            pointers[i] = (byte*)pins[i].Pointer;
            pointers[Count + i] = (byte*)pins[Count + i].Pointer;
            sizes[i] = (nuint)all[i].Value.Length;
        }
    }

    internal int Count { get; }

    internal byte** Names => pointers;

    internal byte** Contents => pointers + Count;

    internal nuint* Sizes => sizes;

    public void Dispose()
    {
        foreach (System.Buffers.MemoryHandle pin in pins)
        {
            pin.Dispose();
        }

        NativeMemory.Free(pointers);
        NativeMemory.Free(sizes);
    }
}
