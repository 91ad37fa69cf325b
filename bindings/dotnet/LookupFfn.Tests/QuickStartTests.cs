// SPDX-License-Identifier: Apache-2.0
using Xunit;

namespace LookupFfn.Tests;

/// <summary>The quick start of docs/dotnet.md, run where it finds a folder "my-model".</summary>
public class QuickStartTests
{
    [Fact]
    public void Runs()
    {
        string before = Environment.CurrentDirectory;
        string folder = Directory.CreateTempSubdirectory("lookupffn-").FullName;
        try
        {
            Directory.CreateSymbolicLink(Path.Combine(folder, "my-model"), new GoldenModel("model-lookup").Folder);
            Environment.CurrentDirectory = folder;
            using Model model = Model.Load("my-model");
            float[] vector = model.Embed("A sentence.");
            string best = model.FillMask("Freedom is <mask> word.", topK: 1)[0][0].Text;
            Assert.Equal(model.Info.EmbeddingSize, vector.Length);
            Assert.NotEmpty(best);
        }
        finally
        {
            Environment.CurrentDirectory = before;
            Directory.Delete(folder, recursive: true);
        }
    }
}
