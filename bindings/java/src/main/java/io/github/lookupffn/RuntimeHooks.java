// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a runtime's handles call, which native code knows by a number. The runtime and all that was loaded with it keep it
 * alive; when they are gone, nothing asks for the number any more.
 */
final class RuntimeHooks {
  private static final AtomicLong LAST = new AtomicLong();
  private static final Map<Long, WeakReference<RuntimeHooks>> KNOWN = new ConcurrentHashMap<>();

  final long number = LAST.incrementAndGet();
  final Executor executor;
  final LogListener log;

  private RuntimeHooks(Executor executor, LogListener log) {
    this.executor = executor;
    this.log = log;
  }

  static RuntimeHooks of(Executor executor, LogListener log) {
    RuntimeHooks hooks = new RuntimeHooks(executor, log);
    Long number = hooks.number;
    KNOWN.put(number, new WeakReference<>(hooks));
    Model.CLEANER.register(hooks, () -> KNOWN.remove(number));
    return hooks;
  }

  private static RuntimeHooks of(long number) {
    WeakReference<RuntimeHooks> known = KNOWN.get(number);
    return known == null ? null : known.get();
  }

  static LogListener logOf(long number) {
    RuntimeHooks hooks = of(number);
    return hooks == null ? null : hooks.log;
  }

  static Executor executorOf(long number) {
    RuntimeHooks hooks = of(number);
    if (hooks == null) {
      throw new IllegalStateException("runtime " + number + " is gone");
    }
    return hooks.executor;
  }
}
