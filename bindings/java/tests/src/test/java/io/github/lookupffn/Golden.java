// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A golden layer in a choice of element types, and what the C interface computes with it. */
final class Golden {
  private static final Path GOLDEN = Paths.get(System.getProperty("lookupffn.golden"));
  private static final Path CASES = Paths.get(System.getProperty("lookupffn.cases"));

  final String name;
  final Path model;
  final LoadOptions options;
  final int tokens;
  final int inputSize;
  final int outputSize;
  final float[] x;
  final float[] y;
  final float[] added;
  final int[] codes;
  final float[] scores;

  private Golden(String name) throws IOException {
    this.name = name;
    model = GOLDEN.resolve(name.replaceFirst("@.*", ".model.safetensors"));
    ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(CASES.resolve(name + ".case"))).order(ByteOrder.LITTLE_ENDIAN);
    ElementType tables = typeOf(file.getLong());
    options = LoadOptions.defaults().withTableType(tables).withHashType(typeOf(file.getLong()));
    tokens = (int) file.getLong();
    inputSize = (int) file.getLong();
    outputSize = (int) file.getLong();
    int codesPerToken = (int) file.getLong();
    x = floats(file, tokens * inputSize);
    y = floats(file, tokens * outputSize);
    added = floats(file, tokens * outputSize);
    codes = new int[tokens * codesPerToken];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = file.getInt();
    }
    scores = floats(file, tokens * codesPerToken);
    assertEquals(0, file.remaining());
  }

  /** The type that the C interface calls by this number; null to keep what the file holds. */
  private static ElementType typeOf(long code) {
    return code == Abi.DTYPE_AS_STORED ? null : ElementType.ofCode((int) code);
  }

  private static float[] floats(ByteBuffer file, int count) {
    float[] result = new float[count];
    file.asFloatBuffer().get(result);
    file.position(file.position() + 4 * count);
    return result;
  }

  static Golden named(String name) throws IOException {
    return new Golden(name + "@stored");
  }

  static List<Golden> all() throws IOException {
    try (Stream<Path> files = Files.list(CASES)) {
      List<String> names = files.map(file -> file.getFileName().toString().replaceFirst("\\.case$", "")).sorted()
          .collect(Collectors.toList());
      List<Golden> result = new ArrayList<>();
      for (String name : names) {
        result.add(new Golden(name));
      }
      return result;
    }
  }

  static FloatBuffer direct(int floats) {
    return ByteBuffer.allocateDirect(4 * floats).order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  static void assertSameBits(float[] expected, float[] actual) {
    assertEquals(expected.length, actual.length);
    for (int i = 0; i < expected.length; i++) {
      if (Float.floatToRawIntBits(expected[i]) != Float.floatToRawIntBits(actual[i])) {
        assertEquals(expected[i], actual[i], "element " + i);
        throw new AssertionError("element " + i + " has other bits");
      }
    }
  }
}
