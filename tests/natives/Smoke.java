// SPDX-License-Identifier: Apache-2.0
import io.github.lookupffn.LookupFfn;
import io.github.lookupffn.Model;

/** Loads the native library out of the jar, and a model, and embeds a text. */
final class Smoke {
  public static void main(String[] arguments) {
    try (Model model = Model.load(java.nio.file.Paths.get(arguments[0]))) {
      float[] embedding = model.embed("In the beginning");
      System.out.println(embedding.length + " numbers, loaded from " + LookupFfn.nativePath());
    }
  }
}
