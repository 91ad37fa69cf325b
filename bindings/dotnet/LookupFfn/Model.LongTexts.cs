// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

public sealed unsafe partial class Model
{
    /// <summary>How many tokens are read, as the native code takes it. Native code refuses texts that the model cannot
    /// run; texts that are longer than the options allow are refused here, by <see cref="RefuseLong"/>.</summary>
    private long LimitOf(int? maxTokens, bool refuses) =>
        refuses && (maxTokens ?? info.OwnMaxTokens) >= info.MaxTokens ? Raw.MAX_TOKENS_NEVER : Checks.TokenLimit(maxTokens);

    private long LimitOf(EmbedOptions options) => LimitOf(options.MaxTokens, options.RefuseLongTexts);

    /// <summary>The same for a call whose texts cannot be counted beforehand.</summary>
    private long LimitOfAll(int? maxTokens, bool refuses)
    {
        long limit = LimitOf(maxTokens, refuses);
        return !refuses || limit == Raw.MAX_TOKENS_NEVER
            ? limit
            : throw new ArgumentException(
                Say($"these texts are refused above {info.MaxTokens} tokens or not at all: set MaxTokens to Info.MaxTokens"),
                nameof(maxTokens));
    }

    /// <summary>Refuses texts that are longer than is to be read, before any is run: all of the call, or with statuses those
    /// texts alone. In a handle that was entered.</summary>
    private void RefuseLong(
        IntPtr model, in CallTexts texts, bool paired, EmbedOptions options, CancellationToken cancellationToken)
    {
        if (!options.RefuseLongTexts || LimitOf(options) == Raw.MAX_TOKENS_NEVER)
        {
            return;
        }

        EmbedOptions counting = options with
        {
            RefuseLongTexts = false,
            Counts = null,
            Statuses = options.Statuses is null ? null : new TextStatuses(),
        };
        RunTexts(model, texts, paired, Raw.OUT_HIDDEN, counting, [], onlyCount: true, cancellationToken);
        for (int i = 0; i < texts.Count; i++)
        {
            long read = texts.Offsets[i + 1] - texts.Offsets[i];
            if (texts.Uncut[i] > read)
            {
                texts.Refuse(
                    i, Say($"{(paired ? "the query and the document have" : "it has")} {texts.Uncut[i]} tokens, and {read} are read at most"));
            }
        }
    }
}
