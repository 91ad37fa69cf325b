// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Models without a path of the default file system: in other file systems, in streams, on the class path. */
final class ModelFiles {
  /** A model's folder has its files in itself and in folders such as 1_Pooling. */
  private static final int DEPTH = 2;
  /** Files that a model's folder may have. A class loader can tell whether it has a file, but cannot list its files. */
  private static final List<String> NAMES = List.of(
      "config.json", "model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
      "pytorch_model.bin.index.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt",
      "vocab.json", "merges.txt", "sentencepiece.bpe.model", "spiece.model", "spm.model", "tokenizer.model",
      "added_tokens.json", "modules.json", "config_sentence_transformers.json", "sentence_bert_config.json",
      "sentence_roberta_config.json", "sentence_distilbert_config.json", "sentence_camembert_config.json",
      "sentence_albert_config.json", "sentence_xlnet_config.json");
  private static final Pattern SHARD = Pattern.compile("\"([^\"/\\\\]+\\.(?:safetensors|bin))\"");
  private static final Pattern MODULE = Pattern.compile("\"path\"\\s*:\\s*\"([^\"\\\\]+)\"");

  private ModelFiles() {}

  /** Makes the call with the files of a folder of any file system. */
  static <T> T ofFolder(Path folder, Function<Map<String, LazyFile>, T> call) {
    Map<String, LazyFile> files = new LinkedHashMap<>();
    try {
      List<Path> found;
      try (Stream<Path> walk = Files.walk(folder, DEPTH)) {
        found = walk.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
      }
      for (Path file : found) {
        files.put(folder.relativize(file).toString().replace('\\', '/'), new LazyFile(file));
      }
      if (files.isEmpty()) {
        throw new ModelIoException("the folder " + folder + " of the file system " + folder.getFileSystem() + " is empty");
      }
      return call.apply(files);
    } catch (IOException failure) {
      throw cannotRead(folder.toString(), failure);
    } finally {
      for (LazyFile file : files.values()) {
        try {
          file.close();
        } catch (IOException read) {
          // It was read, or the call has failed.
        }
      }
    }
  }

  static byte[] ofFile(Path path) {
    try {
      return Files.readAllBytes(path);
    } catch (IOException failure) {
      throw cannotRead(path.toString(), failure);
    }
  }

  static byte[] ofStream(InputStream stream, String name) {
    try {
      return Objects.requireNonNull(stream, "stream").readAllBytes();
    } catch (IOException failure) {
      throw cannotRead(name, failure);
    } catch (OutOfMemoryError tooLarge) {
      throw new ModelIoException(
          "cannot read " + name + ": there is no room for it in the heap; raise -Xmx, or load it from a path", tooLarge);
    }
  }

  /** The files of a folder on the class path; none where there is no config.json. */
  static Map<String, byte[]> ofResources(ClassLoader loader, String folder) {
    Map<String, byte[]> files = new LinkedHashMap<>();
    NAMES.forEach(name -> add(files, loader, folder, name));
    for (String index : List.of("model.safetensors.index.json", "pytorch_model.bin.index.json")) {
      found(files, index, SHARD).forEach(shard -> add(files, loader, folder, shard));
    }
    for (String module : found(files, "modules.json", MODULE)) {
      for (String name : List.of("config.json", "model.safetensors", "pytorch_model.bin")) {
        add(files, loader, folder, module + "/" + name);
      }
    }
    return files;
  }

  private static List<String> found(Map<String, byte[]> files, String name, Pattern pattern) {
    byte[] file = files.get(name);
    return file == null
        ? List.of()
        : pattern.matcher(new String(file, StandardCharsets.UTF_8)).results()
            .map((MatchResult result) -> result.group(1))
            .distinct()
            .collect(Collectors.toList());
  }

  private static void add(Map<String, byte[]> files, ClassLoader loader, String folder, String name) {
    byte[] file = resource(loader, folder + "/" + name);
    if (file != null) {
      files.put(name, file);
    }
  }

  /** What is in a resource; null if it is not there. */
  static byte[] resource(ClassLoader loader, String name) {
    try (InputStream stream = loader.getResourceAsStream(name)) {
      return stream == null ? null : ofStream(stream, "the resource " + name);
    } catch (IOException failure) {
      throw cannotRead("the resource " + name, failure);
    }
  }

  static ModelIoException cannotRead(String what, IOException failure) {
    String why = failure.getMessage() == null || failure.getMessage().equals(what)
        ? failure.getClass().getSimpleName()
        : failure.getMessage();
    return new ModelIoException("cannot read " + what + ": " + why, failure);
  }
}
