// SPDX-License-Identifier: Apache-2.0
namespace LookupFfn;

/// <summary>How to load a layer, a model or a tokenizer.</summary>
/// <example><code>LoadOptions options = new() { LinearType = ElementType.Int8, NumThreads = 1 };
/// using Model loaded = await Model.LoadAsync("my-model", options);</code></example>
public sealed record LoadOptions
{
    internal static readonly LoadOptions Default = new();

    /// <summary>Threads per call; 0 (the default) for what the environment leaves.</summary>
    public int NumThreads { get; init; }

    /// <summary>How the tables are held in memory. Default: as stored.</summary>
    public ElementType TableType { get; init; }

    /// <summary>How the hash weights are held in memory: F32, Int8 or, the default, as stored.</summary>
    public ElementType HashType { get; init; }

    /// <summary>How a model's linear layers are held in memory: F32, BF16, Int8 or, the default, as stored. A layer has
    /// none.</summary>
    public ElementType LinearType { get; init; }

    /// <summary>How a model's attention computes: F32, Int8 or, the default, as stored, which is Int8 where the linear layers
    /// are. A layer has none.</summary>
    public ElementType AttentionType { get; init; }

    /// <summary>How a model's word embeddings are held in memory. Default: as stored. A layer has none.</summary>
    public ElementType EmbeddingType { get; init; }

    /// <summary>How a model's rows by word are held in memory: any type but F16. Default: as stored. In another type
    /// than the file's they are never mapped.</summary>
    public ElementType WordType { get; init; } = ElementType.AsStored;

    /// <summary>
    /// Map the part of a file that is used as it lies there, a model's rows by word, so that processes share it. If
    /// another process shortens the file, that kills this one, which is why mapping is off by default.
    /// </summary>
    public bool MemoryMapping { get; init; }

    /// <summary>Treat denormal numbers as zero while computing. Default false.</summary>
    public bool FlushDenormals { get; init; }

    /// <summary>
    /// Round the inputs of a model's int8 linear layers to seven bits instead of eight. That is faster where a CPU has AVX2
    /// and neither VNNI nor AVX-512, and elsewhere not; it costs accuracy everywhere. Results have other bits than
    /// without it, and ModelInfo.Arithmetic tells so: do not compare embeddings of both kinds without having tried how
    /// well that works. It does not affect float32 layers, a Layer or saved files. Default false.
    /// </summary>
    public bool SevenBitInputs { get; init; }

    /// <summary>
    /// The name of one of a model's adapters, such as "retrieval.query": its matrices are added to the model's own, and
    /// Model.Save writes the sums. An unknown name is refused with a list of the names that there are. Layers and
    /// tokenizers ignore this. Default null: none is used.
    /// </summary>
    public string? Adapter { get; init; }

    /// <summary>Threads, log and kernels that are shared with others. Default null: the process's.</summary>
    public LookupFfnRuntime? Runtime { get; init; }

    /// <summary>Receives how far loading has come, in the thread that loads: from 0 to 1, never less than before. What
    /// it throws ends the load. Default null: none.</summary>
    public IProgress<double>? Progress { get; init; }

    /// <summary>Throws if one of the options is invalid, as loading does.</summary>
    /// <exception cref="ArgumentException">One is invalid; the exception names it and its value.</exception>
    public void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfNegative(NumThreads);
        Checks.Held(TableType, [ElementType.BF16]);
        Checks.Held(HashType, []);
        Checks.Held(LinearType, [ElementType.BF16]);
        Checks.Held(AttentionType, []);
        Checks.Held(EmbeddingType, [ElementType.BF16]);
        Checks.Held(WordType, [ElementType.BF16, ElementType.Int4]);
    }

    /// <summary>As the native code takes them: a number for each of the places of Raw.OPTION_.</summary>
    internal unsafe void WriteTo(int* numbers)
    {
        numbers[Raw.OPTION_NUM_THREADS] = NumThreads;
        numbers[Raw.OPTION_TABLE_DTYPE] = (int)TableType;
        numbers[Raw.OPTION_HASH_DTYPE] = (int)HashType;
        numbers[Raw.OPTION_LINEAR_DTYPE] = (int)LinearType;
        numbers[Raw.OPTION_ATTENTION_DTYPE] = (int)AttentionType;
        numbers[Raw.OPTION_EMBEDDING_DTYPE] = (int)EmbeddingType;
        numbers[Raw.OPTION_WORD_ROW_DTYPE] = (int)WordType;
        numbers[Raw.OPTION_FLAGS] =
            (MemoryMapping ? Raw.LOAD_MMAP : 0) | (FlushDenormals ? Raw.LOAD_FLUSH_DENORMALS : 0)
            | (SevenBitInputs ? Raw.LOAD_SEVEN_BIT_INPUTS : 0);
    }
}

/// <summary>How to save a layer or a model.</summary>
public sealed record SaveOptions
{
    /// <summary>Receives how far saving has come, in the thread that saves: from 0 to 1, never less than before, 1 at
    /// the end. What it throws ends the saving. Default null: none.</summary>
    public IProgress<double>? Progress { get; init; }

    /// <summary>A call that saves, with the file's name, the number that ends it, and whom to tell.</summary>
    internal unsafe delegate int Call(byte* name, int* cancel, IntPtr progress, IntPtr user);

    internal static unsafe void Save(string path, Call save, SaveOptions? options, CancellationToken cancellationToken)
    {
        int cancel = 0;
        using Listener? listener = Listener.Of(options?.Progress, &cancel);
        int status;
        fixed (byte* name = Utf8.ZeroTerminated(path))
        {
            using CancellationTokenRegistration registration = Native.Register(&cancel, cancellationToken);
            status = save(name, &cancel, Listener.OfLoading(listener), Listener.User(listener));
        }

        Listener.Check(listener, status, cancellationToken);
    }
}
