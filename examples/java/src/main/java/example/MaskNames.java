// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.lookupffn.Aggregation;
import io.github.lookupffn.Entity;
import io.github.lookupffn.LookupFfnException;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Puts [PER], [LOC] and the like in the place of names in the lines of a text file: {@code MaskNames MODEL FILE}. */
public final class MaskNames {
  private MaskNames() {}

  public static void main(String[] arguments) {
    if (arguments.length != 2) {
      System.err.println("usage: MaskNames MODEL FILE");
      System.exit(2);
    }
    try (Model model = Model.load(Path.of(arguments[0]))) {
      for (String line : Files.readAllLines(Path.of(arguments[1]))) {
        System.out.println(masked(model, line));
      }
    } catch (LookupFfnException | IllegalArgumentException | IOException failure) {
      System.err.println(failure);
      System.exit(1);
    }
  }

  private static String masked(Model model, String line) {
    // A line that is too long is refused: names in what is cut would be missed.
    RunOptions never = RunOptions.defaults().withoutCutting();
    StringBuilder result = new StringBuilder();
    int at = 0;
    for (Entity entity : model.entities(List.of(line), Aggregation.FIRST, never).get(0)) {
      result.append(line, at, entity.begin()).append('[').append(entity.label()).append(']');
      at = entity.end();
    }
    return result.append(line.substring(at)).toString();
  }
}
