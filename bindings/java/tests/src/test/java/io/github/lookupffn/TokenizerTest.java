// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A tokenizer alone gives what it gives with its model. */
class TokenizerTest {
  @Test
  void asWithItsModel() throws Exception {
    for (GoldenModel golden : GoldenModel.all()) {
      try (Model model = Model.load(golden.folder); Tokenizer tokenizer = Tokenizer.load(golden.folder)) {
        TokenizeOptions bare = TokenizeOptions.defaults().withSpecialTokens(false);
        for (int i = 0; i < golden.texts.size(); i++) {
          String text = golden.texts.get(i);
          assertArrayEquals(golden.textIds.get(i), tokenizer.tokenize(text));
          assertEquals(model.tokenize(text, false), tokenizer.tokenize(text, bare));
          assertEquals(model.detokenize(golden.bareIds.get(i), true), tokenizer.detokenize(golden.bareIds.get(i), true));
        }
        assertEquals(model.info().vocabSize(), tokenizer.info().vocabSize());
        int[] one = tokenizer.tokenize("one", bare).ids();
        int[] two = tokenizer.tokenize("two", bare).ids();
        int[] pair = tokenizer.tokenizePair("one", "two", TokenizeOptions.defaults());
        assertEquals(one.length + two.length + tokenizer.info().addedToPair(), pair.length);
        for (int id : pair) {
          assertEquals(id, tokenizer.idOf(tokenizer.token(id)));
        }
        assertEquals(-1, tokenizer.idOf("no such token of any vocabulary"));
      }
    }
  }

  private static void assertKind(TokenizerKind kind, String json) {
    byte[] bytes = json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    try (Tokenizer tokenizer = Tokenizer.load(Map.of("tokenizer.json", bytes), LoadOptions.defaults())) {
      assertEquals(kind, tokenizer.info().kind());
      assertEquals(kind == TokenizerKind.WORD_PIECE, tokenizer.info().isWordPiece());
      assertEquals("TokenizerInfo[vocabulary 1, " + kind + "]", tokenizer.info().toString());
      assertTrue(tokenizer.info().memoryBytes() > 0);
    }
  }

  @Test
  void tellsItsKind() {
    assertKind(TokenizerKind.BYTE_PAIRS,
        "{'pre_tokenizer': {'type': 'ByteLevel'}, 'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': []}}");
    assertKind(TokenizerKind.WORD_PIECE,
        "{'pre_tokenizer': {'type': 'BertPreTokenizer'},"
            + " 'model': {'type': 'WordPiece', 'unk_token': 'a', 'vocab': {'a': 0}}}");
    assertKind(TokenizerKind.UNIGRAM, "{'model': {'type': 'Unigram', 'unk_id': 0, 'vocab': [['a', -1.0]]}}");
  }

  @Test
  void severalSequencesAreEachAsAlone() throws Exception {
    for (GoldenModel golden : GoldenModel.all()) {
      try (Tokenizer tokenizer = Tokenizer.load(golden.folder)) {
        int[][] sequences = golden.textIds.toArray(new int[0][]);
        for (boolean skip : new boolean[] {false, true}) {
          List<String> all = tokenizer.detokenize(sequences, skip);
          assertEquals(sequences.length, all.size());
          for (int i = 0; i < sequences.length; i++) {
            assertEquals(tokenizer.detokenize(sequences[i], skip), all.get(i));
          }
        }
        assertEquals(List.of(), tokenizer.detokenize(new int[0][], true));
        assertEquals(List.of("", ""), tokenizer.detokenize(new int[2][0], true));
        int none = tokenizer.info().vocabSize();
        assertThrows(IllegalArgumentException.class, () -> tokenizer.detokenize(new int[][] {{0}, {none}}, true));
      }
    }
  }

  @Test
  void severalTextsAreEachAsAlone() throws Exception {
    for (GoldenModel golden : GoldenModel.all()) {
      try (Tokenizer tokenizer = Tokenizer.load(golden.folder)) {
        for (TokenizeOptions options : List.of(
            TokenizeOptions.defaults(), TokenizeOptions.defaults().withSpecialTokens(false).withMaxTokens(3),
            TokenizeOptions.defaults().withNumThreads(1))) {
          List<Tokens> all = tokenizer.tokenize(golden.texts, options);
          assertEquals(golden.texts.size(), all.size());
          for (int i = 0; i < all.size(); i++) {
            assertEquals(tokenizer.tokenize(golden.texts.get(i), options), all.get(i));
          }
        }
        assertEquals(List.of(), tokenizer.tokenize(List.of(), TokenizeOptions.defaults()));
        List<String> bad = List.of("good", "half \ud800 a pair");
        IllegalArgumentException named = assertThrows(
            IllegalArgumentException.class, () -> tokenizer.tokenize(bad, TokenizeOptions.defaults()));
        assertTrue(named.getMessage().startsWith("texts[1]: "), named.getMessage());
        TokenizeOptions repaired = TokenizeOptions.defaults().withRepair(true);
        Tokens expected = tokenizer.tokenize("half \ufffd a pair", TokenizeOptions.defaults());
        assertEquals(expected, tokenizer.tokenize(bad, repaired).get(1));
        assertEquals(expected, tokenizer.tokenize(bad.get(1), repaired));
        assertArrayEquals(expected.ids(), tokenizer.tokenize(bad.get(1), repaired.withSpecialTokens(true)).ids());
        Cancellation cancelled = new Cancellation();
        cancelled.cancel();
        assertThrows(
            java.util.concurrent.CancellationException.class,
            () -> tokenizer.tokenize(bad, repaired.withCancellation(cancelled)));
        assertThrows(IllegalArgumentException.class, () -> TokenizeOptions.defaults().withNumThreads(-1));
      }
    }
  }

  @Test
  void cutsAndTellsSo() throws Exception {
    Tokenizer tokenizer;
    try (Model model = Model.load(GoldenModel.all().get(0).folder)) {
      tokenizer = model.tokenizer();
    }
    Tokens all = tokenizer.tokenize("one two three four", TokenizeOptions.defaults());
    Tokens cut = tokenizer.tokenize("one two three four", TokenizeOptions.defaults().withMaxTokens(4));
    assertEquals(4, cut.size());
    assertTrue(cut.isCut() && !all.isCut());
    assertEquals(all.size(), cut.uncutSize());
    assertThrows(IllegalArgumentException.class, () -> TokenizeOptions.defaults().withMaxTokens(-1));
    assertThrows(IllegalArgumentException.class, () -> tokenizer.tokenize("\ud800"));
    assertThrows(IllegalArgumentException.class, () -> tokenizer.token(-1));
    assertThrows(IllegalArgumentException.class, () -> tokenizer.detokenize(new int[] {-1}, true));
    tokenizer.close();
    tokenizer.close();
    assertThrows(IllegalStateException.class, () -> tokenizer.tokenize("one"));
    assertTrue(tokenizer.isClosed());
  }

  @Test
  void idsWithoutTokensHaveNone() throws Exception {
    try (Tokenizer tokenizer = Tokenizer.load(GoldenModel.all().get(0).folder)) {
      int found = 0;
      for (int id = 0; id < tokenizer.info().vocabSize(); id++) {
        String token = tokenizer.token(id);
        if (token == null) {
          assertNull(token);
        } else {
          found++;
        }
      }
      assertTrue(found > tokenizer.info().vocabSize() / 2);
    }
  }
}
