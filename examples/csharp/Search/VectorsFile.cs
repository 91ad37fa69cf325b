// SPDX-License-Identifier: Apache-2.0
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using LookupFfn;

/// <summary>A file of vectors, one for each line of a text. tools/README.md describes its layout.</summary>
internal sealed class VectorsFile
{
    private const int Head = 128;
    private const int KindAt = 12;
    private const int SizeAt = 16;
    private const int Floats = 1;
    private const int Bytes = 3;

    private readonly byte[] file;
    private readonly int size;
    private readonly int end;

    private VectorsFile(byte[] file, int size, int count)
    {
        this.file = file;
        this.size = size;
        end = (int)End(file, size, count);
    }

    /// <summary>Whether its numbers are floats, as the command writes them; else they are bytes.</summary>
    public bool IsFloats => KindOf(file) == Floats;

    /// <summary>Its vectors, which stay where they are.</summary>
    public VectorBlock Vectors
    {
        get
        {
            ReadOnlySpan<byte> numbers = file.AsSpan(Head..end);
            return IsFloats
                ? new VectorBlock(MemoryMarshal.Cast<byte, float>(numbers), size)
                : new VectorBlock(MemoryMarshal.Cast<byte, sbyte>(numbers), size);
        }
    }

    /// <summary>That which is there, if it is of these lines and this model, or a new one.</summary>
    public static VectorsFile Of(Model model, byte[] text, string[] lines, string path)
    {
        int size = model.Info.EmbeddingSize;
        byte[] head = HeadOf(model, text, lines.Length);
        if (Read(path, head, size, lines.Length) is { } found)
        {
            return new(found, size, lines.Length);
        }

        byte[] made = Made(model, lines, head);
        // Beside the old one, whose name it then takes: what is not finished is never seen.
        string part = $"{path}.{Environment.ProcessId}";
        try
        {
            File.WriteAllBytes(part, made);
            File.Move(part, path, overwrite: true);
        }
        finally
        {
            File.Delete(part);
        }

        return new(made, size, lines.Length);
    }

    private static int KindOf(byte[] file) => BinaryPrimitives.ReadInt32LittleEndian(file.AsSpan(KindAt));

    /// <summary>Where its vectors end.</summary>
    private static long End(byte[] file, int size, int count) => Head + ((long)size * count * (KindOf(file) == Floats ? 4 : 1));

    /// <summary>A whole number of 8 bytes.</summary>
    private static long Whole(long bytes) => (bytes + 7) / 8 * 8;

    private static byte[] HeadOf(Model model, byte[] text, int count)
    {
        using MemoryStream head = new(new byte[Head]);
        using BinaryWriter writer = new(head);
        writer.Write("lffnvecs"u8);
        writer.Write(1);
        writer.Write(Bytes);
        writer.Write((long)model.Info.EmbeddingSize);
        writer.Write((long)count);
        writer.Write(0L);
        writer.Write((long)text.Length);
        writer.Write(Convert.FromHexString(model.Fingerprint));
        writer.Write(HashOf(text));
        return head.ToArray();
    }

    private static ulong HashOf(byte[] text)
    {
        byte[] words = new byte[Whole(text.Length)];
        text.CopyTo(words, 0);
        ulong hash = 14695981039346656037;
        for (int at = 0; at < words.Length; at += 8)
        {
            hash = unchecked((hash ^ BinaryPrimitives.ReadUInt64LittleEndian(words.AsSpan(at))) * 1099511628211);
            hash ^= hash >> 32;
        }

        return hash;
    }

    /// <summary>The file, or null if there is none or it has other vectors.</summary>
    private static byte[]? Read(string path, byte[] wanted, int size, int count)
    {
        if (!File.Exists(path))
        {
            return null;
        }

        byte[] found = File.ReadAllBytes(path);
        if (found.Length > 0 && !found.AsSpan().StartsWith(wanted.AsSpan(0, 8)))
        {
            throw new IOException($"{path} is no file of vectors, so it is left as it is");
        }

        bool isWanted = found.Length >= Head && KindOf(found) is Floats or Bytes
            && found.AsSpan(0, KindAt).SequenceEqual(wanted.AsSpan(0, KindAt))
            && found.AsSpan(SizeAt..Head).SequenceEqual(wanted.AsSpan(SizeAt..Head))
            && found.Length == Whole(End(found, size, count));
        return isWanted ? found : null;
    }

    private static byte[] Made(Model model, string[] lines, byte[] head)
    {
        int size = model.Info.EmbeddingSize;
        byte[] made = new byte[Whole(End(head, size, lines.Length))];
        head.CopyTo(made, 0);
        TextCounts counts = new();
        EmbedOptions asDocument = new() { Purpose = TextPurpose.Document, Counts = counts };
        int at = Head, embedded = 0, cut = 0;
        foreach (string[] batch in lines.Chunk(64))
        {
            if (!Console.IsErrorRedirected)
            {
                Console.Error.Write($"\rembedding: line {embedded + 1} of {lines.Length}");
            }

            foreach (Int8Embedding vector in model.EmbedInt8(batch, asDocument))
            {
                MemoryMarshal.AsBytes(vector.Numbers.AsSpan()).CopyTo(made.AsSpan(at));
                at += size;
            }

            embedded += batch.Length;
            cut += Enumerable.Range(0, batch.Length).Count(counts.IsCut);
        }

        if (!Console.IsErrorRedirected)
        {
            Console.Error.Write("\r\u001b[K");
        }

        if (cut > 0)
        {
            Console.Error.WriteLine($"{cut} lines were longer than the model reads; their ends have no part in their vectors");
        }

        return made;
    }
}
