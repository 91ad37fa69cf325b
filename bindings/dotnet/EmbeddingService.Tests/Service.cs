// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Xunit;

namespace EmbeddingService.Tests;

/// <summary>A service in a process of its own, on a free port of the loopback.</summary>
public sealed partial class Service : IDisposable
{
    private readonly Process process;
    private readonly TaskCompletionSource asked = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource stopping = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Service(params string[] options)
        : this("EMBEDDING_SERVICE", options)
    {
    }

    /// <summary>Of the program that a variable of the environment names.</summary>
    internal Service(string variable, string[] options)
    {
        string program = Variable(variable);
        ProcessStartInfo start = new("dotnet") { RedirectStandardOutput = true };
        string[] tells = ["--Logging:LogLevel:Microsoft.AspNetCore.Hosting.Diagnostics", "Information"];
        foreach (string argument in (string[])[program, "--urls", "http://127.0.0.1:0", .. tells, .. options])
        {
            start.ArgumentList.Add(argument);
        }

        process = Process.Start(start) ?? throw new InvalidOperationException("the service did not start");
        TaskCompletionSource<Uri> listening = new(TaskCreationOptions.RunContinuationsAsynchronously);
        process.OutputDataReceived += (_, line) =>
        {
            Match match = Listening().Match(line.Data ?? "");
            if (match.Success)
            {
                listening.TrySetResult(new Uri(match.Groups[1].Value));
            }
            else if (line.Data?.Contains("Request starting", StringComparison.Ordinal) == true)
            {
                asked.TrySetResult();
            }
            else if (line.Data?.Contains("Application is shutting down", StringComparison.Ordinal) == true)
            {
                stopping.TrySetResult();
            }
            else if (line.Data is null)
            {
                listening.TrySetException(new InvalidOperationException("the service ended"));
            }
        };
        process.BeginOutputReadLine();
        Address = listening.Task.WaitAsync(TimeSpan.FromSeconds(60)).GetAwaiter().GetResult();
        Client = new HttpClient { BaseAddress = Address };
    }

    internal Uri Address { get; }

    internal HttpClient Client { get; }

    /// <summary>Ends once it works on a first request.</summary>
    internal Task Asked => asked.Task.WaitAsync(TimeSpan.FromSeconds(60));

    /// <summary>Ends once it knows that it is to stop.</summary>
    internal Task Stopping => stopping.Task.WaitAsync(TimeSpan.FromSeconds(60));

    internal static string Prompts => Path.Combine(Variable("LOOKUPFFN_MADE_MODELS"), "prompts");

    internal static string Reranker => Path.Combine(Variable("LOOKUPFFN_MADE_MODELS"), "reranker");

    public void Dispose()
    {
        Client.Dispose();
        if (!process.HasExited)
        {
            process.Kill();
        }

        process.Dispose();
    }

    /// <summary>Asks it to stop, as systemd and Kubernetes do.</summary>
    internal void Terminate() => Send("TERM");

    /// <summary>Stops it as a debugger does: it still takes connections, and answers nothing.</summary>
    internal async Task PauseAsync()
    {
        Send("STOP");
        string state = string.Create(CultureInfo.InvariantCulture, $"/proc/{process.Id}/stat");
        while (!(await File.ReadAllTextAsync(state)).Contains(") T ", StringComparison.Ordinal))
        {
            await Task.Delay(1);
        }
    }

    private void Send(string signal)
    {
        using Process kill = Process.Start("kill", ["-" + signal, process.Id.ToString(CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
    }

    internal int WaitForExit()
    {
        Assert.True(process.WaitForExit(TimeSpan.FromSeconds(60)), "the service does not stop");
        return process.ExitCode;
    }

    /// <summary>Ends it as a machine that fails does.</summary>
    internal void Kill() => process.Kill();

    internal static string Variable(string name) =>
        Environment.GetEnvironmentVariable(name) ?? throw new InvalidOperationException(name + " is not set");

    [GeneratedRegex("Now listening on: (http://127.0.0.1:[0-9]+)")]
    private static partial Regex Listening();
}
