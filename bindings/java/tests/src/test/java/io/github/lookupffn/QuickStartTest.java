// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The quick start of docs/java.md, run where it finds a folder "my-model". */
class QuickStartTest {
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      try (Model model = Model.load(Path.of("my-model"))) {
        float[] vector = model.embed("A sentence.");
        String best = model.fillMask("Freedom is <mask> word.", 1).get(0).get(0).text();
        System.out.println(vector.length + " numbers, and a word: " + !best.isEmpty());
      }
    }
  }

  @Test
  void runs(@TempDir Path folder) throws IOException, InterruptedException {
    Files.createSymbolicLink(folder.resolve("my-model"), new GoldenModel("model-lookup").folder);
    Path output = folder.resolve("output.txt");
    Process process = new ProcessBuilder(
            Paths.get(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName())
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals("64 numbers, and a word: true", Files.readString(output).trim());
  }
}
