// SPDX-License-Identifier: Apache-2.0
#if !NET9_0_OR_GREATER
namespace System.Runtime.CompilerServices;

/// <summary>An attribute that compilers of C# 13 and newer look for and that .NET 8 lacks. It makes an empty list mean
/// no texts.</summary>
[AttributeUsage(AttributeTargets.Method, Inherited = false)]
internal sealed class OverloadResolutionPriorityAttribute(int priority) : Attribute
{
    public int Priority => priority;
}
#endif
