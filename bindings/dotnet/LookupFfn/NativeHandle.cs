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

    /// <summary>The receiver that may be called as long as this lives.</summary>
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

/// <summary>Native room for the results of one call.</summary>
internal readonly unsafe ref struct NativeResult
{
    private readonly IntPtr result;

    public NativeResult()
    {
        IntPtr made = IntPtr.Zero;
        int status = Raw.ResultCreate(&made);
        if (status != Raw.OK)
        {
            throw Native.Failure(status);
        }

        result = made;
    }

    internal IntPtr Pointer => result;

    /// <summary>One of its arrays, a RESULT_ value, valid as long as this.</summary>
    internal ReadOnlySpan<T> Array<T>(int what, int count)
        where T : unmanaged => new(Raw.ResultArray(result, what), count);

    /// <summary>How much there is of something, a RESULT_SIZE_ value.</summary>
    internal int Size(int what) => checked((int)Raw.ResultSize(result, what));

    /// <summary>A part of one of its arrays.</summary>
    internal ReadOnlySpan<T> Row<T>(int what, long first, int count)
        where T : unmanaged => new((T*)Raw.ResultArray(result, what) + first, count);

    /// <summary>Where each text's tokens begin, and where the last ones end, though a text may be several
    /// windows.</summary>
    internal void CopyOffsets(Span<long> offsets)
    {
        long* tokens = (long*)Raw.ResultArray(result, Raw.OUT_TOKEN_OFFSETS);
        long* windows = (long*)Raw.ResultArray(result, Raw.OUT_WINDOW_OFFSETS);
        for (int i = 0; i < offsets.Length; i++)
        {
            offsets[i] = tokens[windows is null ? i : windows[i]];
        }
    }

    /// <summary>The tokens of a text, if the result has spans.</summary>
    internal TokenSpan[] Tokens(long first, long last, ReadOnlySpan<byte> utf8)
    {
        int count = checked((int)(last - first));
        return Utf8.Spans(
            utf8,
            Row<int>(Raw.OUT_TOKEN_IDS, first, count),
            Row<long>(Raw.OUT_TOKEN_BEGINS, first, count),
            Row<long>(Raw.OUT_TOKEN_ENDS, first, count));
    }

    /// <summary>Nothing for one that was never made.</summary>
    public void Dispose() => Raw.ResultFree(result);
}
