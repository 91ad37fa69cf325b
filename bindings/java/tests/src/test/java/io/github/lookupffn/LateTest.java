// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several vectors of a text, and what they say of documents. */
class LateTest {
  private static final List<String> DOCUMENTS = List.of("a cat sleeps", "the dog runs in a house", "b");
  private static final List<String> QUERIES = List.of("cat", "a dog");
  private Model model;
  private RunOptions query;
  private RunOptions document;

  private static Path made(String name) {
    return Paths.get(System.getProperty("lookupffn.made.models")).resolve(name);
  }

  @BeforeEach
  void load() {
    model = Model.load(made("late"));
    query = model.withPrompt(Purpose.QUERY, RunOptions.defaults());
    document = model.withPrompt(Purpose.DOCUMENT, RunOptions.defaults());
  }

  @AfterEach
  void close() {
    model.close();
  }

  /** For each vector of the query the largest dot product with one of the document's, all added up. */
  private static double score(LateVectors queries, int q, LateVectors documents, int d) {
    double sum = 0;
    for (long i = queries.offsets()[q]; i < queries.offsets()[q + 1]; i++) {
      double most = Double.NEGATIVE_INFINITY;
      for (long k = documents.offsets()[d]; k < documents.offsets()[d + 1]; k++) {
        double dot = 0;
        for (int j = 0; j < queries.size(); j++) {
          dot += (double) queries.floats()[(int) i * queries.size() + j] * documents.floats()[(int) k * documents.size() + j];
        }
        most = Math.max(most, dot);
      }
      sum += most;
    }
    return sum;
  }

  @Test
  void scoresAreTheSumsOfTheLargestProducts() {
    assertTrue(model.info().isLate());
    LateVectors documents = model.embedLate(DOCUMENTS, document);
    LateVectors queries = model.embedLate(QUERIES, query);
    assertEquals(DOCUMENTS.size(), documents.texts());
    assertNull(documents.bytes());
    float[][] scores = documents.scores(queries);
    for (int q = 0; q < QUERIES.size(); q++) {
      for (int d = 0; d < DOCUMENTS.size(); d++) {
        assertEquals(score(queries, q, documents, d), scores[q][d], 1e-4);
      }
      assertArrayEquals(scores[q], model.rerank(QUERIES.get(q), DOCUMENTS, RunOptions.defaults()));
    }
    LateVectors later = LookupFfn.await(LookupFfn.async(document, changed -> model.embedLate(DOCUMENTS, changed)));
    assertArrayEquals(documents.floats(), later.floats());
    assertArrayEquals(queries.floats(), model.embedLate(QUERIES, RunOptions.defaults().withPrompt("query")).floats());
    assertEquals(0, model.embedLate(List.of(), document).scores(queries)[0].length);
    assertEquals(0, documents.scores(model.embedLate(List.of(), query)).length);
  }

  @Test
  void bytesScoreAlmostAsFloats() {
    LateVectors floats = model.embedLate(DOCUMENTS, document);
    LateVectors bytes = model.embedLateInt8(DOCUMENTS, document);
    assertNull(bytes.floats());
    assertEquals(floats.offsets()[3], bytes.scales().length);
    assertEquals(bytes.scales().length * bytes.size(), bytes.bytes().length);
    LateVectors queries = model.embedLate(QUERIES, query);
    for (int q = 0; q < QUERIES.size(); q++) {
      for (int d = 0; d < DOCUMENTS.size(); d++) {
        float exact = floats.scores(queries)[q][d];
        assertEquals(exact, bytes.scores(queries)[q][d], 0.02 * Math.max(1, Math.abs(exact)));
      }
    }
  }

  @Test
  void whatCannotBe() {
    LateVectors documents = model.embedLate(DOCUMENTS, document);
    Cancellation cancelled = new Cancellation();
    cancelled.cancel();
    assertThrows(CancellationException.class, () -> documents.scores(documents, cancelled));
    assertThrows(CancellationException.class, () -> model.rerank("a", DOCUMENTS, query.withCancellation(cancelled)));
    assertThrows(NullPointerException.class, () -> documents.scores(null));
    assertThrows(NullPointerException.class, () -> model.rerank("a", Arrays.asList("b", null), RunOptions.defaults()));
    assertThrows(NullPointerException.class, () -> model.embedLate(Arrays.asList("b", null), document));
    try (Model other = Model.load(made("sparse"))) {
      String text =
          assertThrows(UnsupportedModelException.class, () -> other.embedLate(DOCUMENTS, RunOptions.defaults())).getMessage();
      assertTrue(text.contains("late interaction"), text);
    }
  }
}
