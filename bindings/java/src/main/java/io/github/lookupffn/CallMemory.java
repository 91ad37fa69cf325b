// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What one call hands over, laid end to end. Free objects are kept for later calls, so that calls allocate nothing.
 * They are not kept in thread locals, which would keep the class loader of a redeployed application alive.
 */
final class CallMemory {
  private static final AtomicReferenceArray<CallMemory> FREE = new AtomicReferenceArray<>(64);
  private static final int KEPT_BYTES = 1 << 20;
  private static final int LARGEST_ARRAY = Integer.MAX_VALUE - 8;

  final TextCounts counts = new TextCounts();
  byte[] utf8 = {};
  int[] ids = {};
  // Where each text ends, -1 for a null text; where each sequence begins, and where the last one ends.
  long[] ends = {};
  long[] offsets = {0};
  int size;
  boolean ofIds;
  // The first text of each pair; null where there are no pairs.
  byte[] query;
  private int bytes;

  private CallMemory() {}

  private static CallMemory cleared() {
    for (int i = 0; i < FREE.length(); i++) {
      CallMemory memory = FREE.get(i);
      if (memory != null && FREE.compareAndSet(i, memory, null)) {
        memory.size = 0;
        memory.bytes = 0;
        memory.ofIds = false;
        memory.query = null;
        return memory;
      }
    }
    return new CallMemory();
  }

  /** Gives it back, unless it is too much to be kept. */
  void release() {
    if (utf8.length > KEPT_BYTES || ids.length > KEPT_BYTES / Integer.BYTES || ends.length > KEPT_BYTES / Long.BYTES
        || offsets.length > KEPT_BYTES / Long.BYTES) {
      return;
    }
    for (int i = 0; i < FREE.length(); i++) {
      if (FREE.get(i) == null && FREE.compareAndSet(i, null, this)) {
        return;
      }
    }
  }

  static CallMemory of(String text, RunOptions options) {
    CallMemory memory = cleared();
    boolean badAllowed = Objects.requireNonNull(options, "options").statuses != null;
    memory.add(Objects.requireNonNull(text, "text"), badAllowed, options.repairs());
    return memory;
  }

  static CallMemory of(List<? extends CharSequence> texts, RunOptions options) {
    boolean badAllowed = Objects.requireNonNull(options, "options").statuses != null;
    return of(texts, "texts", badAllowed, options.repairs());
  }

  static CallMemory of(Input input, RunOptions options) {
    if (input.ids != null) {
      return of(input.ids);
    }
    if (input.query != null) {
      return pairs(Utf8.of(input.query, "the first text", options.repairs()), input.texts, "seconds", options);
    }
    return input.utf8 == null ? of(input.texts, options) : of(input.utf8, options.statuses != null);
  }

  /** A query with each of some documents. */
  static CallMemory pairs(byte[] query, List<String> documents, RunOptions options) {
    return pairs(query, documents, "documents", options);
  }

  private static CallMemory pairs(
      byte[] first, List<? extends CharSequence> seconds, String name, RunOptions options) {
    CallMemory memory = of(seconds, name, options.statuses != null, options.repairs());
    memory.query = first;
    return memory;
  }

  private static CallMemory of(byte[][] texts, boolean nullsAllowed) {
    CallMemory memory = cleared();
    for (byte[] text : texts) {
      if (text == null && !nullsAllowed) {
        throw new NullPointerException("texts[" + memory.size + "] is null");
      }
      int begin = memory.bytes;
      if (memory.grow(text == null ? 0 : text.length, text == null)) {
        System.arraycopy(text, 0, memory.utf8, begin, text.length);
      }
    }
    return memory;
  }

  /**
   * Throws an exception that names a bad text. If bad texts are allowed, they become bytes that native code reports as
   * bad. If texts are repaired, only null is bad.
   */
  static CallMemory of(List<? extends CharSequence> texts, String name, boolean badAllowed, boolean repaired) {
    CallMemory memory = cleared();
    int count = Objects.requireNonNull(texts, name).size();
    // An iterator would be one more object in each call.
    Iterator<? extends CharSequence> linked = texts instanceof RandomAccess ? null : texts.iterator();
    for (int i = 0; i < count; i++) {
      CharSequence given = linked == null ? texts.get(i) : linked.next();
      String text = given == null ? null : given.toString();
      if (text == null && !badAllowed) {
        throw new NullPointerException(name + "[" + memory.size + "] is null");
      }
      try {
        memory.add(text, badAllowed, repaired);
      } catch (IllegalArgumentException bad) {
        throw new IllegalArgumentException(name + "[" + memory.size + "]: " + bad.getMessage());
      }
    }
    return memory;
  }

  static CallMemory of(int[][] sequences) {
    CallMemory memory = cleared();
    memory.ofIds = true;
    for (int[] sequence : Objects.requireNonNull(sequences, "sequences")) {
      if (sequence == null) {
        throw new NullPointerException("sequences[" + memory.size + "] is null");
      }
      memory.add(sequence);
    }
    return memory;
  }

  /** A copy of each text, and of all of them. */
  byte[][] eachText() {
    byte[][] each = new byte[size][];
    int begin = 0;
    for (int i = 0; i < size; i++) {
      int end = ends[i] < 0 ? begin : (int) ends[i];
      each[i] = Arrays.copyOfRange(utf8, begin, end);
      begin = end;
    }
    return each;
  }

  byte[] allTexts() {
    return Arrays.copyOf(utf8, bytes);
  }

  private void add(String text, boolean badAllowed, boolean repaired) {
    int begin = bytes;
    if (grow(text == null ? 0 : Utf8.size(text, badAllowed || repaired), text == null)) {
      Utf8.put(text, utf8, begin, repaired);
    }
  }

  /** Makes room for a text, and tells whether there is a text, which then has to be put there. */
  private boolean grow(long length, boolean none) {
    long end = bytes + length;
    if (end > LARGEST_ARRAY) {
      throw new IllegalArgumentException(end + " bytes of text are too many for one call");
    }
    if (end > utf8.length) {
      utf8 = Arrays.copyOf(utf8, grown(end));
    }
    if (size == ends.length) {
      ends = Arrays.copyOf(ends, grown(size + 1L));
    }
    bytes = (int) end;
    ends[size++] = none ? -1 : end;
    return !none;
  }

  private void add(int[] sequence) {
    long begin = offsets[size];
    long end = begin + sequence.length;
    if (end > LARGEST_ARRAY) {
      throw new IllegalArgumentException(end + " tokens are too many for one call");
    }
    if (end > ids.length) {
      ids = Arrays.copyOf(ids, grown(end));
    }
    if (size + 1 == offsets.length) {
      offsets = Arrays.copyOf(offsets, grown(size + 2L));
    }
    System.arraycopy(sequence, 0, ids, (int) begin, sequence.length);
    offsets[++size] = end;
  }

  private static int grown(long needed) {
    return (int) Math.min(LARGEST_ARRAY, Math.max(16, needed + needed / 2));
  }
}
