// SPDX-License-Identifier: Apache-2.0
using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using LookupFfn;
using Xunit;

namespace EmbeddingService.Tests;

/// <summary>Two services embed a file, and one is killed with requests that it never answers.</summary>
public sealed class EmbedFileTests
{
    private const int Lines = 10_000;

    [Fact]
    public async Task NothingIsLostWhenAServiceIsKilled()
    {
        string folder = Directory.CreateTempSubdirectory("embed-").FullName;
        try
        {
            string input = Path.Combine(folder, "lines.txt");
            string output = Path.Combine(folder, "vectors.f32");
            string[] lines = [.. Enumerable.Range(0, Lines).Select(i => $"text number {i}")];
            await File.WriteAllLinesAsync(input, lines);
            using Service stays = new("--Model", Service.Prompts);
            using Service dies = new("--Model", Service.Prompts);
            Assert.Equal("Healthy", await dies.Client.GetStringAsync("/health"));
            // It would answer all of them before the signal comes, on a fast machine.
            await dies.PauseAsync();
            ProcessStartInfo start = new("dotnet") { RedirectStandardOutput = true };
            foreach (string argument in (string[])
                [Service.Variable("EMBED_FILE"), input, output, stays.Address.ToString(), dies.Address.ToString()])
            {
                start.ArgumentList.Add(argument);
            }

            using Process program = Process.Start(start)!;
            string last = "";
            while (await program.StandardOutput.ReadLineAsync() is string line)
            {
                if (line.StartsWith("10 of 200", StringComparison.Ordinal))
                {
                    dies.Kill();
                }

                last = line;
            }

            await program.WaitForExitAsync();
            Assert.Equal(0, program.ExitCode);
            Assert.StartsWith(Lines.ToString(CultureInfo.InvariantCulture) + " lines", last, StringComparison.Ordinal);
            Assert.DoesNotContain(" 0 batches asked for again", last, StringComparison.Ordinal);
            Console.WriteLine(last);
            using Model model = Model.Load(Service.Prompts);
            float[] expected = new float[Lines * model.Info.EmbeddingSize];
            model.EmbedInto(lines, expected, new EmbedOptions { Prompt = "document" });
            byte[] found = await File.ReadAllBytesAsync(output);
            Assert.True(MemoryMarshal.AsBytes(expected.AsSpan()).SequenceEqual(found), "the file is not that of one process");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
