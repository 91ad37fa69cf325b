// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace LookupFfn.Extensions.AI;

/// <summary>One registered model. It is itself the key under which the container has what runs it, so that several
/// registrations of one application are not taken for each other.</summary>
internal abstract class ModelRegistration(IServiceCollection services, object? key)
{
    private ServiceDescriptor? own;

    /// <summary>The key under which the application asks for it; null for none.</summary>
    internal object? Key => key;

    /// <summary>What health checks call it where there are several.</summary>
    internal abstract string Kind { get; }

    /// <summary>Whether the application gets something else where it asks for this, as in its tests: then nothing is checked,
    /// loaded or warmed up.</summary>
    internal bool IsReplaced => !ReferenceEquals(Last(own?.ServiceType), own);

    internal abstract LookupFfnModelOptions OptionsOf(IServiceProvider provider);

    /// <summary>Loads the model, unless it is loaded.</summary>
    internal abstract (Model Model, BatcherFigures? Figures, int MaxQueue) StateOf(IServiceProvider provider);

    /// <summary>Runs a first text.</summary>
    internal abstract Task WarmUpAsync(IServiceProvider provider, CancellationToken cancellationToken);

    internal static ILogger LoggerOf(IServiceProvider provider) =>
        provider.GetService<ILoggerFactory>()?.CreateLogger("LookupFfn") ?? NullLogger.Instance;

    /// <summary>To be called when the service that the application asks for has just been added.</summary>
    protected void IsAskedForAs(Type service) => own = Last(service);

    /// <summary>The one that the container gives.</summary>
    private ServiceDescriptor? Last(Type? service) =>
        services.LastOrDefault(descriptor => descriptor.ServiceType == service && Equals(descriptor.ServiceKey, key));
}

/// <summary>One with options and a service of some kind.</summary>
internal abstract class ModelRegistration<TService, TOptions>(
    IServiceCollection services, object? key, Action<IServiceProvider, TOptions> configure)
    : ModelRegistration(services, key)
    where TService : class
    where TOptions : LookupFfnModelOptions, new()
{
    private readonly string name = key is null ? Options.DefaultName : key.ToString() ?? "";

    /// <summary>What Configure said for the name, then what the registration says; checked.</summary>
    internal override TOptions OptionsOf(IServiceProvider provider)
    {
        TOptions given = provider.GetRequiredService<IOptionsMonitor<TOptions>>().Get(name);
        TOptions options = given with { Batching = given.Batching is null ? null : given.Batching with { } };
        configure(provider, options);
        return options.Problem(withPath: true) is string problem
            ? throw new OptionsValidationException(name, typeof(TOptions), [problem])
            : options;
    }

    internal TService Of(IServiceProvider provider) => provider.GetRequiredKeyedService<TService>(this);

    /// <summary>Puts the service into the container, and what starts it with the host.</summary>
    protected void AddTo(IServiceCollection services)
    {
        services.AddOptions();
        services.AddKeyedSingleton<TService>(this, (provider, _) => Load(provider));
        services.AddSingleton<ModelRegistration>(this);
        services.AddSingleton<IHostedService>(provider => new ModelStart(provider, this));
    }

    protected abstract TService Make(Model model, TOptions options);

    private TService Load(IServiceProvider provider)
    {
        TOptions options = OptionsOf(provider);
        long since = Stopwatch.GetTimestamp();
        Model model = Model.Load(options.Path!, (options.Load ?? new()).With(provider.GetService<LookupFfnRuntime>()));
        ILogger logger = LoggerOf(provider);
        if (logger.IsEnabled(LogLevel.Information))
        {
            double milliseconds = Stopwatch.GetElapsedTime(since).TotalMilliseconds;
            Log.Loaded(logger, options.Path!, milliseconds, model.Info.MemoryBytes >> 20);
        }

        return Make(model, options);
    }
}

/// <summary>Checks the options when the host starts, hands the native library's lines to the host's log, and loads the model
/// and runs a text unless the options say otherwise.</summary>
internal sealed class ModelStart(IServiceProvider provider, ModelRegistration registration) : IHostedService
{
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        ILogger logger = ModelRegistration.LoggerOf(provider);
        if (registration.IsReplaced)
        {
            Log.Replaced(logger, registration.Kind);
            return;
        }

        LookupFfnModelOptions options = registration.OptionsOf(provider);
        LookupFfnLibrary.SetLog((level, line) =>
        {
            LogLevel its = LevelOf(level);
            Log.Native(logger, its, line);
        });
        if (!options.WarmUp)
        {
            return;
        }

        await Task.Run(() => registration.StateOf(provider), cancellationToken).ConfigureAwait(false);
        long since = Stopwatch.GetTimestamp();
        await registration.WarmUpAsync(provider, cancellationToken).ConfigureAwait(false);
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

/// <summary>What is written to the host's log.</summary>
internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Information, "Loaded {Path} in {Milliseconds:F0} ms, {MegaBytes} MB of weights")]
    internal static partial void Loaded(ILogger logger, string path, double milliseconds, long megaBytes);

    [LoggerMessage(2, LogLevel.Information, "Ran a first text in {Milliseconds:F0} ms")]
    internal static partial void WarmedUp(ILogger logger, double milliseconds);

    [LoggerMessage(EventId = 3, Message = "{Line}")]
    internal static partial void Native(ILogger logger, LogLevel level, string line);

    [LoggerMessage(4, LogLevel.Information, "The registered {Kind} has been replaced: no model is checked or loaded")]
    internal static partial void Replaced(ILogger logger, string kind);
}
