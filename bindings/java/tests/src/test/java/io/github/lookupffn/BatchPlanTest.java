// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The plan does what the cases say that both languages share. */
class BatchPlanTest {
  private static final Path CASES = Path.of(System.getProperty("lookupffn.batching"));

  /** A call of a case. */
  private static final class Named extends BatchPlan.Call {
    final String name;

    Named(String name, int[] costs) {
      super(costs);
      this.name = name;
    }
  }

  private final Map<String, Named> calls = new HashMap<>();
  private BatchPlan<Named> plan;
  private String where = "";

  private static int[] costs(String[] words) {
    List<Integer> costs = new ArrayList<>();
    for (String word : Arrays.asList(words).subList(2, words.length)) {
      String[] parts = word.split("x");
      for (int i = 0; i < (parts.length == 1 ? 1 : Integer.parseInt(parts[1])); i++) {
        costs.add(word.endsWith("!") ? BatchPlan.LONG : Integer.parseInt(parts[0]));
      }
    }
    return costs.stream().mapToInt(Integer::intValue).toArray();
  }

  private static List<String> items(List<BatchPlan.Item<Named>> batch) {
    List<String> items = new ArrayList<>();
    batch.forEach(item -> items.add(item.call.name + ":" + item.place));
    return items;
  }

  private static List<String> wanted(String[] words) {
    List<String> items = new ArrayList<>();
    for (String word : Arrays.asList(words).subList(1, words.length)) {
      String[] parts = word.split("[:-]");
      for (int place = Integer.parseInt(parts[1]); place <= Integer.parseInt(parts[parts.length - 1]); place++) {
        items.add(parts[0] + ":" + place);
      }
    }
    return items;
  }

  private void step(String[] words) {
    switch (words[0]) {
      case "cost":
        int limit = words[2].equals("-") ? Integer.MAX_VALUE : Integer.parseInt(words[2]);
        assertEquals(Integer.parseInt(words[3]), BatchPlan.cost(Long.parseLong(words[1]), limit), where);
        break;
      case "case":
        calls.clear();
        break;
      case "bounds":
        int[] bounds = Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).toArray();
        plan = new BatchPlan<>(bounds[0], bounds[1], bounds[2], bounds[3]);
        break;
      case "add":
      case "wait":
      case "refuse":
        Named call = new Named(words[1], costs(words));
        calls.put(words[1], call);
        assertEquals(!words[0].equals("refuse"), plan.add(call, words[0].equals("wait")), where);
        break;
      case "full":
        assertEquals(words[1].equals("yes"), plan.isFull(), where);
        break;
      case "batch":
        assertEquals(words.length > 1, plan.hasBatch(), where);
        assertEquals(wanted(words), items(plan.nextBatch()), where);
        break;
      case "long":
        assertEquals(words.length > 1, plan.hasLong(), where);
        BatchPlan.Item<Named> item = plan.nextLong();
        assertEquals(wanted(words), item == null ? List.of() : items(List.of(item)), where);
        break;
      case "leave":
        long before = plan.texts();
        int left = plan.leave(calls.get(words[1]));
        assertEquals(before - left, plan.texts(), where);
        assertTrue(left > 0, where);
        break;
      case "depth":
        assertEquals(Integer.parseInt(words[1]), plan.shortTexts(), where);
        assertEquals(Integer.parseInt(words[2]), plan.numBulk(), where);
        break;
      default:
        throw new AssertionError(where);
    }
  }

  @Test
  void theSharedCases() throws Exception {
    int steps = 0;
    String inCase = "";
    for (String line : Files.readAllLines(CASES)) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      inCase = line.startsWith("case ") ? line : inCase;
      where = inCase + ", step " + ++steps + ": " + line;
      step(line.split(" "));
    }
    assertTrue(steps > 200, where);
  }

  @Test
  void bytesMakeATextLong() {
    assertEquals(10, BatchPlan.costOf(65_536, 10));
    assertEquals(BatchPlan.LONG, BatchPlan.costOf(65_537, 10));
  }
}
