// SPDX-License-Identifier: Apache-2.0
// Finds the lines of a text file that are most like a question: Search MODEL FILE QUESTION [VECTORS]
//
// Keeps an int8 vector for each line in FILE.vectors, or where a fourth argument says, and makes them anew if the lines or the
// model have changed. It is the file of "lookupffn search": VectorsFile.cs.
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using LookupFfn;

if (args.Length is < 3 or > 4)
{
    Console.Error.WriteLine("usage: Search MODEL FILE QUESTION [VECTORS], such as examples/models/all-minilm-l6-v2-lookup");
    return 2;
}

try
{
    byte[] text = File.ReadAllBytes(args[1]);
    string[] lines = Regex.Split(new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(text), "\r?\n");
    if (lines[^1].Length == 0)
    {
        lines = lines[..^1];
    }

    using Model model = Model.Load(args[0]);
    VectorsFile file = VectorsFile.Of(model, text, lines, args.Length == 4 ? args[3] : args[1] + ".vectors");
    // Documents and questions have prompts of their own where the model names some; WithoutPrompt would leave them out.
    EmbedOptions asQuery = new() { Purpose = TextPurpose.Query };
    VectorBlock asked = file.IsFloats
        ? VectorBlock.Of(model.Embed(args[2], asQuery))
        : VectorBlock.Of(model.EmbedInt8(args[2], asQuery));
    // For cosines, bytes need no scales.
    SearchOptions nearest = new() { K = 3, Measure = Measure.Cosine };
    foreach ((long id, float score) in Vectors.TopK(asked, file.Vectors, nearest)[0])
    {
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{score,7:F4}  {lines[id]}"));
    }

    return 0;
}
catch (Exception failure) when (failure is LookupFfnException or ArgumentException or IOException or UnauthorizedAccessException)
{
    Console.Error.WriteLine(failure.Message);
    return 1;
}
