// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every failure of the native library becomes its exception, with the library's text. */
class FailuresTest {
  /** How many of the library's objects are alive, without those that earlier tests left to the collector. */
  static long settledHandles() throws InterruptedException {
    long now = Raw.liveHandles();
    for (int same = 0; same < 3;) {
      long before = now;
      System.gc();
      Thread.sleep(20); // the cleaner is a thread of its own
      now = Raw.liveHandles();
      same = now == before ? same + 1 : 0;
    }
    return now;
  }

  @Test
  void everyStatusHasItsException() {
    Class<?>[] types = {
      IllegalArgumentException.class,
      NativeMemoryException.class,
      ModelIoException.class,
      BadModelException.class,
      UnsupportedModelException.class,
      CancellationException.class,
      InternalErrorException.class
    };
    byte[] text = "größer 🚀".getBytes(StandardCharsets.UTF_8);
    for (int status = 1; status <= types.length; status++) {
      RuntimeException exception = LookupFfnException.of(status, text);
      assertEquals(types[status - 1], exception.getClass());
      assertEquals("größer 🚀", exception.getMessage());
    }
    RuntimeException unknown = LookupFfnException.of(99, text);
    assertEquals(InternalErrorException.class, unknown.getClass());
    assertEquals("status 99: größer 🚀", unknown.getMessage());
  }

  @Test
  void missingFile(@TempDir Path directory) throws Exception {
    long before = settledHandles();
    Path missing = directory.resolve("fehlt-🚀.safetensors");
    ModelIoException failure = assertThrows(ModelIoException.class, () -> Layer.load(missing));
    assertTrue(failure.getMessage().contains("fehlt-🚀.safetensors"), failure.getMessage());
    assertEquals(before, Raw.liveHandles());
  }

  @Test
  void unwritableFile(@TempDir Path directory) throws Exception {
    try (Layer layer = Layer.random(LayerConfig.of(8, 2, 4).withDenseProjection())) {
      Path file = directory.resolve("no-such-directory").resolve("layer.safetensors");
      assertThrows(ModelIoException.class, () -> layer.save(file));
    }
  }

  @Test
  void badModel(@TempDir Path directory) throws Exception {
    long before = settledHandles();
    Path file = directory.resolve("bad-🚀.safetensors");
    Files.write(file, new byte[100]);
    BadModelException failure = assertThrows(BadModelException.class, () -> Layer.load(file));
    assertTrue(failure.getMessage().contains("bad-🚀.safetensors"), failure.getMessage());
    assertThrows(BadModelException.class, () -> Layer.load(new byte[0]));
    byte[] cut = Files.readAllBytes(Golden.named("dense").model);
    byte[] half = Arrays.copyOf(cut, cut.length / 2);
    assertThrows(BadModelException.class, () -> Layer.load(half));
    assertEquals(before, Raw.liveHandles());
  }

  @Test
  void badConfigAndOptions() {
    IllegalArgumentException failure =
        assertThrows(IllegalArgumentException.class, () -> Layer.random(LayerConfig.of(8, 2, 3).withDenseProjection()));
    assertTrue(failure.getMessage().contains("3"), failure.getMessage());
    LayerConfig config = LayerConfig.of(8, 2, 4).withDenseProjection();
    assertThrows(IllegalArgumentException.class, () -> Layer.random(config, LoadOptions.defaults().withNumThreads(-1)));
    assertThrows(IllegalArgumentException.class, () -> config.withBlockHadamardProjection(0, 8));
  }

  @Test
  void noMemory() throws Exception {
    long before = settledHandles();
    // 2^31 - 1 tables of 65536 rows of 65536 floats are more than any machine's address space.
    LayerConfig huge = LayerConfig.of(65536, Integer.MAX_VALUE, 65536).withDenseProjection();
    RuntimeException failure = assertThrows(RuntimeException.class, () -> Layer.random(huge));
    assertTrue(
        failure instanceof NativeMemoryException || failure instanceof IllegalArgumentException
            || failure instanceof UnsupportedModelException,
        failure.toString());
    assertEquals(before, Raw.liveHandles());
  }

  @Test
  void libraryTellsAboutItself() {
    assertTrue(LookupFfn.version().matches("\\d+\\.\\d+\\.\\d+"), LookupFfn.version());
    assertTrue(!LookupFfn.isa().isEmpty());
    assertTrue(LookupFfn.nativePath().contains("lookupffn_jni"), LookupFfn.nativePath());
  }
}
