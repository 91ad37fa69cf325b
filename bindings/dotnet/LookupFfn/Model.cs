// SPDX-License-Identifier: Apache-2.0
using System.Collections.ObjectModel;

namespace LookupFfn;

/// <summary>A whole model in native memory: the encoder, its heads and its tokenizer.</summary>
/// <remarks>
/// <para>Models take texts, or sequences of token ids; a batch of either is run at once, without padding. A sequence's
/// results are the same to the bit alone or in any batch, with any number of threads. Texts get the special tokens at
/// their ends, and are cut to what the model means to read; sequences of ids are taken as they are.</para>
/// <para>A model never changes, and any number of threads may use one at once. <see cref="Dispose"/> gives its memory
/// back once the calls in flight have ended; afterwards the other members throw <see cref="ObjectDisposedException"/>.
/// A model that is forgotten is freed by its finalizer.</para>
/// <para>Where the model has no such head or no tokenizer, where an id is outside of the vocabulary or a sequence too
/// long, methods throw <see cref="ArgumentException"/> or a <see cref="LookupFfnException"/> that says so.</para>
/// </remarks>
/// <example><code>using Model model = Model.Load("my-model");
/// float[] vector = model.Embed("A sentence.");
/// float[][] many = await model.EmbedAsync(["One.", "Another."]);</code></example>
public sealed unsafe partial class Model : ITextEmbedder, IReranker, IDisposable
{
    private readonly ModelHandle handle;
    private readonly ModelInfo info;
    private readonly IReadOnlyList<ModelLayerInfo> layers;
    private readonly ReadOnlyCollection<string> labels;
    private readonly IReadOnlyDictionary<string, string> prompts;
    private readonly string? defaultPrompt;

    /// <summary>Takes the native model over, also when this fails.</summary>
    private Model(IntPtr model, RuntimeLog? log)
    {
        handle = new ModelHandle(model) { Log = log };
        long* numbers = stackalloc long[Raw.MODEL_COUNT];
        int status = Raw.ModelInfo(model, numbers);
        ModelLayerInfo[] told = new ModelLayerInfo[status == Raw.OK ? numbers[Raw.MODEL_NUM_LAYERS] : 0];
        long* layer = stackalloc long[Raw.MODEL_LAYER_COUNT];
        for (int i = 0; i < told.Length && status == Raw.OK; i++)
        {
            status = Raw.ModelLayerInfo(model, i, layer);
            told[i] = new ModelLayerInfo(new ReadOnlySpan<long>(layer, Raw.MODEL_LAYER_COUNT));
        }

        if (status != Raw.OK)
        {
            Exception failure = Native.Failure(status);
            handle.Dispose();
            throw failure;
        }

        info = new ModelInfo(new ReadOnlySpan<long>(numbers, Raw.MODEL_COUNT));
        layers = Array.AsReadOnly(told);
        bool ofTokens = numbers[Raw.MODEL_TOKEN_HEAD] == Raw.TOKEN_HEAD_CLASSES;
        string[] names = new string[ofTokens ? info.NumTokenClasses : info.NumClasses];
        for (int i = 0; i < names.Length; i++)
        {
            names[i] = Native.Text(Raw.ModelText(model, Raw.TEXT_LABEL, i));
        }

        labels = Array.AsReadOnly(names);
        Dictionary<string, string> texts = [];
        for (int i = 0; i < numbers[Raw.MODEL_NUM_PROMPTS]; i++)
        {
            texts[Native.Text(Raw.ModelText(model, Raw.TEXT_PROMPT_NAME, i))] =
                Native.Text(Raw.ModelText(model, Raw.TEXT_PROMPT, i));
        }

        prompts = texts.AsReadOnly();
        long first = numbers[Raw.MODEL_DEFAULT_PROMPT];
        defaultPrompt = first < 0 ? null : Native.Text(Raw.ModelText(model, Raw.TEXT_PROMPT_NAME, (int)first));
        handle.AddPressure(info.MemoryBytes);
    }

    /// <summary>What the model is called in metrics and traces: the last part of the path that it was loaded from, or
    /// the folder of a model.safetensors; null for
    /// one that was loaded from memory.</summary>
    public string? Name { get; private init; }

    /// <summary>What the model is and costs.</summary>
    public ModelInfo Info
    {
        get
        {
            handle.ThrowIfDisposed();
            return info;
        }
    }

    /// <summary>What each encoder layer is made of and costs.</summary>
    public IReadOnlyList<ModelLayerInfo> Layers
    {
        get
        {
            handle.ThrowIfDisposed();
            return layers;
        }
    }

    /// <summary>The names of the classes, of texts or of tokens, in the order of their scores; none without a
    /// classifier.</summary>
    public IReadOnlyList<string> Labels
    {
        get
        {
            handle.ThrowIfDisposed();
            return labels;
        }
    }

    /// <summary>The prompts in the model's files, such as "query", for <see cref="EmbedOptions.Prompt"/>: their
    /// texts by their names.</summary>
    public IReadOnlyDictionary<string, string> Prompts
    {
        get
        {
            handle.ThrowIfDisposed();
            return prompts;
        }
    }

    /// <summary>The name of the prompt that is put before texts unless told otherwise; null for none.</summary>
    public string? DefaultPrompt
    {
        get
        {
            handle.ThrowIfDisposed();
            return defaultPrompt;
        }
    }

    /// <summary>The model's family, such as "bert".</summary>
    public string Family => Text(Raw.TEXT_FAMILY);

    /// <summary>The text of the model's config.json, in which a program may look for what <see cref="Info"/> does not
    /// tell.</summary>
    public string Config => Text(Raw.TEXT_CONFIG);

    /// <summary>The fingerprint of the model and all that its vectors depend on, as <c>lookupffn info</c> shows it, in
    /// 32 hexadecimal digits. Store it beside vectors, and compare: vectors of another model have no meaning for this
    /// one. The first call reads all weights.</summary>
    public string Fingerprint
    {
        get
        {
            long* numbers = stackalloc long[Raw.FINGERPRINT_COUNT];
            IntPtr model = handle.Enter();
            try
            {
                Check(Raw.ModelFingerprint(model, numbers));
            }
            finally
            {
                handle.DangerousRelease();
            }

            return Say($"{numbers[0]:x16}{numbers[1]:x16}");
        }
    }

    /// <summary>Whether <see cref="Dispose"/> was called.</summary>
    public bool IsDisposed => handle.IsDisposed;

    /// <summary>Writes the model to one file, with its tokenizer, as it is held in memory. The file appears whole or
    /// not at all.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">How, with a receiver of its progress; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while saving. A file that is not finished goes away, and leaves an old one
    /// as it was.</param>
    /// <exception cref="LookupFfnException">It cannot be written.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public void Save(string path, SaveOptions? options = null, CancellationToken cancellationToken = default)
    {
        IntPtr model = handle.Enter();
        try
        {
            SaveOptions.Save(
                path,
                (name, cancel, progress, user) => Raw.ModelSave(model, name, cancel, progress, user),
                options,
                cancellationToken);
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    /// <summary>Writes the model to one file on a thread of the library.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">How, with a receiver of its progress; null for the defaults.</param>
    /// <param name="cancellationToken">Looked at while saving.</param>
    /// <returns>A task that ends with the saving.</returns>
    public Task SaveAsync(string path, SaveOptions? options = null, CancellationToken cancellationToken = default) =>
        OwnThreads.Run(() => Save(path, options, cancellationToken), cancellationToken);

    /// <summary>The model's tokenizer by itself, which outlives the model.</summary>
    /// <returns>A new object, to be disposed of.</returns>
    /// <exception cref="ArgumentException">The model has no tokenizer.</exception>
    public Tokenizer GetTokenizer()
    {
        IntPtr tokenizer = IntPtr.Zero;
        IntPtr model = handle.Enter();
        try
        {
            Check(Raw.ModelTokenizer(model, &tokenizer));
        }
        finally
        {
            handle.DangerousRelease();
        }

        return new Tokenizer(tokenizer, handle.Log);
    }

    /// <summary>
    /// Closes the model. Calls in flight end as usual, and the last of them frees the memory. Doing so again does
    /// nothing.
    /// </summary>
    public void Dispose() => handle.Dispose();

    /// <inheritdoc/>
    public override string ToString() => handle.IsDisposed ? "Model (disposed)" : $"Model: {info}";

    /// <summary>Throws if a model lacks what is asked of it: no argument is at fault.</summary>
    private void Need(bool has, string what)
    {
        handle.ThrowIfDisposed();
        if (!has)
        {
            throw new UnsupportedModelException($"this model ({Name ?? Family}) has no {what}");
        }
    }

    /// <summary>Throws if the model cannot tell how well documents answer a query.</summary>
    internal void NeedReranker()
    {
        handle.ThrowIfDisposed();
        if (info.IsLate)
        {
            return;
        }

        Need(info.NumClasses > 0, "classifier");
        if (info.NumClasses != 1)
        {
            throw new UnsupportedModelException(Say($"this model has {info.NumClasses} classes, a reranker has one"));
        }
    }

    private void NeedFor(int output)
    {
        if (output == Raw.OUT_CLASS_SCORES)
        {
            Need(info.NumClasses > 0, "classifier");
        }
        else if (output == Raw.OUT_LOGITS)
        {
            Need(info.HasLmHead, "language model head");
        }
    }

    private string Text(int what)
    {
        IntPtr model = handle.Enter();
        try
        {
            return Native.Text(Raw.ModelText(model, what, 0));
        }
        finally
        {
            handle.DangerousRelease();
        }
    }

    private static void Check(int status, CancellationToken cancellationToken = default)
    {
        if (status != Raw.OK)
        {
            throw Native.Failure(status, cancellationToken);
        }
    }
}
