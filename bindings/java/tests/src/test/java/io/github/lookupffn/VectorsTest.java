// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Vectors of windows, small vectors and those of tokens are what the vectors of floats say. */
class VectorsTest {
  private static final RunOptions DEFAULTS = RunOptions.defaults();
  private static final String LONG =
      "A caf\u00e9 \ud83d\ude00 by the river was open; nobody \u00e9lse came but a fox, two dogs \ud83d\ude00\ud83d\ude00 and a bird.";
  private static final List<String> TEXTS = List.of("A short one.", LONG, "");

  private static Model golden() throws Exception {
    return golden(LoadOptions.defaults());
  }

  private static Model golden(LoadOptions options) throws Exception {
    return Model.load(GoldenModel.all().get(0).folder, options);
  }

  /** The vector of a part of the text, by its tokens. */
  private static float[] vectorOf(Model model, String text, EmbeddedWindow window, RunOptions options) {
    Tokens tokens = model.tokenize(text, false);
    IntStream inside = IntStream.range(0, tokens.size())
        .filter(i -> tokens.begin(i) >= window.begin() && tokens.end(i) <= window.end())
        .map(tokens::id);
    int[] ids = IntStream.concat(
        IntStream.concat(IntStream.of(model.info().bosId()), inside), IntStream.of(model.info().eosId())).toArray();
    return model.run(Input.ids(ids), Output.EMBEDDINGS, options)[0];
  }

  @Test
  void windowsAreTheirPartsOfTheText() throws Exception {
    TextCounts counts = new TextCounts();
    RunOptions options = DEFAULTS.withMaxTokens(12).withStride(0).withCounts(counts);
    String words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
    List<String> texts = List.of("one two", words, "");
    try (Model model = golden()) {
      List<List<EmbeddedWindow>> all = model.embedWindows(texts, options);
      assertEquals(3, all.size());
      assertEquals(1, all.get(0).size());
      assertEquals(1, all.get(2).size());
      Golden.assertSameBits(model.embed("one two"), all.get(0).get(0).vector());
      Golden.assertSameBits(model.embed(""), all.get(2).get(0).vector());
      assertEquals("one two", all.get(0).get(0).text());
      List<EmbeddedWindow> windows = all.get(1);
      assertTrue(windows.size() > 2, windows.toString());
      assertEquals(0, windows.get(0).begin());
      assertEquals(words.length(), windows.get(windows.size() - 1).end());
      int tokens = 0;
      for (EmbeddedWindow window : windows) {
        assertEquals(words.substring(window.begin(), window.end()), window.text());
        Golden.assertSameBits(vectorOf(model, words, window, DEFAULTS), window.vector());
        tokens += 2;
      }
      assertEquals(tokens + model.tokenize(words, false).size(), counts.tokens(1));
      assertEquals(model.tokenize(words).length, counts.uncutTokens(1));
      assertFalse(counts.anyCut());
      int more = model.embedWindows(texts, options.withStride(6)).get(1).size();
      assertTrue(more > windows.size(), more + " windows");
      assertEquals(all, LookupFfn.async(options, changed -> model.embedWindows(texts, changed)).get());
      // Long texts are cut nowhere, short ones are one window.
      assertEquals(List.of(all.get(0).get(0)), model.embedWindows(List.of("one two"), RunOptions.defaults()).get(0));
      assertEquals(List.of(), model.embedWindows(List.of(), options));
    }
  }

  @Test
  void placesOfWindowsAreThoseOfChars() throws Exception {
    try (Model model = golden()) {
      List<EmbeddedWindow> windows = model.embedWindows(List.of(LONG), DEFAULTS.withMaxTokens(9).withStride(2)).get(0);
      assertEquals(0, windows.get(0).begin());
      assertEquals(LONG.length(), windows.get(windows.size() - 1).end());
      for (int i = 0; i < windows.size(); i++) {
        EmbeddedWindow window = windows.get(i);
        assertEquals(LONG.substring(window.begin(), window.end()), window.text());
        assertFalse(Character.isLowSurrogate(LONG.charAt(window.begin())), window.text());
        assertTrue(i == 0 || window.begin() <= windows.get(i - 1).end());
      }
    }
  }

  @Test
  void meansAreThoseOfTheWindows() throws Exception {
    RunOptions plain = DEFAULTS.withMaxTokens(10).withStride(3).withNormalization(false);
    TextCounts counts = new TextCounts();
    TextStatuses statuses = new TextStatuses();
    try (Model model = golden()) {
      List<List<EmbeddedWindow>> windows = model.embedWindows(TEXTS, plain);
      float[][] means = model.embed(TEXTS, plain.withWindowMeans(true).withCounts(counts));
      for (int i = 0; i < TEXTS.size(); i++) {
        float[] sum = new float[means[i].length];
        for (EmbeddedWindow window : windows.get(i)) {
          for (int k = 0; k < sum.length; k++) {
            sum[k] += window.vector()[k] / windows.get(i).size();
          }
        }
        assertArrayEquals(sum, means[i], 1e-5f);
      }
      assertTrue(counts.tokens(1) >= counts.uncutTokens(1));
      assertFalse(counts.anyCut());
      RunOptions options = plain.withWindowMeans(true);
      assertTrue(Arrays.deepEquals(means, model.embed(TEXTS, options.withStatuses(statuses))));
      assertTrue(statuses.allOk());
      float[] flat = new float[means.length * means[0].length];
      model.embedInto(TEXTS, flat, 0, options);
      Golden.assertSameBits(means[1], Arrays.copyOfRange(flat, means[0].length, 2 * means[0].length));
      // Ids are taken as they are.
      int[] ids = model.tokenize(LONG);
      float[] expected = model.run(Input.ids(ids), Output.EMBEDDINGS, plain)[0];
      Golden.assertSameBits(expected, model.run(Input.ids(ids), Output.EMBEDDINGS, options)[0]);
      for (Runnable call : List.<Runnable>of(
          () -> model.encode(TEXTS, options), () -> model.classify(TEXTS, options.withStatuses(statuses)),
          () -> model.tokenVectors(TEXTS, options), () -> model.run(Input.texts(TEXTS), Output.HIDDEN, options))) {
        String message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
        assertTrue(message.contains("window means"), message);
      }
      assertThrows(IllegalArgumentException.class, () -> model.embed(TEXTS, options.withoutCutting()));
      assertThrows(IllegalArgumentException.class, () -> model.embedWindows(TEXTS, DEFAULTS.withoutCutting()));
      assertThrows(IllegalArgumentException.class, () -> model.embedWindows(TEXTS, DEFAULTS.withMaxTokens(4).withStride(4)));
      assertThrows(IllegalArgumentException.class, () -> DEFAULTS.withStride(-1));
    }
  }

  @Test
  void smallVectorsAreThoseOfFloats() throws Exception {
    for (RunOptions options : List.of(
        DEFAULTS, DEFAULTS.withDimensions(13), DEFAULTS.withPooling(Pooling.MAX).withNormalization(false))) {
      try (Model model = golden()) {
        float[][] floats = model.embed(TEXTS, options);
        List<Int8Embedding> small = model.embedInt8(TEXTS, options);
        byte[][] bits = model.embedBits(TEXTS, options);
        assertEquals(TEXTS.size(), small.size());
        assertEquals(TEXTS.size(), bits.length);
        for (int i = 0; i < floats.length; i++) {
          float[] back = small.get(i).toFloats();
          assertTrue(small.get(i).scale() > 0);
          assertArrayEquals(floats[i], back, 0.501f * small.get(i).scale());
          assertEquals((floats[i].length + 7) / 8, bits[i].length);
          for (int k = 0; k < 8 * bits[i].length; k++) {
            boolean set = (bits[i][k / 8] >> 7 - k % 8 & 1) != 0;
            assertEquals(k < floats[i].length && floats[i][k] > 0, set, "bit " + k);
          }
        }
        assertEquals(small, LookupFfn.async(options, changed -> model.embedInt8(TEXTS, changed)).get());
        assertArrayEquals(bits[1], LookupFfn.async(options, changed -> model.embedBits(TEXTS, changed)).get()[1]);
      }
    }
    try (Model model = golden()) {
      assertEquals(model.embedInt8(TEXTS, DEFAULTS).get(1), model.embedInt8(List.of(LONG), RunOptions.defaults()).get(0));
      assertArrayEquals(model.embedBits(TEXTS, DEFAULTS)[1], model.embedBits(List.of(LONG), RunOptions.defaults())[0]);
      RunOptions means = DEFAULTS.withMaxTokens(9).withWindowMeans(true);
      float[] floats = model.embed(LONG, means);
      Int8Embedding small = model.embedInt8(TEXTS, means).get(1);
      assertArrayEquals(floats, small.toFloats(), 0.501f * small.scale());
      int tooMany = model.info().embeddingSize() + 1;
      assertThrows(IllegalArgumentException.class, () -> model.embedInt8(TEXTS, DEFAULTS.withDimensions(tooMany)));
    }
  }

  @Test
  void tokenVectorsHaveTheirTokens() throws Exception {
    try (Model model = golden()) {
      int size = model.info().tokenVectorSize();
      assertEquals(model.info().hiddenSize(), size);
      List<TokenVectors> all = model.tokenVectors(TEXTS, DEFAULTS);
      List<TokenVectors> scaled = model.tokenVectors(TEXTS, DEFAULTS.withNormalization(true));
      for (int i = 0; i < TEXTS.size(); i++) {
        TokenVectors vectors = all.get(i);
        float[] hidden = model.encode(TEXTS.get(i));
        assertEquals(model.tokenize(TEXTS.get(i), true), vectors.tokens());
        assertEquals(hidden.length, vectors.size() * size);
        for (int token = 0; token < vectors.size(); token++) {
          Golden.assertSameBits(Arrays.copyOfRange(hidden, token * size, (token + 1) * size), vectors.vector(token));
          assertEquals(token > 0 && token < vectors.size() - 1, vectors.isOfText(token));
          double squares = 0;
          for (float number : scaled.get(i).vector(token)) {
            squares += number * number;
          }
          assertEquals(1, squares, 1e-5);
        }
      }
      assertEquals(all.get(1), model.tokenVectors(List.of(LONG), RunOptions.defaults()).get(0));
      assertEquals(all, LookupFfn.async(DEFAULTS, changed -> model.tokenVectors(TEXTS, changed)).get());
      TokenVectors cut = model.tokenVectors(TEXTS, DEFAULTS.withMaxTokens(5)).get(1);
      assertEquals(5, cut.size());
      assertEquals(all.get(1).size(), cut.tokens().uncutSize());
      model.close();
      assertThrows(IllegalStateException.class, () -> model.tokenVectors(List.of(LONG), RunOptions.defaults()).get(0));
    }
  }

  @Test
  void badTextsAreToldOrRepaired() throws Exception {
    List<String> texts = Arrays.asList("good", null, "half \ud800 a pair");
    TextStatuses statuses = new TextStatuses();
    RunOptions told = DEFAULTS.withStatuses(statuses);
    try (Model model = golden()) {
      String bad = assertThrows(IllegalArgumentException.class, () -> model.tokenVectors(texts.subList(2, 3), DEFAULTS))
          .getMessage();
      assertTrue(bad.startsWith("texts[0]: "), bad);
      assertThrows(NullPointerException.class, () -> model.embedInt8(texts, DEFAULTS.withRepair(true)));
      List<List<EmbeddedWindow>> windows = model.embedWindows(texts, told);
      assertEquals(TextStatus.NULL_TEXT, statuses.status(1));
      assertEquals(TextStatus.BAD_TEXT, statuses.status(2));
      assertFalse(statuses.message(2).isEmpty());
      Golden.assertSameBits(model.embed("good"), windows.get(0).get(0).vector());
      assertEquals(0, model.tokenVectors(texts, told).get(1).size());
      assertArrayEquals(new float[model.info().embeddingSize()], model.embedInt8(texts, told).get(2).toFloats());
      RunOptions repaired = told.withRepair(true);
      float[] expected = model.embed("half \ufffd a pair");
      Golden.assertSameBits(expected, model.embed(texts, repaired)[2]);
      assertTrue(statuses.isOk(2) && !statuses.isOk(1));
      Golden.assertSameBits(expected, model.embed("half \ud800 a pair", DEFAULTS.withRepair(true)));
      float[] into = new float[expected.length];
      model.embedInto("half \ud800 a pair", into, 0, DEFAULTS.withRepair(true));
      Golden.assertSameBits(expected, into);
      assertEquals(
          model.run(Input.text("half \ufffd a pair"), Output.TOKEN_VECTORS).get(0),
          model.tokenVectors(texts, repaired).get(2));
    }
  }

  @Test
  void callsAreCancelled() throws Exception {
    Cancellation cancelled = new Cancellation();
    cancelled.cancel();
    RunOptions options = DEFAULTS.withCancellation(cancelled);
    try (Model model = golden()) {
      assertThrows(java.util.concurrent.CancellationException.class, () -> model.embedWindows(TEXTS, options));
      assertThrows(java.util.concurrent.CancellationException.class, () -> model.embedBits(TEXTS, options));
    }
  }

  @Test
  void inputsOfInt8LayersHaveSevenBitsWhereThatIsAsked() throws Exception {
    LoadOptions eight = LoadOptions.defaults().withLinearType(ElementType.INT8);
    try (Model model = golden(eight);
        Model seven = golden(eight.withSevenBitInputs(true));
        Model again = golden(eight.withSevenBitInputs(true).withSevenBitInputs(false));
        Model exact = golden();
        Model same = golden(LoadOptions.defaults().withSevenBitInputs(true))) {
      assertEquals(model.info().arithmetic() + 1000, seven.info().arithmetic());
      assertFalse(Arrays.equals(model.embed("a text"), seven.embed("a text")));
      assertArrayEquals(model.embed("a text"), again.embed("a text"));
      assertEquals(exact.info().arithmetic(), same.info().arithmetic());
      assertArrayEquals(exact.embed("a text"), same.embed("a text"));
    }
    assertTrue(eight.withSevenBitInputs(true).toString().contains("inputs of seven bits"));
  }

  @Test
  void modelsTellMore() throws Exception {
    try (Model model = golden()) {
      ModelInfo info = model.info();
      assertEquals(ElementType.F32, info.attentionType());
      assertTrue(info.arithmetic() > 0 && info.numTokenTypes() > 0 && info.tokenizerBytes() > 0);
    }
  }
}
