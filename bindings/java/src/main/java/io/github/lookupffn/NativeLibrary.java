// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/** The native library, loaded once per class loader. */
final class NativeLibrary {
  private static final Finder FINDER = new Finder(System::load, System::loadLibrary, NativeLibrary::version);
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

  /** Finds and loads the native library, and remembers what was tried. */
  static final class Finder {
    static final String PATH_PROPERTY = "io.github.lookupffn.native.path";
    static final String TMPDIR_PROPERTY = "io.github.lookupffn.native.tmpdir";

    private static final String NAME = "lookupffn_jni";
    private static final String FILE = System.mapLibraryName(NAME); // liblookupffn_jni.so, or lookupffn_jni.dll
    private static final String COPIES = "lookupffn-";
    private static final Duration OLD = Duration.ofHours(1);
    private static final List<String> FOLDERS = Platform.folders();

    private final Consumer<String> load;
    private final Consumer<String> loadByName;
    private final IntSupplier version;
    private final StringBuilder tried = new StringBuilder();
    private boolean forbidden;

    /**
     * Takes what loads a file, what loads a library by its name, and what asks the loaded one for its version.
     *
     * <p>Each may throw an UnsatisfiedLinkError; the first two an IllegalCallerException, too, as Java does from 24 on
     * where native code is not allowed.
     */
    Finder(Consumer<String> load, Consumer<String> loadByName, IntSupplier version) {
      this.load = load;
      this.loadByName = loadByName;
      this.version = version;
    }

    /** Tells where the library was found; null if it was not. */
    String find() {
      String chosen = System.getProperty(PATH_PROPERTY);
      if (chosen != null) {
        // If a file was asked for by name, no other one replaces it.
        return findFile("the property " + PATH_PROPERTY, chosen);
      }
      tried("the property " + PATH_PROPERTY, "not set");
      for (String folder : FOLDERS) {
        String loaded = findResource("native/" + folder + "/" + FILE);
        if (loaded != null || forbidden) {
          return loaded;
        }
      }
      return findOnLibraryPath();
    }

    String explanation() {
      String text = "cannot load " + FILE + " on " + String.join(" or ", FOLDERS) + ". Tried:" + tried;
      if (forbidden) {
        return text + "\nThis Java virtual machine lets only those run native code whom its command line names: add "
            + "--enable-native-access=ALL-UNNAMED, or --enable-native-access=io.github.lookupffn where the jar is on "
            + "the module path.";
      }
      return text + "\nThe library in the jar needs " + requirements() + ". -D" + PATH_PROPERTY
          + "=FILE names another one; -D" + TMPDIR_PROPERTY
          + "=DIRECTORY names a place for its copy where files may be executed.";
    }

    private String findFile(String how, String chosen) {
      try {
        Path path = Paths.get(chosen).toAbsolutePath();
        String file = (Files.isDirectory(path) ? path.resolve(FILE) : path).toString();
        load.accept(file);
        return ofThisVersion(how + " = " + chosen, file);
      } catch (UnsatisfiedLinkError | RuntimeException failure) {
        return failed(how + " = " + chosen, failure);
      }
    }

    /** Asks for a file of a fixed name and never walks the jar, which may lie inside another jar. */
    private String findResource(String name) {
      try (InputStream resource = NativeLibrary.class.getResourceAsStream(name)) {
        return resource == null ? tried("the jar's " + name, "not there") : findCopy(name, resource);
      } catch (IOException | UnsatisfiedLinkError | RuntimeException failure) {
        return failed("the jar's " + name + ", copied to a temporary directory", failure);
      }
    }

    /** A fresh directory for each class loader, since the virtual machine gives a file to one of them only. */
    private String findCopy(String name, InputStream resource) throws IOException {
      String parent = System.getProperty(TMPDIR_PROPERTY, System.getProperty("java.io.tmpdir"));
      Path directory = Files.createTempDirectory(Paths.get(parent).toAbsolutePath(), COPIES);
      Path copy = directory.resolve(FILE);
      try {
        Files.copy(resource, copy, StandardCopyOption.REPLACE_EXISTING);
        load.accept(copy.toString());
      } finally {
        // The mapping outlives the file, and a killed process leaves nothing behind; but not on Windows.
        if (!discard(directory)) {
          discardOld(directory.getParent(), Instant.now().minus(OLD));
        }
      }
      return ofThisVersion("the jar's " + name, String.valueOf(NativeLibrary.class.getResource(name)));
    }

    /** Tells whether a copy is gone: Windows keeps a file that is loaded. */
    private static boolean discard(Path directory) {
      try {
        Files.deleteIfExists(directory.resolve(FILE));
        Files.deleteIfExists(directory);
        return true;
      } catch (IOException | RuntimeException kept) {
        return false;
      }
    }

    /** Copies of programs that have ended since. Young ones stay: another program may be about to load one. */
    static void discardOld(Path parent, Instant before) {
      try (DirectoryStream<Path> copies = Files.newDirectoryStream(parent, COPIES + "*")) {
        for (Path directory : copies) {
          if (Files.exists(directory.resolve(FILE))
              && Files.getLastModifiedTime(directory).toInstant().isBefore(before)) {
            discard(directory);
          }
        }
      } catch (IOException | RuntimeException unreadable) {
        // They stay until the next start.
      }
    }

    private String findOnLibraryPath() {
      String how = "java.library.path = " + System.getProperty("java.library.path");
      try {
        loadByName.accept(NAME);
        return ofThisVersion(how, "java.library.path: " + FILE);
      } catch (UnsatisfiedLinkError | RuntimeException failure) {
        return failed(how, failure);
      }
    }

    /** Another version's calls have other arguments, which would crash or, worse, not crash. */
    private String ofThisVersion(String what, String from) {
      int found;
      try {
        found = version.getAsInt();
      } catch (UnsatisfiedLinkError tooOld) {
        return tried(what, "it does not tell its version, " + text(Abi.ABI_VERSION) + " is needed");
      }
      return found == Abi.ABI_VERSION
          ? from
          : tried(what, "it has version " + text(found) + ", but " + text(Abi.ABI_VERSION) + " is needed");
    }

    static String text(int version) {
      return version / 10000 + "." + version / 100 % 100 + "." + version % 100;
    }

    private String failed(String what, Throwable failure) {
      forbidden |= failure instanceof IllegalCallerException;
      boolean plain = failure instanceof UnsatisfiedLinkError;
      return tried(what, plain ? failure.getMessage() : failure.toString());
    }

    private String tried(String what, String outcome) {
      tried.append("\n  ").append(what).append(": ").append(outcome);
      return null;
    }

    /** The requirements of the library for this machine, or else of all libraries in the jar. */
    private static String requirements() {
      StringBuilder others = new StringBuilder();
      for (String folder : Platform.ALL) {
        try (InputStream resource = NativeLibrary.class.getResourceAsStream("native/" + folder + "/requires.txt")) {
          if (resource == null) {
            continue;
          }
          String needs = new String(resource.readAllBytes(), StandardCharsets.UTF_8).trim();
          if (FOLDERS.contains(folder)) {
            return needs;
          }
          others.append(others.length() == 0 ? "" : "; or ").append(needs);
        } catch (IOException unreadable) {
          return "unknown things (" + unreadable + ")";
        }
      }
      return others.length() == 0 ? "a jar of this project as it was built" : others.toString();
    }
  }

  /** Which of the jar's native libraries may fit this machine: folders such as linux-x86_64 and linux-musl-aarch64. */
  static final class Platform {
    /** Every folder that a jar of ours may have. */
    static final List<String> ALL = List.of(
        "linux-x86_64", "linux-aarch64", "linux-musl-x86_64", "linux-musl-aarch64", "windows-x86_64");

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
      if (system.startsWith("windows")) {
        return List.of("windows-" + processor); // whichever version, which is a part of the name
      }
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
}
