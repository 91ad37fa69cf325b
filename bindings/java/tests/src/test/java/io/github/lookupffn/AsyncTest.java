// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls that run elsewhere, or cannot, and calls that another thread ends. */
class AsyncTest {
  private static final Executor REJECTING = task -> {
    throw new RejectedExecutionException("full");
  };
  // Seconds of work, so that a cancelled call is told from one that ran to its end.
  private static final int TOKENS = 100_000;
  private static final int SIZE = 128;

  /** Run in a virtual machine whose common pool has no threads. */
  static final class Probe {
    private Probe() {}

    public static void main(String[] arguments) throws Exception {
      try (Layer layer = Layer.random(LayerConfig.of(8, 2, 4).withDenseProjection())) {
        CompletableFuture<Void> future =
            layer.forwardAsync(new float[8], 1, new float[8], ForwardOptions.defaults());
        future.get(60, TimeUnit.SECONDS);
        System.out.println("done");
      }
    }
  }

  @Test
  void aCommonPoolWithoutThreads(@TempDir Path scratch) throws Exception {
    Path output = scratch.resolve("probe.txt");
    Process process = new ProcessBuilder(
            Paths.get(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.util.concurrent.ForkJoinPool.common.parallelism=0",
            "-cp",
            System.getProperty("java.class.path"),
            Probe.class.getName())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals("done", Files.readString(output).trim());
  }

  @Test
  void anExecutorThatRejectsLeavesNothingBehind() {
    Cancellation cancellation = new Cancellation();
    try (Layer layer = Layer.random(LayerConfig.of(8, 2, 4).withDenseProjection())) {
      ForwardOptions options = ForwardOptions.defaults().withCancellation(cancellation).withExecutor(REJECTING);
      assertThrows(
          RejectedExecutionException.class, () -> layer.forwardAsync(new float[8], 1, new float[8], options));
    }
    assertEquals(0, cancellation.numFollowers());
  }

  @Test
  void forwardElsewhere() throws Exception {
    Golden golden = Golden.named("bh4-small");
    float[] y = new float[golden.y.length];
    FloatBuffer x = Golden.direct(golden.x.length).put(golden.x).rewind();
    FloatBuffer z = Golden.direct(golden.y.length);
    try (Layer layer = Layer.load(golden.model)) {
      layer.forwardAsync(golden.x, golden.tokens, y, ForwardOptions.defaults()).get();
      Golden.assertSameBits(golden.y, y);
      layer.forwardAsync(x, golden.tokens, z, ForwardOptions.defaults()).get();
      z.get(y);
      Golden.assertSameBits(golden.y, y);
      Cancellation cancelled = new Cancellation();
      cancelled.cancel();
      assertThrows(
          CancellationException.class,
          () -> layer
              .forwardAsync(golden.x, golden.tokens, y, ForwardOptions.defaults().withCancellation(cancelled))
              .get());
      // Who waits for a future may be told before those who are called back.
      for (int i = 0; i < 6000 && cancelled.numFollowers() > 0; i++) {
        Thread.sleep(10);
      }
      assertEquals(0, cancelled.numFollowers());
    }
  }

  /** Minutes of reading: a call that ignored the cancellation would be told by its time, or by its result. */
  @Test
  void readingOfTextsIsCancelled() throws Exception {
    GoldenModel golden = GoldenModel.all().get(0);
    String endless = "word and <mask> ".repeat(200_000);
    Cancellation cancelled = new Cancellation();
    cancelled.cancel();
    RunOptions options = RunOptions.defaults().withCancellation(cancelled);
    try (Model model = Model.load(golden.folder)) {
      assertThrows(CancellationException.class, () -> model.tokenize(endless, true, cancelled));
      assertThrows(CancellationException.class, () -> model.encode(List.of(endless), options));
      assertThrows(CancellationException.class, () -> model.classify(List.of(endless), options));
      assertThrows(CancellationException.class, () -> model.embed(List.of(endless), options));
      assertThrows(CancellationException.class, () -> model.fillMask(endless, 1, options));
      assertArrayEquals(model.tokenize("word"), model.tokenize("word", true, new Cancellation()).ids());
    }
  }

  @Test
  void logitsElsewhere() throws Exception {
    GoldenModel golden = GoldenModel.all().get(0);
    int[][] sequences = {golden.textIds.get(0)};
    try (Model model = Model.load(golden.folder)) {
      float[][] later = LookupFfn.async(
          RunOptions.defaults(), changed -> model.logits(sequences, new long[] {1, 0}, changed)).get();
      Golden.assertSameBits(model.logits(sequences[0], 1, 0)[0], later[0]);
      Golden.assertSameBits(model.logits(sequences[0], 1, 0)[1], later[1]);
    }
  }

  @Test
  void singleTextsAndWaiting() throws Exception {
    RunOptions options = RunOptions.defaults();
    try (Model model = Model.load(GoldenModel.all().get(0).folder)) {
      Golden.assertSameBits(model.embed("one text"), LookupFfn.await(model.embedAsync("one text", options)));
      CompletableFuture<float[]> scores = LookupFfn.async(options, changed -> model.classify("one text", changed));
      Golden.assertSameBits(model.classify("one text"), LookupFfn.await(scores));
      assertThrows(
          IllegalArgumentException.class, () -> LookupFfn.await(model.embedAsync("half \ud800 a pair", options)));
      CompletableFuture<float[]> endless = model.embedAsync("word and <mask> ".repeat(3_000_000), options);
      Thread.currentThread().interrupt();
      assertThrows(CancellationException.class, () -> LookupFfn.await(endless));
      assertTrue(Thread.interrupted() && endless.isCancelled());
    }
  }

  @Test
  void aFutureThatCloseOvertakesSaysWhatALateCallDoes() throws Exception {
    List<Runnable> waiting = new ArrayList<>();
    RunOptions options = RunOptions.defaults().withExecutor(waiting::add);
    CompletableFuture<float[]> overtaken;
    try (Model model = Model.load(GoldenModel.all().get(0).folder)) {
      overtaken = model.embedAsync("one text", options);
    }
    waiting.forEach(Runnable::run);
    IllegalStateException failure = assertThrows(IllegalStateException.class, () -> LookupFfn.waitFor(overtaken));
    String closed = "the model is closed: what had begun before that ends as usual, and nothing else is begun";
    assertEquals(closed, failure.getMessage());
  }

  private static Layer slowLayer() {
    return Layer.random(LayerConfig.of(SIZE, 2048, 16), LoadOptions.defaults().withNumThreads(1));
  }

  private static void cancelSoon(Cancellation cancellation) {
    Thread thread = new Thread(() -> {
      try {
        Thread.sleep(50);
      } catch (InterruptedException impossible) {
        throw new AssertionError(impossible);
      }
      cancellation.cancel();
    });
    thread.setDaemon(true);
    thread.start();
  }

  @Test
  void aCancelledForwardEndsEarly() {
    FloatBuffer x = Golden.direct(TOKENS * SIZE);
    for (int i = 0; i < x.capacity(); i++) {
      x.put(i, 1); // zeros would give zeros, computed or not
    }
    FloatBuffer y = Golden.direct(TOKENS * SIZE);
    Cancellation cancellation = new Cancellation();
    try (Layer layer = slowLayer()) {
      cancelSoon(cancellation);
      CancellationException failure = assertThrows(
          CancellationException.class,
          () -> layer.forward(x, TOKENS, y, ForwardOptions.defaults().withCancellation(cancellation)));
      assertTrue(!failure.getMessage().isEmpty());
      assertTrue(cancellation.isCancelled());
    }
    y.position((TOKENS - 1) * SIZE);
    while (y.hasRemaining()) {
      assertEquals(0, y.get(), "the last token was written, so nothing was cancelled");
    }
  }

  @Test
  void aCancelledForwardKeepsTheOldElementsOfArrays() {
    float[] x = new float[TOKENS * SIZE];
    float[] y = new float[TOKENS * SIZE];
    Arrays.fill(y, 3);
    Cancellation cancellation = new Cancellation();
    try (Layer layer = slowLayer()) {
      cancelSoon(cancellation);
      ForwardOptions options = ForwardOptions.defaults().withCancellation(cancellation);
      assertThrows(CancellationException.class, () -> layer.forward(x, 0, TOKENS, y, 0, options));
    }
    for (float element : y) {
      assertEquals(3, element);
    }
  }

  @Test
  void anUnusedCancellationChangesNothing() throws Exception {
    Golden golden = Golden.named("bh4-small");
    Cancellation cancellation = new Cancellation();
    ForwardOptions options = ForwardOptions.defaults().withCancellation(cancellation);
    float[] y = new float[golden.y.length];
    try (Layer layer = Layer.load(golden.model)) {
      layer.forward(golden.x, 0, golden.tokens, y, 0, options);
      Golden.assertSameBits(golden.y, y);
      cancellation.cancel();
      assertThrows(CancellationException.class, () -> layer.forward(golden.x, 0, golden.tokens, y, 0, options));
      layer.forward(golden.x, 0, golden.tokens, y, 0, options.withCancellation(null));
    }
  }
}
