// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many tokens texts had, prompts before them, and rerankers. */
class ModelCountsTest {
  private static final Path MADE = Paths.get(System.getProperty("lookupffn.made.models"));
  private static final RunOptions DEFAULTS = RunOptions.defaults();
  private static final String LONG = "word ".repeat(1000);

  private static Model golden() throws Exception {
    return Model.load(GoldenModel.all().get(0).folder);
  }

  @Test
  void countsAreThoseOfTheTokenizer() throws Exception {
    TextCounts counts = new TextCounts();
    RunOptions options = DEFAULTS.withCounts(counts);
    List<String> texts = List.of("a few words", LONG, "");
    try (Model model = golden()) {
      int whole = model.tokenize(LONG).length;
      int cut = model.info().ownMaxTokens();
      int[] expected = {model.tokenize("a few words").length, cut, model.tokenize("").length};
      List<Runnable> calls = List.of(
          () -> model.embed(texts, options),
          () -> model.classify(texts, options),
          () -> model.encode(texts, options),
          () -> model.embedInto(texts, new float[4096], 0, options));
      for (Runnable call : calls) {
        model.embed(List.of("another"), options);
        call.run();
        assertEquals(3, counts.size());
        assertArrayEquals(expected, IntStream.range(0, 3).map(counts::tokens).toArray());
        assertEquals(IntStream.of(expected).sum(), counts.totalTokens());
        assertEquals(whole, counts.uncutTokens(1));
        assertTrue(counts.isCut(1) && counts.anyCut());
        assertFalse(counts.isCut(0) || counts.isCut(2));
      }
      // What fails, and what runs ids, leaves them alone.
      assertThrows(IllegalArgumentException.class, () -> model.embed(texts, options.withoutCutting()));
      assertThrows(RuntimeException.class, () -> model.embedInto("short", new float[1], 0, options));
      model.run(Input.ids(new int[] {0, 2}), Output.EMBEDDINGS, options);
      assertEquals(3, counts.size());
      assertThrows(IndexOutOfBoundsException.class, () -> counts.tokens(3));
      assertThrows(IndexOutOfBoundsException.class, () -> counts.isCut(-1));
      model.embedAsync(List.of("one"), options).get();
      assertEquals(1, counts.size());
      assertFalse(counts.anyCut());
      Golden.assertSameBits(model.embed(LONG), model.embed(texts, options)[1]);
      model.embed(List.of(), options);
      assertEquals(0, counts.totalTokens());
    }
  }

  @Test
  void promptsByNameAndByText() throws Exception {
    try (Model model = Model.load(MADE.resolve("prompts"))) {
      assertEquals(Map.of("query", "query: ", "document", "passage: "), model.prompts());
      assertEquals(List.of("query", "document"), List.copyOf(model.prompts().keySet()));
      float[] plain = model.embed("query: how?");
      Golden.assertSameBits(plain, model.embed("how?", DEFAULTS.withPrompt("query")));
      Golden.assertSameBits(plain, model.embed("how?", DEFAULTS.withPromptText("query: ")));
      Golden.assertSameBits(plain, model.embed("query: how?", DEFAULTS.withoutPrompt()));
      assertThrows(IllegalArgumentException.class, () -> model.embed("how?", DEFAULTS.withPrompt("no such")));
      assertThrows(IllegalArgumentException.class, () -> DEFAULTS.withPromptText("\ud83d"));
      assertThrows(IllegalArgumentException.class, () -> DEFAULTS.withPromptText("a\0b"));
    }
    try (Model model = golden()) {
      assertEquals(Map.of(), model.prompts());
      assertEquals(3, model.labels().size());
    }
  }

  @Test
  void rerankersScorePairs() throws Exception {
    TextCounts counts = new TextCounts();
    String query = "Which dog is lazy?";
    List<String> documents = List.of("The lazy dog.", "A fox.", LONG);
    try (Model model = Model.load(MADE.resolve("reranker"))) {
      assertEquals(1, model.labels().size());
      float[] scores = model.rerank(query, documents, DEFAULTS.withCounts(counts));
      assertEquals(3, scores.length);
      // RoBERTa's pair: two separators between the texts.
      int eos = model.info().eosId();
      int[] ids = IntStream.of(model.info().bosId()).toArray();
      ids = concat(ids, model.tokenize(query, false).ids(), new int[] {eos, eos},
          model.tokenize(documents.get(0), false).ids(), new int[] {eos});
      Golden.assertSameBits(model.run(Input.ids(ids), Output.CLASS_SCORES)[0], new float[] {scores[0]});
      assertEquals(ids.length, counts.tokens(0));
      assertFalse(counts.isCut(0));
      assertTrue(counts.isCut(2));
      assertEquals(scores[1], model.rerank(query, List.of("A fox."))[0]);
      assertArrayEquals(scores, LookupFfn.async(DEFAULTS, changed -> model.rerank(query, documents, changed)).get());
      float[] likely = model.rerank(query, documents, DEFAULTS.withScores(ScoreKind.PROBABILITIES));
      for (int i = 0; i < 3; i++) {
        assertEquals(1 / (1 + Math.exp(-scores[i])), likely[i], 1e-6);
      }
      assertEquals(0, model.rerank(query, List.of()).length);
      IllegalArgumentException tooLong = assertThrows(
          IllegalArgumentException.class, () -> model.rerank(query, documents, DEFAULTS.withoutCutting()));
      assertTrue(tooLong.getMessage().startsWith("document 2: the query and the document have "), tooLong.getMessage());
    }
    try (Model model = golden()) {
      assertThrows(IllegalArgumentException.class, () -> model.rerank(query, documents));
      float[] likely = model.classify("a text", DEFAULTS.withScores(ScoreKind.PROBABILITIES));
      assertEquals(1, likely[0] + likely[1] + likely[2], 1e-6);
    }
  }

  private static int[] concat(int[]... parts) {
    return java.util.Arrays.stream(parts).flatMapToInt(IntStream::of).toArray();
  }

  @Test
  void theShortForms() throws Exception {
    try (Model model = golden()) {
      Input ids = Input.ids(model.tokenize("a text"));
      List<String> texts = List.of("a text", "another");
      Golden.assertSameBits(model.encode("a text"), model.encode(texts, DEFAULTS)[0]);
      Golden.assertSameBits(model.encode("a text"), model.run(ids, Output.HIDDEN)[0]);
      Golden.assertSameBits(model.classify("a text"), model.classify(texts, DEFAULTS)[0]);
      Golden.assertSameBits(model.classify("a text"), model.classify("a text", DEFAULTS));
      Golden.assertSameBits(model.classify("a text"), model.run(ids, Output.CLASS_SCORES)[0]);
      Golden.assertSameBits(model.embed("a text"), model.embed(texts)[0]);
      Golden.assertSameBits(model.embed("a text"), model.embed("a text", DEFAULTS));
      Golden.assertSameBits(model.embed("a text"), model.run(ids, Output.EMBEDDINGS)[0]);
      String special = model.detokenize(new int[] {model.info().bosId()}, false);
      assertFalse(special.isEmpty());
      assertEquals("", model.detokenize(new int[] {model.info().bosId()}, true));
    }
  }
}
