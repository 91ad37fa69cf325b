// SPDX-License-Identifier: Apache-2.0
using System.Collections.Concurrent;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

[assembly: System.Runtime.CompilerServices.DisableRuntimeMarshalling]

namespace LookupFfn;

/// <summary>What is known of the native library.</summary>
public static unsafe class LookupFfnLibrary
{
    private static readonly object LogGate = new();
    private static RuntimeLog? processLog;

    /// <summary>The version of the native library.</summary>
    /// <exception cref="DllNotFoundException">It cannot be loaded; the message says what was tried.</exception>
    public static Version Version
    {
        get
        {
            Native.EnsureLoaded();
            int version = Raw.NativeVersion();
            return new Version(version / 10000, version / 100 % 100, version % 100);
        }
    }

    /// <summary>
    /// The instruction set of the kernels in use, such as "avx2". The environment variable LOOKUPFFN_ISA chooses one by
    /// name; when its value cannot be used this is "", and each load fails with the reason.
    /// </summary>
    /// <exception cref="DllNotFoundException">The library cannot be loaded; the message says what was
    /// tried.</exception>
    public static string Isa
    {
        get
        {
            Native.EnsureLoaded();
            return Native.Text(Raw.NativeIsa());
        }
    }

    /// <summary>Sets who receives what the native library logs about all that is loaded without a runtime that has a
    /// log of its own.</summary>
    /// <param name="log">Receives a level and a line of text, in the thread of whatever call has something to tell; what it
    /// throws is dropped. Null for nobody, as at first.</param>
    /// <exception cref="DllNotFoundException">The library cannot be loaded.</exception>
    public static void SetLog(Action<LookupFfnLogLevel, string>? log)
    {
        Native.EnsureLoaded();
        lock (LogGate)
        {
            RuntimeLog? before = processLog;
            processLog = log is null ? null : new RuntimeLog(log);
            Raw.SetLog(processLog is null ? IntPtr.Zero : NativeLog.Callback, processLog?.User ?? IntPtr.Zero);
            before?.Release();
        }
    }

    /// <summary>Gives back the scratch memory that layers and models keep from call to call. Calls in progress keep theirs;
    /// later ones take some again.</summary>
    /// <exception cref="DllNotFoundException">The library cannot be loaded.</exception>
    public static void Trim()
    {
        Native.EnsureLoaded();
        Raw.Trim();
    }
}

/// <summary>How much a line of the log matters.</summary>
public enum LookupFfnLogLevel
{
    /// <summary>A failure that no status reports.</summary>
    Error = Raw.LOG_ERROR,

    /// <summary>Something works differently than intended.</summary>
    Warning = Raw.LOG_WARNING,

    /// <summary>What the library chose.</summary>
    Information = Raw.LOG_INFO,
}

/// <summary>Receives the lines of the native library's log.</summary>
internal static unsafe class NativeLog
{
    // By numbers, because the native library may still pass a number whose receiver is gone.
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
            // Nothing may be thrown into the native library, and no caller waits for the exception.
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

/// <summary>The native library: is it there, is it the right one, what did it say.</summary>
internal static unsafe class Native
{
    private static readonly string? Problem = FindProblem();

    internal static void EnsureLoaded()
    {
        if (Problem != null)
        {
            throw new DllNotFoundException(Problem);
        }
    }

    /// <summary>Must be called in the thread of the failed call, before any other call.</summary>
    internal static Exception Failure(int status, CancellationToken cancellationToken = default) =>
        LookupFfnException.Of(status, Text(Raw.LastError(status)), cancellationToken);

    /// <summary>For a cancellation token to call, with the address of the number that the core polls.</summary>
    internal static void Cancel(object? flag) => Volatile.Write(ref *(int*)(IntPtr)flag!, 1);

    /// <summary>Lets the token set the number, which must stay where it is until the registration is disposed of: that
    /// waits for a callback that is just running. A token that cannot be cancelled costs nothing.</summary>
    internal static CancellationTokenRegistration Register(int* flag, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        return token.CanBeCanceled ? token.UnsafeRegister(Cancel, (IntPtr)flag) : default;
    }

    internal static string Text(byte* utf8) => Marshal.PtrToStringUTF8((IntPtr)utf8) ?? "";

    private static string? FindProblem()
    {
        try
        {
            int version = Raw.NativeVersion();
            return version == Raw.ABI_VERSION
                ? null
                : $"The native library of LookupFfn has version {version}, but {Raw.ABI_VERSION} is needed: "
                    + "the packages LookupFfn and LookupFfn.runtime.* must have the same version.";
        }
        catch (Exception failure)
            when (failure is DllNotFoundException or EntryPointNotFoundException or BadImageFormatException)
        {
            string requirements = typeof(Native).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
                .First(attribute => attribute.Key == "NativeRequirements").Value ?? "";
            return $"The native library of LookupFfn cannot be loaded on {RuntimeInformation.RuntimeIdentifier}. It "
                + $"comes in the package LookupFfn.runtime.*, and needs {requirements}. The loader said: {failure.Message}";
        }
    }
}
