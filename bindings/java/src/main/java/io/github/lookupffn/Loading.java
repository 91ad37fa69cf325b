// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.ByteBuffer;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** What surrounds each call that loads or saves. */
final class Loading {
  private Loading() {}

  /** The call itself, with what the options leave to it. */
  interface Call {
    void run(int[] numbers, long runtime, ByteBuffer cancel, Object progress);
  }

  /** A call that makes a handle. */
  interface Maker {
    void run(int[] numbers, long runtime, ByteBuffer cancel, Object progress, long[] out);
  }

  /** Makes a handle; where the caller's listener throws at the very end, it is freed again. */
  static long handle(LoadOptions options, LongConsumer free, Maker maker) {
    long[] out = new long[1];
    try {
      run(options, (numbers, runtime, cancel, progress) -> maker.run(numbers, runtime, cancel, progress, out));
      return out[0];
    } catch (Throwable failure) {
      if (out[0] != 0) {
        free.accept(out[0]);
      }
      throw failure;
    }
  }

  /** Loads from a path of the default file system by its name, from one of another file system by the file's bytes. */
  static <T> T from(Path path, LoadOptions options, Function<byte[], T> byName, BiFunction<byte[], LoadOptions, T> byBytes) {
    Objects.requireNonNull(options, "options");
    if (Objects.requireNonNull(path, "path").getFileSystem() == FileSystems.getDefault()) {
      return byName.apply(Utf8.zeroTerminated(path));
    }
    return byBytes.apply(ModelFiles.ofFile(path), options);
  }

  static void run(LoadOptions options, Call call) {
    Objects.requireNonNull(options, "options");
    if (PlatformThreads.needed()) {
      PlatformThreads.run(() -> run(options, call));
      return;
    }
    NativeLibrary.ensureLoaded();
    LookupFfnRuntime runtime = options.runtime;
    long address = runtime == null ? 0 : runtime.handle.enter();
    try {
      if (options.progress == null) {
        call.run(options.numbers, address, Cancellation.flagOf(options.cancellation), null);
        return;
      }
      try (ListenedCall.Load progress = new ListenedCall.Load(options.progress, options.cancellation)) {
        try {
          call.run(options.numbers, address, progress.cancellation.flag, progress);
        } finally {
          progress.check();
        }
      }
    } finally {
      if (runtime != null) {
        runtime.leave();
      }
    }
  }

  /** A call that saves. */
  interface Saver {
    void run(byte[] name, ByteBuffer cancel, Object progress);
  }

  static void save(Path path, SaveOptions options, Saver saver) {
    Objects.requireNonNull(options, "options");
    if (PlatformThreads.needed()) {
      PlatformThreads.run(() -> save(path, options, saver));
      return;
    }
    if (Objects.requireNonNull(path, "path").getFileSystem() != FileSystems.getDefault()) {
      throw new IllegalArgumentException(path + " is not a file of the default file system");
    }
    byte[] name = Utf8.zeroTerminated(path);
    if (options.progress == null) {
      saver.run(name, Cancellation.flagOf(options.cancellation), null);
      return;
    }
    try (ListenedCall.Load progress = new ListenedCall.Load(options.progress, options.cancellation)) {
      try {
        saver.run(name, progress.cancellation.flag, progress);
      } finally {
        progress.check();
      }
    }
  }
}
