// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.lookupffn.LookupFfnException;
import io.github.lookupffn.MaskCandidate;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Fills a mask, and ranks sentences by how similar they are to another: {@code Sentences MODEL}. */
public final class Sentences {
  private Sentences() {}

  public static void main(String[] arguments) {
    if (arguments.length != 1) {
      System.err.println("usage: Sentences MODEL, a folder or a file, such as examples/models/kjv-small");
      System.exit(2);
    }
    Path path = Paths.get(arguments[0]);
    try (Model model = Model.load(path)) {
      System.out.println(model.info());
      fill(model, "And he said <mask> them.");
      rank(
          model,
          "And the king said unto his servants.",
          List.of(
              "The length thereof was four cubits.",
              "And the LORD spake unto Moses.",
              "Thou shalt not steal.",
              "These are the sons of Levi."));
    } catch (LookupFfnException failure) {
      System.err.println(failure.getMessage());
      System.exit(1);
    }
  }

  private static void fill(Model model, String text) {
    System.out.println(text);
    for (List<MaskCandidate> mask : model.fillMask(text, 3)) {
      mask.forEach(candidate -> System.out.printf("  %.3f %s%n", candidate.probability(), candidate.text()));
    }
  }

  private static void rank(Model model, String query, List<String> sentences) {
    float[] wanted = model.embed(query);
    float[][] vectors = model.embed(sentences, RunOptions.defaults());
    double[] similarity = IntStream.range(0, vectors.length).mapToDouble(i -> dot(wanted, vectors[i])).toArray();
    System.out.println(query);
    IntStream.range(0, vectors.length)
        .boxed()
        .sorted(Comparator.comparingDouble(i -> -similarity[i]))
        .forEach(i -> System.out.printf("  %.3f %s%n", similarity[i], sentences.get(i)));
  }

  /** The cosine of the angle between two vectors, which have length 1. */
  private static double dot(float[] a, float[] b) {
    return IntStream.range(0, a.length).mapToDouble(i -> (double) a[i] * b[i]).sum();
  }
}
