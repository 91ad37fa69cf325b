// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Closing twice, closing too early, closing while others call, never closing. */
class ClosingTest {
  private static final LayerConfig CONFIG = LayerConfig.of(32, 4, 8).withBlockHadamardProjection(2, 16);
  private static final int TOKENS = 3;

  private static Layer layer() {
    return Layer.random(CONFIG, LoadOptions.defaults().withNumThreads(1));
  }

  private static void awaitLiveHandles(long expected) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (Raw.liveHandles() != expected && System.nanoTime() < deadline) {
      System.gc();
      Thread.sleep(20);
    }
    assertEquals(expected, Raw.liveHandles());
  }

  @Test
  void closedLayersRefuse() throws Exception {
    awaitLiveHandles(0);
    Layer layer = layer();
    assertEquals(1, Raw.liveHandles());
    float[] x = new float[32];
    layer.close();
    assertEquals(0, Raw.liveHandles());
    layer.close();
    assertEquals(0, Raw.liveHandles());
    assertTrue(layer.isClosed());
    assertEquals("Layer[closed]", layer.toString());
    FloatBuffer buffer = Golden.direct(32);
    assertThrows(IllegalStateException.class, () -> layer.forward(x, 1, x));
    assertThrows(IllegalStateException.class, () -> layer.forward(buffer, 1, buffer));
    assertThrows(IllegalStateException.class, () -> layer.hash(x, 1, null, null));
    assertThrows(IllegalStateException.class, () -> layer.save(java.nio.file.Paths.get("never")));
    assertThrows(IllegalStateException.class, layer::info);
    assertThrows(IllegalStateException.class, layer::inputSize);
    assertThrows(IllegalStateException.class, layer::outputSize);
  }

  @Test
  void forgottenLayersAreFreed() throws Exception {
    awaitLiveHandles(0);
    float[] y = new float[32];
    for (int i = 0; i < 1000; i++) {
      layer().forward(new float[32], 1, y);
    }
    assertTrue(Raw.liveHandles() > 0, "nothing was there to be forgotten");
    awaitLiveHandles(0);
  }

  /** Four callers and two closers on one layer after another, for lookupffn.race.seconds. */
  @Test
  void racedClosing() throws Exception {
    awaitLiveHandles(0);
    float[] x = new float[TOKENS * 32];
    for (int i = 0; i < x.length; i++) {
      x[i] = i % 7 - 3;
    }
    float[] expected = new float[x.length];
    try (Layer layer = layer()) {
      layer.forward(x, TOKENS, expected);
    }
    int callers = 4;
    AtomicLong calls = new AtomicLong();
    AtomicLong layers = new AtomicLong();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.getLong("lookupffn.race.seconds", 5));
    ExecutorService pool = Executors.newFixedThreadPool(callers + 1);
    try {
      while (System.nanoTime() < deadline || layers.get() <= 10 || calls.get() <= 100) {
        Layer layer = layer();
        layers.incrementAndGet();
        CyclicBarrier start = new CyclicBarrier(callers + 2);
        List<Future<?>> ends = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
          boolean direct = i % 2 == 0;
          ends.add(pool.submit(() -> {
            start.await();
            calls.addAndGet(callUntilClosed(layer, x, expected, direct));
            return null;
          }));
        }
        int spin = ThreadLocalRandom.current().nextInt(20_000);
        ends.add(pool.submit(() -> {
          start.await();
          pause(spin);
          layer.close();
          return null;
        }));
        start.await();
        pause(spin);
        layer.close();
        for (Future<?> end : ends) {
          end.get();
        }
        assertEquals(0, Raw.liveHandles());
      }
    } finally {
      pool.shutdownNow();
    }
    System.out.println("raced " + calls + " calls on " + layers + " layers");
  }

  private static void pause(int spin) {
    for (int i = 0; i < spin; i++) {
      Thread.onSpinWait();
    }
  }

  private static long callUntilClosed(Layer layer, float[] x, float[] expected, boolean direct) {
    float[] y = new float[expected.length];
    FloatBuffer in = Golden.direct(x.length).put(x).rewind();
    FloatBuffer out = Golden.direct(y.length);
    for (long calls = 0; ; calls++) {
      try {
        if (direct) {
          layer.forward(in, TOKENS, out);
          out.duplicate().get(y);
        } else {
          layer.forward(x, TOKENS, y);
        }
      } catch (IllegalStateException closed) {
        return calls;
      }
      Golden.assertSameBits(expected, y);
    }
  }
}
