// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.Reference;

/** A model in native memory, its facts, and the way into its calls and out of them. */
final class NativeModel {
  final NativeHandle handle;
  final ModelFacts facts;
  // Kept reachable for the length of each call, so that a forgotten model is not closed under it.
  private final Model model;

  NativeModel(Model model, NativeHandle handle, long address) {
    this.model = model;
    this.handle = handle;
    facts = new ModelFacts(address);
  }

  ModelInfo info() {
    return facts.info;
  }

  long enter() {
    return handle.enter();
  }

  void leave() {
    handle.leave();
    Reference.reachabilityFence(model);
  }

  /** A text of the model, chosen by a TEXT_ value. */
  String text(int what, int index) {
    long address = enter();
    try {
      return Utf8.text(Raw.modelText(address, what, index));
    } finally {
      leave();
    }
  }

  String fingerprint() {
    return PlatformThreads.call(() -> {
      long[] numbers = new long[Abi.FINGERPRINT_COUNT];
      long address = enter();
      try {
        Raw.modelFingerprint(address, numbers);
      } finally {
        leave();
      }
      return String.format("%016x%016x", numbers[0], numbers[1]);
    });
  }
}
