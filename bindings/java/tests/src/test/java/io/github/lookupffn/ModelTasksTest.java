// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Entities, answers and labels: places are those of the string, what comes is in order, and options count. */
class ModelTasksTest {
  private static final String TEXT = "\uD83D\uDE00 Hello, world! The quick brown fox.";

  private static Model load(String name) {
    return Model.load(Path.of(System.getProperty("lookupffn.made.models"), name));
  }

  @Test
  void entities() {
    try (Model model = load("tokens")) {
      assertEquals(5, model.info().numTokenClasses());
      assertEquals(List.of("O", "B-MISC", "I-MISC", "B-PER", "I-PER"), model.labels());
      for (Aggregation how : Aggregation.values()) {
        List<Entity> found = model.entities(List.of(TEXT), how, RunOptions.defaults()).get(0);
        int at = 0;
        for (Entity entity : found) {
          assertTrue(entity.begin() >= at && entity.end() >= entity.begin(), entity.toString());
          assertEquals(TEXT.substring(entity.begin(), entity.end()), entity.text());
          assertTrue(entity.score() > 0 && entity.score() <= 1, entity.toString());
          assertEquals(how == Aggregation.NONE, entity.label().contains("-"));
          at = entity.begin();
        }
        assertFalse(found.isEmpty(), how.toString());
      }
      assertEquals(model.entities(TEXT).toString(),
          model.entities(List.of(TEXT), Aggregation.SIMPLE, RunOptions.defaults()).get(0).toString());
      assertEquals(List.of(), model.entities(""));
      String tooLong = "a ".repeat(500);
      model.entities(tooLong);
      RunOptions never = RunOptions.defaults().withoutCutting();
      assertThrows(IllegalArgumentException.class, () -> model.entities(List.of(tooLong), Aggregation.FIRST, never).get(0));
      assertThrows(IllegalArgumentException.class, () -> model.answer("a", "b"));
    }
  }

  /** Each text's entities are its own, however many texts stand before it, and null ones among them. */
  @Test
  void entitiesOfManyTexts() {
    List<String> few = java.util.Arrays.asList("\u00e4 Hello, world!", null, "", TEXT);
    List<String> texts = new java.util.ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      texts.add(few.get(i % few.size()));
    }
    try (Model model = load("tokens")) {
      TextStatuses statuses = new TextStatuses();
      List<List<Entity>> all =
          model.entities(texts, Aggregation.NONE, RunOptions.defaults().withStatuses(statuses));
      List<List<Entity>> expected = new java.util.ArrayList<>();
      for (String text : few) {
        expected.add(text == null
            ? List.of() : model.entities(List.of(text), Aggregation.NONE, RunOptions.defaults()).get(0));
      }
      assertFalse(expected.get(0).isEmpty() || expected.get(3).isEmpty());
      for (int i = 0; i < texts.size(); i++) {
        assertEquals(expected.get(i % few.size()), all.get(i));
      }
    }
  }

  @Test
  void answers() {
    try (Model model = load("answers")) {
      assertTrue(model.info().answersQuestions());
      assertEquals(List.of(), model.labels());
      AnswerOptions options = AnswerOptions.defaults().withTopK(3).withMaxTokens(16).withStride(2);
      List<Answer> found = model.answer("fox", TEXT, options);
      assertEquals(3, found.size());
      for (int i = 0; i < 3; i++) {
        Answer answer = found.get(i);
        assertEquals(TEXT.substring(answer.begin(), answer.end()), answer.text());
        assertTrue(i == 0 || found.get(i - 1).score() >= answer.score());
      }
      assertEquals(1, model.answer("fox", TEXT).size());
      assertEquals(0, model.answer("fox", "", AnswerOptions.defaults().withMayBeNone(true)).get(0).end());
      assertThrows(IllegalArgumentException.class, () -> model.answer("fox", TEXT, options.withStride(99)));
      assertThrows(IllegalArgumentException.class, () -> options.withTopK(0));
      Cancellation cancellation = new Cancellation();
      cancellation.cancel();
      assertThrows(CancellationException.class,
          () -> model.answer("fox", TEXT, options.withCancellation(cancellation)));
    }
  }

  @Test
  void labels() {
    try (Model model = load("entailment")) {
      List<String> labels = List.of("a fox", "\u00e4", "");
      List<ScoredLabel> one = model.zeroShot(TEXT, labels);
      assertEquals(labels.stream().sorted().collect(Collectors.toList()),
          one.stream().map(ScoredLabel::label).sorted().collect(Collectors.toList()));
      assertEquals(1, one.stream().mapToDouble(ScoredLabel::score).sum(), 1e-5);
      assertTrue(one.get(0).score() >= one.get(2).score());
      List<ScoredLabel> several =
          model.zeroShot(TEXT, labels, ZeroShotOptions.defaults().withSeveral(true).withHypothesis("Is it {}?"));
      assertTrue(Math.abs(several.stream().mapToDouble(ScoredLabel::score).sum() - 1) > 1e-4);
      assertEquals(List.of(), model.zeroShot(TEXT, List.of()));
      assertThrows(IllegalArgumentException.class,
          () -> model.zeroShot(TEXT, labels, ZeroShotOptions.defaults().withHypothesis("none")));
    }
  }

  @Test
  void batchesAndLater() throws Exception {
    List<String> texts = List.of(TEXT, "", "The quick brown fox.");
    RunOptions options = RunOptions.defaults();
    try (Model model = load("tokens")) {
      List<List<Entity>> all = model.entities(texts, Aggregation.SIMPLE, RunOptions.defaults());
      for (int i = 0; i < texts.size(); i++) {
        assertEquals(model.entities(texts.get(i)), all.get(i));
      }
      assertEquals(all, LookupFfn.async(options, changed -> model.entities(texts, Aggregation.SIMPLE, changed)).get());
      assertEquals(List.of(), model.entities(List.of(), Aggregation.SIMPLE, RunOptions.defaults()));
    }
    try (Model model = load("answers")) {
      AnswerOptions top2 = AnswerOptions.defaults().withTopK(2);
      assertEquals(
          model.answer("fox", TEXT, top2), LookupFfn.async(top2, changed -> model.answer("fox", TEXT, changed)).get());
    }
    try (Model model = load("entailment")) {
      List<String> labels = List.of("a fox", "a dog");
      ZeroShotOptions how = ZeroShotOptions.defaults();
      assertEquals(
          model.zeroShot(TEXT, labels), LookupFfn.async(how, changed -> model.zeroShot(TEXT, labels, changed)).get());
      IllegalArgumentException bad =
          assertThrows(IllegalArgumentException.class, () -> model.zeroShot(TEXT, List.of("good", "\ud800")));
      assertTrue(bad.getMessage().startsWith("labels[1]"), bad.getMessage());
    }
  }
}
