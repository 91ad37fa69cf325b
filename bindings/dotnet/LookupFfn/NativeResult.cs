// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>Native room for the results of one call.</summary>
internal readonly unsafe ref struct NativeResult
{
    private readonly IntPtr result;

    public NativeResult()
    {
        IntPtr made = IntPtr.Zero;
        int status = Raw.ResultCreate(&made);
        if (status != Raw.STATUS_OK)
        {
            throw Native.Failure(status);
        }

        result = made;
    }

    internal IntPtr Pointer => result;

    /// <summary>One of its arrays, a RESULT_ value, valid as long as this.</summary>
    internal ReadOnlySpan<T> Array<T>(int what, int count)
        where T : unmanaged => new(Raw.ResultArray(result, what), count);

    /// <summary>Nothing for one that was never made.</summary>
    public void Dispose() => Raw.ResultFree(result);
}
