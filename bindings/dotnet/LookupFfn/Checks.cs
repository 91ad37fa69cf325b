// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;

namespace LookupFfn;

/// <summary>Refuses arguments that cannot be meant, in the caller's words.</summary>
internal static class Checks
{
    /// <summary>A number that was cast to an enumeration may be none of its values.</summary>
    internal static void Defined<T>(T value, [CallerArgumentExpression(nameof(value))] string name = "")
        where T : struct, Enum
    {
        if (!Enum.IsDefined(value))
        {
            name = Last(name);
            throw new ArgumentOutOfRangeException(name, value, $"{name} is no value of {typeof(T).Name}");
        }
    }

    /// <summary>A limit of tokens, as the native code takes it: null for what the model means to read.</summary>
    internal static long TokenLimit(
        int? maxTokens, bool withoutCutting, [CallerArgumentExpression(nameof(maxTokens))] string name = "")
    {
        if (maxTokens is null)
        {
            return withoutCutting ? Raw.MAX_TOKENS_NEVER : Raw.MAX_TOKENS_MODEL;
        }

        if (withoutCutting)
        {
            throw new ArgumentException("the options have both MaxTokens and WithoutCutting");
        }

        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxTokens.Value, Last(name));
        return maxTokens.Value;
    }

    /// <summary>The caller knows a property of its options by its own name.</summary>
    private static string Last(string name) => name[(name.LastIndexOf('.') + 1)..];
}
