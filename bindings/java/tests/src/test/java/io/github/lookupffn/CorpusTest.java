// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Corpora are read in batches, in their order. */
class CorpusTest {
  private final AtomicInteger read = new AtomicInteger();
  private Model model;

  @BeforeEach
  void load() throws Exception {
    model = Model.load(GoldenModel.all().get(0).folder);
  }

  @AfterEach
  void close() {
    model.close();
  }

  private Stream<String> corpus(int size) {
    return IntStream.range(0, size).mapToObj(i -> "text number " + i).peek(text -> read.incrementAndGet());
  }

  @Test
  void keepsTheOrderAndReadsNoFurther() {
    List<float[]> all = model.embed(corpus(50), 8, RunOptions.defaults()).collect(Collectors.toList());
    assertEquals(50, all.size());
    for (int i = 0; i < 50; i++) {
      Golden.assertSameBits(model.embed("text number " + i), all.get(i));
    }
    read.set(0);
    AtomicBoolean closed = new AtomicBoolean();
    try (Stream<float[]> vectors =
        model.embed(corpus(1_000_000).onClose(() -> closed.set(true)), 8, RunOptions.defaults())) {
      Iterator<float[]> iterator = vectors.iterator();
      for (int i = 0; i < 20; i++) {
        Golden.assertSameBits(all.get(i), iterator.next());
        assertTrue(read.get() <= (i / 8 + 2) * 8, read + " texts were read for " + i);
      }
    }
    assertTrue(closed.get());
    assertEquals(50, model.embed(corpus(50), 7, RunOptions.defaults()).parallel().count());
    assertEquals(0, model.embed(Stream.empty(), 7, RunOptions.defaults()).count());
  }

  @Test
  void failuresComeOut() {
    Stream<float[]> bad = model.embed(Stream.of("good", "\ud800"), 8, RunOptions.defaults());
    IllegalArgumentException failure = assertThrows(IllegalArgumentException.class, bad::count);
    assertTrue(failure.getMessage().startsWith("texts[1]"), failure.getMessage());
    assertThrows(IllegalArgumentException.class, () -> model.embed(corpus(3), 0, RunOptions.defaults()));
  }

  @Test
  void anInterruptEndsTheWaiting() throws Exception {
    AtomicBoolean stayed = new AtomicBoolean();
    AtomicBoolean ended = new AtomicBoolean();
    Thread reader = new Thread(() -> {
      try {
        model.embed(Stream.generate(() -> "word and <mask> ".repeat(1000)), 100, RunOptions.defaults()).count();
      } catch (CancellationException expected) {
        ended.set(true);
        stayed.set(Thread.currentThread().isInterrupted());
      }
    });
    reader.start();
    Thread.sleep(300);
    assertTrue(reader.isAlive());
    long began = System.nanoTime();
    reader.interrupt();
    reader.join(60_000);
    assertFalse(reader.isAlive());
    assertTrue(ended.get() && stayed.get());
    assertTrue(Duration.ofNanos(System.nanoTime() - began).toSeconds() < 30);
  }
}
