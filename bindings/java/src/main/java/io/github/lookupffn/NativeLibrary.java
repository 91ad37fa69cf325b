package io.github.lookupffn;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/** Finds and loads the native library, once per class loader. */
final class NativeLibrary {
  static final String PATH_PROPERTY = "io.github.lookupffn.native.path";
  static final String TMPDIR_PROPERTY = "io.github.lookupffn.native.tmpdir";

  private static final String NAME = "lookupffn_jni";
  private static final String FILE = "lib" + NAME + ".so";
  private static final String PLATFORM = platform();
  private static final StringBuilder TRIED = new StringBuilder();
  private static final String LOADED_FROM = load();

  private NativeLibrary() {}

  /** Throws the same explanation each time, where a failed static initializer would give it only once. */
  static void ensureLoaded() {
    if (LOADED_FROM == null) {
      throw new UnsatisfiedLinkError(explanation());
    }
  }

  static String loadedFrom() {
    ensureLoaded();
    return LOADED_FROM;
  }

  private static String load() {
    String chosen = System.getProperty(PATH_PROPERTY);
    if (chosen != null) {
      // What was asked for by name is not replaced by something else.
      return loadFile("the property " + PATH_PROPERTY, chosen);
    }
    tried("the property " + PATH_PROPERTY, "not set");
    String loaded = loadResource();
    return loaded != null ? loaded : loadFromLibraryPath();
  }

  private static String loadFile(String how, String chosen) {
    try {
      Path path = Paths.get(chosen).toAbsolutePath();
      String file = (Files.isDirectory(path) ? path.resolve(FILE) : path).toString();
      System.load(file);
      return file;
    } catch (UnsatisfiedLinkError | RuntimeException failure) {
      return tried(how + " = " + chosen, failure.getMessage());
    }
  }

  /** Asks for a file of a fixed name and never walks the jar, which may lie inside another jar. */
  private static String loadResource() {
    String name = "native/" + PLATFORM + "/" + FILE;
    try (InputStream resource = NativeLibrary.class.getResourceAsStream(name)) {
      return resource == null ? tried("the jar's " + name, "not there") : loadCopy(name, resource);
    } catch (IOException | UnsatisfiedLinkError | RuntimeException failure) {
      return tried("the jar's " + name + ", copied to a temporary directory", failure.toString());
    }
  }

  /** A fresh directory for each class loader, since the virtual machine gives a file to one of them only. */
  private static String loadCopy(String name, InputStream resource) throws IOException {
    String parent = System.getProperty(TMPDIR_PROPERTY);
    Path directory = parent == null
        ? Files.createTempDirectory("lookupffn-")
        : Files.createTempDirectory(Paths.get(parent).toAbsolutePath(), "lookupffn-");
    Path copy = directory.resolve(FILE);
    try {
      Files.copy(resource, copy, StandardCopyOption.REPLACE_EXISTING);
      System.load(copy.toString());
      return String.valueOf(NativeLibrary.class.getResource(name));
    } finally {
      // The mapping outlives the file, and a killed process leaves nothing behind.
      Files.deleteIfExists(copy);
      Files.deleteIfExists(directory);
    }
  }

  private static String loadFromLibraryPath() {
    try {
      System.loadLibrary(NAME);
      return "java.library.path: " + FILE;
    } catch (UnsatisfiedLinkError failure) {
      return tried("java.library.path = " + System.getProperty("java.library.path"), failure.getMessage());
    }
  }

  private static String tried(String what, String outcome) {
    TRIED.append("\n  ").append(what).append(": ").append(outcome);
    return null;
  }

  private static String explanation() {
    return "cannot load " + FILE + " on " + PLATFORM + ". Tried:" + TRIED + "\nThe library in the jar needs "
        + requirements() + ". -D" + PATH_PROPERTY + "=FILE names another one; -D" + TMPDIR_PROPERTY
        + "=DIRECTORY names a place for its copy where files may be executed.";
  }

  private static String requirements() {
    try (InputStream resource = NativeLibrary.class.getResourceAsStream("native/" + PLATFORM + "/requires.txt")) {
      return resource == null
          ? "a platform that this jar was built for"
          : new String(resource.readAllBytes(), StandardCharsets.UTF_8).trim();
    } catch (IOException unreadable) {
      return "unknown things (" + unreadable + ")";
    }
  }

  private static String platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return system + "-" + (processor.equals("amd64") ? "x86_64" : processor);
  }
}
