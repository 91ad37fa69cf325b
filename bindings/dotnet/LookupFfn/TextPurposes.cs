// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>The names that other libraries and services give to what texts are for.</summary>
/// <example><code>if (TextPurposes.TryParse("search_query", out TextPurpose purpose))
/// {
///     float[] query = model.Embed("cats", new EmbedOptions { Purpose = purpose });
/// }</code></example>
public static class TextPurposes
{
    private static readonly string[] Queries =
        ["query", "search_query", "retrieval_query", "retrieval.query", "question"];

    private static readonly string[] Documents =
        ["document", "search_document", "retrieval_document", "retrieval.passage", "passage", "corpus"];

    /// <summary>Finds the purpose of a name, such as "search_query", in any case.</summary>
    /// <param name="name">The name.</param>
    /// <param name="purpose">What it means.</param>
    /// <returns>Whether the name means anything.</returns>
    public static bool TryParse(string? name, out TextPurpose purpose)
    {
        purpose = Queries.Contains(name, StringComparer.OrdinalIgnoreCase) ? TextPurpose.Query
            : Documents.Contains(name, StringComparer.OrdinalIgnoreCase) ? TextPurpose.Document
            : TextPurpose.None;
        return purpose != TextPurpose.None;
    }

    /// <summary>The name of a model's prompt for a purpose.</summary>
    /// <param name="model">The model.</param>
    /// <param name="purpose">What texts are for.</param>
    /// <returns>The first name for it that one of the model's prompts has, in any case; null where none has.</returns>
    public static string? PromptOf(Model model, TextPurpose purpose)
    {
        ArgumentNullException.ThrowIfNull(model);
        string[] names = purpose == TextPurpose.Query ? Queries : purpose == TextPurpose.Document ? Documents : [];
        return names.Select(name => model.Prompts.Keys.FirstOrDefault(key => key.Equals(name, StringComparison.OrdinalIgnoreCase)))
            .FirstOrDefault(key => key is not null);
    }
}
