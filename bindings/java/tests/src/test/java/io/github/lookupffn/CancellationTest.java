// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** A forward that another thread ends. */
class CancellationTest {
  // Seconds of work, so that a cancelled call is told from one that ran to its end.
  private static final int TOKENS = 100_000;
  private static final int SIZE = 128;

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
  void buffers() {
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
  void arraysKeepTheirOldElements() {
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
  void anUnusedOneChangesNothing() throws Exception {
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
