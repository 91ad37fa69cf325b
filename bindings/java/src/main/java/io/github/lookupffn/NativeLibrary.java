// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** The native library, loaded once per class loader. */
final class NativeLibrary {
  private static final NativeFinder FINDER = new NativeFinder(System::load, System::loadLibrary, NativeLibrary::version);
  private static final String LOADED_FROM = FINDER.find();

  private NativeLibrary() {}

  /** Throws the same explanation each time, where a failed static initializer would give it only once. */
  static void ensureLoaded() {
    if (LOADED_FROM == null) {
      throw new UnsatisfiedLinkError(FINDER.explanation());
    }
  }

  static String loadedFrom() {
    ensureLoaded();
    return LOADED_FROM;
  }

  /** Bound by its name. Not one of the raw layer's, whose classes want a library that was found to be right. */
  private static native int version();
}
