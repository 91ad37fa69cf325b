// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who listens to a call is told how far it has come, and may end it. */
class RunProgressTest {
  private static final RunOptions DEFAULTS = RunOptions.defaults();
  private static final List<String> TEXTS = Collections.nCopies(300, "word and ".repeat(30));

  private Path folder;

  @BeforeEach
  void findModel() throws Exception {
    folder = GoldenModel.all().get(0).folder;
  }

  /** Told more than once, in this thread, rising to all of them. */
  private static void assertTold(Consumer<RunOptions> call, long all) {
    List<Long> told = new ArrayList<>();
    Thread caller = Thread.currentThread();
    call.accept(DEFAULTS.withProgress((done, of) -> {
      assertSame(caller, Thread.currentThread());
      assertEquals(all, of);
      told.add(done);
    }));
    assertTrue(told.size() > 1, told.toString());
    for (int i = 1; i < told.size(); i++) {
      assertTrue(told.get(i - 1) <= told.get(i), told.toString());
    }
    assertEquals(all, told.get(told.size() - 1));
  }

  @Test
  void callsTellHowFarTheyAre() {
    try (Model model = Model.load(folder)) {
      int longest = model.info().maxTokens();
      int[][] sequences = TEXTS.stream()
          .map(text -> Arrays.stream(model.tokenize(text)).limit(longest).toArray()).toArray(int[][]::new);
      float[] room = new float[TEXTS.size() * model.info().embeddingSize()];
      assertTold(options -> model.embed(TEXTS, options), TEXTS.size());
      assertTold(options -> model.encode(TEXTS, options), TEXTS.size());
      assertTold(options -> model.classify(TEXTS, options), TEXTS.size());
      assertTold(options -> model.run(Input.ids(sequences), Output.EMBEDDINGS, options), TEXTS.size());
      assertTold(options -> model.embedInto(TEXTS, room, 0, options), TEXTS.size());
      assertTold(options -> model.embedInt8(TEXTS, options), TEXTS.size());
      assertTold(options -> model.embed(TEXTS, options.withStatuses(new TextStatuses())), TEXTS.size());
      assertTold(options -> model.embedAsync(TEXTS, options.withExecutor(Runnable::run)).join(), TEXTS.size());
    }
    try (Model model = Model.load(Path.of(System.getProperty("lookupffn.made.models"), "tokens"))) {
      assertTold(options -> model.entities(TEXTS, Aggregation.SIMPLE, options), TEXTS.size());
    }
  }

  @Test
  void whatAListenerThrowsComesOut() throws Exception {
    try (Model model = Model.load(folder)) {
      IllegalStateException mine = new IllegalStateException("mine");
      for (long when : new long[] {0, TEXTS.size()}) {
        RunOptions throwing = DEFAULTS.withProgress((done, all) -> {
          if (done >= when) {
            throw mine;
          }
        });
        assertSame(mine, assertThrows(IllegalStateException.class, () -> model.embed(TEXTS, throwing)));
        assertSame(mine, assertThrows(IllegalStateException.class, () -> model.embedBits(TEXTS, throwing)));
        assertSame(mine, assertThrows(ExecutionException.class, () -> model.embedAsync(TEXTS, throwing).get()).getCause());
      }
      Cancellation cancellation = new Cancellation();
      RunOptions cancelling =
          DEFAULTS.withCancellation(cancellation).withProgress((done, all) -> cancellation.cancel());
      assertThrows(CancellationException.class, () -> model.embed(TEXTS, cancelling));
      assertEquals(0, cancellation.numFollowers());
      assertEquals(2, model.embed(TEXTS.subList(0, 2)).length);
    }
  }

  /** Objects may move, and the model may be closed, while native code holds the listener. */
  @Test
  void listenersMayCollectAndClose() {
    Model model = Model.load(folder);
    float[][] expected = model.embed(TEXTS);
    float[][] found = model.embed(TEXTS, DEFAULTS.withProgress((done, all) -> {
      System.gc();
      model.close();
    }));
    for (int i = 0; i < expected.length; i++) {
      Golden.assertSameBits(expected[i], found[i]);
    }
    assertThrows(IllegalStateException.class, () -> model.embed("a text"));
  }

  @Test
  void batchersTellNobody() throws Exception {
    List<Long> told = new ArrayList<>();
    try (Model model = Model.load(folder); EmbeddingBatcher batcher = new EmbeddingBatcher(model)) {
      RunOptions options = DEFAULTS.withProgress((done, all) -> told.add(done));
      batcher.embed("a text", options).get();
      assertFalse(told.size() > 0, told.toString());
      model.embed("a text", options);
      assertFalse(told.isEmpty());
    }
  }
}
