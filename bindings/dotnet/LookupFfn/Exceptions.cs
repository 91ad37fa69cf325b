// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using System.Text;

namespace LookupFfn;

/// <summary>What went wrong in the native library. The message is the library's own.</summary>
public abstract class LookupFfnException : Exception
{
    private protected LookupFfnException(string message)
        : base(message)
    {
    }

    /// <summary>The exception that stands for a status of the native library.</summary>
    internal static Exception Of(int status, string message, CancellationToken cancelledBy = default) => status switch
    {
        Raw.STATUS_INVALID_ARGUMENT or Raw.STATUS_TOO_SMALL or Raw.STATUS_BAD_TEXT or Raw.STATUS_TOO_LONG
            or Raw.STATUS_NULL_TEXT => new ArgumentException(message),
        Raw.STATUS_OUT_OF_MEMORY => new NativeMemoryException(message),
        Raw.STATUS_IO => new ModelIOException(message),
        Raw.STATUS_BAD_MODEL => new BadModelException(message),
        Raw.STATUS_UNSUPPORTED => new UnsupportedModelException(message),
        Raw.STATUS_CANCELLED => new OperationCanceledException(message, cancelledBy),
        Raw.STATUS_INTERNAL => new InternalErrorException(message),
        _ => new InternalErrorException(string.Create(CultureInfo.InvariantCulture, $"status {status}: {message}")),
    };
}

/// <summary>A file, or the bytes of one, is not a valid model; the message says what is wrong with it.</summary>
public sealed class BadModelException : LookupFfnException
{
    internal BadModelException(string message)
        : base(message)
    {
    }
}

/// <summary>The operating system refused to read or write a model file.</summary>
public sealed class ModelIOException : LookupFfnException
{
    internal ModelIOException(string message)
        : base(message)
    {
    }
}

/// <summary>The native library could not get memory; nothing was leaked.</summary>
public sealed class NativeMemoryException : LookupFfnException
{
    internal NativeMemoryException(string message)
        : base(message)
    {
    }
}

/// <summary>The model is valid, but this build of the library or this processor cannot run it.</summary>
public sealed class UnsupportedModelException : LookupFfnException
{
    internal UnsupportedModelException(string message)
        : base(message)
    {
    }
}

/// <summary>A bug in the native library; please report it.</summary>
public sealed class InternalErrorException : LookupFfnException
{
    internal InternalErrorException(string message)
        : base(message)
    {
    }
}
