// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * What layers and models share: whose threads they use and how many, an instruction set, a log. Hand it to them with {@link
 * LoadOptions#withRuntime}. They keep what they need of it, so that it may be closed as soon as they are loaded.
 */
public final class LookupFfnRuntime implements AutoCloseable {
  final NativeHandle handle;
  final RuntimeHooks hooks;
  private final Cleaner.Cleanable cleanable;
  private final String isa;

  private LookupFfnRuntime(RuntimeHooks hooks, long address) {
    this.hooks = hooks;
    handle = new NativeHandle("runtime", address, Raw::runtimeFree, hooks);
    try {
      isa = Utf8.text(Raw.runtimeIsa(address));
      cleanable = Model.CLEANER.register(this, handle);
    } catch (Throwable failure) {
      handle.run();
      throw failure;
    }
  }

  /**
   * Makes one.
   *
   * @param options of what
   * @return the runtime
   * @throws LookupFfnException if this build or this processor has no such instruction set
   */
  public static LookupFfnRuntime create(RuntimeOptions options) {
    Objects.requireNonNull(options, "options");
    byte[] isa = options.isa == null ? null : Utf8.zeroTerminated(options.isa, "the isa");
    NativeLibrary.ensureLoaded();
    RuntimeHooks hooks = RuntimeHooks.of(options.executor, options.log);
    long[] out = new long[1];
    Raw.runtimeCreate(
        options.numThreads,
        isa,
        options.executor == null ? 0 : hooks.number,
        options.log == null ? 0 : hooks.number,
        out);
    return new LookupFfnRuntime(hooks, out[0]);
  }

  void leave() {
    handle.leave();
    Reference.reachabilityFence(this);
  }

  /** {@return the instruction set of its layers' and models' kernels, such as "avx2"} */
  public String isa() {
    return isa;
  }

  /** Closes the runtime; what was loaded with it goes on. Closing again does nothing. */
  @Override
  public void close() {
    cleanable.clean();
  }

  @Override
  public String toString() {
    return "LookupFfnRuntime[" + (handle.isClosed() ? "closed]" : isa + "]");
  }
}
