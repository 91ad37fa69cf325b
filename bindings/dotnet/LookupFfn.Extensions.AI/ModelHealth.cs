// SPDX-License-Identifier: Apache-2.0
using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace LookupFfn.Extensions.AI;

/// <summary>Whether the registered models can answer: all of them, or that with a key.</summary>
internal sealed class ModelHealth(IServiceProvider provider, object? serviceKey) : IHealthCheck
{
    private const double NearlyFull = 0.9;

    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        ModelRegistration[] registrations = [.. provider.GetServices<ModelRegistration>()
            .Where(registration => serviceKey is null || Equals(registration.Key, serviceKey))];
        if (registrations.Length == 0)
        {
            throw new InvalidOperationException(
                serviceKey is null ? "no model is registered" : $"no model is registered under the key {serviceKey}");
        }

        HealthStatus status = HealthStatus.Healthy;
        List<string> told = [];
        Dictionary<string, object> data = [];
        foreach (ModelRegistration registration in registrations)
        {
            string name = registration.Key is null ? registration.Kind : $"{registration.Kind} {registration.Key}";
            (HealthStatus its, string? why) = StatusOf(registration, registrations.Length == 1 ? "" : $"{name}: ", data);
            status = its < status ? its : status;
            if (why is not null)
            {
                told.Add($"{name}: {why}");
            }
        }

        return Task.FromResult(new HealthCheckResult(status, told.Count == 0 ? null : string.Join("; ", told), null, data));
    }

    private (HealthStatus Status, string? Why) StatusOf(
        ModelRegistration registration, string prefix, Dictionary<string, object> data)
    {
        if (registration.IsReplaced)
        {
            return (HealthStatus.Healthy, "replaced, and not looked at");
        }

        (Model model, BatcherFigures? figures, int maxQueue) = registration.StateOf(provider);
        if (model.IsDisposed)
        {
            return (HealthStatus.Unhealthy, "the model is closed");
        }

        if (figures is null)
        {
            return (HealthStatus.Healthy, null);
        }

        data[prefix + "waiting"] = figures.Depth;
        data[prefix + "bulk_waiting"] = figures.BulkDepth;
        data[prefix + "accepted"] = figures.Accepted;
        data[prefix + "refused"] = figures.Refused;
        data[prefix + "failed"] = figures.Failed;
        data[prefix + "mean_batch"] = figures.MeanBatch;
        data[prefix + "mean_wait_ms"] = figures.MeanWait.TotalMilliseconds;
        return figures.Depth >= NearlyFull * maxQueue
            ? (HealthStatus.Degraded, string.Create(CultureInfo.InvariantCulture, $"{figures.Depth} of {maxQueue} texts wait"))
            : (HealthStatus.Healthy, null);
    }
}
