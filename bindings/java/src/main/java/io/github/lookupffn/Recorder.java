// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/**
 * Tells Java's flight recorder of loads, calls and batches. While none of these events is recorded this costs the reading of
 * a field: the recorder changes {@code isEnabled} of the events' classes when it starts.
 */
final class Recorder {
  private static final boolean THERE = isThere();

  private Recorder() {}

  /** A runtime image need not have the module jdk.jfr. */
  private static boolean isThere() {
    try {
      Class.forName("jdk.jfr.Event");
      Probes.CALL.isEnabled();
      return true;
    } catch (ClassNotFoundException | LinkageError | RuntimeException without) {
      return false;
    }
  }

  /**
   * Events that are never begun or recorded. They are made once, so that asking whether they are enabled makes no
   * object.
   */
  private static final class Probes {
    static final Events.Load LOAD = new Events.Load();
    static final Events.Call CALL = new Events.Call();
    static final Events.Batch BATCH = new Events.Batch();
  }

  /** Null while nobody records loads. */
  static Events.Load load() {
    if (!THERE || !Probes.LOAD.isEnabled()) {
      return null;
    }
    Events.Load event = new Events.Load();
    event.begin();
    return event;
  }

  static void end(Events.Load event, Model model) {
    if (event != null) {
      event.family = model.family();
      event.memory = model.info().memoryBytes();
      event.commit();
    }
  }

  /** Null while nobody records calls. */
  static Events.Call call(String output, int sequences) {
    if (!THERE || !Probes.CALL.isEnabled()) {
      return null;
    }
    Events.Call event = new Events.Call();
    event.output = output;
    event.sequences = sequences;
    event.begin();
    return event;
  }

  static void end(Events.Call event, long tokens) {
    if (event != null) {
      event.tokens = tokens;
      event.commit();
    }
  }

  /** Null while nobody records batches. */
  static Events.Batch batch(int texts, int calls, int waiting) {
    if (!THERE || !Probes.BATCH.isEnabled()) {
      return null;
    }
    Events.Batch event = new Events.Batch();
    event.texts = texts;
    event.calls = calls;
    event.waiting = waiting;
    event.begin();
    return event;
  }

  static void end(Events.Batch event, long tokens, int cut) {
    if (event != null) {
      event.tokens = tokens;
      event.cut = cut;
      event.commit();
    }
  }
}
