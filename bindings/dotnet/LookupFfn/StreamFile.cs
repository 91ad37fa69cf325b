// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace LookupFfn;

/// <summary>A file that the native library reads from a stream. What that throws is kept, as nothing may be thrown into the
/// library.</summary>
internal sealed unsafe class StreamFile : IDisposable
{
    private readonly Stream stream;
    private GCHandle self;
    private Exception? failure;

    internal StreamFile(Stream stream)
    {
        this.stream = stream;
        self = GCHandle.Alloc(this);
    }

    internal IntPtr User => GCHandle.ToIntPtr(self);

    /// <summary>Reads so many bytes from a position on; 0, or 1 where that fails.</summary>
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    internal static int Read(ulong first, nuint size, byte* to, IntPtr user)
    {
        StreamFile file = (StreamFile)GCHandle.FromIntPtr(user).Target!;
        try
        {
            file.stream.Position = checked((long)first);
            while (size > 0)
            {
                int part = (int)Math.Min(size, int.MaxValue);
                file.stream.ReadExactly(new Span<byte>(to, part));
                to += part;
                size -= (nuint)part;
            }

            return 0;
        }
        catch (Exception thrown)
        {
            file.failure ??= thrown;
            return 1;
        }
    }

    internal void ThrowFailure()
    {
        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    public void Dispose() => self.Free();
}
