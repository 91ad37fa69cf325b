// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.lookupffn.Activation;
import io.github.lookupffn.BadModelException;
import io.github.lookupffn.ForwardOptions;
import io.github.lookupffn.Layer;
import io.github.lookupffn.LayerConfig;
import io.github.lookupffn.LookupFfn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** Runs a layer from a file, or from one with random weights that it makes first: {@code Main [layer.safetensors]}. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws IOException {
    System.out.println("LookupFFN " + LookupFfn.version() + " on " + LookupFfn.isa());
    if (arguments.length > 0) {
      run(Paths.get(arguments[0]));
      return;
    }
    Path file = Files.createTempFile("layer", ".safetensors");
    try {
      LayerConfig config = LayerConfig.of(512, 64, 256).withActivation(Activation.GELU).withSeed(1);
      try (Layer layer = Layer.random(config)) {
        layer.save(file);
      }
      run(file);
    } finally {
      Files.delete(file);
    }
  }

  private static void run(Path file) {
    int tokens = 16;
    try (Layer layer = Layer.load(file)) {
      System.out.println(layer.info());
      float[] x = new float[tokens * layer.inputSize()];
      for (int i = 0; i < x.length; i++) {
        x[i] = (float) Math.sin(i);
      }
      float[] y = new float[tokens * layer.outputSize()];
      layer.forward(x, tokens, y);
      System.out.println("y[0] = " + y[0]);
      // As in a transformer's block: the result is added to what is there.
      layer.forward(x, 0, tokens, y, 0, ForwardOptions.defaults().withAddToOutput(true));
      System.out.println("twice: " + y[0]);
    } catch (BadModelException notALayer) {
      System.err.println(notALayer.getMessage());
      System.exit(1);
    }
  }
}
