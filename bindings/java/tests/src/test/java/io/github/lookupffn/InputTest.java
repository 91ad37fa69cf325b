// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whatever an input is made of, the same texts come to the same. */
class InputTest {
  private static final Path MADE = Path.of(System.getProperty("lookupffn.made.models"));
  private static final List<String> TEXTS = List.of("A lazy dog.", "Größe 🚀", "");

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void theSameTextsInOtherForms() throws Exception {
    byte[][] bytes = TEXTS.stream().map(InputTest::utf8).toArray(byte[][]::new);
    List<Input> inputs = List.of(
        Input.texts(TEXTS), Input.texts(new LinkedList<>(TEXTS)), Input.utf8(bytes),
        Input.texts(List.of(new StringBuilder(TEXTS.get(0)), TEXTS.get(1), new StringBuffer())));
    try (Model model = Model.load(GoldenModel.all().get(0).folder)) {
      float[][] expected = model.embed(TEXTS);
      for (Input input : inputs) {
        assertEquals("Input[3 texts]", input.toString());
        for (int i = 0; i < expected.length; i++) {
          Golden.assertSameBits(expected[i], model.run(input, Output.EMBEDDINGS)[i]);
        }
        assertEquals(model.embedInt8(TEXTS, RunOptions.defaults()), model.run(input, Output.INT8_EMBEDDINGS));
        List<EmbeddedWindow> windows = model.run(input, Output.WINDOWS).get(1);
        assertEquals(TEXTS.get(1), windows.get(0).text());
      }
      Golden.assertSameBits(expected[0], model.run(Input.text(new StringBuilder(TEXTS.get(0))), Output.EMBEDDINGS)[0]);
    }
  }

  @Test
  void badTextsAreNamedOrTold() throws Exception {
    byte[] bad = {'a', (byte) 0xff};
    TextStatuses statuses = new TextStatuses();
    RunOptions told = RunOptions.defaults().withStatuses(statuses);
    try (Model model = Model.load(GoldenModel.all().get(0).folder)) {
      String message = assertThrows(
          IllegalArgumentException.class, () -> model.run(Input.utf8(utf8("good"), bad), Output.EMBEDDINGS)).getMessage();
      assertTrue(message.contains("texts[1]"), message);
      assertEquals("texts[1] is null", assertThrows(
          NullPointerException.class, () -> model.run(Input.utf8(bad, null), Output.EMBEDDINGS)).getMessage());
      model.run(Input.utf8(bad, null, utf8("good")), Output.EMBEDDINGS, told);
      assertEquals(TextStatus.BAD_TEXT, statuses.status(0));
      assertEquals(TextStatus.NULL_TEXT, statuses.status(1));
      assertTrue(statuses.isOk(2));
      for (List<EmbeddedWindow> windows : model.run(Input.utf8(bad, null), Output.WINDOWS, told)) {
        assertEquals("", windows.get(0).text());
      }
    }
  }

  @Test
  void pairsAreScoredTogether() throws Exception {
    try (Model reranker = Model.load(MADE.resolve("reranker")); Model entailment = Model.load(MADE.resolve("entailment"))) {
      float[][] scores = reranker.run(Input.pairs("which dog?", TEXTS), Output.CLASS_SCORES);
      float[] expected = reranker.rerank("which dog?", TEXTS);
      for (int i = 0; i < expected.length; i++) {
        assertArrayEquals(new float[] {expected[i]}, scores[i]);
      }
      Input pair = Input.pairs("A dog sleeps.", List.of("An animal sleeps."));
      assertEquals("Input[1 pairs]", pair.toString());
      assertEquals(entailment.info().numClasses(), entailment.run(pair, Output.CLASS_SCORES)[0].length);
      assertEquals("seconds[1] is null", assertThrows(
          NullPointerException.class,
          () -> reranker.run(Input.pairs("a", Arrays.asList("b", null)), Output.CLASS_SCORES)).getMessage());
    }
  }

  /** What a program's test may put in a model's place. */
  private static final class Ones implements TextEmbedder {
    @Override
    public float[] embed(String text) {
      return new float[] {1};
    }

    @Override
    public float[][] embed(List<String> texts, RunOptions options) {
      return texts.stream().map(this::embed).toArray(float[][]::new);
    }

    @Override
    public CompletableFuture<float[][]> embedAsync(List<String> texts, RunOptions options) {
      return CompletableFuture.completedFuture(embed(texts, options));
    }
  }

  @Test
  void somethingElseInAModelsPlace() throws Exception {
    assertArrayEquals(new float[][] {{1}, {1}, {1}}, new Ones().embed(TEXTS));
    try (Model model = Model.load(GoldenModel.all().get(0).folder)) {
      TextEmbedder embedder = model;
      Golden.assertSameBits(model.embed(TEXTS.get(0)), embedder.embed(TEXTS)[0]);
      Golden.assertSameBits(model.embed(TEXTS.get(0)), embedder.embedAsync(TEXTS, RunOptions.defaults()).get()[0]);
    }
  }

  @Test
  void outputsOfTextsAlone() throws Exception {
    try (Model model = Model.load(GoldenModel.all().get(0).folder)) {
      for (Input input : List.of(Input.ids(new int[] {0, 2}), Input.pairs("a", TEXTS))) {
        String message = assertThrows(
            IllegalArgumentException.class, () -> model.run(input, Output.BIT_EMBEDDINGS)).getMessage();
        assertTrue(message.startsWith("this output is of texts, not of "), message);
      }
      assertEquals("Output.HIDDEN", Output.HIDDEN.toString());
    }
  }
}
