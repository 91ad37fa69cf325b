// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Text;
using LookupFfn;

namespace EmbeddingService;

/// <summary>What the service and the library did, as System.Diagnostics.Metrics for whoever listens, and as text for Prometheus.</summary>
internal sealed class ServiceMetrics : IDisposable
{
    private readonly Meter meter = new("EmbeddingService");
    private readonly Counter<long> requests;
    private readonly Counter<long> texts;
    private readonly Counter<long> tokens;
    private readonly SortedDictionary<string, double> totals = new(StringComparer.Ordinal);
    private readonly MeterListener listener = new();

    public ServiceMetrics()
    {
        requests = meter.CreateCounter<long>("embedding_service_requests_total", description: "Requests answered");
        texts = meter.CreateCounter<long>("embedding_service_texts_total", description: "Texts that were run");
        tokens = meter.CreateCounter<long>("embedding_service_tokens_total", description: "Tokens that were run");
        listener.InstrumentPublished = (instrument, of) =>
        {
            if (instrument.Meter == meter || instrument.Meter.Name == LookupFfnDiagnostics.Name)
            {
                of.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Add(instrument, value, tags));
        listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Add(instrument, value, tags));
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Add(instrument, value, tags));
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
            foreach (IGrouping<string, KeyValuePair<string, double>> metric in totals.GroupBy(total => total.Key.Split('{')[0]))
            {
                text.Append(CultureInfo.InvariantCulture, $"# TYPE {metric.Key} {(metric.Key.EndsWith("queue_texts", StringComparison.Ordinal) ? "gauge" : "counter")}\n");
                foreach ((string name, double value) in metric)
                {
                    text.Append(CultureInfo.InvariantCulture, $"{name} {value}\n");
                }
            }
        }

        return text.ToString();
    }

    /// <summary>Of a histogram the sum and how many there were.</summary>
    private void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        string name = instrument.Name.Replace('.', '_');
        string label = $"{{{tags[0].Key.Replace('.', '_')}=\"{tags[0].Value}\"}}";
        bool counts = instrument is Histogram<int> or Histogram<double>;
        lock (totals)
        {
            string total = (counts ? name + "_sum" : name) + label;
            totals[total] = totals.GetValueOrDefault(total) + value;
            if (counts)
            {
                totals[name + "_count" + label] = totals.GetValueOrDefault(name + "_count" + label) + 1;
            }
        }
    }
}
