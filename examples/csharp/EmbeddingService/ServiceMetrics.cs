// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Text;

namespace EmbeddingService;

/// <summary>What the service did, as System.Diagnostics.Metrics for whoever listens, and as text for Prometheus.</summary>
internal sealed class ServiceMetrics : IDisposable
{
    private readonly Meter meter = new("EmbeddingService");
    private readonly Counter<long> requests;
    private readonly Counter<long> texts;
    private readonly Counter<long> tokens;
    private readonly SortedDictionary<string, long> totals = new(StringComparer.Ordinal);
    private readonly MeterListener listener = new();

    public ServiceMetrics()
    {
        requests = meter.CreateCounter<long>("embedding_service_requests_total", description: "Requests answered");
        texts = meter.CreateCounter<long>("embedding_service_texts_total", description: "Texts that were run");
        tokens = meter.CreateCounter<long>("embedding_service_tokens_total", description: "Tokens that were run");
        listener.SetMeasurementEventCallback<long>(Add);
        listener.EnableMeasurementEvents(requests);
        listener.EnableMeasurementEvents(texts);
        listener.EnableMeasurementEvents(tokens);
        listener.Start();
    }

    public void Dispose()
    {
        listener.Dispose();
        meter.Dispose();
    }

    internal void Count(string what, int numTexts, long numTokens)
    {
        KeyValuePair<string, object?> tag = new("call", what);
        requests.Add(1, tag);
        texts.Add(numTexts, tag);
        tokens.Add(numTokens, tag);
    }

    /// <summary>Prometheus' text format.</summary>
    internal string Text()
    {
        StringBuilder text = new();
        lock (totals)
        {
            foreach (IGrouping<string, KeyValuePair<string, long>> metric in totals.GroupBy(total => total.Key.Split('{')[0]))
            {
                text.Append(CultureInfo.InvariantCulture, $"# TYPE {metric.Key} counter\n");
                foreach ((string name, long value) in metric)
                {
                    text.Append(CultureInfo.InvariantCulture, $"{name} {value}\n");
                }
            }
        }

        return text.ToString();
    }

    private void Add(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        string name = $"{instrument.Name}{{{tags[0].Key}=\"{tags[0].Value}\"}}";
        lock (totals)
        {
            totals[name] = totals.GetValueOrDefault(name) + value;
        }
    }
}
