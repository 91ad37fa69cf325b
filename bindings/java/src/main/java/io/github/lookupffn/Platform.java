// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Which of the jar's native libraries may fit this machine: folders such as linux-x86_64 and linux-musl-aarch64. */
final class Platform {
  /** Every folder that a jar of ours may have. */
  static final List<String> ALL = List.of("linux-x86_64", "linux-aarch64", "linux-musl-x86_64", "linux-musl-aarch64");

  private Platform() {}

  /** Those to try, the likeliest first. */
  static List<String> folders() {
    return folders(
        System.getProperty("os.name"), System.getProperty("os.arch"), loadedFiles(Paths.get("/proc/self/maps")));
  }

  /**
   * Asks the files that the process has loaded which C library runs it: on one system there can be both.
   *
   * <p>Where they do not tell, both are tried, musl's first: on glibc it fails for certain, while the other one could
   * be loaded on musl and then crash.
   */
  static List<String> folders(String systemName, String processorName, List<String> loaded) {
    String system = systemName.toLowerCase(Locale.ROOT);
    String processor = processorName.toLowerCase(Locale.ROOT);
    processor = processor.equals("amd64") ? "x86_64" : processor.equals("arm64") ? "aarch64" : processor;
    if (!system.equals("linux")) {
      return List.of(system + "-" + processor);
    }
    String glibc = "linux-" + processor;
    String musl = "linux-musl-" + processor;
    // Musl's come first: with a layer of compatibility it runs programs that name glibc's loader.
    if (anyBegins(loaded, "ld-musl-", "libc.musl-")) {
      return List.of(musl);
    }
    return anyBegins(loaded, "libc.so.6", "libc-2.", "ld-linux", "ld-2.") ? List.of(glibc) : List.of(musl, glibc);
  }

  private static boolean anyBegins(List<String> names, String... beginnings) {
    for (String beginning : beginnings) {
      if (names.stream().anyMatch(name -> name.startsWith(beginning))) {
        return true;
      }
    }
    return false;
  }

  /** The names of the files in a process's map, without their folders. */
  static List<String> loadedFiles(Path maps) {
    List<String> names = new ArrayList<>();
    try {
      // Not as UTF-8: a file's name can be any bytes.
      for (String line : Files.readAllLines(maps, StandardCharsets.ISO_8859_1)) {
        names.add(line.substring(line.lastIndexOf('/') + 1));
      }
    } catch (IOException | RuntimeException unreadable) {
      return List.of();
    }
    return names;
  }
}
