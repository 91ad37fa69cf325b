// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The golden models give the golden results, alone and in batches. */
class ModelTest {
  private static final RunOptions DEFAULTS = RunOptions.defaults();

  private interface Check {
    void run(GoldenModel golden, Model model) throws IOException;
  }

  private static Stream<DynamicTest> forEachModel(Check check) throws IOException {
    return GoldenModel.all().stream().map(golden -> DynamicTest.dynamicTest(golden.name, () -> {
      try (Model model = Model.load(golden.folder)) {
        check.run(golden, model);
      }
    }));
  }

  @TestFactory
  Stream<DynamicTest> outputs() throws IOException {
    return forEachModel((golden, model) -> {
      for (int i = 0; i < golden.sequences.size(); i++) {
        int[] ids = golden.sequences.get(i);
        GoldenModel.assertClose(golden.tensors.get("hidden." + i), model.run(Input.ids(ids), Output.HIDDEN)[0]);
        GoldenModel.assertClose(golden.tensors.get("class." + i), model.run(Input.ids(ids), Output.CLASS_SCORES)[0]);
        float[] logits = golden.tensors.get("logits." + i);
        if (logits != null) {
          float[][] rows = model.logits(ids, IntStream.range(0, ids.length).toArray());
          int vocab = model.info().vocabSize();
          for (int t = 0; t < rows.length; t++) {
            GoldenModel.assertClose(Arrays.copyOfRange(logits, t * vocab, (t + 1) * vocab), rows[t]);
          }
        }
      }
    });
  }

  @TestFactory
  Stream<DynamicTest> batchesGiveTheSameBits() throws IOException {
    return forEachModel((golden, model) -> {
      int[][] all = golden.allSequences();
      float[][] hidden = model.run(Input.ids(all), Output.HIDDEN, DEFAULTS);
      float[][] scores = model.run(Input.ids(all), Output.CLASS_SCORES, DEFAULTS);
      float[][] vectors = model.run(Input.ids(all), Output.EMBEDDINGS, DEFAULTS);
      for (int i = 0; i < all.length; i++) {
        Golden.assertSameBits(model.run(Input.ids(all[i]), Output.HIDDEN)[0], hidden[i]);
        Golden.assertSameBits(model.run(Input.ids(all[i]), Output.CLASS_SCORES)[0], scores[i]);
        Golden.assertSameBits(model.run(Input.ids(all[i]), Output.EMBEDDINGS)[0], vectors[i]);
      }
      long[] places = {all[0].length + 2, 0};
      float[][] logits = model.logits(all, places, DEFAULTS);
      Golden.assertSameBits(model.logits(all[1], 2)[0], logits[0]);
      Golden.assertSameBits(model.logits(all[0], 0)[0], logits[1]);
      assertEquals(0, model.run(Input.ids(new int[0][]), Output.HIDDEN, DEFAULTS).length);
      assertEquals(0, model.logits(all, new long[0], DEFAULTS).length);
      assertEquals(0, model.run(Input.ids(new int[0][]), Output.EMBEDDINGS, DEFAULTS).length);
    });
  }

  @TestFactory
  Stream<DynamicTest> embeddings() throws IOException {
    return forEachModel((golden, model) -> {
      int[] ids = golden.sequences.get(0);
      int size = model.info().hiddenSize();
      float[] hidden = model.run(Input.ids(ids), Output.HIDDEN)[0];
      float[] mean = new float[size];
      float[] max = new float[size];
      Arrays.fill(max, Float.NEGATIVE_INFINITY);
      for (int i = 0; i < hidden.length; i++) {
        mean[i % size] += hidden[i] / ids.length;
        max[i % size] = Math.max(max[i % size], hidden[i]);
      }
      int[][] one = {ids};
      RunOptions raw = DEFAULTS.withNormalization(false);
      GoldenModel.assertClose(mean, model.run(Input.ids(one), Output.EMBEDDINGS, raw)[0]);
      Golden.assertSameBits(max, model.run(Input.ids(one), Output.EMBEDDINGS, raw.withPooling(Pooling.MAX))[0]);
      Golden.assertSameBits(
          Arrays.copyOf(hidden, size), model.run(Input.ids(one), Output.EMBEDDINGS, raw.withPooling(Pooling.FIRST))[0]);
      double squares = 0;
      for (float number : model.run(Input.ids(ids), Output.EMBEDDINGS)[0]) {
        squares += (double) number * number;
      }
      assertEquals(1, squares, 1e-5);
    });
  }

  @TestFactory
  Stream<DynamicTest> savedAndLoadedAgain(@TempDir Path directory) throws IOException {
    return forEachModel((golden, model) -> {
      Path file = directory.resolve(golden.name + "-größer-🚀.safetensors");
      model.save(file);
      byte[] bytes = Files.readAllBytes(file);
      LoadOptions twoThreads = LoadOptions.defaults().withNumThreads(2);
      int[] ids = golden.sequences.get(0);
      float[] expected = model.run(Input.ids(ids), Output.EMBEDDINGS)[0];
      try (Model fromFile = Model.load(file, twoThreads.withMemoryMapping(true));
          Model fromBytes = Model.load(bytes, twoThreads)) {
        Arrays.fill(bytes, (byte) 0);
        assertEquals(2, fromFile.info().numThreads());
        Golden.assertSameBits(expected, fromFile.run(Input.ids(ids), Output.EMBEDDINGS)[0]);
        Golden.assertSameBits(expected, fromBytes.run(Input.ids(ids), Output.EMBEDDINGS)[0]);
      }
    });
  }

  @TestFactory
  Stream<DynamicTest> linearLayersInIntegers(@TempDir Path directory) throws IOException {
    return forEachModel((golden, model) -> {
      int[][] all = golden.allSequences();
      LoadOptions integers = LoadOptions.defaults().withLinearType(ElementType.INT8).withNumThreads(1);
      Path file = directory.resolve(golden.name + "-int8.safetensors");
      try (Model small = Model.load(golden.folder, integers)) {
        small.save(file);
        try (Model stored = Model.load(file, LoadOptions.defaults().withNumThreads(2))) {
          assertEquals(ElementType.INT8, small.info().linearType());
          assertEquals(ElementType.INT8, stored.info().linearType());
          assertTrue(small.info().fileBytes() < model.info().fileBytes());
          float[][] batch = stored.run(Input.ids(all), Output.HIDDEN, DEFAULTS);
          for (int i = 0; i < all.length; i++) {
            float[] expected = model.run(Input.ids(all[i]), Output.HIDDEN)[0];
            float[] found = small.run(Input.ids(all[i]), Output.HIDDEN)[0];
            Golden.assertSameBits(found, batch[i]);
            double squares = 0;
            double differences = 0;
            for (int j = 0; j < found.length; j++) {
              squares += (double) expected[j] * expected[j];
              differences += Math.pow((double) found[j] - expected[j], 2);
            }
            assertTrue(differences > 0 && Math.sqrt(differences / squares) < 0.2, golden.name + " " + i);
          }
        }
      }
    });
  }

  @Test
  void tellsHowTokensAttend() {
    try (Model model = Model.load(Paths.get(System.getProperty("lookupffn.made.models")).resolve("rotary"))) {
      ModelInfo info = model.info();
      assertFalse(info.isCausal());
      assertEquals(3, info.window());
      assertEquals(1000000.5f, info.theta());
      assertEquals(10000f, info.localTheta());
      ModelLayerInfo local = model.layers().get(0);
      ModelLayerInfo global = model.layers().get(1);
      assertEquals(3, local.window());
      assertEquals(10000f, local.theta());
      assertEquals(0, global.window());
      assertEquals(1000000.5f, global.theta());
    }
  }

  @TestFactory
  Stream<DynamicTest> elementTypesAndInfo() throws IOException {
    return forEachModel((golden, model) -> {
      ModelInfo info = model.info();
      assertEquals(golden.tensors.get("class.0").length, info.numClasses());
      assertEquals(golden.tensors.get("hidden.0").length, golden.sequences.get(0).length * info.hiddenSize());
      assertEquals(info.hiddenSize(), info.numHeads() * info.headSize());
      assertTrue(info.numLookupLayers() > 0 && info.numLookupLayers() <= info.numLayers());
      assertTrue(info.hasLmHead());
      assertEquals(golden.name.equals("model-lookup") ? 0 : 192, info.intermediateSize());
      assertTrue(info.ffnFlopPerToken() > 0 && info.attentionFlopPerToken() > 0 && info.attentionFlopPerPair() > 0);
      assertTrue(info.otherFlopPerToken() > 0 && info.lmHeadFlopPerToken() > 0);
      assertEquals(info.numLayers(), model.layers().size());
      assertEquals(info.ffnFlopPerToken(), model.layers().stream().mapToLong(ModelLayerInfo::ffnFlopPerToken).sum());
      for (ModelLayerInfo layer : model.layers()) {
        assertEquals(info.numHeads(), layer.numHeads());
        assertTrue((layer.numNeurons() == 192) != (layer.numTables() > 0 && layer.projection().startsWith("bh")));
        assertEquals(layer.numTables() > 0 ? ElementType.F32 : null, layer.tableType());
        assertNull(layer.wordType());
        assertTrue(layer.attentionBytes() > 0 && layer.ffnBytes() > 0 && layer.wordBytes() == 0);
      }
      assertTrue(info.numParameters() > 10_000 && info.fileBytes() >= 4 * info.numParameters());
      assertTrue(info.memoryBytes() > info.numParameters() && info.scratchBytes() > 0);
      assertTrue(model.toString().contains("lookup"), model.toString());
      LoadOptions small = LoadOptions.defaults().withTableType(ElementType.BF16).withHashType(ElementType.INT8)
          .withNumThreads(1);
      try (Model other = Model.load(golden.folder, small)) {
        assertEquals(ElementType.BF16, other.info().tableType());
        assertEquals(ElementType.INT8, other.info().hashType());
        assertEquals(ElementType.F32, other.info().linearType());
        assertEquals(1, other.info().numThreads());
        assertTrue(other.info().memoryBytes() < info.memoryBytes());
        Input ids = Input.ids(golden.sequences.get(0));
        assertTrue(!Arrays.equals(model.run(ids, Output.EMBEDDINGS)[0], other.run(ids, Output.EMBEDDINGS)[0]));
      }
    });
  }
}
