// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.lookupffn.LookupFfnException;
import io.github.lookupffn.MaskCandidate;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.ScoredId;
import io.github.lookupffn.SearchOptions;
import io.github.lookupffn.Vectors;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;

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
    Vectors vectors = Vectors.of(model.embed(sentences, RunOptions.defaults()));
    SearchOptions all = SearchOptions.defaults().withK(sentences.size());
    System.out.println(query);
    // The dot product of vectors with length 1 is the cosine of the angle between them.
    for (ScoredId found : Vectors.topK(Vectors.of(model.embed(query)), vectors, all).of(0)) {
      System.out.printf("  %.3f %s%n", found.score(), sentences.get((int) found.id()));
    }
  }
}
