// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** Models, and what they would take, from wherever they lie. */
final class ModelLoading {
  private ModelLoading() {}

  private static Model made(LoadOptions options, Loading.Maker maker) {
    Events.Load event = Recorder.load();
    long address = Loading.handle(options, Raw::modelFree, maker);
    Model model = new Model(new NativeHandle("model", address, Raw::modelFree, options.hooks()), address);
    Recorder.end(event, model);
    return model;
  }

  static Model ofPath(Path path, LoadOptions options) {
    Objects.requireNonNull(options, "options");
    if (Objects.requireNonNull(path, "path").getFileSystem() != FileSystems.getDefault() && Files.isDirectory(path)) {
      return ModelFiles.ofFolder(path, files -> Model.loadFrom(files, options));
    }
    return Loading.from(
        path,
        options,
        name -> made(
            options,
            (numbers, runtime, cancel, progress, out) ->
                Raw.modelLoad(name, numbers, options.adapter, runtime, cancel, progress, out)),
        ModelLoading::ofBytes);
  }

  static Model ofBytes(byte[] bytes, LoadOptions options) {
    Objects.requireNonNull(bytes, "bytes");
    Objects.requireNonNull(options, "options");
    return made(
        options,
        (numbers, runtime, cancel, progress, out) ->
            Raw.modelLoadMemory(bytes, numbers, options.adapter, runtime, cancel, progress, out));
  }

  static Model ofFiles(GivenFiles files, LoadOptions options) {
    return files.with(() -> made(
        options,
        (numbers, runtime, cancel, progress, out) -> Raw.modelLoadGivenFiles(
            files.names, files.contents, files.sizes, numbers, options.adapter, runtime, cancel, progress, out)));
  }

  static Model ofResource(ClassLoader loader, String name, LoadOptions options) {
    Objects.requireNonNull(loader, "loader");
    Objects.requireNonNull(options, "options");
    String folder = Objects.requireNonNull(name, "name").replaceFirst("/+$", "");
    Map<String, byte[]> files = ModelFiles.ofResources(loader, folder);
    if (!files.isEmpty()) {
      return ofFiles(GivenFiles.inMemory(files), options);
    }
    byte[] file = ModelFiles.resource(loader, name);
    if (file == null) {
      throw new ModelIoException(
          "the class path has neither a resource " + name + " nor a model's files in " + folder
              + "/; names begin without a slash, and in a module the package has to be opened");
    }
    return ofBytes(file, options);
  }

  static Model ofShipped(Models model, LoadOptions options) {
    Objects.requireNonNull(options, "options");
    String name = Objects.requireNonNull(model, "model").resource();
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    byte[] file = ModelFiles.resource(Model.class.getClassLoader(), name);
    if (file == null && context != null) {
      file = ModelFiles.resource(context, name);
    }
    if (file == null) {
      throw new ModelIoException(
          "the model " + model + " is not on the class path; add the dependency " + model.artifact() + ":"
              + LookupFfn.version());
    }
    return ofBytes(file, options);
  }

  static MemoryEstimate estimate(Path path, LoadOptions options) {
    byte[] name = Utf8.zeroTerminated(Objects.requireNonNull(path, "path"));
    long[] told = new long[Abi.ESTIMATE_COUNT];
    Loading.run(
        options,
        (numbers, runtime, cancel, progress) ->
            Raw.modelEstimate(name, numbers, options.adapter, runtime, cancel, progress, told));
    return new MemoryEstimate(told);
  }

  static MemoryEstimate estimate(GivenFiles files, LoadOptions options) {
    long[] told = new long[Abi.ESTIMATE_COUNT];
    return files.with(() -> {
      Loading.run(
          options,
          (numbers, runtime, cancel, progress) -> Raw.modelEstimateGivenFiles(
              files.names, files.contents, files.sizes, numbers, options.adapter, runtime, cancel, progress, told));
      return new MemoryEstimate(told);
    });
  }
}
