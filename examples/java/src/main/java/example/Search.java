// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.lookupffn.LookupFfnException;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.TextCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Indexes the lines of a text file and prints those that are most like a question: {@code Search MODEL FILE QUESTION}. */
public final class Search {
  private static final int BEST = 3;
  private static final int BATCH = 64;

  private Search() {}

  public static void main(String[] arguments) {
    if (arguments.length != 3) {
      System.err.println("usage: Search MODEL FILE QUESTION, such as examples/models/all-minilm-l6-v2-lookup");
      System.exit(2);
    }
    try (Model model = Model.load(Paths.get(arguments[0]))) {
      search(model, linesOf(Paths.get(arguments[1])), arguments[2]);
    } catch (LookupFfnException | IOException failure) {
      System.err.println(failure);
      System.exit(1);
    }
  }

  private static List<String> linesOf(Path file) throws IOException {
    return Files.readAllLines(file).stream().filter(line -> !line.isBlank()).collect(Collectors.toList());
  }

  private static void search(Model model, List<String> lines, String question) {
    List<float[]> index = new ArrayList<>();
    TextCounts counts = new TextCounts();
    // Documents and questions have prompts of their own where the model names some; withoutPrompt() would leave them out.
    RunOptions counted = RunOptions.defaults().withDocumentPrompt().withCounts(counts);
    long cut = 0;
    for (int from = 0; from < lines.size(); from += BATCH) {
      List<String> batch = lines.subList(from, Math.min(lines.size(), from + BATCH));
      index.addAll(List.of(model.embed(batch, counted)));
      cut += counts.numCut();
    }
    if (cut > 0) {
      System.err.println(cut + " lines were longer than the model reads; their ends are not in the index");
    }
    float[] asked = model.embed(question, RunOptions.defaults().withQueryPrompt());
    double[] similarity = index.stream().mapToDouble(vector -> cosine(vector, asked)).toArray();
    IntStream.range(0, lines.size())
        .boxed()
        .sorted(Comparator.comparingDouble(line -> -similarity[line]))
        .limit(BEST)
        .forEach(line -> System.out.printf("%6.3f  %s%n", similarity[line], lines.get(line)));
  }

  private static double cosine(float[] a, float[] b) {
    return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  }

  private static double dot(float[] a, float[] b) {
    return IntStream.range(0, a.length).mapToDouble(i -> (double) a[i] * b[i]).sum();
  }
}
