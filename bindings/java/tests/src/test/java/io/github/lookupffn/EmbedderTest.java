// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queries and documents, with and without a model, and how their calls end. */
class EmbedderTest {
  private static final RunOptions PLAIN = RunOptions.defaults().withoutPrompt();
  private static final BatchingOptions BATCHING = BatchingOptions.defaults();
  private static final String CLOSED = " is closed: what had begun before that ends as usual, and nothing else is begun";

  private Model model;

  @BeforeEach
  void load() {
    model = Model.load(Path.of(System.getProperty("lookupffn.made.models")).resolve("prompts"));
  }

  @AfterEach
  void close() {
    model.close();
  }

  @Test
  void oneText() {
    try (Embedder alone = Embedder.builder(model).build();
        Embedder together = Embedder.builder(model).batching(BATCHING).build()) {
      for (Embedder embedder : List.of(alone, together)) {
        assertArrayEquals(model.embed("query: a", PLAIN), embedder.embed("a", Purpose.QUERY));
        assertArrayEquals(model.embed("passage: a", PLAIN), embedder.embed("a", Purpose.DOCUMENT));
        assertEquals(3, embedder.embed(List.of("a"), Purpose.QUERY, 3).vectors().get(0).length);
        assertEquals(
            "text", assertThrows(NullPointerException.class, () -> embedder.embed((String) null, Purpose.QUERY)).getMessage());
      }
    }
  }

  @Test
  void withoutAModel() {
    Embedder fake = new FakeEmbedder(8);
    float[] vector = fake.embed("a text", Purpose.QUERY);
    assertArrayEquals(vector, fake.embed("a text", Purpose.DOCUMENT));
    assertFalse(Arrays.equals(vector, fake.embed("another", Purpose.QUERY)));
    double squares = 0;
    for (float number : vector) {
      squares += number * number;
    }
    assertEquals(1, squares, 1e-5);
    assertEquals(3, fake.embed(List.of("a text"), Purpose.QUERY, 3).vectors().get(0).length);
    assertThrows(IllegalArgumentException.class, () -> fake.embed(List.of("a"), Purpose.QUERY, 9));
    assertThrows(NullPointerException.class, () -> fake.embed(Arrays.asList("a", null), Purpose.QUERY));
    assertThrows(IllegalArgumentException.class, () -> new FakeEmbedder(0));
    // Two methods are all that an application's own has to have.
    Embedder own = new Embedder() {
      @Override
      public CompletableFuture<EmbeddedTexts> embedAsync(List<String> texts, Purpose purpose, int dimensions) {
        return CompletableFuture.completedFuture(EmbeddedTexts.of(Collections.nCopies(texts.size(), new float[] {1})));
      }

      @Override
      public int dimensions() {
        return 1;
      }
    };
    assertArrayEquals(new float[] {1}, own.embed("a", Purpose.QUERY));
    own.close();
  }

  @Test
  void tooLongMeansOneThing() {
    String between = "a ".repeat(model.info().ownMaxTokens());
    String vast = "a ".repeat(model.info().maxTokens() + 1);
    RunOptions strict = PLAIN.withPromptText("passage: ").withoutCutting();
    assertThrows(IllegalArgumentException.class, () -> model.embed(vast, strict));
    model.refuseLongTexts(List.of(between), strict);
    assertThrows(
        IllegalArgumentException.class, () -> model.refuseLongTexts(List.of(between), PLAIN.withMaxTokens(5)));
    for (BatchingOptions batching : new BatchingOptions[] {null, BATCHING}) {
      try (ModelEmbedder embedder = Embedder.builder(model).refuseLongTexts(true).batching(batching).build()) {
        assertArrayEquals(model.embed(between, strict), embedder.embed(between, Purpose.DOCUMENT));
        List<String> texts = List.of("a", vast);
        String told = assertThrows(
            IllegalArgumentException.class, () -> embedder.embed(texts, Purpose.DOCUMENT)).getMessage();
        assertTrue(told.startsWith("text 1 has "), told);
        Throwable later = assertThrows(
            ExecutionException.class, () -> embedder.embedAsync(texts, Purpose.DOCUMENT, 0).get(60, TimeUnit.SECONDS));
        assertEquals(told, later.getCause().getMessage());
        assertEquals(2, embedder.failures());
        assertEquals(1, embedder.texts()); // none of those beside the long one
      }
    }
  }

  /** Eight tasks of the common pool that end when the test does. */
  @Test
  void blockingCallsWaitForNoPool() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    List<CompletableFuture<Void>> blocked = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      blocked.add(CompletableFuture.runAsync(() -> {
        try {
          ended.await();
        } catch (InterruptedException nobodyDoes) {
          Thread.currentThread().interrupt();
        }
      }));
    }
    try {
      for (boolean refuses : new boolean[] {false, true}) {
        for (BatchingOptions batching : new BatchingOptions[] {null, BATCHING}) {
          try (Embedder embedder = Embedder.builder(model).refuseLongTexts(refuses).batching(batching).build()) {
            AtomicReference<float[]> answer = new AtomicReference<>();
            Thread caller = new Thread(() -> answer.set(embedder.embed("a", Purpose.QUERY)));
            caller.start();
            caller.join(60_000);
            assertArrayEquals(model.embed("query: a", PLAIN), answer.get());
          }
        }
      }
    } finally {
      ended.countDown();
      CompletableFuture.allOf(blocked.toArray(new CompletableFuture<?>[0])).get();
    }
  }

  @Test
  void anInterruptEndsTheCall() throws Exception {
    for (BatchingOptions batching : new BatchingOptions[] {null, BATCHING}) {
      try (Embedder embedder = Embedder.builder(model).batching(batching).build()) {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller = new Thread(() -> {
          try {
            embedder.embed(Collections.nCopies(10_000_000, "a text"), Purpose.DOCUMENT);
          } catch (CancellationException expected) {
            thrown.set(Thread.currentThread().isInterrupted() ? expected : null);
          }
        });
        caller.start();
        Thread.sleep(300);
        assertTrue(caller.isAlive());
        caller.interrupt();
        caller.join(60_000);
        assertTrue(thrown.get() instanceof CancellationException);
      }
    }
  }

  @Test
  void failuresTellWhereTheCallWas() {
    try (Embedder embedder = Embedder.builder(model).batching(BATCHING).build()) {
      model.close();
      IllegalStateException failure =
          assertThrows(IllegalStateException.class, () -> embedder.embed("a", Purpose.QUERY));
      assertEquals("the model" + CLOSED, failure.getMessage());
      StackTraceElement[] frames = failure.getSuppressed()[0].getStackTrace();
      assertTrue(
          Arrays.stream(frames).anyMatch(frame -> frame.getClassName().equals(EmbedderTest.class.getName())),
          Arrays.toString(frames));
    }
    // Any number of those who wait leaves a bounded trace.
    CompletableFuture<Void> failed = CompletableFuture.failedFuture(new IllegalArgumentException("bad"));
    for (int i = 0; i < 100; i++) {
      assertThrows(IllegalArgumentException.class, () -> LookupFfn.await(failed));
    }
    Throwable shared = assertThrows(IllegalArgumentException.class, () -> LookupFfn.await(failed));
    assertTrue(shared.getSuppressed().length < 10);
  }

  @Test
  void callsAreCountedAndTold() throws Exception {
    List<Throwable> told = Collections.synchronizedList(new ArrayList<>());
    List<Duration> times = Collections.synchronizedList(new ArrayList<>());
    for (BatchingOptions batching : new BatchingOptions[] {null, BATCHING}) {
      try (ModelEmbedder embedder = Embedder.builder(model).batching(batching).listener((waited, ran, failure) -> {
        told.add(failure);
        times.add(waited.plus(ran));
        throw new IllegalStateException("ignored");
      }).build()) {
        told.clear();
        embedder.embed("a", Purpose.QUERY);
        embedder.embedAsync(List.of("a", "b"), Purpose.QUERY, 0).get(60, TimeUnit.SECONDS);
        assertEquals(2, told.size());
        assertNull(told.get(0));
        assertTrue(times.stream().noneMatch(Duration::isNegative));
        assertThrows(NullPointerException.class, () -> embedder.embed(Arrays.asList("a", null), Purpose.QUERY));
        assertThrows(IllegalArgumentException.class, () -> embedder.embed("\ud800", Purpose.QUERY));
        assertThrows(NullPointerException.class, () -> embedder.embed(List.of("a"), null));
        assertEquals(5, embedder.calls());
        assertEquals(3, embedder.failures());
        assertEquals(3, embedder.texts());
        assertEquals(5, told.size());
      }
    }
    assertEquals("mine", Embedder.builder(model).name("mine").build().name());
  }

  @Test
  void nothingThatWasLetInIsLost() throws Exception {
    List<Runnable> held = new ArrayList<>();
    Executor later = held::add;
    Embedder embedder = Embedder.builder(model).executor(later).build();
    CompletableFuture<EmbeddedTexts> asked = embedder.embedAsync(List.of("a"), Purpose.QUERY, 0);
    CompletableFuture<EmbeddedTexts> cancelled = embedder.embedAsync(List.of("a"), Purpose.QUERY, 0);
    Thread closing = new Thread(() -> {
      embedder.close();
      model.close();
    });
    closing.start();
    while (closing.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    assertEquals(
        "the embedder" + CLOSED,
        assertThrows(IllegalStateException.class, () -> embedder.embed("a", Purpose.QUERY)).getMessage());
    cancelled.cancel(false);
    assertTrue(closing.isAlive());
    held.get(0).run();
    assertEquals(1, asked.get(60, TimeUnit.SECONDS).vectors().size());
    closing.join(60_000);
    assertFalse(closing.isAlive());
    assertTrue(model.isClosed());
  }

  @Test
  void anAnswersStagesMayClose() throws Exception {
    Executor own = work -> new Thread(work).start();
    for (BatchingOptions batching : new BatchingOptions[] {null, BATCHING}) {
      Embedder embedder = Embedder.builder(model).batching(batching).executor(own).build();
      embedder.embedAsync(List.of("a"), Purpose.QUERY, 0).thenRun(embedder::close).get(60, TimeUnit.SECONDS);
      assertThrows(IllegalStateException.class, () -> embedder.embed("a", Purpose.QUERY));
    }
  }
}
