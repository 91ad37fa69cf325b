// SPDX-License-Identifier: Apache-2.0
#if !NET9_0_OR_GREATER
namespace System.Runtime.CompilerServices;

/// <summary>What compilers of C# 13 and newer look for, of which .NET 8 knows nothing: so that an empty list means no
/// texts.</summary>
[AttributeUsage(AttributeTargets.Method, Inherited = false)]
internal sealed class OverloadResolutionPriorityAttribute(int priority) : Attribute
{
    public int Priority => priority;
}
#endif
