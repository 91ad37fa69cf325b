// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>How much memory a model takes, told before it is loaded.</summary>
/// <param name="WeightBytes">What <see cref="ModelInfo.MemoryBytes"/> will be, or a little more.</param>
/// <param name="LoadingBytes">At most so much weight and work memory at once while it is loaded.</param>
public sealed record MemoryEstimate(long WeightBytes, long LoadingBytes);
