// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn.Tests;

/// <summary>How many of the library's objects are alive.</summary>
internal static class Handles
{
    /// <summary>Without those that earlier tests left to the collector.</summary>
    public static long Settled()
    {
        // Finalizers may make more garbage, so until nothing changes any more.
        long before = -1;
        long now = Raw.LiveHandles();
        for (int same = 0; same < 2; same = now == before ? same + 1 : 0)
        {
            before = now;
            GC.Collect();
            GC.WaitForPendingFinalizers();
            now = Raw.LiveHandles();
        }

        return now;
    }
}
