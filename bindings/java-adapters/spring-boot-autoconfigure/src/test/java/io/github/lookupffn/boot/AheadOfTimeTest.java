// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.model.scoring.ScoringModel;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.Model;
import io.github.lookupffn.Purpose;
import java.lang.invoke.MethodHandles;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.FileSystemGeneratedFiles;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.javapoet.ClassName;

/** An application whose beans are made ahead of time, as native images and fast starts want it, has the same ones. */
class AheadOfTimeTest {
  private static final Path MODELS = Path.of(System.getProperty("lookupffn.made.models"));
  private static final Map<String, Object> PROPERTIES = Map.of(
      "lookupffn.model", MODELS.resolve("prompts").toString(),
      "lookupffn.models.search.model", MODELS.resolve("prompts").toString(),
      "lookupffn.models.search.dimensions", "3",
      "lookupffn.models.reranker.model", MODELS.resolve("reranker").toString());

  private static <C extends GenericApplicationContext> C with(C context) {
    context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", PROPERTIES));
    return context;
  }

  /** Writes the program that makes the beans, and tells its main class. */
  private static String generate(Path folder) {
    AnnotationConfigApplicationContext context = with(new AnnotationConfigApplicationContext());
    context.register(
        LookupFfnAutoConfiguration.class, LookupFfnSpringAiAutoConfiguration.class,
        LookupFfnLangChain4jAutoConfiguration.class);
    DefaultGenerationContext generation = new DefaultGenerationContext(
        new ClassNameGenerator(ClassName.get("io.github.lookupffn.boot", "Application")),
        new FileSystemGeneratedFiles(folder));
    ClassName initializer = new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
    generation.writeGeneratedContent();
    return initializer.canonicalName();
  }

  private static String classPath() throws Exception {
    StringBuilder path = new StringBuilder(System.getProperty("java.class.path"));
    if (AheadOfTimeTest.class.getClassLoader() instanceof URLClassLoader loader) {
      for (URL url : loader.getURLs()) {
        path.append(':').append(Path.of(url.toURI()));
      }
    }
    return path.toString();
  }

  private static List<Path> files(Path folder, String ending) throws Exception {
    try (Stream<Path> walk = Files.walk(folder)) {
      return walk.filter(path -> path.toString().endsWith(ending)).collect(Collectors.toList());
    }
  }

  /** Compiles it, and defines its classes beside those whose package they are in. */
  private static void compile(Path sources, Path classes) throws Exception {
    Files.createDirectories(classes);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> options = List.of("-proc:none", "-nowarn", "-cp", classPath(), "-d", classes.toString());
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      assertTrue(compiler.getTask(
          null, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files(sources, ".java"))).call());
    }
    for (Path file : files(classes, ".class")) {
      // Bean__BeanDefinitions lies beside Bean; those of the application have no such class.
      String name = classes.relativize(file).toString().replace('/', '.').replaceFirst("__.*", "");
      Class<?> beside = name.endsWith(".Application") ? LookupFfnAutoConfiguration.class : Class.forName(name);
      MethodHandles.privateLookupIn(beside, MethodHandles.lookup()).defineClass(Files.readAllBytes(file));
    }
  }

  @Test
  void namedModelsAreMadeAheadOfTime(@TempDir Path scratch) throws Exception {
    String main = generate(scratch.resolve("generated"));
    compile(scratch.resolve("generated"), scratch.resolve("classes"));
    @SuppressWarnings("unchecked")
    ApplicationContextInitializer<GenericApplicationContext> initializer =
        (ApplicationContextInitializer<GenericApplicationContext>)
            Class.forName(main).getDeclaredConstructor().newInstance();
    Model after;
    try (GenericApplicationContext context = with(new GenericApplicationContext())) {
      initializer.initialize(context);
      context.refresh();
      Embedder search =
          BeanFactoryAnnotationUtils.qualifiedBeanOfType(context.getBeanFactory(), Embedder.class, "search");
      assertSame(context.getBean("searchEmbedder"), search);
      assertEquals(3, search.embed("a", Purpose.QUERY).length);
      assertEquals(3, context.getBean("searchSpringAi", EmbeddingModel.class).embed("a").length);
      assertEquals(3, context.getBean("searchLangChain4j", dev.langchain4j.model.embedding.EmbeddingModel.class).dimension());
      assertSame(context.getBean("lookupFfnEmbedder"), context.getBeanProvider(Embedder.class).getIfUnique());
      assertTrue(context.getBean(ScoringModel.class).score("a", "b").content() != 0);
      after = context.getBean("searchModel", Model.class);
      assertFalse(after.isClosed());
    }
    assertTrue(after.isClosed());
  }
}
