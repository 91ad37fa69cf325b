// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.lookupffn.NativeLibrary.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which native libraries are tried on machines that are not this one. */
class PlatformTest {
  @Test
  void glibc() {
    assertEquals(List.of("linux-x86_64"), Platform.folders("Linux", "amd64", List.of("java", "libc.so.6")));
    assertEquals(List.of("linux-aarch64"), Platform.folders("Linux", "aarch64", List.of("libc-2.17.so")));
    assertEquals(List.of("linux-aarch64"), Platform.folders("Linux", "arm64", List.of("ld-linux-aarch64.so.1")));
  }

  @Test
  void musl() {
    assertEquals(List.of("linux-musl-x86_64"), Platform.folders("Linux", "amd64", List.of("ld-musl-x86_64.so.1")));
    assertEquals(
        List.of("linux-musl-aarch64"), Platform.folders("Linux", "aarch64", List.of("libc.musl-aarch64.so.1")));
    assertEquals(
        List.of("linux-musl-x86_64"),
        Platform.folders("Linux", "amd64", List.of("ld-linux-x86-64.so.2", "ld-musl-x86_64.so.1")),
        "with a layer that runs programs of glibc");
  }

  @Test
  void bothAreTriedWhereNothingTells() {
    List<String> both = List.of("linux-musl-x86_64", "linux-x86_64");
    assertEquals(both, Platform.folders("Linux", "amd64", List.of()));
    assertEquals(both, Platform.folders("Linux", "amd64", List.of("java", "libcrypto.so.3", "[heap]")));
  }

  @Test
  void otherSystems() {
    assertEquals(List.of("windows-x86_64"), Platform.folders("Windows 11", "amd64", List.of()));
    assertEquals(List.of("windows-x86_64"), Platform.folders("Windows Server 2022", "x86_64", List.of()));
    assertEquals(List.of("mac os x-aarch64"), Platform.folders("Mac OS X", "aarch64", List.of()));
  }

  @Test
  void mapsAreRead(@TempDir Path folder) throws IOException {
    Path maps = folder.resolve("maps");
    Files.write(
        maps,
        List.of("7f00-7f01 r-xp 00000000 08:01 42   /lib/ld-musl-x86_64.so.1", "7f02-7f03 rw-p 00000000 00:00 0"));
    assertEquals("ld-musl-x86_64.so.1", Platform.loadedFiles(maps).get(0));
    assertEquals(List.of(), Platform.loadedFiles(folder.resolve("none")));
  }

  @Test
  void thisMachineIsKnown() {
    assertEquals(1, Platform.folders().size());
    assertTrue(Platform.ALL.containsAll(Platform.folders()));
    assertTrue(Platform.loadedFiles(Paths.get("/proc/self/maps")).stream().anyMatch(name -> name.startsWith("libjvm")));
  }
}
