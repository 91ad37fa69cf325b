// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files in memory, estimates, progress, cancelling, runtimes, the log. */
class LoadingTest {
  private static final String TEXT = "a text to be embedded";
  private static final LoadOptions DEFAULTS = LoadOptions.defaults();

  private Path folder;

  @BeforeEach
  void findModel() throws Exception {
    folder = GoldenModel.all().get(0).folder;
  }

  private Map<String, byte[]> files() throws Exception {
    Map<String, byte[]> files = new LinkedHashMap<>();
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.filter(Files::isRegularFile).collect(Collectors.toList())) {
        files.put(folder.relativize(path).toString(), Files.readAllBytes(path));
      }
    }
    return files;
  }

  @Test
  void filesInMemoryAreTheFolder() throws Exception {
    Map<String, byte[]> files = files();
    try (Model model = Model.load(folder); Model fromMemory = Model.load(files, DEFAULTS)) {
      Golden.assertSameBits(model.embed(TEXT), fromMemory.embed(TEXT));
      assertEquals(model.info(), fromMemory.info());
      MemoryEstimate estimate = Model.estimate(folder, DEFAULTS);
      assertEquals(estimate, Model.estimate(files, DEFAULTS));
      assertTrue(estimate.weightBytes() >= model.info().memoryBytes(), estimate.toString());
      assertTrue(estimate.loadingBytes() >= estimate.weightBytes(), estimate.toString());
    }
    try (Tokenizer tokenizer = Tokenizer.load(files, DEFAULTS); Tokenizer other = Tokenizer.load(folder)) {
      assertEquals(other.info(), tokenizer.info());
    }
    assertThrows(LookupFfnException.class, () -> Model.load(Map.of(), DEFAULTS));
    assertThrows(LookupFfnException.class, () -> Model.load(Map.of("config.json", new byte[3]), DEFAULTS));
    assertThrows(IllegalArgumentException.class, () -> Model.load(Map.of("a\0b", new byte[3]), DEFAULTS));
    files.put("no bytes", null);
    NullPointerException named = assertThrows(NullPointerException.class, () -> Model.load(files, DEFAULTS));
    assertEquals("no bytes", named.getMessage());
  }

  @Test
  void savingTellsItsProgressAndIsCancelled(@TempDir Path scratch) throws Exception {
    Path file = scratch.resolve("saved");
    List<Double> told = new ArrayList<>();
    Cancellation cancellation = new Cancellation();
    try (Model model = Model.load(folder); Layer layer = Layer.random(LayerConfig.of(64, 2, 16))) {
      model.save(file, SaveOptions.defaults().withProgress(told::add));
      assertEquals(1, told.get(told.size() - 1));
      for (int i = 1; i < told.size(); i++) {
        assertTrue(told.get(i - 1) <= told.get(i));
      }
      byte[] whole = Files.readAllBytes(file);
      SaveOptions ended = SaveOptions.defaults().withCancellation(cancellation);
      IllegalStateException mine = new IllegalStateException("mine");
      assertSame(mine, assertThrows(IllegalStateException.class, () -> model.save(file, ended.withProgress(done -> {
        throw mine;
      }))));
      layer.save(scratch.resolve("layer"), ended);
      cancellation.cancel();
      assertThrows(CancellationException.class, () -> model.save(file, ended));
      assertThrows(CancellationException.class, () -> layer.save(scratch.resolve("none"), ended));
      assertArrayEquals(whole, Files.readAllBytes(file));
      try (Stream<Path> files = Files.list(scratch)) {
        assertEquals(2, files.count());
      }
    }
  }

  @Test
  void progressGoesFrom0To1() {
    List<Double> told = new ArrayList<>();
    long handles = Raw.liveHandles();
    try (Model model = Model.load(folder, DEFAULTS.withProgress(told::add))) {
      assertEquals(1, told.get(told.size() - 1));
      for (int i = 1; i < told.size(); i++) {
        assertTrue(told.get(i - 1) <= told.get(i));
      }
    }
    for (double when : new double[] {0, 1}) {
      IllegalStateException mine = new IllegalStateException("mine");
      assertSame(mine, assertThrows(IllegalStateException.class, () -> Model.load(folder, DEFAULTS.withProgress(done -> {
        if (done >= when) {
          throw mine;
        }
      }))));
    }
    assertEquals(handles, Raw.liveHandles());
  }

  @Test
  void loadingIsCancelled() {
    Cancellation cancellation = new Cancellation();
    LoadOptions options = DEFAULTS.withCancellation(cancellation).withProgress(done -> cancellation.cancel());
    assertThrows(CancellationException.class, () -> Model.load(folder, options));
    assertEquals(0, cancellation.numFollowers());
    LoadOptions cancelled = DEFAULTS.withCancellation(cancellation);
    assertThrows(CancellationException.class, () -> Model.load(folder, cancelled));
    assertThrows(CancellationException.class, () -> Model.estimate(folder, cancelled));
    assertThrows(CancellationException.class, () -> Tokenizer.load(folder, cancelled));
  }

  @Test
  void anExecutorRunsTheLoops() throws Exception {
    List<String> texts = Stream.generate(() -> TEXT + " ").limit(64).collect(Collectors.toList());
    ExecutorService pool = Executors.newFixedThreadPool(2);
    Set<Thread> seen = ConcurrentHashMap.newKeySet();
    RuntimeOptions options = RuntimeOptions.defaults().withNumThreads(3).withExecutor(task -> pool.execute(() -> {
      seen.add(Thread.currentThread());
      task.run();
    }));
    LookupFfnRuntime runtime = LookupFfnRuntime.create(options);
    assertEquals(LookupFfn.isa(), runtime.isa());
    try (Model alone = Model.load(folder, DEFAULTS.withNumThreads(1));
        Model model = Model.load(folder, DEFAULTS.withRuntime(runtime).withNumThreads(8))) {
      runtime.close();
      assertThrows(IllegalStateException.class, () -> Model.load(folder, DEFAULTS.withRuntime(runtime)));
      assertEquals(3, model.info().numThreads());
      float[][] expected = alone.embed(texts);
      float[][] actual = model.embed(texts);
      for (int i = 0; i < expected.length; i++) {
        Golden.assertSameBits(expected[i], actual[i]);
      }
      // A busy machine may start the pool's threads when this one has done all.
      for (int i = 0; i < 1000 && seen.isEmpty(); i++) {
        model.embed(texts);
      }
      assertFalse(seen.isEmpty());
      // An executor that refuses, and one that never runs what it is given, are no more than slow.
      pool.shutdownNow();
      Golden.assertSameBits(expected[0], model.embed(texts)[0]);
    }
    try (LookupFfnRuntime lazy = LookupFfnRuntime.create(options.withExecutor(task -> {}));
        Model model = Model.load(folder, DEFAULTS.withRuntime(lazy).withNumThreads(4))) {
      Thread.currentThread().interrupt();
      assertEquals(64, model.embed(texts).length);
      assertTrue(Thread.interrupted());
    }
  }

  @Test
  void aRuntimeOutlivesItsObject() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    Set<Thread> seen = ConcurrentHashMap.newKeySet();
    try (Model model = loadWithForgotten(pool, seen)) {
      for (int i = 0; i < 5; i++) {
        System.gc();
        Thread.sleep(20);
      }
      for (int i = 0; i < 1000 && seen.isEmpty(); i++) {
        model.embed(Stream.generate(() -> TEXT).limit(64).collect(Collectors.toList()));
      }
      assertFalse(seen.isEmpty());
    } finally {
      pool.shutdownNow();
    }
  }

  private Model loadWithForgotten(ExecutorService pool, Set<Thread> seen) {
    LookupFfnRuntime forgotten = LookupFfnRuntime.create(
        RuntimeOptions.defaults().withExecutor(task -> pool.execute(() -> {
          seen.add(Thread.currentThread());
          task.run();
        })));
    return Model.load(folder, DEFAULTS.withRuntime(forgotten).withNumThreads(3));
  }

  @Test
  void instructionSetsHaveNames() {
    try (LookupFfnRuntime generic = LookupFfnRuntime.create(RuntimeOptions.defaults().withIsa("generic"))) {
      assertEquals("generic", generic.isa());
    }
    assertThrows(RuntimeException.class, () -> LookupFfnRuntime.create(RuntimeOptions.defaults().withIsa("z80")));
    assertThrows(IllegalArgumentException.class, () -> RuntimeOptions.defaults().withNumThreads(-1));
  }

  @Test
  void theLogIsHeard() {
    List<String> process = new ArrayList<>();
    List<String> own = new ArrayList<>();
    LookupFfn.setLog((level, message) -> process.add(level + " " + message));
    try (LookupFfnRuntime runtime =
            LookupFfnRuntime.create(RuntimeOptions.defaults().withLog((level, message) -> own.add(message)));
        Model first = Model.load(folder);
        Model second = Model.load(folder, DEFAULTS.withRuntime(runtime))) {
      assertFalse(process.isEmpty());
      assertEquals(process.size(), own.size());
      assertTrue(process.get(0).startsWith("INFO "), process.get(0));
      LookupFfn.setLog((level, message) -> {
        throw new IllegalStateException("dropped");
      });
      Model.load(folder).close();
    } finally {
      LookupFfn.setLog(null);
    }
    int heard = process.size();
    Model.load(folder).close();
    assertEquals(heard, process.size());
    LookupFfn.trim();
  }
}
