// SPDX-License-Identifier: Apache-2.0
import io.github.lookupffn.Int8Embedding;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How many of the ten nearest texts by vectors of floats are also among the ten nearest by vectors of bytes: {@code java -cp
 * lookupffn-1.0.0.jar ByteRecall.java MODEL TEXTS}. The first 200 lines are the queries, the others what is searched.
 */
public final class ByteRecall {
  private static final int QUERIES = 200;
  private static final int NEAREST = 10;

  private ByteRecall() {}

  private static Set<Integer> nearest(int from, int to, IntToDoubleFunction score) {
    double[] scores = IntStream.range(from, to).mapToDouble(score).toArray();
    return IntStream.range(from, to).boxed()
        .sorted(Comparator.comparingDouble(i -> -scores[i - from]))
        .limit(NEAREST)
        .collect(Collectors.toSet());
  }

  private static double dot(byte[] a, byte[] b) {
    long sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  private static double dot(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  /** A way to compare the vectors of two texts. */
  private interface Score {
    double of(int a, int b);
  }

  public static void main(String[] arguments) throws Exception {
    List<String> texts = Files.readAllLines(Path.of(arguments[1])).stream().distinct().collect(Collectors.toList());
    try (Model model = Model.load(Path.of(arguments[0]))) {
      RunOptions options = RunOptions.defaults().withNormalization(true);
      List<float[]> floats = new ArrayList<>();
      List<Int8Embedding> own = new ArrayList<>();
      for (int i = 0; i < texts.size(); i += 64) {
        List<String> part = texts.subList(i, Math.min(texts.size(), i + 64));
        floats.addAll(List.of(model.embed(part, options)));
        own.addAll(model.embedInt8(part, options));
      }
      float largest = 0;
      for (float[] vector : floats) {
        for (float number : vector) {
          largest = Math.max(largest, Math.abs(number));
        }
      }
      System.out.printf("%d texts, %d numbers, the largest %.3f%n", texts.size(), floats.get(0).length, largest);
      List<Int8Embedding> fixed = floats.stream().map(Int8Embedding::ofFixedScale).collect(Collectors.toList());
      tell("a scale for each vector, by dot product", floats, (a, b) -> dot(own.get(a).numbers(), own.get(b).numbers()));
      tell("a scale for each vector, by cosine", floats, (a, b) -> dot(own.get(a).numbers(), own.get(b).numbers())
          / Math.sqrt(dot(own.get(b).numbers(), own.get(b).numbers())));
      tell("the fixed scale 1/127, by dot product", floats, (a, b) -> dot(fixed.get(a).numbers(), fixed.get(b).numbers()));
      for (float part : new float[] {0.5f, 0.25f, 0.2f, 0.15f}) {
        List<Int8Embedding> scaled =
            floats.stream().map(vector -> Int8Embedding.ofFixedScale(vector, part)).collect(Collectors.toList());
        tell("the fixed scale " + part + "/127, by dot product", floats,
            (a, b) -> dot(scaled.get(a).numbers(), scaled.get(b).numbers()));
      }
    }
  }

  private static void tell(String how, List<float[]> floats, Score score) {
    int found = 0;
    for (int i = 0; i < QUERIES; i++) {
      int query = i;
      Set<Integer> right = nearest(QUERIES, floats.size(), text -> dot(floats.get(query), floats.get(text)));
      Set<Integer> told = nearest(QUERIES, floats.size(), text -> score.of(query, text));
      told.retainAll(right);
      found += told.size();
    }
    System.out.printf("%.3f  %s%n", found / (double) (QUERIES * NEAREST), how);
  }
}
