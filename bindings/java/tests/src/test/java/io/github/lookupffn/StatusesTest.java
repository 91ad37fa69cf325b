// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A bad text names itself, and where it is allowed the others are run. */
class StatusesTest {
  private static final String LONG = "word ".repeat(5000);
  private static final List<String> TEXTS = Arrays.asList("good", null, "half \ud800 a pair", LONG, "", "\ud83d\ude00 fine");
  private static final TextStatus[] EXPECTED = {
    TextStatus.OK, TextStatus.NULL_TEXT, TextStatus.BAD_TEXT, TextStatus.TOO_LONG, TextStatus.OK, TextStatus.OK
  };

  private static void check(TextStatuses statuses) {
    assertEquals(EXPECTED.length, statuses.size());
    for (int i = 0; i < EXPECTED.length; i++) {
      assertEquals(EXPECTED[i], statuses.status(i), "text " + i);
      assertEquals(EXPECTED[i] == TextStatus.OK, statuses.isOk(i));
      assertEquals(statuses.isOk(i), statuses.message(i).isEmpty(), statuses.message(i));
    }
    assertFalse(statuses.allOk());
    assertThrows(IndexOutOfBoundsException.class, () -> statuses.status(EXPECTED.length));
  }

  @Test
  void theOthersAreRun() throws Exception {
    RunOptions never = RunOptions.defaults().withoutCutting();
    try (Model model = Model.load(GoldenModel.all().get(0).folder)) {
      TextStatuses statuses = new TextStatuses();
      RunOptions options = never.withStatuses(statuses);
      TextCounts counts = new TextCounts();
      float[][] vectors = model.embed(TEXTS, options.withCounts(counts));
      check(statuses);
      float[][] hidden = model.encode(TEXTS, options);
      check(statuses);
      float[] flat = new float[TEXTS.size() * model.info().embeddingSize()];
      model.embedInto(TEXTS, flat, 0, options);
      check(statuses);
      for (int i = 0; i < EXPECTED.length; i++) {
        float[] part = Arrays.copyOfRange(flat, i * flat.length / EXPECTED.length, (i + 1) * flat.length / EXPECTED.length);
        if (EXPECTED[i] == TextStatus.OK) {
          Golden.assertSameBits(model.embed(TEXTS.get(i), never), vectors[i]);
          Golden.assertSameBits(model.encode(List.of(TEXTS.get(i)), never)[0], hidden[i]);
        } else {
          assertArrayEquals(new float[model.info().embeddingSize()], vectors[i]);
          assertEquals(0, hidden[i].length);
          assertEquals(0, counts.tokens(i));
        }
        Golden.assertSameBits(vectors[i], part);
      }
      if (model.info().numClasses() > 0) {
        float[][] scores = model.classify(TEXTS, options);
        check(statuses);
        Golden.assertSameBits(model.classify("good"), scores[0]);
      }
      model.embed(List.of("a", "b"), options);
      assertTrue(statuses.allOk());
      assertEquals(0, model.embed("half \ud800 a pair", options)[0]);
      assertEquals(TextStatus.BAD_TEXT, statuses.status(0));
    }
  }

  @Test
  void entitiesOfTheOthersAreFound() {
    try (Model model = Model.load(Path.of(System.getProperty("lookupffn.made.models"), "tokens"))) {
      TextStatuses statuses = new TextStatuses();
      RunOptions never = RunOptions.defaults().withoutCutting();
      List<List<Entity>> found = model.entities(TEXTS, Aggregation.SIMPLE, never.withStatuses(statuses));
      check(statuses);
      for (int i = 0; i < EXPECTED.length; i++) {
        assertEquals(
            EXPECTED[i] == TextStatus.OK
                ? model.entities(List.of(TEXTS.get(i)), Aggregation.SIMPLE, never).get(0) : List.of(),
            found.get(i));
      }
    }
  }

  @Test
  void theOtherPairsAreScored() {
    try (Model model = Model.load(Path.of(System.getProperty("lookupffn.made.models"), "reranker"))) {
      TextStatuses statuses = new TextStatuses();
      RunOptions never = RunOptions.defaults().withoutCutting();
      float[] scores = model.rerank("which?", TEXTS, never.withStatuses(statuses));
      check(statuses);
      float[][] pairs = model.run(Input.pairs("which?", TEXTS), Output.CLASS_SCORES, never.withStatuses(statuses));
      check(statuses);
      for (int i = 0; i < EXPECTED.length; i++) {
        float expected = EXPECTED[i] == TextStatus.OK ? model.rerank("which?", List.of(TEXTS.get(i)), never)[0] : 0;
        assertEquals(expected, scores[i]);
        assertEquals(expected, pairs[i][0]);
      }
    }
  }

  @Test
  void withoutStatusesABadTextNamesItself() throws Exception {
    try (Model model = Model.load(GoldenModel.all().get(0).folder)) {
      IllegalArgumentException bad = assertThrows(
          IllegalArgumentException.class, () -> model.embed(List.of("good", "half \ud800 a pair")));
      assertTrue(bad.getMessage().startsWith("texts[1]: "), bad.getMessage());
      NullPointerException none =
          assertThrows(NullPointerException.class, () -> model.embed(Arrays.asList("good", null)));
      assertEquals("texts[1] is null", none.getMessage());
      IllegalArgumentException tooLong = assertThrows(
          IllegalArgumentException.class,
          () -> model.embed(List.of("good", LONG), RunOptions.defaults().withoutCutting()));
      assertTrue(tooLong.getMessage().contains("texts[1]"), tooLong.getMessage());
    }
  }
}
