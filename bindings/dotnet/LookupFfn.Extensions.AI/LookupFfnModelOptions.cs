// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn.Extensions.AI;

/// <summary>What the options of generators and of rerankers have in common. All of it can stand in a file of settings.</summary>
public abstract record LookupFfnModelOptions
{
    private protected LookupFfnModelOptions()
    {
    }

    /// <summary>Where the model lies that services load: a folder, or a file that <see cref="Model.Save"/> wrote.</summary>
    public string? Path { get; set; }

    /// <summary>How a model is loaded of which the path is given. Default null: by the defaults.</summary>
    public LookupFfnLoadSettings? Load { get; set; }

    /// <summary>How many tokens of a text, or of a query with its document, are read at most: longer ones are too long. Default
    /// null: as many as the model means to read.</summary>
    public int? MaxTokens { get; set; }

    /// <summary>How texts of concurrent calls are put together. Default: as <see cref="BatchingOptions"/> says. Null: each call
    /// runs by itself.</summary>
    public BatchingOptions? Batching { get; set; } = new();

    /// <summary>Whether a host loads the model and runs a text when it starts, so that the first request does not wait, and
    /// what is wrong is seen at once. Default true.</summary>
    public bool WarmUp { get; set; } = true;

    /// <summary>What is wrong with them; null for nothing.</summary>
    internal virtual string? Problem(bool withPath) =>
        withPath && string.IsNullOrEmpty(Path)
            ? "Path is not set: it names a model, a folder or a file that Model.Save wrote"
        : withPath && !Directory.Exists(Path) && !File.Exists(Path) ? $"Path: there is no {System.IO.Path.GetFullPath(Path!)}"
        : MaxTokens <= 0 ? $"MaxTokens is {MaxTokens}, expected a number above 0"
        : ProblemOf("Load", () => Load?.With(null).Validate()) ?? ProblemOf("Batching", () => Batching?.Validate());

    private static string? ProblemOf(string section, Action validate)
    {
        try
        {
            validate();
            return null;
        }
        catch (ArgumentException bad)
        {
            return $"{section}: {bad.Message}";
        }
    }
}
