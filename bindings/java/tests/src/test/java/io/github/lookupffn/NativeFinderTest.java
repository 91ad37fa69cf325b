// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the finder makes of loaders that refuse, and of libraries of another version. */
class NativeFinderTest {
  private static void fine(String name) {}

  private static void assertSays(NativeFinder finder, String... parts) {
    for (String part : parts) {
      assertTrue(finder.explanation().contains(part), () -> "no \"" + part + "\" in:\n" + finder.explanation());
    }
  }

  /** As Java does from 24 on with --illegal-native-access=deny. */
  private static void forbid(String name) {
    throw new IllegalCallerException("Illegal native access from an unnamed module");
  }

  @Test
  void nativeAccessThatIsForbidden() {
    NativeFinder finder = new NativeFinder(NativeFinderTest::forbid, NativeFinderTest::forbid, () -> Abi.ABI_VERSION);
    assertNull(finder.find());
    assertSays(finder, "Illegal native access", "--enable-native-access=ALL-UNNAMED",
        "--enable-native-access=io.github.lookupffn where the jar is on the module path");
  }

  @Test
  void onlyTheLibraryPathIsForbidden() {
    NativeFinder finder = new NativeFinder(
        file -> {
          throw new UnsatisfiedLinkError("no such symbol");
        },
        NativeFinderTest::forbid,
        () -> Abi.ABI_VERSION);
    assertNull(finder.find());
    assertSays(finder, "no such symbol", "--enable-native-access=ALL-UNNAMED");
  }

  @Test
  void anotherVersionIsRefused() {
    List<String> names = new ArrayList<>();
    NativeFinder finder = new NativeFinder(names::add, names::add, () -> 120304);
    assertNull(finder.find());
    assertEquals(2, names.size(), "the jar's copy and the library path");
    assertSays(finder, "it has version 12.3.4, but " + LookupFfn.version() + " is needed");
  }

  @Test
  void oneWithoutAVersionIsRefused() {
    NativeFinder finder = new NativeFinder(NativeFinderTest::fine, NativeFinderTest::fine, () -> {
      throw new UnsatisfiedLinkError("version()I");
    });
    assertNull(finder.find());
    assertSays(finder, "it does not tell its version, " + LookupFfn.version() + " is needed");
  }

  @Test
  void theRightOneIsTaken() {
    assertNotNull(new NativeFinder(NativeFinderTest::fine, NativeFinderTest::fine, () -> Abi.ABI_VERSION).find());
  }
}
