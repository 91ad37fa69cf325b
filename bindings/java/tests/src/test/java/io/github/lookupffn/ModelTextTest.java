// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

/** Texts become the golden tokens, and what is computed of them is what is computed of their tokens. */
class ModelTextTest {
  private static final RunOptions DEFAULTS = RunOptions.defaults();

  private interface Check {
    void run(GoldenModel golden, Model model) throws Exception;
  }

  private static Stream<DynamicTest> forEachModel(Check check) throws IOException {
    return GoldenModel.all().stream().map(golden -> DynamicTest.dynamicTest(golden.name, () -> {
      try (Model model = Model.load(golden.folder)) {
        check.run(golden, model);
      }
    }));
  }

  @TestFactory
  Stream<DynamicTest> tokens() throws IOException {
    return forEachModel((golden, model) -> {
      for (int i = 0; i < golden.texts.size(); i++) {
        String text = golden.texts.get(i);
        assertArrayEquals(golden.textIds.get(i), model.tokenize(text), text);
        Tokens bare = model.tokenize(text, false);
        assertArrayEquals(golden.bareIds.get(i), bare.ids(), text);
        int begin = 0;
        for (int t = 0; t < bare.size(); t++) {
          assertEquals(golden.bareIds.get(i)[t], bare.id(t));
          assertTrue(bare.begin(t) >= begin && bare.end(t) >= bare.begin(t), text + ": token " + t);
          assertTrue(bare.end(t) <= text.length(), text + ": token " + t);
          begin = bare.begin(t);
        }
        boolean lossy = IntStream.of(bare.ids()).anyMatch(
            id -> id == model.info().unkId() || id == model.info().maskId());
        if (!lossy) {
          assertEquals(text, model.detokenize(model.tokenize(text), true));
        }
      }
      assertEquals(0, model.tokenize("", false).size());
      assertArrayEquals(new int[] {model.info().bosId(), model.info().eosId()}, model.tokenize(""));
      assertEquals("", model.detokenize(new int[0], true));
    });
  }

  @TestFactory
  Stream<DynamicTest> textsAreTheirTokens() throws IOException {
    return forEachModel((golden, model) -> {
      String text = golden.texts.get(0);
      int[] ids = golden.textIds.get(0);
      Golden.assertSameBits(model.run(Input.ids(ids), Output.HIDDEN)[0], model.encode(text));
      Golden.assertSameBits(model.run(Input.ids(ids), Output.CLASS_SCORES)[0], model.classify(text));
      Golden.assertSameBits(model.run(Input.ids(ids), Output.EMBEDDINGS)[0], model.embed(text));
      List<String> both = List.of(text, golden.texts.get(1));
      Input second = Input.ids(golden.textIds.get(1));
      Golden.assertSameBits(model.run(second, Output.EMBEDDINGS)[0], model.embed(both, DEFAULTS)[1]);
      String endless = "word ".repeat(10_000);
      int longest = model.info().maxTokens();
      assertEquals(longest * model.info().hiddenSize(), model.encode(endless).length);
    });
  }

  @TestFactory
  Stream<DynamicTest> masks() throws IOException {
    return forEachModel((golden, model) -> {
      String text = "Freedom is <mask> word that everyone uses.";
      int[] ids = model.tokenize(text);
      int place = IntStream.range(0, ids.length).filter(i -> ids[i] == model.info().maskId()).findFirst().getAsInt();
      float[] logits = model.logits(ids, place)[0];
      List<List<MaskCandidate>> masks = model.fillMask(text, 4);
      assertEquals(1, masks.size());
      List<MaskCandidate> candidates = masks.get(0);
      assertEquals(4, candidates.size());
      float best = logits[candidates.get(0).id()];
      for (float logit : logits) {
        assertTrue(logit <= best);
      }
      double sum = 0;
      for (float logit : logits) {
        sum += Math.exp(logit - best);
      }
      for (int i = 0; i < 4; i++) {
        MaskCandidate candidate = candidates.get(i);
        assertEquals(Math.exp(logits[candidate.id()] - best) / sum, candidate.probability(), 1e-5);
        assertTrue(i == 0 || candidate.probability() <= candidates.get(i - 1).probability());
        assertTrue(!candidate.text().isEmpty());
      }
      List<List<MaskCandidate>> many = model.fillMask("<mask> ".repeat(9), 1);
      assertEquals(9, many.size());
      assertEquals(model.info().vocabSize(), model.fillMask(text, model.info().vocabSize()).get(0).size());
      assertEquals(0, model.fillMask("nothing to fill", 3).size());
    });
  }

  @TestFactory
  Stream<DynamicTest> asynchronousCallsGiveTheSame() throws IOException {
    return forEachModel((golden, model) -> {
      List<String> texts = golden.texts.subList(0, 3);
      float[][] encoded = LookupFfn.async(DEFAULTS, changed -> model.encode(texts, changed)).join();
      float[][] classified = LookupFfn.async(DEFAULTS, changed -> model.classify(texts, changed)).join();
      float[][] embedded = model.embedAsync(texts, DEFAULTS).join();
      for (int i = 0; i < texts.size(); i++) {
        Golden.assertSameBits(model.encode(texts.get(i)), encoded[i]);
        Golden.assertSameBits(model.classify(texts.get(i)), classified[i]);
        Golden.assertSameBits(model.embed(texts.get(i)), embedded[i]);
      }
      assertEquals(model.fillMask("a <mask>", 2).toString(),
          LookupFfn.async(DEFAULTS, changed -> model.fillMask("a <mask>", 2, changed)).join().toString());
    });
  }

  private static void rejects(String text, Executable call) {
    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(text), message);
  }

  @TestFactory
  Stream<DynamicTest> misuse() throws IOException {
    return forEachModel((golden, model) -> {
      int vocab = model.info().vocabSize();
      rejects(String.valueOf(vocab), () -> model.detokenize(new int[] {vocab}, true));
      rejects("topK is 0", () -> model.fillMask("a <mask>", 0));
      rejects("topK is " + (vocab + 1), () -> model.fillMask("a <mask>", vocab + 1));
      rejects("surrogate", () -> model.tokenize("half of a rocket: \ud83d"));
      rejects("surrogate", () -> model.embed("\ude80"));
      rejects("texts[1]: ", () -> model.embed(List.of("fine", "half \ud83d")));
      assertThrows(NullPointerException.class, () -> model.encode((String) null));
      assertThrows(NullPointerException.class, () -> model.tokenize(null));
      assertThrows(NullPointerException.class, () -> model.embed(Arrays.asList("a", null), DEFAULTS));
      model.close();
      assertThrows(IllegalStateException.class, () -> model.tokenize("a"));
      assertThrows(IllegalStateException.class, () -> model.detokenize(new int[] {5}, true));
      assertThrows(IllegalStateException.class, () -> model.fillMask("<mask>", 1));
      assertThrows(IllegalStateException.class, () -> model.embed(List.of("a"), DEFAULTS));
    });
  }

  @Test
  void dimensionsPoolingsAndPrompts() throws Exception {
    RunOptions plain = RunOptions.defaults();
    try (Model model = Model.load(GoldenModel.all().get(0).folder)) {
      float[] whole = model.embed("some words", plain.withNormalization(false));
      float[] first = model.embed("some words", plain.withNormalization(false).withDimensions(8));
      Golden.assertSameBits(Arrays.copyOf(whole, 8), first);
      float[] scaled = model.embed("some words", plain.withNormalization(true).withDimensions(8));
      double squares = 0;
      for (float number : scaled) {
        squares += (double) number * number;
      }
      assertEquals(1, squares, 1e-5);
      TextStatuses statuses = new TextStatuses();
      RunOptions told = plain.withNormalization(true).withDimensions(8).withStatuses(statuses);
      Golden.assertSameBits(scaled, model.embed("some words", told));
      assertThrows(IllegalArgumentException.class, () -> plain.withDimensions(-1));
      assertThrows(IllegalArgumentException.class, () -> model.embed("some words", plain.withDimensions(1 << 20)));
      RunOptions raw = plain.withPooling(Pooling.LAST).withNormalization(false);
      float[] hidden = model.encode("some words");
      int size = model.info().hiddenSize();
      Golden.assertSameBits(
          Arrays.copyOfRange(hidden, hidden.length - size, hidden.length), model.embed("some words", raw));
      double sum = 0;
      double weights = 0;
      for (int token = 0; token < hidden.length / size; token++) {
        sum += (token + 1) * (double) hidden[token * size];
        weights += token + 1;
      }
      float[] weighted = model.embed("some words", raw.withPooling(Pooling.WEIGHTED_MEAN));
      assertEquals(sum / weights, weighted[0], 1e-5);
    }
    try (Model model = Model.load(Path.of(System.getProperty("lookupffn.made.models"), "prompts"))) {
      Golden.assertSameBits(
          model.embed("words", plain.withPrompt("query")), model.embed("words", plain.withQueryPrompt()));
      Golden.assertSameBits(
          model.embed("words", plain.withPrompt("document")), model.embed("words", plain.withDocumentPrompt()));
    }
  }
}
