// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls of many texts are queued as texts, answered in their order, and refused or taken back as wholes. */
class BatcherCallsTest {
  private static final RunOptions DEFAULTS = RunOptions.defaults();
  private static final Duration LONG = Duration.ofHours(1);

  private Model model;

  @BeforeEach
  void load() throws Exception {
    model = Model.load(GoldenModel.all().get(0).folder);
  }

  @AfterEach
  void close() {
    model.close();
  }

  private static List<String> texts(int count, String name) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      texts.add(name + " text number " + i);
    }
    return texts;
  }

  private void check(List<String> texts, List<BatchedEmbedding> answers) {
    assertEquals(texts.size(), answers.size());
    for (int i = 0; i < texts.size(); i++) {
      Golden.assertSameBits(model.embed(texts.get(i)), answers.get(i).vector());
    }
  }

  @Test
  void manyCallsOfManyTexts() throws Exception {
    BatchingOptions options = BatchingOptions.defaults().withMaxBatch(7).withMaxQueue(10);
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, options)) {
      List<CompletableFuture<List<BatchedEmbedding>>> answers = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        answers.add(batcher.embedWhenRoom(texts(5 * i, "call " + i), DEFAULTS));
      }
      for (int i = 0; i < 6; i++) {
        check(texts(5 * i, "call " + i), answers.get(i).get(60, TimeUnit.SECONDS));
      }
      BatcherFigures figures = batcher.figures();
      assertEquals(75, figures.accepted());
      assertEquals(75, figures.batched());
      assertEquals(7, figures.largestBatch());
      assertEquals(0, figures.cut());
      assertEquals(0, figures.depth());
      assertTrue(figures.tokens() > 75, figures.toString());
    }
  }

  @Test
  void refusedAsAWholeOrPatient() throws Exception {
    BatchingOptions options = BatchingOptions.defaults().withMaxBatch(100).withMaxQueue(5).withMaxWait(LONG);
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, options)) {
      CompletableFuture<List<BatchedEmbedding>> three = batcher.embed(texts(3, "three"), DEFAULTS);
      QueueFullException full =
          assertThrows(QueueFullException.class, () -> batcher.embed(texts(3, "more"), DEFAULTS));
      assertEquals(3, full.depth());
      assertEquals(5, full.limit());
      String message = full.getMessage();
      assertTrue(message.startsWith("3 texts wait already, and 3 more are too many for a queue of 5"), message);
      assertEquals(3, batcher.figures().refused());
      CompletableFuture<List<BatchedEmbedding>> patient = batcher.embedWhenRoom(texts(4, "patient"), DEFAULTS);
      assertEquals(7, batcher.figures().depth());
      assertThrows(RejectedExecutionException.class, () -> batcher.embed("one"));
      assertTrue(patient.cancel(false));
      assertEquals(3, batcher.figures().depth());
      assertEquals(4, batcher.figures().withdrawn());
      CompletableFuture<BatchedEmbedding> one = batcher.embed("one");
      assertFalse(three.isDone() || one.isDone());
    } // closing runs what waits
  }

  @Test
  void tooManyLongListsAreRefused() throws Exception {
    BatchingOptions options = BatchingOptions.defaults().withMaxBulkCalls(1);
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, options)) {
      CompletableFuture<List<BatchedEmbedding>> first = batcher.embed(texts(100_000, "first"), DEFAULTS);
      QueueFullException full =
          assertThrows(QueueFullException.class, () -> batcher.embed(texts(1000, "second"), DEFAULTS));
      assertEquals(1, full.depth());
      assertEquals(1, full.limit());
      batcher.embed("a query is let in").get(60, TimeUnit.SECONDS);
      CompletableFuture<List<BatchedEmbedding>> patient = batcher.embedWhenRoom(texts(1000, "patient"), DEFAULTS);
      assertEquals(2, batcher.figures().bulkCalls());
      first.cancel(false);
      check(texts(1000, "patient"), patient.get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void aBadTextFailsItsCallAlone() throws Exception {
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, 4, Duration.ofMillis(20))) {
      CompletableFuture<List<BatchedEmbedding>> bad = batcher.embed(List.of("fine", "half \ud800 a pair"), DEFAULTS);
      CompletableFuture<List<BatchedEmbedding>> good = batcher.embed(texts(2, "good"), DEFAULTS);
      check(texts(2, "good"), good.get(60, TimeUnit.SECONDS));
      Throwable failure =
          assertThrows(ExecutionException.class, () -> bad.get(60, TimeUnit.SECONDS)).getCause();
      assertEquals(
          assertThrows(
              IllegalArgumentException.class, () -> model.embed(List.of("fine", "half \ud800 a pair"), DEFAULTS))
              .getMessage(),
          failure.getMessage());
      assertEquals(
          "texts[1] is null",
          assertThrows(NullPointerException.class, () -> batcher.embed(Arrays.asList("a", null), DEFAULTS)).getMessage());
      assertEquals(List.of(), batcher.embed(List.of(), DEFAULTS).get());
    }
  }

  @Test
  void bytesOfAFixedScaleRankAsFloats() {
    RunOptions unit = DEFAULTS.withNormalization(true);
    float[][] vectors = model.embed(texts(6, "ranked"), unit);
    for (float[] vector : vectors) {
      Int8Embedding bytes = Int8Embedding.ofFixedScale(vector);
      assertEquals(1 / 127f, bytes.scale());
      float[] back = bytes.toFloats();
      for (int i = 0; i < back.length; i++) {
        assertEquals(vector[i], back[i], 0.5 / 127 + 1e-6);
      }
    }
    assertThrows(IllegalArgumentException.class, () -> Int8Embedding.ofFixedScale(new float[] {0, Float.NaN}));
    assertThrows(IllegalArgumentException.class, () -> Int8Embedding.ofFixedScale(new float[] {3}));
    Int8Embedding fine = Int8Embedding.ofFixedScale(new float[] {0.5f, -0.25f, 0.1f}, 0.25f);
    assertArrayEquals(new byte[] {127, -127, 51}, fine.numbers());
    assertEquals(0.25f / 127, fine.scale());
    for (float bad : new float[] {0, -1, 1.5f, Float.NaN}) {
      assertThrows(IllegalArgumentException.class, () -> Int8Embedding.ofFixedScale(new float[1], bad));
    }
  }

  @Test
  void anEmbedderGivesTheSameWithAndWithout() throws Exception {
    List<String> texts = texts(20, "some");
    try (ModelEmbedder alone = Embedder.builder(model).maxBatch(3).build();
        ModelEmbedder together = Embedder.builder(model).batching(BatchingOptions.defaults().withMaxQueue(4)).build()) {
      EmbeddedTexts expected = alone.embed(texts, Purpose.DOCUMENT);
      EmbeddedTexts actual = together.embed(texts, Purpose.DOCUMENT);
      for (int i = 0; i < texts.size(); i++) {
        Golden.assertSameBits(model.embed(texts.get(i)), expected.vectors().get(i));
        Golden.assertSameBits(expected.vectors().get(i), actual.vectors().get(i));
      }
      assertEquals(expected.tokens(), actual.tokens());
      assertEquals(20, together.texts());
      assertEquals(expected.tokens(), alone.tokens());
      assertEquals(1, alone.calls());
    }
  }

  @TempDir
  Path scratch;

  @Test
  void theFlightRecorderIsTold() throws Exception {
    Path file = scratch.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      for (String name : List.of("Load", "Call", "Batch")) {
        recording.enable("io.github.lookupffn." + name).withoutThreshold();
      }
      recording.start();
      try (Model loaded = Model.load(GoldenModel.all().get(0).folder);
          EmbeddingBatcher batcher = new EmbeddingBatcher(loaded)) {
        batcher.embed(texts(3, "recorded"), DEFAULTS).get(60, TimeUnit.SECONDS);
        loaded.encode("a text");
      }
      recording.stop();
      recording.dump(file);
    }
    int batched = 0;
    List<String> outputs = new ArrayList<>();
    int loads = 0;
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      if (event.getEventType().getName().endsWith(".Call")) {
        outputs.add(event.getString("output"));
      } else if (event.getEventType().getName().endsWith(".Batch")) {
        batched += event.getInt("texts");
        assertTrue(event.getLong("tokens") > 3);
        assertEquals(1, event.getInt("calls"));
      } else if (event.getEventType().getName().endsWith(".Load")) {
        loads++;
        assertTrue(event.getLong("memory") > 0);
      }
    }
    assertEquals(3, batched);
    assertEquals(1, loads);
    assertTrue(outputs.contains("embeddings") && outputs.contains("hidden states"), outputs.toString());
  }
}
