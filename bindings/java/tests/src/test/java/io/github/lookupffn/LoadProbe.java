// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** Run in a virtual machine of its own: prints where the native library came from, or twice why it did not. */
final class LoadProbe {
  private LoadProbe() {}

  public static void main(String[] arguments) {
    for (int i = 0; i < 2; i++) {
      try (Layer layer = Layer.random(LayerConfig.of(8, 2, 4).withDenseProjection())) {
        layer.forward(new float[8], 1, new float[8]);
        System.out.println("loaded " + LookupFfn.nativePath());
      } catch (UnsatisfiedLinkError failure) {
        System.out.println("failed " + failure.getMessage());
      }
    }
  }
}
