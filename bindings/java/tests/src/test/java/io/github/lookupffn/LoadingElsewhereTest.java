// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models in streams, archives and on the class path are those of the folder. */
class LoadingElsewhereTest {
  private static final String TEXT = "a text to be embedded";

  @TempDir
  Path scratch;

  /** A jar with the folder of the model in "models/one", and the saved model in "models/one.safetensors". */
  private Path jar(Path folder, Path saved) throws IOException {
    Path jar = scratch.resolve("a jar.jar");
    try (OutputStream out = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(out);
        Stream<Path> walk = Files.walk(folder)) {
      for (Path file : walk.filter(Files::isRegularFile).collect(Collectors.toList())) {
        zip.putNextEntry(new ZipEntry("models/one/" + folder.relativize(file)));
        zip.write(Files.readAllBytes(file));
      }
      zip.putNextEntry(new ZipEntry("models/one.safetensors"));
      zip.write(Files.readAllBytes(saved));
      zip.putNextEntry(new ZipEntry(Models.FAST.resource()));
      zip.write(Files.readAllBytes(saved));
    }
    return jar;
  }

  private static void same(float[] expected, Model model) {
    try (Model closed = model) {
      Golden.assertSameBits(expected, closed.embed(TEXT));
    }
  }

  @Test
  void everyWayGivesTheSameModel() throws Exception {
    Path folder = GoldenModel.all().get(0).folder;
    Path saved = scratch.resolve("saved");
    float[] expected;
    try (Model model = Model.load(folder)) {
      expected = model.embed(TEXT);
      model.save(saved);
    }
    same(expected, Model.load(Files.newInputStream(saved)));
    Map<String, byte[]> files = new LinkedHashMap<>();
    try (Stream<Path> walk = Files.walk(folder)) {
      for (Path file : walk.filter(Files::isRegularFile).collect(Collectors.toList())) {
        files.put(folder.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
    same(expected, Model.load(files));
    Path jar = jar(folder, saved);
    try (FileSystem archive = FileSystems.newFileSystem(jar, (ClassLoader) null)) {
      same(expected, Model.load(archive.getPath("/models/one")));
      same(expected, Model.load(archive.getPath("models/one.safetensors")));
      assertThrows(ModelIoException.class, () -> Model.load(archive.getPath("/models/two")));
      ModelIoException root = assertThrows(ModelIoException.class, () -> Model.load(archive.getPath("/two")));
      assertTrue(root.getMessage().contains("NoSuchFileException"), root.getMessage());
    }
    try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
      LoadOptions options = LoadOptions.defaults();
      same(expected, Model.loadResource(loader, "models/one", options));
      same(expected, Model.loadResource(loader, "models/one/", options));
      same(expected, Model.loadResource(loader, "models/one.safetensors", options));
      ModelIoException none =
          assertThrows(ModelIoException.class, () -> Model.loadResource(loader, "models/two", options));
      assertTrue(none.getMessage().contains("neither a resource models/two"), none.getMessage());
      assertTrue(assertThrows(ModelIoException.class, () -> Model.load(Models.FAST)).getMessage()
          .contains("add the dependency io.github.lookupffn:lookupffn-model-fast:"));
      ClassLoader before = Thread.currentThread().getContextClassLoader();
      Thread.currentThread().setContextClassLoader(loader);
      try {
        same(expected, Model.load(Models.FAST));
      } finally {
        Thread.currentThread().setContextClassLoader(before);
      }
    }
  }

  @Test
  void whatCannotBeReadIsSaid() {
    InputStream broken = new InputStream() {
      @Override
      public int read() throws IOException {
        throw new IOException("the line is dead");
      }
    };
    ModelIoException dead = assertThrows(ModelIoException.class, () -> Model.load(broken));
    assertEquals("cannot read the stream: the line is dead", dead.getMessage());
    assertThrows(LookupFfnException.class, () -> Model.load(new ByteArrayInputStream(new byte[10])));
    assertThrows(NullPointerException.class, () -> Model.load((InputStream) null));
  }

  @Test
  void purposesAndPrompts() throws Exception {
    assertEquals(Purpose.QUERY, Purpose.named("Search_Query"));
    assertEquals(Purpose.DOCUMENT, Purpose.named("retrieval.passage"));
    assertEquals(null, Purpose.named("clustering"));
    Path made = Path.of(System.getProperty("lookupffn.made.models"));
    RunOptions plain = RunOptions.defaults().withoutPrompt();
    try (Model model = Model.load(made.resolve("prompts"))) {
      RunOptions query = model.withPrompt("retrieval_query", RunOptions.defaults());
      assertEquals(model.withPrompt(Purpose.QUERY, RunOptions.defaults()), query);
      Golden.assertSameBits(model.embed("query: how?", plain), model.embed("how?", query));
      RunOptions document = model.withPrompt("CORPUS", RunOptions.defaults());
      Golden.assertSameBits(model.embed("passage: how?", plain), model.embed("how?", document));
      String other = assertThrows(
          IllegalArgumentException.class, () -> model.withPrompt("sorting", RunOptions.defaults())).getMessage();
      assertTrue(other.contains("query") && other.contains(String.join(", ", model.prompts().keySet())), other);
    }
    try (Model bare = Model.load(GoldenModel.all().get(0).folder)) {
      Golden.assertSameBits(
          bare.embed("how?"), bare.embed("how?", bare.withPrompt(Purpose.QUERY, RunOptions.defaults())));
    }
  }

  @Test
  void longTextsAreRefusedBeforeTheyAreRun() throws Exception {
    try (Model model = Model.load(GoldenModel.all().get(0).folder)) {
      int most = model.info().ownMaxTokens();
      RunOptions options = RunOptions.defaults();
      String exact = "a";
      while (model.tokenize(exact + " a").length <= most) {
        exact += " a";
      }
      model.refuseLongTexts(List.of("short", exact), options);
      String over = exact + " a";
      assertThrows(IllegalArgumentException.class, () -> model.refuseLongTexts(List.of("short", over), options));
      String huge = "word ".repeat(2_000_000);
      String message = assertThrows(
          IllegalArgumentException.class, () -> model.refuseLongTexts(List.of("short", huge), options)).getMessage();
      assertTrue(message.startsWith("text 1 has "), message);
      assertTrue(message.endsWith(" of which the model reads " + most + "; split it, or let it be cut"), message);
      try (ModelEmbedder strict = Embedder.builder(model).refuseLongTexts(true).build()) {
        assertThrows(IllegalArgumentException.class, () -> strict.embed(List.of(huge), Purpose.QUERY));
        assertEquals(1, strict.failures());
      }
    }
  }
}
