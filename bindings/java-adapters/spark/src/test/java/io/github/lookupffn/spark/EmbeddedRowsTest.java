// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a task makes of a partition. It needs whole jars of Spark, and is skipped with those that are to compile with alone. */
class EmbeddedRowsTest {
  private static final String PROMPTS = Path.of(System.getProperty("lookupffn.made.models"), "prompts").toString();

  @BeforeAll
  static void rowsCanBeMade() {
    boolean whole;
    try {
      Class.forName("org.json4s.JValue");
      whole = true;
    } catch (ClassNotFoundException part) {
      whole = false;
    }
    assumeTrue(whole, "the jars of Spark are a part of it, to compile with");
  }

  private static EmbeddingPlan plan(String nulls) {
    return new EmbeddingPlan(new ModelRef(PROMPTS), 1, 3, "query", false, true, nulls);
  }

  private static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      rows.add(RowFactory.create(i, i == 4 ? null : i == 7 ? "word ".repeat(500) : "text " + i));
    }
    return rows;
  }

  private static List<Row> run(EmbeddingPlan plan) {
    List<Row> made = new ArrayList<>();
    for (Iterator<Row> rows = plan.call(rows().iterator()); rows.hasNext(); ) {
      made.add(rows.next());
    }
    return made;
  }

  @Test
  void vectorsBesideTheirRows() {
    List<Row> made = run(plan("keep"));
    assertEquals(10, made.size());
    Model model = new ModelRef(PROMPTS).get();
    for (int i = 0; i < 10; i++) {
      Row row = made.get(i);
      assertEquals(i, row.get(0));
      if (i == 4) {
        assertNull(row.get(2));
        assertNull(row.get(3));
      } else {
        float[] expected = model.embed(
            row.getString(1), model.withPrompt("query", RunOptions.defaults()));
        assertArrayEquals(EmbeddedRows.boxed(expected), (Float[]) row.get(2));
        assertEquals(i == 7, row.get(3));
      }
    }
  }

  @Test
  void nulls() {
    assertEquals(9, run(plan("skip")).size());
    assertThrows(IllegalArgumentException.class, () -> run(plan("error")));
  }
}
