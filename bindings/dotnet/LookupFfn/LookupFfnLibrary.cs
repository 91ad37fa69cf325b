// SPDX-License-Identifier: Apache-2.0
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

    /// <summary>Says who gets the lines that the native library has to tell of what is loaded without a runtime that has a
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
