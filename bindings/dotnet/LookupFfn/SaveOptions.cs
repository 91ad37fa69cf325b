// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>How to save a layer or a model.</summary>
public sealed record SaveOptions
{
    /// <summary>Is told how far saving has come, in the thread that saves: from 0 to 1, never less than before, 1 at the
    /// end. What it throws ends the saving. Default null: nobody is.</summary>
    public IProgress<double>? Progress { get; init; }

    /// <summary>A call that saves, with the file's name, the number that ends it, and whom to tell.</summary>
    internal unsafe delegate int Call(byte* name, int* cancel, IntPtr progress, IntPtr user);

    internal static unsafe void Save(string path, Call save, SaveOptions? options, CancellationToken cancellationToken)
    {
        int cancel = 0;
        using Listener? listener = Listener.Of(options?.Progress, &cancel);
        int status;
        fixed (byte* name = Utf8.ZeroTerminated(path))
        {
            using CancellationTokenRegistration registration = Native.Register(&cancel, cancellationToken);
            status = save(name, &cancel, Listener.OfLoading(listener), Listener.User(listener));
        }

        Listener.Check(listener, status, cancellationToken);
    }
}
