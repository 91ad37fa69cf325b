using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>A native layer and, in the SafeHandle, the count of the calls that are in it.</summary>
internal sealed class LayerHandle : SafeHandle
{
    private volatile bool disposed;

    internal LayerHandle(IntPtr layer)
        : base(IntPtr.Zero, ownsHandle: true) => SetHandle(layer);

    public override bool IsInvalid => handle == IntPtr.Zero;

    internal bool IsDisposed => disposed;

    /// <summary>Enters a call, which DangerousRelease leaves. The flag is needed because SafeHandle lets new calls in
    /// after Dispose while old ones run, so that calls that always overlap would keep the layer alive for
    /// ever.</summary>
    internal IntPtr Enter()
    {
        ObjectDisposedException.ThrowIf(disposed, typeof(Layer));
        bool entered = false;
        DangerousAddRef(ref entered);
        return handle;
    }

    protected override void Dispose(bool disposing)
    {
        disposed = true;
        base.Dispose(disposing);
    }

    protected override bool ReleaseHandle()
    {
        Raw.LayerFree(handle);
        return true;
    }
}
