// SPDX-License-Identifier: Apache-2.0
// Fills a mask, and ranks sentences by how similar they are to another: Sentences MODEL
using LookupFfn;

if (args.Length != 1)
{
    Console.Error.WriteLine("usage: Sentences MODEL, a folder or a file, such as examples/models/kjv-small");
    return 2;
}

try
{
    using Model model = Model.Load(args[0]);
    Console.WriteLine(model.Info);

    const string Masked = "And he said <mask> them.";
    Console.WriteLine(Masked);
    foreach (MaskCandidate candidate in model.FillMask(Masked, topK: 3)[0])
    {
        Console.WriteLine($"  {candidate.Probability:F3} {candidate.Text}");
    }

    const string Query = "And the king said unto his servants.";
    string[] sentences =
    [
        "The length thereof was four cubits.", "And the LORD spake unto Moses.", "Thou shalt not steal.",
        "These are the sons of Levi.",
    ];
    float[] wanted = model.Embed(Query);

    // In a server, on a thread of the pool and so that the caller can give up.
    using CancellationTokenSource patience = new(TimeSpan.FromSeconds(10));
    float[][] vectors = await model.EmbedAsync(sentences, cancellationToken: patience.Token);
    Console.WriteLine(Query);
    // The dot product of vectors with length 1 is the cosine of the angle between them.
    SearchOptions all = new() { K = sentences.Length };
    foreach ((long id, float score) in Vectors.TopK(VectorBlock.Of(wanted), VectorBlock.Of(vectors), all)[0])
    {
        Console.WriteLine($"  {score:F3} {sentences[id]}");
    }
}
catch (Exception failure) when (failure is LookupFfnException or IOException)
{
    Console.Error.WriteLine(failure.Message);
    return 1;
}

return 0;
