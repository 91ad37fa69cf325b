// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sparse vectors: what the language model head says of a text. */
class SparseTest {
  private static final List<String> TEXTS = List.of("a cat sleeps", "b", "the dog and the cat run in a house");
  private static final Path MADE = Paths.get(System.getProperty("lookupffn.made.models"));
  private Model model;

  @BeforeEach
  void load() {
    model = Model.load(MADE.resolve("sparse"));
  }

  @AfterEach
  void close() {
    model.close();
  }

  private static SparseEmbedding sparse(Model model, String text) {
    return model.run(Input.text(text), Output.SPARSE).get(0);
  }

  @Test
  void theLargestOfEachTokenAboveZero() {
    assertEquals(model.info().vocabSize(), model.info().sparseSize());
    assertEquals(0, model.info().maxActive());
    List<SparseEmbedding> found = model.embedSparse(TEXTS, RunOptions.defaults());
    for (int i = 0; i < TEXTS.size(); i++) {
      int[] ids = model.tokenize(TEXTS.get(i));
      int[] places = new int[ids.length];
      Arrays.setAll(places, place -> place);
      float[] most = new float[model.info().vocabSize()];
      for (float[] logits : model.logits(ids, places)) {
        for (int id = 0; id < most.length; id++) {
          most[id] = Math.max(most[id], (float) Math.log1p(Math.max(0, logits[id])));
        }
      }
      SparseEmbedding vector = found.get(i);
      float before = Float.MAX_VALUE;
      for (int k = 0; k < vector.size(); k++) {
        assertEquals(most[vector.ids()[k]], vector.weights()[k], 1e-4f);
        assertTrue(vector.weights()[k] <= before && vector.weights()[k] > 0);
        before = vector.weights()[k];
        most[vector.ids()[k]] = 0;
      }
      for (float left : most) {
        assertTrue(left <= 1e-4f, "a weight is left out");
      }
      assertEquals(vector, sparse(model, TEXTS.get(i)));
      assertEquals(vector.hashCode(), sparse(model, TEXTS.get(i)).hashCode());
    }
    CompletableFuture<List<SparseEmbedding>> later =
        LookupFfn.async(RunOptions.defaults(), changed -> model.embedSparse(TEXTS, changed));
    assertEquals(found, LookupFfn.await(later));
    assertEquals(List.of(), model.embedSparse(List.of(), RunOptions.defaults()));
  }

  @Test
  void limits() {
    RunOptions options = RunOptions.defaults();
    SparseEmbedding all = model.embedSparse(List.of(TEXTS.get(2)), options.withMaxActive(-1)).get(0);
    assertEquals(sparse(model, TEXTS.get(2)), all);
    SparseEmbedding most = model.embedSparse(List.of(TEXTS.get(2)), options.withMaxActive(5)).get(0);
    assertArrayEquals(Arrays.copyOf(all.ids(), 5), most.ids());
    float least = all.weights()[3];
    SparseEmbedding above = model.embedSparse(List.of(TEXTS.get(2)), options.withMinWeight(least)).get(0);
    assertEquals(3, above.size());
    assertThrows(IllegalArgumentException.class, () -> options.withMaxActive(-2));
    for (float bad : new float[] {-1, Float.NaN, Float.POSITIVE_INFINITY}) {
      assertThrows(IllegalArgumentException.class, () -> options.withMinWeight(bad));
    }
    assertTrue(options.withMaxActive(5).withMinWeight(0.5f).toString().contains("at most 5 weights, weights above 0.5"));
    assertFalse(options.equals(options.withMaxActive(5)));
  }

  @Test
  void dotProducts() {
    SparseEmbedding one = sparse(model, TEXTS.get(0));
    SparseEmbedding other = sparse(model, TEXTS.get(2));
    double[] dense = new double[model.info().vocabSize()];
    for (int i = 0; i < other.size(); i++) {
      dense[other.ids()[i]] = other.weights()[i];
    }
    double sum = 0;
    for (int i = 0; i < one.size(); i++) {
      sum += one.weights()[i] * dense[one.ids()[i]];
    }
    assertEquals(sum, one.dot(other), 1e-4 * Math.abs(sum));
    assertEquals(6, SparseEmbedding.of(new int[] {7, 2}, new float[] {3, 1})
        .dot(SparseEmbedding.of(new int[] {9, 7}, new float[] {1, 2})));
    assertThrows(IllegalArgumentException.class, () -> SparseEmbedding.of(new int[1], new float[0]));
  }

  @Test
  void textsThatCannotBeRunAndModelsThatHaveNone() {
    List<String> some = new ArrayList<>(Arrays.asList("b", null, "half \ud800", "a"));
    TextStatuses statuses = new TextStatuses();
    List<SparseEmbedding> found = model.embedSparse(some, RunOptions.defaults().withStatuses(statuses));
    assertEquals(sparse(model, "b"), found.get(0));
    assertEquals(0, found.get(1).size() + found.get(2).size());
    assertEquals(sparse(model, "a"), found.get(3));
    assertThrows(NullPointerException.class, () -> model.embedSparse(some, RunOptions.defaults()));
    assertThrows(NullPointerException.class, () -> model.embedSparse(null, RunOptions.defaults()));
    Cancellation cancelled = new Cancellation();
    cancelled.cancel();
    assertThrows(
        CancellationException.class,
        () -> model.embedSparse(TEXTS, RunOptions.defaults().withCancellation(cancelled)));
    try (Model dense = Model.load(Paths.get(System.getProperty("lookupffn.made.models")).resolve("tokens"))) {
      assertEquals(0, dense.info().sparseSize());
      String text = assertThrows(UnsupportedModelException.class, () -> sparse(dense, "a")).getMessage();
      assertTrue(text.contains("no sparse vectors"), text);
    }
  }

  @Test
  void aPromptsNameChoosesTheRoute() {
    RunOptions plain = RunOptions.defaults();
    try (Model router = Model.load(MADE.resolve("router"))) {
      List<SparseEmbedding> queries = router.embedSparse(TEXTS, router.withPrompt(Purpose.QUERY, plain));
      List<SparseEmbedding> documents = router.embedSparse(TEXTS, router.withPrompt(Purpose.DOCUMENT, plain));
      assertFalse(queries.equals(documents));
      assertEquals(documents, router.embedSparse(TEXTS, plain));
      for (String name : List.of("query", "search_query")) {
        assertEquals(queries, router.embedSparse(TEXTS, router.withPrompt(name, plain)), name);
      }
      assertEquals(queries, router.embedSparse(TEXTS, plain.withPrompt("query")));
      assertEquals(documents, router.embedSparse(TEXTS, router.withPrompt("passage", plain)));
      assertEquals(documents, router.embedSparse(TEXTS, plain.withPrompt("document")));
      String none = assertThrows(
          IllegalArgumentException.class, () -> router.embedSparse(TEXTS, plain.withPrompt("question"))).getMessage();
      assertTrue(none.contains("no prompt 'question'"), none);
    }
    try (Model router = Model.load(MADE.resolve("router-prompts"))) {
      String other = assertThrows(
          IllegalArgumentException.class, () -> router.embedSparse(TEXTS, plain.withPrompt("question"))).getMessage();
      assertTrue(other.startsWith("the prompt \"question\" chooses no route"), other);
      assertEquals(
          router.embedSparse(TEXTS, plain.withQueryPrompt()), router.embedSparse(TEXTS, plain.withPrompt("query")));
    }
  }
}
