// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the native library is looked for, what is said when it is nowhere, and what is made of one that is not right. */
class NativeLibraryTest {
  @TempDir static Path scratch;
  private static Path jar;
  private static Path bareJar;
  private static Path library;

  /** Run in a virtual machine of its own: prints where the native library came from, or twice why it did not. */
  static final class Probe {
    private Probe() {}

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

  private static Path locationOf(Class<?> type) throws Exception {
    return Paths.get(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** Takes the jar apart: the native library as a file, and a jar without it. */
  @BeforeAll
  static void unpack() throws Exception {
    jar = locationOf(Layer.class);
    bareJar = scratch.resolve("bare.jar");
    try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar));
        ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(bareJar))) {
      for (ZipEntry entry; (entry = in.getNextEntry()) != null; ) {
        if (entry.getName().endsWith(".so")) {
          library = scratch.resolve("liblookupffn_jni.so");
          Files.write(library, in.readAllBytes());
        } else {
          out.putNextEntry(new ZipEntry(entry.getName()));
          out.write(in.readAllBytes());
        }
      }
    }
    assertTrue(library != null, "no native library in " + jar);
  }

  private static String probe(Path jarToUse, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Arrays.asList(options));
    command.add("-cp");
    command.add(jarToUse + System.getProperty("path.separator") + locationOf(Probe.class));
    command.add(Probe.class.getName());
    Path output = Files.createTempFile(scratch, "probe", ".txt");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    String text = Files.readString(output);
    assertEquals(0, process.exitValue(), text);
    return text;
  }

  private static void assertContains(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> "no \"" + part + "\" in:\n" + text);
    }
  }

  @Test
  void propertyNamesAFile() throws Exception {
    String property = "-D" + NativeLibrary.Finder.PATH_PROPERTY + "=";
    assertContains(probe(jar, property + library), "loaded " + library);
    assertContains(probe(bareJar, property + scratch), "loaded " + library);
  }

  @Test
  void propertyThatNamesNothing() throws Exception {
    String text = probe(jar, "-D" + NativeLibrary.Finder.PATH_PROPERTY + "=/no/such/file.so");
    assertContains(text, NativeLibrary.Finder.PATH_PROPERTY + " = /no/such/file.so", "Tried:", "glibc");
    assertEquals(2, text.split("failed ", -1).length - 1, text);
  }

  @Test
  void jarResourceLeavesNothingBehind() throws Exception {
    Path directory = Files.createDirectory(scratch.resolve("tmp"));
    String text = probe(jar, "-D" + NativeLibrary.Finder.TMPDIR_PROPERTY + "=" + directory);
    assertContains(text, "loaded jar:file:", "/liblookupffn_jni.so");
    try (Stream<Path> left = Files.list(directory)) {
      assertEquals(0, left.count());
    }
  }

  /** As on Windows, where the file of a library that is loaded cannot be deleted. */
  @Test
  void aCopyThatStaysIsNoFailure() throws Exception {
    Path directory = Files.createDirectory(scratch.resolve("kept"));
    String before = System.setProperty(NativeLibrary.Finder.TMPDIR_PROPERTY, directory.toString());
    try {
      assertNotNull(new NativeLibrary.Finder(NativeLibraryTest::keep, NativeLibraryTest::fine, () -> Abi.ABI_VERSION).find());
    } finally {
      if (before == null) {
        System.clearProperty(NativeLibrary.Finder.TMPDIR_PROPERTY);
      }
    }
    assertEquals(1, count(directory));
    Path copy;
    try (Stream<Path> left = Files.list(directory)) {
      copy = left.findFirst().orElseThrow();
    }

    // Another program's goes when it is old and nobody holds it any more; what is not a copy never does.
    Files.delete(copy.resolve("liblookupffn_jni.so/held"));
    Files.createDirectory(directory.resolve("lookupffn-of-others"));
    NativeLibrary.Finder.discardOld(directory, Instant.now().minusSeconds(3600));
    assertEquals(2, count(directory));
    Files.setLastModifiedTime(copy, FileTime.from(Instant.now().minusSeconds(7200)));
    NativeLibrary.Finder.discardOld(directory, Instant.now().minusSeconds(3600));
    assertEquals(1, count(directory));
    NativeLibrary.Finder.discardOld(directory.resolve("none"), Instant.now());
  }

  private static long count(Path directory) throws IOException {
    try (Stream<Path> left = Files.list(directory)) {
      return left.count();
    }
  }

  /** Puts what cannot be deleted, a folder with something in it, in the copy's place. */
  private static void keep(String name) {
    try {
      Path copy = Paths.get(name);
      Files.delete(copy);
      Files.createDirectories(copy.resolve("held"));
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }

  @Test
  void libraryPathComesLast() throws Exception {
    assertContains(probe(bareJar, "-Djava.library.path=" + scratch), "loaded java.library.path");
  }

  @Test
  void nowhere() throws Exception {
    String text = probe(bareJar, "-Djava.library.path=/no/such/path");
    assertContains(text, "Tried:", NativeLibrary.Finder.PATH_PROPERTY + ": not set", "native/linux-", "not there",
        "java.library.path = /no/such/path", NativeLibrary.Finder.TMPDIR_PROPERTY);
    assertEquals(2, text.split("failed ", -1).length - 1, text);
  }

  @Test
  void temporaryDirectoryThatCannotBeUsed() throws Exception {
    String text = probe(jar, "-D" + NativeLibrary.Finder.TMPDIR_PROPERTY + "=/no/such/tmp", "-Djava.library.path=/nowhere");
    assertContains(text, "/no/such/tmp", "java.library.path = /nowhere");
  }

  @Test
  void wrongFile() throws Exception {
    Path file = Files.write(scratch.resolve("wrong.so"), "not a library".getBytes(StandardCharsets.UTF_8));
    assertContains(probe(jar, "-D" + NativeLibrary.Finder.PATH_PROPERTY + "=" + file), file.toString(), "failed");
  }

  @Test
  void anotherVersion() throws Exception {
    String other = System.getProperty("lookupffn.other.library");
    String text = probe(jar, "-D" + NativeLibrary.Finder.PATH_PROPERTY + "=" + other);
    assertContains(text, other + ": it has version 99.2.3, but " + LookupFfn.version() + " is needed");
    assertEquals(2, text.split("failed ", -1).length - 1, text);
  }

  private static String forwardIn(ClassLoader loader) throws Exception {
    Class<?> config = loader.loadClass("io.github.lookupffn.LayerConfig");
    Class<?> layer = loader.loadClass("io.github.lookupffn.Layer");
    Object shape = config.getMethod("withDenseProjection")
        .invoke(config.getMethod("of", int.class, int.class, int.class).invoke(null, 8, 2, 4));
    float[] y = new float[8];
    try (AutoCloseable made = (AutoCloseable) layer.getMethod("random", config).invoke(null, shape)) {
      Method forward = layer.getMethod("forward", float[].class, int.class, float[].class);
      forward.invoke(made, new float[8], 1, y);
    }
    return (String) loader.loadClass("io.github.lookupffn.LookupFfn").getMethod("nativePath").invoke(null);
  }

  @Test
  void twoClassLoaders() throws Exception {
    URL[] urls = {jar.toUri().toURL()};
    try (URLClassLoader first = new URLClassLoader(urls, null);
        URLClassLoader second = new URLClassLoader(urls, null)) {
      assertNotSame(first.loadClass("io.github.lookupffn.Layer"), second.loadClass("io.github.lookupffn.Layer"));
      assertContains(forwardIn(first), "jar:file:");
      assertContains(forwardIn(second), "jar:file:");
    }
  }

  /** Serves a jar's entries out of memory, as launchers do that keep jars inside a jar. */
  private static final class NestedJarLoader extends ClassLoader {
    private final Map<String, byte[]> entries = new HashMap<>();

    NestedJarLoader(Path jar) throws IOException {
      super(null);
      try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar))) {
        for (ZipEntry entry; (entry = in.getNextEntry()) != null; ) {
          entries.put(entry.getName(), in.readAllBytes());
        }
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      byte[] bytes = entries.get(name.replace('.', '/') + ".class");
      if (bytes == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, bytes, 0, bytes.length);
    }

    @Override
    protected URL findResource(String name) {
      try {
        return entries.containsKey(name) ? URI.create("file:///outer.jar/inner.jar/" + name).toURL() : null;
      } catch (IOException impossible) {
        throw new AssertionError(impossible);
      }
    }

    @Override
    public InputStream getResourceAsStream(String name) {
      byte[] bytes = entries.get(name);
      return bytes == null ? null : new ByteArrayInputStream(bytes);
    }
  }

  @Test
  void jarInsideAJar() throws Exception {
    assertContains(forwardIn(new NestedJarLoader(jar)), "outer.jar/inner.jar/");
  }

  private static void fine(String name) {}

  private static void assertSays(NativeLibrary.Finder finder, String... parts) {
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
    NativeLibrary.Finder finder = new NativeLibrary.Finder(NativeLibraryTest::forbid, NativeLibraryTest::forbid, () -> Abi.ABI_VERSION);
    assertNull(finder.find());
    assertSays(finder, "Illegal native access", "--enable-native-access=ALL-UNNAMED",
        "--enable-native-access=io.github.lookupffn where the jar is on the module path");
  }

  @Test
  void onlyTheLibraryPathIsForbidden() {
    NativeLibrary.Finder finder = new NativeLibrary.Finder(
        file -> {
          throw new UnsatisfiedLinkError("no such symbol");
        },
        NativeLibraryTest::forbid,
        () -> Abi.ABI_VERSION);
    assertNull(finder.find());
    assertSays(finder, "no such symbol", "--enable-native-access=ALL-UNNAMED");
  }

  @Test
  void anotherVersionIsRefused() {
    List<String> names = new ArrayList<>();
    NativeLibrary.Finder finder = new NativeLibrary.Finder(names::add, names::add, () -> 120304);
    assertNull(finder.find());
    assertEquals(2, names.size(), "the jar's copy and the library path");
    assertSays(finder, "it has version 12.3.4, but " + LookupFfn.version() + " is needed");
  }

  @Test
  void oneWithoutAVersionIsRefused() {
    NativeLibrary.Finder finder = new NativeLibrary.Finder(NativeLibraryTest::fine, NativeLibraryTest::fine, () -> {
      throw new UnsatisfiedLinkError("version()I");
    });
    assertNull(finder.find());
    assertSays(finder, "it does not tell its version, " + LookupFfn.version() + " is needed");
  }

  @Test
  void theRightOneIsTaken() {
    assertNotNull(new NativeLibrary.Finder(NativeLibraryTest::fine, NativeLibraryTest::fine, () -> Abi.ABI_VERSION).find());
  }
}
