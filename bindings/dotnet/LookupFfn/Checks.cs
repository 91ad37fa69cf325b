// SPDX-License-Identifier: Apache-2.0
using System.Runtime.CompilerServices;

namespace LookupFfn;

/// <summary>Refuses invalid arguments, in the caller's words.</summary>
internal static class Checks
{
    /// <summary>A number that was cast to an enumeration need not be one of its values.</summary>
    internal static void Defined<T>(T value, [CallerArgumentExpression(nameof(value))] string name = "")
        where T : struct, Enum
    {
        if (!Enum.IsDefined(value))
        {
            name = Last(name);
            throw new ArgumentOutOfRangeException(name, value, $"{name} is no value of {typeof(T).Name}");
        }
    }

    /// <summary>Numbers of one kind can be held in these types, and as they are, in F32 and in Int8.</summary>
    internal static void Held(
        ElementType value, ElementType[] others, [CallerArgumentExpression(nameof(value))] string name = "")
    {
        Defined(value, name);
        if (value is ElementType.AsStored or ElementType.F32 or ElementType.Int8 || Array.IndexOf(others, value) >= 0)
        {
            return;
        }

        string more = string.Concat(others.Select(type => $"{type}, "));
        throw new ArgumentException($"{name} is {value}, expected F32, {more}Int8 or AsStored", name);
    }

    /// <summary>A limit of tokens, as the native code takes it: null for what the model means to read.</summary>
    internal static long TokenLimit(int? maxTokens, [CallerArgumentExpression(nameof(maxTokens))] string name = "")
    {
        if (maxTokens is null)
        {
            return Raw.MAX_TOKENS_MODEL;
        }

        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxTokens.Value, Last(name));
        return maxTokens.Value;
    }

    /// <summary>The caller knows a property of its options by its own name.</summary>
    private static string Last(string name) => name[(name.LastIndexOf('.') + 1)..];
}
