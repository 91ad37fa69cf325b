// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>What a runtime is made of.</summary>
public sealed record RuntimeOptions
{
    /// <summary>At most so many threads for each call of what is loaded with the runtime, whatever its load options say.
    /// Default 0: no limit, and what the environment leaves for those that say nothing.</summary>
    public int NumThreads { get; init; }

    /// <summary>The instruction set of the kernels, one of the names that <see cref="LookupFfnLibrary.Isa"/> gives. Default
    /// null: as the environment variable LOOKUPFFN_ISA says, else the processor's best.</summary>
    public string? Isa { get; init; }

    /// <summary>Receives a level and a line of text, in the thread of whatever call has something to tell; what it throws is
    /// dropped. Default null: the log of <see cref="LookupFfnLibrary.SetLog"/>.</summary>
    public Action<LookupFfnLogLevel, string>? Log { get; init; }
}

/// <summary>Threads, a log and an instruction set that layers, models and tokenizers share: those that are loaded with
/// <see cref="LoadOptions.Runtime"/>. All runtimes share the library's one team of threads. It may be disposed of while
/// they are in use.</summary>
/// <example><code>using LookupFfnRuntime runtime = new(new RuntimeOptions { NumThreads = 2 });
/// using Model loaded = Model.Load("my-model", new LoadOptions { Runtime = runtime });</code></example>
public sealed unsafe class LookupFfnRuntime : IDisposable
{
    /// <summary>Makes a runtime.</summary>
    /// <param name="options">How; null for the defaults.</param>
    /// <exception cref="ArgumentException">There is no instruction set of that name, or this processor lacks
    /// it.</exception>
    /// <exception cref="DllNotFoundException">The native library cannot be loaded.</exception>
    public LookupFfnRuntime(RuntimeOptions? options = null)
    {
        options ??= new RuntimeOptions();
        Native.EnsureLoaded();
        byte[]? isa = options.Isa is null ? null : Utf8.ZeroTerminated(options.Isa, nameof(options));
        Log = options.Log is null ? null : new RuntimeLog(options.Log);
        IntPtr runtime = IntPtr.Zero;
        int status;
        fixed (byte* name = isa)
        {
            status = Raw.RuntimeCreate(
                options.NumThreads,
                name,
                IntPtr.Zero,
                IntPtr.Zero,
                Log is null ? IntPtr.Zero : NativeLog.Callback,
                Log?.User ?? IntPtr.Zero,
                &runtime);
        }

        if (status != Raw.OK)
        {
            Exception failure = Native.Failure(status);
            Log?.Release();
            throw failure;
        }

        Handle = new RuntimeHandle(runtime) { Log = Log };
        Log?.Release(); // the handle keeps it
        Isa = Native.Text(Raw.RuntimeIsa(runtime));
    }

    /// <summary>The instruction set of its kernels.</summary>
    public string Isa { get; }

    /// <summary>Whether <see cref="Dispose"/> was called.</summary>
    public bool IsDisposed => Handle.IsDisposed;

    internal RuntimeHandle Handle { get; }

    internal RuntimeLog? Log { get; }

    /// <summary>Closes the runtime. What was loaded with it keeps what it needs.</summary>
    public void Dispose() => Handle.Dispose();
}

/// <summary>A native runtime.</summary>
internal sealed class RuntimeHandle(IntPtr runtime) : NativeHandle(runtime, typeof(LookupFfnRuntime))
{
    private protected override void Free(IntPtr native) => Raw.RuntimeFree(native);
}
