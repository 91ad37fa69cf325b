// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn.Tests;

/// <summary>What happens while a test is inside of a call.</summary>
internal static class Later
{
    /// <summary>By a thread of its own: a pool whose threads are busy may let its timers wait for a second.</summary>
    public static Thread Cancel(CancellationTokenSource source, int milliseconds)
    {
        Thread thread = new(() =>
        {
            Thread.Sleep(milliseconds);
            source.Cancel();
        });
        thread.IsBackground = true;
        thread.Start();
        return thread;
    }
}
