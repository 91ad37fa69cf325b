// SPDX-License-Identifier: Apache-2.0
using System.Globalization;

namespace LookupFfn;

/// <summary>What went wrong with a model. The message is the native library's own.</summary>
public abstract class LookupFfnException : Exception
{
    /// <summary>Makes one without a message.</summary>
    protected LookupFfnException()
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    protected LookupFfnException(string message)
        : base(message)
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    /// <param name="innerException">Why.</param>
    protected LookupFfnException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    /// <summary>The exception that stands for a status of the native library.</summary>
    internal static Exception Of(int status, string message, CancellationToken cancelledBy = default) => status switch
    {
        Raw.ERROR_INVALID_ARGUMENT when IsOfTheModel(message) => new UnsupportedModelException(InNamesOfThisApi(message)),
        Raw.ERROR_INVALID_ARGUMENT or Raw.ERROR_TOO_SMALL or Raw.ERROR_BAD_TEXT or Raw.ERROR_TOO_LONG
            or Raw.ERROR_NULL_TEXT => new ArgumentException(InNamesOfThisApi(message)),
        Raw.ERROR_OUT_OF_MEMORY => new NativeMemoryException(message),
        Raw.ERROR_IO => new ModelIOException(message),
        Raw.ERROR_BAD_MODEL => new BadModelException(message),
        Raw.ERROR_UNSUPPORTED => new UnsupportedModelException(InNamesOfThisApi(message)),
        Raw.ERROR_CANCELLED => new OperationCanceledException(cancelledBy),
        Raw.ERROR_INTERNAL => new InternalErrorException(message),
        _ => new InternalErrorException(string.Create(CultureInfo.InvariantCulture, $"status {status}: {message}")),
    };

    /// <summary>If a model lacks something, no argument is at fault.</summary>
    private static bool IsOfTheModel(string message) =>
        message.StartsWith("this model has ", StringComparison.Ordinal)
        || message.StartsWith("this model gives no ", StringComparison.Ordinal)
        || message.StartsWith("this model's vocabulary has no ", StringComparison.Ordinal);

    /// <summary>The native library speaks of its own options, which have other names here, and of numbers that have
    /// some.</summary>
    private static string InNamesOfThisApi(string message)
    {
        foreach (Pooling pooling in Enum.GetValues<Pooling>())
        {
            message = message.Replace($"pooling is {(int)pooling},", $"Pooling is {pooling},", StringComparison.Ordinal);
        }

        foreach ((string its, string ours) in Names)
        {
            message = message.Replace(its, ours, StringComparison.Ordinal);
        }

        return message;
    }

    private static readonly (string Its, string Ours)[] Names =
    [
        ("options.table_dtype", "TableType"),
        ("options.hash_dtype", "HashType"),
        ("options.linear_dtype", "LinearType"),
        ("options.attention_dtype", "AttentionType"),
        ("options.embedding_dtype", "EmbeddingType"),
        ("options.word_row_dtype", "WordType"),
        ("options.adapter", "Adapter"),
        ("leave it NULL", "leave it null"),
        ("options.num_threads", "NumThreads"),
        ("options.isa", "Isa"),
        ("config: 'hidden_size'", "HiddenSize"),
        ("config: 'output_size'", "OutputSize"),
        ("config: 'num_tables'", "NumTables"),
        ("config: 'table_size'", "TableSize"),
        ("config: 'projection'", "ProjectionFactors"),
        ("config: 'block_size'", "BlockSize"),
        ("config: 'num_probes'", "NumProbes"),
        ("config: 'decay_coeff'", "DecayCoeff"),
        ("config: 'layer_norm_eps'", "LayerNormEps"),
        ("hash_dtype:", "HashType:"),
        ("LFFN_DTYPE_AS_STORED", "AsStored"),
        ("LFFN_DTYPE_F32", "F32"),
        ("LFFN_DTYPE_BF16", "BF16"),
        ("LFFN_DTYPE_F16", "F16"),
        ("LFFN_DTYPE_INT8", "Int8"),
        ("LFFN_DTYPE_INT4", "Int4"),
        ("LFFN_MAX_TOKENS_NEVER", "RefuseLongTexts"),
        (", or LFFN_STRIDE_DEFAULT", ""),
        (" or an LFFN_MAX_TOKENS_ value", ""),
        ("max_tokens", "MaxTokens"),
        ("max_answer_tokens", "MaxAnswerTokens"),
        ("num_threads", "NumThreads"),
        ("top_k", "TopK"),
        ("dimensions is ", "Dimensions is "),
        ("candidates[", "Candidates["),
        ("n_vectors - 1, ", ""),
        ("first_id is ", "FirstId is "),
        (", or 0 for all of them", ""),
        ("stride is ", "Stride is "),
        ("LFFN_", ""),
    ];
}

/// <summary>A file, or the bytes of one, is not a valid model; the message says what is wrong with it.</summary>
public sealed class BadModelException : LookupFfnException
{
    /// <summary>Makes one without a message.</summary>
    public BadModelException()
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    public BadModelException(string message)
        : base(message)
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    /// <param name="innerException">Why.</param>
    public BadModelException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}

/// <summary>The operating system refused to read or write a model file. Not a <see cref="LookupFfnException"/>: code
/// that catches failures of files expects this one among them.</summary>
public sealed class ModelIOException : IOException
{
    /// <summary>Makes one without a message.</summary>
    public ModelIOException()
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    public ModelIOException(string message)
        : base(message)
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    /// <param name="innerException">Why.</param>
    public ModelIOException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}

/// <summary>The native library could not get memory; nothing was leaked.</summary>
public sealed class NativeMemoryException : LookupFfnException
{
    /// <summary>Makes one without a message.</summary>
    public NativeMemoryException()
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    public NativeMemoryException(string message)
        : base(message)
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    /// <param name="innerException">Why.</param>
    public NativeMemoryException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}

/// <summary>The model is valid, but it lacks something that was asked for, such as a classifier, or this build of the
/// library or this processor cannot run it.</summary>
public sealed class UnsupportedModelException : LookupFfnException
{
    /// <summary>Makes one without a message.</summary>
    public UnsupportedModelException()
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    public UnsupportedModelException(string message)
        : base(message)
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    /// <param name="innerException">Why.</param>
    public UnsupportedModelException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}

/// <summary>A bug in the native library; please report it.</summary>
public sealed class InternalErrorException : LookupFfnException
{
    /// <summary>Makes one without a message.</summary>
    public InternalErrorException()
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    public InternalErrorException(string message)
        : base(message)
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What happened.</param>
    /// <param name="innerException">Why.</param>
    public InternalErrorException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
