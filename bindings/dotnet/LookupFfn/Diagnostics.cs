// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace LookupFfn;

/// <summary>What the library reports about its work through System.Diagnostics: to OpenTelemetry, dotnet-counters and
/// whoever else listens to its meter and its activity source, which are both called <see cref="Name"/>. Without
/// listeners this costs nothing.</summary>
/// <example><code>builder.Services.AddOpenTelemetry()
///     .WithMetrics(metrics => metrics.AddMeter(LookupFfnDiagnostics.Name))
///     .WithTracing(tracing => tracing.AddSource(LookupFfnDiagnostics.Name));</code></example>
public static class LookupFfnDiagnostics
{
    /// <summary>The name of the meter and of the activity source.</summary>
    public const string Name = "LookupFfn";

    internal static readonly ActivitySource Source = new(Name);

    private static readonly Meter Meter = new(Name);

    private static readonly Histogram<double> Loads = Seconds("lookupffn.load.duration", "How long models took to load.");

    private static readonly Histogram<double> Runs = Seconds(
        "lookupffn.run.duration", "How long the native calls took that run texts or ids.");

    private static readonly Counter<long> Texts = Meter.CreateCounter<long>(
        "lookupffn.run.texts", "{text}", "Texts that were run.");

    private static readonly Counter<long> Tokens = Meter.CreateCounter<long>(
        "lookupffn.run.tokens", "{token}", "Tokens that were run.");

    private static readonly Counter<long> Cut = Meter.CreateCounter<long>(
        "lookupffn.run.cut_texts", "{text}", "Texts of which the end was not read.");

    private static readonly Histogram<int> Batches = Meter.CreateHistogram<int>(
        "lookupffn.batch.size", "{text}", "How many texts went together.");

    private static readonly UpDownCounter<long> Queue = Meter.CreateUpDownCounter<long>(
        "lookupffn.queue.texts", "{text}", "Texts that wait for a batch.");

    private static readonly Histogram<double> Waits = Seconds(
        "lookupffn.queue.wait", "How long texts waited for their batch.");

    private static readonly Counter<long> Refusals = Meter.CreateCounter<long>(
        "lookupffn.queue.refused_texts", "{text}", "Texts that were refused because too many waited.");

    internal static long Begin() => Runs.Enabled ? Stopwatch.GetTimestamp() : 0;

    internal static void Loaded(string? model, long since) =>
        Loads.Record(Stopwatch.GetElapsedTime(since).TotalSeconds, Of(model));

    /// <summary>Records a call that succeeded.</summary>
    internal static void Ran(string? model, long since, in CallTexts texts)
    {
        if (since != 0)
        {
            Runs.Record(Stopwatch.GetElapsedTime(since).TotalSeconds, Of(model));
        }

        if (!Texts.Enabled && !Tokens.Enabled && !Cut.Enabled)
        {
            return;
        }

        ReadOnlySpan<long> offsets = texts.Offsets;
        long cut = 0;
        for (int i = 0; i < texts.Count; i++)
        {
            cut += texts.Uncut[i] > offsets[i + 1] - offsets[i] ? 1 : 0;
        }

        Texts.Add(texts.Count, Of(model));
        Tokens.Add(offsets[^1], Of(model));
        if (cut > 0)
        {
            Cut.Add(cut, Of(model));
        }
    }

    internal static void Ran(string? model, long since)
    {
        if (since != 0)
        {
            Runs.Record(Stopwatch.GetElapsedTime(since).TotalSeconds, Of(model));
        }
    }

    internal static void Batched(string? model, int texts) => Batches.Record(texts, Of(model));

    internal static void Waited(string? model, bool isShort, TimeSpan time, int texts)
    {
        for (int i = 0; i < texts && Waits.Enabled; i++)
        {
            Waits.Record(time.TotalSeconds, Of(model), Of(isShort));
        }
    }

    internal static void Queued(string? model, bool isShort, long texts) => Queue.Add(texts, Of(model), Of(isShort));

    internal static void Refused(string? model, bool isShort, int texts) => Refusals.Add(texts, Of(model), Of(isShort));

    /// <summary>The time that a caller has waited until now, as a part of the caller's trace; to be disposed of at once.</summary>
    internal static Activity? WaitOf(ActivityContext caller, string? model, TimeSpan time) => Source.StartActivity(
        "lookupffn.wait", ActivityKind.Internal, caller, [Of(model)], null, DateTimeOffset.UtcNow - time);

    /// <summary>Buckets from a query to a small model up to loading a model from a slow disk.</summary>
    private static Histogram<double> Seconds(string name, string description) =>
#if NET9_0_OR_GREATER
        Meter.CreateHistogram(
            name,
            "s",
            description,
            null,
            new InstrumentAdvice<double>
            {
                HistogramBucketBoundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
            });
#else
        Meter.CreateHistogram<double>(name, "s", description);
#endif

    private static KeyValuePair<string, object?> Of(bool isShort) => new("lookupffn.call", isShort ? "short" : "bulk");

    private static KeyValuePair<string, object?> Of(string? model) => new("lookupffn.model", model);
}
