// SPDX-License-Identifier: Apache-2.0
using System.Reflection;
using System.Runtime.InteropServices;

[assembly: System.Runtime.CompilerServices.DisableRuntimeMarshalling]

namespace LookupFfn;

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
