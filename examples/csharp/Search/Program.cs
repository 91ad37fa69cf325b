// SPDX-License-Identifier: Apache-2.0
// Indexes the lines of a text file and prints those that are most like a question: Search MODEL FILE QUESTION
using System.Globalization;
using LookupFfn;

if (args.Length != 3)
{
    Console.Error.WriteLine("usage: Search MODEL FILE QUESTION, such as examples/models/all-minilm-l6-v2-lookup");
    return 2;
}

try
{
    string[] lines = [.. File.ReadLines(args[1]).Where(line => !string.IsNullOrWhiteSpace(line))];
    using Model model = Model.Load(args[0]);
    // Documents and questions have prompts of their own where the model names some; WithoutPrompt would leave them out.
    EmbedOptions asDocument = new() { Purpose = TextPurpose.Document };
    EmbedOptions asQuery = new() { Purpose = TextPurpose.Query };
    List<float[]> index = [];
    int cut = 0;
    foreach (string[] batch in lines.Chunk(64))
    {
        EmbeddingResult result = model.EmbedWithCounts(batch, asDocument);
        index.AddRange(result.Vectors);
        cut += Enumerable.Range(0, batch.Length).Count(result.Counts.IsCut);
    }

    if (cut > 0)
    {
        Console.Error.WriteLine($"{cut} lines were longer than the model reads; their ends are not in the index");
    }

    float[] asked = model.Embed(args[2], asQuery);
    foreach ((float[] vector, string line) in index.Zip(lines).OrderByDescending(pair => Cosine(pair.First, asked)).Take(3))
    {
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{Cosine(vector, asked),6:F3}  {line}"));
    }

    return 0;
}
catch (Exception failure) when (failure is LookupFfnException or IOException)
{
    Console.Error.WriteLine(failure.Message);
    return 1;
}

static double Cosine(float[] a, float[] b) => Dot(a, b) / Math.Sqrt(Dot(a, a) * Dot(b, b));

static double Dot(float[] a, float[] b) => a.Zip(b, (x, y) => (double)x * y).Sum();
