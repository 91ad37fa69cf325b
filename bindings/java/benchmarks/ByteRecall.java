// SPDX-License-Identifier: Apache-2.0
import io.github.lookupffn.Int8Embedding;
import io.github.lookupffn.Measure;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.SearchOptions;
import io.github.lookupffn.Vectors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * How many of the ten nearest texts by vectors of floats are also among the ten nearest by vectors of bytes: {@code java -cp
 * lookupffn-1.0.0.jar ByteRecall.java MODEL TEXTS}. The first 200 lines are the queries, the others what is searched.
 */
public final class ByteRecall {
  private static final int QUERIES = 200;
  private static final int NEAREST = 10;

  private ByteRecall() {}

  /** The nearest of each query, by their numbers among the other vectors. */
  private static <T> long[][] nearest(List<T> vectors, Function<List<T>, Vectors> block, Measure measure) {
    Vectors queries = block.apply(vectors.subList(0, QUERIES));
    Vectors searched = block.apply(vectors.subList(QUERIES, vectors.size()));
    return Vectors.topK(queries, searched, SearchOptions.defaults().withK(NEAREST).withMeasure(measure)).ids();
  }

  /** As a search engine holds them that knows no scales. */
  private static Vectors withoutScales(List<Int8Embedding> vectors) {
    return Vectors.ofInt8(vectors).withScale(1);
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
      long[][] right = nearest(floats, Vectors::of, Measure.DOT);
      tell("a scale for each vector, by dot product", right, nearest(own, ByteRecall::withoutScales, Measure.DOT));
      tell("a scale for each vector, by cosine", right, nearest(own, ByteRecall::withoutScales, Measure.COSINE));
      for (float part : new float[] {1, 0.5f, 0.25f, 0.2f, 0.15f}) {
        List<Int8Embedding> scaled =
            floats.stream().map(vector -> Int8Embedding.ofFixedScale(vector, part)).collect(Collectors.toList());
        tell("the fixed scale " + part + "/127, by dot product", right, nearest(scaled, ByteRecall::withoutScales, Measure.DOT));
      }
    }
  }

  private static void tell(String how, long[][] right, long[][] told) {
    long found = 0;
    for (int query = 0; query < QUERIES; query++) {
      long[] expected = right[query];
      found += Arrays.stream(told[query]).filter(id -> LongStream.of(expected).anyMatch(one -> one == id)).count();
    }
    System.out.printf("%.3f  %s%n", found / (double) (QUERIES * NEAREST), how);
  }
}
