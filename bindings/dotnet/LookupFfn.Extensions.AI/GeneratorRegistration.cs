// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;
using LookupFfn.Extensions.AI;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace LookupFfn.Extensions.AI;

/// <summary>One registered generator. It is itself the key under which the container has it, so that several registrations
/// of one application are not taken for each other.</summary>
internal sealed class GeneratorRegistration(string name, Action<IServiceProvider, LookupFfnEmbeddingOptions> configure)
{
    internal static object Add(
        IServiceCollection services, string name, Action<IServiceProvider, LookupFfnEmbeddingOptions> configure)
    {
        GeneratorRegistration registration = new(name, configure);
        services.AddOptions();
        services.AddKeyedSingleton(registration, (provider, _) => registration.Make(provider));
        services.AddSingleton<IHostedService>(provider => new GeneratorStart(provider, registration));
        return registration;
    }

    /// <summary>What Configure said for the name, then what the registration says; checked.</summary>
    internal LookupFfnEmbeddingOptions OptionsOf(IServiceProvider provider)
    {
        LookupFfnEmbeddingOptions given =
            provider.GetRequiredService<IOptionsMonitor<LookupFfnEmbeddingOptions>>().Get(name);
        LookupFfnEmbeddingOptions options = given with { Batching = given.Batching is null ? null : given.Batching with { } };
        configure(provider, options);
        return options.Problem(withPath: true) is string problem
            ? throw new OptionsValidationException(name, typeof(LookupFfnEmbeddingOptions), [problem])
            : options;
    }

    private LookupFfnEmbeddingGenerator Make(IServiceProvider provider)
    {
        LookupFfnEmbeddingOptions options = OptionsOf(provider);
        long since = Stopwatch.GetTimestamp();
        LookupFfnEmbeddingGenerator generator = new(options.Path!, options);
        ILogger logger = LoggerOf(provider);
        if (logger.IsEnabled(LogLevel.Information))
        {
            double milliseconds = Stopwatch.GetElapsedTime(since).TotalMilliseconds;
            long megaBytes = generator.Model.Info.MemoryBytes >> 20;
            Log.Loaded(logger, options.Path!, milliseconds, megaBytes);
        }

        return generator;
    }

    internal static ILogger LoggerOf(IServiceProvider provider) =>
        provider.GetService<ILoggerFactory>()?.CreateLogger("LookupFfn") ?? NullLogger.Instance;
}

/// <summary>Checks the options when the host starts, hands the native library's lines to the host's log, and loads the model
/// and embeds a text unless the options say otherwise.</summary>
internal sealed class GeneratorStart(IServiceProvider provider, GeneratorRegistration registration) : IHostedService
{
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        LookupFfnEmbeddingOptions options = registration.OptionsOf(provider);
        ILogger logger = GeneratorRegistration.LoggerOf(provider);
        LookupFfnLibrary.SetLog((level, line) =>
        {
            LogLevel its = LevelOf(level);
            Log.Native(logger, its, line);
        });
        if (!options.WarmUp)
        {
            return;
        }

        LookupFfnEmbeddingGenerator generator = await Task.Run(
            () => provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>(registration), cancellationToken).ConfigureAwait(false);
        long since = Stopwatch.GetTimestamp();
        await generator.GenerateAsync(["warm up"], cancellationToken: cancellationToken).ConfigureAwait(false);
        if (logger.IsEnabled(LogLevel.Information))
        {
            Log.WarmedUp(logger, Stopwatch.GetElapsedTime(since).TotalMilliseconds);
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    private static LogLevel LevelOf(LookupFfnLogLevel level) => level switch
    {
        LookupFfnLogLevel.Error => LogLevel.Error,
        LookupFfnLogLevel.Warning => LogLevel.Warning,
        _ => LogLevel.Debug,
    };
}

/// <summary>Whether a generator can answer.</summary>
internal sealed class GeneratorHealth(IServiceProvider provider, object? serviceKey) : IHealthCheck
{
    private const double NearlyFull = 0.9;

    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        LookupFfnEmbeddingGenerator generator = serviceKey is null
            ? provider.GetRequiredService<LookupFfnEmbeddingGenerator>()
            : provider.GetRequiredKeyedService<LookupFfnEmbeddingGenerator>(serviceKey);
        if (generator.Model.IsDisposed)
        {
            return Task.FromResult(HealthCheckResult.Unhealthy("the model is closed"));
        }

        if (generator.Batcher is not EmbeddingBatcher batcher)
        {
            return Task.FromResult(HealthCheckResult.Healthy());
        }

        BatcherFigures figures = batcher.Figures;
        Dictionary<string, object> data = new()
        {
            ["waiting"] = figures.Depth,
            ["accepted"] = figures.Accepted,
            ["refused"] = figures.Refused,
            ["failed"] = figures.Failed,
            ["mean_batch"] = figures.MeanBatch,
            ["mean_wait_ms"] = figures.MeanWait.TotalMilliseconds,
        };
        return Task.FromResult(figures.Depth >= NearlyFull * batcher.MaxQueue
            ? HealthCheckResult.Degraded($"{figures.Depth} of {batcher.MaxQueue} texts wait", data: data)
            : HealthCheckResult.Healthy(data: data));
    }
}

/// <summary>What is written to the host's log.</summary>
internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Information, "Loaded {Path} in {Milliseconds:F0} ms, {MegaBytes} MB of weights")]
    internal static partial void Loaded(ILogger logger, string path, double milliseconds, long megaBytes);

    [LoggerMessage(2, LogLevel.Information, "Embedded a first text in {Milliseconds:F0} ms")]
    internal static partial void WarmedUp(ILogger logger, double milliseconds);

    [LoggerMessage(EventId = 3, Message = "{Line}")]
    internal static partial void Native(ILogger logger, LogLevel level, string line);
}
