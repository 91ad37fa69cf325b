// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Arguments that do not fit, models that are closed, calls that are cancelled. */
class ModelMisuseTest {
  private static final RunOptions DEFAULTS = RunOptions.defaults();
  private static final int[][] SHORT = {{0, 9, 5, 2}};
  private static final LoadOptions ONE_THREAD = LoadOptions.defaults().withNumThreads(1);

  private GoldenModel golden;
  private Model model;

  @BeforeEach
  void open() throws IOException {
    golden = new GoldenModel("model-mixed");
    model = Model.load(golden.folder, ONE_THREAD);
  }

  @AfterEach
  void close() {
    model.close();
  }

  private static void rejects(String text, Executable call) {
    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(text), message);
  }

  private CompletableFuture<float[][]> later(int[][] sequences, Output<float[][]> output, RunOptions options) {
    return LookupFfn.async(options, changed -> model.run(Input.ids(sequences), output, changed));
  }

  @Test
  void idsThatCannotBe() {
    int vocab = model.info().vocabSize();
    int[] tooLong = new int[model.info().maxTokens() + 1];
    rejects("-1", () -> model.run(Input.ids(new int[] {0, -1, 2}), Output.HIDDEN));
    rejects(String.valueOf(vocab), () -> model.run(Input.ids(new int[] {0, vocab}), Output.CLASS_SCORES));
    rejects(String.valueOf(tooLong.length), () -> model.run(Input.ids(tooLong), Output.EMBEDDINGS));
    rejects("empty", () -> model.run(Input.ids(new int[0]), Output.EMBEDDINGS));
    rejects("3", () -> model.logits(new int[] {0, 1, 2}, 3));
    rejects("-1", () -> model.logits(new int[] {0, 1, 2}, -1));
    rejects("hash_dtype", () -> Model.load(golden.folder, ONE_THREAD.withHashType(ElementType.BF16)));
    assertEquals(0, model.run(Input.ids(new int[0]), Output.HIDDEN)[0].length);
  }

  @Test
  void nulls() {
    assertThrows(NullPointerException.class, () -> Model.load((Path) null));
    assertThrows(NullPointerException.class, () -> Model.load(golden.folder, null));
    assertThrows(NullPointerException.class, () -> Model.load((byte[]) null, ONE_THREAD));
    assertThrows(NullPointerException.class, () -> model.run(Input.ids((int[]) null), Output.HIDDEN));
    assertThrows(NullPointerException.class, () -> model.run(Input.ids(new int[][] {null}), Output.EMBEDDINGS, DEFAULTS));
    assertThrows(NullPointerException.class, () -> model.run(Input.ids(new int[][] {{0}}), Output.EMBEDDINGS, null));
    assertThrows(NullPointerException.class, () -> model.save(null));
  }

  @Test
  void filesThatCannotBeUsed(@TempDir Path directory) throws Exception {
    long before = FailuresTest.settledHandles();
    Path missing = directory.resolve("fehlt-🚀");
    String message = assertThrows(ModelIoException.class, () -> Model.load(missing)).getMessage();
    assertTrue(message.contains("fehlt-🚀"), message);
    Path empty = Files.createDirectory(directory.resolve("leer"));
    assertThrows(LookupFfnException.class, () -> Model.load(empty));
    Path bad = Files.write(directory.resolve("bad.safetensors"), new byte[100]);
    assertThrows(BadModelException.class, () -> Model.load(bad));
    assertThrows(BadModelException.class, () -> Model.load(new byte[0], ONE_THREAD));
    Path layer = Golden.named("dense").model;
    assertThrows(BadModelException.class, () -> Model.load(layer));
    assertThrows(ModelIoException.class, () -> model.save(directory.resolve("no-such-directory").resolve("m")));
    assertEquals(before, Raw.liveHandles());
  }

  @Test
  void aModelThatASparkTaskCapturesSaysWhatToDo() throws Exception {
    try (Model model = Model.load(GoldenModel.all().get(0).folder);
        ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream())) {
      String text = assertThrows(NotSerializableException.class, () -> out.writeObject(model)).getMessage();
      assertTrue(text.contains("ModelRef") && text.contains("io.github.lookupffn.Model"), text);
    }
  }

  @Test
  void closedModelsRefuse() throws Exception {
    long before = FailuresTest.settledHandles();
    model.close();
    assertEquals(before - 1, Raw.liveHandles());
    model.close();
    assertTrue(model.isClosed());
    assertEquals("Model[closed]", model.toString());
    int[] ids = {0, 2};
    List<Executable> calls = List.of(
        () -> model.run(Input.ids(ids), Output.HIDDEN), () -> model.run(Input.ids(ids), Output.CLASS_SCORES),
        () -> model.run(Input.ids(ids), Output.EMBEDDINGS), () -> model.logits(ids, 0),
        () -> model.save(Path.of("never")), () -> model.info());
    for (Executable call : calls) {
      assertThrows(IllegalStateException.class, call);
    }
    CompletionException inside =
        assertThrows(CompletionException.class, () -> later(SHORT, Output.EMBEDDINGS, DEFAULTS).join());
    assertTrue(inside.getCause() instanceof IllegalStateException, inside.toString());
    assertEquals(before - 1, Raw.liveHandles());
  }

  @Test
  void asynchronousCallsGiveTheSame() {
    int[][] all = golden.allSequences();
    CompletableFuture<float[][]> encoded = later(all, Output.HIDDEN, DEFAULTS);
    CompletableFuture<float[][]> classified = later(all, Output.CLASS_SCORES, DEFAULTS);
    RunOptions here = DEFAULTS.withPooling(Pooling.FIRST).withExecutor(Runnable::run);
    CompletableFuture<float[][]> embedded = later(all, Output.EMBEDDINGS, here);
    for (int i = 0; i < all.length; i++) {
      Golden.assertSameBits(model.run(Input.ids(all[i]), Output.HIDDEN)[0], encoded.join()[i]);
      Golden.assertSameBits(model.run(Input.ids(all[i]), Output.CLASS_SCORES)[0], classified.join()[i]);
      Golden.assertSameBits(model.run(Input.ids(all), Output.EMBEDDINGS, here)[i], embedded.join()[i]);
    }
    assertThrows(CompletionException.class, () -> later(new int[][] {{-1}}, Output.HIDDEN, DEFAULTS).join());
  }

  /** Minutes of work, so that a cancelled call is told from one that ran to its end. */
  private int[][] muchWork() {
    int[][] sequences = new int[200_000][];
    Arrays.fill(sequences, new int[model.info().maxTokens()]);
    return sequences;
  }

  @Test
  void cancelledFuturesEndTheirCalls() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      RunOptions options = DEFAULTS.withExecutor(pool);
      CompletableFuture<float[][]> running = later(muchWork(), Output.CLASS_SCORES, options);
      CompletableFuture<float[][]> waiting = later(muchWork(), Output.CLASS_SCORES, options);
      Thread.sleep(100);
      assertTrue(!running.isDone());
      waiting.cancel(true);
      running.cancel(true);
      assertThrows(CancellationException.class, running::join);
      // The only thread of the pool is free again.
      pool.submit(() -> { }).get(60, TimeUnit.SECONDS);
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void cancellationEndsCalls() throws Exception {
    Cancellation cancellation = new Cancellation();
    RunOptions options = DEFAULTS.withCancellation(cancellation);
    float[] alone = model.run(Input.ids(SHORT[0]), Output.EMBEDDINGS)[0];
    Golden.assertSameBits(alone, model.run(Input.ids(SHORT), Output.EMBEDDINGS, options)[0]);
    CompletableFuture<float[][]> running = later(muchWork(), Output.CLASS_SCORES, options);
    Thread canceller = new Thread(() -> {
      try {
        Thread.sleep(100);
      } catch (InterruptedException impossible) {
        throw new AssertionError(impossible);
      }
      cancellation.cancel();
    });
    canceller.start();
    assertThrows(CancellationException.class, () -> model.run(Input.ids(muchWork()), Output.CLASS_SCORES, options));
    assertThrows(CancellationException.class, running::join);
    canceller.join();
    assertThrows(CancellationException.class, () -> later(SHORT, Output.EMBEDDINGS, options).join());
  }

  /** Callers and closers on one model after another. */
  @Test
  void racedClosing() throws Exception {
    model.close();
    long before = FailuresTest.settledHandles();
    byte[] bytes;
    try (Model whole = Model.load(golden.folder)) {
      Path file = Files.createTempFile("lookupffn", ".safetensors");
      whole.save(file);
      bytes = Files.readAllBytes(file);
      Files.delete(file);
    }
    AtomicLong calls = new AtomicLong();
    int models = 0;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.getLong("lookupffn.race.seconds", 5));
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      for (; System.nanoTime() < deadline || models <= 10; models++) {
        Model raced = Model.load(bytes, ONE_THREAD);
        float[] expected = raced.run(Input.ids(SHORT[0]), Output.EMBEDDINGS)[0];
        CountDownLatch running = new CountDownLatch(3);
        List<Future<?>> ends = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          ends.add(pool.submit(() -> {
            running.countDown();
            while (true) {
              try {
                Golden.assertSameBits(expected, raced.run(Input.ids(SHORT[0]), Output.EMBEDDINGS)[0]);
              } catch (IllegalStateException closed) {
                return null;
              }
              calls.incrementAndGet();
            }
          }));
        }
        running.await();
        ends.add(pool.submit(raced::close));
        raced.close();
        for (Future<?> end : ends) {
          end.get();
        }
        assertEquals(before, Raw.liveHandles());
      }
    } finally {
      pool.shutdownNow();
    }
    System.out.println("raced " + calls + " calls on " + models + " models");
  }

  @Test
  void forgottenModelsAreFreed() throws Exception {
    long before = FailuresTest.settledHandles();
    for (int i = 0; i < 20; i++) {
      Model.load(golden.folder, ONE_THREAD).run(Input.ids(SHORT[0]), Output.EMBEDDINGS);
    }
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (Raw.liveHandles() > before && System.nanoTime() < deadline) {
      System.gc();
      Thread.sleep(20);
    }
    assertEquals(before, Raw.liveHandles());
  }
}
