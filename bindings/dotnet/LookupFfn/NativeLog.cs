// SPDX-License-Identifier: Apache-2.0
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>How much a line of the log matters.</summary>
public enum LookupFfnLogLevel
{
    /// <summary>Something failed.</summary>
    Error = Raw.LOG_ERROR,

    /// <summary>Something is not as it should be.</summary>
    Warning = Raw.LOG_WARNING,

    /// <summary>What was done.</summary>
    Information = Raw.LOG_INFO,
}

/// <summary>Whom the native library tells its lines.</summary>
internal static unsafe class NativeLog
{
    // By numbers, which the native library may still name when they are gone.
    private static readonly ConcurrentDictionary<long, Action<LookupFfnLogLevel, string>> Receivers = new();

    private static long last;

    internal static IntPtr Callback => (IntPtr)(delegate* unmanaged[Cdecl]<int, byte*, IntPtr, void>)&Tell;

    internal static long Add(Action<LookupFfnLogLevel, string> receiver)
    {
        long number = Interlocked.Increment(ref last);
        Receivers[number] = receiver;
        return number;
    }

    internal static void Remove(long number) => Receivers.TryRemove(number, out _);

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void Tell(int level, byte* message, IntPtr user)
    {
        try
        {
            if (Receivers.TryGetValue(user, out Action<LookupFfnLogLevel, string>? receiver))
            {
                receiver((LookupFfnLogLevel)level, Native.Text(message));
            }
        }
        catch (Exception)
        {
            // Nothing may be thrown into the native library, and nobody waits for it.
        }
    }
}

/// <summary>Who gets the lines of a runtime and of all that was loaded with it: kept until the last of them is freed.</summary>
internal sealed class RuntimeLog(Action<LookupFfnLogLevel, string> receiver)
{
    private readonly long number = NativeLog.Add(receiver);
    private int owners = 1;

    internal IntPtr User => checked((IntPtr)number);

    internal void Keep() => Interlocked.Increment(ref owners);

    internal void Release()
    {
        if (Interlocked.Decrement(ref owners) == 0)
        {
            NativeLog.Remove(number);
        }
    }
}
