// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.lookupffn.Int8Embedding;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.TextCounts;
import io.github.lookupffn.Vectors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;

/** A file of vectors, one for each line of a text. tools/README.md describes its layout. */
final class VectorsFile {
  private static final int HEAD = 128;
  private static final int KIND_AT = 12;
  private static final int SIZE_AT = 16;
  private static final int COUNT_AT = 24;
  private static final int FLOATS = 1;
  private static final int BYTES = 3;
  private static final int BATCH = 64;

  /** All of it: mapped, or as it was written. */
  private final ByteBuffer file;

  private VectorsFile(ByteBuffer file) {
    this.file = file;
  }

  /** That which is there, if it is of these lines and this model, or a new one. */
  static VectorsFile of(Model model, byte[] text, List<String> lines, Path path) throws IOException {
    ByteBuffer head = headOf(model, text, lines.size());
    ByteBuffer file = mapped(path, head);
    if (file == null) {
      file = made(model, lines, head);
      write(file, path);
    }
    return new VectorsFile(file);
  }

  /** Whether its numbers are floats, as the command writes them; else they are bytes. */
  boolean isFloats() {
    return file.getInt(KIND_AT) == FLOATS;
  }

  /** Its vectors, which stay where they are. */
  Vectors vectors() {
    ByteBuffer numbers = file.duplicate().position(HEAD).limit((int) end(file)).slice().order(ByteOrder.LITTLE_ENDIAN);
    int size = (int) file.getLong(SIZE_AT);
    return isFloats() ? Vectors.of(numbers.asFloatBuffer(), size) : Vectors.ofInt8(numbers, size);
  }

  /** Where its vectors end. */
  private static long end(ByteBuffer head) {
    long width = head.getInt(KIND_AT) == FLOATS ? Float.BYTES : 1;
    return HEAD + head.getLong(SIZE_AT) * head.getLong(COUNT_AT) * width;
  }

  /** A whole number of 8 bytes. */
  private static long whole(long bytes) {
    return (bytes + 7) / 8 * 8;
  }

  private static ByteBuffer headOf(Model model, byte[] text, int count) {
    ByteBuffer head = ByteBuffer.allocate(HEAD).order(ByteOrder.LITTLE_ENDIAN);
    head.put("lffnvecs".getBytes(StandardCharsets.US_ASCII)).putInt(1).putInt(BYTES);
    head.putLong(model.info().embeddingSize()).putLong(count).putLong(0).putLong(text.length);
    String fingerprint = model.fingerprint();
    for (int digit = 0; digit < fingerprint.length(); digit += 2) {
      head.put((byte) Integer.parseInt(fingerprint.substring(digit, digit + 2), 16));
    }
    return head.putLong(hashOf(text)).clear();
  }

  private static long hashOf(byte[] text) {
    ByteBuffer words = ByteBuffer.wrap(Arrays.copyOf(text, (int) whole(text.length))).order(ByteOrder.LITTLE_ENDIAN);
    long hash = Long.parseUnsignedLong("14695981039346656037");
    while (words.hasRemaining()) {
      hash = (hash ^ words.getLong()) * 1099511628211L;
      hash ^= hash >>> 32;
    }
    return hash;
  }

  /** The file, or null if there is none or it has other vectors. */
  private static ByteBuffer mapped(Path path, ByteBuffer wanted) throws IOException {
    if (!Files.exists(path)) {
      return null;
    }
    try (FileChannel channel = FileChannel.open(path)) {
      ByteBuffer found = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()).order(ByteOrder.LITTLE_ENDIAN);
      if (found.capacity() > 0 && (found.capacity() < 8 || found.getLong(0) != wanted.getLong(0))) {
        throw new IOException(path + " is no file of vectors, so it is left as it is");
      }
      if (found.capacity() < HEAD) {
        return null;
      }
      int kind = found.getInt(KIND_AT);
      boolean isWanted = (kind == FLOATS || kind == BYTES) && areSame(found, wanted, 0, KIND_AT)
          && areSame(found, wanted, SIZE_AT, HEAD) && found.capacity() == whole(end(found));
      return isWanted ? found : null;
    }
  }

  private static boolean areSame(ByteBuffer one, ByteBuffer other, int from, int to) {
    return one.duplicate().position(from).limit(to).equals(other.duplicate().position(from).limit(to));
  }

  private static ByteBuffer made(Model model, List<String> lines, ByteBuffer head) {
    ByteBuffer file = ByteBuffer.allocateDirect(Math.toIntExact(whole(end(head)))).order(ByteOrder.LITTLE_ENDIAN);
    file.put(head.duplicate());
    TextCounts counts = new TextCounts();
    RunOptions asDocument = RunOptions.defaults().withDocumentPrompt().withCounts(counts);
    boolean isTerminal = System.console() != null;
    int cut = 0;
    for (int from = 0; from < lines.size(); from += BATCH) {
      if (isTerminal) {
        System.err.print("\rembedding: line " + (from + 1) + " of " + lines.size());
      }
      for (Int8Embedding vector : model.embedInt8(lines.subList(from, Math.min(lines.size(), from + BATCH)), asDocument)) {
        file.put(vector.numbers());
      }
      cut += counts.numCut();
    }
    if (isTerminal) {
      System.err.print("\r\033[K");
    }
    if (cut > 0) {
      System.err.println(cut + " lines were longer than the model reads; their ends have no part in their vectors");
    }
    return file.clear();
  }

  /** Beside the old one, whose name it then takes: what is not finished is never seen. */
  private static void write(ByteBuffer file, Path path) throws IOException {
    Path part = Path.of(path + "." + ProcessHandle.current().pid());
    try (FileChannel channel = FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (ByteBuffer rest = file.duplicate(); rest.hasRemaining(); ) {
        channel.write(rest);
      }
      Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }
}
