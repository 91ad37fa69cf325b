// SPDX-License-Identifier: Apache-2.0
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>Something native and, in the SafeHandle, the count of the calls that are in it.</summary>
internal abstract class NativeHandle : SafeHandle
{
    private readonly Type owner;
    private readonly RuntimeLog? log;
    private long pressure;
    private volatile bool disposed;

    private protected NativeHandle(IntPtr native, Type owner)
        : base(IntPtr.Zero, ownsHandle: true)
    {
        this.owner = owner;
        SetHandle(native);
    }

    /// <summary>Tells the garbage collector, which does not see it, how much memory a forgotten object holds. Called once
    /// at most.</summary>
    internal void AddPressure(long bytes)
    {
        if (bytes > 0)
        {
            GC.AddMemoryPressure(bytes);
            pressure = bytes;
        }
    }

    /// <summary>Who may be told something as long as this lives.</summary>
    internal RuntimeLog? Log
    {
        get => log;
        init
        {
            log = value;
            log?.Keep();
        }
    }

    protected sealed override bool ReleaseHandle()
    {
        Free(handle);
        log?.Release();
        if (pressure > 0)
        {
            GC.RemoveMemoryPressure(pressure);
        }

        return true;
    }

    private protected abstract void Free(IntPtr native);

    public override bool IsInvalid => handle == IntPtr.Zero;

    internal bool IsDisposed => disposed;

    internal void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(disposed, owner);

    /// <summary>Enters a call, which DangerousRelease leaves. The flag is needed because SafeHandle lets new calls in
    /// after Dispose while old ones run, so that calls that always overlap would keep it alive for ever.</summary>
    internal IntPtr Enter()
    {
        ThrowIfDisposed();
        bool entered = false;
        DangerousAddRef(ref entered);
        return handle;
    }

    protected override void Dispose(bool disposing)
    {
        disposed = true;
        base.Dispose(disposing);
    }
}

/// <summary>A native layer.</summary>
internal sealed class LayerHandle(IntPtr layer) : NativeHandle(layer, typeof(Layer))
{
    private protected override void Free(IntPtr native) => Raw.LayerFree(native);
}

/// <summary>A native model.</summary>
internal sealed class ModelHandle(IntPtr model) : NativeHandle(model, typeof(Model))
{
    private protected override void Free(IntPtr native) => Raw.ModelFree(native);
}
