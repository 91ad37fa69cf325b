// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.io.InputStream;
import java.io.NotSerializableException;
import java.io.Serializable;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A whole model in native memory: the encoder, its heads and its tokenizer.
 *
 * <p>Models take texts, or sequences of token ids; a batch of either is run at once, without padding. A sequence's
 * results are the same to the bit alone or in any batch, with any number of threads. Texts get the special tokens at
 * their ends, and are cut to what the model means to read; sequences of ids are taken as they are.
 *
 * <p>A model never changes, and any number of threads may use one at once. {@link #close} gives its memory back once
 * the calls in flight have ended; afterwards every method but {@code close}, {@code isClosed} and {@code toString}
 * throws {@link IllegalStateException}, also inside a future. A model that is forgotten is closed some time after it has
 * become unreachable.
 *
 * <p>Where the model has no such head or no tokenizer, where an id is outside of the vocabulary or a sequence too long,
 * methods throw {@link IllegalArgumentException} or a {@link LookupFfnException} that says so.
 *
 * <p>A model is serializable only so that whoever tries it is told what to do instead.
 */
public final class Model extends ModelTexts implements TextEmbedder, AutoCloseable, Serializable {
  static final Cleaner CLEANER = Cleaner.create();
  private static final long serialVersionUID = 1;

  private final transient ModelCalls calls;
  private final transient Cleaner.Cleanable cleanable;

  /** Takes the handle over, also when this fails. */
  private Model(NativeHandle handle, long address) {
    try {
      calls = new ModelCalls(this, handle, address);
      cleanable = CLEANER.register(this, handle);
    } catch (Throwable failure) {
      handle.run();
      throw failure;
    }
  }

  @Override
  ModelCalls calls() {
    return calls;
  }

  /**
   * Refuses: a model is native memory.
   *
   * @return nothing
   * @throws NotSerializableException always, and says what to do instead
   */
  private Object writeReplace() throws NotSerializableException {
    throw new NotSerializableException(
        "io.github.lookupffn.Model: it is native memory. Capture or broadcast its path and load it where it is used; in "
            + "Spark, capture an io.github.lookupffn.spark.ModelRef, whose get() loads it once in each executor");
  }

  private static Model made(LoadOptions options, Loading.Maker maker) {
    Events.Load event = Recorder.load();
    long address = Loading.handle(options, Raw::modelFree, maker);
    Model model = new Model(new NativeHandle("model", address, Raw::modelFree, options.hooks()), address);
    Recorder.end(event, model);
    return model;
  }

  /**
   * Loads a model.
   *
   * @param path a folder, or a file that {@link #save} wrote
   * @return the model
   * @throws LookupFfnException if it cannot be read, is not a valid model, or cannot be run here
   */
  public static Model load(Path path) {
    return load(path, LoadOptions.defaults());
  }

  /**
   * Loads a model.
   *
   * @param path a folder, or a file that {@link #save} wrote, of any file system
   * @param options how
   * @return the model
   * @throws LookupFfnException if it cannot be read, is not a valid model, or cannot be run here
   */
  public static Model load(Path path, LoadOptions options) {
    Objects.requireNonNull(options, "options");
    if (Objects.requireNonNull(path, "path").getFileSystem() != FileSystems.getDefault() && Files.isDirectory(path)) {
      return ModelFiles.ofFolder(path, files -> loadFrom(files, options));
    }
    return Loading.from(
        path,
        options,
        name -> made(
            options,
            (numbers, runtime, cancel, progress, out) -> Raw.modelLoad(name, numbers, runtime, cancel, progress, out)),
        Model::load);
  }

  /**
   * Loads a model from the bytes of a file that {@link #save} wrote, such as a resource of a jar.
   *
   * @param bytes the whole file
   * @return the model, which does not refer to the bytes
   * @throws LookupFfnException if the bytes are not a valid model, or it cannot be run here
   */
  public static Model load(byte[] bytes) {
    return load(bytes, LoadOptions.defaults());
  }

  /**
   * Loads a model from the bytes of a file that {@link #save} wrote, such as a resource of a jar.
   *
   * @param bytes the whole file
   * @param options how
   * @return the model, which does not refer to the bytes
   * @throws LookupFfnException if the bytes are not a valid model, or it cannot be run here
   */
  public static Model load(byte[] bytes, LoadOptions options) {
    Objects.requireNonNull(bytes, "bytes");
    Objects.requireNonNull(options, "options");
    return made(
        options,
        (numbers, runtime, cancel, progress, out) ->
            Raw.modelLoadMemory(bytes, numbers, runtime, cancel, progress, out));
  }

  /**
   * Loads a model from a stream of what is in a file that {@link #save} wrote.
   *
   * @param stream the whole file, which is read to its end and stays open
   * @param options how
   * @return the model
   * @throws LookupFfnException if it cannot be read, is not a valid model, or cannot be run here
   */
  public static Model load(InputStream stream, LoadOptions options) {
    Objects.requireNonNull(options, "options");
    return load(ModelFiles.ofStream(stream, "the stream"), options);
  }

  /**
   * Loads a model from a stream of what is in a file that {@link #save} wrote.
   *
   * @param stream the whole file, which is read to its end and stays open
   * @return the model
   * @throws LookupFfnException if it cannot be read, is not a valid model, or cannot be run here
   */
  public static Model load(InputStream stream) {
    return load(stream, LoadOptions.defaults());
  }

  /**
   * Loads a model from the class path, also out of a jar within a jar.
   *
   * @param loader whose resources, such as {@code getClass().getClassLoader()}
   * @param name a resource with what {@link #save} wrote, or the path of a folder of resources, without a slash before it
   * @param options how
   * @return the model
   * @throws LookupFfnException if there is none, it is not a valid model, or cannot be run here
   */
  public static Model loadResource(ClassLoader loader, String name, LoadOptions options) {
    Objects.requireNonNull(loader, "loader");
    Objects.requireNonNull(options, "options");
    String folder = Objects.requireNonNull(name, "name").replaceFirst("/+$", "");
    Map<String, byte[]> files = ModelFiles.ofResources(loader, folder);
    if (!files.isEmpty()) {
      return load(files, options);
    }
    byte[] file = ModelFiles.resource(loader, name);
    if (file == null) {
      throw new ModelIoException(
          "the class path has neither a resource " + name + " nor a model's files in " + folder
              + "/; names begin without a slash, and in a module the package has to be opened");
    }
    return load(file, options);
  }

  /**
   * Loads a model that this project ships, from its jar on the class path.
   *
   * @param model which
   * @param options how
   * @return the model
   * @throws LookupFfnException if its jar is not there, or it cannot be run here
   */
  public static Model load(Models model, LoadOptions options) {
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
    return load(file, options);
  }

  /**
   * Loads a model that this project ships, from its jar on the class path.
   *
   * @param model which
   * @return the model
   * @throws LookupFfnException if its jar is not there, or it cannot be run here
   */
  public static Model load(Models model) {
    return load(model, LoadOptions.defaults());
  }

  /**
   * Loads a model from the files of a folder, held in memory.
   *
   * @param files what is in each, by its name in the folder, such as "config.json" or "1_Pooling/config.json"; those that a
   *     model does not need are ignored
   * @return the model, which does not refer to the bytes
   * @throws LookupFfnException if they are not a valid model, or it cannot be run here
   */
  public static Model load(Map<String, byte[]> files) {
    return load(files, LoadOptions.defaults());
  }

  /**
   * Loads a model from the files of a folder, held in memory.
   *
   * @param files what is in each, by its name in the folder, such as "config.json" or "1_Pooling/config.json"; those that a
   *     model does not need are ignored
   * @param options how
   * @return the model, which does not refer to the bytes
   * @throws LookupFfnException if they are not a valid model, or it cannot be run here
   */
  public static Model load(Map<String, byte[]> files, LoadOptions options) {
    return load(GivenFiles.inMemory(files), options);
  }

  /**
   * Loads a model from the files of a folder that channels read, such as those of an archive or of an encrypted store.
   *
   * @param channels one for each file, by its name in the folder, as for {@link #load(Map, LoadOptions)}; they are read in the
   *     thread that loads, from any position, and stay open
   * @param options how
   * @return the model, which does not refer to the channels
   * @throws LookupFfnException if they cannot be read, are not a valid model, or it cannot be run here
   */
  public static Model loadFrom(Map<String, ? extends SeekableByteChannel> channels, LoadOptions options) {
    Objects.requireNonNull(options, "options");
    return load(GivenFiles.byChannels(channels), options);
  }

  private static Model load(GivenFiles files, LoadOptions options) {
    return files.with(() -> made(
        options,
        (numbers, runtime, cancel, progress, out) -> Raw.modelLoadGivenFiles(
            files.names, files.contents, files.sizes, numbers, runtime, cancel, progress, out)));
  }

  /**
   * Tells how much memory loading the same would take. Reads and checks the files once, so that what it accepts can be
   * loaded.
   *
   * @param path a folder, or a file that {@link #save} wrote, of the default file system
   * @param options how it would be loaded
   * @return the estimate
   * @throws LookupFfnException if it cannot be read, is not a valid model, or cannot be run here
   */
  public static MemoryEstimate estimate(Path path, LoadOptions options) {
    byte[] name = Utf8.zeroTerminated(Objects.requireNonNull(path, "path"));
    long[] told = new long[Abi.ESTIMATE_COUNT];
    Loading.run(
        options,
        (numbers, runtime, cancel, progress) -> Raw.modelEstimate(name, numbers, runtime, cancel, progress, told));
    return new MemoryEstimate(told);
  }

  /**
   * Tells how much memory loading the same files would take.
   *
   * @param files as for {@link #load(Map, LoadOptions)}
   * @param options how they would be loaded
   * @return the estimate
   * @throws LookupFfnException if they are not a valid model, or it cannot be run here
   */
  public static MemoryEstimate estimate(Map<String, byte[]> files, LoadOptions options) {
    return estimate(GivenFiles.inMemory(files), options);
  }

  /**
   * Tells how much memory loading what channels read would take.
   *
   * @param channels as for {@link #loadFrom}
   * @param options how they would be loaded
   * @return the estimate
   * @throws LookupFfnException if they cannot be read, are not a valid model, or it cannot be run here
   */
  public static MemoryEstimate estimateFrom(
      Map<String, ? extends SeekableByteChannel> channels, LoadOptions options) {
    Objects.requireNonNull(options, "options");
    return estimate(GivenFiles.byChannels(channels), options);
  }

  private static MemoryEstimate estimate(GivenFiles files, LoadOptions options) {
    long[] told = new long[Abi.ESTIMATE_COUNT];
    return files.with(() -> {
      Loading.run(
          options,
          (numbers, runtime, cancel, progress) -> Raw.modelEstimateGivenFiles(
              files.names, files.contents, files.sizes, numbers, runtime, cancel, progress, told));
      return new MemoryEstimate(told);
    });
  }

  /**
   * Writes the model to one file, with its tokenizer, as it is held in memory. The file appears whole or not at all.
   *
   * @param path the file, of the default file system
   * @throws LookupFfnException if it cannot be written
   */
  public void save(Path path) {
    save(path, SaveOptions.defaults());
  }

  /**
   * Writes the model to one file, as {@link #save(Path)} does. A file that is not finished goes away and leaves the old one
   * as it was.
   *
   * @param path the file, of the default file system
   * @param options who may end it, and who is told how far it has come
   * @throws LookupFfnException if it cannot be written
   * @throws java.util.concurrent.CancellationException if it was cancelled
   */
  public void save(Path path, SaveOptions options) {
    Loading.save(path, options, (name, cancel, progress) -> {
      long address = calls.handle.enter();
      try {
        Raw.modelSaveWith(address, name, cancel, progress);
      } finally {
        calls.leave();
      }
    });
  }

  /**
   * The names of the classes, of texts or of tokens, in the order of their scores.
   *
   * @return the names; none without a classifier
   */
  public List<String> labels() {
    info();
    return calls.labels;
  }

  /**
   * The prompts that the model's files tell, such as "query", for {@link RunOptions#withPrompt}.
   *
   * @return their texts by their names
   */
  public Map<String, String> prompts() {
    info();
    return calls.prompts;
  }

  /**
   * The name of that prompt among {@link #prompts} which is put before texts unless told otherwise.
   *
   * @return the name; null for none
   */
  public @Nullable String defaultPrompt() {
    int index = (int) info().numbers[Abi.MODEL_DEFAULT_PROMPT];
    return index < 0 ? null : calls.text(Abi.TEXT_PROMPT_NAME, index);
  }

  /**
   * Options that put the model's prompt for queries or documents before each text: the one that its files name so, else its
   * default one, if it has one.
   *
   * @param purpose what texts are embedded for
   * @param options what is changed
   * @return a changed copy
   */
  public RunOptions withPrompt(Purpose purpose, RunOptions options) {
    return Objects.requireNonNull(purpose, "purpose").prompt(Objects.requireNonNull(options, "options"));
  }

  /**
   * Options that put the prompt of this name before each text: a prompt of the model, or one of the {@linkplain Purpose#names
   * names} of queries and documents, under which other programs know them.
   *
   * @param name such as "query" or "search_document"
   * @param options what is changed
   * @return a changed copy
   * @throws IllegalArgumentException for another name, with those that there are
   */
  public RunOptions withPrompt(String name, RunOptions options) {
    return Purpose.prompt(this, Objects.requireNonNull(name, "name"), Objects.requireNonNull(options, "options"));
  }

  /**
   * Refuses texts of which not all would be read, before any layer runs.
   *
   * @param texts any number of texts
   * @param options how they would be embedded
   * @throws IllegalArgumentException that names the first text that is too long
   */
  public void refuseLongTexts(List<String> texts, RunOptions options) {
    Objects.requireNonNull(texts, "texts");
    calls.refuseCut(texts, Objects.requireNonNull(options, "options"));
  }

  /**
   * The model's family.
   *
   * @return its name, such as "bert"
   */
  public String family() {
    return calls.text(Abi.TEXT_FAMILY, 0);
  }

  /**
   * The model's config.json, in which a program may look for what {@link #info} does not tell.
   *
   * @return the text of the file
   */
  public String config() {
    return calls.text(Abi.TEXT_CONFIG, 0);
  }

  /**
   * What the model is and costs.
   *
   * @return a description
   */
  public ModelInfo info() {
    boolean closed = isClosed();
    Reference.reachabilityFence(this);
    if (closed) {
      throw calls.handle.closed();
    }
    return calls.info;
  }

  /**
   * What each encoder layer is made of and costs.
   *
   * @return a description of each
   */
  public List<ModelLayerInfo> layers() {
    info();
    return calls.layers;
  }

  /**
   * Tells whether {@link #close} was called.
   *
   * @return whether it was
   */
  public boolean isClosed() {
    return calls.handle.isClosed();
  }

  /** Closes the model. Calls in flight end as usual, and the last one frees the memory. Closing again does nothing. */
  @Override
  public void close() {
    cleanable.clean();
  }

  @Override
  public String toString() {
    return "Model[" + (isClosed() ? "closed" : calls.info) + "]";
  }
}
