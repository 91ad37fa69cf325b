// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Outputs in the caller's memory: the same bits, nothing beside them written, nothing allocated. */
class ModelIntoMemoryTest {
  private static final RunOptions DEFAULTS = RunOptions.defaults();
  private static final String TEXT = "Größe: 12 lazy dogs 🚀 and more.";
  private static final int BEFORE = 3;

  private GoldenModel golden;
  private Model model;

  @BeforeEach
  void load() throws Exception {
    golden = GoldenModel.all().get(0);
    model = Model.load(golden.folder, LoadOptions.defaults().withNumThreads(1));
  }

  @AfterEach
  void close() {
    model.close();
  }

  private interface Call {
    int run(float[] array, FloatBuffer buffer);
  }

  /** Checks that the call writes these floats, from an offset on, and no others. */
  private static void assertWrites(float[][] rows, Call call) {
    int count = Arrays.stream(rows).mapToInt(row -> row.length).sum();
    float[] expected = new float[count + 2 * BEFORE];
    Arrays.fill(expected, 7);
    int at = BEFORE;
    for (float[] row : rows) {
      System.arraycopy(row, 0, expected, at, row.length);
      at += row.length;
    }
    float[] array = new float[expected.length];
    Arrays.fill(array, 7);
    assertEquals(count, call.run(array, null));
    Golden.assertSameBits(expected, array);
    FloatBuffer buffer = Golden.direct(expected.length);
    for (int i = 0; i < expected.length; i++) {
      buffer.put(7);
    }
    buffer.position(BEFORE);
    assertEquals(count, call.run(null, buffer));
    assertEquals(BEFORE, buffer.position());
    float[] found = new float[expected.length];
    buffer.rewind().get(found);
    Golden.assertSameBits(expected, found);
  }

  @Test
  void theSameBits() {
    int[] ids = golden.textIds.get(0);
    int[][] batch = {ids, golden.textIds.get(1)};
    List<String> texts = List.of(TEXT, golden.texts.get(1), "");
    assertWrites(new float[][] {model.encode(ids)}, (a, b) -> a == null
        ? model.encodeInto(ids, b, DEFAULTS) : model.encodeInto(ids, a, BEFORE, DEFAULTS));
    assertWrites(model.encode(batch), (a, b) -> a == null
        ? model.encodeInto(batch, b, DEFAULTS) : model.encodeInto(batch, a, BEFORE, DEFAULTS));
    assertWrites(new float[][] {model.encode(TEXT)}, (a, b) -> a == null
        ? model.encodeInto(TEXT, b, DEFAULTS) : model.encodeInto(TEXT, a, BEFORE, DEFAULTS));
    assertWrites(model.encode(texts), (a, b) -> a == null
        ? model.encodeInto(texts, b, DEFAULTS) : model.encodeInto(texts, a, BEFORE, DEFAULTS));
    assertWrites(new float[][] {model.classify(ids)}, (a, b) -> a == null
        ? model.classifyInto(ids, b, DEFAULTS) : model.classifyInto(ids, a, BEFORE, DEFAULTS));
    assertWrites(model.classify(batch), (a, b) -> a == null
        ? model.classifyInto(batch, b, DEFAULTS) : model.classifyInto(batch, a, BEFORE, DEFAULTS));
    assertWrites(new float[][] {model.classify(TEXT)}, (a, b) -> a == null
        ? model.classifyInto(TEXT, b, DEFAULTS) : model.classifyInto(TEXT, a, BEFORE, DEFAULTS));
    assertWrites(model.classify(texts), (a, b) -> a == null
        ? model.classifyInto(texts, b, DEFAULTS) : model.classifyInto(texts, a, BEFORE, DEFAULTS));
    assertWrites(new float[][] {model.embed(ids)}, (a, b) -> a == null
        ? model.embedInto(ids, b, DEFAULTS) : model.embedInto(ids, a, BEFORE, DEFAULTS));
    assertWrites(model.embed(batch), (a, b) -> a == null
        ? model.embedInto(batch, b, DEFAULTS) : model.embedInto(batch, a, BEFORE, DEFAULTS));
    assertWrites(new float[][] {model.embed(TEXT)}, (a, b) -> a == null
        ? model.embedInto(TEXT, b, DEFAULTS) : model.embedInto(TEXT, a, BEFORE, DEFAULTS));
    assertWrites(model.embed(texts), (a, b) -> a == null
        ? model.embedInto(texts, b, DEFAULTS) : model.embedInto(texts, a, BEFORE, DEFAULTS));
    assertWrites(new float[0][], (a, b) -> a == null
        ? model.embedInto(List.of(), b, DEFAULTS) : model.embedInto(List.of(), a, BEFORE, DEFAULTS));
  }

  @Test
  void memoryThatDoesNotFit() {
    int size = model.info().embeddingSize();
    assertThrows(IllegalArgumentException.class, () -> model.embedInto(TEXT, new float[size - 1], 0, DEFAULTS));
    assertThrows(IllegalArgumentException.class, () -> model.embedInto(TEXT, new float[size], 1, DEFAULTS));
    assertThrows(IllegalArgumentException.class, () -> model.embedInto(TEXT, new float[size], -1, DEFAULTS));
    assertThrows(IllegalArgumentException.class, () -> model.embedInto(TEXT, Golden.direct(size - 1), DEFAULTS));
    assertThrows(IllegalArgumentException.class, () -> model.embedInto(TEXT, FloatBuffer.allocate(size), DEFAULTS));
    FloatBuffer bigEndian = ByteBuffer.allocateDirect(4 * size).asFloatBuffer();
    assertThrows(IllegalArgumentException.class, () -> model.embedInto(TEXT, bigEndian, DEFAULTS));
    FloatBuffer readOnly = Golden.direct(size).asReadOnlyBuffer();
    assertThrows(IllegalArgumentException.class, () -> model.embedInto(TEXT, readOnly, DEFAULTS));
    assertThrows(IllegalArgumentException.class, () -> model.embedInto("\ud83d", new float[size], 0, DEFAULTS));
    assertThrows(NullPointerException.class, () -> model.embedInto(TEXT, (float[]) null, 0, DEFAULTS));
    assertThrows(NullPointerException.class, () -> model.embedInto((String) null, new float[size], 0, DEFAULTS));
    assertTrue(model.encodeInto(TEXT, new float[4096], 0, DEFAULTS) > 0);
    model.close();
    assertThrows(IllegalStateException.class, () -> model.embedInto(TEXT, new float[size], 0, DEFAULTS));
  }

  @Test
  void nothingIsAllocated() {
    int[] ids = {0, 9, 5, 2};
    float[] array = new float[4096];
    FloatBuffer buffer = Golden.direct(4096);
    List<String> texts = List.of("a b", "ü");
    RunOptions options = DEFAULTS.withCounts(new TextCounts()).withPromptText("q: ").withCancellation(new Cancellation());
    CostTest.assertNoAllocation(() -> model.embedInto(ids, buffer, DEFAULTS), 2_000);
    CostTest.assertNoAllocation(() -> model.embedInto("a b", array, 0, DEFAULTS), 2_000);
    CostTest.assertNoAllocation(() -> model.embedInto("a ü 🚀", buffer, options), 2_000);
    CostTest.assertNoAllocation(() -> model.classifyInto("a b", buffer, options), 2_000);
    CostTest.assertNoAllocation(() -> model.encodeInto("a b", buffer, options), 2_000);
  }
}
