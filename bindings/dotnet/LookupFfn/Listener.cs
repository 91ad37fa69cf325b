// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>How far a call that runs a model, or a search, has come.</summary>
/// <param name="Done">How many of the call's texts or sequences are done, or of a search's pairs of a query and a
/// vector.</param>
/// <param name="All">How many there are.</param>
public readonly record struct RunProgress(long Done, long All);

/// <summary>Receives from the native library how far a call has come. Nothing may be thrown into native code: what the
/// receiver throws ends the call through its cancel number, and then comes out of <see cref="Check"/>. Methods take
/// null for a call without a listener.</summary>
internal sealed unsafe class Listener : IDisposable
{
    private readonly IProgress<double>? ofLoading;
    private readonly IProgress<RunProgress>? ofRunning;
    private readonly int* cancel;
    private GCHandle self;
    private Exception? failure;

    private Listener(IProgress<double>? ofLoading, IProgress<RunProgress>? ofRunning, int* cancel)
    {
        this.ofLoading = ofLoading;
        this.ofRunning = ofRunning;
        this.cancel = cancel;
        self = GCHandle.Alloc(this);
    }

    /// <summary>Valid as long as the number stays where it is.</summary>
    internal static Listener? Of(IProgress<double>? receiver, int* cancel) =>
        receiver is null ? null : new Listener(receiver, null, cancel);

    internal static Listener? Of(IProgress<RunProgress>? receiver, int* cancel) =>
        receiver is null ? null : new Listener(null, receiver, cancel);

    internal static IntPtr User(Listener? listener) => listener is null ? IntPtr.Zero : GCHandle.ToIntPtr(listener.self);

    internal static IntPtr OfLoading(Listener? listener) =>
        listener is null ? IntPtr.Zero : (IntPtr)(delegate* unmanaged[Cdecl]<double, IntPtr, void>)&Tell;

    internal static IntPtr OfRunning(Listener? listener) =>
        listener is null ? IntPtr.Zero : (IntPtr)(delegate* unmanaged[Cdecl]<long, long, IntPtr, void>)&TellRun;

    /// <summary>Throws what the receiver threw, or why the call failed; in the call's thread, before any other
    /// call.</summary>
    internal static void Check(Listener? listener, int status, CancellationToken cancellationToken)
    {
        if (listener?.failure is Exception thrown)
        {
            ExceptionDispatchInfo.Throw(thrown);
        }

        if (status != Raw.OK)
        {
            throw Native.Failure(status, cancellationToken);
        }
    }

    public void Dispose() => self.Free();

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void Tell(double done, IntPtr user)
    {
        Listener listener = (Listener)GCHandle.FromIntPtr(user).Target!;
        try
        {
            listener.ofLoading!.Report(done);
        }
        catch (Exception thrown)
        {
            listener.End(thrown);
        }
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void TellRun(long done, long all, IntPtr user)
    {
        Listener listener = (Listener)GCHandle.FromIntPtr(user).Target!;
        try
        {
            listener.ofRunning!.Report(new RunProgress(done, all));
        }
        catch (Exception thrown)
        {
            listener.End(thrown);
        }
    }

    private void End(Exception thrown)
    {
        failure ??= thrown;
        Volatile.Write(ref *cancel, 1);
    }
}
