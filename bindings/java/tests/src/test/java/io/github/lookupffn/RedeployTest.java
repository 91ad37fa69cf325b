// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Applications that are deployed again and again in one virtual machine, whose threads outlive them. */
class RedeployTest {
  private static final int TIMES = 8;

  /** How many copies of the native library the process has mapped. Each has one mapping that is code. */
  private static long copies() throws Exception {
    // Not as UTF-8: a file's name can be any bytes.
    return Files.readAllLines(Paths.get("/proc/self/maps"), StandardCharsets.ISO_8859_1).stream()
        .filter(line -> line.contains("liblookupffn_jni.so") && line.contains("r-xp"))
        .count();
  }

  /** What an application does, with classes of its own; the loader that they had is all that is left of it. */
  private static WeakReference<ClassLoader> deploy(URL jar, Path folder, ExecutorService servers) throws Exception {
    try (URLClassLoader loader = new URLClassLoader(new URL[] {jar}, null)) {
      Class<?> type = loader.loadClass("io.github.lookupffn.Model");
      AutoCloseable model = (AutoCloseable) type.getMethod("load", Path.class).invoke(null, folder);
      // Alone, it runs in all threads, which then wait for more.
      type.getMethod("embed", String.class).invoke(model, "a b c d e f g");
      List<CompletableFuture<Object>> calls = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        calls.add(CompletableFuture.supplyAsync(
            () -> {
              try {
                type.getMethod("embed", List.class).invoke(model, List.of("a b", "c d e"));
                Class<?> options = loader.loadClass("io.github.lookupffn.RunOptions");
                return type.getMethod("embedInto", String.class, float[].class, int.class, options)
                    .invoke(model, "a b", new float[4096], 0, options.getMethod("defaults").invoke(null));
              } catch (ReflectiveOperationException failure) {
                throw new IllegalStateException(failure);
              }
            },
            servers));
      }
      for (CompletableFuture<Object> call : calls) {
        assertTrue((Integer) call.get(60, TimeUnit.SECONDS) > 0);
      }
      model.close();
      return new WeakReference<>(loader);
    }
  }

  private static long left(List<WeakReference<ClassLoader>> loaders) {
    return loaders.stream().filter(loader -> loader.get() != null).count();
  }

  @Test
  void nativeMapsGoWithTheirClassLoader() throws Exception {
    Path folder = Paths.get(System.getProperty("lookupffn.models")).resolve("model-lookup");
    URL jar = Model.class.getProtectionDomain().getCodeSource().getLocation();
    try (Model own = Model.load(folder)) {
      // Its threads are a server's, which go on.
      ExecutorService servers = Executors.newFixedThreadPool(4);
      try {
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        for (int i = 0; i < TIMES; i++) {
          loaders.add(deploy(jar, folder, servers));
        }
        for (int i = 0; i < 300 && (copies() > 1 || left(loaders) > 0); i++) {
          System.gc();
          Thread.sleep(100);
        }
        assertEquals(0, left(loaders), "class loaders are left");
        assertEquals(1, copies(), "copies of the native library stay mapped beside the tests' own");
      } finally {
        servers.shutdownNow();
      }
      // What is still loaded works.
      assertEquals(own.info().hiddenSize() * 2, own.run(Input.ids(new int[] {2, 3}), Output.HIDDEN)[0].length);
    }
  }
}
