// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model with one of its adapters is the model of which the weights hold the sums. */
class AdaptersTest {
  private static final String TEXT = "the quick fox";
  private static final Path MADE = Path.of(System.getProperty("lookupffn.made.models"));
  private static final Path FOLDER = MADE.resolve("adapters");
  private static final LoadOptions SEPARATION = LoadOptions.defaults().withAdapter("separation");

  private static float[] embedded(Model loaded) {
    try (Model model = loaded) {
      return model.embed(TEXT);
    }
  }

  private static Map<String, byte[]> files() throws Exception {
    Map<String, byte[]> files = new LinkedHashMap<>();
    for (String name : new String[] {"config.json", "model.safetensors", "tokenizer.json"}) {
      files.put(name, Files.readAllBytes(FOLDER.resolve(name)));
    }
    return files;
  }

  @Test
  void areAddedToTheWeights(@TempDir Path scratch) throws Exception {
    float[] expected = embedded(Model.load(MADE.resolve("adapters-separation")));
    Golden.assertSameBits(expected, embedded(Model.load(FOLDER, SEPARATION)));
    Golden.assertSameBits(expected, embedded(Model.load(files(), SEPARATION)));
    Path file = scratch.resolve("saved");
    try (Model model = Model.load(FOLDER, SEPARATION)) {
      model.save(file);
    }
    Golden.assertSameBits(expected, embedded(Model.load(file)));

    float[] base = embedded(Model.load(FOLDER));
    assertFalse(Arrays.equals(expected, base));
    assertFalse(Arrays.equals(expected, embedded(Model.load(FOLDER, SEPARATION.withAdapter("text-matching")))));
    Golden.assertSameBits(base, embedded(Model.load(FOLDER, SEPARATION.withAdapter(null))));
    assertFalse(SEPARATION.withAdapter(null).toString().contains("adapter"));
    assertTrue(SEPARATION.withNumThreads(1).withMemoryMapping(true).toString().contains(", adapter separation"));
  }

  @Test
  void areEstimated() throws Exception {
    MemoryEstimate with = Model.estimate(FOLDER, SEPARATION);
    assertTrue(with.loadingBytes() > Model.estimate(FOLDER, LoadOptions.defaults()).loadingBytes());
    assertEquals(with, Model.estimate(files(), SEPARATION));
  }

  private static void assertRefused(String part, Path model, LoadOptions options) {
    String message = assertThrows(IllegalArgumentException.class, () -> Model.load(model, options)).getMessage();
    assertTrue(message.contains(part), message);
  }

  @Test
  void unknownNamesAreRefused(@TempDir Path scratch) throws Exception {
    LoadOptions unknown = SEPARATION.withAdapter("größer 🚀");
    String known = "'größer 🚀'; the model's adapters are 'retrieval.query', 'separation', 'text-matching'";
    assertRefused(known, FOLDER, unknown);
    assertRefused("this model has no adapters", MADE.resolve("adapters-separation"), SEPARATION);
    assertThrows(IllegalArgumentException.class, () -> Model.load(files(), unknown));
    assertThrows(IllegalArgumentException.class, () -> Model.estimate(FOLDER, unknown));
    assertThrows(IllegalArgumentException.class, () -> Model.estimate(files(), unknown));
    Path file = scratch.resolve("saved");
    try (Model model = Model.load(FOLDER, SEPARATION)) {
      model.save(file);
    }
    assertRefused("merged or left out", file, SEPARATION);
    byte[] bytes = Files.readAllBytes(file);
    assertThrows(IllegalArgumentException.class, () -> Model.load(bytes, SEPARATION));
    assertThrows(IllegalArgumentException.class, () -> SEPARATION.withAdapter("separation\0"));
    assertThrows(IllegalArgumentException.class, () -> SEPARATION.withAdapter(""));
    assertThrows(IllegalArgumentException.class, () -> SEPARATION.withAdapter("\ud83d"));
    try (Tokenizer tokenizer = Tokenizer.load(FOLDER, unknown)) {
      assertEquals(108, tokenizer.info().vocabSize());
    }
  }
}
