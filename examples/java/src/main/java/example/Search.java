// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.lookupffn.LookupFfnException;
import io.github.lookupffn.Measure;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.ScoredId;
import io.github.lookupffn.SearchOptions;
import io.github.lookupffn.Vectors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Finds the lines of a text file that are most like a question: {@code Search MODEL FILE QUESTION [VECTORS]}.
 *
 * <p>Keeps an int8 vector for each line in {@code FILE.vectors}, or where a fourth argument says, and makes them anew if the
 * lines or the model have changed. It is the {@linkplain VectorsFile file} of {@code lookupffn search}.
 */
public final class Search {
  private static final int BEST = 3;

  private Search() {}

  public static void main(String[] arguments) {
    if (arguments.length < 3 || arguments.length > 4) {
      System.err.println("usage: Search MODEL FILE QUESTION [VECTORS], such as examples/models/all-minilm-l6-v2-lookup");
      System.exit(2);
    }
    Path kept = Path.of(arguments.length == 4 ? arguments[3] : arguments[1] + ".vectors");
    try (Model model = Model.load(Path.of(arguments[0]))) {
      search(model, Files.readAllBytes(Path.of(arguments[1])), arguments[2], kept);
    } catch (LookupFfnException | IllegalArgumentException | IOException failure) {
      System.err.println(failure);
      System.exit(1);
    }
  }

  private static void search(Model model, byte[] text, String question, Path kept) throws IOException {
    List<String> lines = linesOf(text);
    VectorsFile file = VectorsFile.of(model, text, lines, kept);
    // Documents and questions have prompts of their own where the model names some; withoutPrompt() would leave them out.
    RunOptions asQuery = RunOptions.defaults().withQueryPrompt();
    Vectors asked = file.isFloats()
        ? Vectors.of(model.embed(question, asQuery))
        : Vectors.ofInt8(model.embedInt8(List.of(question), asQuery));
    // For cosines, bytes need no scales.
    SearchOptions options = SearchOptions.defaults().withK(BEST).withMeasure(Measure.COSINE);
    for (ScoredId found : Vectors.topK(asked, file.vectors(), options).of(0)) {
      System.out.printf(Locale.ROOT, "%7.4f  %s%n", found.score(), lines.get((int) found.id()));
    }
  }

  private static List<String> linesOf(byte[] text) throws IOException {
    String all = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
    List<String> lines = new ArrayList<>(List.of(all.split("\r?\n", -1)));
    int last = lines.size() - 1;
    if (lines.get(last).isEmpty()) {
      lines.remove(last);
    }
    return lines;
  }
}
