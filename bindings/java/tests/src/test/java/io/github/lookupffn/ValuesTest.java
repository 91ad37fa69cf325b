// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Values that were made alike are equal, others are not, and their texts say what they are. */
class ValuesTest {
  private static final TextStatuses STATUSES = new TextStatuses();
  private static final java.util.function.DoubleConsumer PROGRESS = done -> {};
  private static final RunProgress TOLD = (done, all) -> {};
  private static final Executor SHARED = Runnable::run;

  private static <T> void options(T defaults, List<Function<T, T>> changes) {
    List<T> all = new ArrayList<>(List.of(defaults));
    for (Function<T, T> change : changes) {
      T once = change.apply(defaults);
      assertEquals(once, change.apply(defaults));
      assertEquals(once.hashCode(), change.apply(defaults).hashCode());
      all.add(once);
    }
    assertEquals(all.size(), new HashSet<>(all).size(), all.toString());
    for (T one : all) {
      assertTrue(one.toString().startsWith(one.getClass().getSimpleName() + "["), one.toString());
      assertFalse(one.equals(null) || one.equals("another"));
    }
  }

  @Test
  void optionsAreValues() {
    Cancellation cancellation = new Cancellation();
    TextCounts counts = new TextCounts();
    options(
        RunOptions.defaults(),
        List.of(o -> o.withPooling(Pooling.MAX), o -> o.withNormalization(true), o -> o.withDimensions(8),
            RunOptions::withQueryPrompt, RunOptions::withDocumentPrompt, o -> o.withNormalization(false),
            o -> o.withMaxTokens(7), RunOptions::withoutCutting, o -> o.withPlainReading(true),
            o -> o.withPrompt("a"), o -> o.withPromptText("a"), RunOptions::withoutPrompt,
            o -> o.withScores(ScoreKind.MODEL), o -> o.withNumThreads(2), o -> o.withCounts(counts),
            o -> o.withCancellation(cancellation), o -> o.withExecutor(SHARED), o -> o.withStatuses(STATUSES),
            o -> o.withRepair(true), o -> o.withWindowMeans(true), o -> o.withStride(3),
            o -> o.withProgress(TOLD)));
    options(
        LoadOptions.defaults(),
        List.of(o -> o.withNumThreads(2), o -> o.withTableType(ElementType.INT8), o -> o.withHashType(ElementType.INT8),
            o -> o.withLinearType(ElementType.INT8), o -> o.withEmbeddingType(ElementType.INT8),
            o -> o.withWordType(ElementType.INT8), o -> o.withAttentionType(ElementType.INT8), o -> o.withMemoryMapping(true), o -> o.withFlushedDenormals(true),
            o -> o.withSevenBitInputs(true), o -> o.withAdapter("a"), o -> o.withAdapter("b"),
            o -> o.withCancellation(cancellation)));
    options(
        SaveOptions.defaults(), List.of(o -> o.withCancellation(cancellation), o -> o.withProgress(PROGRESS)));
    options(
        AnswerOptions.defaults(),
        List.of(o -> o.withTopK(2), o -> o.withMaxTokens(9), o -> o.withStride(3), o -> o.withMaxAnswerTokens(4),
            o -> o.withMayBeNone(true), o -> o.withCancellation(cancellation)));
    options(
        ZeroShotOptions.defaults(),
        List.of(o -> o.withHypothesis("a {}"), o -> o.withMaxTokens(9), o -> o.withSeveral(true),
            o -> o.withCancellation(cancellation)));
    options(
        ForwardOptions.defaults(), List.of(o -> o.withAddToOutput(true), o -> o.withCancellation(cancellation)));
    options(
        TokenizeOptions.defaults(),
        List.of(o -> o.withSpecialTokens(false), o -> o.withMaxTokens(9), o -> o.withMaxTokens(0),
            o -> o.withRepair(true), o -> o.withNumThreads(2),
            o -> o.withCancellation(cancellation)));
    options(
        BatchingOptions.defaults(),
        List.of(o -> o.withMaxBatch(2), o -> o.withMaxQueue(2), o -> o.withMaxWait(Duration.ofMillis(1))));
    options(RuntimeOptions.defaults(), List.of(o -> o.withNumThreads(2), o -> o.withIsa("generic")));
    options(LayerConfig.of(64, 2, 16), List.of(c -> c.withSeed(5), c -> c.withNumProbes(2), c -> c.withLayerNorm(false)));
  }

  private static <T> void pair(T one, T same, T other) {
    assertEquals(one, same);
    assertEquals(one.hashCode(), same.hashCode());
    assertEquals(one.toString(), same.toString());
    assertNotEquals(one, other);
    assertFalse(one.toString().contains("@"), one.toString());
  }

  private static TextCounts counts(Model model, List<String> texts) {
    TextCounts counts = new TextCounts();
    model.embed(texts, RunOptions.defaults().withCounts(counts));
    return counts;
  }

  /** The output of the same text by two models, and of another text. */
  private static <T> void outputs(Model model, Model again, Output<List<T>> output) {
    Input one = Input.text("one");
    pair(model.run(one, output).get(0), again.run(one, output).get(0), model.run(Input.text("two"), output).get(0));
  }

  @Test
  void resultsAreValues() throws Exception {
    List<String> texts = List.of("one", "two words");
    List<String> others = List.of("one", "three of them");
    Path folder = GoldenModel.all().get(0).folder;
    Path made = Path.of(System.getProperty("lookupffn.made.models"));
    try (Model model = Model.load(folder); Model again = Model.load(folder);
        Model answers = Model.load(made.resolve("answers")); Model entailment = Model.load(made.resolve("entailment"));
        Model tokens = Model.load(made.resolve("tokens"))) {
      pair(model.tokenize("one", true), again.tokenize("one", true), model.tokenize("two", true));
      pair(counts(model, texts), counts(again, texts), counts(model, others));
      outputs(model, again, Output.WINDOWS);
      outputs(model, again, Output.INT8_EMBEDDINGS);
      outputs(model, again, Output.TOKEN_VECTORS);
      pair(model.info(), again.info(), answers.info());
      pair(model.layers(), again.layers(), tokens.layers());
      pair(answers.answer("one", "a text"), answers.answer("one", "a text"), answers.answer("one", "some other text"));
      pair(entailment.zeroShot("one", texts), entailment.zeroShot("one", texts), entailment.zeroShot("one", others));
      pair(tokens.entities("Hello, world!"), tokens.entities("Hello, world!"), tokens.entities("Hello, fox!"));
      try (EmbeddingBatcher batcher = new EmbeddingBatcher(model)) {
        pair(batcher.embed("one").get(), batcher.embed("one").get(), batcher.embed("two").get());
      }
    }
  }
}
