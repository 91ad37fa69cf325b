// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>What is known of the native library.</summary>
public static unsafe class LookupFfnLibrary
{
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
}
