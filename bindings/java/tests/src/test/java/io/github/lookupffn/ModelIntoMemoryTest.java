// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
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
    List<String> texts = List.of(TEXT, golden.texts.get(1), "");
    List<Input> inputs = List.of(
        Input.ids(golden.textIds.get(0)), Input.ids(golden.textIds.get(0), golden.textIds.get(1)), Input.text(TEXT),
        Input.texts(texts), Input.utf8(TEXT.getBytes(StandardCharsets.UTF_8), new byte[0]), Input.pairs(TEXT, texts),
        Input.texts(List.of()));
    for (Output<float[][]> output : List.of(Output.HIDDEN, Output.CLASS_SCORES, Output.EMBEDDINGS)) {
      for (Input input : inputs) {
        assertWrites(model.run(input, output), (a, b) -> a == null
            ? model.runInto(input, output, b, DEFAULTS) : model.runInto(input, output, a, BEFORE, DEFAULTS));
      }
    }
    assertWrites(new float[][] {model.embed(TEXT)}, (a, b) -> a == null
        ? model.embedInto(TEXT, b, DEFAULTS) : model.embedInto(TEXT, a, BEFORE, DEFAULTS));
    assertWrites(model.embed(texts), (a, b) -> a == null
        ? model.embedInto(texts, b, DEFAULTS) : model.embedInto(texts, a, BEFORE, DEFAULTS));
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
    assertTrue(model.runInto(Input.text(TEXT), Output.HIDDEN, new float[4096], 0, DEFAULTS) > 0);
    assertThrows(NullPointerException.class, () -> model.runInto(Input.text(TEXT), Output.HIDDEN, null, DEFAULTS));
    model.close();
    assertThrows(IllegalStateException.class, () -> model.embedInto(TEXT, new float[size], 0, DEFAULTS));
  }

  @Test
  void nothingIsAllocated() {
    Input ids = Input.ids(new int[] {0, 9, 5, 2});
    Input text = Input.text("a b");
    List<String> texts = List.of("a b", "ü");
    float[] array = new float[4096];
    FloatBuffer buffer = Golden.direct(4096);
    RunOptions options = DEFAULTS.withCounts(new TextCounts()).withPromptText("q: ").withCancellation(new Cancellation());
    CostTest.assertNoAllocation(() -> model.runInto(ids, Output.EMBEDDINGS, buffer, DEFAULTS), 2_000);
    CostTest.assertNoAllocation(() -> model.embedInto("a b", array, 0, DEFAULTS), 2_000);
    CostTest.assertNoAllocation(() -> model.embedInto("a ü 🚀", buffer, options), 2_000);
    CostTest.assertNoAllocation(() -> model.runInto(text, Output.CLASS_SCORES, buffer, options), 2_000);
    CostTest.assertNoAllocation(() -> model.runInto(text, Output.HIDDEN, buffer, options), 2_000);
    CostTest.assertNoAllocation(() -> model.embedInto(texts, array, 0, DEFAULTS), 2_000);
  }
}
