// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.lookupffn.LookupFfnException;
import io.github.lookupffn.Model;
import io.github.lookupffn.ScoredLabel;
import java.nio.file.Path;
import java.util.List;

/** Tells which of some labels, none of which the model learned, fits a text best: {@code ZeroShot MODEL TEXT LABEL...}. */
public final class ZeroShot {
  private ZeroShot() {}

  public static void main(String[] arguments) {
    if (arguments.length < 3) {
      System.err.println("usage: ZeroShot MODEL TEXT LABEL...");
      System.exit(2);
    }
    try (Model model = Model.load(Path.of(arguments[0]))) {
      List<String> labels = List.of(arguments).subList(2, arguments.length);
      for (ScoredLabel label : model.zeroShot(arguments[1], labels)) {
        System.out.printf("%6.4f  %s%n", label.score(), label.label());
      }
    } catch (LookupFfnException | IllegalArgumentException failure) {
      System.err.println(failure);
      System.exit(1);
    }
  }
}
