using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>Something native and, in the SafeHandle, the count of the calls that are in it.</summary>
internal abstract class NativeHandle : SafeHandle
{
    private readonly Type owner;
    private volatile bool disposed;

    private protected NativeHandle(IntPtr native, Type owner)
        : base(IntPtr.Zero, ownsHandle: true)
    {
        this.owner = owner;
        SetHandle(native);
    }

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
    protected override bool ReleaseHandle()
    {
        Raw.LayerFree(handle);
        return true;
    }
}

/// <summary>A native model.</summary>
internal sealed class ModelHandle(IntPtr model) : NativeHandle(model, typeof(Model))
{
    protected override bool ReleaseHandle()
    {
        Raw.ModelFree(handle);
        return true;
    }
}
