// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A golden model: its folder, texts with their tokens, and sequences with what they come to. */
final class GoldenModel {
  private static final Path MODELS = Paths.get(System.getProperty("lookupffn.models"));
  private static final Pattern TENSOR =
      Pattern.compile("\"(\\w+\\.\\d+)\":\\{[^}]*\"data_offsets\":\\[(\\d+),(\\d+)\\]");
  private static final Pattern TEXT = Pattern.compile(
      "\"text\":\\s*\"((?:[^\"\\\\]|\\\\.)*)\",\\s*\"ids\":\\s*\\[([^\\]]*)\\],\\s*"
          + "\"ids_with_special\":\\s*\\[([^\\]]*)\\]");

  final String name;
  final Path folder;
  final List<String> texts = new ArrayList<>();
  final List<int[]> bareIds = new ArrayList<>();
  final List<int[]> textIds = new ArrayList<>();
  final Map<String, float[]> tensors = new HashMap<>();
  final List<int[]> sequences = new ArrayList<>();

  GoldenModel(String name) throws IOException {
    this.name = name;
    folder = MODELS.resolve(name);
    Matcher text = TEXT.matcher(Files.readString(folder.resolve("tokens.json")));
    while (text.find()) {
      texts.add(unescape(text.group(1)));
      bareIds.add(ints(text.group(2)));
      textIds.add(ints(text.group(3)));
    }
    ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("io.safetensors")))
        .order(ByteOrder.LITTLE_ENDIAN);
    int header = (int) file.getLong();
    Matcher tensor = TENSOR.matcher(new String(file.array(), 8, header, StandardCharsets.UTF_8));
    Map<String, int[]> ids = new HashMap<>();
    while (tensor.find()) {
      int begin = 8 + header + Integer.parseInt(tensor.group(2));
      int count = (8 + header + Integer.parseInt(tensor.group(3)) - begin) / 4;
      ByteBuffer data = file.duplicate().order(ByteOrder.LITTLE_ENDIAN).position(begin);
      if (tensor.group(1).startsWith("ids.")) {
        data.asIntBuffer().get(ids.computeIfAbsent(tensor.group(1), key -> new int[count]));
      } else {
        data.asFloatBuffer().get(tensors.computeIfAbsent(tensor.group(1), key -> new float[count]));
      }
    }
    for (int i = 0; i < ids.size(); i++) {
      sequences.add(ids.get("ids." + i));
    }
    assertTrue(texts.size() >= 8 && sequences.size() >= 8, name);
  }

  int[][] allSequences() {
    return sequences.toArray(new int[0][]);
  }

  static List<GoldenModel> all() throws IOException {
    return List.of(new GoldenModel("model-lookup"), new GoldenModel("model-mixed"));
  }

  private static int[] ints(String list) {
    return list.isBlank() ? new int[0] : Arrays.stream(list.split(",")).map(String::trim).mapToInt(Integer::parseInt)
        .toArray();
  }

  private static String unescape(String json) {
    Matcher escape = Pattern.compile("\\\\(?:u([0-9a-f]{4})|(.))").matcher(json);
    return escape.replaceAll(found -> {
      String plain = found.group(1) != null
          ? String.valueOf((char) Integer.parseInt(found.group(1), 16))
          : Map.of("n", "\n", "t", "\t", "r", "\r", "b", "\b", "f", "\f").getOrDefault(found.group(2), found.group(2));
      return Matcher.quoteReplacement(plain);
    });
  }

  /** Within a thousandth of the expected numbers' root mean square. */
  static void assertClose(float[] expected, float[] actual) {
    assertEquals(expected.length, actual.length);
    double squares = 0;
    for (float number : expected) {
      squares += (double) number * number;
    }
    double limit = 1e-3 * Math.sqrt(squares / expected.length);
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i], actual[i], limit, "element " + i);
    }
  }
}
