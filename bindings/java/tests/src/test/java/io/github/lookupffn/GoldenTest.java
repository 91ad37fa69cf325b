// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static io.github.lookupffn.Golden.assertSameBits;
import static io.github.lookupffn.Golden.direct;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Java gives the bits of the C interface, whichever way the numbers take. */
class GoldenTest {
  private interface Check {
    void run(Golden golden, Layer layer) throws IOException;
  }

  private static Stream<DynamicTest> forEachCase(Check check) throws IOException {
    List<Golden> all = Golden.all();
    assertTrue(all.size() >= 40, all.size() + " cases");
    return all.stream().map(golden -> DynamicTest.dynamicTest(golden.name, () -> {
      try (Layer layer = Layer.load(golden.model, golden.options)) {
        check.run(golden, layer);
      }
    }));
  }

  @TestFactory
  Stream<DynamicTest> arrays() throws IOException {
    return forEachCase((golden, layer) -> {
      float[] y = new float[golden.y.length];
      layer.forward(golden.x, golden.tokens, y);
      assertSameBits(golden.y, y);
    });
  }

  @TestFactory
  Stream<DynamicTest> partsOfArrays() throws IOException {
    return forEachCase((golden, layer) -> {
      float[] x = new float[golden.x.length + 5];
      System.arraycopy(golden.x, 0, x, 3, golden.x.length);
      float[] y = new float[golden.y.length + 9];
      Arrays.fill(y, -7);
      layer.forward(x, 3, golden.tokens, y, 7);
      assertSameBits(golden.y, Arrays.copyOfRange(y, 7, 7 + golden.y.length));
      for (int i = 0; i < 9; i++) {
        assertEquals(-7, y[i < 7 ? i : golden.y.length + i]);
      }
    });
  }

  @TestFactory
  Stream<DynamicTest> oneTokenAtATime() throws IOException {
    return forEachCase((golden, layer) -> {
      float[] y = new float[golden.y.length];
      for (int t = 0; t < golden.tokens; t++) {
        layer.forward(golden.x, t * golden.inputSize, 1, y, t * golden.outputSize);
      }
      assertSameBits(golden.y, y);
    });
  }

  @TestFactory
  Stream<DynamicTest> directBuffers() throws IOException {
    return forEachCase((golden, layer) -> {
      FloatBuffer x = direct(golden.x.length + 2);
      x.position(2);
      x.put(golden.x).position(2);
      FloatBuffer whole = direct(golden.y.length + 3);
      whole.position(1);
      FloatBuffer y = whole.slice();
      y.position(2);
      layer.forward(x.asReadOnlyBuffer(), golden.tokens, y);
      assertEquals(2, y.position());
      float[] got = new float[golden.y.length];
      y.get(got);
      assertSameBits(golden.y, got);
      assertEquals(0, whole.get(0) + whole.get(1) + whole.get(2));
    });
  }

  @TestFactory
  Stream<DynamicTest> addedToTheOutput() throws IOException {
    return forEachCase((golden, layer) -> {
      ForwardOptions add = ForwardOptions.defaults().withAddToOutput(true);
      float[] y = new float[golden.y.length];
      Arrays.fill(y, 0.5f);
      layer.forward(golden.x, 0, golden.tokens, y, 0, add);
      assertSameBits(golden.added, y);

      FloatBuffer buffer = direct(y.length);
      Arrays.fill(y, 0.5f);
      buffer.put(y).rewind();
      layer.forward(direct(golden.x.length).put(golden.x).rewind(), golden.tokens, buffer, add);
      buffer.get(y);
      assertSameBits(golden.added, y);
    });
  }

  @TestFactory
  Stream<DynamicTest> inPlace() throws IOException {
    return forEachCase((golden, layer) -> {
      if (golden.inputSize != golden.outputSize) {
        return;
      }
      float[] xy = golden.x.clone();
      layer.forward(xy, golden.tokens, xy);
      assertSameBits(golden.y, xy);
      FloatBuffer buffer = direct(xy.length).put(golden.x).rewind();
      layer.forward(buffer, golden.tokens, buffer);
      buffer.get(xy);
      assertSameBits(golden.y, xy);
    });
  }

  @TestFactory
  Stream<DynamicTest> hashes() throws IOException {
    return forEachCase((golden, layer) -> {
      int[] codes = new int[golden.codes.length];
      float[] scores = new float[golden.scores.length];
      layer.hash(golden.x, golden.tokens, codes, scores);
      assertArrayEquals(golden.codes, codes);
      assertSameBits(golden.scores, scores);
      Arrays.fill(codes, -1);
      layer.hash(golden.x, golden.tokens, codes, null);
      assertArrayEquals(golden.codes, codes);
      layer.hash(golden.x, golden.tokens, null, null);
    });
  }

  @TestFactory
  Stream<DynamicTest> fromBytes() throws IOException {
    return forEachCase((golden, layer) -> {
      byte[] bytes = Files.readAllBytes(golden.model);
      try (Layer other = Layer.load(bytes, golden.options.withNumThreads(2))) {
        Arrays.fill(bytes, (byte) 0);
        assertEquals(2, other.info().numThreads());
        float[] y = new float[golden.y.length];
        other.forward(golden.x, golden.tokens, y);
        assertSameBits(golden.y, y);
      }
    });
  }

  @TestFactory
  Stream<DynamicTest> savedAndMapped(@TempDir Path directory) throws IOException {
    return forEachCase((golden, layer) -> {
      Path file = directory.resolve(golden.name + "-größer-🚀.safetensors");
      layer.save(file);
      try (Layer other = Layer.load(file, LoadOptions.defaults().withMemoryMapping(true))) {
        float[] y = new float[golden.y.length];
        other.forward(golden.x, golden.tokens, y);
        assertSameBits(golden.y, y);
      }
    });
  }

  @Test
  void largeBatchesTakeMemoryOfTheirOwn() throws IOException {
    Golden golden = Golden.named("bh4-small");
    int times = 1 + (1 << 20) / golden.x.length;
    float[] x = new float[golden.x.length * times];
    float[] expected = new float[golden.y.length * times];
    for (int i = 0; i < times; i++) {
      System.arraycopy(golden.x, 0, x, i * golden.x.length, golden.x.length);
      System.arraycopy(golden.y, 0, expected, i * golden.y.length, golden.y.length);
    }
    float[] y = new float[expected.length];
    try (Layer layer = Layer.load(golden.model)) {
      layer.forward(x, golden.tokens * times, y);
    }
    assertSameBits(expected, y);
  }
}
